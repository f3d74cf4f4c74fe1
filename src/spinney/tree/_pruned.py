"""One tree that is grown once, and then cut back as `pruning` says."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._choices import check_choice, check_flag, check_integer, check_number
from spinney._estimator import FitTarget, remember_table
from spinney._folds import hold_out, make_folds
from spinney._settings import check_cf
from spinney._table import Schema
from spinney.tree._base import BaseTree, Rows
from spinney.tree._scale import rescaled_tree
from spinney.tree._view import Tree

if TYPE_CHECKING:
    from spinney.pruning import PruningPath

Floats = NDArray[np.float64]


class PrunedTree(BaseTree):
    """One tree with all the ways to prune it."""

    _prunings: tuple[str | None, ...] = (None, "cost_complexity", "reduced_error")

    def _counts_weight(self) -> bool:
        return self.pruning in ("error_based", "mdl")

    def _stops_early(self) -> bool:
        """Tell whether rows are set aside to say when to stop."""
        return False

    def _continuation(self, target: FitTarget, rows: Rows) -> dict[str, Any]:
        """Return what else the core is told: the tree to go on from, when to stop."""
        return {"validation_weight": np.zeros(0)}

    def _learn(self, values: Floats, schema: Schema, target: FitTarget) -> None:
        rows = self._divide_rows(values, target)
        tree, errors = self._grow(values, schema, target, rows)
        tree, path = self._prune(tree, errors, values, target, rows)
        self._remember(schema, target, tree, path)
        self._finish(values, target, rows)

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

    def _prune(
        self,
        tree: Tree,
        errors: tuple[Floats, Floats] | None,
        values: Floats,
        target: FitTarget,
        rows: Rows,
    ) -> tuple[Tree, "PruningPath | None"]:
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
            from spinney.pruning import PruningPath  # it needs all of this package

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

    def _as_member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        check_choice("pruning", self.pruning, self._prunings)
        check_choice("rule", self.rule, ("1se", "min"))
        learner = _core.Learner()
        learner.set_params(self._growth_params(values, target))
        learner.one_standard_error = self.rule == "1se"
        if self.ccp_alpha is not None:
            learner.ccp_alpha = float(np.ldexp(float(self.ccp_alpha), -target.loss_exponent))
        elif self.pruning == "cost_complexity":
            learner.n_folds = check_integer(
                "cv", self.cv, low=2, remedy="Members of an ensemble need a number of folds."
            )
            learner.set_pruning("cross_validated")
        if self.pruning not in (None, "cost_complexity"):
            learner.set_pruning(self.pruning)
        if self.pruning == "reduced_error" or self._stops_early():
            learner.validation_fraction = check_number(
                "validation_fraction", self.validation_fraction, low=0.0, high=1.0, open_ends=True
            )
        if self.pruning == "error_based":
            learner.cf = check_cf(self.cf)
            learner.raise_subtrees = check_flag("subtree_raising", self.subtree_raising)
        return learner

    def _remember(
        self, schema: Schema, target: FitTarget, tree: Tree, path: "PruningPath | None"
    ) -> None:
        remember_table(self, schema, target.classes)
        self.tree_ = tree
        if path is not None:
            self.pruning_path_ = path

    def _finish(self, values: Floats, target: FitTarget, rows: Rows) -> None:
        """Add what else a fitted estimator has."""
