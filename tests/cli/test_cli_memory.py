"""A model remembers what it was made for, so that nothing has to be said twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import spinney
from spinney._state import StateError, recipe_named
from spinney.datasets import load

Run = Callable[..., Result]
Write = Callable[..., Path]
Train = Callable[..., Path]
COSTLY = ("german_credit", "--cost", "bad:good=5")


def as_json(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def loans(write: Write) -> Path:
    frame = load("german_credit", as_="pandas")
    table = frame.X.assign(id=range(1000), **{"class": frame.y})
    return write(table.to_csv(index=False), "loans.csv")


def test_a_file_tells_what_was_said(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.spinney"
    done = run(
        *("train", loans, "--target", "class", "--drop", "age_years", "--drop-ids", "--no-cv"),
        *("--cost", "bad:good=5", "--na", "-999", "--out", out, "--max-depth", 3),
    )
    assert done.exit_code == 0, done.output
    held = spinney.load(out).made_for_
    assert (held.target, held.task, held.positive) == ("class", "classification", "bad")
    assert held.prices == {("bad", "good"): 5.0}
    assert set(held.dropped) == {"age_years", "id"}
    assert held.text == (("na", "-999"),)
    assert (held.n_rows, held.version) == (1000, spinney.__version__)
    assert held.class_shares == (("bad", 0.3), ("good", 0.7))
    assert held.threshold is None


def test_no_cell_of_a_row_is_in_the_file(run: Run, write: Write, tmp_path: Path) -> None:
    rows = "".join(f"{k * 1000 + 123.456789},{'ab'[k % 2]}\n" for k in range(50))
    out = tmp_path / "m.spinney"
    run("train", write("salary,y\n" + rows), "--target", "y", "--no-cv", "--out", out)
    held = spinney.load(out).made_for_
    cells = {k * 1000 + 123.456789 for k in range(50)}
    assert not cells & set(held.cuts.tolist())
    assert len(held.cuts) <= 9


def test_evaluate_needs_no_target_and_headlines_the_cost(run: Run, model_file: Train) -> None:
    done = run("evaluate", model_file(*COSTLY), "german_credit")
    lines = done.output.splitlines()
    assert lines.index("Cost") < lines.index("Error")
    found = as_json(run("evaluate", model_file(*COSTLY), "german_credit", "--json"))
    again = run("evaluate", model_file(*COSTLY), "german_credit", *COSTLY[1:], "--json")
    given = as_json(again)
    assert found["cost"] == given["cost"]
    assert found["cost"]["measure"] == "cost per row"


def test_evaluate_compares_with_the_training_rows(
    run: Run, model_file: Train, write: Write
) -> None:
    frame = load("german_credit", as_="pandas")
    same = as_json(run("evaluate", model_file(*COSTLY), "german_credit", "--json"))["population"]
    assert same["training_rows"] == 1000
    assert same["leaves"] == pytest.approx(0.0)
    assert all(column["stability_index"] < 1e-9 for column in same["columns"].values())
    old = frame.X.assign(**{"class": frame.y})[frame.X["age_years"] > 50]
    path = write(old.to_csv(index=False), "old.csv")
    moved = as_json(run("evaluate", model_file(*COSTLY), path, "--json"))["population"]
    assert moved["columns"]["age_years"]["verdict"] == "changed"
    assert (
        max(moved["columns"], key=lambda n: moved["columns"][n]["stability_index"]) == "age_years"
    )


def test_predict_asks_only_for_columns_that_the_model_uses(
    run: Run, model_file: Train, write: Write
) -> None:
    model = model_file(*COSTLY)
    frame = load("german_credit", as_="pandas")
    asked = ["checking_status", "other_installment_plans"]
    path = write(frame.X[asked].to_csv(index=False))
    done = run("predict", model, path)
    assert done.exit_code == 0, done.output
    assert done.stdout == run("predict", model, "german_credit").stdout
    lacking = run("predict", model, write(frame.X[asked[1:]].to_csv(index=False)))
    assert lacking.exit_code == 2
    assert "lacks 'checking_status', which the model needs" in lacking.stderr


def test_columns_that_could_stand_in_for_gaps_are_missed(
    run: Run, model_file: Train, write: Write
) -> None:
    frame = load("german_credit", as_="pandas")
    table = frame.X[["checking_status", "other_installment_plans"]].astype(object)
    table.iloc[3, 0] = None
    done = run("predict", model_file(*COSTLY), write(table.to_csv(index=False)))
    assert "would stand in for gaps in checking_status, but" in done.stderr


def test_how_numbers_are_written_is_remembered(run: Run, write: Write, tmp_path: Path) -> None:
    rows = "".join(f'"${k},000.50",{"ab"[k > 30]}\n' for k in range(1, 60))
    path, out = write("income,y\n" + rows), tmp_path / "m.spinney"
    done = run("train", path, "--target", "y", "--numeric", "income", "--no-cv", "--out", out)
    assert done.exit_code == 0, done.output
    again = run("predict", out, path)
    assert again.exit_code == 0, again.output
    assert again.stdout.split()[1:] == ["a"] * 30 + ["b"] * 29


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "housing"], "--target: the model predicts 'class', not 'housing'."),
        (["--positive", "worse"], "--positive: 'worse' is no class. There are: bad, good."),
    ],
)
def test_another_target_or_class_is_refused(
    run: Run, model_file: Train, words: list[str], message: str
) -> None:
    done = run("evaluate", model_file(*COSTLY), "german_credit", *words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_holdout_without_the_target_is_refused(run: Run, model_file: Train, write: Write) -> None:
    path = write(load("german_credit", as_="pandas").X.to_csv(index=False))
    done = run("evaluate", model_file(*COSTLY), path)
    assert done.exit_code == 2
    assert "has no column 'class', which the model predicts" in done.stderr


def test_models_of_other_makers_remember_nothing_and_work(run: Run, tmp_path: Path) -> None:
    frame = load("iris", as_="pandas")
    model = spinney.CARTClassifier(max_depth=2).fit(frame.X, frame.y)
    spinney.save(model, tmp_path / "m.spinney")
    done = run("evaluate", tmp_path / "m.spinney", "iris")
    assert done.exit_code == 0, done.output
    assert "Population" not in done.output
    assert not hasattr(spinney.load(tmp_path / "m.spinney"), "made_for_")


def test_a_new_fit_forgets(model_file: Train) -> None:
    model = spinney.load(model_file(*COSTLY))
    frame = load("iris", as_="pandas")
    assert not hasattr(model.set_params(cost_matrix=None).fit(frame.X, frame.y), "made_for_")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("positive", "ugly", "a class is not among those of the training data"),
        ("threshold", 1.5, "threshold must be a number from 0 to 1"),
        ("n_rows", -1, "n_rows must be a whole number"),
        ("shares", np.array([0.5]), "made_for_ has shares of other columns"),
        ("costs", (("bad", "good", -1.0),), "a cost is below 0"),
    ],
)
def test_a_file_with_another_memory_is_refused(
    model_file: Train, name: str, value: Any, message: str
) -> None:
    model = spinney.load(model_file(*COSTLY))
    recipe, outer = recipe_named("MadeFor"), recipe_named("CARTClassifier")
    assert recipe is not None
    assert outer is not None
    state = recipe.take(model.made_for_) | {name: value}
    whole = outer.take(model)

    def build() -> None:
        whole["fitted"]["made_for_"] = recipe.build(state)
        outer.build(whole)

    with pytest.raises(StateError, match=message):
        build()
