"""What nodes draw: columns, thresholds and sets of categories, and the best of what was drawn.

Random numbers are those of SplitMix64, with a stream for each node and, for its cuts, for each of
its columns: a stream is found by the path from the root alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .criteria import gain
from .settings import TOLERANCE, Array, Settings
from .structure import Node, Test

WORD = 2**64
STEP = 0x9E3779B97F4A7C15
CUTS = 0x8EBC6AF09C88C6E3  # keeps the streams of cuts apart from those of columns
ROOT = 0


def scrambled(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def below(path: int, branch: int) -> int:
    """The key of a child, or of a column of a node."""
    return scrambled((path + STEP * (branch + 1)) % WORD)


class Stream:
    def __init__(self, seed: int, key: int) -> None:
        self.state = scrambled(seed) ^ scrambled((key + 0x632BE59BD9B4E019) % WORD)

    def word(self) -> int:
        self.state = (self.state + STEP) % WORD
        return scrambled(self.state)

    def one_of(self, n: int) -> int:
        while True:
            word = self.word()
            if word - word % n <= WORD - 1 - n:
                return word % n

    def share(self) -> float:
        return ((self.word() >> 11) + 0.5) * 2.0**-53


def drawn_threshold(low: float, high: float, stream: Stream) -> float:
    drawn = low + stream.share() * (high - low)
    return drawn if low <= drawn < high else low


def drawn_sides(codes: list[int], stream: Stream) -> tuple[frozenset[int], frozenset[int]]:
    """Categories by side, the first of them on the first; each is tossed until both have some."""
    sides = [0] * len(codes)
    while len(set(sides)) < 2:
        words = [stream.word() for _ in range(math.ceil(len(codes) / 64))]
        sides = [words[i // 64] >> (i % 64) & 1 for i in range(len(codes))]
    own = [side == sides[0] for side in sides]
    left = frozenset(code for code, first in zip(codes, own, strict=True) if first)
    return left, frozenset(codes) - left


def drawn_test(column: Array, feature: int, kind: str, seed: int, path: int) -> Test | None:
    """The one test that a node draws for a column; None if the column is constant there."""
    held = np.unique(column[~np.isnan(column)])
    if len(held) < 2:
        return None
    stream = Stream(seed ^ CUTS, below(path, feature))
    if kind == "nominal":
        left, right = drawn_sides([int(code) for code in held], stream)
        return Test(feature, "subset", left_categories=left, right_categories=right)
    return Test(feature, "threshold", threshold=drawn_threshold(held[0], held[-1], stream))


@dataclass
class DrawnTree:
    """Says of every node of a tree what it should have drawn, and whether it took the best."""

    values: Array
    kinds: Sequence[str]
    y: Array
    settings: Settings
    seed: int
    n_drawn: int  # columns a node; all of them are not drawn
    random_cuts: bool = True
    faults: list[str] = field(default_factory=list)

    total: float = 0.0  # weight of all rows

    def check(self, root: Node) -> list[str]:
        self.total = root.weight
        self._check(root, ROOT, list(range(len(self.kinds))))
        return self.faults

    def _check(self, node: Node, path: int, columns: list[int]) -> None:
        pure = len(np.unique(self.y[node.rows])) < 2
        deep = self.settings.max_depth is not None and node.depth >= self.settings.max_depth
        if pure or deep or node.n_rows < self.settings.min_samples_split:
            return
        best: list[Test] = []
        rest, batches = list(columns), self._batches(columns, path)
        for batch in batches:
            tests = {f: self._test(node, f, path) for f in batch}
            rest = [f for f in rest if f not in batch or tests[f] is not None]
            best = self._best(node, [test for test in tests.values() if test is not None])
            if best:
                break
        if best and self._is_too_little(self._drop(node, best[0]) or 0.0):
            best = []
        if node.test is None and best:
            self.faults.append(f"node {node.id} is a leaf, but {best[0]} was drawn")
        if node.test is not None and node.test not in best:
            self.faults.append(f"node {node.id} asks {node.test}, but the best drawn are {best}")
        for branch, child in enumerate(node.children):
            self._check(child, below(path, branch), rest)

    def _is_too_little(self, drop: float) -> bool:
        least = self.settings.min_impurity_decrease
        return least > 0.0 and drop / self.total < least

    def _test(self, node: Node, feature: int, path: int) -> Test | None:
        column = self.values[node.rows, feature]
        return drawn_test(column, feature, self.kinds[feature], self.seed, path)

    def _batches(self, columns: list[int], path: int) -> list[list[int]]:
        """The columns in the order in which a node looks at them."""
        if self.n_drawn >= len(self.kinds):
            return [columns]
        order, stream = list(columns), Stream(self.seed, path)
        for i in range(len(order)):
            j = i + stream.one_of(len(order) - i)
            order[i], order[j] = order[j], order[i]
        return [sorted(order[: self.n_drawn]), *([f] for f in order[self.n_drawn :])]

    def _best(self, node: Node, tests: list[Test]) -> list[Test]:
        """Those that the limits allow and that lower the loss most; more than one if they tie."""
        drops = {test: drop for test in tests if (drop := self._drop(node, test)) is not None}
        slack = TOLERANCE * max(1.0, node.impurity) * node.weight
        top = max(drops.values(), default=0.0)
        return [test for test, drop in drops.items() if drop >= top - slack]

    def _drop(self, node: Node, test: Test) -> float | None:
        sides = test.sides(self.values[node.rows])
        seen, settings = sides >= 0, self.settings
        y, w, left = self.y[node.rows][seen], node.row_weights[seen], sides[seen] == 0
        least_rows = min(left.sum(), (~left).sum())
        least_weight = min(math.fsum(w[left]), math.fsum(w[~left]))
        near = 1.0 - 1e-12
        if least_rows < settings.min_samples_leaf or least_weight < settings.min_weight_leaf * near:
            return None
        return gain(y, w, left, settings) * math.fsum(w)
