"""Trees of counts and amounts hold, node by node, against trying everything."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from reference import Settings, predict_row

from spinney import CARTRegressor

from .fitted import Fitted, _fitted, number_faults, oracle_limits
from .problems import Array, Problem, limits, tables, weights

CRITERIA = ["poisson", "gamma", "tweedie"]
few_examples = settings(max_examples=max(1, settings.default.max_examples // 6))
MANY: dict[str, Any] = {"max_rows": 18, "max_categories": 14, "kinds": ("nominal",)}


@dataclass(frozen=True)
class Counts:
    """A problem, the exposures of its rows, and what deviances have besides."""

    problem: Problem
    exposure: Array | None
    power: float
    prior_cv: float


@st.composite
def counts(draw: st.DrawFn, **size: Any) -> Counts:
    """Small whole numbers; exposures, if any, of few or many values."""
    kinds, cells, new = draw(tables(**size))
    n_rows = len(cells)
    y = np.array(
        draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 5]), min_size=n_rows, max_size=n_rows))
    )
    w = draw(weights(n_rows))
    exposure = None
    if draw(st.booleans()):
        drawn = st.sampled_from([0.5, 1.0, 2.0]) if draw(st.booleans()) else st.floats(0.05, 3.0)
        exposure = np.array(draw(st.lists(drawn, min_size=n_rows, max_size=n_rows)))
    problem = Problem(kinds, cells, y.astype(float), w, draw(limits()), new)
    power = draw(st.sampled_from([1.1, 1.5, 1.9]))
    return Counts(problem, exposure, power, draw(st.sampled_from([0.0, 0.0, 0.3, 1.0])))


def fit(criterion: str, given_: Counts, **parameters: Any) -> Fitted:
    """Fit a problem and hand the tree to the oracle; amounts are counts that nobody has none of."""
    problem = given_.problem
    y = problem.y + (0.25 if criterion == "gamma" else 0.0)
    w = np.ones(len(y)) if problem.weights is None else problem.weights
    assume((w * y).sum() > 0)
    prior_cv = given_.prior_cv if criterion == "poisson" else 0.0
    options = {**problem.limits, **parameters}
    model = CARTRegressor(criterion, tweedie_power=given_.power, prior_cv=prior_cv, **options)
    model.fit(problem.table, y, sample_weight=problem.weights, exposure=given_.exposure)
    exposure = np.ones(len(y)) if given_.exposure is None else given_.exposure
    prior = (0.0, 0.0)
    if prior_cv > 0:
        shape = 1.0 / prior_cv**2
        prior = (shape, shape / (math.fsum(w * y) / math.fsum(w * exposure)))
    told = Settings(
        n_classes=None,
        criterion=criterion,
        power=given_.power,
        prior=prior,
        **oracle_limits(options, w),
    )
    return _fitted(model, problem, np.column_stack([y, exposure]), told)


def check(fitted: Fitted) -> None:
    note(str(fitted.tree))
    assert fitted.faults() == []
    assert number_faults(fitted) == []


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@given(drawn=counts())
def test_every_choice_of_a_deviance_is_a_best_one(criterion: str, drawn: Counts) -> None:
    check(fit(criterion, drawn))


@pytest.mark.parametrize("criterion", CRITERIA)
@few_examples
@given(drawn=counts(**MANY))
def test_many_categories_of_counts_are_divided_in_a_best_way(criterion: str, drawn: Counts) -> None:
    check(fit(criterion, drawn))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@given(drawn=counts())
def test_rates_of_new_rows_are_the_oracles(criterion: str, drawn: Counts) -> None:
    fitted = fit(criterion, drawn)
    note(str(fitted.tree))
    root = fitted.oracle()
    for table in (drawn.problem.new_table, drawn.problem.table):
        rows = fitted.encode(table)
        expected = [predict_row(root, row, fitted.settings)[0] for row in rows]
        np.testing.assert_allclose(fitted.model.predict(table), expected, 1e-12, 1e-14)


@pytest.mark.parametrize("criterion", CRITERIA)
@few_examples
@given(drawn=counts())
def test_bins_of_few_values_find_what_exact_search_finds(criterion: str, drawn: Counts) -> None:
    assume(drawn.problem.limits["missing"] != "fractional")
    one, other = fit(criterion, drawn), fit(criterion, drawn, max_bins=255)
    np.testing.assert_allclose(
        one.model.predict(drawn.problem.table), other.model.predict(drawn.problem.table), 1e-12
    )
