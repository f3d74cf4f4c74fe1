"""What estimators of one classification tree answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from spinney import _core
from spinney._class_answers import LogProbabilities
from spinney._settings import thread_count
from spinney._target import ClassTarget
from spinney.tree._base import BaseTree

Floats = NDArray[np.float64]


class ClassTree(LogProbabilities, ClassifierMixin, BaseTree):
    """One classification tree."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of least expected cost for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        labels: NDArray[Any] = self.classes_[
            self.tree_._core.predict_labels(rows, thread_count(self.n_jobs))
        ]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes in the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        rows = self._rows(X)
        return self.tree_._core.predict_values(rows, thread_count(self.n_jobs))


def build_target(target: ClassTarget, weight: Floats) -> _core.Target:
    """Return the core's target with other weights."""
    return target.with_weight(weight).core()
