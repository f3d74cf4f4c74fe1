"""Trains trees of this package as members of an ensemble, in one call of the core.

Members are trained next to each other (`bag`) or one after the other (`boost`), on a table and a
target that are encoded once for all of them. `_foreign_trainer` does the same for estimators of
other packages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._checks import is_integer
from spinney._counts import judge_name
from spinney._settings import feature_count
from spinney._table import Schema
from spinney._table._batches import RowsElsewhere
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._forest import Forest
from spinney.tree._estimator import TreeEstimator
from spinney.tree._learner import ALL_ROWS, Restore, unchanged
from spinney.tree._measures import rescaled_tree, scaled
from spinney.tree._survival_tree import event_times
from spinney.tree._tree import Tree

Finished = Callable[[int], bool]

_MOST_DRAWS, _MOST_TIMES = 10_000_000, 10  # rows of a member: more would take too long to draw
_SHARES = {"bootstrap": 1.0, "subsample": 0.5}


class MemberRecords(NamedTuple):
    """What is known of each member that was trained next to others: one entry a member.

    Parameters
    ----------
    training_error, oob_error : array
        Weighted errors, over all training rows and over the rows that the member did not see.
    oob_weight : array
        The weight of these rows.
    n_iterations, settled : array
        Of growing and pruning in turn: how often, and 1 if the tree had settled.
    """

    training_error: Floats
    oob_error: Floats
    oob_weight: Floats
    n_iterations: Floats
    settled: Floats

    @classmethod
    def of(cls, table: Any) -> "MemberRecords":
        """Return the records from a table with a row for each member."""
        return cls(*np.asarray(table, dtype=np.float64).reshape(-1, len(cls._fields)).T)

    def table(self) -> Floats:
        """Return the records as a table with a row for each member."""
        return np.column_stack(self)


class BoostingRounds(NamedTuple):
    """What happened in each round of boosting: one entry a member that was tried."""

    error: Floats
    vote_weight: Floats
    loss: Floats  # of the ensemble so far
    kept: Floats  # 1 if the member stays
    stopped: Floats  # 1 if training ended there

    @classmethod
    def of(cls, table: Any) -> "BoostingRounds":
        """Return the rounds from a table with a row for each."""
        return cls(*np.asarray(table, dtype=np.float64).reshape(-1, len(cls._fields)).T)


@dataclass(frozen=True)
class Bagged:
    """Members that were trained next to each other.

    `sums` (times 2**-`exponent`) and `n_votes` hold the answers for rows that members did not see,
    `curve` the error of these by the number of members, and `n_to_cover` after how many members
    every row had an answer (0: not yet).
    """

    members: Any
    sums: Floats
    n_votes: NDArray[np.int64]
    curve: Floats
    n_to_cover: int
    records: MemberRecords
    exponent: int = 0
    was_judged: bool = False  # whether records hold errors

    @classmethod
    def nothing(cls) -> "Bagged":
        """Return what there is before the first member."""
        none = np.zeros(0)
        return cls(None, none, np.zeros(0, np.int64), none, 0, MemberRecords.of([]))

    def in_units_of(self, target: FitTarget) -> "Bagged":
        """Return sums and errors for the core to add to; nothing if they are of other rows."""
        if self.n_votes.shape != target.weight.shape:
            return Bagged.nothing()
        sums = np.ldexp(self.sums, self.exponent - target.exponent)
        curve = np.ldexp(self.curve, -target.loss_exponent)
        return replace(self, sums=sums, curve=curve, exponent=target.exponent)

    def after(self, before: "Bagged | None", target: FitTarget) -> "Bagged":
        """Return the same in the user's units, behind the members of an earlier fit."""
        units = target.loss_exponent
        curve, records, members = scaled(self.curve, units), self.records, self.members
        if units:
            with np.errstate(over="ignore"):  # an infinite error is refused where it matters
                records = records._replace(
                    training_error=np.ldexp(records.training_error, units),
                    oob_error=np.ldexp(records.oob_error, units),
                )
        if before is not None:
            members = before.members.joined(members)
            both = zip(before.records, records, strict=True)
            records = MemberRecords(*(np.concatenate(pair) for pair in both))
        return replace(self, members=members, curve=curve, records=records)

    def means(self) -> Floats:
        """Return the mean answers for rows; NaN for a row that every member saw."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return scaled(self.sums / self.n_votes[:, None], self.exponent)


@dataclass(frozen=True)
class Boosted:
    """Members that were trained one after the other, and the weights of the rows at the end."""

    members: Any
    rounds: BoostingRounds
    weights: Floats


@dataclass(frozen=True)
class TreeTrainer:
    """Trains trees of this package."""

    learners: list[TreeEstimator]
    schema: Schema
    targets: list[FitTarget]
    tables: list[_core.Dataset]
    restores: list[Restore]
    settings: list[_core.Learner]
    values: Floats  # the encoded table of the user's columns

    @property
    def target(self) -> FitTarget:
        """The target, with the settings of the first learner."""
        return self.targets[0]

    @property
    def judged(self) -> FitTarget:
        """The target by which members are judged out of bag, and chosen."""
        return judged_by(self.target, self.learners)

    def bag(
        self, plan: _core.EnsemblePlan, n_threads: int, before: Bagged | None, finished: Finished
    ) -> Bagged:
        """Train members next to each other, after those that are there."""
        start = (before or Bagged.nothing()).in_units_of(self.judged)
        known = (start.sums.ravel(), start.n_votes, start.curve, start.n_to_cover)
        if isinstance(self.values, RowsElsewhere):
            trained = self.values.bag(self.target, self._growth(), plan, finished)
        else:
            trained = _core.fit_ensemble(
                self.tables, self._targets(), self.settings, plan, n_threads, *known, finished
            )
        core, sums, n_votes, curve, n_to_cover, records = trained
        answers = (sums, n_votes, curve, n_to_cover)
        facts = (MemberRecords.of(records), self.target.exponent, plan.records)
        forest = self._counted(self._forest(core, plan.first_member), plan, n_threads)
        return Bagged(forest, *answers, *facts).after(before, self.judged)

    def boost(
        self, plan: _core.BoostPlan, n_threads: int, before: Forest | None, finished: Finished
    ) -> Boosted:
        """Train members one after the other; those that are there are judged again."""
        start = None if before is None else self._in_units(before)
        core, rounds, weights = _core.boost(
            self.tables, self._targets(), self.settings, plan, n_threads, start, finished
        )
        return Boosted(self._forest(core, 0), BoostingRounds.of(rounds), weights)

    def _growth(self) -> _core.GrowParams:
        """Return the parameters of growth of the first learner's trees."""
        params = self.learners[0]._learner().growth(self.values, self.schema, self.target)
        params.max_features = self.settings[0].max_features
        return params

    def _targets(self) -> list[_core.Target]:
        return [target.core() for target in self.targets]

    def _forest(self, core: _core.Forest, first: int) -> Forest:
        """Return trees with tests on the user's columns and values in the user's units."""
        forest = Forest(core, self.schema, self.target.classes)
        restores = [self.restores[(first + i) % len(self.restores)] for i in range(len(forest))]
        exponent = self.target.exponent
        if not exponent and all(restore is unchanged for restore in self.restores):
            return forest
        trees = [restore(core.tree(i)) for i, restore in enumerate(restores)]
        if exponent:
            units = (exponent, self.target.loss_exponent)
            trees = [rescaled_tree(Tree(tree, self.schema), *units)._core for tree in trees]
        groups = [core.groups(i) for i in range(len(forest))]
        return Forest(_core.Forest(trees, groups), self.schema, self.target.classes)

    def _counted(self, forest: Forest, plan: _core.EnsemblePlan, n_threads: int) -> Forest:
        """Return trees with the survival curves of their leaves, if they are of lifetimes."""
        target = self.target
        if target.lifetimes is None:
            return forest
        used = np.flatnonzero(target.weight > 0)

        def weights(member: int) -> Floats:
            weight = np.zeros(len(target.weight))
            counts = plan.counts(len(used), member + plan.first_member)
            weight[used] = target.weight[used] * counts
            return weight

        leaves = forest._core.apply(self.values, n_threads)
        each = map(weights, range(len(forest)))
        return forest.with_lifetimes(event_times(target), target.lifetimes, leaves, each)

    def _in_units(self, forest: Forest) -> _core.Forest:
        """Return trees of an earlier fit in the units of this one."""
        if not all(restore is unchanged for restore in self.restores):
            raise ValueError(
                "warm_start does not work with members that cut numeric columns into intervals "
                "beforehand. Use discretize=None, or fit anew."
            )
        return in_units(forest, self.target)


def judged_by(target: FitTarget, learners: list[Any]) -> FitTarget:
    """Return a target with the criterion of all learners; with squared error if they differ."""
    criteria = {judge_name(learner) for learner in learners}
    if target.classes is not None or criteria == {target.criterion}:
        return target
    return replace(target, criterion="squared_error", loss_exponent=2 * target.exponent)


def in_units(forest: Forest, target: FitTarget) -> _core.Forest:
    """Return the trees of a forest in the units of a target."""
    if not target.exponent:
        return forest._core
    units = (-target.exponent, -target.loss_exponent)
    trees = [rescaled_tree(tree, *units)._core for tree in forest]
    return _core.Forest(trees, [[] for _ in trees])


def tree_trainer(
    learners: list[TreeEstimator],
    values: Floats,
    schema: Schema,
    targets: list[FitTarget],
    member_settings: Mapping[str, Any],
) -> TreeTrainer:
    """Return a trainer for some learners, a table and a target.

    Parameters
    ----------
    learners : list of estimators
        Members take them in turn.
    values : array of shape (n_rows, n_features)
        The encoded table.
    schema : Schema
        Its columns.
    targets : list of FitTarget
        One a learner.
    member_settings : mapping
        Settings of members beside the parameters of their learners.

    Returns
    -------
    TreeTrainer
    """
    tables, restores, settings = [], [], []
    for estimator, target in zip(learners, targets, strict=True):
        learner = estimator._learner()
        table, restore = learner.prepare(values, schema, target, ALL_ROWS)
        tables.append(table)
        restores.append(restore)
        settings.append(learner.member(values, schema, target))
        for name, value in member_settings.items():
            setattr(settings[-1], name, value)
    return TreeTrainer(learners, schema, targets, tables, restores, settings, values)


def sampling_plan(ensemble: Any, n_rows: int, n_columns: int, n_members: int) -> _core.EnsemblePlan:
    """Return a plan for the core: what members see of the data.

    Parameters
    ----------
    ensemble : BaggedEnsemble
        Its parameters and seed are used.
    n_rows, n_columns : int
        Rows of positive weight, and columns.
    n_members : int
        Members that there will be.

    Returns
    -------
    spinney._core.EnsemblePlan
    """
    kind, max_samples = ensemble.sampling, ensemble.max_samples
    if kind == "bootstrap" and not ensemble.bootstrap:
        kind = None if max_samples is None else "subsample"
    size = _sample_size(max_samples, n_rows, _SHARES.get(kind, 1.0 / n_members))
    n_parts = 1
    if kind in ("partition", "overlap"):
        least = 1 if kind == "partition" else 2  # all but one of one part would be nothing
        n_parts = min(max(least, round(n_rows / size)), max(n_rows, least))
        if kind == "overlap" and n_rows < 2:
            kind = None
    plan = _core.EnsemblePlan()
    plan.n_members = n_members
    plan.set_sampling(kind or "all", size, n_parts)
    plan.set_targets(ensemble.targets or "none", float(ensemble.flip_rate))
    if ensemble._draws_columns:
        n_drawn = feature_count(ensemble.max_features, n_columns)
        plan.n_features = -(n_drawn or n_columns) if ensemble.bootstrap_features else n_drawn
    plan.seed = ensemble._seed
    return plan


def _sample_size(max_samples: Any, n_rows: int, default_share: float) -> int:
    """Return how many rows a member gets."""
    if max_samples is None:
        return max(1, round(default_share * n_rows))
    rows = max_samples if is_integer(max_samples) else float(max_samples) * n_rows + 1e-9
    most = max(_MOST_DRAWS, _MOST_TIMES * n_rows)
    if rows >= most + 1:
        raise ValueError(
            f"max_samples must be at most {most} rows, got {max_samples!r}: no more than "
            f"{_MOST_TIMES} times the rows are drawn, or {_MOST_DRAWS}."
        )
    return max(1, int(rows))
