"""Counts with weights and exposures on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance

import spinney
from spinney import CARTRegressor

Run = Callable[..., Result]


@pytest.fixture
def claims(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    rng = np.random.default_rng(4)
    n = 400
    table = pd.DataFrame({"age": rng.integers(18, 80, n), "region": rng.choice(list("abc"), n)})
    table["years"] = rng.uniform(0.1, 1.0, n).round(2)
    table["w"] = rng.integers(1, 4, n)
    rate = np.exp(1.2 * (table["age"] < 30) + 0.8 * (table["region"] == "b"))
    table["claims"] = rng.poisson(table["years"] * rate)
    path = tmp_path / "claims.csv"
    table.to_csv(path, index=False)
    return path, table


GIVEN = ["--target", "claims", "--criterion", "poisson", "--exposure", "years", "--weight", "w"]


def test_weights_and_exposures_reach_the_estimator(run: Run, claims: Any, tmp_path: Path) -> None:
    path, table = claims
    out = tmp_path / "model.spinney"
    result = run("train", path, *GIVEN, "--set", "prior_cv=1.0", "--out", out, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    model = CARTRegressor("poisson", prior_cv=1.0, pruning="cost_complexity", random_state=0)
    X, told = table[["age", "region"]], (table["w"], table["years"])
    model.fit(X, table["claims"], *told)
    assert spinney.load(out).predict(X).tolist() == model.predict(X).tolist()
    assert found["error"]["measure"] == "deviance"
    assert found["error"]["relative"] < 1
    assert set(found["data"]["features"]) == {"age", "region"}


def test_evaluation_tells_deviance_and_d_squared(run: Run, claims: Any, tmp_path: Path) -> None:
    path, table = claims
    out = tmp_path / "model.spinney"
    run("train", path, *GIVEN, "--set", "prior_cv=1.0", "--no-cv", "--out", out)
    columns = ["--target", "claims", "--exposure", "years", "--weight", "w"]
    result = run("evaluate", out, path, *columns, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    rates, time = table["claims"] / table["years"], table["w"] * table["years"]
    predicted = spinney.load(out).predict(table[["age", "region"]])
    deviance = mean_poisson_deviance(rates, predicted, sample_weight=time)
    assert found["error"]["value"] == pytest.approx(deviance)
    assert found["d2"] == pytest.approx(
        d2_tweedie_score(rates, predicted, sample_weight=time, power=1)
    )
    assert "D squared" in run("evaluate", out, path, *columns).output


def test_a_forest_is_cross_validated_by_deviance(run: Run, claims: Any) -> None:
    path, _ = claims
    given = [*GIVEN, "--model", "forest", "--trees", "5", "--min-samples-leaf", "20", "--cv", "3"]
    result = run("train", path, *given, "--json")
    assert result.exit_code == 0, result.output
    error = json.loads(result.stdout)["error"]
    assert error["measure"] == "deviance"
    assert 0 < error["value"] < error["baseline"]


def test_infinite_errors_are_null_in_json(run: Run, claims: Any) -> None:
    path, _ = claims
    result = run("train", path, *GIVEN, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["pruning"]["errors"][0] is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--exposure", "yaers"], "--exposure: no column 'yaers'"),
        (["--exposure", "years", "--drop", "years"], "--exposure: 'years' is left out by --drop."),
        (["--weight", "w", "--drop", "w"], "--weight: 'w' is left out by --drop."),
        (["--exposure", "region"], "--exposure: 'region' holds text, no numbers."),
        (["--exposure", "w", "--criterion", "gini"], "--exposure: this model knows none."),
    ],
)
def test_wrong_columns_are_told(run: Run, claims: Any, given: list[str], words: str) -> None:
    path, _ = claims
    result = run("train", path, "--target", "claims", "--criterion", "poisson", *given)
    assert result.exit_code != 0
    assert words in result.output


def test_models_without_exposure_refuse_one(run: Run, claims: Any, tmp_path: Path) -> None:
    path, _ = claims
    refused = run("train", path, "--target", "claims", "--exposure", "years")
    assert "--exposure: this model knows none." in refused.output
    out = tmp_path / "model.spinney"
    run("train", path, "--target", "claims", "--task", "regression", "--no-cv", "--out", out)
    refused = run("evaluate", out, path, "--target", "claims", "--exposure", "years")
    assert "--exposure: it is for models of counts and amounts." in refused.output
