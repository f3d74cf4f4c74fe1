"""`warm_start`: growing on from the leaves of a tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from spinney import CARTClassifier

from .comparison import assert_same_tests
from .fitted import Fitted, fit_classifier, fit_regressor
from .problems import Problem, classification, regression


def go_on(fitted: Fitted, problem: Problem) -> Fitted:
    """Fit once more without a limit to the depth, from the leaves."""
    fitted.model.set_params(warm_start=True, max_depth=None)
    fitted.model.fit(problem.table, problem.y, sample_weight=problem.weights)
    settings = fitted.settings.but(max_depth=None)
    return Fitted(fitted.model, fitted.values, fitted.kinds, fitted.y, fitted.weights, settings)


def with_depth(problem: Problem, depth: int | None) -> Problem:
    rule = "majority" if problem.limits["missing"] == "fractional" else problem.limits["missing"]
    limits = {**problem.limits, "max_depth": depth, "missing": rule}
    return Problem(problem.kinds, problem.cells, problem.y, problem.weights, limits, problem.new)


def is_exact(problem: Problem) -> bool:
    """Whether sums of weights do not depend on their order."""
    w = problem.weights
    return w is None or bool((w == np.round(w)).all())


@pytest.mark.slow
@given(
    problem=classification(),
    depth=st.integers(1, 3),
    criterion=st.sampled_from(["gini", "entropy"]),
)
def test_growing_on_makes_the_choices_of_growing_at_once(
    problem: Problem, depth: int, criterion: str
) -> None:
    grown_on = go_on(fit_classifier(with_depth(problem, depth), criterion), problem)
    at_once = fit_classifier(with_depth(problem, None), criterion)
    note(f"{at_once.tree}\n{grown_on.tree}")
    assert grown_on.faults() == []
    if is_exact(problem):
        assert_same_tests(at_once.tree, grown_on.tree)


@pytest.mark.slow
@given(problem=regression(), depth=st.integers(1, 3))
def test_growing_on_makes_the_choices_of_growing_at_once_for_numbers(
    problem: Problem, depth: int
) -> None:
    grown_on = go_on(fit_regressor(with_depth(problem, depth)), problem)
    note(str(grown_on.tree))
    assert grown_on.faults() == []


@pytest.mark.slow
@given(problem=classification())
def test_a_grown_tree_does_not_change_when_grown_on(problem: Problem) -> None:
    fitted = fit_classifier(with_depth(problem, None))
    before = fitted.tree
    assert go_on(fitted, problem).tree == before


def test_leaves_that_share_rows_cannot_be_grown_on() -> None:
    model = CARTClassifier(missing="fractional", warm_start=True)
    with pytest.raises(ValueError, match="warm_start does not work with missing='fractional'"):
        model.fit([[0.0], [1.0]], [0, 1])


def test_the_nodes_that_were_there_stay_as_they_were() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 4)), rng.integers(0, 3, 200)
    model = CARTClassifier(max_depth=2, warm_start=True).fit(X[:100], y[:100])
    before = model.tree_
    after = model.set_params(max_depth=4).fit(X[100:], y[100:]).tree_
    n = before.n_nodes
    assert after.n_nodes > n
    inner = np.flatnonzero(before.first_child >= 0)
    np.testing.assert_array_equal(after.value[:n], before.value)
    np.testing.assert_array_equal(after.threshold[inner], before.threshold[inner])
    new_leaves = [before[i] for i in range(n) if before[i].is_leaf and not after[i].is_leaf]
    assert new_leaves
    # What grows below an old leaf comes from the new rows.
    leaf = new_leaves[0].id
    rows = before.apply(X[100:]) == leaf
    below = after.value[[child.id for child in after[leaf].children]].sum()
    assert below == rows.sum()
