"""Every possible split of a group of rows, with its gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from .criteria import gain, impurity_scale, rate, weighted_mean, weighted_quantile
from .settings import TOLERANCE, Array, Settings
from .structure import Test

GAP = 10**6  # the code of a gap, where that is a category
MAX_SUBSET_CATEGORIES = 12  # up to here a search must be as good as trying every subset


@dataclass(frozen=True)
class Split:
    """A test with its gain and the rows on each side, the missing ones left out."""

    test: Test
    gain: float
    n_left: int
    n_right: int
    least_weight: float  # on the lighter side


def midpoint(low: float, high: float) -> float:
    """Halfway between two values, never on the upper one."""
    total = float(low) + float(high)
    middle = total / 2 if math.isfinite(total) else float(low) / 2 + float(high) / 2
    return middle if middle < high else float(low)


def threshold_tests(observed: Array, feature: int) -> list[Test]:
    """One test between each pair of neighbouring distinct values, lowest first."""
    distinct = np.unique(observed)
    return [
        Test(feature, "threshold", threshold=midpoint(low, high))
        for low, high in pairwise(distinct)
    ]


def subset_tests(observed: Array, feature: int) -> list[Test]:
    """All 2^(L-1) - 1 ways to divide the L categories held; the lowest is always on side 0."""
    first, *others = sorted({int(v) for v in observed})
    tests = []
    for mask in range(2 ** len(others) - 1):
        left = frozenset([first, *(c for bit, c in enumerate(others) if mask >> bit & 1)])
        right = frozenset(others) - left
        tests.append(Test(feature, "subset", left_categories=left, right_categories=right))
    return tests


def with_gaps(tests: Sequence[Test], feature: int, missing: str) -> list[Test]:
    """The tests of a numeric column with gaps: these are on one side of each cut, or alone."""
    alone = Test(feature, "threshold", threshold=math.inf, gaps=1)
    found = [*(replace(test, gaps=1) for test in tests), alone]
    return found + [replace(test, gaps=0) for test in tests] * (missing == "learned")


def without_gap_code(test: Test) -> Test:
    """A test that was found with gaps as a category: says where they go."""
    left, right = test.left_categories - {GAP}, test.right_categories - {GAP}
    gaps = 0 if GAP in test.left_categories else 1 if GAP in test.right_categories else None
    if not left:
        left, right, gaps = right, left, 1 if gaps == 0 else gaps
    return replace(test, left_categories=left, right_categories=right, gaps=gaps)


def split_gain(values: Array, y: Array, w: Array, test: Test, settings: Settings) -> Split | None:
    """Measure one test; None if it leaves a side empty."""
    sides = test.sides(values)
    seen = sides >= 0
    left = sides[seen] == 0
    if left.all() or not left.any():
        return None
    share = math.fsum(w[seen]) / math.fsum(w)
    value = share * gain(y[seen], w[seen], left, settings)
    if value == -math.inf:
        return None  # there is nothing to compare
    least = min(math.fsum(w[seen][left]), math.fsum(w[seen][~left]))
    return Split(test, value, int(left.sum()), int((~left).sum()), least)


def is_allowed(split: Split, settings: Settings, slack: float = 0.0) -> bool:
    """Whether both sides are large enough; ``slack`` forgives rounding in the weights."""
    enough_rows = min(split.n_left, split.n_right) >= settings.min_samples_leaf
    return enough_rows and split.least_weight >= settings.min_weight_leaf * (1 - slack)


def _measure(
    values: Array, y: Array, w: Array, tests: Sequence[Test], settings: Settings
) -> Iterator[Split]:
    for test in tests:
        split = split_gain(values, y, w, test, settings)
        if split is not None and is_allowed(split, settings):
            yield split


def all_splits(
    values: Array, kinds: Sequence[str], y: Array, w: Array, settings: Settings
) -> Iterator[Split]:
    """Every split of every feature that leaves both sides large enough, lowest feature first.

    A split's gain counts only rows that hold a value, times their share of the weight.
    """
    values, y, w = values[w > 0], y[w > 0], w[w > 0]
    for feature, kind in enumerate(kinds):
        column = values[:, feature]
        observed = column[~np.isnan(column)]
        if len(observed) == 0:
            continue
        places_gaps = settings.places_gaps and len(observed) < len(column)
        if kind == "nominal":
            held = np.where(np.isnan(column), GAP, column) if places_gaps else observed
            tests = [without_gap_code(test) for test in subset_tests(held, feature)]
        else:
            tests = threshold_tests(observed, feature)
            tests = with_gaps(tests, feature, settings.missing) if places_gaps else tests
        yield from _measure(values, y, w, tests, settings)


def required_splits(
    values: Array, kinds: Sequence[str], y: Array, w: Array, settings: Settings
) -> Iterator[Split]:
    """Splits that a correct search is never worse than.

    These are all splits, except where the design asks for L - 1 cuts through ordered categories
    and that is not always the best: when small sides are forbidden, or for absolute error.
    There only cuts between categories of different mean (or class share) are certain to be tried.
    """
    values, y, w = values[w > 0], y[w > 0], w[w > 0]
    for feature, kind in enumerate(kinds):
        seen = ~np.isnan(values[:, feature])
        if not seen.any():
            continue
        places_gaps = settings.places_gaps and not seen.all()
        if kind != "nominal":
            tests = threshold_tests(values[seen, feature], feature)
            tests = with_gaps(tests, feature, settings.missing) if places_gaps else tests
        else:
            used = seen | places_gaps
            column = np.where(seen, values[:, feature], GAP)[used]
            tests = _required_subsets(column, y[used], w[used], feature, settings)
            tests = [without_gap_code(test) for test in tests]
        yield from _measure(values, y, w, tests, settings)


def _required_subsets(
    column: Array, y: Array, w: Array, feature: int, settings: Settings
) -> list[Test]:
    few = len(np.unique(column)) <= MAX_SUBSET_CATEGORIES
    if settings.share is not None or settings.criterion == "logrank":
        exact, by_order = len(np.unique(column)) <= 2, True
    elif callable(settings.criterion) or settings.criterion == "misclassification":
        exact, by_order = True, False
    else:
        by_order = not settings.is_classification or len(np.unique(y)) <= 2
        limited = settings.min_samples_leaf > 1 or settings.min_weight_leaf > 0
        exact = not limited or not by_order
    if exact and few:
        return subset_tests(column, feature)
    return _ordered_tests(column, y, w, feature, settings) if by_order else []


def _ordered_tests(
    column: Array, y: Array, w: Array, feature: int, settings: Settings
) -> list[Test]:
    """Cuts between categories in order of class share, mean or median; ties stay together."""

    def score(category: int) -> float:
        held = column == category
        if settings.is_classification:
            return weighted_mean((y[held] == y.min()).astype(float), w[held])
        if settings.is_deviance:
            return rate(y[held], w[held])
        if settings.share is not None:
            return weighted_quantile(y[held], w[held], settings.share)
        return weighted_mean(y[held], w[held])

    ranked = sorted((score(int(c)), int(c)) for c in np.unique(column))
    tiny = TOLERANCE * max(abs(ranked[0][0]), abs(ranked[-1][0]))
    tests = []
    for cut in range(1, len(ranked)):
        if ranked[cut][0] - ranked[cut - 1][0] > tiny:
            parts = [frozenset(c for _, c in part) for part in (ranked[:cut], ranked[cut:])]
            left, right = sorted(parts, key=min)
            tests.append(Test(feature, "subset", left_categories=left, right_categories=right))
    return tests


def best_split(
    values: Array,
    kinds: Sequence[str],
    y: Array,
    w: Array,
    settings: Settings,
    scale: float | None = None,
) -> Split | None:
    """The first of the best splits: lowest feature, then lowest threshold."""
    splits = list(all_splits(values, kinds, y, w, settings))
    if not splits:
        return None
    if scale is None:
        scale = impurity_scale(y, w, settings)
    best = max(split.gain for split in splits)
    return next(split for split in splits if split.gain >= best - TOLERANCE * scale)
