"""Cost-complexity and reduced-error pruning by their definitions.

A pruned tree is given as the set of ids of inner nodes turned into leaves (``collapsed``).
Trees may have any number of children.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .predict import label_of, leaf_value, loss, shares_of_row
from .settings import TOLERANCE, Array, Settings
from .structure import Node


@dataclass(frozen=True)
class PruningStep:
    """One tree of the sequence: best from ``alpha`` up to the next step's."""

    alpha: float
    collapsed: frozenset[int]
    n_leaves: int
    risk: float


def node_risks(root: Node, settings: Settings) -> dict[int, float]:
    """R(t) of each node: least cost (or error, by the criterion) as a leaf, per training weight."""
    if settings.is_classification:
        total = float(root.counts.sum())
        return {n.id: float((n.counts @ settings.costs).min()) / total for n in root.walk()}
    return {n.id: n.weight * n.impurity / root.weight for n in root.walk()}


def leaves_of(node: Node, collapsed: frozenset[int]) -> list[Node]:
    """The leaves below a node in the pruned tree; the node itself if it is one."""
    if node.is_leaf or node.id in collapsed:
        return [node]
    return [leaf for child in node.children for leaf in leaves_of(child, collapsed)]


def inner_nodes(node: Node, collapsed: frozenset[int]) -> list[Node]:
    """The inner nodes of the pruned tree, parents first."""
    if node.is_leaf or node.id in collapsed:
        return []
    return [node, *(n for child in node.children for n in inner_nodes(child, collapsed))]


def collapse(root: Node, collapsed: frozenset[int], more: set[int]) -> frozenset[int]:
    """Collapse further nodes; ids below a collapsed node are left out."""
    wanted = collapsed | more
    return frozenset(leaf.id for leaf in leaves_of(root, wanted) if not leaf.is_leaf)


def branch_risk(node: Node, risks: dict[int, float], collapsed: frozenset[int]) -> float:
    return sum(risks[leaf.id] for leaf in leaves_of(node, collapsed))


def first_tree(root: Node, risks: dict[int, float]) -> frozenset[int]:
    """T1: merge leaves under a common parent for as long as the risk stays the same."""
    collapsed: frozenset[int] = frozenset()
    tiny = TOLERANCE * risks[root.id]
    while True:
        mergeable = [
            node
            for node in inner_nodes(root, collapsed)
            if all(child.is_leaf or child.id in collapsed for child in node.children)
            and risks[node.id] <= branch_risk(node, risks, collapsed) + tiny
        ]
        if not mergeable:
            return collapsed
        collapsed = collapse(root, collapsed, {mergeable[0].id})


def weakest_links(
    root: Node, risks: dict[int, float], collapsed: frozenset[int] = frozenset()
) -> dict[int, float]:
    """g(t) of each inner node of the pruned tree."""
    return {
        node.id: (risks[node.id] - branch_risk(node, risks, collapsed))
        / (len(leaves_of(node, collapsed)) - 1)
        for node in inner_nodes(root, collapsed)
    }


def weakest_link_sequence(
    root: Node, settings: Settings, risks: dict[int, float] | None = None
) -> list[PruningStep]:
    """The trees from T1 to the root, with their alphas."""
    risks = node_risks(root, settings) if risks is None else risks
    tiny = TOLERANCE * risks[root.id]
    alpha, collapsed = 0.0, first_tree(root, risks)
    steps = []
    while True:
        leaves = leaves_of(root, collapsed)
        risk = branch_risk(root, risks, collapsed)
        steps.append(PruningStep(alpha, collapsed, len(leaves), risk))
        g = weakest_links(root, risks, collapsed)
        if not g:
            return steps
        alpha = min(g.values())
        collapsed = collapse(root, collapsed, {i for i, v in g.items() if v <= alpha + tiny})


def reduced_error(
    root: Node, values: Array, y: Array, weights: Array | None, settings: Settings
) -> frozenset[int]:
    """Bottom-up, collapse a node if its error on these rows is then no higher."""
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    tiny = TOLERANCE * max(1.0, _leaf_error(root, y, w, settings))

    def visit(node: Node, rows: np.ndarray, w: Array) -> tuple[float, set[int]]:
        as_leaf = _leaf_error(node, y[rows], w, settings)
        if node.is_leaf:
            return as_leaf, set()
        error, collapsed = 0.0, set()
        for side, child in enumerate(node.children):
            going = [dict(shares_of_row(node, values[i], settings)) for i in rows]
            share = np.array([parts.get(side, 0.0) for parts in going])
            kept = share > 0
            below, ids = visit(child, rows[kept], (w * share)[kept])
            error += below
            collapsed |= ids
        return (as_leaf, {node.id}) if as_leaf <= error + tiny else (error, collapsed)

    return frozenset(visit(root, np.arange(len(y)), w)[1])


def _leaf_error(node: Node, y: Array, w: Array, settings: Settings) -> float:
    """Summed loss of some rows if the node were a leaf."""
    predicted = label_of(leaf_value(node, settings), settings)
    return sum(float(v) * loss(t, predicted, settings) for t, v in zip(y, w, strict=True))
