"""Bad input of counts, lifetimes, quantiles and constraints: one clear error, and no model."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from spinney import (
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    IGPAClassifier,
    IGPARegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomSurvivalForest,
    SurvivalTree,
)

N = 12
X = pd.DataFrame({"income": np.arange(float(N)), "region": list("abc") * (N // 3)})
COUNTS = np.array([0.0, 1, 2, 1, 0, 3, 1, 2, 4, 0, 1, 2])
YEARS = np.ones(N)
TIMES = np.arange(1.0, N + 1)
SEEN = np.arange(N) % 2


def changed(values: Any, place: int, value: Any) -> Any:
    values = np.array(values, dtype=float)
    values[place] = value
    return values


def refused(model: Any, message: str, *arguments: Any, **named: Any) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(*arguments, **named)
    assert len(str(caught.value)) < 400
    assert not [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]


def of_counts(criterion: str) -> list[Any]:
    bagged = BaggingRegressor(CARTRegressor(criterion), 2, random_state=0)
    forest = {"n_estimators": 2, "criterion": criterion, "random_state": 0}
    return [
        CARTRegressor(criterion),
        IGPARegressor(criterion=criterion, random_state=0),
        RandomForestRegressor(**forest),
        ExtraTreesRegressor(**forest),
        bagged,
    ]


@pytest.mark.parametrize(
    ("criterion", "y", "exposure", "message"),
    [
        ("poisson", changed(COUNTS, 7, -1), None, "y holds -1 at index 7.*'poisson'.*>= 0"),
        ("tweedie", changed(COUNTS, 7, -0.5), None, "y holds -0.5 at index 7.*tweedie.*>= 0"),
        ("gamma", COUNTS, None, "y holds 0 at index 0.*'gamma' needs targets above 0"),
        ("poisson", np.zeros(N), None, "y is 0 in every row: criterion='poisson' has no rate"),
        ("poisson", COUNTS, changed(YEARS, 3, 0), "exposure holds 0 at index 3"),
        ("gamma", COUNTS + 1, changed(YEARS, 3, -2), "exposure holds -2 at index 3"),
        ("tweedie", COUNTS, changed(YEARS, 3, np.nan), "exposure holds nan at index 3"),
        ("poisson", COUNTS, YEARS[:-1], "exposure must have one number per row"),
        (
            "squared_error",
            COUNTS,
            YEARS,
            "exposure is given, but criterion=",
        ),
    ],
)
def test_counts_and_exposures(criterion, y, exposure, message):
    for model in of_counts(criterion):
        refused(model, message, X, y, exposure=exposure)


@pytest.mark.parametrize(
    ("event", "time", "message"),
    [
        (SEEN, changed(TIMES, 4, 0), "time of y holds 0 at index 4.*above 0"),
        (SEEN, changed(TIMES, 4, -3), "time of y holds -3 at index 4"),
        (np.zeros(N), TIMES, "no event in 12 samples"),
        (changed(np.zeros(N), 2, 1), TIMES, "one event only in 12 samples"),
        (SEEN + 1, TIMES, "event of y holds 2 at index 1, which is no known code"),
        (changed(SEEN, 5, 9), TIMES, "event of y holds 9.* at index 5, which is no known code"),
    ],
)
def test_lifetimes(event, time, message):
    for model in (SurvivalTree(), SurvivalTree("logrank"), RandomSurvivalForest(2)):
        refused(model, message, X, {"event": event, "time": time})


@pytest.mark.parametrize("quantile", [0, 0.0, 1, 1.0, -0.1, 1.5, np.nan, "half", None])
def test_quantiles_of_trees(quantile):
    for model in (CARTRegressor("quantile"), RandomForestRegressor(2, criterion="quantile")):
        with pytest.raises((ValueError, TypeError), match="quantile must be"):
            model.set_params(quantile=quantile).fit(X, COUNTS)


@pytest.mark.parametrize("quantiles", [(0.1, 1.5), (-0.1,), (np.nan,), ("low",), ()])
def test_quantiles_of_forests(quantiles):
    model = RandomForestRegressor(3, keep_targets=True, oob_score=False, random_state=0)
    model.fit(X, COUNTS)
    with pytest.raises((ValueError, TypeError), match="quantiles must"):
        model.predict_quantiles(X, quantiles)


TWO = np.array(["bad", "good"])[SEEN]
THREE = np.array(["bad", "fair", "good"])[np.arange(N) % 3]


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        (
            {"monotonic_cst": {"region": 1}},
            TWO,
            "constrains 'region', a nominal column",
        ),
        (
            {"monotonic_cst": {"incone": 1}},
            TWO,
            "names 'incone'.*Did you mean 'income'",
        ),
        ({"monotonic_cst": [1, 0, 0]}, TWO, "monotonic_cst has 3 entries, but X has 2 columns"),
        ({"monotonic_cst": {"income": 2}}, TWO, "monotonic_cst must be None, a mapping"),
        (
            {"monotonic_cst": {"income": 1, 0: -1}},
            TWO,
            "the signs 1 and -1: it cannot have both",
        ),
        ({"monotonic_cst": {"income": 1}}, THREE, "monotonic_cst needs two classes"),
        ({"interaction_cst": [["income", "regin"]]}, TWO, "interaction_cst names 'regin'"),
        ({"interaction_cst": "none"}, TWO, "interaction_cst must be None, 'no_interactions'"),
    ],
)
def test_constraints(settings, y, message):
    forest = {"n_estimators": 2, "random_state": 0}
    for model in (
        CARTClassifier(**settings),
        IGPAClassifier(random_state=0, **settings),
        RandomForestClassifier(**forest, **settings),
        ExtraTreesClassifier(**forest, **settings),
    ):
        refused(model, message, X, y)
