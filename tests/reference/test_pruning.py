"""Pruning by the oracle: a worked example, and all pruned subtrees of small trees."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from . import (
    Node,
    Settings,
    betas,
    first_tree,
    grow,
    node_risks,
    reduced_error,
    select_by_cv,
    select_by_test_sample,
    tree_from_dict,
    weakest_link_sequence,
    weakest_links,
)
from .conftest import COSTS, KINDS, Credit, make_table
from .selection import choose


@pytest.fixture
def figure_10() -> Node:
    """The tree of the pruning example; ids are the notes' numbers."""

    def leaf(number: int, *counts: int) -> dict[str, Any]:
        return {"id": number, "counts": counts}

    t5 = leaf(5, 10, 60) | {"children": [leaf(8, 10, 0), leaf(9, 0, 60)]}
    t2 = leaf(2, 90, 60) | {"children": [leaf(4, 80, 0), t5]}
    t3 = leaf(3, 10, 40) | {"children": [leaf(6, 10, 0), leaf(7, 0, 40)]}
    return tree_from_dict(leaf(1, 100, 100) | {"children": [t2, t3]})


def test_the_pruning_example_has_the_alphas_of_the_notes(figure_10: Node) -> None:
    risks = node_risks(figure_10, Settings())
    assert first_tree(figure_10, risks) == frozenset()
    expected = {1: 1 / 8, 2: 3 / 20, 3: 1 / 20, 5: 1 / 20}
    assert weakest_links(figure_10, risks) == pytest.approx(expected)
    pruned = frozenset({3, 5})
    assert weakest_links(figure_10, risks, pruned) == pytest.approx({1: 2 / 10, 2: 1 / 4})
    steps = weakest_link_sequence(figure_10, Settings())
    assert [s.alpha for s in steps] == pytest.approx([0, 1 / 20, 2 / 10])
    assert [s.collapsed for s in steps] == [frozenset(), pruned, frozenset({1})]
    assert [s.n_leaves for s in steps] == [5, 3, 1]
    assert [s.risk for s in steps] == pytest.approx([0, 0.1, 0.5])
    assert betas(steps) == pytest.approx([0, 0.1, math.inf])


def test_t1_merges_leaves_that_gain_nothing() -> None:
    inner = {"counts": [6, 2], "children": [{"counts": [4, 0]}, {"counts": [2, 2]}]}
    root = tree_from_dict({"counts": [6, 6], "children": [inner, {"counts": [0, 4]}]})
    assert first_tree(root, node_risks(root, Settings())) == {1}
    assert [s.alpha for s in weakest_link_sequence(root, Settings())] == pytest.approx([0, 1 / 3])


def test_reduced_error_collapses_what_does_not_help(credit: Credit) -> None:
    root = grow(credit.values, credit.kinds, credit.y, None, Settings())
    assert reduced_error(root, credit.values, credit.y, None, Settings()) == frozenset()
    # Without the good loans among the poor, the branch below income <= 36 is of no use.
    rest = [0, 1, 2, 3, 4, 6, 7, 8]
    pruned = reduced_error(root, credit.values[rest], credit.y[rest], None, Settings())
    assert pruned == {root.children[0].id}


def test_errors_on_a_test_sample_are_those_of_each_step(credit: Credit) -> None:
    root = grow(credit.values, credit.kinds, credit.y, None, Settings())
    found = select_by_test_sample(root, credit.values, credit.y, None, Settings(), rule="min")
    # Steps: the full tree; without the last two tests; the root.
    assert found.errors.tolist() == pytest.approx([0, 0.2, 0.5])
    expected = [math.sqrt(e * (1 - e) / 10) for e in (0, 0.2, 0.5)]
    assert found.standard_errors.tolist() == pytest.approx(expected)
    assert found.selected == 0


@pytest.mark.parametrize(("rule", "selected"), [("min", 1), ("1se", 2)])
def test_one_standard_error_rule_takes_the_smallest_tree_within_reach(
    rule: str, selected: int
) -> None:
    errors = [20, 20, 24, 25, 50]  # of 100; one standard error of the least is 4
    losses = np.array([np.arange(100) < e for e in errors], dtype=float)
    assert choose(losses, np.ones(100), rule).selected == selected
    assert choose(losses, np.full(100, 3.0), rule).selected == selected


def test_cross_validation_sums_the_errors_of_left_out_rows() -> None:
    values, y = np.arange(6.0)[:, np.newaxis], np.array([0.0, 0, 0, 1, 1, 1])
    settings = Settings()
    root = grow(values, ["numeric"], y, None, settings)
    folds = [(np.setdiff1d(np.arange(6), [i]), np.array([i])) for i in range(6)]
    found = select_by_cv(root, values, ["numeric"], y, None, settings, folds, rule="min")
    # Left-out rows 2 and 3: cuts at 2 and 3, both inclusive on the left, so only row 3 errs.
    # The root guesses the majority of the other five, which is always the wrong class.
    exact = [Fraction(1, 6), Fraction(1)]
    assert found.errors.tolist() == pytest.approx([float(e) for e in exact])
    assert found.selected == 0


def all_prunings(node: Node, risks: dict[int, float]) -> list[tuple[float, int, frozenset[int]]]:
    """Risk, leaves and collapsed ids of every pruned subtree of a branch."""
    if node.is_leaf:
        return [(risks[node.id], 1, frozenset())]
    below = [all_prunings(child, risks) for child in node.children]
    joined = []
    for parts in product(*below):
        part_risks, part_leaves, part_ids = zip(*parts, strict=True)
        joined.append((sum(part_risks), sum(part_leaves), frozenset[int]().union(*part_ids)))
    return [(risks[node.id], 1, frozenset({node.id})), *joined]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("task", ["labels", "costs", "numbers"])
def test_each_step_is_the_smallest_best_subtree(seed: int, task: str) -> None:
    values, codes, reals, w = make_table(seed)
    settings = {
        "labels": Settings(n_classes=3, max_depth=3),
        "costs": Settings(n_classes=3, max_depth=3, cost_matrix=COSTS),
        "numbers": Settings(n_classes=None, max_depth=3),
    }[task]
    root = grow(values, KINDS, reals if task == "numbers" else codes, w, settings)
    risks = node_risks(root, settings)
    everything = all_prunings(root, risks)
    steps = weakest_link_sequence(root, settings)
    assert len(steps) > 2
    ends = [s.alpha for s in steps[1:]] + [2 * steps[-1].alpha]
    for step, end in zip(steps, ends, strict=True):
        for alpha in (step.alpha, (step.alpha + end) / 2):
            costs = [risk + alpha * leaves for risk, leaves, _ in everything]
            tied = min(costs) + 1e-10 * risks[root.id]
            best = [p for p, cost in zip(everything, costs, strict=True) if cost <= tied]
            assert min(best, key=lambda p: p[1])[2] == step.collapsed


def test_regression_alphas_are_those_of_scikit_learn() -> None:
    values, _, reals, w = make_table(11, gaps=0)
    kept = w > 0
    values, reals, w = values[kept], reals[kept] + np.arange(kept.sum()) / 64, w[kept]
    model = DecisionTreeRegressor(random_state=0, max_depth=4).fit(values, reals, w)
    settings = Settings(n_classes=None, max_depth=4)
    root = grow(values, ["numeric"] * 4, reals, w, settings)
    path = DecisionTreeRegressor(random_state=0, max_depth=4).cost_complexity_pruning_path(
        values, reals, w
    )
    assert model.tree_.node_count == len([*root.walk()])
    steps = weakest_link_sequence(root, settings)
    np.testing.assert_allclose([s.alpha for s in steps], path.ccp_alphas, rtol=1e-9)
    np.testing.assert_allclose([s.risk for s in steps], path.impurities, rtol=1e-9)
