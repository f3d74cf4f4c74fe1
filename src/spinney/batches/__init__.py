"""Training on tables that do not fit into memory: the same models, from batches of rows."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.batches._fit import fit

__all__ = ["fit"]
