"""`ccp_alpha` and what `fit` does with a penalty."""

from __future__ import annotations

from typing import Any

import pytest
from growth.fitted import fit_classifier, fit_regressor
from growth.problems import Array, Problem, classification, cost_matrices, regression
from hypothesis import given
from hypothesis import strategies as st

from spinney.pruning import cost_complexity_path


@pytest.mark.slow
@given(problem=classification(), costs=st.none() | cost_matrices(), place=st.floats(0, 1.2))
def test_ccp_alpha_gives_the_tree_of_the_path_at_that_penalty(
    problem: Problem, costs: Array | None, place: float
) -> None:
    full = fit_classifier(problem, "gini", costs).tree
    path = cost_complexity_path(full)
    alpha = place * float(path.alphas[-1])
    pruned = fit_classifier(problem, "gini", costs, ccp_alpha=alpha)
    assert pruned.tree == path.at(alpha)
    again: Any = pruned.model.pruning_path_
    assert again.alphas.tolist() == path.alphas.tolist()


@pytest.mark.slow
@given(problem=regression(), place=st.floats(0, 1.2))
def test_ccp_alpha_prunes_numbers_by_their_squared_error(problem: Problem, place: float) -> None:
    full = fit_regressor(problem).tree
    path = cost_complexity_path(full)
    alpha = place * float(path.alphas[-1])
    assert fit_regressor(problem, ccp_alpha=alpha).tree == path.at(alpha)


@pytest.mark.slow
@given(problem=classification())
def test_a_penalty_of_zero_keeps_the_training_error(problem: Problem) -> None:
    full = fit_classifier(problem).tree
    pruned = fit_classifier(problem, ccp_alpha=0.0).tree
    leaves = [sum(node.risk for node in tree if node.is_leaf) for tree in (full, pruned)]
    assert leaves[0] == pytest.approx(leaves[1], abs=1e-12)
