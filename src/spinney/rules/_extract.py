"""Rules from a tree: one for each leaf, with the conditions of its path.

Conditions are merged on the way down, so that every node of the tree builds each of them once.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney._expression.expression_test import ExpressionTest
from spinney.rules._conditions import Condition, ExpressionCondition, Interval, Membership
from spinney.rules._rule import Rule
from spinney.tree._node_arrays import GAP_RULES, read_branches

if TYPE_CHECKING:
    from spinney.tree._tree import Tree

_LOWEST = -float(np.finfo(np.float64).max)


def leaf_conditions(tree: "Tree") -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Yield every leaf with the merged conditions of its path, depth first."""
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
    """Return the condition of each branch of a node."""
    test = tree[node].test if tree.kind[node] == "expression" else None
    if isinstance(test, ExpressionTest):
        return [ExpressionCondition(test, True), ExpressionCondition(test, False)]
    state, feature = tree._state, int(tree.feature[node])
    column = tree.schema.columns[feature]
    name, words = column.name, column.categories
    cuts, groups = read_branches(state, node, n_branches)
    # Where tests place missing values, the condition of that branch says so.
    default = int(state["default_branch"][node])
    missing = [tree.missing in GAP_RULES and branch == default for branch in range(n_branches)]
    if cuts:
        # A low bound of -inf means no bound, so "above -inf" becomes "above the lowest number".
        lows = [-np.inf, *(max(cut, _LOWEST) for cut in cuts)]
        highs = [*cuts, np.inf]
        return [
            Interval(feature, name, low, high, words, gaps)
            for low, high, gaps in zip(lows, highs, missing, strict=True)
        ]
    empty = [branch for branch, codes in enumerate(groups) if not codes]
    branches = list(groups)
    if empty == [default]:  # "not in": all that the test leaves out
        named = {code for codes in groups for code in codes}
        branches[empty[0]] = tuple(code for code in range(len(words)) if code not in named)
    return [
        Membership(feature, name, codes, words, gaps)
        for codes, gaps in zip(branches, missing, strict=True)
    ]


def path_rules(tree: "Tree") -> list[Rule]:
    """Return a rule for each leaf of a tree, depth first."""
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
