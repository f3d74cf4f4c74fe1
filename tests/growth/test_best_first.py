"""`max_leaf_nodes` divides the most useful leaf first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from spinney import Node, Tree

from .comparison import paired
from .fitted import fit_classifier, fit_regressor
from .problems import Problem, classification, regression


def is_greedy(frontier: list[Node], divided: frozenset[int], tiny: float) -> bool:
    """Whether some order of the divisions always takes a leaf of largest gain.

    Gains closer than rounding are equal: then any of these leaves may come first.
    """
    if not divided:
        return True
    most = max(node.gain for node in frontier)
    for node in frontier:
        if node.gain >= most - tiny and node.id in divided:
            opened = [child for child in node.children if not child.is_leaf]
            others = [other for other in frontier if other != node]
            if is_greedy(others + opened, divided - {node.id}, tiny):
                return True
    return False


def check_greedy(full: Tree, tree: Tree, max_leaf_nodes: int) -> None:
    note(f"{full}\n{tree}")
    assert tree.n_leaves == min(max_leaf_nodes, full.n_leaves)
    divided = frozenset(a.id for a, b in paired(full.root, tree.root) if not b.is_leaf)
    tiny = 1e-12 * max(1.0, float(full.gain.max()))
    frontier = [] if full.root.is_leaf else [full.root]
    assert is_greedy(frontier, divided, tiny)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "twoing"])
@given(problem=classification(), limit=st.integers(2, 9))
def test_classes_are_divided_where_the_gain_is_largest(
    criterion: str, problem: Problem, limit: int
) -> None:
    full = fit_classifier(problem, criterion)
    best_first = fit_classifier(problem, criterion, max_leaf_nodes=limit)
    check_greedy(full.tree, best_first.tree, limit)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@given(problem=regression(), limit=st.integers(2, 9))
def test_numbers_are_divided_where_the_gain_is_largest(
    criterion: str, problem: Problem, limit: int
) -> None:
    full = fit_regressor(problem, criterion)
    best_first = fit_regressor(problem, criterion, max_leaf_nodes=limit)
    check_greedy(full.tree, best_first.tree, limit)


@pytest.mark.slow
@given(problem=classification())
def test_a_limit_that_is_never_reached_changes_no_choice(problem: Problem) -> None:
    fitted = fit_classifier(problem, max_leaf_nodes=1000)
    note(str(fitted.tree))
    found: list[Any] = fitted.faults()
    assert found == []
