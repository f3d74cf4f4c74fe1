"""What estimators of one regression tree answer, and how numbers reach the core."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from spinney import _core
from spinney._estimator import FitTarget
from spinney._settings import REGRESSION_CRITERIA, thread_count
from spinney._target import real_core, real_target
from spinney.tree._cart import BinaryTree
from spinney.tree._scale import far_exponent

Floats = NDArray[np.float64]


class NumberTree(RegressorMixin, BinaryTree):
    """One regression tree."""

    _criteria = REGRESSION_CRITERIA

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        numbers = real_target(y, weight, estimator_name=type(self).__name__)
        exponent = far_exponent(numbers)
        if exponent:
            numbers = np.ldexp(numbers, -exponent)
        known = self.criterion in self._criteria
        degree = _core.loss_degree(self.criterion) if known else 1  # growth refuses others
        return FitTarget(
            weight,
            np.zeros(len(numbers)),
            None,
            partial(real_core, numbers),
            y=numbers,
            exponent=exponent,
            loss_exponent=degree * exponent,
            criterion=self.criterion,
        )

    def predict(self, X: Any) -> Floats:
        """Return the value of the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        values: Floats = self.tree_._core.predict_values(rows, thread_count(self.n_jobs))[:, 0]
        return values
