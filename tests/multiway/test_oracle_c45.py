"""Trees of C4.5 on random small tables, node by node those of the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from growth.problems import Problem, classification
from hypothesis import assume, given, note
from hypothesis import strategies as st
from reference.c45_prune import fit

import spinney

from .side_by_side import assert_same_answers, differences, oracle_problem

if not hasattr(spinney, "C45Classifier"):
    pytest.skip("C45Classifier is not there yet", allow_module_level=True)

problems = classification(max_rows=30, max_categories=5)
leaves = st.sampled_from([1, 2, 2, 3])


def fitted(problem: Problem, **parameters: Any) -> Any:
    total = len(problem.y) if problem.weights is None else problem.weights.sum()
    assume(total >= 2 * parameters.get("min_samples_leaf", 2))  # less weight is an error
    model = spinney.C45Classifier(rules=False, **parameters)
    return model.fit(problem.table, problem.y, sample_weight=problem.weights)


def check(problem: Problem, model: Any, pruning: bool, raising: bool, **parameters: Any) -> None:
    given_to_oracle = oracle_problem(model, problem, **parameters)
    theirs = fit(given_to_oracle, pruning, raising)
    note(str(model.tree_))
    assert differences(model.tree_, theirs) == []
    for table in (problem.table, problem.new_table):
        cells = spinney._table.encode_with(model.tree_.schema, table)
        assert_same_answers(model, table, cells, theirs)


@pytest.mark.slow
@given(problem=problems, least=leaves)
def test_unpruned_tree_is_the_oracles(problem: Problem, least: int) -> None:
    model = fitted(problem, pruning=None, min_samples_leaf=least)
    check(problem, model, False, False, min_leaf=least)


@pytest.mark.slow
@given(problem=problems, least=leaves, cf=st.sampled_from([0.1, 0.25, 0.5]), raising=st.booleans())
def test_pruned_tree_is_the_oracles(problem: Problem, least: int, cf: float, raising: bool) -> None:
    model = fitted(problem, cf=cf, min_samples_leaf=least, subtree_raising=raising)
    check(problem, model, True, raising, min_leaf=least, cf=cf)


@pytest.mark.slow
@given(problem=classification(max_rows=40, max_columns=2, kinds=("numeric", "nominal")))
def test_tree_of_a_number_and_a_category_is_the_oracles(problem: Problem) -> None:
    check(problem, fitted(problem), True, True)


@pytest.mark.slow
@given(
    problem=classification(max_rows=12, max_categories=12, kinds=("nominal", "nominal", "numeric"))
)
def test_tree_of_columns_with_many_categories_is_the_oracles(problem: Problem) -> None:
    check(problem, fitted(problem, pruning=None, min_samples_leaf=1), False, False, min_leaf=1)


def test_a_midpoint_that_rounds_below_a_value_leaves_that_value_above() -> None:
    """(1.18 + 1.54) / 2 is less than 1.36 by a rounding; J48 takes 1.36, which decision 9 tells."""
    assert (1.18 + 1.54) / 2 < 1.36
    group = np.repeat([0.0, 1.0], 12)
    x = np.concatenate([np.tile([1.0, 1.18], 3), np.tile([1.54, 1.7], 3), np.tile([1.35, 1.36], 6)])
    y = np.repeat(["low", "high", "other"], [6, 6, 12])
    model = spinney.C45Classifier(rules=False).fit(np.column_stack([group, x]), y)
    assert model.tree_.threshold[:2].tolist() == [0.0, 1.35]
    assert model.predict([[0.0, 1.35], [0.0, 1.36]]).tolist() == ["low", "high"]
