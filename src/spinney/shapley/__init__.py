"""Shapley values of trees and of ensembles of trees, and reasons for their decisions."""

import spinney._libraries  # noqa: F401  (scikit-learn's modules in one order)
from spinney.shapley._reasons import Reason

__all__ = ["Reason"]
