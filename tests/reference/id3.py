"""ID3 by trying everything, and two ways of cutting numbers into categories.

A branch for each category; a feature serves once on a path; a node is a leaf when it is pure or
when no feature is left that tells its rows apart. A division that gains nothing is still made. An
empty branch predicts as its parent. A row with a gap goes down every branch by fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .c45 import C45, Node, Rows, class_counts, divide
from .c45_gain import entropy, gain, known_rows, weight_of


def parts_of(rows: Rows, feature: int, problem: C45) -> list[Rows]:
    """The rows with each category of a column; those with a gap are left out."""
    parts: list[Rows] = [[] for _ in range(problem.n_categories[feature])]
    for i, w in known_rows(rows, feature, problem):
        parts[int(problem.values[i][feature])].append((i, w))
    return parts


def best_feature(rows: Rows, left: Sequence[int], problem: C45) -> int | None:
    """The feature of most gain among those with two categories here; the first of equals."""
    best, worth = None, -math.inf
    for feature in left:
        parts = parts_of(rows, feature, problem)
        if sum(weight_of(part) > 0 for part in parts) < 2:
            continue
        here = gain(parts, weight_of(rows), problem)
        if here > worth + problem.slack:
            best, worth = feature, here
    return best


def grow_id3(problem: C45, min_split: float = 0.0) -> Node:
    """Grow a tree over columns that are all categories; a node lighter than that is a leaf."""

    def build(rows: Rows, left: list[int]) -> Node:
        node = Node(rows, class_counts(rows, problem))
        pure = sum(count > 0 for count in node.counts) < 2
        if pure or node.weight < min_split - problem.slack:
            return node
        feature = best_feature(rows, left, problem)
        if feature is None:
            return node
        node.feature = feature
        others = [other for other in left if other != feature]
        parts = divide(rows, feature, None, problem.n_categories[feature], problem)
        node.children = [build(part, others) for part in parts]
        return node

    rows = [(i, float(w)) for i, w in enumerate(problem.weights) if w > 0]
    return build(rows, list(range(len(problem.kinds))))


# ---- numbers to categories -----------------------------------------------------------------------


def interval_of(value: float, cuts: Sequence[float]) -> float:
    """The number of the interval that holds a value; a cut belongs to the interval below it."""
    if math.isnan(value):
        return math.nan
    return float(sum(value > cut for cut in cuts))


def _counts(rows: Sequence[tuple[float, int, float]], n_classes: int) -> list[float]:
    return [math.fsum(w for _, code, w in rows if code == k) for k in range(n_classes)]


def _midpoint(low: float, high: float) -> float:
    middle = low + (high - low) / 2
    return low if middle >= high else middle


def _best_cut(rows: Any, n_classes: int, slack: float) -> tuple[float, Any, Any, float] | None:
    """The cut of most gain with the rows on its sides, the lowest of equals."""
    levels = sorted({x for x, _, _ in rows})
    total = math.fsum(w for _, _, w in rows)
    before = entropy(_counts(rows, n_classes))
    best = None
    for low, high in itertools.pairwise(levels):
        below = [row for row in rows if row[0] <= low]
        above = [row for row in rows if row[0] > low]
        worth = before
        for part in (below, above):
            share = math.fsum(w for _, _, w in part) / total
            worth -= share * entropy(_counts(part, n_classes))
        if best is None or worth > best[3] + slack:
            best = (_midpoint(low, high), below, above, worth)
    return best


def is_worth_its_description(rows: Any, below: Any, above: Any, n_classes: int) -> bool:
    """Fayyad and Irani's criterion: a cut must save more bits than it costs to tell.

    Weights may add up to less than two; the first term is then none.

    gain > (log2(N - 1) + log2(3^k - 2) - k H(S) + k1 H(S1) + k2 H(S2)) / N
    """
    total = math.fsum(w for _, _, w in rows)
    sides = []
    for part in (rows, below, above):
        counts = _counts(part, n_classes)
        sides.append((math.fsum(counts), sum(c > 0 for c in counts), entropy(counts)))
    (_, k, h), (n1, k1, h1), (n2, k2, h2) = sides
    worth = h - n1 / total * h1 - n2 / total * h2
    cost = math.log2(max(total - 1, 1)) + math.log2(3**k - 2) - k * h + k1 * h1 + k2 * h2
    return worth > cost / total


def mdl_cuts(
    x: Sequence[float],
    y: Sequence[int],
    weights: Sequence[float],
    n_classes: int,
    slack: float = 0.0,
) -> list[float]:
    """Cuts by Fayyad and Irani's recursion, of which the first is made in any case."""
    triples = zip(x, y, weights, strict=True)
    rows = [(float(v), int(c), float(w)) for v, c, w in triples if w > 0 and not math.isnan(v)]

    def divide_on(part: Any, in_any_case: bool) -> list[float]:
        found = _best_cut(part, n_classes, slack)
        if found is None:
            return []
        cut, below, above, _ = found
        if not in_any_case and not is_worth_its_description(part, below, above, n_classes):
            return []
        return [*divide_on(below, False), cut, *divide_on(above, False)]

    return divide_on(rows, True)


def quantile_cuts(x: Sequence[float], weights: Sequence[float], n_bins: int) -> list[float]:
    """Cuts that put about as much weight into each bin.

    The k-th cut lies halfway between the value at which the running weight reaches k / n_bins of
    the whole and the next value; where that is the largest value, just below that.
    """
    pairs = [(float(v), float(w)) for v, w in zip(x, weights, strict=True)]
    pairs = [(v, w) for v, w in pairs if w > 0 and not math.isnan(v)]
    levels = sorted({v for v, _ in pairs})
    total = math.fsum(w for _, w in pairs)
    reached = [math.fsum(w for v, w in pairs if v <= level) for level in levels]
    cuts = set()
    for k in range(1, n_bins):
        goal = k / n_bins * total * (1 - 1e-12)
        for place in range(len(levels) - 1):
            if reached[place] >= goal or place == len(levels) - 2:
                cuts.add(_midpoint(levels[place], levels[place + 1]))
                break
    return sorted(cuts)


def cut_table(values: Any, kinds: Sequence[str], cuts: Sequence[Sequence[float]]) -> Any:
    """The table with every numeric column replaced by the numbers of its intervals."""
    table = np.array(values, dtype=float)
    for j, kind in enumerate(kinds):
        if kind == "numeric":
            table[:, j] = [interval_of(v, cuts[j]) for v in table[:, j]]
    return table
