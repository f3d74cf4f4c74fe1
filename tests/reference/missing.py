"""Where a row goes when the value that is asked for is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .settings import TOLERANCE, Array
from .splits import threshold_tests
from .structure import Surrogate, Test

MIN_SURROGATE_ROWS = 2  # rows on either side of a threshold surrogate


def observed_weights(test: Test, values: Array, w: Array) -> tuple[float, float]:
    """The weight that a test sends to each side, rows without an answer left out."""
    sides = test.sides(values)
    return math.fsum(w[sides == 0]), math.fsum(w[sides == 1])


def larger_side(test: Test, values: Array, w: Array) -> int:
    """The side with the larger observed weight, side 0 in a tie."""
    left, right = observed_weights(test, values, w)
    return 0 if left >= right else 1


def agreement(primary: np.ndarray, other: np.ndarray, w: Array) -> float:
    """Weight share of rows sent the same way, among those with both answers (-1: none)."""
    both = (primary >= 0) & (other >= 0)
    return math.fsum(w[both & (primary == other)]) / math.fsum(w[both])


def majority_share(primary: np.ndarray, other_observed: np.ndarray, w: Array) -> float:
    """How often the more common side of the primary is right, where the other is observed."""
    both = (primary >= 0) & other_observed
    sides = [math.fsum(w[both & (primary == side)]) for side in (0, 1)]
    return max(sides) / sum(sides)


def threshold_surrogates(
    values: Array, w: Array, primary: np.ndarray, feature: int
) -> list[Surrogate]:
    """All cuts of one column in both directions, lowest first.

    Cuts lie between values of all rows of the node, but two rows *with a primary answer*
    must lie on either side.
    """
    column = values[:, feature]
    result = []
    for forward in threshold_tests(column[~np.isnan(column)], feature):
        sides = forward.sides(values)
        counted = [((primary >= 0) & (sides == side)).sum() for side in (0, 1)]
        if min(counted) >= MIN_SURROGATE_ROWS:
            backward = Test(feature, "threshold", forward.threshold, reverse=True)
            for test in (forward, backward):
                result.append(Surrogate(test, agreement(primary, test.sides(values), w)))
    return result


def subset_surrogate(values: Array, w: Array, primary: np.ndarray, feature: int) -> Surrogate:
    """Each category to the side where more of its weight went, to the majority's if equal.

    A category none of whose rows has a primary answer is in neither set.
    """
    both = (primary >= 0) & ~np.isnan(values[:, feature])
    total = [math.fsum(w[both & (primary == side)]) for side in (0, 1)]
    default = 0 if total[0] >= total[1] else 1
    parts: tuple[set[int], set[int]] = (set(), set())
    for category in sorted({int(v) for v in values[both, feature]}):
        held = both & (values[:, feature] == category)
        left, right = (math.fsum(w[held & (primary == side)]) for side in (0, 1))
        side = default if left == right else int(right > left)
        parts[side].add(category)
    test = Test(
        feature,
        "subset",
        left_categories=frozenset(parts[0]),
        right_categories=frozenset(parts[1]),
    )
    return Surrogate(test, agreement(primary, test.sides(values), w))


def best_surrogate(
    values: Array, kinds: Sequence[str], w: Array, primary: np.ndarray, feature: int
) -> Surrogate | None:
    """The stand-in on one column, None if it is no better than the majority side."""
    observed = ~np.isnan(values[:, feature])
    if not (observed & (primary >= 0)).any():
        return None
    if kinds[feature] == "nominal":
        found = [subset_surrogate(values, w, primary, feature)]
    else:
        found = threshold_surrogates(values, w, primary, feature)
    if not found:
        return None
    top = max(s.agreement for s in found)
    if top <= majority_share(primary, observed, w) + TOLERANCE:
        return None
    return next(s for s in found if s.agreement >= top - TOLERANCE)


def surrogates(
    values: Array, kinds: Sequence[str], w: Array, test: Test, max_surrogates: int = 5
) -> list[Surrogate]:
    """The stand-ins for a test in a node with these rows, best first, ties by column."""
    values, w = values[w > 0], w[w > 0]
    primary = test.sides(values)
    found = [
        best_surrogate(values, kinds, w, primary, feature)
        for feature in range(len(kinds))
        if feature != test.feature
    ]
    kept = [s for s in found if s is not None]
    # Rounding keeps agreements that differ only in their last bits together.
    kept.sort(key=lambda s: (-round(s.agreement, 12), s.test.feature))
    return kept[:max_surrogates]


def side_of_row(row: Array, test: Test, stand_ins: Sequence[Surrogate], majority: int) -> int:
    """The one side a row goes to: by the test, then the stand-ins in order, then the majority."""
    for question in (test, *(s.test for s in stand_ins)):
        side = question.side(row)
        if side is not None:
            return side
    return majority


def divide(
    values: Array,
    w: Array,
    test: Test,
    stand_ins: Sequence[Surrogate],
    missing: str,
    majority: int | None = None,
) -> tuple[Array, Array]:
    """The weight with which each row goes to each child, zero where it does not go.

    ``majority`` says which side is the larger one, where that is a matter of rounding.
    """
    left, right = observed_weights(test, values, w)
    share = left / (left + right)
    larger = (0 if left >= right else 1) if majority is None else majority
    to_left = np.zeros(len(w))
    for i, row in enumerate(values):
        if missing == "fractional":
            side = test.side(row)
            to_left[i] = share if side is None else float(side == 0)
        else:
            used = stand_ins if missing == "surrogate" else ()
            to_left[i] = side_of_row(row, test, used, larger) == 0
    return w * to_left, w * (1.0 - to_left)
