"""What a test is worth to C4.5, and which test it takes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .c45 import C45, Rows

GUARD = 1e-3  # how far below the mean gain a test may lie
LEAST = 1e-6  # no gain, and no ratio, counts that is not above this
MOST_PER_SIDE = 25.0
MANY = 0.3  # a column with this many categories per unit of weight does not count in the mean


@dataclass(frozen=True)
class Candidate:
    """A test of one column: its gain (less the penalty of a number), and its gain ratio."""

    feature: int
    gain: float
    ratio: float
    n_branches: int
    midpoint: float | None = None


def entropy(weights: Sequence[float]) -> float:
    """Entropy in bits of a division of some weight."""
    total = math.fsum(weights)
    parts = [w / total for w in weights if w > 0]
    return -math.fsum(p * math.log2(p) for p in parts)


def counts_of(rows: Rows, problem: C45) -> list[float]:
    codes = range(problem.n_classes)
    return [math.fsum(w for i, w in rows if problem.y[i] == code) for code in codes]


def weight_of(rows: Rows) -> float:
    return math.fsum(w for _, w in rows)


def gain(parts: Sequence[Rows], total: float, problem: C45) -> float:
    """The fall in entropy among the known rows, times their share of the weight."""
    known = math.fsum(weight_of(part) for part in parts)
    whole = [row for part in parts for row in part]
    after = math.fsum(
        weight_of(part) / known * entropy(counts_of(part, problem)) for part in parts if part
    )
    return known / total * (entropy(counts_of(whole, problem)) - after)


def gain_ratio(worth: float, parts: Sequence[Rows], total: float) -> float:
    """Gain by the entropy of the division, in which the unknown rows are a part too."""
    sizes = [weight_of(part) for part in parts]
    unknown = max(total - math.fsum(sizes), 0.0)
    information = entropy([*sizes, unknown])
    return worth / information if information > 0 else 0.0


def known_rows(rows: Rows, feature: int, problem: C45) -> Rows:
    return [(i, w) for i, w in rows if not math.isnan(problem.values[i][feature])]


def nominal_candidate(rows: Rows, feature: int, problem: C45) -> Candidate | None:
    """A branch for each category; two of them must be heavy enough."""
    parts: list[Rows] = [[] for _ in range(problem.n_categories[feature])]
    for i, w in known_rows(rows, feature, problem):
        parts[int(problem.values[i][feature])].append((i, w))
    heavy = [part for part in parts if weight_of(part) >= problem.min_leaf - problem.slack]
    if len(heavy) < 2:
        return None
    total = weight_of(rows)
    worth = gain(parts, total, problem)
    return Candidate(feature, worth, gain_ratio(worth, parts, total), len(parts))


def least_per_side(known: float, problem: C45) -> float:
    """A tenth of the known weight per class, but no less than a leaf and no more than 25."""
    least = 0.1 * known / problem.n_classes
    if least <= problem.min_leaf + problem.slack:
        return problem.min_leaf
    return min(least, MOST_PER_SIDE)


def numeric_candidate(rows: Rows, feature: int, problem: C45) -> Candidate | None:
    """The cut with most gain, which then pays for the number of cuts it was chosen from."""
    known = known_rows(rows, feature, problem)
    levels = sorted({float(problem.values[i][feature]) for i, _ in known})
    total = weight_of(rows)
    least = least_per_side(weight_of(known), problem) - problem.slack
    best, worth, n_cuts = None, 0.0, 0
    for low, high in itertools.pairwise(levels):
        if low + problem.close >= high:
            continue
        below = [(i, w) for i, w in known if problem.values[i][feature] <= low]
        above = [(i, w) for i, w in known if problem.values[i][feature] > low]
        if weight_of(below) < least or weight_of(above) < least:
            continue
        n_cuts += 1
        here = gain([below, above], total, problem)
        if here > worth + problem.slack:
            best, worth = (low, high, [below, above]), here
    if best is None:
        return None
    low, high, parts = best
    worth -= math.log2(n_cuts) / total
    if worth <= LEAST:
        return None
    midpoint = low + (high - low) / 2
    midpoint = low if midpoint >= high else midpoint
    return Candidate(feature, worth, gain_ratio(worth, parts, total), 2, midpoint)


def has_many(feature: int, problem: C45) -> bool:
    nominal = problem.kinds[feature] == "nominal"
    return nominal and problem.n_categories[feature] >= MANY * problem.total


def candidates(rows: Rows, problem: C45) -> list[Candidate]:
    """The possible test of each column that has one, in the order of the columns."""
    found = []
    for feature, kind in enumerate(problem.kinds):
        make = nominal_candidate if kind == "nominal" else numeric_candidate
        found.append(make(rows, feature, problem))
    return [candidate for candidate in found if candidate is not None]


def best_candidate(rows: Rows, problem: C45) -> Candidate | None:
    """The best gain ratio among tests of at least average gain; the first of equals."""
    found = candidates(rows, problem)
    all_many = all(has_many(f, problem) for f in range(len(problem.kinds)))
    counted = [c.gain for c in found if all_many or not has_many(c.feature, problem)]
    if not counted:
        return None
    mean = math.fsum(counted) / len(counted)
    best: Candidate | None = None
    for candidate in found:
        if candidate.gain < mean - GUARD:
            continue
        if candidate.ratio > (best.ratio + problem.slack if best else LEAST):
            best = candidate
    return best
