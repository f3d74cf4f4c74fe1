"""Priors, class weights and costs as altered priors are weights of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from reference import Settings, altered_prior_weights, check_tree, prior_weights

from spinney import CARTClassifier

from .fitted import Fitted, fit_classifier
from .problems import Array, Problem, classification, cost_matrices

CRITERIA = ["gini", "entropy", "misclassification", "exponent", "twoing"]
shares = st.lists(st.sampled_from([0.1, 0.25, 0.5, 1.0, 3.0]), min_size=4, max_size=4)


def complete(problem: Problem) -> Problem:
    """Without gaps: where rows with gaps go is decided by their own weights, as in rpart."""
    cells = np.where(np.isnan(problem.cells), 0.0, problem.cells)
    limits = {**problem.limits, "missing": "majority"}
    return Problem(problem.kinds, cells, problem.y, problem.weights, limits, problem.new)


def row_weights(problem: Problem) -> Array:
    return np.ones(len(problem.y)) if problem.weights is None else problem.weights


def without(node: dict[str, Any], *names: str) -> dict[str, Any]:
    """A nested tree without some of the numbers it reports."""
    kept = {name: value for name, value in node.items() if name not in names}
    return kept | {"children": [without(child, *names) for child in node["children"]]}


def faults_with(fitted: Fitted, w: Array, settings: Settings, *unchecked: str) -> list[str]:
    note(str(fitted.tree))
    tree = without(fitted.nested, "majority", *unchecked)
    limit = fitted.model.min_weight_fraction_leaf * float(w.sum())
    settings = settings.but(min_weight_leaf=limit)
    return check_tree(tree, fitted.values, fitted.kinds, fitted.y, w, settings)


@pytest.mark.slow
@given(
    problem=classification().map(complete), criterion=st.sampled_from(CRITERIA), given_shares=shares
)
def test_priors_reweigh_the_classes(
    problem: Problem, criterion: str, given_shares: list[float]
) -> None:
    w = row_weights(problem)
    classes = np.unique(problem.y[w > 0])
    p = np.array(given_shares[: len(classes)])
    p = p / p.sum()
    priors = dict(zip(classes.tolist(), p.tolist(), strict=True))
    fitted = fit_classifier(problem, criterion, priors=priors)
    reweighed = np.where(w > 0, prior_weights(fitted.y, w, p), 0.0)
    assert faults_with(fitted, reweighed, fitted.settings) == []
    np.testing.assert_allclose(fitted.tree.root.probabilities, p, atol=1e-12)


@given(
    problem=classification().map(complete), criterion=st.sampled_from(CRITERIA), given_shares=shares
)
def test_class_weights_multiply_those_of_the_rows(
    problem: Problem, criterion: str, given_shares: list[float]
) -> None:
    class_weight = dict(enumerate(given_shares))
    w = row_weights(problem)
    present = {label: class_weight[label] for label in np.unique(problem.y[w > 0]).tolist()}
    fitted = fit_classifier(problem, criterion, class_weight=present)
    factors = np.array([class_weight[label] for label in problem.y.tolist()])
    assert faults_with(fitted, w * factors, fitted.settings) == []


@pytest.mark.slow
@given(problem=classification().map(complete))
def test_balanced_class_weights_are_equal_priors(problem: Problem) -> None:
    w = row_weights(problem)
    classes = np.unique(problem.y[w > 0]).tolist()
    priors = {label: 1 / len(classes) for label in classes}
    balanced = fit_classifier(problem, class_weight="balanced")
    equal = fit_classifier(problem, priors=priors)
    np.testing.assert_allclose(balanced.tree.root.probabilities, equal.tree.root.probabilities)
    reweighed = prior_weights(balanced.y, w, np.array([*priors.values()]))
    assert faults_with(balanced, np.where(w > 0, reweighed, 0.0), balanced.settings) == []


@pytest.mark.slow
@given(
    problem=classification().map(complete),
    costs=cost_matrices(),
    criterion=st.sampled_from(CRITERIA),
)
def test_costs_as_altered_priors_reweigh_the_splits_alone(
    problem: Problem, costs: Array, criterion: str
) -> None:
    w = row_weights(problem)
    fitted = fit_classifier(problem, criterion, costs, cost_method="altered_priors")
    if fitted.settings.n_classes == 1:
        return
    altered = np.where(w > 0, altered_prior_weights(fitted.y, w, fitted.settings.costs), 0.0)
    plain = fitted.settings.but(cost_matrix=None)
    reported = ("counts", "weight", "impurity")
    assert faults_with(fitted, altered, plain, *reported) == []
    # What the nodes report, and their labels, are as without the altered priors.
    counts = np.bincount(fitted.y.astype(int), w, minlength=len(fitted.model.classes_))
    np.testing.assert_allclose(fitted.tree.value[0], counts, rtol=1e-12)
    for node in fitted.tree:
        expected = node.counts @ fitted.settings.costs
        assert expected[fitted.tree.labels[node.id]] <= expected.min() + 1e-9


def test_altered_priors_move_a_split_that_costs_in_gini_do_not() -> None:
    """With two classes, costs in the Gini index scale every gain alike."""
    x = np.arange(10.0)[:, np.newaxis]
    y = np.array([1, 1, 0, 0, 1, 1, 1, 0, 1, 0])
    costs = {(1, 0): 4.0}
    plain = CARTClassifier(max_depth=1).fit(x, y).tree_
    in_gini = CARTClassifier(max_depth=1, cost_matrix=costs).fit(x, y).tree_
    altered = CARTClassifier(max_depth=1, cost_matrix=costs, cost_method="altered_priors").fit(x, y)
    assert plain.threshold[0] == in_gini.threshold[0] == 1.5
    assert altered.tree_.threshold[0] == 8.5
