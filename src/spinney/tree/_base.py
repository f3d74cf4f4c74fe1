"""What all estimators of one tree share: fit in named steps, and rows to leaves.

A subclass says how `y` becomes a target (`_encode_target`), how the core is to grow
(`_growth_params`) and what a prediction looks like.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._choices import check_choice, check_flag, check_number
from spinney._folds import hold_out, make_folds
from spinney._settings import check_cf, thread_count
from spinney._table import Schema, encode_table, encode_with
from spinney._target import check_weights
from spinney.pruning import PruningPath
from spinney.tree._scale import rescaled_tree
from spinney.tree._view import Tree

if TYPE_CHECKING:
    from spinney.rules import Explanation

Floats = NDArray[np.float64]
Restore = Callable[[_core.Tree], _core.Tree]
_KINDS = ("numeric", "ordered", "nominal")
_MAX_CELLS = 2**31 - 1


@contextmanager
def unchanged_on_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was if its fit fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def core_view(values: Floats) -> Floats:
    """Return an array whose strides the core can follow: whole, aligned elements."""
    if values.flags.aligned and not any(stride % 8 for stride in values.strides):
        return values
    return np.ascontiguousarray(values)


@dataclass(frozen=True)
class FitTarget:
    """A checked target: for the core, for dividing rows evenly, and for the fitted estimator."""

    weight: Floats
    strata: NDArray[Any]
    classes: NDArray[Any] | None
    build: Callable[[Floats], _core.Target]  # from weights
    cost: Floats | None = None  # inside the split search
    exponent: int = 0  # y was multiplied by 2**-exponent
    loss_exponent: int = 0

    def core(self, rows: NDArray[np.bool_] | None = None) -> _core.Target:
        """Return the core's target, with weight on the given rows only."""
        weight = self.weight if rows is None else np.where(rows, self.weight, 0.0)
        return self.build(weight)


@dataclass(frozen=True)
class Rows:
    """Which rows grow the tree and which judge it."""

    held_out: NDArray[np.bool_] | None
    folds: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]

    @property
    def growing(self) -> NDArray[np.bool_] | None:
        """The rows that grow the tree; None for all."""
        return None if self.held_out is None else ~self.held_out


def core_dataset(values: Floats, schema: Schema) -> _core.Dataset:
    """Return a table with its kinds of column, as the core takes it."""
    kinds = np.array([_KINDS.index(column.kind) for column in schema.columns], np.uint8)
    sizes = np.array([len(column.categories) for column in schema.columns], np.int32)
    return _core.Dataset(values, kinds, sizes)


def _refuse_too_many_cells(X: Any) -> None:
    """Refuse a table that cannot be sorted, before any of it is copied."""
    shape = getattr(X, "shape", ())
    if isinstance(shape, tuple) and len(shape) == 2 and shape[0] * shape[1] > _MAX_CELLS:
        raise ValueError(
            f"X has {shape[0]} x {shape[1]} cells, the limit of fit is {_MAX_CELLS}. Fit on a "
            "sample of the rows."
        )


class BaseTree(BaseEstimator, ABC):
    """One tree in `tree_`."""

    _prunings: tuple[str | None, ...] = (None, "cost_complexity", "reduced_error")

    @abstractmethod
    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        """Check y and what weighs it."""

    @abstractmethod
    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        """Check the settings of growth."""

    def _goes_on(self) -> bool:
        """Tell whether fit goes on from the tree that is there."""
        return False

    def _counts_weight(self) -> bool:
        """Tell whether something depends on the size of the weights, not on their shares."""
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

    def _encode(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[np.float64], Schema, FitTarget]:
        """Table and target to numbers."""
        name = type(self).__name__
        _refuse_too_many_cells(X)
        options = {"categorical_features": self.categorical_features, "estimator_name": name}
        goes_on = self._goes_on()
        if goes_on:
            schema = self._schema
            values = encode_with(schema, X, unseen=self.unseen, estimator_name=name)
        else:
            values, schema = encode_table(X, **options)
        weight = check_weights(sample_weight, values.shape[0], counted=self._counts_weight())
        target = self._encode_target(y, weight)
        if not goes_on and not schema.all_numeric and not target.weight.all():
            values, schema = encode_table(X, used_rows=target.weight > 0, **options)
        return core_view(values), schema, target

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
        return core_dataset(values, schema), lambda tree: tree

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

    def _remember(
        self, schema: Schema, target: FitTarget, tree: Tree, path: PruningPath | None
    ) -> None:
        for fitted in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, fitted)
        self._schema = schema
        self.n_features_in_ = len(schema.columns)
        if schema.has_names:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        if target.classes is not None:
            self.classes_ = target.classes
        self.tree_ = tree
        if path is not None:
            self.pruning_path_ = path

    def _finish(self, values: Floats, target: FitTarget, rows: Rows) -> None:
        """Add what else a fitted estimator has."""

    # -- Rows through the tree

    def _rows(self, X: Any) -> Floats:
        """Encode a table as fit encoded its own."""
        if "tree_" not in vars(self):
            check_is_fitted(self)
        name = type(self).__name__
        return core_view(encode_with(self._schema, X, unseen=self.unseen, estimator_name=name))

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
