"""Quantiles of forests, against their definition and the quantile-forest package."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

import spinney
from spinney import (
    BaggingRegressor,
    CARTRegressor,
    IGPARegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

SHARES = (0.01, 0.05, 0.25, 0.5, 1 / 3, 0.9, 0.95, 0.999)


def table(n: int = 200, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)).round(1), columns=list("abc"))
    X["kind"] = rng.choice(["u", "v", "w"], n)
    y = (X["a"] + rng.normal(size=n) * (1 + (X["kind"] == "u"))).round(1).to_numpy()
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    return X, y


def by_definition(model: Any, X: Any, y: Any, w: Any, rows: Any, shares: Any) -> Any:
    """Every training row weighs what the trees give it; the least y with enough at or below it."""
    weight = np.zeros((len(rows), len(y)))
    for i in model.selected_:
        drawn = np.bincount(model.estimators_samples_[i], minlength=len(y)) * w
        trained, reached = model.apply(X)[:, i], model.apply(rows)[:, i]
        for row, leaf in enumerate(reached):
            own = np.where(trained == leaf, drawn, 0.0)
            weight[row] += own / own.sum()
    order = np.argsort(y, kind="stable")
    upto = np.cumsum(weight[:, order], axis=1)
    places = [
        [np.flatnonzero(one >= share * one[-1] - 1e-11)[0] for share in shares] for one in upto
    ]
    return y[order][np.array(places)]


MODELS = [
    RandomForestRegressor(15, keep_targets=True, oob_score=False, random_state=0),
    RandomForestRegressor(
        9, keep_targets=True, min_samples_leaf=12, max_surrogates=2, oob_score=False, random_state=1
    ),
    RandomForestRegressor(4, sampling=None, max_depth=2, keep_targets=True, oob_score=False),
    RandomForestRegressor(
        6, criterion="quantile", quantile=0.9, max_depth=4, keep_targets=True, oob_score=False
    ),
    BaggingRegressor(
        CARTRegressor(pruning="reduced_error", random_state=0),
        n_estimators=6,
        sampling="subsample",
        selection="trimmed",
        keep_targets=True,
        random_state=0,
    ),
    BaggingRegressor(IGPARegressor(), n_estimators=4, keep_targets=True, random_state=0),
    BaggingRegressor(n_estimators=5, max_samples=3.0, keep_targets=True, random_state=0),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda one: " ".join(repr(one).split())[:70])
def test_quantiles_are_those_of_the_definition(model: Any, weighted: bool) -> None:
    X, y = table()
    w = np.random.default_rng(2).integers(0, 4, len(y)).astype(float) if weighted else np.ones(200)
    fitted = clone(model).set_params(n_jobs=2).fit(X, y, w)
    rows, _ = table(40, 9)
    wanted = by_definition(fitted, X, y, w, rows, SHARES)
    assert np.array_equal(fitted.predict_quantiles(rows, SHARES), wanted)


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), leaf=st.integers(1, 30), share=st.floats(0.001, 0.999))
def test_any_quantile_of_random_forests_is_that_of_the_definition(
    seed: int, leaf: int, share: float
) -> None:
    X, y = table(60, seed)
    model = RandomForestRegressor(
        5, min_samples_leaf=leaf, keep_targets=True, oob_score=False, random_state=seed
    ).fit(X, y)
    rows, _ = table(8, seed + 1)
    wanted = by_definition(model, X, y, np.ones(60), rows, [share])
    assert np.array_equal(model.predict_quantiles(rows, share), wanted)


def test_the_weights_behind_quantiles_have_the_mean_that_is_predicted() -> None:
    X, y = table()
    model = RandomForestRegressor(8, keep_targets=True, oob_score=False, random_state=0).fit(X, y)
    levels = (np.arange(20_000) + 0.5) / 20_000
    means = model.predict_quantiles(X[:5], levels).mean(axis=1)
    np.testing.assert_allclose(means, model.predict(X[:5]), atol=2e-3)


def test_quantiles_never_cross_and_depend_on_no_threads() -> None:
    X, y = table(400)
    model = RandomForestRegressor(50, keep_targets=True, oob_score=False, random_state=0).fit(X, y)
    found = model.predict_quantiles(X, np.linspace(0.01, 0.99, 25))
    assert (np.diff(found, axis=1) >= 0).all()
    model.n_jobs = 3
    assert np.array_equal(model.predict_quantiles(X, np.linspace(0.01, 0.99, 25)), found)
    one_by_one = [model.predict_quantiles(X[i : i + 1], 0.3)[0, 0] for i in range(20)]
    assert one_by_one == model.predict_quantiles(X[:20], 0.3)[:, 0].tolist()
    assert model.predict_quantiles(X).shape == (400, 3)


def test_shrinkage_and_dropped_trees() -> None:
    X, y = table()
    model = RandomForestRegressor(12, keep_targets=True, oob_score=False, random_state=0)
    plain = clone(model).fit(X, y)
    shrunk = clone(model).set_params(shrinkage=10.0).fit(X, y)
    assert np.array_equal(plain.predict_quantiles(X), shrunk.predict_quantiles(X))
    plain.drop([0, 3])
    wanted = by_definition(plain, X, y, np.ones(200), X[:10], SHARES)
    assert np.array_equal(plain.predict_quantiles(X[:10], SHARES), wanted)


def test_amounts_by_exposure_have_quantiles_of_rates() -> None:
    X, y = table()
    e = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = RandomForestRegressor(
        6, criterion="poisson", min_samples_leaf=9, keep_targets=True, oob_score=False
    ).fit(X, np.abs(y), exposure=e)
    wanted = by_definition(model, X, np.abs(y) / e, e, X[:10], SHARES)
    assert np.array_equal(model.predict_quantiles(X[:10], SHARES), wanted)


def test_far_targets_have_quantiles_in_their_units() -> None:
    X, y = table()
    model = RandomForestRegressor(6, keep_targets=True, oob_score=False, random_state=0)
    near, far = clone(model).fit(X, y), clone(model).fit(X, np.ldexp(y, 600))
    assert np.array_equal(far.predict_quantiles(X), np.ldexp(near.predict_quantiles(X), 600))


def test_a_warm_start_keeps_the_rows_of_all_trees() -> None:
    X, y = table()
    model = RandomForestRegressor(10, keep_targets=True, oob_score=False, random_state=0)
    whole = clone(model).fit(X, y)
    steps = clone(model).set_params(n_estimators=4, warm_start=True).fit(X, y)
    steps.set_params(n_estimators=10).fit(X, y)
    assert np.array_equal(steps.predict_quantiles(X), whole.predict_quantiles(X))
    with pytest.raises(ValueError, match="needs the table of the first fit"):
        steps.set_params(n_estimators=12).fit(X[:100], y[:100])


def test_what_is_kept_is_told_and_stays_in_files_and_pickles(tmp_path: Any) -> None:
    X, y = table(1000)
    model = RandomForestRegressor(20, keep_targets=True, oob_score=False, random_state=0).fit(X, y)
    a_row_and_tree = model.leaf_targets_.nbytes / (1000 * 20)
    assert 4 <= a_row_and_tree <= 11
    spinney.save(model, tmp_path / "model")
    for again in (spinney.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict_quantiles(X), model.predict_quantiles(X))
    plain = RandomForestRegressor(20, oob_score=False, random_state=0).fit(X, y)
    assert not hasattr(plain, "leaf_targets_")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("place", lambda one: one + np.uint32(1000)),
        ("begin", lambda one: one[::-1].copy()),
        ("begin", lambda one: one[1:].copy()),
        ("tree", lambda one: one + 1),
        ("weight", lambda one: -one),
        ("y", lambda one: one[::-1].copy()),
    ],
)
def test_kept_rows_that_do_not_fit_are_refused(name: str, change: Any, tmp_path: Any) -> None:
    X, y = table()
    model = RandomForestRegressor(3, keep_targets=True, oob_score=False, random_state=0).fit(X, y)
    kept = model.leaf_targets_
    object.__setattr__(kept, name, change(getattr(kept, name)))
    with pytest.raises(ValueError, match=r"LeafTargets|leaf_targets_"):
        pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("bad", [0, 1, -0.5, 1.5, [0.5, 1.0], np.nan, "half", None, [], [[0.5]]])
def test_quantiles_outside_of_0_and_1_are_refused(bad: Any) -> None:
    X, y = table(50)
    model = RandomForestRegressor(2, keep_targets=True, oob_score=False, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="quantiles must be"):
        model.predict_quantiles(X, bad)


def test_models_that_kept_nothing_say_what_to_do() -> None:
    X, y = table(50)
    model = RandomForestRegressor(2, oob_score=False).fit(X, y)
    with pytest.raises(ValueError, match="keep_targets=True"):
        model.predict_quantiles(X)
    assert not hasattr(RandomForestClassifier(), "predict_quantiles")
    for wrong, message in [
        (BaggingRegressor(LinearRegression(), keep_targets=True), "trees of this package"),
        (RandomForestRegressor(missing="fractional", keep_targets=True), "fractional"),
        (RandomForestRegressor(sampling="wagging", keep_targets=True), "wagging"),
        (RandomForestRegressor(keep_targets="yes"), "keep_targets must be"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            wrong.fit(X[["a", "c"]], y)


@pytest.mark.slow
def test_quantiles_are_within_noise_of_the_quantile_forest_package() -> None:
    other = pytest.importorskip("quantile_forest", reason="quantile-forest is not installed")
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(3000, 4))
    y = X[:, 0] + np.exp(0.5 * X[:, 1]) * rng.normal(size=3000)
    shares = [0.05, 0.5, 0.95]
    losses = {}
    for seed in range(3):
        ours = RandomForestRegressor(
            100,
            min_samples_leaf=10,
            max_features=1 / 3,
            keep_targets=True,
            oob_score=False,
            random_state=seed,
        ).fit(X[:1500], y[:1500])
        theirs = other.RandomForestQuantileRegressor(
            100, min_samples_leaf=10, max_features=1 / 3, max_samples_leaf=None, random_state=seed
        ).fit(X[:1500], y[:1500])
        for name, found in (
            ("ours", ours.predict_quantiles(X[1500:], shares)),
            ("theirs", theirs.predict(X[1500:], quantiles=shares)),
        ):
            off = y[1500:, None] - found
            losses.setdefault(name, []).append(
                np.maximum(np.array(shares) * off, (np.array(shares) - 1) * off).mean(axis=0)
            )
    ratio = np.mean(losses["ours"], axis=0) / np.mean(losses["theirs"], axis=0)
    assert (abs(ratio - 1) < 0.02).all(), ratio
