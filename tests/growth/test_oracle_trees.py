"""Every tree of random small problems holds, node by node, against trying everything."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, note, settings

from .fitted import Fitted, fit_classifier, fit_regressor, number_faults
from .impurities import cubes, squared_error_rate
from .problems import Array, Problem, classification, cost_matrices, regression

NAMED = ["gini", "entropy", "misclassification", "exponent", "twoing"]
few_examples = settings(max_examples=max(1, settings.default.max_examples // 6))


def check(fitted: Fitted) -> None:
    note(str(fitted.tree))
    assert fitted.faults() == []
    assert number_faults(fitted) == []


@pytest.mark.slow
@pytest.mark.parametrize("criterion", NAMED)
@given(problem=classification())
def test_every_choice_of_a_named_criterion_is_a_best_one(criterion: str, problem: Problem) -> None:
    check(fit_classifier(problem, criterion))


@pytest.mark.slow
@given(problem=classification(), costs=cost_matrices())
def test_every_choice_with_a_cost_matrix_is_a_best_one(problem: Problem, costs: Array) -> None:
    check(fit_classifier(problem, "gini", costs))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", [cubes, squared_error_rate])
@given(problem=classification())
def test_every_choice_of_a_users_impurity_is_a_best_one(criterion: Any, problem: Problem) -> None:
    check(fit_classifier(problem, criterion))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@given(problem=regression())
def test_every_choice_of_a_regression_tree_is_a_best_one(criterion: str, problem: Problem) -> None:
    check(fit_regressor(problem, criterion))


# Many categories: up to 12 in a node every subset is tried, beyond that an order is cut.

MANY: dict[str, Any] = {"max_rows": 18, "max_categories": 14, "kinds": ("nominal",)}


@pytest.mark.parametrize("criterion", [*NAMED, cubes])
@few_examples
@given(problem=classification(max_classes=2, **MANY))
def test_many_categories_of_two_classes_are_divided_in_a_best_way(
    criterion: Any, problem: Problem
) -> None:
    check(fit_classifier(problem, criterion))


@pytest.mark.parametrize("criterion", [*NAMED, cubes])
@few_examples
@given(problem=classification(max_classes=4, **MANY))
def test_many_categories_of_four_classes_are_divided_in_a_best_way(
    criterion: Any, problem: Problem
) -> None:
    check(fit_classifier(problem, criterion))


@few_examples
@given(problem=classification(max_classes=3, **MANY), costs=cost_matrices())
def test_many_categories_with_costs_are_divided_in_a_best_way(
    problem: Problem, costs: Array
) -> None:
    check(fit_classifier(problem, "gini", costs))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@few_examples
@given(problem=regression(**MANY))
def test_many_categories_of_numbers_are_divided_in_a_best_way(
    criterion: str, problem: Problem
) -> None:
    check(fit_regressor(problem, criterion))
