"""Iterative growing and pruning, by its definition.

The rows are dealt into parts. In turn each part prunes the tree that the others have grown on from
the leaves of the last pruned tree, until as many pruned trees in a row as there are parts have
equally many leaves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .criteria import impurity, impurity_scale
from .grow import must_stop, node_counts, parts_of, set_test
from .predict import label_of, leaf_value, loss, shares_of_row
from .settings import TOLERANCE, Array, Settings
from .splits import Split, _ordered_tests, all_splits, split_gain
from .structure import Node, Surrogate

NEAR = 1e-9  # gains or errors closer than this, but no closer than rounding, are left undecided


class UndecidedError(Exception):
    """Two answers are both right: the rules name no first among these equals."""


class Iteration(NamedTuple):
    """What is known of one turn: sizes, and mean errors per weight."""

    judge: int
    n_leaves_grown: int
    n_leaves: int
    growing_error: float
    judge_error_grown: float
    judge_error: float


@dataclass(frozen=True)
class Loop:
    """How the loop goes; see `IGPAClassifier`."""

    labels: str = "kept"
    prune_from: str = "leaves"
    unjudged: str = "pruned"
    recount: bool = True
    max_iter: int = 50
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None


@dataclass(frozen=True)
class Table:
    """Rows of positive weight, and what their classes count for: in sums, and in the search."""

    values: Array
    kinds: Sequence[str]
    y: Array
    weights: Array
    class_scale: Array | None = None
    split_scale: Array | None = None

    def scaled(self, rows: np.ndarray, search: bool = False) -> Array:
        """The weights of some rows, times the scale of their classes."""
        scale = self.split_scale if search and self.split_scale is not None else self.class_scale
        factor = 1.0 if scale is None else scale[self.y[rows].astype(int)]
        return np.asarray(self.weights[rows] * factor)


@dataclass
class Grown:
    """The tree at the end of the loop, and the way there."""

    root: Node
    settled: bool
    settings: Settings
    history: list[Iteration] = field(default_factory=list)


def igpa(
    table: Table, parts: np.ndarray, settings: Settings, split_settings: Settings, loop: Loop
) -> Grown:
    """Grow and prune in turns; `parts` is -1 for rows that do not count.

    `settings` has the costs of errors, `split_settings` those that the search knows.
    """
    k = int(parts.max()) + 1
    root: Node | None = None
    history: list[Iteration] = []
    for turn in range(loop.max_iter):
        judge = (turn + 1) % k
        growing = np.flatnonzero((parts >= 0) & (parts != judge))
        judging = np.flatnonzero(parts == judge)
        grower = _Grower(table, growing, settings, split_settings, loop)
        if root is None:
            root = Node(0)
            measure(root, growing, table, settings, split_settings)
        starts = grower.grow_on(root, growing)
        if loop.labels == "renewed":
            recount(root, growing, table, settings, split_settings)
        grown = (_n_leaves(root), mean_error(root, judging, table, settings))
        _Pruner(table, settings, loop, starts).prune(root, judging)
        errors = [mean_error(root, rows, table, settings) for rows in (growing, judging)]
        history.append(Iteration(judge, grown[0], _n_leaves(root), errors[0], grown[1], errors[1]))
        sizes = [step.n_leaves for step in history[-k:]]
        if len(sizes) == k and len(set(sizes)) == 1:
            break
    assert root is not None
    settled = len(sizes) == k and len(set(sizes)) == 1
    if loop.recount:
        recount(root, np.flatnonzero(parts >= 0), table, settings, split_settings)
    return Grown(root, settled, settings, history)


def measure(
    node: Node, rows: np.ndarray, table: Table, settings: Settings, split_settings: Settings
) -> None:
    """Fill in the sums of a node from some rows."""
    y, w = table.y[rows], table.scaled(rows)
    node.counts = node_counts(y, w, settings)
    node.n_rows, node.weight = len(rows), math.fsum(w)
    node.impurity = impurity(y, w, split_settings)


def recount(
    node: Node, rows: np.ndarray, table: Table, settings: Settings, split_settings: Settings
) -> None:
    """Renew the sums, and the gains of tests, of all nodes that some of these rows reach."""
    if len(rows) > 0:
        measure(node, rows, table, settings, split_settings)
        if node.test is not None:
            w = table.scaled(rows, search=True)
            split = split_gain(table.values[rows], table.y[rows], w, node.test, split_settings)
            node.gain = 0.0 if split is None else max(0.0, split.gain * math.fsum(w))
        for child, part in zip(node.children, send(node, rows, table, settings), strict=True):
            recount(child, part, table, settings, split_settings)


def send(node: Node, rows: np.ndarray, table: Table, settings: Settings) -> list[np.ndarray]:
    """The rows that each child gets; nothing for a leaf."""
    if node.is_leaf:
        return []
    sides = [shares_of_row(node, table.values[row], settings)[0][0] for row in rows]
    return [rows[np.array(sides, dtype=int) == side] for side in range(len(node.children))]


def leaf_error(node: Node, rows: np.ndarray, table: Table, settings: Settings) -> float:
    """Summed error of some rows if the node were a leaf."""
    label = label_of(leaf_value(node, settings), settings)
    w = table.scaled(rows)
    return math.fsum(
        v * loss(table.y[row], label, settings) for row, v in zip(rows, w, strict=True)
    )


def mean_error(root: Node, rows: np.ndarray, table: Table, settings: Settings) -> float:
    """Error of a tree per weight of some rows."""

    def below(node: Node, rows: np.ndarray) -> float:
        if node.is_leaf:
            return leaf_error(node, rows, table, settings)
        parts = send(node, rows, table, settings)
        return math.fsum(below(*pair) for pair in zip(node.children, parts, strict=True))

    return below(root, rows) / math.fsum(table.scaled(rows))


def _n_leaves(root: Node) -> int:
    return sum(node.is_leaf for node in root.walk())


@dataclass(frozen=True, eq=False)
class _Sprout:
    """A leaf that can be divided, and how."""

    leaf: Node
    held: Node  # with the rows that divide it
    split: Split
    gain: float  # times weight


class _Grower:
    """Growth with some of the rows: limits refer to these."""

    def __init__(
        self,
        table: Table,
        rows: np.ndarray,
        settings: Settings,
        split_settings: Settings,
        loop: Loop,
    ) -> None:
        w = table.scaled(rows, search=True)
        self.table, self.settings = table, settings
        self.total = math.fsum(w)
        least = loop.min_weight_fraction_leaf * self.total
        self.most = loop.max_leaf_nodes
        self.search = split_settings.but(min_weight_leaf=least)
        self.scale = impurity_scale(table.y[rows], w, self.search)

    def grow_on(self, root: Node, rows: np.ndarray) -> set[int]:
        """Divide the leaves that rows reach, and what comes of them; the leaves keep their sums.

        Returns which nodes were leaves.
        """
        leaves = list(self.leaves(root, rows))
        n_leaves = len(leaves)
        found = [self.look(leaf, part) for leaf, part in leaves if len(part) > 0]
        sprouts = [sprout for sprout in found if sprout is not None]
        while sprouts and (self.most is None or n_leaves < self.most):
            best = self.most_useful(sprouts)
            sprouts.remove(best)
            found = [self.look(child, child.rows) for child in self.divide(best)]
            sprouts += [sprout for sprout in found if sprout is not None]
            n_leaves += 1
        return {id(leaf) for leaf, _ in leaves}

    def leaves(self, node: Node, rows: np.ndarray) -> Iterator[tuple[Node, np.ndarray]]:
        """All leaves, with the rows that reach each of them."""
        if node.is_leaf:
            yield node, rows
        parts = send(node, rows, self.table, self.settings)
        for child, part in zip(node.children, parts, strict=False):
            yield from self.leaves(child, part)

    def look(self, leaf: Node, rows: np.ndarray) -> _Sprout | None:
        """Find the best division of a leaf by some rows; None if it is to stay a leaf."""
        held = Node(0, leaf.depth, rows=rows, row_weights=self.table.weights[rows])
        held.n_rows = len(rows)
        if must_stop(held, self.table.y, self.search):
            return None
        w = self.table.scaled(rows, search=True)
        split = self.best(self.table.values[rows], self.table.y[rows], w)
        if split is None or not self.is_worthwhile(split, math.fsum(w) / self.total):
            return None
        return _Sprout(leaf, held, split, split.gain * math.fsum(w))

    def most_useful(self, sprouts: list[_Sprout]) -> _Sprout:
        """The leaf to divide next; without a limit to their number any order will do."""
        best = max(sprouts, key=lambda sprout: sprout.gain)
        near = [s for s in sprouts if s.gain > best.gain - NEAR * self.scale * self.total]
        if self.most is not None and len(near) > 1:
            raise UndecidedError("two leaves are equally useful to divide")
        return best

    def divide(self, sprout: _Sprout) -> list[Node]:
        """Give a leaf its test and its children."""
        leaf, held = sprout.leaf, sprout.held
        set_test(held, sprout.split.test, self.table.values, self.table.kinds, self.search)
        for surrogate in held.surrogates:
            self.refuse_even_categories(surrogate, held)
        leaf.test, leaf.gain = held.test, sprout.gain
        leaf.surrogates, leaf.majority, leaf.shares = held.surrogates, held.majority, held.shares
        for part, _ in parts_of(held, self.table.values, self.search):
            child = Node(0, leaf.depth + 1, rows=part)
            measure(child, part, self.table, self.settings, self.search)
            leaf.children.append(child)
        return leaf.children

    def is_worthwhile(self, split: Split, share: float) -> bool:
        least, tiny = self.search.min_impurity_decrease, TOLERANCE * self.scale
        gain = share * split.gain
        if least > 0 and abs(gain - least) <= NEAR * self.scale:
            raise UndecidedError("the gain is the least one")
        return gain >= least if least > 0 else split.gain >= -tiny

    def best(self, values: Array, y: Array, w: Array) -> Split | None:
        """The first of the best splits: lowest column, then lowest threshold.

        Among equal subsets of one column none is the first. Where small sides are forbidden,
        only subsets that are cuts through the ordered categories are sure to be tried.
        """
        splits = list(all_splits(values, self.table.kinds, y, w, self.search))
        if not splits:
            return None
        top = max(split.gain for split in splits)
        equals = [s for s in splits if s.gain >= top - TOLERANCE * self.scale]
        if any(top - NEAR * self.scale < s.gain < top - TOLERANCE * self.scale for s in splits):
            raise UndecidedError("two gains are almost equal")
        first = equals[0]
        rivals = [s for s in equals if s.test.feature == first.test.feature]
        sure = len(rivals) == 1 and self.is_tried(first, values, y, w)
        if first.test.kind == "subset" and not sure:
            raise UndecidedError("subsets of one column tie")
        return first

    def is_tried(self, split: Split, values: Array, y: Array, w: Array) -> bool:
        """Whether a search through ordered categories meets a subset."""
        limited = self.search.min_samples_leaf > 1 or self.search.min_weight_leaf > 0
        n_held = len(split.test.left_categories) + len(split.test.right_categories)
        if not limited or n_held < 3 or (self.search.n_classes or 2) > 2:
            return True
        seen = ~np.isnan(values[:, split.test.feature])
        column = values[seen, split.test.feature]
        cuts = _ordered_tests(column, y[seen], w[seen], split.test.feature, self.search)
        return split.test in cuts

    def refuse_even_categories(self, surrogate: Surrogate, node: Node) -> None:
        """No rule says where a category goes if all its rows, and all rows, are evenly divided."""
        assert node.test is not None
        if surrogate.test.kind != "subset":
            return
        values = self.table.values[node.rows]
        primary, column = node.test.sides(values), values[:, surrogate.test.feature]
        both = (primary >= 0) & ~np.isnan(column)
        signed = np.where(primary == 0, 1.0, -1.0) * node.row_weights
        held = [math.fsum(signed[both & (column == c)]) for c in np.unique(column[both])]
        if math.fsum(held) == 0.0 and 0.0 in held:
            raise UndecidedError("a category of a surrogate belongs to neither side")


class _Pruner:
    """Bottom-up, a node becomes a leaf if the judging rows fare no worse."""

    def __init__(self, table: Table, settings: Settings, loop: Loop, starts: set[int]) -> None:
        self.table, self.settings, self.loop, self.starts = table, settings, loop, starts

    def prune(self, root: Node, rows: np.ndarray) -> None:
        self.slack = 1e-12 * leaf_error(root, rows, self.table, self.settings)
        self.visit(root, rows, self.loop.prune_from == "root")

    def visit(self, node: Node, rows: np.ndarray, free: bool) -> float:
        """The least error of a node; it is cut if it may be and that is no worse."""
        as_leaf = leaf_error(node, rows, self.table, self.settings)
        if node.is_leaf:
            return as_leaf
        free = free or id(node) in self.starts
        parts = send(node, rows, self.table, self.settings)
        below = math.fsum(
            self.visit(child, part, free) for child, part in zip(node.children, parts, strict=True)
        )
        if not free or (len(rows) == 0 and self.loop.unjudged == "kept"):
            return below
        if self.slack < abs(as_leaf - below) < NEAR * as_leaf:
            raise UndecidedError("two errors are almost equal")
        if as_leaf > below + self.slack:
            return below
        node.test, node.children, node.surrogates = None, [], []
        return as_leaf
