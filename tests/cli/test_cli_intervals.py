"""Prediction intervals on the command line."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import Result

import spinney

Run = Callable[..., Result]
FOREST = ("cpu_performance", "--model", "forest", "--trees", "20")
KEPT = (*FOREST, "--set", "keep_targets=true")


def test_low_and_high_are_quantiles_of_the_forest(run: Run, model_file: Any) -> None:
    path = model_file(*KEPT)
    done = run("predict", path, "cpu_performance", "--interval", "0.8")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(io.StringIO(done.stdout))
    assert table.columns.tolist() == ["prediction", "low", "high"]
    model, X = spinney.load(path), spinney.datasets.load("cpu_performance").X
    wanted = model.predict_quantiles(X, (0.1, 0.9))
    np.testing.assert_allclose(table[["low", "high"]], wanted)
    assert (table["low"] <= table["high"]).all()


def test_json_lines_have_them_too(run: Run, model_file: Any) -> None:
    done = run("predict", model_file(*KEPT), "cpu_performance", "--interval", "0.9", "--json")
    first = json.loads(done.stdout.splitlines()[0])
    assert list(first) == ["prediction", "low", "high"]


@pytest.mark.parametrize("level", ["0", "1", "1.5", "-1", "nan"])
def test_levels_outside_of_0_and_1_are_refused(run: Run, model_file: Any, level: str) -> None:
    done = run("predict", model_file(*KEPT), "cpu_performance", f"--interval={level}")
    assert done.exit_code == 2
    assert "--interval must be above 0 and below 1" in done.stderr


@pytest.mark.parametrize("given", [FOREST, ("iris", "--model", "forest"), ("cpu_performance",)])
def test_models_that_cannot_say_what_to_do(run: Run, model_file: Any, given: Any) -> None:
    done = run("predict", model_file(*given), given[0], "--interval", "0.9")
    assert done.exit_code == 2
    assert "--set keep_targets=true" in done.stderr


def test_a_kept_column_of_the_same_name_is_refused(
    run: Run, model_file: Any, tmp_path: Path
) -> None:
    table = spinney.datasets.load("cpu_performance").X.assign(low=1)
    table.to_csv(tmp_path / "rows.csv", index=False)
    given = ("--interval", "0.9", "--keep", "low")
    done = run("predict", model_file(*KEPT), tmp_path / "rows.csv", *given)
    assert done.exit_code == 2
    assert "'low'" in done.stderr
