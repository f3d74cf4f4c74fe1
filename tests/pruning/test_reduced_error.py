"""Reduced-error pruning: bottom-up, a branch goes if the rows set aside fare no worse."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from growth.comparison import outline
from growth.fitted import Fitted
from growth.problems import Problem, classification, regression, weights
from hypothesis import assume, given, note
from hypothesis import strategies as st
from reference import reduced_error as naive

from spinney import CARTClassifier, CARTRegressor
from spinney._folds import hold_out
from spinney.pruning import reduced_error

from .trees import grown, kept_ids


@pytest.mark.slow
@given(drawn=grown(), data=st.data())
def test_reduced_error_collapses_what_the_oracle_collapses(
    drawn: tuple[Problem, Fitted], data: st.DataObject
) -> None:
    problem, fitted = drawn
    n = len(problem.new)
    root = fitted.oracle()
    known = np.unique(fitted.y[root.rows])
    codes = known[data.draw(st.lists(st.integers(0, len(known) - 1), min_size=n, max_size=n))]
    w = data.draw(weights(n))
    y = codes if fitted.tree.classes is None else fitted.tree.classes[codes.astype(int)]
    pruned = reduced_error(fitted.tree, problem.new_table, y, sample_weight=w)
    note(f"{fitted.tree}\n{pruned}")
    values = fitted.encode(problem.new_table)
    assert kept_ids(fitted.tree, pruned) == naive(root, values, codes, w, fitted.settings)


KINDS = ("numeric", "nominal", "numeric")


def check_fit(learner: Any, problem: Problem, strata: np.ndarray, seed: int) -> None:
    """Fitting with pruning is growing on one share and pruning by the other."""
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    assume(np.count_nonzero(w) > 1)
    held_out = hold_out(0.4, strata, w > 0, seed)
    rest = np.where(held_out, 0.0, w)
    for group in np.unique(strata[w > 0]):
        assume((rest[strata == group] > 0).any())
    options = {"pruning": "reduced_error", "validation_fraction": 0.4, "random_state": seed}
    model = learner(**problem.limits, **options).fit(problem.table, problem.y, sample_weight=w)
    grown_on_rest = learner(**problem.limits).fit(problem.table, problem.y, sample_weight=rest)
    pruned = reduced_error(
        grown_on_rest.tree_, problem.table[held_out], problem.y[held_out], sample_weight=w[held_out]
    )
    note(f"{grown_on_rest.tree_}\n{pruned}\n{model.tree_}")
    assert outline(model.tree_.root) == outline(pruned.root)


@pytest.mark.slow
@given(problem=classification(kinds=KINDS), seed=st.integers(0, 99))
def test_fit_prunes_classes_by_the_rows_it_sets_aside(problem: Problem, seed: int) -> None:
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    present = np.unique(problem.y[w > 0])
    strata = np.where(np.isin(problem.y, present), np.searchsorted(present, problem.y), -1)
    check_fit(CARTClassifier, problem, strata, seed)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@given(problem=regression(kinds=KINDS), seed=st.integers(0, 99))
def test_fit_prunes_numbers_by_the_rows_it_sets_aside(
    criterion: str, problem: Problem, seed: int
) -> None:
    learner = partial(CARTRegressor, criterion)
    check_fit(learner, problem, np.zeros(len(problem.y)), seed)


def test_a_pruned_tree_errs_no_more_on_the_rows_that_pruned_it() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = (X[:, 0] > 0.5) ^ (rng.random(400) < 0.2)
    model = CARTClassifier().fit(X[:200], y[:200])
    pruned = reduced_error(model.tree_, X[200:], y[200:])
    assert pruned.n_leaves < model.tree_.n_leaves / 2
    errors = [(tree.predict(X[200:]) != y[200:]).sum() for tree in (model.tree_, pruned)]
    assert errors[1] <= errors[0]
