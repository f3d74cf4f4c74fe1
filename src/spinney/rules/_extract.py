"""Rules from a tree: one for each leaf, with the conditions of its path.

Conditions are merged on the way down, so that every node of the tree builds each of them once.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._expression.expression_test import ExpressionTest
from spinney._params import CF
from spinney._table import Schema
from spinney._typing import Floats
from spinney.rules._conditions import Condition, ExpressionCondition, Interval, Membership, merged
from spinney.rules._matching import Packed, pack
from spinney.rules._rule import Rule
from spinney.rules._ruleset import RuleSet
from spinney.tree._node_arrays import GAP_RULES, read_branches

if TYPE_CHECKING:
    from spinney.tree._tree import Tree


_LOWEST = -float(np.finfo(np.float64).max)

_NO_CLASSES = (
    "rules that predict numbers cannot be post-pruned: the error estimates are for classes. "
    "Prune the regression tree instead, for example with spinney.pruning.cost_complexity_path."
)


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


def pruned_rules(
    tree: "Tree",
    values: Floats,
    codes: NDArray[Any],
    weight: Floats,
    cf: float = 0.25,
) -> RuleSet:
    """Return the post-pruned rules of a tree, given encoded rows.

    Parameters
    ----------
    tree : Tree
        A classification tree.
    values : array of float64 of shape (n_rows, n_features)
        Numbers and category codes; NaN is missing.
    codes : array of int of shape (n_rows,)
        Index of each row's class in `tree.classes`; ignored where the weight is 0.
    weight : array of float64 of shape (n_rows,)
        Sample weights.
    cf : float, default=0.25
        Confidence level of the error estimates, above 0 and at most 0.5.

    Returns
    -------
    RuleSet
        Ordered: the first matching rule decides. See `RuleSet.prune`.
    """
    if tree.classes is None:
        raise ValueError(_NO_CLASSES)
    found = list(leaf_conditions(tree))
    labels = tree.labels[[leaf for leaf, _ in found]]
    packed = pack(
        [conditions for _, conditions in found], labels.tolist(), len(tree.schema.columns)
    )
    return run(packed, labels, tree.schema, tree.classes, (values, codes, weight), cf)


def run(
    packed: Packed,
    labels: NDArray[Any],
    schema: Schema,
    classes: NDArray[Any],
    rows: tuple[Floats, NDArray[Any], Floats],
    cf: float,
) -> RuleSet:
    """Post-prune packed rules; `rows` are encoded values, class codes and weights."""
    values, codes, weight = rows
    origin, begin, member, counts, default, default_counts, totals = packed.core.post_prune(
        packed.rows(values),
        np.ascontiguousarray(codes, dtype=np.int32),
        np.ascontiguousarray(weight, dtype=np.float64),
        len(classes),
        CF.check("cf", cf),
    )
    rules = []
    for place, source in enumerate(origin.tolist()):
        chosen = [packed.parts[c] for c in member[begin[place] : begin[place + 1]].tolist()]
        label = int(labels[source])
        made = Rule(
            merged(chosen), classes.item(label), counts[place], totals, label=label, cf=float(cf)
        )
        rules.append(made)
    return RuleSet(
        rules,
        schema=schema,
        classes=classes,
        default=classes.item(default),
        default_counts=default_counts if default_counts.any() else totals,
        ordered=True,
    )
