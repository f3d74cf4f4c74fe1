"""Tables that do not fit into memory: the same models, from batches of rows."""

from spinney.batches._fit import fit

__all__ = ["fit"]
