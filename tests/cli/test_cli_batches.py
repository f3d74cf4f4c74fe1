"""`spinney train --batches` gives the model of `spinney.batches.fit`, or says why not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import spinney
from spinney import CARTClassifier, RandomForestRegressor


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    random = np.random.default_rng(0)
    for i in range(3):
        x, text = random.normal(size=900), random.choice(["a", "b", "c"], 900)
        y = (x + (text == "b") > 0.3).astype(int)
        columns = {"x": x, "text": text, "w": random.random(900), "id": np.arange(900), "y": y}
        pyarrow.parquet.write_table(pa.table({**columns, "z": x * 2}), tmp_path / f"{i}.parquet")
    return str(tmp_path / "*.parquet")


def whole(pattern: str) -> pa.Table:
    files = sorted(Path(pattern).parent.glob("*.parquet"))
    return pa.concat_tables([pyarrow.parquet.read_table(file) for file in files])


def test_the_model_is_that_of_the_whole_table(
    run: Callable[..., Any], pattern: str, tmp_path: Path
) -> None:
    out = tmp_path / "model.spinney"
    done = run(
        *("train", pattern, "--batches", "--target", "y", "--drop", "id", "--weight", "w"),
        *("--seed", 3, "--max-depth", 4, "--jobs", 1, "--out", out),
    )
    assert done.exit_code == 0, done.output
    assert "2,700 rows" in done.output or "2700 rows" in done.output
    assert "Tree:" in done.output
    data = whole(pattern)
    expected = CARTClassifier(
        pruning="cost_complexity", max_bins=255, random_state=3, max_depth=4, n_jobs=1
    )
    expected.fit(
        data.select(["x", "text", "z"]), data["y"].to_numpy(), sample_weight=data["w"].to_numpy()
    )
    assert spinney.load(out).tree_ == expected.tree_


def test_a_forest_of_numbers_as_json(run: Callable[..., Any], pattern: str) -> None:
    done = run(
        *("train", pattern, "--batches", "--target", "z", "--model", "forest", "--trees", 3),
        *("--set", "max_bins=16", "--jobs", 1, "--json", "--nominal", "y"),
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    data = whole(pattern)
    expected = RandomForestRegressor(
        3, max_bins=16, random_state=0, n_jobs=1, categorical_features=["y"]
    )
    with pytest.warns(UserWarning, match="seen by every member"):
        expected.fit(data.drop_columns(["z"]), data["z"].to_numpy())
    assert found["trees"] == [tree.n_leaves for tree in expected.forest_]
    assert (found["task"], found["data"]["rows"]) == ("regression", 2700)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "nothing"], "no column 'nothing'"),
        ([], "say which column"),
        (["--target", "y", "--cost", "0:1=5"], "--cost needs the whole table"),
        (["--target", "y", "--ordered", "text=a,b,c"], "--ordered needs the whole table"),
        (["--target", "y", "--model", "c45"], "has no parameter 'max_bins'"),
        (["--target", "y", "--set", "missing=fractional"], "missing='fractional'"),
    ],
)
def test_what_batches_cannot_do_is_said(
    run: Callable[..., Any], pattern: str, options: list[str], message: str
) -> None:
    done = run("train", pattern, "--batches", *options)
    assert done.exit_code == 2
    assert message in done.output


def test_files_that_are_not_there_or_no_parquet(
    run: Callable[..., Any], write: Callable[..., Path]
) -> None:
    assert "no file matches" in run("train", "nowhere*", "--batches", "--target", "y").output
    text = write("a,y\n1,2\n")
    assert "reads Parquet files" in run("train", text, "--batches", "--target", "y").output
