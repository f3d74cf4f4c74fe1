"""Tests, nodes, and trees written as nested dicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .settings import Array


@dataclass(frozen=True)
class Test:
    """A question with two answers: side 0 is the first child, side 1 the second.

    ``reverse`` occurs in threshold surrogates only: ``x <= threshold`` then means side 1.
    ``gaps`` is the side of rows without a value, where tests place them.
    """

    __test__ = False  # not a pytest class

    feature: int
    kind: str  # "threshold" | "subset"
    threshold: float = math.nan
    left_categories: frozenset[int] = frozenset()
    right_categories: frozenset[int] = frozenset()
    reverse: bool = False
    gaps: int | None = None

    def side(self, row: Array) -> int | None:
        """The side a row goes to, None if its value is missing or its category unknown here."""
        value = float(row[self.feature])
        if math.isnan(value):
            return self.gaps
        if self.kind == "threshold":
            return int((value <= self.threshold) == self.reverse)
        if int(value) in self.left_categories:
            return 0
        return 1 if int(value) in self.right_categories else self.gaps

    def sides(self, values: Array) -> np.ndarray:
        """The side of each row, -1 for None."""
        answers = [self.side(row) for row in values]
        return np.array([-1 if a is None else a for a in answers], dtype=int)


@dataclass(frozen=True)
class Surrogate:
    """A test that stands in for another, and the weight share on which they agree."""

    test: Test
    agreement: float


@dataclass
class Node:
    """A node with all that is known of it; ``rows`` index the training table."""

    id: int
    depth: int = 0
    counts: Array = field(default_factory=lambda: np.empty(0))  # regression: [prediction]
    n_rows: int = 0
    weight: float = 0.0
    impurity: float = math.nan
    test: Test | None = None
    gain: float = math.nan
    children: list[Node] = field(default_factory=list)
    majority: int = 0  # the child with the larger observed weight
    shares: tuple[float, float] = (1.0, 0.0)  # of the observed weight
    surrogates: list[Surrogate] = field(default_factory=list)
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    row_weights: Array = field(default_factory=lambda: np.empty(0))
    given: Mapping[str, Any] = field(default_factory=dict)  # the dict it was read from

    @property
    def is_leaf(self) -> bool:
        return not self.children

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents before children."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_test(given: Mapping[str, Any]) -> Test:
    """Read the test of a node or of a surrogate."""
    if given["kind"] not in ("threshold", "subset"):
        raise ValueError(f"the oracle knows no test of kind {given['kind']!r}")
    return Test(
        feature=int(given["feature"]),
        kind=given["kind"],
        threshold=float(given.get("threshold", math.nan)),
        left_categories=frozenset(int(c) for c in given.get("left_categories") or ()),
        right_categories=frozenset(int(c) for c in given.get("right_categories") or ()),
        reverse=bool(given.get("reverse", False)),
    )


def tree_from_dict(given: Mapping[str, Any]) -> Node:
    """Read a nested dict; ids are those given, else they count up with parents first."""
    numbers = iter(range(10**9))

    def read(part: Mapping[str, Any], depth: int) -> Node:
        counts = np.asarray(part.get("counts", ()), dtype=float)
        node = Node(next(numbers), depth, counts, given=part)
        node.id = int(part.get("id", node.id))
        node.n_rows = int(part.get("n_samples", 0))
        node.weight = float(part.get("weight", counts.sum()))
        node.impurity = float(part.get("impurity", math.nan))
        if part.get("children"):
            if part.get("kind") is not None:
                node.test = read_test(part)
            node.surrogates = [
                Surrogate(read_test(s), float(s.get("agreement", math.nan)))
                for s in part.get("surrogates") or ()
            ]
            node.children = [read(child, depth + 1) for child in part["children"]]
        return node

    return read(given, 0)


def tree_to_dict(node: Node) -> dict[str, Any]:
    """The nested dict of a tree, as ``check_tree`` reads it."""
    result: dict[str, Any] = {
        "id": node.id,
        "counts": node.counts.tolist(),
        "n_samples": node.n_rows,
        "weight": node.weight,
        "impurity": node.impurity,
        "children": [tree_to_dict(child) for child in node.children],
    }
    if node.test is not None:
        result |= _test_to_dict(node.test)
        result["majority"] = node.majority
        result["surrogates"] = [
            _test_to_dict(s.test) | {"agreement": s.agreement} for s in node.surrogates
        ]
    return result


def _test_to_dict(test: Test) -> dict[str, Any]:
    return {
        "feature": test.feature,
        "kind": test.kind,
        "threshold": test.threshold,
        "left_categories": sorted(test.left_categories),
        "right_categories": sorted(test.right_categories),
        "reverse": test.reverse,
    }
