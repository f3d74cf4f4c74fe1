"""Trees from partitions: the core's planner asks, tasks answer, and their answers are added up."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed
from numpy.typing import NDArray

from spinney import _core
from spinney._growth_planner import Plan, PlannedRows, Round, Truth
from spinney._table import Column, EncodedTable, Schema
from spinney._typing import Floats
from spinney.dask import _blocks, _borders
from spinney.dask._tasks import Runner, reduce
from spinney.tree._tree import Tree


def _call(function: Callable[..., Any], *arguments: Any) -> Delayed:
    return dask.delayed(function, pure=False)(*arguments)


class RemoteRows(PlannedRows):
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

    together = 8

    def __init__(
        self, run: Runner, blocks: list[Delayed], sizes: Sequence[int], schema: Schema
    ) -> None:
        super().__init__(schema, sum(sizes))
        self._run, self._blocks = run, blocks
        self._ends = np.cumsum([0, *sizes])
        self._binned: tuple[int, NDArray[np.bool_]] | None = None
        self._in_bins: list[Delayed] = []
        self._borders: _borders.BorderArrays = ()
        self._sent_borders: Delayed

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
        return [by_row[begin:end] for begin, end in pairwise(self._ends)]

    # -- What planners ask

    def put_in_bins(self, used: NDArray[np.bool_], max_bins: int) -> _borders.BorderArrays:
        """Put all partitions into bins of the used rows."""
        if self._binned is not None:
            known, rows = self._binned
            if known == max_bins and np.array_equal(rows, used):
                return self._borders
        self._borders = self._find_borders(used, max_bins)
        (self._sent_borders,) = self._run.keep([dask.delayed(self._borders)])
        self._in_bins = self._run.keep(
            [_call(_blocks.with_codes, b, self._sent_borders) for b in self._blocks]
        )
        self._binned = (max_bins, used)
        return self._borders

    def _find_borders(self, used: NDArray[np.bool_], max_bins: int) -> _borders.BorderArrays:
        """Find bins by what partitions count; few values are sent."""
        parts = list(zip(self._blocks, self._cut(used), strict=True))
        n_rows = int(np.count_nonzero(used))
        samples = self._run.compute([_call(_blocks.sampled, b, own, n_rows) for b, own in parts])
        splitters = _borders.splitters_of(samples, self._schema, n_rows)
        sent = dask.delayed(splitters)
        dealt = self._run.keep([_call(_blocks.dealt, b, own, sent) for b, own in parts])
        counted = reduce([_call(_borders.counts_of, d) for d in dealt], _borders.add_counts)
        (counts,) = self._run.compute([counted])
        columns = _borders.columns_of(splitters, counts, max_bins)
        while sum(map(len, wanted := [column.wanted() for column in columns])):
            both = zip(self._blocks, dealt, strict=True)
            found = self._run.compute([_call(_blocks.taken, b, d, wanted) for b, d in both])
            for column, buckets, *values in zip(columns, wanted, *found, strict=True):
                if len(buckets):
                    column.tell(buckets, np.sort(np.concatenate(values)))
        return _borders.borders_of(columns, self._schema)

    def begin(self, truth: Truth, trees: list[tuple[_core.Moments, Plan]]) -> Round:
        """Put the rows of every partition into the roots of trees."""
        times = truth.exposure
        exposures = self._cut(times) if len(times) else [times] * len(self._blocks)
        parts = zip(self._cut(truth.truth), exposures, self._ends[:-1], strict=True)
        truths = self._run.keep(
            [_call(_blocks.Truth, own, time, int(first)) for own, time, first in parts]
        )
        cut = [(moments, *self._cut_plan(plan)) for moments, plan in trees]
        steps = []
        for i, block in enumerate(self._in_bins):
            own = [(moments, weights[i], counts[i]) for moments, weights, counts in cut]
            steps.append(_call(_blocks.begin, block, truths[i], self._sent_borders, own))
        return self._round(steps, truths)

    def _cut_plan(self, plan: Plan) -> tuple[list[Any], list[Any]]:
        """Return what partitions have of the weights and counts of a plan."""
        n, weight, counts = len(self._blocks), plan.weight, plan.counts
        return (
            [weight] * n if len(weight) == 1 else self._cut(weight),
            [None] * n if counts is None else self._cut(counts),
        )

    def _round(self, steps: list[Delayed], truths: list[Delayed]) -> Round:
        """Have partitions answer; where their rows are then stays with them."""
        total = reduce([_call(_blocks.answers_of, step) for step in steps], _blocks.add)
        *kept, total = self._run.keep([*steps, total])
        return Round(self._run.result(total), lambda requests: self._ask(requests, kept, truths))

    def _ask(
        self, requests: list[bytes | None], kept: list[Delayed], truths: list[Delayed]
    ) -> Round:
        moves = any(_core.moves_rows(one) for one in requests if one is not None)
        parts = zip(self._in_bins, truths, kept, strict=True)
        known = [(block, truth, self._sent_borders, step) for block, truth, step in parts]
        if moves:
            return self._round([_call(_blocks.go_on, *own, requests) for own in known], truths)
        answers = [_call(_blocks.count, *own, requests) for own in known]
        (total,) = self._run.keep([reduce(answers, _blocks.add)])
        return Round(self._run.result(total), lambda more: self._ask(more, kept, truths))

    def leaves(self, tree: Tree) -> NDArray[np.int32]:
        """Return the leaf of each row."""
        return self._ask_all(_blocks.leaves_of, tree)

    def judged(self, tree: Tree) -> Floats:
        """Return what a tree answers for each row: class codes or numbers."""
        return self._ask_all(_blocks.judged, tree)

    def _ask_all(self, function: Callable[..., Any], tree: Tree) -> NDArray[Any]:
        sent = dask.delayed(tree)
        return np.concatenate(self._run.compute([_call(function, b, sent) for b in self._blocks]))


class RemoteTable(EncodedTable):
    """A table that was encoded by tasks."""

    def of_rows(self, used: NDArray[np.bool_]) -> EncodedTable:
        """Return the table without the categories that only other rows hold."""
        return RemoteTable(*self.values.of_rows(used))
