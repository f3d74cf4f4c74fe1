"""Where numeric columns can be cut: segments, and intervals for learners of categories only."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._typing import Floats


def mdl_cuts(x: Floats, codes: NDArray[Any], weight: Floats, n_classes: int) -> Floats:
    """Return the cuts that Fayyad and Irani's criterion accepts, at least one if there can be one.

    Parameters
    ----------
    x : array of shape (n_rows,)
        A column; NaN is missing.
    codes : array of shape (n_rows,)
        The classes, from 0.
    weight : array of shape (n_rows,)
        Rows of weight 0 are as if absent.
    n_classes : int
        How many classes there are.

    Returns
    -------
    array
        Ascending, each halfway between two neighbouring values.

    References
    ----------
    Fayyad and Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI.
    """
    used = (weight > 0) & ~np.isnan(x)
    values, place = np.unique(x[used], return_inverse=True)
    n_values = len(values)
    if n_values < 2:
        return np.zeros(0)
    weights = _RunningWeights(place * n_classes + codes[used], weight[used], n_values, n_classes)
    found = []
    # Ranges of values with the class weights below both ends; the first cut is made in any case.
    stack = [(0, n_values, np.zeros(n_classes), weights.of_classes(len(weights.codes)))]
    while stack:
        begin, end, base, top = stack.pop()
        if end - begin < 2:
            continue
        cut, middle, accepted = _best_cut(weights, begin, end, base, top - base)
        if accepted or end - begin == n_values:
            found.append(cut)
            stack += [(begin, cut, base, middle), (cut, end, middle, top)]
    return _halfway(values, np.sort(np.array(found, dtype=np.intp)))


class _RunningWeights:
    """The weight of every class below every value of a column.

    A table of values by classes would be far larger than the column where there are many of both:
    only the cells of that table in which there are rows are kept, value by value.

    Parameters
    ----------
    cell : array of shape (n_rows,)
        The cell of each row: the number of its value times n_classes, and its class.
    weight : array of shape (n_rows,)
        All above 0.
    n_values, n_classes : int
        The size of the table.

    Attributes
    ----------
    begin : array of shape (n_values + 1,)
        The first cell of each value.
    total : array of shape (n_values + 1,)
        The weight of all cells before it.
    codes : array of shape (n_cells,)
        The classes of the cells.
    before, after : array of shape (n_cells,)
        The weight of a cell's class in the cells before it, and with it.
    """

    def __init__(
        self, cell: NDArray[np.intp], weight: Floats, n_values: int, n_classes: int
    ) -> None:
        if n_values * n_classes <= 8 * len(cell):  # a small table is faster than sorting
            table = np.asarray(np.bincount(cell, weight), dtype=np.float64)
            cells = np.flatnonzero(table)
            weight = table[cells]
        else:
            cells, place = np.unique(cell, return_inverse=True)
            weight = np.asarray(np.bincount(place, weight), dtype=np.float64)
        n, codes = len(cells), cells % n_classes
        self.codes = codes
        self.begin = np.append(0, np.bincount(cells // n_classes, minlength=n_values).cumsum())
        self.total = np.append(0.0, _running_sum(weight))[self.begin]
        order = np.argsort(codes, kind="stable")
        self._first = np.searchsorted(codes[order], np.arange(n_classes + 1))
        self._key = codes[order] * n + order
        running = weight[order]
        for first, end in pairwise(self._first.tolist()):
            running[first:end].cumsum(out=running[first:end])
        self._running = np.append(running, 0.0)  # the last: of a class before its first cell
        previous = np.arange(-1, n - 1)
        previous[self._first[:-1][self._first[:-1] < self._first[1:]]] = n
        self.after, self.before = np.empty((2, n))
        self.after[order] = running
        self.before[order] = self._running[previous]

    def of_classes(self, cell: int) -> Floats:
        """Return the weight of every class in the cells before this one."""
        n, first = len(self.codes), self._first[:-1]
        last = np.searchsorted(self._key, np.arange(len(first)) * n + cell) - 1
        return self._running[np.where(last < first, n, last)]


def _best_cut(
    weights: _RunningWeights, begin: int, end: int, base: Floats, whole: Floats
) -> tuple[int, Floats, bool]:
    """Return the cut of least class entropy in a range of values, and whether it pays for itself.

    Between them the class weights below the cut; base has those below the range, whole its own.
    """
    inner = weights.begin[begin + 1 : end]
    total = float(whole.sum())
    left_total = weights.total[begin + 1 : end] - weights.total[begin]
    losses = _x_log_x(left_total) + _x_log_x(total - left_total)
    cells = slice(weights.begin[begin], weights.begin[end])
    losses -= _sums_of_terms(weights, cells, base, whole)[inner - cells.start]
    slack = 1e-13 * total
    best = int((losses <= losses.min() + slack).argmax())  # the lowest of equals
    middle = weights.of_classes(inner[best])
    left = middle - base
    parts = (whole, left, whole - left)
    loss = [float(_loss(part)) for part in parts]
    gain = (loss[0] - (loss[1] + loss[2])) / total
    kinds = [np.count_nonzero(part > 0) for part in parts]
    bits = [
        k * (lost / float(part.sum())) for k, lost, part in zip(kinds, loss, parts, strict=True)
    ]
    delta = _log2_of_3_to(int(kinds[0])) - (bits[0] - bits[1] - bits[2])
    return begin + 1 + best, middle, gain > (np.log2(max(total - 1.0, 1.0)) + delta) / total


def _sums_of_terms(weights: _RunningWeights, cells: slice, base: Floats, whole: Floats) -> Floats:
    """Return the sum of x log x over all classes on both sides of a cut, before each cell."""
    code = weights.codes[cells]
    rest, shift = whole[code], base[code]
    before, after = weights.before[cells] - shift, weights.after[cells] - shift
    changes = np.empty(2 * len(code) + 1)
    changes[0] = _x_log_x(whole).sum()
    changes[1::2] = _x_log_x(after) + _x_log_x(rest - after)  # a cell moves to the left
    changes[2::2] = -_x_log_x(before) - _x_log_x(rest - before)
    return _running_sum(changes)[::2]


def _running_sum(changes: Floats) -> Floats:
    """Return the sums of the first so many, rounded as if only once.

    What each addition rounds off is added up as well: the order of losses must not depend on it.
    """
    sums = changes.cumsum()
    added = sums[1:] - sums[:-1]
    rounded_off = (sums[:-1] - (sums[1:] - added)) + (changes[1:] - added)
    sums[1:] += rounded_off.cumsum()
    return sums


def _log2_of_3_to(k: int) -> float:
    """Return log2(3**k - 2) without overflow."""
    return k * float(np.log2(3.0)) + float(np.log2(1.0 - 2.0 * 3.0**-k))


def _loss(counts: Floats) -> Floats:
    """Weight times entropy in bits, over the last axis."""
    return np.asarray(_x_log_x(counts.sum(axis=-1)) - _x_log_x(counts).sum(axis=-1))


def _x_log_x(x: Floats) -> Floats:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))


def quantile_cuts(x: Floats, weight: Floats, n_intervals: int) -> Floats:
    """Return cuts between intervals of about equal weight.

    Parameters
    ----------
    x : array of shape (n_rows,)
        A column; NaN is missing.
    weight : array of shape (n_rows,)
        Rows of weight 0 are as if absent.
    n_intervals : int
        How many are wanted; equal values are never parted, so there may be fewer.

    Returns
    -------
    array
        Ascending, each halfway between two neighbouring values.
    """
    used = (weight > 0) & ~np.isnan(x)
    values, place = np.unique(x[used], return_inverse=True)
    if len(values) < 2:
        return np.zeros(0)
    reached = np.bincount(place, weight[used]).cumsum()
    goals = reached[-1] * np.arange(1, n_intervals) / n_intervals
    # The cut follows the value at which the goal is reached, but never the last one.
    cuts = np.searchsorted(reached, goals * (1 - 1e-12)) + 1
    return _halfway(values, np.unique(np.minimum(cuts, len(values) - 1)))


def _halfway(values: Floats, cuts: NDArray[np.intp]) -> Floats:
    """Return for each cut the middle between the values around it, never the upper one."""
    low, high = values[cuts - 1], values[cuts]
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    exact = np.where(np.isfinite(middle), middle, low)
    return np.asarray(np.where((exact >= low) & (exact < high), exact, low))


def interval_codes(x: Floats, cuts: Floats) -> Floats:
    """Return the number of the interval of each value; NaN stays missing."""
    return np.asarray(np.where(np.isnan(x), np.nan, np.searchsorted(cuts, x)), dtype=np.float64)


def segment_borders(x: ArrayLike, y: Any) -> Floats:
    """Return the cut points between segments: the only ones that can be best.

    A segment is a run of neighbouring values with the same shares of the classes. For a strictly
    concave impurity (Gini, entropy, exponent) no cut inside a segment beats its borders.

    Parameters
    ----------
    x : array of shape (n_rows,)
        A numeric column; missing values are left out.
    y : array of shape (n_rows,)
        The classes.

    Returns
    -------
    array
        Cut points, ascending.

    Examples
    --------
    >>> from spinney.tree import segment_borders
    >>> segment_borders([8, 8, 12, 12, 14, 16, 16, 18, 20, 20], list("ABABAAAAAB")).tolist()
    [13.0, 19.0]
    """
    from spinney import _core

    values = np.require(x, np.float64, ["C", "ALIGNED"])
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return _core.segment_borders(values, codes.astype(np.int32), len(classes))
