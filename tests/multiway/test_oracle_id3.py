"""Trees of ID3 on random small tables, node by node those of the oracle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from growth.problems import Problem, classification
from hypothesis import assume, given, note
from reference.c45 import C45
from reference.id3 import cut_table, grow_id3, mdl_cuts, quantile_cuts

import spinney

from .side_by_side import assert_same_answers, differences, oracle_problem

if not hasattr(spinney, "ID3Classifier"):
    pytest.skip("ID3Classifier is not there yet", allow_module_level=True)

MIN_SPLIT = 2.0  # weight


def fitted(problem: Problem, **parameters: Any) -> Any:
    total = len(problem.y) if problem.weights is None else problem.weights.sum()
    assume(total >= MIN_SPLIT)  # less weight is an error
    model = spinney.ID3Classifier(**parameters)
    return model.fit(problem.table, problem.y, sample_weight=problem.weights)


def column_cuts(given_to_oracle: C45, n_intervals: int | None) -> list[list[float]]:
    """The cuts of every numeric column, none for the others: by MDL without a number."""
    values, y = given_to_oracle.values, given_to_oracle.y
    weights, k = given_to_oracle.weights, given_to_oracle.n_classes
    cuts: list[list[float]] = []
    for j, kind in enumerate(given_to_oracle.kinds):
        if kind != "numeric":
            cuts.append([])
        elif n_intervals is None:
            cuts.append(mdl_cuts(values[:, j], y, weights, k, slack=1e-12))
        else:
            cuts.append(quantile_cuts(values[:, j], weights, n_intervals))
    return cuts


def check(problem: Problem, model: Any, n_intervals: int | None = None) -> None:
    encoded = oracle_problem(model, problem)
    cuts = column_cuts(encoded, n_intervals)
    sizes = [
        len(cuts[j]) + 1 if kind == "numeric" else encoded.n_categories[j]
        for j, kind in enumerate(encoded.kinds)
    ]
    table = cut_table(encoded.values, encoded.kinds, cuts)
    theirs = grow_id3(replace(encoded, values=table, n_categories=sizes), MIN_SPLIT)
    note(str(model.tree_))
    assert differences(model.tree_, theirs) == []
    for node in model.tree_:
        if not node.is_leaf and encoded.kinds[node.test.feature] == "numeric":
            assert cuts_of(node.test) == pytest.approx(cuts[node.test.feature], rel=1e-15)
    for given_table in (problem.table, problem.new_table):
        values = np.asarray(spinney._table.encode_with(model.tree_.schema, given_table))
        assert_same_answers(model, given_table, cut_table(values, encoded.kinds, cuts), theirs)


def cuts_of(test: Any) -> list[float]:
    """The cuts of a test of numbers; one cut may be written as a threshold."""
    return [test.threshold] if test.kind == "threshold" else list(test.cuts)


@pytest.mark.slow
@given(problem=classification(kinds=("nominal", "nominal", "nominal")))
def test_tree_of_categories_is_the_oracles(problem: Problem) -> None:
    check(problem, fitted(problem))


@pytest.mark.slow
@given(problem=classification(kinds=("ordered", "nominal")))
def test_tree_of_ordered_categories_has_a_branch_for_each(problem: Problem) -> None:
    check(problem, fitted(problem))


@pytest.mark.slow
@given(problem=classification(max_rows=30, kinds=("numeric", "nominal", "numeric")))
def test_tree_of_cut_numbers_is_the_oracles(problem: Problem) -> None:
    check(problem, fitted(problem, discretize="mdl"))


@given(problem=classification(max_rows=30, kinds=("numeric", "numeric")))
def test_tree_of_numbers_cut_at_quantiles_is_the_oracles(problem: Problem) -> None:
    check(problem, fitted(problem, discretize="quantile", n_intervals=3), n_intervals=3)
