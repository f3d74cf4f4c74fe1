"""Shapley values of trees and of ensembles of trees, and reasons for their decisions."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.shapley._explained import Reason

__all__ = ["Reason"]
