"""Numeric columns to intervals, for learners that know categories only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
    if len(values) < 2:
        return np.zeros(0)
    counts = np.zeros((len(values), n_classes))
    np.add.at(counts, (place, codes[used].astype(np.intp)), weight[used])
    below = np.vstack([np.zeros(n_classes), counts.cumsum(axis=0)])
    found = []
    stack = [(0, len(values), True)]  # ranges of values; the first cut is made in any case
    while stack:
        begin, end, forced = stack.pop()
        if end - begin < 2:
            continue
        cut, accepted = _best_cut(below[begin : end + 1] - below[begin])
        if accepted or forced:
            middle = begin + cut
            found.append(middle)
            stack += [(begin, middle, False), (middle, end, False)]
    return _halfway(values, np.sort(np.array(found, dtype=np.intp)))


def _best_cut(below: Floats) -> tuple[int, bool]:
    """Return the cut of least class entropy in a range, and whether it pays for itself."""
    whole = below[-1]
    left, right = below[1:-1], whole - below[1:-1]
    losses = _loss(left) + _loss(right)
    slack = 1e-13 * whole.sum()
    best = int(np.flatnonzero(losses <= losses.min() + slack)[0])  # the lowest of equals
    total = float(whole.sum())
    gain = (float(_loss(whole)) - float(losses[best])) / total
    bits = [np.count_nonzero(p > 0) * _entropy(p) for p in (whole, left[best], right[best])]
    delta = _log2_of_3_to(int(np.count_nonzero(whole > 0))) - (bits[0] - bits[1] - bits[2])
    return best + 1, gain > (np.log2(max(total - 1.0, 1.0)) + delta) / total


def _log2_of_3_to(k: int) -> float:
    """Return log2(3**k - 2) without overflow."""
    return k * float(np.log2(3.0)) + float(np.log2(1.0 - 2.0 * 3.0**-k))


def _loss(counts: Floats) -> Floats:
    """Weight times entropy in bits, over the last axis."""
    return np.asarray(_x_log_x(counts.sum(axis=-1)) - _x_log_x(counts).sum(axis=-1))


def _entropy(counts: Floats) -> float:
    return float(_loss(counts)) / float(counts.sum())


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
