"""A tree as a dict of lists, text and numbers, which JSON can hold.

What can be worked out from the rest is left to `from_dict`; what cannot is written, so that the
tree comes back exactly. A test is its text; `threshold`, `branches`, `cuts` and `tokens` are added
only where the text alone would not restore it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import Token
from spinney._table import Schema
from spinney.tree._dict_parts import node_numbers
from spinney.tree._node_arrays import MISSING_RULES
from spinney.tree._parse import build_test, column_places
from spinney.tree._tests import IntervalTest, MultiwayTest, SubsetTest, Test, ThresholdTest

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._tree import Tree


def tree_to_dict(tree: "Tree") -> dict[str, Any]:
    """Return everything about a tree in a form that JSON can hold."""
    schema, state = tree.schema, tree._state
    header: dict[str, Any] = {
        "classes": None if tree.classes is None else tree.classes.tolist(),
        "features": list(schema.names),
        "kinds": [column.kind for column in schema.columns],
        "categories": {c.name: list(c.categories) for c in schema.columns if c.kind != "numeric"},
        "has_names": schema.has_names,
        "missing": MISSING_RULES[state["missing"]],
    }
    if tree.classes is not None:
        header["classes_dtype"] = tree.classes.dtype.str
    if tree.cost_matrix is not None:
        header["cost_matrix"] = tree.cost_matrix.tolist()
    if "objective" in state:
        header["objective"] = state["objective"]
    if "monotone" in state:
        signs = zip(schema.names, state["monotone"].tolist(), strict=True)
        header["monotonic_cst"] = {name: sign for name, sign in signs if sign}
    if tree.answer is not None:
        rows = tree.answer.tolist()
        header["answers"] = [row[0] for row in rows] if tree.classes is None else rows
    if tree.lifetimes is not None:
        header["lifetimes"] = tree.lifetimes.to_dict()
    places = column_places(schema.names)
    return {**header, "nodes": [_node_to_dict(node, places) for node in tree]}


def _node_to_dict(node: "Node", places: dict[str, int]) -> dict[str, Any]:
    tree, id = node.tree, node.id
    test = node.test
    entry: dict[str, Any] = {"test": None, "children": [child.id for child in node.children]}
    if test is not None:
        entry |= test_to_dict(without_gaps(test), tree.schema, places)
        if str(test) != str(without_gaps(test)):
            entry["test"] = str(test)
    if tree.classes is None:
        entry["value"] = json_number(float(tree.value[id, 0]))
    else:
        entry["counts"] = [json_number(count) for count in tree.value[id].tolist()]
    entry["n_samples"] = node.n_samples
    entry["weight"] = json_number(node.weight)
    entry["impurity"] = json_number(node.impurity)
    cost = float(tree._state["risk"][id])
    n_classes = None if tree.classes is None else len(tree.classes)
    if cost != node_numbers(entry, n_classes, tree.cost_matrix).cost:
        entry["cost"] = json_number(cost)
    if test is not None:
        entry["default_branch"] = int(tree._state["default_branch"][id])
        entry["gain"] = json_number(float(tree._state["gain"][id]))
        if node.surrogates:
            entry["surrogates"] = [
                {
                    **test_to_dict(surrogate.test, tree.schema, places),
                    "reversed": surrogate.reversed,
                    "agreement": json_number(surrogate.agreement),
                    "adjusted": json_number(surrogate.adjusted),
                }
                for surrogate in node.surrogates
            ]
    return entry


def test_to_dict(test: Test, schema: Schema, places: dict[str, int]) -> dict[str, Any]:
    """Return the text of a test, and what else it takes to restore it."""
    entry: dict[str, Any] = {"test": str(test)}
    if isinstance(test, MultiwayTest):
        entry["branches"] = [list(categories) for categories in test.branches]
    elif isinstance(test, IntervalTest):
        entry["cuts"] = [json_number(cut) for cut in test.cuts]
    if _restores(entry, test, schema, places):
        return entry
    if isinstance(test, ThresholdTest):
        entry["threshold"] = json_number(test.threshold)
    elif isinstance(test, SubsetTest):
        entry["branches"] = [list(test.categories), list(test.other_categories)]
    elif isinstance(test, ExpressionTest):
        entry["tokens"] = tokens_to_list(test.tokens)
    if not _restores(entry, test, schema, places):  # the name of a column looks like a test
        entry |= {"kind": test.kind}
        entry |= {} if isinstance(test, ExpressionTest) else {"feature": test.feature}
    return entry


def tokens_to_list(tokens: Sequence[Token]) -> list[list[Any]]:
    """Return an expression as lists: an operation and, of an operand, its column or number."""
    operands: dict[str, Callable[[Token], Any]] = {
        "column": lambda token: token.arg,
        "constant": lambda token: json_number(token.value),
    }
    return [[t.op, operands[t.op](t)] if t.op in operands else [t.op] for t in tokens]


def without_gaps(test: Test) -> Test:
    """Return a test without a branch for missing values of its own."""
    return replace(test, gaps=None) if isinstance(test, ThresholdTest | SubsetTest) else test


def _restores(entry: dict[str, Any], test: Test, schema: Schema, places: dict[str, int]) -> bool:
    try:
        return build_test(entry, schema, places, test.n_branches) == test
    except ValueError:
        return False


def json_number(value: float) -> float | str:
    """Return a number, as text if JSON has no number for it."""
    return value if math.isfinite(value) else str(value)
