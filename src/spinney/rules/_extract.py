"""Rules from a tree: every leaf is one, and its path the conditions.

Conditions are merged on the way down, so that each node of the tree makes one of them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.rules._conditions import Condition, Expression, Interval, Membership
from spinney.rules._rule import Rule
from spinney.tree._arrays import KINDS
from spinney.tree._expression import ExpressionTest

if TYPE_CHECKING:
    from spinney.tree._view import Tree

_LOWEST = -float(np.finfo(np.float64).max)
_THRESHOLD = KINDS.index("threshold")


def leaf_conditions(tree: "Tree") -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Yield every leaf with the merged conditions of its path, in reading order."""
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    open_nodes: list[tuple[int, dict[Any, Condition]]] = [(0, {})]
    while open_nodes:
        node, known = open_nodes.pop()
        if first[node] < 0:
            yield node, tuple(known.values())
            continue
        branches = branch_conditions(tree, node, count[node])
        for branch in range(count[node] - 1, -1, -1):
            condition = branches[branch]
            before = known.get(condition.key)
            new = condition if before is None else before & condition
            open_nodes.append((first[node] + branch, {**known, condition.key: new}))


def branch_conditions(tree: "Tree", node: int, n_branches: int) -> list[Condition]:
    """Return the condition that leads to each child of a node."""
    test = tree[node].test if tree.kind[node] == "expression" else None
    if isinstance(test, ExpressionTest):
        return [Expression(test, True), Expression(test, False)]
    state, feature = tree._state, int(tree.feature[node])
    column = tree.schema.columns[feature]
    name, words = column.name, column.categories
    cuts: list[float] = []
    if state["kind"][node] == _THRESHOLD:
        cuts = [float(state["threshold"][node])]
    elif "cut_begin" in state:
        begin, end = state["cut_begin"][node : node + 2].tolist()
        cuts = state["cut"][begin:end].tolist()
    if cuts:
        # A low bound of -inf is none, so "above -inf" is told by the lowest finite number.
        lows = [-np.inf, *(max(cut, _LOWEST) for cut in cuts)]
        highs = [*cuts, np.inf]
        return [
            Interval(feature, name, low, high, words) for low, high in zip(lows, highs, strict=True)
        ]
    begin, end = state["code_begin"][node : node + 2].tolist()
    codes: list[list[int]] = [[] for _ in range(n_branches)]
    listed = zip(
        state["code"][begin:end].tolist(), state["branch"][begin:end].tolist(), strict=True
    )
    for code, branch in listed:
        codes[branch].append(code)
    empty = [branch for branch in range(n_branches) if not codes[branch]]
    if len(empty) == 1 and empty[0] == int(state["default_branch"][node]):
        named = {code for slot in codes for code in slot}  # "not in": all that the test leaves out
        codes[empty[0]] = [code for code in range(len(words)) if code not in named]
    return [Membership(feature, name, tuple(slot), words) for slot in codes]


def path_rules(tree: "Tree") -> list[Rule]:
    """Return a rule for each leaf of a tree, in reading order."""
    return [leaf_rule(tree, leaf, conditions) for leaf, conditions in leaf_conditions(tree)]


def leaf_rule(tree: "Tree", leaf: int, conditions: tuple[Condition, ...]) -> Rule:
    """Return the rule of one leaf."""
    value, weight, predicted = tree.value[leaf], float(tree.weight[leaf]), tree[leaf].prediction
    if tree.classes is None:
        total = float(tree.weight[0])
        rule = Rule(conditions, predicted, coverage=weight, total_weight=total)
    else:
        label, totals = int(tree.labels[leaf]), tree.value[0]
        came = weight > 0 or not value.any()
        counts = value if came else np.zeros(len(value))
        # Where no row came in training the values are those of the node above, and no counts.
        by_counts = came and tree.answer is None
        shares = None if by_counts else tree._predicted[leaf]
        rule = Rule(conditions, predicted, counts, totals, label=label, probabilities=shares)
    rule._tree, rule._leaf = tree, leaf
    return rule
