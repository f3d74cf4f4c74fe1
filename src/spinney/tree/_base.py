"""What all estimators of one tree share: fit in named steps, and rows to leaves.

A subclass says how the core is to grow (`_growth_params`) and what a prediction looks like.
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
from spinney._choices import check_choice, check_flag, check_integer, check_number
from spinney._estimator import (
    FitTarget,
    TableEstimator,
    core_dataset,
    remember_table,
    unchanged_on_failure,
)
from spinney._folds import hold_out, make_folds
from spinney._settings import check_cf, thread_count
from spinney._table import Schema
from spinney.pruning import PruningPath
from spinney.tree._scale import rescaled_tree
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

    _prunings: tuple[str | None, ...] = (None, "cost_complexity", "reduced_error")

    @abstractmethod
    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        """Check the settings of growth."""

    def _counts_weight(self) -> bool:
        return self.pruning in ("error_based", "mdl")

    def _stops_early(self) -> bool:
        """Tell whether rows are set aside to say when to stop."""
        return False

    def _continuation(self, target: FitTarget, rows: Rows) -> dict[str, Any]:
        """Return what else the core is told: the tree to go on from, when to stop."""
        return {"validation_weight": np.zeros(0)}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, and prune it as `pruning` says.

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
            values, schema, target = self._encode(X, y, sample_weight)
            rows = self._divide_rows(values, target)
            tree, errors = self._grow(values, schema, target, rows)
            tree, path = self._prune(tree, errors, values, target, rows)
            self._remember(schema, target, tree, path)
            self._finish(values, target, rows)
        return self

    # -- The steps of fit

    def _divide_rows(self, values: Floats, target: FitTarget) -> Rows:
        """Set rows aside, or deal them into folds, as pruning and early stopping need it."""
        check_choice("pruning", self.pruning, self._prunings)
        check_choice("rule", self.rule, ("1se", "min"))
        used = target.weight > 0
        held_out = None
        if self._stops_early() or self.pruning == "reduced_error":
            held_out = hold_out(self.validation_fraction, target.strata, used, self.random_state)
            used = used & ~held_out
        folds = []
        if self.pruning == "cost_complexity" and self.ccp_alpha is None:
            folds = make_folds(self.cv, values, target.strata, used, self.random_state)
        return Rows(held_out, folds)

    def _grow(
        self, values: Floats, schema: Schema, target: FitTarget, rows: Rows
    ) -> tuple[Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""
        dataset, restore = self._prepare(values, schema, target, rows)
        core, errors = _core.grow(
            dataset,
            target.core(rows.growing),
            self._growth_params(values, target),
            n_threads=self._n_threads(),
            fold_grow=[train for train, _ in rows.folds],
            fold_test=[test for _, test in rows.folds],
            **self._continuation(target, rows),
        )
        return Tree(restore(core), schema, target.classes), errors

    def _prepare(
        self, values: Floats, schema: Schema, target: FitTarget, rows: Rows
    ) -> tuple[_core.Dataset, Restore]:
        """Return the table that the core grows on, and what makes its tree ask the user's."""
        return core_dataset(values, schema), unchanged

    def _n_threads(self) -> int:
        return thread_count(self.n_jobs)

    def _prune(
        self,
        tree: Tree,
        errors: tuple[Floats, Floats] | None,
        values: Floats,
        target: FitTarget,
        rows: Rows,
    ) -> tuple[Tree, PruningPath | None]:
        """Cut the tree back, and tell the sequence it was chosen from."""
        alpha = None
        if self.ccp_alpha is not None:
            alpha = check_number("ccp_alpha", self.ccp_alpha, low=0.0)
        if self.pruning == "reduced_error" and rows.held_out is not None and rows.held_out.any():
            judge = target.core(rows.held_out)
            tree = tree._collapsed(_core.reduced_error(tree._core, values, judge))
        elif self.pruning == "error_based":
            tree = self._prune_by_errors(tree, values, target, rows)
        elif self.pruning == "mdl":
            tree = tree._collapsed(_core.shortest(tree._core))
        path = None
        if self.pruning == "cost_complexity" or alpha is not None:
            path = PruningPath(tree)
            if errors is not None:
                tree = path.choose(errors[0], errors[1], self.rule)
        if target.exponent:
            tree = rescaled_tree(tree, target.exponent, target.loss_exponent)
            if path is not None:
                path._show_in_units(target.exponent, target.loss_exponent)
        if path is not None and errors is None:
            tree = path.at(alpha or 0.0)
        return tree, path

    def _prune_by_errors(self, tree: Tree, values: Floats, target: FitTarget, rows: Rows) -> Tree:
        if tree.cost_matrix is not None:
            raise ValueError(
                "pruning='error_based' counts errors and knows no costs. Leave cost_matrix out, or "
                "use pruning='cost_complexity' or 'reduced_error'."
            )
        core = _core.error_based(
            tree._core,
            values,
            target.core(rows.growing),
            self._growth_params(values, target),
            cf=check_cf(self.cf),
            raise_subtrees=check_flag("subtree_raising", self.subtree_raising),
        )
        return Tree(core, tree.schema, tree.classes)

    def _as_member(self, values: Floats, target: FitTarget) -> _core.Learner:
        """Return the settings of growth and pruning for an ensemble, which runs in the core."""
        check_choice("pruning", self.pruning, self._prunings)
        check_choice("rule", self.rule, ("1se", "min"))
        learner = _core.Learner()
        learner.set_params(self._growth_params(values, target))
        learner.one_standard_error = self.rule == "1se"
        if self.ccp_alpha is not None:
            if self.pruning not in (None, "cost_complexity"):
                raise ValueError(
                    f"members of an ensemble are pruned one way: ccp_alpha={self.ccp_alpha!r} does "
                    f"not go with pruning={self.pruning!r}. Leave one of them out."
                )
            alpha = check_number("ccp_alpha", self.ccp_alpha, low=0.0)
            learner.ccp_alpha = float(np.ldexp(alpha, -target.loss_exponent))
            learner.set_pruning("alpha")
        elif self.pruning == "cost_complexity":
            learner.n_folds = check_integer(
                "cv", self.cv, low=2, remedy="Members of an ensemble need a number of folds."
            )
            learner.set_pruning("cross_validated")
        elif self.pruning is not None:
            learner.set_pruning(self.pruning)
        if self.pruning == "reduced_error" or self._stops_early():
            learner.validation_fraction = check_number(
                "validation_fraction", self.validation_fraction, low=0.0, high=1.0, open_ends=True
            )
        if self.pruning == "error_based":
            learner.cf = check_cf(self.cf)
            learner.raise_subtrees = check_flag("subtree_raising", self.subtree_raising)
        return learner

    def _adopt(self, tree: Tree) -> Self:
        """Be the fitted estimator of a tree that was grown elsewhere."""
        remember_table(self, tree.schema, tree.classes)
        self.tree_ = tree
        return self

    def _remember(
        self, schema: Schema, target: FitTarget, tree: Tree, path: PruningPath | None
    ) -> None:
        remember_table(self, schema, target.classes)
        self.tree_ = tree
        if path is not None:
            self.pruning_path_ = path

    def _finish(self, values: Floats, target: FitTarget, rows: Rows) -> None:
        """Add what else a fitted estimator has."""

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
        from spinney.rules._row import encode_row  # rules are made of trees

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
