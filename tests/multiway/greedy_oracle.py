"""Tests with several intervals or groups, by trying everything: one column, one node.

Both searches are greedy. A cut is added where it takes most loss away, after it has paid for the
number of places that it was chosen from, as long as the gain ratio grows. Two groups of categories
are merged where the ratio is then best, as long as it does not fall.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

LEAST = 1e-6  # of the weight: no drop counts that is not above this
SLACK = 1e-11  # how much better a number must be to count as better

Row = tuple[float, int, float]  # value, class, weight


@dataclass(frozen=True)
class Found:
    """A test: cuts, or groups of codes; `unclear` if rounding could decide otherwise."""

    gain: float
    info: float
    cuts: tuple[float, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    unclear: bool = False


def weight_of(rows: list[Row]) -> float:
    return math.fsum(w for _, _, w in rows)


def loss(rows: list[Row]) -> float:
    """Weight times entropy in bits."""
    counts: dict[int, list[float]] = defaultdict(list)
    for _, code, w in rows:
        counts[code].append(w)
    total = weight_of(rows)
    return -math.fsum(math.fsum(c) * math.log2(math.fsum(c) / total) for c in counts.values())


def split_info(parts: list[list[Row]], total: float) -> float:
    """Bits that name a row's branch; the gaps are a branch of their own."""
    sizes = [weight_of(part) for part in parts]
    sizes.append(total - math.fsum(sizes))
    return -math.fsum(s / total * math.log2(s / total) for s in sizes if s > 1e-12 * total)


def rows_of(x: Any, y: Any, weights: Any) -> tuple[list[Row], float]:
    """The rows with a value, by value, and the weight of all."""
    triples = [(float(v), int(c), float(w)) for v, c, w in zip(x, y, weights, strict=True) if w > 0]
    known = sorted(row for row in triples if not math.isnan(row[0]))
    return known, weight_of(triples)


# -- Intervals


def best_cut(rows: list[Row], least: float, total: float) -> tuple[float, float] | None:
    """The loss that the best cut takes away, its price paid, and the last value below it."""
    best, drop, tries = None, -math.inf, 0
    for low in sorted({v for v, _, _ in rows})[:-1]:
        below = [row for row in rows if row[0] <= low]
        above = [row for row in rows if row[0] > low]
        if min(weight_of(below), weight_of(above)) < least - 1e-9:
            continue
        tries += 1
        here = loss(rows) - loss(below) - loss(above)
        if here > drop + SLACK * total:
            best, drop = low, here
    return None if best is None else (drop - math.log2(tries), best)


def pieces(rows: list[Row], lasts: list[float]) -> list[list[Row]]:
    """The rows between cuts, given by the last value below each."""
    bounds = [-math.inf, *lasts, math.inf]
    return [
        [row for row in rows if low < row[0] <= high or row[0] == low == -math.inf]
        for low, high in itertools.pairwise(bounds)
    ]


def intervals(
    x: Any, y: Any, weights: Any, n_classes: int, min_leaf: float, most: int, by_ratio: bool
) -> Found | None:
    """The test of a number with at most so many branches."""
    rows, total = rows_of(x, y, weights)
    least = 0.1 * weight_of(rows) / n_classes
    least = min_leaf if least <= min_leaf else min(least, 25.0)
    first = best_cut(rows, least, total) if rows else None
    if first is None or first[0] <= LEAST * total:
        return None
    lasts, worth = [first[1]], first[0]
    info, unclear = split_info(pieces(rows, lasts), total), False
    while len(lasts) + 1 < most:
        options = [best_cut(piece, least, total) for piece in pieces(rows, lasts)]
        best = (LEAST * total, math.nan)
        for option in options:
            if option is not None and option[0] > best[0] + SLACK * total:
                best = option
        if math.isnan(best[1]):
            break
        finer = sorted([*lasts, best[1]])
        finer_info = split_info(pieces(rows, finer), total)
        change = (worth + best[0]) / finer_info - worth / info
        unclear = unclear or (by_ratio and abs(change) < 1e-9 * total)
        if by_ratio and change <= 0:
            break
        lasts, worth, info = finer, worth + best[0], finer_info
    values = sorted({v for v, _, _ in rows})
    cuts = tuple(threshold(low, values) for low in lasts)
    return Found(worth / total, info, cuts=cuts, unclear=unclear)


def threshold(low: float, values: list[float]) -> float:
    """The largest value of the data not above the middle to the next one: the value itself."""
    high = min(v for v in values if v > low)
    middle = low + (high - low) / 2
    return max(v for v in values if v <= (middle if middle < high else low))


# -- Groups


def groups(x: Any, y: Any, weights: Any, min_leaf: float, by_ratio: bool) -> Found | None:
    """The test with a branch for each group of categories."""
    rows, total = rows_of(x, y, weights)
    parts = [[row for row in rows if row[0] == code] for code in sorted({v for v, _, _ in rows})]
    if sum(weight_of(part) >= min_leaf - 1e-9 for part in parts) < 2:
        return None
    whole = loss(rows)

    def value(division: list[list[Row]]) -> float:
        worth = (whole - math.fsum(map(loss, division))) / total
        return worth / split_info(division, total) if by_ratio else worth

    merged, unclear = parts, False
    while len(merged) > 2:
        best: list[list[Row]] | None = None
        for a, b in itertools.combinations(range(len(merged)), 2):
            others = [part for place, part in enumerate(merged) if place != b]
            others[a] = merged[a] + merged[b]
            if best is None or value(others) > value(best) + SLACK:
                best = others
        assert best is not None
        change = value(best) - value(merged)
        unclear = unclear or 1e-14 < abs(change) < 1e-10
        if change < -SLACK:
            break
        merged = best
    if sum(weight_of(part) >= min_leaf - 1e-9 for part in merged) < 2:
        merged = parts
    named = tuple(tuple(sorted({int(v) for v, _, _ in part})) for part in merged)
    worth = (whole - math.fsum(map(loss, merged))) / total
    return Found(worth, split_info(merged, total), groups=named, unclear=unclear)
