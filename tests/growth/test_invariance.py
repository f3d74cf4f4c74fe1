"""What must not change a tree: rows without weight, the unit of weight, copies, threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from reference import check_tree

from spinney import CARTClassifier, CARTRegressor

from .comparison import assert_same_tests, outline
from .fitted import fit_classifier, fit_regressor
from .problems import Problem, classification, make_table, regression

CRITERIA = ["gini", "entropy", "misclassification", "exponent", "twoing"]


def rows_of(problem: Problem, rows: np.ndarray, weights: Any = None) -> Problem:
    cells, y = problem.cells[rows], problem.y[rows]
    return Problem(problem.kinds, cells, y, weights, problem.limits, problem.new)


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(CRITERIA))
def test_rows_of_weight_zero_are_as_if_absent(problem: Problem, criterion: str) -> None:
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    kept = w > 0
    tree = fit_classifier(problem, criterion).tree
    without = fit_classifier(rows_of(problem, kept, w[kept]), criterion).tree
    note(f"{tree}\n{without}")
    assert tree == without


@pytest.mark.slow
@given(problem=regression(), power=st.sampled_from([-20, -1, 1, 10]))
def test_the_unit_of_weight_does_not_matter(problem: Problem, power: int) -> None:
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    everything = np.arange(len(problem.y))
    tree = fit_regressor(problem).tree
    scaled = fit_regressor(rows_of(problem, everything, w * 2.0**power)).tree
    assert_same_tests(tree, scaled)
    assert [node.test for node in tree] == [node.test for node in scaled]


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(CRITERIA))
def test_whole_weights_act_as_repeated_rows(problem: Problem, criterion: str) -> None:
    w = np.ones(len(problem.y)) if problem.weights is None else np.ceil(problem.weights)
    plain = Problem(
        problem.kinds, problem.cells, problem.y, w, {"missing": "majority"}, problem.new
    )
    fitted = fit_classifier(plain, criterion)
    note(str(fitted.tree))
    again = np.repeat(np.arange(len(w)), w.astype(int))
    values, y = fitted.values[again], fitted.y[again]
    faults = check_tree(fitted.nested, values, fitted.kinds, y, None, fitted.settings)
    assert [text for text in faults if "n_samples" not in text] == []


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(CRITERIA))
def test_of_equal_columns_the_first_is_asked(problem: Problem, criterion: str) -> None:
    n = len(problem.kinds)
    twice = Problem(
        problem.kinds * 2, np.hstack([problem.cells] * 2), problem.y, problem.weights,
        {**problem.limits, "missing": "majority"},
    )  # fmt: skip
    tree = fit_classifier(twice, criterion).tree
    assert tree.feature.max() < n


@pytest.mark.slow
@given(problem=regression())
def test_of_equal_columns_the_first_is_asked_for_numbers(problem: Problem) -> None:
    n = len(problem.kinds)
    cells = np.hstack([problem.cells] * 2)
    twice = Problem(problem.kinds * 2, cells, problem.y, problem.weights, problem.limits)
    assert fit_regressor(twice).tree.feature.max() < n


@pytest.mark.parametrize("learner", [CARTClassifier, CARTRegressor])
@pytest.mark.parametrize("missing", ["surrogate", "fractional"])
def test_threads_do_not_change_a_tree(learner: Any, missing: str) -> None:
    rng = np.random.default_rng(0)
    kinds = ("numeric", "nominal", "ordered", "numeric", "numeric", "nominal")
    cells = rng.integers(0, [1000, 9, 5, 50, 10**6, 3], (9000, 6)).astype(float)
    y = rng.integers(0, 3, 9000) + (cells[:, 0] > 500) * 2
    cells[rng.random(cells.shape) < 0.05] = np.nan
    table = make_table(cells, kinds)
    one, two, seven = (
        learner(n_jobs=n, missing=missing, max_depth=8).fit(table, y).tree_ for n in (1, 2, 7)
    )
    assert one.n_nodes > 50
    assert one == two == seven


def test_the_memory_layout_does_not_change_a_tree() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 5)), rng.integers(0, 2, 200)
    expected = outline(CARTClassifier().fit(X, y).tree_.root)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1][::-1]):
        assert outline(CARTClassifier().fit(same, y).tree_.root) == expected
