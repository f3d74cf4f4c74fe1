"""Bins of all rows, to the bit those of the core, from what partitions tell of their own.

Values are not sorted, and few of them are sent. Partitions deal theirs into buckets between
splitters that all of them have, taken from a sample, and count; the counts together tell which
buckets a bin ends in, and only the values of these are sent. Which splitters were taken changes no
border.

Buckets of a column with splitters s[0] < s[1] < ...: number 2 j holds the values between s[j - 1]
and s[j], number 2 j + 1 those equal to s[j].
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._table import Schema
from spinney._typing import Floats

BorderArrays = tuple[NDArray[Any], ...]  # of `_core.BinBorders`
_SAMPLED = 1 << 15  # rows of all partitions: two for each of the most splitters that the core takes
_ROWS_A_BUCKET = 256  # at least: more splitters would be more bytes than they save


class Dealt(NamedTuple):
    """The rows of a partition in buckets."""

    buckets: NDArray[np.uint16]  # by column and row
    counts: NDArray[np.int64]  # by bucket, column after column


# -- Tasks: what a partition does


def sample(values: Floats, used: NDArray[np.bool_], n_rows: int) -> Floats:
    """Return some of the used rows, about as many as the partition's share of all."""
    own = np.flatnonzero(used)
    share = min(len(own), -(-_SAMPLED * len(own) // n_rows))
    drawn = np.random.default_rng(0).integers(0, max(1, len(own)), share)
    chosen: Floats = values[np.sort(own[drawn])]
    return chosen


def deal(values: Floats, schema: Schema, used: NDArray[np.bool_], splitters: list[Floats]) -> Dealt:
    """Put the used rows of a partition into buckets."""
    return Dealt(*_core.deal_rows(core_dataset(values, schema), used, splitters))


def counts_of(dealt: Dealt) -> NDArray[np.int64]:
    """Return how many values are in each bucket."""
    return dealt.counts


def add_counts(*parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up the counts of several partitions."""
    total: NDArray[np.int64] = np.sum(parts, axis=0)
    return total


def take(
    values: Floats, schema: Schema, dealt: Dealt, wanted: list[NDArray[np.int64]]
) -> list[Floats]:
    """Return the values of a partition in the wanted buckets of each column, ascending."""
    buckets = [own.astype(np.uint16) for own in wanted]
    taken: list[Floats] = _core.take_dealt(core_dataset(values, schema), dealt.buckets, buckets)
    return taken


# -- The client: what it asks, and what it makes of the answers


def splitters_of(samples: Sequence[Floats], schema: Schema, n_rows: int) -> list[Floats]:
    """Return the splitters of numeric columns, from samples of the partitions."""
    sampled = np.concatenate([part for part in samples if len(part)])
    most = min(_core.MOST_SPLITTERS, n_rows // _ROWS_A_BUCKET + 1)
    step = max(2, -(-len(sampled) // most))
    out = []
    for j, column in enumerate(schema.columns):
        own = np.sort(sampled[:, j][~np.isnan(sampled[:, j])] + 0.0)
        nominal = column.kind == "nominal"
        out.append(np.zeros(0) if nominal else np.unique(own[step // 2 :: step]))
    return out


class ColumnBins:
    """The bins of one column, as far as they are known.

    Parameters
    ----------
    splitters : array
        Ascending.
    counts : array
        Of the values of all rows, by bucket.
    max_bins : int
        How many bins there may be.
    """

    def __init__(self, splitters: Floats, counts: NDArray[np.int64], max_bins: int) -> None:
        self._splitters, self._max_bins = splitters, max_bins
        self._ends = np.cumsum(counts)
        self._begins = self._ends - counts
        self._counts = counts
        self._known: dict[int, Floats] = {}  # values by bucket, sorted
        self.low: list[float] = []
        self.high: list[float] = []

    def tell(self, buckets: NDArray[np.int64], values: Floats) -> None:
        """Take the sorted values of some buckets, which ascend."""
        ends = np.cumsum(self._counts[buckets])
        self._known.update(zip(buckets.tolist(), np.split(values, ends[:-1]), strict=True))

    def wanted(self) -> NDArray[np.int64]:
        """Return the buckets to be told next; when there are none, `low` and `high` are right."""
        filled = np.flatnonzero(self._counts)
        if len(filled) <= self._max_bins:  # perhaps each value has a bin of its own
            unknown = self._unknown(filled)
            if len(unknown):
                return unknown
            parts = [self._values_of(b) for b in filled.tolist()]
            values = np.unique(np.concatenate([np.zeros(0), *parts]))
            if len(values) <= self._max_bins:
                self.low = self.high = values.tolist()
                return unknown
        return self._walk()

    def _unknown(self, buckets: NDArray[np.int64]) -> NDArray[np.int64]:
        between = buckets[buckets % 2 == 0]
        return np.array([b for b in between.tolist() if b not in self._known], np.int64)

    def _values_of(self, bucket: int) -> Floats:
        own = self._splitters[bucket // 2 : bucket // 2 + 1]
        return own if bucket % 2 == 1 else self._known[bucket]

    def _walk(self) -> NDArray[np.int64]:
        """Go from bin to bin: as `find_borders` of the core, a bin ends with its share.

        The walk goes on from a bucket that is not known as if no value in it came twice.
        """
        n_values, begin = int(self._ends[-1]), 0
        self.low, self.high, missing = [], [], set()
        for n_left in range(self._max_bins, 0, -1):
            if begin == n_values:
                break
            last = begin + -(-(n_values - begin) // n_left) - 1  # a place among all values
            for place, to in ((begin, self.low), (last, self.high)):
                bucket = int(np.searchsorted(self._ends, place, side="right"))
                value, begin = self._run(bucket, place)
                to.append(value)
                if np.isnan(value):
                    missing.add(bucket)
        return np.array(sorted(missing), np.int64)

    def _run(self, bucket: int, place: int) -> tuple[float, int]:
        """Return the value at a place and the place after the last equal one."""
        if bucket % 2 == 1:
            return float(self._splitters[bucket // 2]), int(self._ends[bucket])
        values = self._known.get(bucket)
        if values is None:
            return np.nan, place + 1
        first = int(self._begins[bucket])
        value = values[place - first]
        return float(value), first + int(np.searchsorted(values, value, side="right"))


def columns_of(
    splitters: Sequence[Floats], counts: NDArray[np.int64], max_bins: int
) -> list[ColumnBins]:
    """Return all columns, of which only counts are known."""
    ends = np.cumsum([2 * len(own) + 1 for own in splitters])
    parts = np.split(counts, ends[:-1])
    return [ColumnBins(own, part, max_bins) for own, part in zip(splitters, parts, strict=True)]


def borders_of(columns: Sequence[ColumnBins], schema: Schema) -> BorderArrays:
    """Return the bins of all columns, as arrays."""
    nominal = np.array([column.kind == "nominal" for column in schema.columns], np.uint8)
    sizes = [
        len(column.categories) if column.kind == "nominal" else len(bins.low)
        for column, bins in zip(schema.columns, columns, strict=True)
    ]
    low = np.array([value for bins in columns for value in bins.low], np.float64)
    high = np.array([value for bins in columns for value in bins.high], np.float64)
    return nominal, np.array(sizes, np.uint32), low, high
