"""Trees from partitions: the core's planner asks, tasks answer, and their answers are added up."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._elsewhere import RowsElsewhere
from spinney._table import Column, EncodedTable, Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.dask import _blocks
from spinney.dask._tasks import Runner, reduce
from spinney.tree._learner import RowSplit
from spinney.tree._tree import Tree

SMALL = 2048  # rows up to which the core searches exactly
_TOGETHER = 8  # trees that are grown at a time


def _call(function: Callable[..., Any], *arguments: Any) -> Delayed:
    return dask.delayed(function, pure=False)(*arguments)


class RemoteRows(RowsElsewhere):
    """The encoded rows of partitions, kept by workers.

    Parameters
    ----------
    run : Runner
        That computes tasks.
    blocks : list of Delayed
        The partitions.
    sizes : list of int
        Their rows.
    schema : Schema
        The columns of all.
    """

    def __init__(
        self, run: Runner, blocks: list[Delayed], sizes: Sequence[int], schema: Schema
    ) -> None:
        self._run, self._blocks, self._schema = run, blocks, schema
        self._ends = np.cumsum([0, *sizes])
        self.shape = (int(self._ends[-1]), len(schema.columns))
        self._binned: tuple[int, NDArray[np.bool_], list[Delayed], Any] | None = None

    def __len__(self) -> int:
        return self.shape[0]

    def gather(self) -> Floats:
        """Return all rows."""
        return np.concatenate(
            self._run.compute([_call(_blocks.values_of, b) for b in self._blocks])
        )

    def of_rows(self, used: NDArray[np.bool_]) -> tuple["RemoteRows", Schema]:
        """Return the rows without the categories that only other rows hold."""
        parts = self._run.compute(
            [
                _call(_blocks.seen, b, own)
                for b, own in zip(self._blocks, self._cut(used), strict=True)
            ]
        )
        columns, places = [], []
        for column, *found in zip(self._schema.columns, *parts, strict=True):
            seen = np.logical_or.reduce(found)
            kept = [
                label for label, is_seen in zip(column.categories, seen, strict=True) if is_seen
            ]
            columns.append(Column(column.name, column.kind, tuple(kept)))
            places.append(np.where(seen, np.cumsum(seen) - 1.0, np.nan))
        schema = Schema(tuple(columns), self._schema.has_names)
        blocks = self._run.keep([_call(_blocks.finish, b, schema, places) for b in self._blocks])
        return RemoteRows(self._run, blocks, np.diff(self._ends).tolist(), schema), schema

    def _cut(self, by_row: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the parts of an array that partitions have."""
        return [
            by_row[begin:end] for begin, end in zip(self._ends[:-1], self._ends[1:], strict=True)
        ]

    def _bins(self, used: NDArray[np.bool_], max_bins: int) -> tuple[list[Delayed], Any]:
        """Return the partitions in bins of the used rows, and the borders of these."""
        if self._binned is not None:
            known, rows, blocks, borders = self._binned
            if known == max_bins and np.array_equal(rows, used):
                return blocks, borders
        parts = zip(self._blocks, self._cut(used), strict=True)
        found = reduce([_call(_blocks.distinct, b, own) for b, own in parts], _blocks.join_distinct)
        made = _call(_blocks.borders_of, found, self._schema, max_bins)
        (borders,) = self._run.compute([made])
        blocks = self._run.keep([_call(_blocks.with_codes, b, borders) for b in self._blocks])
        self._binned = (max_bins, used, blocks, borders)
        return blocks, borders

    # -- What estimators ask

    def grow(
        self, target: FitTarget, rows: RowSplit, params: _core.GrowParams
    ) -> tuple[_core.Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""
        plans = [Plan(None, [], params.seed)]
        plans += [Plan(train.astype(np.uint8), [], params.seed) for train, _ in rows.folds]
        whole, *others = self._grow(target, params, plans, None)
        if not rows.folds:
            return whole, None
        leaves = []
        for tree in others:
            sent = dask.delayed(Tree(tree, self._schema, target.classes))
            parts = self._run.compute([_call(_blocks.leaves_of, b, sent) for b in self._blocks])
            leaves.append(np.concatenate(parts))
        grown, tested = zip(*rows.folds, strict=True)
        curve = _core.judge_folds(target.core(), whole, others, leaves, list(grown), list(tested))
        return whole, curve

    def bag(
        self,
        target: FitTarget,
        params: _core.GrowParams,
        plan: _core.EnsemblePlan,
        finished: Callable[[int], bool],
    ) -> tuple[Any, ...]:
        """Train the members of a plan; returns what `_core.fit_ensemble` does."""
        used = target.weight > 0
        core_target, trees = target.core(), []
        bag = _core.Bag(core_target, params)
        shift = _common_part(target.y[used]) if target.y is not None else None
        n_members = int(plan.n_members)
        for first in range(0, n_members, _TOGETHER):
            plans = []
            for member in range(first, min(first + _TOGETHER, n_members)):
                counts = np.zeros(len(used))
                counts[used] = plan.counts(int(used.sum()), member)
                _refuse_small(int(np.count_nonzero(counts)))
                features = np.unique(plan.features(self.shape[1], member)).tolist()
                plans.append(Plan(_narrow(counts), features, plan.growth_seed(member)))
            grown = self._grow(target, params, plans, shift)
            for tree, own in zip(grown, plans, strict=True):
                trees.append(tree)
                if plan.out_of_bag:
                    bag.add(self._answers(tree, target, used & (own.counts == 0)))
                finished(len(trees))
        records = np.tile([0.0, 0.0, 0.0, 0.0, 1.0], (len(trees), 1))
        return (_core.Forest(trees), *bag.finish(), records)

    def _answers(self, tree: _core.Tree, target: FitTarget, rows: NDArray[np.bool_]) -> Floats:
        """Return what a tree answers for some rows; NaN for the others."""
        sent = dask.delayed(Tree(tree, self._schema, target.classes))
        parts = self._run.compute([_call(_blocks.judged, b, sent) for b in self._blocks])
        return np.where(rows, np.concatenate(parts), np.nan)

    # -- Growth

    def _grow(
        self,
        target: FitTarget,
        params: _core.GrowParams,
        plans: Sequence["Plan"],
        shift: float | None,
    ) -> list[_core.Tree]:
        """Grow trees side by side: one round of tasks answers what all their planners ask."""
        blocks, borders = self._bins(target.weight > 0, int(params.max_bins))
        n_classes = 0 if target.classes is None else len(target.classes)
        truth = np.ascontiguousarray(
            np.maximum(target.truth, 0) if n_classes else target.truth, float
        )
        moments = []
        for plan in plans:
            weight = target.weight if plan.counts is None else target.weight * plan.counts
            known = (n_classes, params, truth, weight, target.exposure)
            moments.append(_core.Moments(*known, shift))
        truths = self._truths(truth, target.exposure)
        weights = self._cut(target.weight)
        counts = [None if plan.counts is None else self._cut(plan.counts) for plan in plans]
        steps = []
        for i, block in enumerate(blocks):
            own = [
                (moment, None if count is None else count[i])
                for moment, count in zip(moments, counts, strict=True)
            ]
            steps.append(_call(_blocks.begin, block, truths[i], borders, weights[i], own))
        steps, answers = self._round(steps)
        columns = core_dataset(np.empty((1, self.shape[1])), self._schema)
        nobody = _core.Target(
            n_classes,
            *(np.zeros(0), np.zeros(0)),
            *(target.class_scale, target.split_scale, target.cost.ravel(), np.zeros(0)),
        )
        bins = _core.BinBorders(*borders)
        planners = [
            _core.Planner(columns, nobody, params, plan.features, plan.seed, bins, moment, answer)
            for plan, moment, answer in zip(plans, moments, answers, strict=True)
        ]
        while any(requests := [planner.request() for planner in planners]):
            steps = [
                _call(_blocks.go_on, block, truths[i], borders, step, requests)
                for i, (block, step) in enumerate(zip(blocks, steps, strict=True))
            ]
            steps, answers = self._round(steps)
            for planner, request, answer in zip(planners, requests, answers, strict=True):
                if request is not None:
                    planner.receive(answer)
        return [planner.finish() for planner in planners]

    def _truths(self, truth: Floats, exposure: Floats) -> list[Delayed]:
        exposures = self._cut(exposure) if len(exposure) else [exposure] * len(self._blocks)
        parts = zip(self._cut(truth), exposures, self._ends[:-1], strict=True)
        return self._run.keep(
            [_call(_blocks.Truth, own, time, int(first)) for own, time, first in parts]
        )

    def _round(self, steps: list[Delayed]) -> tuple[list[Delayed], list[bytes]]:
        """Have partitions answer; return where their rows are now, and the sums."""
        total = reduce([_call(_blocks.answers_of, step) for step in steps], _blocks.add)
        *kept, total = self._run.keep([*steps, total])
        (answers,) = self._run.compute([total])
        return kept, answers


class Plan(NamedTuple):
    """What one tree is grown from."""

    counts: Any  # of the rows; None: once each
    features: list[int]  # that it asks; empty: all
    seed: int


class RemoteTable(EncodedTable):
    """A table that was encoded by tasks."""

    def of_rows(self, used: NDArray[np.bool_]) -> EncodedTable:
        """Return the table without the categories that only other rows hold."""
        return RemoteTable(*self.values.of_rows(used))


def _narrow(counts: Floats) -> NDArray[Any]:
    """Return counts in a byte each, if they fit."""
    small = counts.astype(np.uint8)
    return small if np.array_equal(small, counts) else counts


def _common_part(y: Floats) -> float:
    """Return what numbers within a factor of two of each other have in common, as the core does."""
    low, high = float(y.min()), float(y.max())
    if low > 0.0 and high <= 2.0 * low:
        return low
    return high if high < 0.0 and low >= 2.0 * high else 0.0


def _refuse_small(n_rows: int) -> None:
    if n_rows <= SMALL:
        raise ValueError(
            f"a member sees {n_rows} rows, and Dask grows members of more than {SMALL}. Use a "
            "larger max_samples, or fit the estimator of spinney itself on a sample of the rows."
        )
