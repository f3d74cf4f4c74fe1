"""What small forests do: grow a pool, choose few of its trees, and fit their leaves to it."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._checks import Integer, Number, Such, optional
from spinney._settings import feature_count, random_seed, thread_count
from spinney._state._kinds import SEED, Kind, need, one
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._ensemble import BaseEnsemble, Finished
from spinney.ensemble._forest import Forest
from spinney.ensemble._small_pool import KINDS, Pool, grow_pool, is_kinds, learner_of
from spinney.ensemble._small_report import SmallForestReport
from spinney.ensemble._trainer import TreeTrainer, in_units
from spinney.tree._measures import rescaled_tree, scaled
from spinney.tree._shrinkage import candidates
from spinney.tree._tree import Tree

_TAKE_ALL = -1.0
_USUAL = ("forest", "extra")
_PLANNED = ("reach", "prior_rows", "n_sweeps", "n_staying", "halvings", "doubt")
PARAMETERS = {
    "pool": Integer(1),
    "members": optional(
        Such(f"a list of different kinds of trees out of {', '.join(map(repr, KINDS))}", is_kinds)
    ),
    "stop": optional(Number(0.0)),
}


@dataclass(frozen=True)
class Imitation:
    """How few trees are fitted to many; the constants of decisions 0090 and 0145.

    Parameters
    ----------
    times, least_drawn, most_drawn : int
        Rows to draw near each row of fit, and bounds of their number.
    reach : int
        How many places a row is at most from the one that it is mixed with, in the leaves of a
        tree.
    prior_rows : float
        Rows that hold a leaf back where it was.
    n_sweeps : int
        How often all leaves are fitted.
    n_staying : int
        The first so many kinds of trees may stay, the others teach only.
    halvings : int
        A drawn row has a column of the other row with a chance of a half to this power.
    doubt : float
        A row weighs as the inverse of this and of how unsure the pool is of its class, as Gini
        impurity; 0 weighs all rows alike.
    """

    times: int = 8
    least_drawn: int = 2500
    most_drawn: int = 16000
    reach: int = 2
    prior_rows: float = 5.0
    n_sweeps: int = 2
    n_staying: int = 1
    halvings: int = 2
    doubt: float = 0.0

    def plan(self, n_rows: int) -> _core.SmallPlan:
        """Return the settings for the core, and a number of rows."""
        plan = _core.SmallPlan()
        plan.n_drawn = min(max(self.times * n_rows, self.least_drawn), self.most_drawn)
        for name in _PLANNED:
            setattr(plan, name, getattr(self, name))
        return plan


class SmallForest(BaseEnsemble):
    """Base class of small forests."""

    combine = "average"
    _imitation = Imitation()
    _by_column = True
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_seed": SEED,
        "selection_report_": one(SmallForestReport),
    }

    def _check_state(self) -> None:
        super()._check_state()
        fits = len(self.selection_report_.selected) == len(self._members)
        need(fits, self, "the report tells of other trees")

    def _check_combinations(self) -> None:
        if int(self.pool) < int(self.n_estimators):
            raise ValueError(
                f"pool={self.pool!r} has fewer trees than n_estimators={self.n_estimators!r}, "
                "which are chosen from it. Use a larger pool, or fewer trees."
            )

    def _n_members(self) -> int:
        return int(self.pool)

    def _train(self, trainer: TreeTrainer, finished: Finished) -> None:
        self._seed = random_seed(self.random_state)
        n_rows = int((trainer.target.weight > 0).sum())
        plan = _core.EnsemblePlan()
        plan.n_members = int(self.pool)
        plan.set_sampling("bootstrap", n_rows, 1)
        plan.set_targets("none", 0.0)
        plan.seed = self._seed
        n_columns, members = len(trainer.schema.columns), self._kinds()
        for kind, settings in zip(members, trainer.settings, strict=True):
            if kind == "extra":
                columns = self._columns_of_random_cuts()
                settings.max_features = feature_count(columns, n_columns)
        pool = grow_pool(trainer, members, plan, thread_count(self.n_jobs), finished)
        chosen, report = self._choose(trainer, pool, n_rows)
        if math.isnan(report.pool_loss):
            warnings.warn(
                f"no row of {n_rows} was left out by trees of every kind, so nothing judged how "
                "to shrink and mix them. Use more rows, or a larger pool.",
                UserWarning,
                stacklevel=3,
            )
        self._keep_members(trainer, chosen)
        by_name = dict(zip(members, trainer.learners, strict=True))
        own = [by_name[report.members[kind]] for kind in report.kinds.tolist()]
        self._learner_runs = [(0, own)]
        self.selection_report_ = report

    @property
    def selected_(self) -> NDArray[np.int64]:
        """The members that vote, as places in `estimators_`: all of them."""
        check_is_fitted(self)
        return self._voters()

    def _choose(
        self, trainer: TreeTrainer, pool: Pool, n_rows: int
    ) -> tuple[Forest, SmallForestReport]:
        """Return the chosen trees of a pool, refitted, and a report."""
        target = trainer.target
        how = self._imitation.plan(n_rows)
        how.n_trees, how.seed = int(self.n_estimators), self._seed
        how.set_order(self.order)
        how.stop = _TAKE_ALL if self.stop is None else float(self.stop)
        core, selected, *told = _core.small_forest(
            in_units(pool.trees, target),
            pool.kinds.tolist(),
            trainer.values,
            target.core(),
            pool.plan,
            candidates(target),
            how,
            thread_count(self.n_jobs),
        )
        counts = np.bincount(pool.kinds).astype(np.int64)
        report = SmallForestReport(pool.members, counts, selected, pool.kinds[selected], *told)
        if target.exponent:
            units = 2 * target.exponent
            own = [Tree(core.tree(i), trainer.schema) for i in range(core.n_members)]
            core = _core.Forest(
                [rescaled_tree(tree, target.exponent, target.loss_exponent)._core for tree in own]
            )
            report = replace(
                report,
                distances=scaled(report.distances, units),
                kind_losses=scaled(report.kind_losses, units),
                pool_loss=float(scaled(np.array(report.pool_loss), units)),
                refitted=scaled(report.refitted, units),
            )
        return Forest(core, trainer.schema, target.classes), report

    def _member_settings(self, n_columns: int) -> dict[str, Any]:
        settings = super()._member_settings(n_columns)
        return settings | {"max_features": feature_count(self.max_features, n_columns)}

    def _columns_of_random_cuts(self) -> Any:
        """Return how many features a node draws in trees with random cuts."""
        return self.max_features

    def _make_learners(self) -> list[Any]:
        classes = isinstance(self, ClassifierEnsemble)
        return [learner_of(self, kind, classes=classes) for kind in self._kinds()]

    def _kinds(self) -> tuple[str, ...]:
        """Return the kinds of trees in the pool."""
        return _USUAL if self.members is None else tuple(self.members)
