"""Trains estimators of any package as members of an ensemble, as `_trainer` does in the core.

Learners of other packages get rows of the user's table. A row that counts twice is
there twice; weights go to learners that take them, and for others rows are drawn by weight. Our own
trees, in a list with others, grow from the encoded table.
"""

import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.utils.validation import has_fit_parameter

from spinney import _core
from spinney._base import TableEstimator, refuse_too_many_cells
from spinney._counts import NO_EXPOSURE
from spinney._table import Schema, encode_table
from spinney._table._names import nominal_mask
from spinney._table._open import open_table
from spinney._table._take import as_frame, as_rows, take_rows
from spinney._target import FitTarget, check_weights, class_target, real_target
from spinney._typing import Floats
from spinney.ensemble._base_learners import (
    few_rows_expected,
    new_member,
    schema_by_name,
    with_nominal_columns,
)
from spinney.ensemble._foreign_members import (
    ForeignMembers,
    Member,
    Places,
    TableRows,
    open_rows,
    run_all,
)
from spinney.ensemble._out_of_bag import BagSum, Patience
from spinney.ensemble._routing import FitMetadata, Metadata
from spinney.ensemble._trainer import Bagged, Boosted, BoostingRounds, MemberRecords
from spinney.tree._estimator import is_own_tree

Finished = Callable[[int], bool]
_NO_RECORD = (0.0, 0.0, 0.0, 0.0, 1.0)  # of a member that nobody judged, and that never changed
_BATCH_CELLS = 2**21  # answers held until they are added up in order, as in the core


@dataclass(frozen=True)
class Task:
    """What a member is trained on. Afterwards it answers for the rows left out, or for all.

    `counts` is how often each row was drawn and `weight` its sample weight, None for no weights.
    `truth` holds class codes, or numbers; `labels` the classes, None for numbers.
    """

    learner: Any
    schema: Schema
    labels: NDArray[Any] | None
    truth: NDArray[Any]
    counts: NDArray[np.int64]
    weight: Floats | None
    seed: int
    features: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    left_out: Places = field(default_factory=lambda: np.zeros(0, np.intp))
    groups: tuple[int, ...] = ()
    predicts_all: bool = False
    metadata: FitMetadata | None = None

    @property
    def has_few_rows(self) -> bool:
        """Whether there may be a class for every other row."""
        return self.labels is not None and int(self.counts.sum()) <= 2 * len(self.labels)

    @property
    def columns(self) -> Schema:
        """The columns that the member sees."""
        if not len(self.features):
            return self.schema
        columns = tuple(self.schema.columns[j] for j in self.features.tolist())
        return Schema(columns, self.schema.has_names)

    @property
    def targets(self) -> NDArray[Any]:
        """The target of each row as the member gets it: a label, a group of classes or a number."""
        if self.labels is None:
            return self.truth
        targets: NDArray[Any]
        targets = (np.array(self.groups) if self.groups else self.labels)[self.truth]
        return targets


def train(task: Task, rows: TableRows) -> tuple[Member, Floats]:
    """Train a member, and return it with its answers for the rows left out, or for all."""
    grow = _grow if is_own_tree(task.learner) else _fit
    member = Member(grow(task, rows), task.features, task.groups)
    if not task.predicts_all and not len(task.left_out):
        return member, np.zeros(0)
    judged = rows if task.predicts_all else rows.take(task.left_out)
    return member, member.answers(judged, task.labels)


def _fit(task: Task, rows: TableRows) -> Any:
    """Train a learner on rows of the user's table."""
    places = np.repeat(np.arange(rows.n_rows), task.counts)
    y = task.targets[places]
    is_class = task.labels is not None
    learner = with_nominal_columns(task.learner, task.columns)
    member = new_member(learner, y if is_class else None, task.seed)
    is_stand_in = type(member) is not type(learner)  # where there is one class
    extra = {} if task.metadata is None or is_stand_in else task.metadata.take(places)
    name = weight_name(member)
    if task.weight is not None and name is not None:
        extra[name] = task.weight[places]
    X = take_rows(rows.for_learner(member, task.features), places)
    member.fit(X, y, **extra)
    return member


def _grow(task: Task, rows: TableRows) -> Any:
    """Grow a tree of ours from the encoded table: a row that counts twice weighs twice."""
    member = new_member(task.learner, None, task.seed)
    weight = task.counts * (1.0 if task.weight is None else task.weight)
    values = rows.for_learner(member, task.features)
    target = member._encode_target(task.targets, weight)
    member._fit_encoded(values, task.columns, target)
    return member


def weight_name(learner: Any) -> str | None:
    """Return what a learner's fit calls the weights of rows, None if it takes none.

    Parameters
    ----------
    learner : estimator
        A pipeline passes weights to its last step.

    Returns
    -------
    str or None
    """
    if has_fit_parameter(learner, "sample_weight"):
        return "sample_weight"
    from sklearn.pipeline import Pipeline  # here: it takes long to import

    if not isinstance(learner, Pipeline):
        return None
    if get_config()["enable_metadata_routing"]:
        takes = learner.get_metadata_routing().consumes("fit", ["sample_weight"])
        return "sample_weight" if takes else None
    step, last = learner.steps[-1]
    name = weight_name(last)
    return None if name is None else f"{step}__{name}"


@dataclass(frozen=True)
class ForeignTrainer:
    """Training data and settings for learners of any origin.

    `rows` and `truth` (class codes, or numbers) are of the rows of positive weight, `places` says
    where these are in the table, and `weight` what the user gave for them, None for nothing.
    """

    learners: list[Any]
    schema: Schema
    target: FitTarget
    rows: TableRows
    truth: NDArray[Any]
    places: NDArray[np.intp]
    weight: Floats | None
    unseen: Any
    metadata: Sequence[FitMetadata] = ()  # for each learner; empty if there are none
    _warned: set[str] = field(default_factory=set)  # of which learners a warning was given

    @property
    def judged(self) -> FitTarget:
        """The target by which members are judged out of bag, and chosen."""
        return self.target

    # -- Members next to each other

    def bag(
        self, plan: _core.EnsemblePlan, n_threads: int, before: Bagged | None, finished: Finished
    ) -> Bagged:
        """Train members next to each other, after those that are there."""
        start = (before or Bagged.nothing()).in_units_of(self.target)
        bag = BagSum(self.target, self._whole_truth, start)
        members, records = self._train_batches(plan, n_threads, bag, finished)
        answers = (bag.sums, bag.n_votes, np.array(bag.curve), bag.n_to_cover)
        facts = (MemberRecords.of(records), self.target.exponent, plan.records)
        return Bagged(self._joined(members), *answers, *facts).after(before, self.target)

    def _train_batches(
        self, plan: _core.EnsemblePlan, n_threads: int, bag: BagSum, finished: Finished
    ) -> tuple[list[Member], list[list[float]]]:
        """Train batch by batch: where training ends never depends on the number of threads."""
        members: list[Member] = []
        records: list[list[float]] = []
        patience = Patience(plan, bag.whole_curve())
        size = min(max(_BATCH_CELLS // len(self.target.weight), 8), 64)
        done, enough = plan.first_member, False
        while done < plan.n_members and not enough:
            batch = range(done, min(done + size, plan.n_members))
            tasks = [self._bag_task(plan, number) for number in batch]
            results = []
            work = run_all(train, ((task, self.rows) for task in tasks), n_threads)
            with few_rows_expected(any(task.has_few_rows for task in tasks)), closing(work):
                for result in work:
                    results.append(result)
                    done += 1
                    enough = finished(done) or enough
            for task, (member, answers) in zip(tasks, results, strict=True):
                members.append(member)
                answers = self._in_units(answers)
                records.append(self._record(task, answers) if plan.records else list(_NO_RECORD))
                if not plan.out_of_bag:
                    continue
                answers = answers[task.left_out] if plan.records else answers
                error = bag.add(self.places[task.left_out], answers, member.groups)
                if bag.n_to_cover and patience.is_over(error):
                    return members, records
        return members, records

    def _bag_task(self, plan: _core.EnsemblePlan, number: int) -> Task:
        """Draw what a member sees."""
        n_classes = 0 if self.target.classes is None else len(self.target.classes)
        truth = self.truth
        if n_classes:
            flipped = plan.flipped(self.truth.astype(np.int32), n_classes, number)
            truth = flipped if len(flipped) else truth
        counts, weight, left_out = self._drawn(plan, number)
        return self._task(
            number,
            plan.growth_seed(number),
            truth=truth,
            counts=counts,
            weight=weight,
            features=plan.features(len(self.schema.columns), number),
            groups=tuple(plan.groups(n_classes, number)) if n_classes else (),
            left_out=left_out if plan.out_of_bag or plan.records else left_out[:0],
            predicts_all=plan.records,
        )

    def _drawn(
        self, plan: _core.EnsemblePlan, number: int
    ) -> tuple[NDArray[np.int64], Floats | None, NDArray[np.intp]]:
        """Return how often each row is there, its weight, and the rows that a member leaves out."""
        drawn = plan.counts(self.rows.n_rows, number)
        left_out, counts = np.flatnonzero(drawn == 0.0), drawn.astype(np.int64)
        weight = self.weight
        if (counts != drawn).any():  # wagging: the counts are weights
            weight = drawn if weight is None else drawn * weight
            counts = (drawn > 0.0).astype(np.int64)
        if weight is None or self._takes_weights(number):
            return counts, weight, left_out
        if (weight != weight[0]).any():
            self._warn_no_weights(number)
            counts = _draw_by_weight(counts, weight, plan.growth_seed(number))
        return counts, None, left_out

    def _record(self, task: Task, answers: Floats) -> list[float]:
        """Return a member's error on all rows and on those left out, and the weight of these."""
        weight, truth = self.target.weight[self.places], self.truth
        if self.target.classes is None:
            criterion = self.target.criterion
            units = self._in_units(truth)
            loss = weight * _core.number_costs(criterion, answers, units, NO_EXPOSURE)
        else:
            truth = np.array(task.groups)[truth] if task.groups else truth
            loss = np.where(answers == truth, 0.0, weight)
        out = task.left_out
        return [
            float(loss.sum()),
            float(loss[out].sum()),
            float(weight[out].sum()),
            *_NO_RECORD[3:],
        ]

    # -- Members one after the other

    def boost(
        self,
        plan: _core.BoostPlan,
        n_threads: int,
        before: ForeignMembers | None,
        finished: Finished,
    ) -> Boosted:
        """Train members one after the other; those that are there are judged again."""
        booster = _core.Booster(plan, self.target.weight[self.places])
        earlier = [] if before is None else before.members
        members, rounds = [], []
        for number in range(plan.n_members):
            if number < len(earlier):
                member = earlier[number]
                answers = member.answers(self.rows, self.target.classes)
            else:
                task = self._boost_task(plan, booster.weights, number)
                with few_rows_expected(task.has_few_rows):
                    member, answers = train(task, self.rows)
            rounds.append(booster.add(self._off(answers)))
            keep, stop = rounds[-1][3:]
            members += [member] if keep else []
            if finished(number + 1) or stop:
                break
        weights = np.zeros(len(self.target.weight))
        weights[self.places] = booster.weights
        return Boosted(self._joined(members), BoostingRounds.of(rounds), weights)

    def _boost_task(self, plan: _core.BoostPlan, weights: Floats, number: int) -> Task:
        counts, weight = np.ones(len(weights), np.int64), None
        if not plan.resample and self._takes_weights(number):
            weight = weights * self.target.weight.sum()
        elif plan.resample or (weights != weights[0]).any():
            counts = plan.draw(weights, number).astype(np.int64)
            if not plan.resample:
                self._warn_no_weights(number)
        seeds = _core.EnsemblePlan()
        seeds.seed = plan.seed
        return self._task(
            number,
            seeds.growth_seed(number),
            truth=self.truth,
            counts=counts,
            weight=weight,
            predicts_all=True,
        )

    def _off(self, answers: Floats) -> Floats:
        """Return whether each prediction is wrong, or its absolute error."""
        if self.target.classes is not None:
            return np.where(answers == self.truth, 0.0, 1.0)
        return np.asarray(np.abs(self._in_units(answers) - self._in_units(self.truth)))

    # -- What both use

    def _joined(self, members: list[Member]) -> ForeignMembers:
        return ForeignMembers(members, self.schema, self.target.classes, self.unseen)

    def _in_units(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return numbers in units in which their squares stay in range; class codes unchanged."""
        return np.ldexp(answers, -self.target.exponent) if self.target.exponent else answers

    @cached_property
    def _whole_truth(self) -> NDArray[Any]:
        """Codes, or numbers in these units, of all rows of the table."""
        whole = np.zeros(len(self.target.weight), self.truth.dtype)
        whole[self.places] = self._in_units(self.truth)
        return whole

    def _task(self, number: int, seed: int, **drawn: Any) -> Task:
        """Return what a member is trained on; members take learners in turn."""
        place = number % len(self.learners)
        return Task(
            learner=self.learners[place],
            schema=self.schema,
            labels=self.target.classes,
            seed=seed >> 33,  # some packages know seeds of 32 bits and a sign only
            metadata=self.metadata[place] if self.metadata else None,
            **drawn,
        )

    def _takes_weights(self, number: int) -> bool:
        return weight_name(self.learners[number % len(self.learners)]) is not None

    def _warn_no_weights(self, number: int) -> None:
        """Warn once of a learner that takes no weights."""
        name = type(self.learners[number % len(self.learners)]).__name__
        if name not in self._warned:
            self._warned.add(name)
            warnings.warn(
                f"{name} takes no sample_weight: its rows are drawn by weight instead.",
                UserWarning,
                stacklevel=2,
            )


def foreign_trainer(
    owner: Any,
    learners: list[Any],
    X: Any,
    y: Any,
    sample_weight: Any,
    schema: Schema | None,
    metadata: Metadata = (),
) -> ForeignTrainer:
    """Return a trainer for learners of any package, a table and a target.

    Parameters
    ----------
    owner : estimator
        The ensemble: its kind, `categorical_features` and `unseen`.
    learners : list of estimators
        Members take them in turn.
    X : table of shape (n_rows, n_features)
        What they learn from.
    y : array of shape (n_rows,)
        The target.
    sample_weight : array of shape (n_rows,) or None
        Weights of the rows.
    schema : Schema or None
        The columns of the fit that a warm start continues.
    metadata : sequence of mappings, default=()
        What else the methods of each learner get.

    Returns
    -------
    ForeignTrainer
    """
    trees = [learner for learner in learners if is_own_tree(learner)]
    name = type(owner).__name__
    n_rows = open_table(X, name).shape[0]
    counted = any(tree._learner().counts_weight for tree in trees)
    weight = check_weights(sample_weight, n_rows, counted=counted)
    if is_classifier(owner):
        target = class_target(y, weight, estimator_name=name)
        truth = target.truth
    else:
        target = real_target(y, weight, estimator_name=name)
        truth = np.ldexp(target.truth, target.exponent)
    used = target.weight > 0
    schema, rows = _opened(owner, learners, X, used, schema)
    places = np.flatnonzero(used)
    given = None if sample_weight is None else target.weight[places]
    if not used.all():
        rows = rows.take(places)
    routed = [FitMetadata(one.get("fit", {}), n_rows, places) for one in metadata]
    return ForeignTrainer(
        learners, schema, target, rows, truth[places], places, given, owner.unseen, routed
    )


def _opened(
    owner: Any, learners: list[Any], X: Any, used: NDArray[np.bool_], schema: Schema | None
) -> tuple[Schema, TableRows]:
    """Return the columns of a table: with their kinds if a learner is ours, else by name only."""
    name = type(owner).__name__
    encoded = any(is_own_tree(learner) for learner in learners)
    if schema is not None:
        return schema, open_rows(schema, X, encoded=encoded, unseen=owner.unseen, owner=name)
    kinds = owner.categorical_features
    values = None
    if any(isinstance(learner, TableEstimator) for learner in learners):
        refuse_too_many_cells(X)
        rows = None if used.all() else used
        options = {"categorical_features": kinds, "used_rows": rows, "estimator_name": name}
        values, schema = encode_table(X, **options)
    else:
        table = open_table(X, name)
        nominal_mask(kinds, table)  # learners of others decide themselves, but names must be right
        schema = schema_by_name(table)
    return schema, TableRows(as_frame(as_rows(X)), values if encoded else None, len(used))


def _draw_by_weight(counts: NDArray[np.int64], weight: Floats, seed: int) -> NDArray[np.int64]:
    """Draw as many rows as there are, with chances in proportion to their weights."""
    plan = _core.BoostPlan()
    plan.seed = seed
    there = np.flatnonzero(counts)
    # The core draws as many as it has weights; a row of weight 0 is never drawn.
    padded = np.zeros(int(counts.sum()))
    padded[len(padded) - len(there) :] = (counts * weight)[there]
    drawn = np.zeros_like(counts)
    drawn[there] = plan.draw(padded, 0)[len(padded) - len(there) :].astype(np.int64)
    return drawn
