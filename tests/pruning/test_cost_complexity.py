"""Cost-complexity sequences against weakest links by their definition."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from reference import first_tree, node_risks, weakest_link_sequence, weakest_links
from reference.prune import branch_risk, leaves_of

from spinney import CARTRegressor, Tree
from spinney.pruning import cost_complexity_path, link_strengths

from .trees import by_hand, grown, kept_ids, oracle_of, settings_of


def check_exact(tree: Tree) -> None:
    """The exact path is the oracle's: alphas, leaves, risks, and the very nodes collapsed."""
    note(str(tree))
    root, settings = oracle_of(tree), settings_of(tree)
    steps = weakest_link_sequence(root, settings)
    path = cost_complexity_path(tree, method="exact")
    scale = max(float(tree.risk[0]), 1e-300)
    assert path.n_leaves.tolist() == [step.n_leaves for step in steps]
    np.testing.assert_allclose(path.alphas, [s.alpha for s in steps], rtol=1e-9, atol=1e-11 * scale)
    np.testing.assert_allclose(path.risks, [s.risk for s in steps], rtol=1e-9, atol=1e-11 * scale)
    found = [kept_ids(tree, pruned) for pruned in path.trees]
    assert found == [step.collapsed for step in steps]


@given(given_tree=by_hand())
def test_exact_paths_of_trees_by_hand_are_weakest_links(given_tree: dict[str, Any]) -> None:
    check_exact(Tree.from_dict(given_tree))


@given(given_tree=by_hand(with_costs=True))
def test_exact_paths_with_costs_are_weakest_links(given_tree: dict[str, Any]) -> None:
    check_exact(Tree.from_dict(given_tree))


@pytest.mark.slow
@given(drawn=grown())
def test_exact_paths_of_grown_trees_are_weakest_links(drawn: Any) -> None:
    check_exact(drawn[1].tree)


def check_default(tree: Tree) -> None:
    """rpart's rule: nested, from T1 to the root, each tree with its own leaves and risk."""
    note(str(tree))
    root, settings = oracle_of(tree), settings_of(tree)
    risks = node_risks(root, settings)
    path = cost_complexity_path(tree)
    note(str(path))
    found = [kept_ids(tree, pruned) for pruned in path.trees]
    assert found[0] == first_tree(root, risks)
    assert len(path.trees[-1]) == 1
    assert path.alphas[0] == 0.0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    for larger, smaller in pairwise(found):
        assert all(_is_at_or_below(tree, node, smaller) for node in larger)
    for k, collapsed in enumerate(found):
        assert path.n_leaves[k] == len(leaves_of(root, collapsed)) == path.trees[k].n_leaves
        risk = branch_risk(root, risks, collapsed)
        assert path.risks[k] == pytest.approx(risk, rel=1e-9, abs=1e-11 * risks[0])


def _is_at_or_below(tree: Tree, node_id: int, collapsed: frozenset[int]) -> bool:
    while node_id >= 0:
        if node_id in collapsed:
            return True
        node_id = int(tree.parent[node_id])
    return False


@given(given_tree=by_hand())
def test_default_paths_are_nested_from_t1_to_the_root(given_tree: dict[str, Any]) -> None:
    check_default(Tree.from_dict(given_tree))


@given(given_tree=by_hand(with_costs=True))
def test_default_paths_with_costs_are_nested_from_t1_to_the_root(
    given_tree: dict[str, Any],
) -> None:
    check_default(Tree.from_dict(given_tree))


@pytest.mark.slow
@given(drawn=grown())
def test_default_paths_of_grown_trees_are_nested_from_t1_to_the_root(drawn: Any) -> None:
    check_default(drawn[1].tree)


@given(given_tree=by_hand())
def test_both_rules_begin_with_the_same_tree(given_tree: dict[str, Any]) -> None:
    tree = Tree.from_dict(given_tree)
    first, second = (cost_complexity_path(tree, method=m).trees[0] for m in ("rpart", "exact"))
    assert first == second


@given(given_tree=by_hand(with_costs=True))
def test_link_strengths_are_g_of_every_inner_node(given_tree: dict[str, Any]) -> None:
    tree = Tree.from_dict(given_tree)
    root = oracle_of(tree)
    expected = weakest_links(root, node_risks(root, settings_of(tree)))
    strengths = link_strengths(tree)
    inner = tree.first_child >= 0
    assert np.isnan(strengths[~inner]).all()
    found = {int(i): float(strengths[i]) for i in np.flatnonzero(inner)}
    assert found == pytest.approx(expected, abs=1e-12)


@given(given_tree=by_hand(with_costs=True))
def test_path_at_an_alpha_is_the_tree_whose_interval_holds_it(given_tree: dict[str, Any]) -> None:
    tree = Tree.from_dict(given_tree)
    for method in ("rpart", "exact"):
        path = cost_complexity_path(tree, method=method)
        ends = [*path.alphas[1:], 2 * path.alphas[-1] + 1]
        for k, (low, high) in enumerate(zip(path.alphas, ends, strict=True)):
            assert path.at(low) == path.trees[k]
            assert path.at((low + high) / 2) == path.trees[k]


def test_equal_links_are_cut_at_once() -> None:
    """Every branch gains the same: the sequence is the full tree, then the root's children."""
    leaf = {"test": None, "children": []}
    tree = Tree.from_dict(
        {
            "classes": ["a", "b"],
            "features": ["x"],
            "nodes": [
                {"test": "x <= 2", "children": [1, 2], "counts": [12, 12]},
                {"test": "x <= 1", "children": [3, 4], "counts": [10, 2]},
                {"test": "x <= 3", "children": [5, 6], "counts": [2, 10]},
                {**leaf, "counts": [10, 0]},
                {**leaf, "counts": [0, 2]},
                {**leaf, "counts": [2, 0]},
                {**leaf, "counts": [0, 10]},
            ],
        }
    )
    for method in ("rpart", "exact"):
        path = cost_complexity_path(tree, method=method)
        assert path.n_leaves.tolist() == [4, 2, 1]
        assert path.alphas.tolist() == pytest.approx([0, 2 / 24, 8 / 24])


@pytest.mark.parametrize(
    ("unit", "risks"),
    [(1.0, ["0.0000", "0.6667"]), (1e3, ["0", "666667"]), (1e-4, ["0", "6.667e-09"])],
)
def test_risks_are_shown_with_as_many_digits_as_say_something(
    unit: float, risks: list[str]
) -> None:
    model = CARTRegressor(max_depth=2).fit([[0], [1], [2]], [0.0, unit, 2.0 * unit])
    _, rows = cost_complexity_path(model.tree_).table()
    assert [rows[0][3], rows[-1][3]] == risks
