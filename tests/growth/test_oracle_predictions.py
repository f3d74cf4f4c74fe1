"""Rows with gaps and unknown categories are predicted as the oracle predicts them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from reference import Node, predict_row
from reference.predict import label_of

from .fitted import Fitted, fit_classifier, fit_regressor
from .problems import Array, Problem, classification, cost_matrices, regression

CRITERIA = ["gini", "entropy", "misclassification", "exponent", "twoing"]


def expected_rows(fitted: Fitted, values: Array) -> Array:
    root = fitted.oracle()
    if fitted.settings.share is not None:  # a quantile need not be the only one
        for node in root.walk():
            node.counts = np.array(node.given["counts"])
    return np.array([predict_row(root, row, fitted.settings) for row in values])


def check_classes(fitted: Fitted, table: object) -> None:
    note(str(fitted.tree))
    expected = expected_rows(fitted, fitted.encode(table))
    shares = fitted.model.predict_proba(table)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-12)
    labels = np.searchsorted(fitted.model.classes_, fitted.model.predict(table))
    assert labels.tolist() == [label_of(row, fitted.settings) for row in expected]


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(CRITERIA))
def test_class_shares_of_new_rows_are_the_oracles(problem: Problem, criterion: str) -> None:
    fitted = fit_classifier(problem, criterion)
    check_classes(fitted, problem.new_table)
    check_classes(fitted, problem.table)


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(CRITERIA), costs=cost_matrices())
def test_labels_of_new_rows_cost_least_and_ties_go_to_the_first_class(
    problem: Problem, criterion: str, costs: Array
) -> None:
    check_classes(fit_classifier(problem, criterion, costs), problem.new_table)


@pytest.mark.slow
@given(problem=regression(), criterion=st.sampled_from(["squared_error", "absolute_error"]))
def test_numbers_of_new_rows_are_the_oracles(problem: Problem, criterion: str) -> None:
    fitted = fit_regressor(problem, criterion)
    note(str(fitted.tree))
    for table in (problem.new_table, problem.table):
        expected = expected_rows(fitted, fitted.encode(table))[:, 0]
        scale = np.abs(problem.y).max() + np.ptp(problem.y)
        np.testing.assert_allclose(fitted.model.predict(table), expected, 1e-12, 1e-12 * scale)


def leaf_of(node: Node, row: Array) -> int:
    """The leaf that a row reaches when it is never divided."""
    while not node.is_leaf:
        assert node.test is not None
        answers = (node.test.side(row), *(s.test.side(row) for s in node.surrogates))
        side = next((a for a in answers if a is not None), node.majority)
        node = node.children[side]
    return node.id


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(CRITERIA))
def test_apply_gives_the_leaf_that_tests_then_surrogates_then_the_majority_lead_to(
    problem: Problem, criterion: str
) -> None:
    fitted = fit_classifier(problem, criterion)
    note(str(fitted.tree))
    root = fitted.oracle()
    values = fitted.encode(problem.new_table)
    expected = [leaf_of(root, row) for row in values]
    assert fitted.model.apply(problem.new_table).tolist() == expected
    paths = fitted.model.decision_path(problem.new_table)
    assert [int(row.indices.max()) for row in paths] == expected
