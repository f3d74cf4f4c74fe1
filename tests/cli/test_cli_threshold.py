"""Decisions by a threshold: chosen, kept in the model, and obeyed by every command."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import spinney
from spinney.datasets import load

Run = Callable[..., Result]
Train = Callable[..., Path]
TREE = ("german_credit", "--max-depth", "4", "--model", "cart_full")
FOREST = ("german_credit", "--model", "forest", "--trees", "15")


def predicted(run: Run, *words: object) -> tuple[np.ndarray, np.ndarray]:
    done = run("predict", *words, "german_credit", "--proba", "--digits", 17)
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    bad = np.array([float(row["probability_bad"]) for row in rows])
    return np.array([row["prediction"] for row in rows]), bad


@pytest.mark.parametrize("how", [TREE, FOREST])
@pytest.mark.parametrize("cut", [0.2, 0.5])
def test_a_threshold_is_kept_and_decides(
    run: Run, model_file: Train, tmp_path: Path, how: tuple[str, ...], cut: float
) -> None:
    out = tmp_path / "cut.spinney"
    done = run("threshold", model_file(*how), "german_credit", "--threshold", cut, "--out", out)
    assert done.exit_code == 0, done.output
    assert spinney.load(out).made_for_.threshold == cut
    labels, bad = predicted(run, out)
    np.testing.assert_array_equal(labels == "bad", bad >= cut)
    found = json.loads(run("evaluate", out, "german_credit", "--json").stdout)
    assert found["threshold"] == cut
    truth = load("german_credit", as_="pandas").y.to_numpy()
    assert found["error"]["value"] == pytest.approx(np.mean(labels != truth))


def test_rules_and_sql_of_a_tree_obey_the_threshold(
    run: Run, model_file: Train, tmp_path: Path
) -> None:
    out = tmp_path / "cut.spinney"
    run("threshold", model_file(*TREE), "german_credit", "--threshold", 0.3, "--out", out)
    labels, _ = predicted(run, out)
    sql = run("rules", out, "--format", "sql", "--table", "loans").stdout
    data = load("german_credit", as_="pandas")
    with sqlite3.connect(":memory:") as base:
        data.X.astype(object).to_sql("loans", base, index=False)
        answers = [row[0] for row in base.execute(sql)]
    assert answers == labels.tolist()
    tree = spinney.load(out).tree_
    np.testing.assert_array_equal(tree.predict(data.X), labels)


def test_the_cut_of_least_cost_is_chosen_by_itself(run: Run, model_file: Train) -> None:
    words = ("threshold", model_file(*TREE), "german_credit", "--cost", "bad:good=5")
    found = json.loads(run(*words, "--json").stdout)
    costs = [row["cost"] for row in found["thresholds"]]
    assert found["threshold"] == found["least_cost"]["cut"]
    assert found["least_cost"]["cost"] <= min(costs) + 1e-12
    assert "--out FILE saves it with this threshold" in " ".join(run(*words).output.split())


@pytest.mark.parametrize("cv", [("--cv", "3"), ("--no-cv",)])
def test_train_keeps_a_threshold(run: Run, tmp_path: Path, cv: tuple[str, ...]) -> None:
    out = tmp_path / "m.spinney"
    costs = ("--cost", "bad:good=5", "--positive", "bad", "--threshold", "cost")
    done = run(
        "train",
        "german_credit",
        "--model",
        "cart_full",
        "--max-depth",
        3,
        *costs,
        *cv,
        "--out",
        out,
    )
    assert done.exit_code == 0, done.output
    cut = spinney.load(out).made_for_.threshold
    assert f"Threshold {cut:g}, of least cost" in done.output
    labels, bad = predicted(run, out)
    np.testing.assert_array_equal(labels == "bad", bad >= cut)


def test_pruning_keeps_the_threshold(run: Run, model_file: Train, tmp_path: Path) -> None:
    cut, small = tmp_path / "cut.spinney", tmp_path / "small.spinney"
    run("threshold", model_file(*TREE), "german_credit", "--threshold", 0.3, "--out", cut)
    done = run("prune", cut, "--leaves", 4, "--out", small)
    assert done.exit_code == 0, done.output
    labels, bad = predicted(run, small)
    np.testing.assert_array_equal(labels == "bad", bad >= 0.3)


@pytest.mark.parametrize("given", ["1.5", "-0.1", "nan", "much"])
@pytest.mark.parametrize("command", ["threshold", "evaluate", "train"])
def test_no_probability_is_refused(
    run: Run, model_file: Train, tmp_path: Path, command: str, given: str
) -> None:
    out = tmp_path / "m.spinney"
    out.write_bytes(b"old")
    words: list[Any] = {
        "threshold": ["threshold", model_file(*TREE), "german_credit", "--out", out],
        "evaluate": ["evaluate", model_file(*TREE), "german_credit"],
        "train": ["train", "german_credit", "--no-cv", "--out", out],
    }[command]
    done = run(*words, f"--threshold={given}")
    assert done.exit_code == 2
    assert "--threshold: give a probability from 0 to 1, or cost" in done.stderr
    assert out.read_bytes() == b"old"


@pytest.mark.parametrize("data", ["iris", "boston_housing"])
def test_a_threshold_needs_two_classes(run: Run, model_file: Train, data: str) -> None:
    for words in (["threshold", model_file(data), data], ["train", data, "--no-cv"]):
        done = run(*words, "--threshold", 0.3)
        assert done.exit_code == 2
        assert "two classes" in done.stderr


def test_pictures_show_the_curves(run: Run, model_file: Train, tmp_path: Path) -> None:
    picture = tmp_path / "curves.svg"
    done = run("evaluate", model_file(*TREE), "german_credit", "--plot", picture)
    assert done.exit_code == 0, done.output
    text = picture.read_text()
    for title in ("ROC", "Gains", "Lift", "Precision and recall", "Calibration", "Scores"):
        assert title in text
