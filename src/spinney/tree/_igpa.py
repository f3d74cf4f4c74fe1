"""IGPA: a tree grown on one part of the rows and pruned by the other, in turn."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from spinney import _core
from spinney._choices import check_choice, check_flag, check_integer
from spinney._estimator import FitTarget, remember_table
from spinney._settings import random_seed
from spinney._table import Schema
from spinney.tree._base import Rows
from spinney.tree._cart import BinaryTree
from spinney.tree._scale import rescaled_tree, scaled
from spinney.tree._view import Tree

Floats = NDArray[np.float64]
_ALL = Rows(None, [])


class Iteration(NamedTuple):
    """One growing and one pruning. Errors are costs by the criterion, per weight of a row.

    Parameters
    ----------
    judge : int
        The part of the rows that pruned; the others grew the tree.
    n_leaves_grown, n_leaves : int
        Leaves before and after the pruning.
    growing_error : float
        Of the pruned tree, by the rows that grew it.
    judge_error_grown, judge_error : float
        By the rows that pruned, before and after.
    """

    judge: int
    n_leaves_grown: int
    n_leaves: int
    growing_error: float
    judge_error_grown: float
    judge_error: float


class IGPATree(BinaryTree):
    """One tree by iterative growing and pruning."""

    def _learn(self, values: Floats, schema: Schema, target: FitTarget) -> None:
        learner = self._as_member(values, schema, target)
        dataset, _ = self._prepare(values, schema, target, _ALL)
        core, history, settled = _core.grow_and_prune(
            dataset, target.core(), learner, random_seed(self.random_state), self._n_threads()
        )
        tree = Tree(core, schema, target.classes)
        if target.exponent:
            tree = rescaled_tree(tree, target.exponent, target.loss_exponent)
            history = np.column_stack(
                [history[:, :3], scaled(history[:, 3:], target.loss_exponent)]
            )
        remember_table(self, schema, target.classes)
        self.tree_ = tree
        self.history_ = [Iteration(*map(int, row[:3]), *row[3:]) for row in history.tolist()]
        self.n_iterations_ = len(self.history_)
        if not settled:
            warnings.warn(unsettled("the tree"), ConvergenceWarning, stacklevel=3)

    def _as_member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        learner = _core.Learner()
        learner.set_params(self._growth_params(values, target))
        igpa = _core.IgpaParams()
        igpa.n_parts = min(check_integer("n_folds", self.n_folds, low=2), 2**31 - 1)
        igpa.max_iterations = min(
            check_integer("max_iterations", self.max_iterations, low=1), 2**62
        )
        check_choice("labels", self.labels, ("kept", "renewed"))
        check_choice("prune_from", self.prune_from, ("leaves", "root"))
        check_choice("unjudged", self.unjudged, ("pruned", "kept"))
        igpa.renews_labels = self.labels == "renewed"
        igpa.prunes_all = self.prune_from == "root"
        igpa.keeps_unjudged = self.unjudged == "kept"
        igpa.recounts = check_flag("recount", self.recount)
        learner.set_igpa(igpa)
        return learner

    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        params = super()._growth_params(values, target)
        if self.missing == "fractional":
            raise ValueError(
                "missing='fractional' does not work here: growth goes on from leaves, and these do "
                "not say which shares of a row they hold. Use missing='surrogate' or 'majority'."
            )
        return params


def unsettled(who: str) -> str:
    """Return the text of the warning that the loop ended before the tree had settled."""
    return (
        f"{who} had not settled after max_iterations growings and prunings. Use labels='kept' and "
        "prune_from='leaves', with which sizes never fall, or a larger max_iterations: the least "
        "is n_folds."
    )
