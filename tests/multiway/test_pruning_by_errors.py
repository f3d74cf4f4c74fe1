"""Error-based pruning of CART's trees: replacement as an oracle does it, and subtree raising."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from growth.problems import Problem, classification
from hypothesis import given, note
from hypothesis import strategies as st
from reference.c45_prune import LENIENCE, added_errors

from spinney import CARTClassifier, Tree

problems = classification(max_rows=40, max_columns=3)
confidences = st.sampled_from([0.01, 0.1, 0.25, 0.5])
gaps = st.sampled_from(["surrogate", "majority", "fractional"])


def fitted(problem: Problem, **parameters: Any) -> Tree:
    model = CARTClassifier(max_depth=6, **parameters)
    tree: Tree = model.fit(problem.table, problem.y, sample_weight=problem.weights).tree_
    return tree


def leaf_estimate(counts: Any, cf: float) -> float:
    total = math.fsum(counts)
    errors = total - max(counts)
    errors = 0.0 if errors < 1e-9 else errors
    return errors + added_errors(total, errors, cf) if total > 1e-6 else 0.0


def estimate(tree: Tree, cf: float) -> float:
    """Errors to expect of all leaves."""
    return math.fsum(leaf_estimate(tree.value[leaf.id], cf) for leaf in tree.leaves)


def replaced(tree: Tree, cf: float) -> list[list[float]]:
    """Class counts of what is left, node by node in depth-first order, after replacement."""

    def visit(node: Any) -> tuple[list[list[float]], float]:
        counts = tree.value[node.id].tolist()
        as_leaf = leaf_estimate(counts, cf)
        if node.is_leaf:
            return [counts], as_leaf
        below = [visit(child) for child in node.children]
        as_branch = math.fsum(errors for _, errors in below)
        if as_leaf <= as_branch + LENIENCE + 1e-6:
            return [counts], as_leaf
        return [counts, *(c for kept, _ in below for c in kept)], as_branch

    return visit(tree.root)[0]


def depth_first(tree: Tree) -> list[list[float]]:
    found, stack = [], [tree.root]
    while stack:
        node = stack.pop()
        found.append(tree.value[node.id].tolist())
        stack += reversed(node.children)
    return found


@given(problem=problems, cf=confidences, missing=gaps)
def test_replacement_is_the_oracles(problem: Problem, cf: float, missing: str) -> None:
    whole = fitted(problem, missing=missing)
    note(str(whole))
    pruned = fitted(problem, missing=missing, pruning="error_based", cf=cf, subtree_raising=False)
    expected, found = replaced(whole, cf), depth_first(pruned)
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@given(problem=problems, cf=confidences, missing=gaps, raising=st.booleans())
def test_each_cut_adds_at_most_a_tenth_of_an_error(
    problem: Problem, cf: float, missing: str, raising: bool
) -> None:
    whole = fitted(problem, missing=missing)
    pruned = fitted(problem, missing=missing, pruning="error_based", cf=cf, subtree_raising=raising)
    n_gone = sum(not n.is_leaf for n in whole) - sum(not n.is_leaf for n in pruned)
    assert n_gone >= 0
    assert estimate(pruned, cf) <= estimate(whole, cf) + n_gone * (LENIENCE + 1e-5) + 1e-9


@given(problem=problems, missing=gaps)
def test_rows_are_where_the_raised_tree_sends_them(problem: Problem, missing: str) -> None:
    tree = fitted(problem, missing=missing, pruning="error_based")
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    shares = np.zeros(tree.n_nodes)
    for rule, leaf in zip(tree.rules(), [r._leaf for r in tree.rules()], strict=True):
        shares[leaf] = rule.share(problem.table) @ weights
    expected = [leaf.weight for leaf in tree.leaves]
    found = shares[[leaf.id for leaf in tree.leaves]]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_a_test_that_sets_one_row_apart_is_replaced_by_the_branch_below() -> None:
    x = np.array([[0.0, 1.0]] + [[1.0, 1.0]] * 10 + [[1.0, 2.0]] * 10)
    y = [0] * 11 + [1] * 10
    whole = Tree.from_dict(
        {
            "classes": [0, 1],
            "features": ["a", "b"],
            "nodes": [
                {"test": "a <= 0.5", "children": [1, 2], "counts": [11, 10]},
                {"test": None, "children": [], "counts": [1, 0]},
                {"test": "b <= 1.5", "children": [3, 4], "counts": [10, 10]},
                {"test": None, "children": [], "counts": [10, 0]},
                {"test": None, "children": [], "counts": [0, 10]},
            ],
        }
    )
    assert estimate(whole, 0.25) > 3.3
    pruned = CARTClassifier(pruning="error_based").fit(x, y).tree_
    assert estimate(pruned, 0.25) == pytest.approx(2.597, abs=1e-3)
