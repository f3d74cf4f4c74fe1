"""A fitted multiway tree beside the oracle's: the same tests, weights and answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from growth.problems import Array, Problem
from reference.c45 import C45, Node, predict_row

from spinney import Tree
from spinney._table import encode_with


def oracle_problem(model: Any, problem: Problem, **parameters: Any) -> C45:
    """What the oracle needs to know, with columns and classes numbered as in the model."""
    columns = model.tree_.schema.columns
    numbers = {label: code for code, label in enumerate(model.classes_.tolist())}
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    return C45(
        np.asarray(encode_with(model.tree_.schema, problem.table)),
        [column.kind for column in columns],
        [len(column.categories) for column in columns],
        [numbers.get(label, 0) for label in problem.y.tolist()],  # an unknown class weighs nothing
        len(numbers),
        weights,
        **parameters,
    )


def differences(tree: Tree, theirs: Node) -> list[str]:
    """Say in words where two trees are not the same, node by node."""
    found: list[str] = []
    stack = [(tree.root, theirs, theirs)]
    while stack:
        node, other, parent = stack.pop()
        where = f"node {node.id}"
        if abs(node.weight - other.weight) > 1e-9 * max(1.0, other.weight):
            found.append(f"{where}: weight {node.weight}, the oracle's {other.weight}")
        counts = other.counts if other.weight > 0 else parent.counts
        if not np.allclose(tree.value[node.id], counts, rtol=1e-9, atol=1e-9):
            found.append(f"{where}: counts {tree.value[node.id]}, the oracle's {counts}")
        if len(node.children) != len(other.children):
            found.append(f"{where}: {_test(node)}, the oracle's {other.feature} {other.threshold}")
            continue
        if node.is_leaf:
            continue
        if node.test.feature != other.feature:
            found.append(f"{where}: {_test(node)}, the oracle's column {other.feature}")
            continue
        if other.threshold is not None and node.test.threshold != other.threshold:
            found.append(f"{where}: {_test(node)}, the oracle's threshold {other.threshold}")
        stack += [(a, b, other) for a, b in zip(node.children, other.children, strict=True)]
    return found


def _test(node: Any) -> str:
    return "a leaf" if node.is_leaf else f"{node.test} in {len(node.children)} branches"


def assert_same_answers(model: Any, table: Any, cells: Array, theirs: Node) -> None:
    """Equal probabilities, and labels where no two classes are tied."""
    expected = np.array([predict_row(theirs, row) for row in cells])
    np.testing.assert_allclose(model.predict_proba(table), expected, rtol=1e-9, atol=1e-9)
    ranked = np.sort(expected, axis=1)
    clear = (
        np.ones(len(cells), bool) if ranked.shape[1] < 2 else ranked[:, -1] - ranked[:, -2] > 1e-9
    )
    labels = model.classes_[expected.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(table)[clear], labels[clear])
