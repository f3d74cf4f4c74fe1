"""Counts and amounts: exposure, priors, scores, faults, and what a model of them can do."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import (
    d2_tweedie_score,
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeRegressor

import spinney
from spinney import (
    BaggingRegressor,
    CARTRegressor,
    IGPAForestRegressor,
    IGPARegressor,
    RandomForestRegressor,
)

POWERS = {"poisson": 1.0, "gamma": 2.0, "tweedie": 1.5}


def claims(n: int = 600, *, positive: bool = False, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Columns, what was counted, exposures, and weights."""
    rng = np.random.default_rng(seed)
    X, exposure = rng.normal(size=(n, 4)).round(1), rng.uniform(0.2, 2.0, n)
    y = rng.poisson(exposure * np.exp(X[:, 0])) + (0.5 if positive else 0.0)
    return X, y, exposure, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("criterion", POWERS)
def test_exposure_is_a_rate_with_weights(criterion: str) -> None:
    X, y, exposure, weight = claims(positive=criterion == "gamma")
    tree = CARTRegressor(criterion, min_samples_leaf=10)
    told = clone(tree).fit(X, y, sample_weight=weight, exposure=exposure)
    rates = clone(tree).fit(X, y / exposure, sample_weight=weight * exposure)
    assert told.tree_.to_text() == rates.tree_.to_text()
    np.testing.assert_allclose(told.predict(X), rates.predict(X), 1e-12)


@pytest.mark.parametrize("criterion", POWERS)
def test_score_is_scikit_learns_d_squared_of_rates(criterion: str) -> None:
    X, y, exposure, weight = claims(positive=criterion == "gamma")
    model = CARTRegressor(criterion, min_samples_leaf=40)
    model.fit(X, y, sample_weight=weight, exposure=exposure)
    expected = d2_tweedie_score(
        y / exposure,
        model.predict(X),
        sample_weight=weight * exposure,
        power=POWERS[criterion],
    )
    found = model.score(X, y, sample_weight=weight, exposure=exposure)
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("criterion", POWERS)
def test_impurities_are_half_the_mean_deviance(criterion: str) -> None:
    X, y, _, weight = claims(positive=criterion == "gamma")
    model = CARTRegressor(criterion, min_samples_leaf=40).fit(X, y, sample_weight=weight)
    deviance = {
        "poisson": mean_poisson_deviance,
        "gamma": mean_gamma_deviance,
        "tweedie": lambda *a, **k: mean_tweedie_deviance(*a, power=1.5, **k),
    }[criterion]
    mean = np.full(len(y), np.average(y, weights=weight))
    assert 2 * model.tree_.root.impurity == pytest.approx(deviance(y, mean, sample_weight=weight))
    leaves = model.tree_.first_child < 0
    left = model.tree_.risk[leaves].sum()
    assert 2 * left == pytest.approx(deviance(y, model.predict(X), sample_weight=weight))


@pytest.mark.parametrize("seed", range(6))
def test_poisson_trees_have_scikit_learns_deviance(seed: int) -> None:
    X, y, exposure, _ = claims(900, seed=seed)
    limits: dict[str, Any] = {"max_depth": 6, "min_samples_leaf": 25}
    ours = CARTRegressor("poisson", **limits).fit(X, y, exposure=exposure)
    theirs = DecisionTreeRegressor(criterion="poisson", random_state=0, **limits)
    theirs.fit(X, y / exposure, sample_weight=exposure)
    deviances = [
        mean_poisson_deviance(y / exposure, model.predict(X), sample_weight=exposure)
        for model in (ours, theirs)
    ]
    assert deviances[0] == pytest.approx(deviances[1], rel=1e-9)


def test_a_prior_is_that_of_rparts_manual() -> None:
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.repeat([0.0, 3.0], 20)
    model = CARTRegressor("poisson", prior_cv=0.5).fit(X, y)
    shape, mean = 4.0, 1.5  # 1 / cv^2, the overall rate
    expected = [(0 + shape) / (20 + shape / mean), (60 + shape) / (20 + shape / mean)]
    np.testing.assert_allclose(model.predict([[0.0], [1.0]]), expected)
    assert model.tree_.root.prediction == pytest.approx(1.5)


def test_a_leaf_without_events_has_a_rate_of_zero() -> None:
    X, y = np.arange(10.0)[:, None], np.repeat([0.0, 2.0], 5)
    model = CARTRegressor("poisson").fit(X, y)
    assert model.predict([[0.0], [9.0]]).tolist() == [0.0, 2.0]
    assert model.score(X, y) == 1.0
    worse = model.score(X, y[::-1])  # the definition is infinite: a billionth is judged instead
    assert math.isfinite(worse)
    assert worse < -5


ENSEMBLES = {
    "forest": lambda criterion: RandomForestRegressor(20, criterion=criterion, random_state=0),
    "bagging": lambda criterion: BaggingRegressor(
        CARTRegressor(criterion), n_estimators=25, oob_score=True, random_state=0
    ),
    "igpa": lambda criterion: IGPAForestRegressor(5, criterion=criterion, random_state=0),
}


@pytest.mark.parametrize("criterion", POWERS)
@pytest.mark.parametrize("kind", ENSEMBLES)
def test_ensembles_take_an_exposure(kind: str, criterion: str) -> None:
    X, y, exposure, weight = claims(positive=criterion == "gamma")
    model = ENSEMBLES[kind](criterion).fit(X, y, sample_weight=weight, exposure=exposure)
    rates = model.predict(X)
    assert (rates >= 0).all()
    assert model.score(X, y, exposure=exposure) > 0.2
    assert np.average(rates, weights=exposure) == pytest.approx(y.sum() / exposure.sum(), rel=0.1)
    if "oob_score_" in vars(model):
        seen = ~np.isnan(model.oob_prediction_)
        expected = d2_tweedie_score(
            (y / exposure)[seen],
            np.maximum(model.oob_prediction_[seen], (y / exposure)[seen] * 1e-9 + 1e-300),
            sample_weight=(weight * exposure)[seen],
            power=POWERS[criterion],
        )
        assert model.oob_score_ == pytest.approx(expected, rel=1e-6)


def test_members_differ_with_the_exposure() -> None:
    X, y, exposure, _ = claims()
    forest = RandomForestRegressor(3, criterion="poisson", random_state=0, oob_score=False)
    one = clone(forest).fit(X, y, exposure=exposure).predict(X)
    other = clone(forest).fit(X, y).predict(X)
    assert not np.allclose(one, other)


@pytest.mark.parametrize("options", [{}, {"max_bins": 32}, {"missing": "fractional"}], ids=str)
def test_nothing_depends_on_threads_or_the_order_of_rows(options: dict[str, Any]) -> None:
    X, y, exposure, weight = claims(1500)
    X[::7, 0] = np.nan
    order = np.random.default_rng(5).permutation(len(y))
    model = CARTRegressor("poisson", min_samples_leaf=5, **options)
    one = clone(model).fit(X, y, weight, exposure).predict(X)
    threads = clone(model).set_params(n_jobs=2).fit(X, y, weight, exposure).predict(X)
    turned = clone(model).fit(X[order], y[order], weight[order], exposure[order]).predict(X)
    assert one.tolist() == threads.tolist()
    np.testing.assert_allclose(one, turned, 1e-12)


@pytest.mark.parametrize("pruning", ["cost_complexity", "reduced_error"])
def test_pruned_trees_generalise(pruning: str) -> None:
    X, y, exposure, _ = claims(1500)
    X_new, y_new, exposure_new, _ = claims(1500, seed=9)
    full = CARTRegressor("poisson").fit(X, y, exposure=exposure)
    pruned = CARTRegressor("poisson", pruning=pruning, prior_cv=1.0, random_state=0)
    pruned.fit(X, y, exposure=exposure)
    assert pruned.tree_.n_leaves < full.tree_.n_leaves
    scores = [m.score(X_new, y_new, exposure=exposure_new) for m in (pruned, full)]
    assert scores[0] > max(0.3, scores[1])


def test_early_stopping_judges_by_deviance() -> None:
    X, y, exposure, _ = claims(1500)
    model = CARTRegressor("poisson", early_stopping=True, random_state=0)
    stopped = model.fit(X, y, exposure=exposure)
    assert 2 <= stopped.tree_.n_leaves < 60
    assert stopped.score(X, y, exposure=exposure) > 0.3


def test_infinite_errors_of_subtrees_are_told_and_passed_over() -> None:
    X, y, exposure, _ = claims(300)
    model = CARTRegressor("poisson", pruning="cost_complexity", random_state=0)
    path = model.fit(X, y, exposure=exposure).pruning_path_
    assert math.isinf(path.errors[0])
    assert math.isfinite(path.errors[path.selected])
    assert "inf" in str(path)


@pytest.mark.parametrize("criterion", POWERS)
def test_files_keep_the_criterion(criterion: str, tmp_path: Any) -> None:
    X, y, exposure, _ = claims(positive=criterion == "gamma")
    for model in (
        CARTRegressor(criterion, tweedie_power=1.2, pruning="cost_complexity", random_state=0),
        RandomForestRegressor(4, criterion=criterion, oob_score=False, random_state=0),
        IGPARegressor(criterion=criterion, random_state=0),
    ):
        fitted = model.fit(X, y, exposure=exposure)
        spinney.save(fitted, tmp_path / "model.spinney")
        again = spinney.load(tmp_path / "model.spinney")
        assert again.get_params() == fitted.get_params()
        assert again.predict(X).tolist() == fitted.predict(X).tolist()
        wanted = fitted.score(X, y, exposure=exposure)
        assert again.score(X, y, exposure=exposure) == wanted


def test_a_tree_of_counts_can_be_read_and_handed_over() -> None:
    X, y, exposure, _ = claims()
    model = CARTRegressor("tweedie", tweedie_power=1.3, max_depth=2).fit(X, y, exposure=exposure)
    tree = model.tree_
    root = f"{tree.root.prediction:.6g}"
    assert root in tree.to_text()
    assert str(model.explain(X[0]))
    assert len(tree.rules()) == tree.n_leaves
    assert tree.plot() is not None
    again = spinney.Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert again.to_text() == tree.to_text()
    code: dict[str, Any] = {}
    exec(spinney.export.to_python(tree), code)


def test_scikit_learn_routes_the_exposure() -> None:
    X, y, exposure, _ = claims()
    with sklearn.config_context(enable_metadata_routing=True):
        tree = CARTRegressor("poisson", max_depth=3)
        tree.set_fit_request(exposure=True).set_score_request(exposure=True)
        pipe = make_pipeline(FunctionTransformer(), tree)
        routed = pipe.fit(X, y, exposure=exposure).predict(X)
        scores = cross_val_score(tree, X, y, params={"exposure": exposure}, cv=3)
    direct = CARTRegressor("poisson", max_depth=3).fit(X, y, exposure=exposure)
    assert routed.tolist() == direct.predict(X).tolist()
    assert (scores > 0.2).all()


X4 = [[0.0], [1.0], [2.0], [3.0]]
FAULTS = [
    ({"y": [1, -1, 2, 3]}, "y holds -1 at index 1, but criterion='poisson' needs targets >= 0"),
    ({"criterion": "gamma", "y": [1, 2, 0, 3]}, "y holds 0 at index 2, but criterion='gamma'"),
    ({"y": [0, 0, 0, 0]}, "y is 0 in every row"),
    ({"exposure": [1, 0, 1, 1]}, "exposure holds 0 at index 1. Exposures must be finite"),
    ({"exposure": [1, 1, -2, 1]}, "exposure holds -2 at index 2"),
    ({"exposure": [1, np.nan, 1, 1]}, "exposure holds nan at index 1"),
    ({"exposure": [1, 1]}, r"exposure must have one number per row, shape \(4,\), got \(2,\)"),
    ({"exposure": ["a"] * 4}, "exposure must hold numbers"),
    ({"exposure": [1, 5e-324, 1, 1], "y": [1, 5, 1, 1]}, "y by exposure is infinite at index 1"),
    ({"criterion": "squared_error", "exposure": [1] * 4}, "exposure is given, but criterion="),
    ({"tweedie_power": 2.0}, "tweedie_power"),
    ({"prior_cv": -1.0}, "prior_cv"),
    ({"criterion": "gamma", "prior_cv": 1.0}, "prior_cv=1.0 is of rates of counts"),
]


@pytest.mark.parametrize(("changes", "words"), FAULTS, ids=[words for _, words in FAULTS])
@pytest.mark.parametrize("kind", [CARTRegressor, RandomForestRegressor, IGPARegressor])
def test_wrong_input_is_told(kind: Any, changes: dict[str, Any], words: str) -> None:
    options = {"criterion": "poisson", **changes}
    y, exposure = options.pop("y", [1, 2, 0, 3]), options.pop("exposure", None)
    with pytest.raises(ValueError, match=words):
        kind(**options).fit(X4, y, exposure=exposure)


def test_rows_of_weight_zero_may_hold_anything() -> None:
    model = CARTRegressor("poisson")
    model.fit(X4, [1, -1, 2, 3], sample_weight=[1, 0, 1, 1], exposure=[1, 0, 1, 1])
    assert model.predict(X4)[0] == 1.0


def test_foreign_members_take_no_exposure() -> None:
    with pytest.raises(ValueError, match="exposure needs members that are trees of this package"):
        BaggingRegressor(DecisionTreeRegressor()).fit(X4, [1, 2, 0, 3], exposure=[1] * 4)


def test_other_rows_with_exposure_choose_a_subtree() -> None:
    X, y, exposure, _ = claims(900)
    X_new, y_new, exposure_new, _ = claims(900, seed=4)
    tree = CARTRegressor("poisson", prior_cv=1.0).fit(X, y, exposure=exposure).tree_
    path = spinney.pruning.cost_complexity_path(tree)
    chosen = spinney.pruning.select(path, X_new, y_new, "min", exposure=exposure_new)
    cut = spinney.pruning.reduced_error(tree, X_new, y_new, exposure=exposure_new)
    for smaller in (chosen, cut):
        assert 1 < smaller.n_leaves < tree.n_leaves
    wanted = 2 * path.errors[-1] * len(y_new) / exposure_new.sum()  # of the root alone
    root = np.full(len(y_new), tree.root.prediction)
    rates = y_new / exposure_new
    assert wanted == pytest.approx(mean_poisson_deviance(rates, root, sample_weight=exposure_new))


def test_paths_and_stages_know_exposures() -> None:
    X, y, exposure, _ = claims()
    tree = CARTRegressor("poisson", min_samples_leaf=20)
    path = tree.cost_complexity_pruning_path(X, y, exposure=exposure).path
    assert path.at(0.0).to_text() == clone(tree).fit(X, y, exposure=exposure).tree_.to_text()
    forest = RandomForestRegressor(4, criterion="poisson", oob_score=False, random_state=0)
    forest.fit(X, y, exposure=exposure)
    stages = list(forest.staged_score(X, y, exposure=exposure))
    assert stages[-1] == forest.score(X, y, exposure=exposure)
