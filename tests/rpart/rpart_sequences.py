"""Pruning sequences of rpart's trees: rpart's own table, and the sequence by definition.

A sequence is a list of (alpha, splits, error) from the root to the largest tree; alphas and errors
are relative to the root's risk, as in rpart's table.
"""

from typing import Any

import numpy as np
from rpart_reference import Case

from spinney import Tree
from spinney.pruning import cost_complexity_path

TINY = 1e-12  # rounding error of a risk, relative to the root's


def our_sequence(tree: Tree, method: str) -> Any:
    path = cost_complexity_path(tree, method=method)
    root = path.risks[-1]
    return np.column_stack([path.alphas / root, path.n_leaves - 1, path.risks / root])[::-1]


def rpart_sequence(case: Case) -> Any:
    """Return rpart's table, without trees that only rounding tells from the one before."""
    rows: list[Any] = []
    for row in case.raw["cptable"]:
        if not rows or not np.isclose(row[0], rows[-1][0], rtol=1e-9, atol=TINY):
            rows.append(row)
    return np.array(rows)


def tree_with_risks_of(case: Case) -> Tree:
    """Return a spinney tree that has the shape and the risks of rpart's, but no real tests."""
    place = {number: k for k, number in enumerate(sorted(case.nodes))}
    nodes = []
    for number in place:
        node = case.nodes[number]
        sons = [2 * number, 2 * number + 1] if "split" in node else []
        nodes.append({
            "test": "x <= 0" if sons else None, "children": [place[son] for son in sons],
            "n_samples": node["n"], "weight": node["wt"], "cost": node["dev"],
            "value": 0.0, "impurity": 0.0,
        })  # fmt: skip
    return Tree.from_dict({"classes": None, "features": ["x"], "nodes": nodes})


def smallest_minimising_trees(case: Case) -> Any:
    """Prune rpart's tree by the definition: collapse the weakest links, again and again."""
    root = case.nodes[1]["dev"]
    leaves = {number for number, node in case.nodes.items() if "split" not in node}
    steps, alpha = [], 0.0
    while True:
        risk, splits, links = measure(case, 1, leaves)
        if not links or min(links.values()) > alpha + TINY * root:
            steps.append((alpha / root, splits, risk / root))
        if not links:
            return np.array(steps[::-1])
        alpha = max(alpha, min(links.values()))
        leaves |= {number for number, g in links.items() if g <= alpha + TINY * root}


def measure(case: Case, number: int, leaves: set[int]) -> tuple[float, int, dict[int, float]]:
    """Return risk and splits of a branch, and for its inner nodes the gain per split."""
    node = case.nodes[number]
    if number in leaves:
        return node["dev"], 0, {}
    left_risk, left_splits, left = measure(case, 2 * number, leaves)
    right_risk, right_splits, right = measure(case, 2 * number + 1, leaves)
    risk, splits = left_risk + right_risk, left_splits + right_splits + 1
    return risk, splits, {number: (node["dev"] - risk) / splits, **left, **right}
