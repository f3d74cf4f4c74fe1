"""Trees of random small problems are those of a slow, obvious loop, node for node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from growth.impurities import cubes, squared_error_rate
from growth.problems import Array, cost_matrices
from hypothesis import given, note, reject, settings
from hypothesis import strategies as st
from reference.igpa import UndecidedError

from .compare import Both, solve_classes, solve_numbers
from .problems import Problem, class_shares, problems

CRITERIA = ["gini", "entropy", "misclassification", "exponent", "twoing"]
few_examples = settings(max_examples=max(1, settings.default.max_examples // 2))
some_examples = settings(max_examples=settings.default.max_examples)
more_examples = settings(max_examples=2 * settings.default.max_examples)


def check(solve: Callable[..., Both], *arguments: Any, **parameters: Any) -> None:
    """Ties that no rule decides prove nothing."""
    try:
        both = solve(*arguments, **parameters)
    except UndecidedError:
        reject()
    note(str(both.model.tree_))
    note(str(both.oracle.history))
    assert both.differences() == []


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@some_examples
@given(problem=problems())
def test_trees_of_classes_are_the_oracles(criterion: str, problem: Problem) -> None:
    check(solve_classes, problem, criterion)


@pytest.mark.slow
@more_examples
@given(problem=problems(), criterion=st.sampled_from(CRITERIA), shares=class_shares())
def test_trees_of_weighted_classes_are_the_oracles(
    problem: Problem, criterion: str, shares: dict[str, Any]
) -> None:
    check(solve_classes, problem, criterion, **shares)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gini", "altered_priors"])
@some_examples
@given(problem=problems(), costs=cost_matrices(), criterion=st.sampled_from(CRITERIA))
def test_trees_of_costly_errors_are_the_oracles(
    method: str, problem: Problem, costs: Array, criterion: str
) -> None:
    check(solve_classes, problem, criterion, costs, cost_method=method)


@pytest.mark.slow
@some_examples
@given(problem=problems(), costs=cost_matrices(), shares=class_shares())
def test_trees_of_weighted_classes_and_costly_errors_are_the_oracles(
    problem: Problem, costs: Array, shares: dict[str, Any]
) -> None:
    check(solve_classes, problem, "gini", costs, **shares)


@pytest.mark.slow
@more_examples
@given(problem=problems(regression=True))
def test_trees_of_numbers_are_the_oracles(problem: Problem) -> None:
    check(solve_numbers, problem)


@pytest.mark.slow
@few_examples
@given(problem=problems(regression=True, kinds=("numeric", "ordered")))
def test_trees_of_numbers_by_absolute_errors_are_the_oracles(problem: Problem) -> None:
    check(solve_numbers, problem, "absolute_error")


@few_examples
@given(problem=problems(), criterion=st.sampled_from([cubes, squared_error_rate]))
def test_trees_of_a_users_impurity_are_the_oracles(problem: Problem, criterion: Any) -> None:
    check(solve_classes, problem, criterion)


@pytest.mark.slow
@pytest.mark.parametrize("regression", [False, True])
@some_examples
@given(data=st.data(), most=st.integers(2, 6))
def test_trees_of_few_leaves_are_the_oracles(
    regression: bool, data: st.DataObject, most: int
) -> None:
    problem = data.draw(problems(regression=regression))
    problem.options["max_leaf_nodes"] = most
    if regression:
        check(solve_numbers, problem)
    else:
        check(solve_classes, problem, "gini")
