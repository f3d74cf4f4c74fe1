"""Curves, the log-rank statistic and concordance are those of R's survival and scikit-survival.

`curves.json` was written by `make_curves.R`, `scikit_survival.json` by `make_scikit_survival.py`;
scikit-survival is asked again where it is installed.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spinney import RandomSurvivalForest, SurvivalTree
from spinney._lifetimes import Lifetimes, concordance_index

HERE = Path(__file__).parent
CURVES = json.loads((HERE / "curves.json").read_text())
DATA = HERE.parent / "rpart" / "lifetimes" / "data"
PEERS = json.loads((HERE / "scikit_survival.json").read_text())
each_peer = pytest.mark.parametrize("peer", PEERS["sets"], ids=lambda peer: peer["set"])
each_set = pytest.mark.parametrize("told", CURVES, ids=lambda told: told["set"])


def read(name: str) -> tuple[pd.DataFrame, Any]:
    table = pd.read_csv(DATA / f"{name}.csv")
    y = np.empty(len(table), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = table.pop(".event") > 0, table.pop(".time")
    return table, y


def stump(told: Any) -> tuple[pd.DataFrame, Any, SurvivalTree]:
    """Return a tree with the one division that R was told."""
    X, y = read(told["set"])
    is_high = (X[[told["column"]]] > told["cut"]).astype(float)
    return is_high, y, SurvivalTree("logrank", max_depth=1).fit(is_high, y)


@each_set
def test_curves_of_leaves_are_those_of_r(told):
    X, _, tree = stump(told)
    names = {"survival": tree.predict_survival_function, "hazard": tree.predict_cumulative_hazard}
    for high, group in enumerate(("low", "high")):
        row = X[X.iloc[:, 0] == high][:1]
        for name, curve in names.items():
            np.testing.assert_allclose(curve(row, told["times"])[0], told[group][name], 1e-9)


@each_set
def test_the_gain_of_a_division_is_the_log_rank_statistic_of_r(told):
    _, _, tree = stump(told)
    assert tree.tree_.root.gain == pytest.approx(told["chisq"], rel=1e-9)


@each_set
def test_concordance_is_that_of_r(told):
    X, y = read(told["set"])
    risk = X[told["column"]].to_numpy(dtype=float)
    found = concordance_index(Lifetimes(y["event"].copy(), y["time"].copy()), risk, np.ones(len(y)))
    assert found == pytest.approx(told["concordance"], rel=1e-12)


# -- As recorded of scikit-survival


def plain(name: str) -> tuple[pd.DataFrame, Any]:
    """Return the columns that its trees can take."""
    X, y = read(name)
    return X.select_dtypes("number").dropna(axis=1), y


@each_peer
def test_log_rank_trees_have_the_curves_that_scikit_survival_had(peer):
    X, y = plain(peer["set"])
    tree = SurvivalTree("logrank", **PEERS["limits"]).fit(X, y)
    rows = X[::9]
    for name, method in (("hazard", "cumulative_hazard"), ("survival", "survival_function")):
        found = getattr(tree, f"predict_{method}")(rows, peer["times"])
        np.testing.assert_allclose(found, peer[name], 1e-9, 1e-12)


@each_peer
def test_concordance_is_what_scikit_survival_had(peer):
    X, y = plain(peer["set"])
    risk, weight = X.iloc[:, 0].to_numpy(dtype=float), np.ones(len(y))
    found = concordance_index(Lifetimes(y["event"].copy(), y["time"].copy()), risk, weight)
    assert found == pytest.approx(peer["concordance"], rel=1e-12)


@pytest.mark.slow
def test_forests_order_rows_as_well_as_those_of_scikit_survival_did():
    gaps = []
    for peer in PEERS["sets"]:
        X, y = plain(peer["set"])
        test = np.arange(len(X)) % 3 == 0
        for seed, score in enumerate(peer["forest_scores"]):
            forest = RandomSurvivalForest(100, oob_score=False, random_state=seed)
            gaps.append(forest.fit(X[~test], y[~test]).score(X[test], y[test]) - score)
    assert abs(np.mean(gaps)) < 0.01, gaps


# -- As it answers now


@each_set
def test_scikit_survival_agrees_on_concordance_and_curves(told):
    metrics = pytest.importorskip("sksurv.metrics")
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    X, y = read(told["set"])
    tree = SurvivalTree(min_samples_leaf=10).fit(X, y)
    index = metrics.concordance_index_censored(y["event"], y["time"], tree.predict(X))[0]
    assert tree.score(X, y) == pytest.approx(index, rel=1e-9)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        if not y["event"][rows].any():  # which it refuses
            continue
        times, survival = nonparametric.kaplan_meier_estimator(y["event"][rows], y["time"][rows])
        found = tree.predict_survival_function(X[rows][:1], times)[0]
        np.testing.assert_allclose(found, survival, 1e-9, 1e-12)
        times, hazard = nonparametric.nelson_aalen_estimator(y["event"][rows], y["time"][rows])
        found = tree.predict_cumulative_hazard(X[rows][:1], times)[0]
        np.testing.assert_allclose(found, hazard, 1e-9, 1e-12)


@pytest.mark.slow
@each_set
def test_log_rank_trees_are_those_of_scikit_survival(told):
    peers = pytest.importorskip("sksurv.tree")
    X, y = read(told["set"])
    X = X.select_dtypes("number").dropna(axis=1)
    limits: dict[str, Any] = {"max_depth": 3, "min_samples_split": 20, "min_samples_leaf": 10}
    ours = SurvivalTree("logrank", **limits).fit(X, y)
    theirs = peers.SurvivalTree(**limits).fit(X.to_numpy(dtype=float), y)
    hazard = np.array(
        [step(step.x) for step in theirs.predict_cumulative_hazard_function(X.values)]
    )
    np.testing.assert_allclose(
        ours.predict_cumulative_hazard(X, theirs.unique_times_), hazard, 1e-9, 1e-12
    )
