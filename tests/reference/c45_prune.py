"""Error-based pruning as C4.5 does it: the bound, collapsing, and subtree raising."""

from __future__ import annotations

import math

from scipy.stats import norm

from .c45 import C45, Node, Rows, class_counts, divide, grow

ROUNDING = 1e-3  # a subtree must save more errors than this to stay
LENIENCE = 0.1  # a simpler tree may be this many errors worse


def added_errors(weight: float, errors: float, cf: float) -> float:
    """How far the upper confidence bound of the errors lies above those seen."""
    if errors < 1:
        none = weight * (1 - cf ** (1 / weight))
        return none if errors == 0 else none + errors * (added_errors(weight, 1, cf) - none)
    if errors + 0.5 >= weight:
        return max(weight - errors, 0.0)
    z = float(norm.isf(cf))
    rate = (errors + 0.5) / weight
    spread = math.sqrt(rate / weight - rate**2 / weight + z**2 / (4 * weight**2))
    bound = (rate + z**2 / (2 * weight) + z * spread) / (1 + z**2 / weight)
    return bound * weight - errors


def estimate(counts: list[float], cf: float, slack: float) -> float:
    """Errors to expect of a leaf with these class weights."""
    weight = math.fsum(counts)
    if weight <= slack:
        return 0.0
    errors = weight - max(counts)
    return errors + added_errors(weight, errors, cf)


def estimate_tree(node: Node, cf: float, slack: float) -> float:
    if not node.children:
        return estimate(node.counts, cf, slack)
    return math.fsum(estimate_tree(child, cf, slack) for child in node.children)


def estimate_with(node: Node, rows: Rows, problem: C45) -> float:
    """Errors to expect of a subtree if it were given these rows."""
    if not node.children:
        return estimate(class_counts(rows, problem), problem.cf, problem.slack)
    parts = divide(rows, node.feature, node.threshold, len(node.children), problem)
    pairs = zip(node.children, parts, strict=True)
    return math.fsum(estimate_with(child, part, problem) for child, part in pairs)


def give(node: Node, rows: Rows, problem: C45) -> None:
    """Replace the rows of a subtree by others."""
    node.rows, node.counts = rows, class_counts(rows, problem)
    if node.children:
        parts = divide(rows, node.feature, node.threshold, len(node.children), problem)
        for child, part in zip(node.children, parts, strict=True):
            give(child, part, problem)


def collapse(node: Node) -> None:
    """Drop subtrees, from the top, that save no training errors."""
    if not node.children:
        return
    below = math.fsum(leaf.errors for leaf in node.walk() if not leaf.children)
    if below >= node.errors - ROUNDING:
        node.make_leaf()
        return
    for child in node.children:
        collapse(child)


def largest_branch(node: Node, slack: float) -> Node:
    """The heaviest child, the last of equals."""
    best = node.children[0]
    for child in node.children[1:]:
        if child.weight >= best.weight - slack:
            best = child
    return best


def prune(node: Node, problem: C45, raising: bool = True) -> None:
    """Prune from the bottom: a leaf, the largest branch in the node's place, or no change."""
    if not node.children:
        return
    for child in node.children:
        prune(child, problem, raising)
    branch = largest_branch(node, problem.slack)
    raised = estimate_with(branch, node.rows, problem) if raising else math.inf
    leaf = estimate(node.counts, problem.cf, problem.slack)
    tree = estimate_tree(node, problem.cf, problem.slack)
    allowed = LENIENCE + problem.slack
    if leaf <= tree + allowed and leaf <= raised + allowed:
        node.make_leaf()
    elif raised <= tree + allowed:
        node.feature, node.threshold = branch.feature, branch.threshold
        node.children = branch.children
        give(node, node.rows, problem)
        prune(node, problem, raising)


def fit(problem: C45, pruning: bool = True, raising: bool = True) -> Node:
    """Grow, collapse, and prune if wanted."""
    tree = grow(problem)
    collapse(tree)
    if pruning:
        prune(tree, problem, raising)
    return tree
