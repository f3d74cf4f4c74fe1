"""How an estimator's parameters reach the core, for a tree alone and as a member of an ensemble."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._checks import Integer
from spinney._folds import hold_out, make_folds
from spinney._settings import thread_count
from spinney._table import Schema
from spinney._table._batches import RowsElsewhere
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.tree._measures import rescaled_tree
from spinney.tree._tree import Tree

Mask = NDArray[np.bool_]
_FOLDS = Integer(2, remedy="Members of an ensemble need a number of folds.")
Restore = Callable[[_core.Tree], _core.Tree]


def unchanged(tree: _core.Tree) -> _core.Tree:
    """Return a tree unchanged, if it was grown on the user's table itself."""
    return tree


@dataclass(frozen=True)
class RowSplit:
    """Which rows grow the tree and which judge it."""

    held_out: Mask | None = None
    folds: tuple[tuple[Mask, Mask], ...] = ()

    @property
    def growing(self) -> Mask | None:
        """The rows that grow the tree; None for all."""
        return None if self.held_out is None else ~self.held_out


ALL_ROWS = RowSplit()


class TreeLearner:
    """Base class of the methods that learn one tree.

    Parameters
    ----------
    estimator : estimator
        Whose parameters are read. A learner changes nothing of it.
    """

    counts_weight = False  # whether the size of the weights matters, not only their shares
    is_binary = False  # whether nodes are divided in two by the core's search
    draws_columns = False  # whether nodes can be given columns drawn for them

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @property
    def drops_empty_rows(self) -> bool:
        """Whether rows without any value are left out."""
        return False

    @property
    def n_threads(self) -> int:
        """Threads of the core: one where the criterion is the user's own function."""
        is_python = callable(getattr(self.estimator, "criterion", None))
        return 1 if is_python else thread_count(self.estimator.n_jobs)

    def share_columns(self, values: Floats, schema: Schema) -> tuple[Floats, Schema]:
        """Return the encoded table, with columns whose categories are compared made comparable."""
        return values, schema

    def growth(self, values: Floats, schema: Schema, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        raise NotImplementedError

    def refuse_groups(self, groups: Any) -> None:
        """Refuse groups where nothing is cross-validated."""
        if groups is not None:
            name = type(self.estimator).__name__
            raise ValueError(f"groups is given, but {name} has no cross-validation to use it.")

    def prepare(
        self, values: Floats, schema: Schema, target: FitTarget, rows: RowSplit
    ) -> tuple[Any, Restore]:
        """Return the table that the core grows on, and what maps its tree to the user's table."""
        return core_dataset(values, schema), unchanged

    def learn(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        *,
        start: Tree | None = None,
        groups: Any = None,
    ) -> dict[str, Any]:
        """Learn one tree, and return the attributes of the fitted estimator.

        `start` is the tree that growth continues, `groups` goes to the splitter of `cv`.
        """
        raise NotImplementedError

    def member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return the same method for members of an ensemble, which the core trains."""
        raise NotImplementedError


def is_binary(estimator: Any) -> bool:
    """Return whether an estimator learns trees whose nodes the core's search divides in two."""
    return hasattr(estimator, "_learner") and bool(estimator._learner().is_binary)


def member_strength(estimator: Any) -> float:
    """Return the strength of the shrinkage of a member's tree, which must be a number."""
    shrinkage = getattr(estimator, "shrinkage", None)
    if shrinkage == "auto":
        raise ValueError(
            "members of an ensemble take a number as shrinkage, not 'auto'. Give shrinkage='auto' "
            "to the ensemble, which then chooses one strength for all of them."
        )
    return float(shrinkage or 0.0)


class PrunedLearner(TreeLearner):
    """A tree that is grown once and then pruned by the method `pruning`."""

    @property
    def counts_weight(self) -> bool:  # type: ignore[override]
        """Whether limits on errors, or description lengths, count the weight of rows."""
        return self.estimator.pruning in ("error_based", "mdl")

    @property
    def stops_early(self) -> bool:
        """Whether rows are held out to stop growth."""
        return False

    @property
    def uses_folds(self) -> bool:
        """Whether cross-validation chooses the size of the tree."""
        return self.estimator.pruning == "cost_complexity" and self.estimator.ccp_alpha is None

    def continuation(self, target: FitTarget, rows: RowSplit, start: Tree | None) -> dict[str, Any]:
        """Return further arguments of the core's growth: where to start, when to stop."""
        return {"validation_weight": np.zeros(0)}

    def finish(
        self, tree: Tree, values: Floats, target: FitTarget, rows: RowSplit
    ) -> dict[str, Any]:
        """Return further attributes of the fitted estimator."""
        return {}

    def learn(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        *,
        start: Tree | None = None,
        groups: Any = None,
    ) -> dict[str, Any]:
        """Divide the rows, grow, and prune."""
        rows = self._divide_rows(values, target, groups)
        tree, errors = self.grow(values, schema, target, rows, start)
        tree, path = self._prune(tree, errors, values, target, rows)
        fitted: dict[str, Any] = {"tree_": tree}
        if path is not None:
            fitted["pruning_path_"] = path
        return fitted | self.finish(tree, values, target, rows)

    def _divide_rows(self, values: Floats, target: FitTarget, groups: Any) -> RowSplit:
        """Hold rows out, or deal them into folds, as pruning and early stopping need it."""
        params = self.estimator
        used = target.weight > 0
        held_out = None
        if self.stops_early or params.pruning == "reduced_error":
            held_out = hold_out(
                params.validation_fraction, target.strata, used, params.random_state
            )
            used = used & ~held_out
        if not self.uses_folds:
            return RowSplit(held_out)
        folds = make_folds(params.cv, values, target.strata, used, params.random_state, groups)
        return RowSplit(held_out, tuple(folds))

    def grow(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        rows: RowSplit,
        start: Tree | None,
    ) -> tuple[Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""
        dataset, restore = self.prepare(values, schema, target, rows)
        params = self.growth(values, schema, target)
        if isinstance(dataset, RowsElsewhere):
            core, errors = dataset.grow(target, rows, params)
            return Tree(core, schema, target.classes), errors
        core, errors = _core.grow(
            dataset,
            target.core(rows.growing),
            params,
            n_threads=self.n_threads,
            fold_grow=[train for train, _ in rows.folds],
            fold_test=[test for _, test in rows.folds],
            **self.continuation(target, rows, start),
        )
        return Tree(restore(core), schema, target.classes), errors

    def _prune(
        self,
        tree: Tree,
        errors: tuple[Floats, Floats] | None,
        values: Floats,
        target: FitTarget,
        rows: RowSplit,
    ) -> tuple[Tree, Any]:
        """Cut the tree back, and return the sequence that it was chosen from."""
        params, alpha = self.estimator, self.estimator.ccp_alpha
        if params.pruning == "reduced_error" and rows.held_out is not None and rows.held_out.any():
            judge = target.core(rows.held_out)
            tree = tree._collapsed(_core.reduced_error(tree._core, values, judge))
        elif params.pruning == "error_based":
            tree = self._prune_by_errors(tree, values, target, rows)
        elif params.pruning == "mdl":
            tree = tree._collapsed(_core.shortest(tree._core))
        path = None
        if params.pruning == "cost_complexity" or alpha is not None:
            from spinney.pruning import PruningPath  # it needs all of this package

            path = PruningPath(tree)
            if errors is not None:
                tree = path.choose(errors[0], errors[1], params.rule)
        if target.exponent:
            tree = rescaled_tree(tree, target.exponent, target.loss_exponent)
            if path is not None:
                path._show_in_units(target.exponent, target.loss_exponent)
        if path is not None and errors is None:
            tree = path.at(float(alpha or 0.0))
        return tree, path

    def _prune_by_errors(
        self, tree: Tree, values: Floats, target: FitTarget, rows: RowSplit
    ) -> Tree:
        core = _core.error_based(
            tree._core,
            values,
            target.core(rows.growing),
            self.growth(values, tree.schema, target),
            cf=float(self.estimator.cf),
            raise_subtrees=bool(self.estimator.subtree_raising),
        )
        return Tree(core, tree.schema, tree.classes)

    def member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return growth and pruning for the core."""
        params = self.estimator
        learner = _core.Learner()
        learner.set_params(self.growth(values, schema, target))
        learner.shrinkage = member_strength(params)
        learner.one_standard_error = params.rule == "1se"
        if params.ccp_alpha is not None:
            learner.ccp_alpha = float(np.ldexp(float(params.ccp_alpha), -target.loss_exponent))
        elif params.pruning == "cost_complexity":
            learner.n_folds = _FOLDS.check("cv", params.cv)
            learner.set_pruning("cross_validated")
        if params.pruning not in (None, "cost_complexity"):
            learner.set_pruning(params.pruning)
        if params.pruning == "reduced_error" or self.stops_early:
            learner.validation_fraction = float(params.validation_fraction)
        if params.pruning == "error_based":
            learner.cf = float(params.cf)
            learner.raise_subtrees = bool(params.subtree_raising)
        return learner
