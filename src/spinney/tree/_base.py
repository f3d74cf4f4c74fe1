"""What all estimators of one tree share: fit in named steps, and rows to leaves.

A subclass says how the core is to grow (`_growth_params`), how the tree comes about (`_learn`) and
what a prediction looks like.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._estimator import (
    FitTarget,
    TableEstimator,
    core_dataset,
    remember_table,
    unchanged_on_failure,
)
from spinney._settings import thread_count
from spinney._table import Schema
from spinney.tree._view import Tree

if TYPE_CHECKING:
    from spinney.rules import Explanation

Floats = NDArray[np.float64]
Restore = Callable[[_core.Tree], _core.Tree]


def unchanged(tree: _core.Tree) -> _core.Tree:
    """Return a tree that was grown on the user's table as it is."""
    return tree


@dataclass(frozen=True)
class Rows:
    """Which rows grow the tree and which judge it."""

    held_out: NDArray[np.bool_] | None
    folds: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]

    @property
    def growing(self) -> NDArray[np.bool_] | None:
        """The rows that grow the tree; None for all."""
        return None if self.held_out is None else ~self.held_out


class BaseTree(TableEstimator):
    """One tree in `tree_`."""

    @abstractmethod
    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        """Check the settings of growth."""

    @abstractmethod
    def _learn(self, values: Floats, schema: Schema, target: FitTarget) -> None:
        """Grow the tree, cut it back, and remember it."""

    @abstractmethod
    def _as_member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return the settings of growth and pruning for an ensemble, which runs in the core."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree and cut it back.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays.
            Strings and categoricals are used as they are; NaN, None and NA are missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            self._learn(*self._encode(X, y, sample_weight))
        return self

    # -- The steps of fit

    def _prepare(
        self, values: Floats, schema: Schema, target: FitTarget, rows: Rows
    ) -> tuple[_core.Dataset, Restore]:
        """Return the table that the core grows on, and what makes its tree ask the user's."""
        return core_dataset(values, schema), unchanged

    def _n_threads(self) -> int:
        return thread_count(self.n_jobs)

    def _adopt(self, tree: Tree) -> Self:
        """Be the fitted estimator of a tree that was grown elsewhere."""
        remember_table(self, tree.schema, tree.classes)
        self.tree_ = tree
        return self

    # -- Rows through the tree

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        return self.tree_._core.apply(rows, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row passes, its leaf included.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
        """
        rows = self._rows(X)
        return self.tree_.decision_path(rows, encoded=True)

    def explain(self, row: Any) -> "Explanation":
        """Return why a row is predicted as it is, and what would have to change for another answer.

        Parameters
        ----------
        row : dict, Series, one-row table or 1-D array
            One row with the columns of fit.

        Returns
        -------
        Explanation
            `print` shows it as text.
        """
        from spinney.rules._explanation import encode_row  # rules are made of trees

        check_is_fitted(self)
        encode_row(self._schema, row, self.unseen)  # refuses what predict refuses
        return self.tree_.explain(row)

    def get_depth(self) -> int:
        """Return the depth of the tree."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity that the tests remove."""
        check_is_fitted(self)
        return self.tree_.importances()
