"""Estimators of lifetimes with a target of one column, so that tests of all estimators know them.

Every number of y is a row whose event was seen, or not, at a time that follows from the number.
"""

from typing import Any

import numpy as np

from spinney import RandomSurvivalForest, SurvivalTree
from spinney._target import check_numbers, check_weights
from spinney.ensemble._base_learners import own_tree


def as_lifetimes(y: Any, weight: Any) -> Any:
    """Return a lifetime for each number."""
    if y is None:
        return None
    numbers = check_numbers(y, weight, "SurvivalTree")
    codes = np.searchsorted(np.unique(numbers[weight > 0]), numbers)
    return {"event": codes % 5 != 4, "time": 1.0 + codes}


class TreeOfNumbers(SurvivalTree):
    __doc__ = SurvivalTree.__doc__

    def _encode_target(self, y, weight):
        return super()._encode_target(as_lifetimes(y, weight), weight)

    def score(self, X, y, sample_weight=None):
        return super().score(X, as_lifetimes(y, check_weights(None, len(y))), sample_weight)


class ForestOfNumbers(RandomSurvivalForest):
    __doc__ = RandomSurvivalForest.__doc__

    def _make_learners(self):
        return [own_tree(self, TreeOfNumbers)]

    def score(self, X, y, sample_weight=None):
        return super().score(X, as_lifetimes(y, check_weights(None, len(y))), sample_weight)


SMALL: dict[str, Any] = {"min_samples_split": 2, "min_samples_leaf": 1}
