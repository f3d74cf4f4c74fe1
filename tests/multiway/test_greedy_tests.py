"""Numeric tests of several intervals and tests on groups of categories, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from growth.problems import Problem, classification
from hypothesis import assume, given, note
from hypothesis import strategies as st

from spinney import C45Classifier, Tree

from .greedy_oracle import Found, groups, intervals
from .grown import grown

leaves = st.sampled_from([1, 1, 2, 3])
criteria = st.sampled_from(["gain_ratio", "gain_ratio", "entropy"])


def stump(problem: Problem, **parameters: Any) -> tuple[Tree, Any, Any, Any]:
    """The tree with one test, and what the oracle needs."""
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    assume(weights.sum() >= 2 * parameters["min_samples_leaf"])
    tree = grown(problem.table, problem.y, problem.weights, max_depth=1, **parameters)
    note(str(tree))
    return tree, problem.cells[:, 0], problem.y, weights


def chosen(found: Found | None, by_ratio: bool) -> Found | None:
    """One column is its own average; it only has to gain something."""
    if found is None or (found.gain / found.info if by_ratio else found.gain) <= 1e-6:
        return None
    return found


def runs(max_rows: int) -> st.SearchStrategy[Problem]:
    """Numbers in their order, with classes that come in runs: worth several cuts."""

    def problem(drawn: list[tuple[int, int]], gaps: bool, noise: int) -> Problem:
        y = np.array([code for code, length in drawn for _ in range(length)], float)[:max_rows]
        x = np.arange(len(y), dtype=float)
        y[noise % len(y)] = 0.0
        x = np.where(gaps & (np.arange(len(y)) % 7 == 3), np.nan, x)
        return Problem(("numeric",), x[:, None], y, None, {})

    run = st.tuples(st.integers(0, 2), st.integers(2, 9))
    return st.builds(
        problem, st.lists(run, min_size=2, max_size=8), st.booleans(), st.integers(0, 99)
    )


@given(
    problem=classification(max_rows=30, kinds=("numeric",)) | runs(45),
    least=leaves,
    most=st.integers(2, 6),
    criterion=criteria,
)
def test_cuts_are_those_of_the_greedy_search(
    problem: Problem, least: int, most: int, criterion: str
) -> None:
    options = {"min_samples_leaf": least, "max_intervals": most, "criterion": criterion}
    tree, x, y, weights = stump(problem, **options)
    by_ratio = criterion == "gain_ratio"
    n_classes = len(tree.classes)
    found = intervals(x, y, weights, n_classes, least, most, by_ratio)
    assume(found is None or not found.unclear)
    expected = chosen(found, by_ratio)
    if expected is None or np.count_nonzero(tree.value[0]) < 2:
        assert tree.n_nodes == 1
        return
    test = tree.root.test
    assert (test.cuts if test.kind == "multiway" else (test.threshold,)) == expected.cuts
    assert tree.gain[0] / tree.weight[0] == pytest.approx(expected.gain, rel=1e-9, abs=1e-9)


@given(
    problem=classification(max_rows=40, max_categories=7, kinds=("nominal",)),
    least=leaves,
    criterion=criteria,
)
def test_groups_are_those_of_the_greedy_search(
    problem: Problem, least: int, criterion: str
) -> None:
    tree, x, y, weights = stump(
        problem, min_samples_leaf=least, nominal="grouped", criterion=criterion
    )
    by_ratio = criterion == "gain_ratio"
    found = groups(x, y, weights, least, by_ratio)
    assume(found is None or not found.unclear)
    expected = chosen(found, by_ratio)
    if expected is None or np.count_nonzero(tree.value[0]) < 2:
        assert tree.n_nodes == 1
        return
    assert groups_of(tree.root.test) == expected.groups
    assert tree.gain[0] / tree.weight[0] == pytest.approx(expected.gain, rel=1e-9, abs=1e-9)


def groups_of(test: Any) -> tuple[tuple[int, ...], ...]:
    """The codes of each branch that training rows took."""
    if test.kind == "subset":
        branches = (test.categories, test.other_categories)
    else:
        branches = tuple(branch for branch in test.branches)
    return tuple(tuple(int(name[1:]) for name in branch) for branch in branches)


@pytest.mark.slow
@given(problem=classification(max_rows=40, max_categories=9, kinds=("nominal",)))
def test_grouping_never_lowers_the_gain_ratio(problem: Problem) -> None:
    options = {"min_samples_leaf": 1}
    one_each, x, _, weights = stump(problem, **options)
    grouped, *_ = stump(problem, nominal="grouped", **options)
    assume(one_each.n_nodes > 1)
    assert grouped.n_nodes > 1
    known = float(weights[~np.isnan(x)].sum() / weights.sum())
    assert ratio(grouped, known) >= ratio(one_each, known) - 1e-9


def ratio(tree: Tree, known: float) -> float:
    """Gain over the information of the branches, of which the rows with gaps are one."""
    shares = np.array([child.weight for child in tree.root.children]) / tree.weight[0] * known
    shares = np.array([share for share in [*shares, 1 - known] if share > 1e-12])
    return float(tree.gain[0] / tree.weight[0] / -(shares * np.log2(shares)).sum())


# -- By hand


def test_three_runs_of_two_classes_are_three_intervals() -> None:
    x = np.arange(60.0)[:, None]
    y = np.repeat(["out", "in", "out"], 20)
    model = C45Classifier(max_intervals=5).fit(x, y)
    assert [model.tree_.root.test.branch_text(i) for i in range(3)] == [
        "x0 <= 19",
        "19 < x0 <= 39",
        "x0 > 39",
    ]
    assert model.tree_.n_nodes == 4
    assert str(model.tree_.rules()[1]).startswith("if 19 < x0 <= 39 then in")


def test_a_limit_of_two_intervals_takes_two_tests() -> None:
    x = np.arange(60.0)[:, None]
    tree = C45Classifier().fit(x, np.repeat(["out", "in", "out"], 20)).tree_
    assert [len(node.children) for node in tree if not node.is_leaf] == [2, 2]


def test_a_column_of_intervals_may_be_asked_again_below() -> None:
    x = np.arange(90.0)[:, None]
    tree = grown(x, np.repeat([0, 1, 0, 1, 0, 1, 0, 1, 0], 10), max_intervals=3)
    assert all(leaf.impurity == 0 for leaf in tree.leaves)
    assert tree.max_depth > 1


@pytest.mark.parametrize("n_categories", [10, 64, 65, 150])
def test_categories_of_one_class_end_up_in_one_group(n_categories: int) -> None:
    """Beyond 64 the lightest are merged first, whatever the ratio says."""
    names = np.repeat([f"k{i:03d}" for i in range(n_categories)], 3)
    y = np.repeat(np.arange(n_categories) * 7 % 5 < 2, 3)
    tree = C45Classifier(nominal="grouped").fit({"key": names}, y).tree_
    assert tree.n_leaves == 2
    assert {leaf.impurity for leaf in tree.leaves} == {0.0}
    assert len(tree.root.test.categories) + len(tree.root.test.other_categories) == n_categories
