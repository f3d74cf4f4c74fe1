"""Binary trees: how settings reach the core, and how CART's growth goes on or stops early."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._choices import check_choice, check_flag, check_integer
from spinney._estimator import FitTarget
from spinney._settings import SPLITTERS, growth_params, random_seed
from spinney._table import Schema
from spinney.tree._base import BaseTree, Rows
from spinney.tree._pruned import PrunedTree
from spinney.tree._scale import rescaled_tree

Floats = NDArray[np.float64]


class BinaryTree(BaseTree):
    """One binary tree."""

    _criteria: tuple[str, ...]

    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        n_rows = int(np.count_nonzero(target.weight))  # rows of weight zero are as if absent
        params = growth_params(self, self._criteria, n_rows, values.shape[1])
        params.min_impurity_decrease = float(
            np.ldexp(params.min_impurity_decrease, -target.loss_exponent)
        )
        if target.cost is not None and self.criterion == "gini":
            params.set_cost(target.cost.ravel())
        return params

    def _n_threads(self) -> int:
        return 1 if callable(self.criterion) else super()._n_threads()


class CARTTree(PrunedTree, BinaryTree):
    """One binary tree, grown once."""

    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        params = super()._growth_params(values, target)
        check_choice("splitter", self.splitter, SPLITTERS)
        params.oblique = self.splitter == "oblique"
        if params.oblique:
            if self.max_bins is not None:
                raise ValueError(
                    "max_bins does not work with splitter='oblique': bins say nothing of sums of "
                    "columns. Use max_bins=None."
                )
            params.seed = random_seed(self.random_state)
        return params

    def _goes_on(self) -> bool:
        return check_flag("warm_start", self.warm_start) and "tree_" in vars(self)

    def _stops_early(self) -> bool:
        return check_flag("early_stopping", self.early_stopping)

    def _continuation(self, target: FitTarget, rows: Rows) -> dict[str, Any]:
        start, validation = None, np.zeros(0)
        if self._goes_on():
            if self.missing == "fractional":
                raise ValueError(
                    "warm_start does not work with missing='fractional': leaves do not say which "
                    "shares of a row they hold. Use missing='surrogate' or 'majority'."
                )
            units = (-target.exponent, -target.loss_exponent)
            start = (rescaled_tree(self.tree_, *units) if any(units) else self.tree_)._core
        if self.early_stopping and rows.held_out is not None:
            validation = np.where(rows.held_out, target.weight, 0.0)
        patience = check_integer("n_iter_no_change", self.n_iter_no_change, low=1)
        return {
            "start": start,
            "validation_weight": validation,
            "patience": min(patience, 2**62),
        }

    def _as_member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        learner = super()._as_member(values, schema, target)
        if self._stops_early():
            patience = check_integer("n_iter_no_change", self.n_iter_no_change, low=1)
            learner.patience = min(patience, 2**62)
        return learner
