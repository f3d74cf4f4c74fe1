"""Stand-in tests: which are kept, how they rank, which way they send rows, what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from reference import Node, best_surrogate
from reference.missing import majority_share

from spinney import CARTClassifier

from .fitted import Fitted, fit_classifier, fit_regressor
from .problems import Array, Problem, classification, regression

MANY = ("numeric", "nominal", "numeric", "ordered", "numeric")


def keep_gaps(problem: Problem) -> Problem:
    """Only the limits that concern surrogates."""
    limits = {"missing": "surrogate", "max_surrogates": problem.limits["max_surrogates"]}
    return Problem(problem.kinds, problem.cells, problem.y, problem.weights, limits, problem.new)


def check(fitted: Fitted) -> None:
    note(str(fitted.tree))
    assert fitted.faults() == []
    for node in fitted.oracle().walk():
        if not node.is_leaf:
            check_worth(fitted, node)


def check_worth(fitted: Fitted, node: Node) -> None:
    """`adjusted` is the part of the majority rule's errors that a surrogate avoids."""
    assert node.test is not None
    rows, w = fitted.values[node.rows], node.row_weights
    primary = node.test.sides(rows)
    for surrogate in fitted.tree[node.id].surrogates:
        observed = ~np.isnan(rows[:, surrogate.test.feature])
        majority = majority_share(primary, observed, w)
        best = best_surrogate(rows, fitted.kinds, w, primary, surrogate.test.feature)
        assert best is not None
        assert surrogate.agreement == pytest.approx(best.agreement, abs=1e-12)
        expected = (best.agreement - majority) / (1 - majority)
        assert surrogate.adjusted == pytest.approx(expected, abs=1e-9)
        assert 0 < surrogate.adjusted <= 1 + 1e-12


@pytest.mark.slow
@given(
    problem=classification(kinds=MANY).map(keep_gaps), criterion=st.sampled_from(["gini", "twoing"])
)
def test_surrogates_of_classes_are_the_oracles(problem: Problem, criterion: str) -> None:
    check(fit_classifier(problem, criterion))


@pytest.mark.slow
@given(problem=regression(kinds=MANY).map(keep_gaps))
def test_surrogates_of_numbers_are_the_oracles(problem: Problem) -> None:
    check(fit_regressor(problem))


@pytest.fixture
def twins() -> tuple[Array, Array]:
    """Column 1 is column 0 turned round, column 2 a poor copy, column 3 noise."""
    rng = np.random.default_rng(0)
    x = np.arange(40.0)
    poor = np.where(rng.random(40) < 0.2, 40 - x, x)
    return np.column_stack([x, -x, poor, rng.random(40)]), (x > 19).astype(float)


def test_surrogates_rank_by_agreement_and_may_be_reversed(twins: tuple[Array, Array]) -> None:
    X, y = twins
    first, second, *_ = CARTClassifier().fit(X, y).tree_.root.surrogates
    assert (first.test.feature, first.agreement, first.reversed) == (1, 1.0, True)
    assert second.test.feature == 2
    assert not second.reversed
    assert 0.5 < second.agreement < 1.0


def test_rows_without_the_value_follow_the_best_surrogate_that_has_one(
    twins: tuple[Array, Array],
) -> None:
    X, y = twins
    model = CARTClassifier().fit(X, y)
    row = X[30].copy()
    row[0] = np.nan
    assert model.predict([row]) == [1]
    row[1] = np.nan
    assert model.predict([row]) == [float(X[30, 2] > model.tree_.root.surrogates[1].test.threshold)]


def test_surrogates_are_found_although_training_rows_have_no_gaps(
    twins: tuple[Array, Array],
) -> None:
    X, y = twins
    assert len(CARTClassifier().fit(X, y).tree_.root.surrogates) >= 2


@pytest.mark.parametrize(
    ("options", "n"),
    [({"max_surrogates": 0}, 0), ({"max_surrogates": 1}, 1), ({"missing": "majority"}, 0)],
    ids=str,
)
def test_no_more_surrogates_than_asked_for(
    twins: tuple[Array, Array], options: dict[str, int], n: int
) -> None:
    X, y = twins
    assert len(CARTClassifier(**options).fit(X, y).tree_.root.surrogates) == n


def test_a_column_no_better_than_the_majority_is_no_surrogate() -> None:
    x = np.arange(10.0)
    alternating = x % 2
    tree = CARTClassifier().fit(np.column_stack([x, alternating]), x > 3).tree_
    assert tree.root.surrogates == ()
