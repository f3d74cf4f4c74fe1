"""Trees of quantiles hold, node by node, against trying everything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from reference.criteria import pinball, quantile_interval
from sklearn.metrics import d2_pinball_score, mean_pinball_loss

from spinney import CARTRegressor, IGPARegressor, RandomForestRegressor

from .fitted import Fitted, fit_regressor, number_faults
from .problems import Problem, regression
from .test_oracle_predictions import expected_rows

QUANTILES = st.sampled_from([0.5, 0.1, 0.25, 1 / 3, 0.9, 0.99, 1e-6, 1 - 1e-6])
few_examples = settings(max_examples=max(1, settings.default.max_examples // 6))
MANY: dict[str, Any] = {"max_rows": 18, "max_categories": 14, "kinds": ("nominal",)}


def fit(problem: Problem, quantile: float) -> Fitted:
    return fit_regressor(problem, "quantile", quantile=quantile)


def check(fitted: Fitted) -> None:
    note(str(fitted.tree))
    assert fitted.faults() == []
    assert number_faults(fitted) == []


@pytest.mark.slow
@given(problem=regression(), quantile=QUANTILES)
def test_every_choice_of_a_quantile_tree_is_a_best_one(problem: Problem, quantile: float) -> None:
    check(fit(problem, quantile))


@few_examples
@given(problem=regression(**MANY), quantile=QUANTILES)
def test_many_categories_are_divided_in_a_best_way(problem: Problem, quantile: float) -> None:
    check(fit(problem, quantile))


@pytest.mark.slow
@given(problem=regression(), quantile=QUANTILES)
def test_quantiles_of_new_rows_are_the_oracles(problem: Problem, quantile: float) -> None:
    fitted = fit(problem, quantile)
    note(str(fitted.tree))
    for table in (problem.new_table, problem.table):
        expected = expected_rows(fitted, fitted.encode(table))[:, 0]
        scale = np.abs(problem.y).max() + np.ptp(problem.y)
        np.testing.assert_allclose(fitted.model.predict(table), expected, 1e-12, 1e-12 * scale)


@few_examples
@given(problem=regression())
def test_the_quantile_in_the_middle_is_the_median(problem: Problem) -> None:
    # The pinball loss of the median is half of the absolute error: so is the least decrease.
    least = problem.limits["min_impurity_decrease"] / 2
    half = fit_regressor(problem, "quantile", quantile=0.5, min_impurity_decrease=least)
    median = fit_regressor(problem, "absolute_error")
    assert str(half.tree) == str(median.tree)
    np.testing.assert_allclose(2.0 * half.tree.risk, median.tree.risk)


def data(n: int = 400, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.gumbel(size=n) * (1 + (X[:, 1] > 0)), rng.integers(1, 4, n)


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.8])
def test_a_leaf_answers_with_the_quantile_of_its_rows(quantile: float) -> None:
    X, y, w = data()
    model = CARTRegressor("quantile", quantile=quantile, min_samples_leaf=20).fit(X, y, w)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        own = leaves == leaf
        low, high = quantile_interval(y[own], w[own].astype(float), quantile)
        answer = model.tree_.value[leaf, 0]
        assert math.isclose(answer, low / 2 + high / 2)
        cost = sum(wt * pinball(v, answer, quantile) for v, wt in zip(y[own], w[own], strict=True))
        assert math.isclose(model.tree_.risk[leaf] * w.sum(), cost, rel_tol=1e-9)


@pytest.mark.parametrize("quantile", [0.1, 0.75])
def test_pruning_and_cross_validation_judge_by_pinball_loss(quantile: float) -> None:
    X, y, _ = data()
    model = CARTRegressor(
        "quantile", quantile=quantile, pruning="cost_complexity", random_state=0
    ).fit(X, y)
    path = model.pruning_path_
    best = np.quantile(y, quantile, method="averaged_inverted_cdf")
    root = mean_pinball_loss(y, np.full(len(y), best), alpha=quantile)
    assert math.isclose(path.risks[-1], root, rel_tol=1e-9)
    assert math.isclose(path.errors[-1], root, rel_tol=0.1)
    told = mean_pinball_loss(y, model.predict(X), alpha=quantile)
    assert math.isclose(path.risks[path.selected], told, rel_tol=1e-9)


def test_scores_are_d_squared_of_pinball_loss() -> None:
    X, y, w = data(401)  # of so many rows quantiles are values, however they are defined
    for quantile in (0.25, 0.5, 0.75):
        model = CARTRegressor("quantile", quantile=quantile, max_depth=3).fit(X, y)
        wanted = d2_pinball_score(y, model.predict(X), alpha=quantile)
        assert math.isclose(model.score(X, y), wanted, rel_tol=1e-9)
    assert model.score(X, y, w) != model.score(X, y)


def test_forests_judge_rows_left_out_by_pinball_loss() -> None:
    X, y, _ = data()
    forest = RandomForestRegressor(
        60, criterion="quantile", quantile=0.9, min_samples_leaf=10, random_state=0
    ).fit(X, y)
    loss = mean_pinball_loss(y, forest.oob_prediction_, alpha=0.9)
    assert math.isclose(forest.oob_error_curve_[-1], loss, rel_tol=1e-9)
    assert 0.0 < forest.oob_score_ < 1.0
    assert math.isclose(
        forest.oob_score_, d2_pinball_score(y, forest.oob_prediction_, alpha=0.9), rel_tol=1e-2
    )
    assert 0.8 < np.mean(y <= forest.oob_prediction_) < 0.97


def test_trees_that_grow_and_prune_in_turn_take_quantiles() -> None:
    X, y, _ = data()
    low, high = (
        IGPARegressor("quantile", quantile=q, random_state=0).fit(X, y).predict(X).mean()
        for q in (0.1, 0.9)
    )
    assert low < y.mean() < high


@pytest.mark.parametrize("quantile", [0.0, 1.0, -0.1, 1.5, np.nan, "half", None])
def test_quantiles_outside_of_0_and_1_are_refused(quantile: Any) -> None:
    X, y, _ = data(20)
    with pytest.raises((TypeError, ValueError), match="quantile must be"):
        CARTRegressor("quantile", quantile=quantile).fit(X, y)


def test_far_targets_keep_their_quantiles() -> None:
    X, y, _ = data(60)
    near = CARTRegressor("quantile", quantile=0.8, max_depth=3).fit(X, y)
    far = CARTRegressor("quantile", quantile=0.8, max_depth=3).fit(X, np.ldexp(y, 600))
    assert np.array_equal(far.predict(X), np.ldexp(near.predict(X), 600))
    np.testing.assert_allclose(far.tree_.risk, np.ldexp(near.tree_.risk, 600))
