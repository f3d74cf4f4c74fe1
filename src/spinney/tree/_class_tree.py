"""What estimators of one classification tree answer, and how classes and costs reach the core."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from spinney import _core
from spinney._class_answers import LogProbabilities
from spinney._estimator import FitTarget
from spinney._settings import CLASS_CRITERIA, thread_count
from spinney._target import ClassTarget, class_target
from spinney.tree._base import BaseTree
from spinney.tree._cart import BinaryTree

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


class BinaryClassTree(ClassTree, BinaryTree):
    """One binary classification tree, with costs and priors."""

    _criteria = CLASS_CRITERIA

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        target = class_target(
            y,
            weight,
            estimator_name=type(self).__name__,
            class_weight=self.class_weight,
            priors=self.priors,
            cost_matrix=self.cost_matrix,
            cost_method=self.cost_method,
            classes=self.classes_ if self._goes_on() else None,
        )
        in_splits = target.cost if target.cost.size and self.cost_method == "gini" else None
        return FitTarget(
            target.weight, target.codes, target.classes, partial(build_target, target), in_splits
        )


def build_target(target: ClassTarget, weight: Floats) -> _core.Target:
    """Return the core's target with other weights."""
    return target.with_weight(weight).core()
