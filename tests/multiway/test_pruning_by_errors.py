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


@pytest.mark.slow
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
    assert_rows_are_in_their_leaves(tree, problem.table, weights)


def assert_rows_are_in_their_leaves(tree: Tree, table: Any, weights: Any) -> None:
    for rule in tree.rules():
        expected = tree.weight[rule._leaf]
        assert rule.share(table) @ weights == pytest.approx(expected, rel=1e-9, abs=1e-9)


# -- Subtree raising


def noisy_xor(seed: int) -> tuple[Any, Any]:
    """Either of two columns alone says nothing, so the first tests are often of the others."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (60, 4)).astype(float)
    return x, ((x[:, 0] > 1) ^ (x[:, 1] > 1)) ^ (rng.random(60) < 0.2)


def test_raising_takes_away_a_needless_first_test() -> None:
    x, y = noisy_xor(4)
    left = CARTClassifier(pruning="error_based", subtree_raising=False).fit(x, y).tree_
    raised = CARTClassifier(pruning="error_based").fit(x, y).tree_
    assert str(left.root.test) == "x2 <= 2.5"
    assert left.n_nodes == 15
    assert [str(n.test) for n in raised if not n.is_leaf] == ["x1 <= 1.5", "x0 <= 1.5", "x0 <= 1.5"]


@pytest.mark.parametrize("missing", ["surrogate", "fractional"])
def test_raised_trees_expect_no_more_errors_and_know_their_rows(missing: str) -> None:
    n_raised = 0
    for seed in range(30):
        x, y = noisy_xor(seed)
        x[np.random.default_rng(seed).random(x.shape) < 0.05] = np.nan
        whole, left, raised = (
            CARTClassifier(missing=missing, pruning=pruning, subtree_raising=raising)
            .fit(x, y)
            .tree_
            for pruning, raising in ((None, True), ("error_based", False), ("error_based", True))
        )
        n_raised += raised != left
        n_gone = sum(not n.is_leaf for n in whole) - sum(not n.is_leaf for n in raised)
        assert estimate(raised, 0.25) <= estimate(whole, 0.25) + n_gone * (LENIENCE + 1e-5)
        assert_rows_are_in_their_leaves(raised, x, np.ones(60))
        np.testing.assert_allclose(
            raised.value[0], sum(raised.value[leaf.id] for leaf in raised.leaves)
        )
    assert n_raised >= 5
