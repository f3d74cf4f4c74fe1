"""Survival trees hold, node by node, against trying everything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from reference import Settings, predict_row

from spinney import SurvivalTree
from spinney._lifetimes import hazard_scale

from .fitted import Fitted, _fitted, number_faults, oracle_limits
from .problems import Array, Problem, limits, tables, weights

CRITERIA = ["exponential", "logrank"]
few_examples = settings(max_examples=max(1, settings.default.max_examples // 6))
MANY: dict[str, Any] = {"max_rows": 18, "max_categories": 14, "kinds": ("nominal",)}


@st.composite
def lifetimes(draw: st.DrawFn, **size: Any) -> Problem:
    """Few or many times; y has a column of events and one of times."""
    kinds, cells, new = draw(tables(**size))
    n_rows = len(cells)
    event = draw(st.lists(st.sampled_from([0, 1, 1]), min_size=n_rows, max_size=n_rows))
    drawn = st.integers(1, 6).map(float) if draw(st.booleans()) else st.floats(0.01, 50.0)
    time = draw(st.lists(drawn, min_size=n_rows, max_size=n_rows))
    given_limits = draw(limits())
    assume(given_limits["missing"] in ("surrogate", "majority"))
    y = np.array([event, time], dtype=float).T
    return Problem(kinds, cells, y, draw(weights(n_rows)), given_limits, new)


def unit_of(w: Array) -> float:
    """The weight of one row: what all are small multiples of, or their mean."""
    w = w[w > 0]
    times = np.round(w / w.min())
    are_multiples = times.max() <= 127 and (times * w.min() == w).all()
    return float(w.min() if are_multiples else w.mean())


def fit(criterion: str, problem: Problem, prior_cv: float, **parameters: Any) -> Fitted:
    event, time = problem.y.T
    w = np.ones(len(event)) if problem.weights is None else problem.weights
    assume(((w > 0) & (event > 0)).sum() > 1)
    options = {"min_samples_split": 2, "min_samples_leaf": 1, **problem.limits, **parameters}
    model = SurvivalTree(criterion, prior_cv=prior_cv, **options)
    model.fit(problem.table, {"event": event, "time": time}, sample_weight=problem.weights)
    scaled = hazard_scale(event > 0, time, w)
    shape = 1.0 / prior_cv**2 if prior_cv > 0 else 0.0
    rate = math.fsum(w * event) / math.fsum(w * scaled)
    told = Settings(
        n_classes=None,
        criterion="poisson" if criterion == "exponential" else criterion,
        unit=unit_of(w),
        prior=(shape, shape / rate),
        **oracle_limits(options, w),
    )
    return _fitted(model, problem, np.column_stack([event, scaled]), told)


priors = st.sampled_from([0.0, 0.3, 1.0])


def check(fitted: Fitted) -> None:
    note(str(fitted.tree))
    assert fitted.faults() == []
    assert number_faults(fitted) == []


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@given(problem=lifetimes(), prior_cv=priors)
def test_every_choice_is_a_best_one(criterion: str, problem: Problem, prior_cv: float) -> None:
    check(fit(criterion, problem, prior_cv))


@pytest.mark.parametrize("criterion", CRITERIA)
@few_examples
@given(problem=lifetimes(**MANY), prior_cv=priors)
def test_many_categories_are_divided_in_a_best_way(
    criterion: str, problem: Problem, prior_cv: float
) -> None:
    check(fit(criterion, problem, prior_cv))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@given(problem=lifetimes(), prior_cv=priors)
def test_risks_of_new_rows_are_the_oracles(
    criterion: str, problem: Problem, prior_cv: float
) -> None:
    fitted = fit(criterion, problem, prior_cv)
    note(str(fitted.tree))
    root = fitted.oracle()
    for table in (problem.new_table, problem.table):
        rows = fitted.encode(table)
        expected = [predict_row(root, row, fitted.settings)[0] for row in rows]
        np.testing.assert_allclose(fitted.model.predict(table), expected, 1e-12, 1e-14)


@few_examples
@given(problem=lifetimes(max_rows=40), doubled=st.booleans())
def test_the_size_of_all_weights_changes_no_log_rank_tree(problem: Problem, doubled: bool) -> None:
    event, time = problem.y.T
    w = np.ones(len(event)) if problem.weights is None else problem.weights
    assume(((w > 0) & (event > 0)).sum() > 1)
    y = {"event": event, "time": time}
    model = SurvivalTree("logrank", **problem.limits)
    one = [str(node.test) for node in model.fit(problem.table, y, w).tree_]
    other = model.fit(problem.table, y, w * (2.0 if doubled else 0.125)).tree_
    assert [str(node.test) for node in other] == one
