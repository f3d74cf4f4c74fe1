"""C4.5 by trying everything: growth, fractions for gaps, and prediction.

`values` holds numbers and category codes, NaN is a gap; `y` class codes. All that is counted is
weight. Pruning is in `c45_prune`, what a test is worth in `c45_gain`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .c45_gain import Candidate, best_candidate
from .settings import Array


@dataclass(frozen=True)
class C45:
    """A table and the parameters of C4.5.

    `slack` is how much better a number must be to count as better, `close` how far apart two values
    must lie to be two. Weka has 1e-6 and 1e-5; C4.5's own definition has neither.
    """

    values: Array
    kinds: Sequence[str]  # "numeric" | "ordered" | "nominal"
    n_categories: Sequence[int]  # 0 for a numeric column
    y: Sequence[int]
    n_classes: int
    weights: Array
    min_leaf: float = 2.0
    cf: float = 0.25
    slack: float = 1e-9
    close: float = 0.0

    @property
    def total(self) -> float:
        return math.fsum(self.weights)


Rows = list[tuple[int, float]]  # row numbers with the weight that a row has in a node


@dataclass
class Node:
    """A node, the rows that reached it, and its test if it has one."""

    rows: Rows
    counts: list[float]
    feature: int = -1
    threshold: float | None = None  # None in a test on categories
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return math.fsum(w for _, w in self.rows)

    @property
    def errors(self) -> float:
        return self.weight - max(self.counts)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    def make_leaf(self) -> None:
        self.feature, self.threshold, self.children = -1, None, []

    @property
    def n_leaves(self) -> int:
        return sum(not node.children for node in self.walk())

    @property
    def n_nodes(self) -> int:
        return sum(1 for _ in self.walk())


def class_counts(rows: Rows, problem: C45) -> list[float]:
    """The weight of each class."""
    codes = range(problem.n_classes)
    return [math.fsum(w for i, w in rows if problem.y[i] == code) for code in codes]


def branch_of(value: float, threshold: float | None) -> int | None:
    """The branch that a value goes to, None for a gap."""
    if math.isnan(value):
        return None
    if threshold is None:
        return int(value)
    return 0 if value <= threshold else 1


def divide(
    rows: Rows, feature: int, threshold: float | None, n_branches: int, problem: C45
) -> list[Rows]:
    """Send rows down the branches; a gap goes down each, by the shares of the known weight."""
    parts: list[Rows] = [[] for _ in range(n_branches)]
    gaps: Rows = []
    for i, w in rows:
        branch = branch_of(float(problem.values[i][feature]), threshold)
        (gaps if branch is None else parts[branch]).append((i, w))
    known = [math.fsum(w for _, w in part) for part in parts]
    total = math.fsum(known)
    for branch in range(n_branches):
        share = known[branch] / total if total > 0 else 1.0 / n_branches
        if share > 0:
            parts[branch] += [(i, w * share) for i, w in gaps]
    return parts


def final_threshold(midpoint: float, feature: int, problem: C45) -> float:
    """The largest value of the column, in all training rows, that is not above the midpoint."""
    column = [float(problem.values[i][feature]) for i in range(len(problem.y))]
    counted = [v for v, w in zip(column, problem.weights, strict=True) if w > 0]
    return max(v for v in counted if v <= midpoint)


def must_stop(rows: Rows, counts: list[float], problem: C45) -> bool:
    """Whether a node is too light for two branches, or pure."""
    total = math.fsum(w for _, w in rows)
    return total < 2 * problem.min_leaf - problem.slack or total - max(counts) <= problem.slack


def grow(problem: C45) -> Node:
    """Grow a tree without pruning or collapsing it."""

    def build(rows: Rows) -> Node:
        node = Node(rows, class_counts(rows, problem))
        if not rows or must_stop(rows, node.counts, problem):
            return node
        best: Candidate | None = best_candidate(rows, problem)
        if best is None:
            return node
        node.feature = best.feature
        if best.midpoint is not None:
            node.threshold = final_threshold(best.midpoint, best.feature, problem)
        parts = divide(rows, node.feature, node.threshold, best.n_branches, problem)
        node.children = [build(part) for part in parts]
        return node

    return build([(i, float(w)) for i, w in enumerate(problem.weights) if w > 0])


def predict_row(node: Node, row: Any, parent: Node | None = None) -> list[float]:
    """Class probabilities of a row; a category without a branch is a gap."""
    if not node.children:
        source = node if node.weight > 0 or parent is None else parent
        total = math.fsum(source.counts)
        return [count / total for count in source.counts]
    branch = branch_of(float(row[node.feature]), node.threshold)
    if branch is not None and branch < len(node.children):
        return predict_row(node.children[branch], row, node)
    result = [0.0] * len(node.counts)
    total = math.fsum(child.weight for child in node.children)
    for child in node.children:
        if child.weight > 0:
            share = child.weight / total
            for code, p in enumerate(predict_row(child, row, node)):
                result[code] += share * p
    return result


def label(proba: Sequence[float], slack: float = 1e-6) -> int:
    """The most probable class, the first of those that differ by rounding only."""
    best = 0
    for code, p in enumerate(proba):
        if p > proba[best] + slack:
            best = code
    return best
