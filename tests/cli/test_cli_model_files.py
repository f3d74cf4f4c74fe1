"""Commands that work on a model file: predict, evaluate, prune, rules, explain."""

import csv
import errno
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from sklearn.metrics import brier_score_loss, classification_report, log_loss, roc_auc_score

import spinney
from spinney.datasets import load

Run = Callable[..., Result]
Train = Callable[..., Path]
Load = Callable[..., Any]

C45 = ("german_credit", "--model", "c45", "--min-samples-leaf", "20")


def lines(result: Result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_predictions_are_the_models_own(run: Run, model_file: Train, loaded: Load) -> None:
    data = load("heart_disease", as_="pandas")
    model = loaded("heart_disease")
    found = lines(
        run("predict", model_file("heart_disease"), "heart_disease", "--proba", "--digits", 17)
    )
    assert [row["prediction"] for row in found] == model.predict(data.X).tolist()
    shares = [
        [float(row["probability_absent"]), float(row["probability_present"])] for row in found
    ]
    np.testing.assert_array_equal(shares, model.predict_proba(data.X))


def test_a_file_may_hold_the_columns_in_any_order(
    run: Run, model_file: Train, tmp_path: Path
) -> None:
    data = load("heart_disease", as_="pandas")
    path = tmp_path / "new.csv"
    data.X.iloc[:, ::-1].assign(id=range(len(data.y))).to_csv(path, index=False)
    model = model_file("heart_disease")
    expected = [row["prediction"] for row in lines(run("predict", model, "heart_disease"))]
    found = lines(run("predict", model, path, "--keep", "id"))
    assert [row["prediction"] for row in found] == expected
    assert [row["id"] for row in found] == [str(k) for k in range(len(expected))]


def test_predictions_go_to_a_file_and_as_json_lines(
    run: Run, model_file: Train, tmp_path: Path
) -> None:
    out = tmp_path / "predicted.jsonl"
    result = run("predict", model_file("iris"), "iris", "--json", "--out", out)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert json.loads(out.read_text().splitlines()[0]) == {"prediction": "setosa"}


def test_a_cell_that_is_no_number_is_refused_by_line_and_column(
    run: Run, model_file: Train, write: Callable[..., Path]
) -> None:
    names = "sepal_length,sepal_width,petal_length,petal_width\n"
    path = write(names + "5,3,1.4,0.2\n\n5,3,one,0.2\n")
    result = run("predict", model_file("iris"), path)
    assert result.exit_code == 2
    assert "line 4, column 'petal_length': 'one' is not a number" in result.output


def test_a_column_that_is_not_there_is_named(
    run: Run, model_file: Train, write: Callable[..., Path]
) -> None:
    path = write("sepal_length,sepal_width,petal_length,petal_widht\n5,3,1,1\n")
    result = run("predict", model_file("iris"), path)
    assert result.exit_code == 2
    assert "lacks 'petal_width', which the model needs." in result.output
    assert "Did you mean 'petal_widht'?" in result.output


def test_classes_that_are_large_numbers_are_told_apart(
    run: Run, write: Callable[..., Path]
) -> None:
    rows = "".join(f"{k % 2},{1234567 + k % 2}\n" for k in range(20))
    path, out = write("x,y\n" + rows), write("", "model.spinney")
    assert run("train", path, "--target", "y", "--no-cv", "--out", out).exit_code == 0
    found = json.loads(run("evaluate", out, path, "--json").stdout)
    assert found["confusion"] == [[10, 0], [0, 10]]


@pytest.mark.parametrize("content", [b"", b"half a model", b"x,y\n1,2\n"])
def test_what_is_no_model_file_is_refused(
    run: Run, model_file: Train, write: Callable[..., Path], content: bytes
) -> None:
    path = write(content, "model.spinney")
    result = run("predict", path, "iris")
    assert result.exit_code == 2
    assert "cannot read the model" in result.output


def test_a_model_file_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    result = run("explain", tmp_path / "absent.spinney", "iris", "--row", 1)
    assert result.exit_code == 2
    assert "there is no model file" in result.output


def test_a_model_that_cannot_be_written_leaves_the_old_one(
    run: Run, model_file: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "model.spinney"
    old.write_bytes(b"precious")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("spinney.save", full)
    result = run("train", "iris", "--no-cv", "--out", old)
    assert result.exit_code == 2
    assert "No space left on device. The file that was there is unchanged." in result.output
    assert old.read_bytes() == b"precious"


def test_evaluation_agrees_with_scikit_learn(run: Run, model_file: Train, loaded: Load) -> None:
    data = load("german_credit", as_="pandas")
    model = loaded("german_credit")
    result = run(
        "evaluate", model_file("german_credit"), "german_credit", "--cost", "bad:good=5", "--json"
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    y, said, shares = data.y.to_numpy(), model.predict(data.X), model.predict_proba(data.X)
    assert found["error"]["value"] == pytest.approx((y != said).mean())
    expected = classification_report(y, said, output_dict=True)
    for row in found["per_class"]:
        own = expected[row["class"]]
        assert row["rows"] == own["support"]
        assert row["recall"] == pytest.approx(own["recall"])
        assert row["precision"] == pytest.approx(own["precision"])
        assert row["f1"] == pytest.approx(own["f1-score"])
    assert found["auc"] == pytest.approx(roc_auc_score(y, shares[:, 1]))
    assert found["log_loss"] == pytest.approx(log_loss(y, shares))
    assert found["brier"] == pytest.approx(brier_score_loss(y == "good", shares[:, 1]))
    wrong_good = ((y == "bad") & (said == "good")).sum()
    wrong_bad = ((y == "good") & (said == "bad")).sum()
    assert found["cost"]["value"] == pytest.approx((5 * wrong_good + wrong_bad) / 1000)
    assert sum(row["rows"] for row in found["calibration"]) == 1000
    assert found["confusion"] == [[300 - wrong_good, wrong_good], [wrong_bad, 700 - wrong_bad]]


def test_evaluation_is_shown_in_parts(run: Run, model_file: Train, tmp_path: Path) -> None:
    picture = tmp_path / "calibration.svg"
    result = run("evaluate", model_file("iris"), "iris", "--plot", picture)
    for head in ("Error", "Confusion: true", "Classes", "Calibration: the probability of the"):
        assert f"\n{head}" in result.output
    assert picture.read_bytes().startswith(b"<?xml")


def test_numbers_are_evaluated_too(run: Run, model_file: Train, loaded: Load) -> None:
    data = load("cpu_performance", as_="pandas")
    rest = loaded("cpu_performance").predict(data.X) - data.y.to_numpy()
    result = run("evaluate", model_file("cpu_performance"), "cpu_performance", "--json")
    found = json.loads(result.stdout)
    assert found["error"]["value"] == pytest.approx(np.sqrt((rest**2).mean()))
    assert found["mean_absolute_error"] == pytest.approx(np.abs(rest).mean())
    assert found["r2"] == pytest.approx(1 - (rest**2).mean() / data.y.var(ddof=0))


def test_the_only_column_that_is_left_is_the_target(
    run: Run, model_file: Train, tmp_path: Path
) -> None:
    data = load("iris", as_="pandas")
    path = tmp_path / "new.csv"
    data.X.assign(kind=data.y.where(data.y.index > 1)).to_csv(path, index=False)
    forgetful = spinney.load(model_file("iris"))
    del forgetful.made_for_
    spinney.save(forgetful, tmp_path / "m.spinney")
    result = run("evaluate", tmp_path / "m.spinney", path)
    assert result.exit_code == 0, result.output
    assert "2 rows without kind left out" in result.output
    data.X.assign(kind=data.y, other=1).to_csv(path, index=False)
    assert (
        "say which column holds the answers" in run("evaluate", tmp_path / "m.spinney", path).output
    )
    data.X.assign(kind="rose").to_csv(path, index=False)
    assert "holds 'rose', but the classes" in run("evaluate", tmp_path / "m.spinney", path).output


def test_a_tree_can_be_made_smaller(
    run: Run, model_file: Train, loaded: Load, tmp_path: Path
) -> None:
    import spinney

    out = tmp_path / "small.spinney"
    full = model_file("heart_disease", "--model", "cart_full")
    assert loaded("heart_disease", "--model", "cart_full").tree_.n_leaves > 50
    result = run("prune", full, "--leaves", 6, "--out", out)
    assert result.exit_code == 0, result.output
    small = spinney.load(out)
    assert 2 <= small.tree_.n_leaves <= 6
    assert small.predict(load("heart_disease").X).shape == (920,)


def test_rows_of_a_table_judge_the_sizes(run: Run, model_file: Train) -> None:
    full = model_file("heart_disease", "--model", "cart_full")
    result = run("prune", full, "--test", "heart_disease", "--rule", "min", "--json")
    found = json.loads(result.stdout)
    risks, errors = found["pruning"]["risks"], found["pruning"]["errors"]
    assert errors == pytest.approx(risks)  # the rows are those that grew it


def test_rules_are_those_of_c45_or_all_paths(run: Run, model_file: Train, loaded: Load) -> None:
    model = loaded(*C45)
    assert run("rules", model_file(*C45)).stdout == f"{model.rules_}\n"
    assert run("rules", model_file(*C45), "--paths").output == f"{model.tree_.rules()}\n"


def test_sql_predicts_as_the_model(run: Run, model_file: Train, loaded: Load) -> None:
    data = load("heart_disease", as_="pandas")
    query = run("rules", model_file("heart_disease"), "--format", "sql", "--table", "people").output
    with sqlite3.connect(":memory:") as base:
        data.X.astype(object).to_sql("people", base, index=False)
        answers = [row[0] for row in base.execute(query)]
    assert answers == loaded("heart_disease").predict(data.X).tolist()


def test_python_predicts_as_the_model(run: Run, model_file: Train, tmp_path: Path) -> None:
    out = tmp_path / "model.py"
    assert run("rules", model_file("iris"), "--format", "python", "--out", out).exit_code == 0
    space: dict[str, Any] = {}
    exec(out.read_text(), space)
    assert "predict" in space


@pytest.mark.parametrize("form", ["c", "json"])
def test_other_forms_are_those_of_export(
    run: Run, model_file: Train, loaded: Load, form: str
) -> None:
    tree = loaded("iris").tree_
    expected = tree.to_c() if form == "c" else tree.to_json(indent=2)
    assert run("rules", model_file("iris"), "--format", form).output == expected.rstrip() + "\n"


def test_a_forest_has_no_rules(run: Run, model_file: Train) -> None:
    forest = model_file("iris", "--model", "forest", "--trees", "25")
    result = run("rules", forest)
    assert result.exit_code == 2
    assert "no single tree, so it has no rules" in result.output


def test_a_row_is_explained_in_words(run: Run, model_file: Train, loaded: Load) -> None:
    data = load("german_credit", as_="pandas")
    expected = str(loaded("german_credit").explain(data.X.iloc[16]))
    found = run("explain", model_file("german_credit"), "german_credit", "--row", 17)
    assert found.output == f"{expected}\n"


def test_a_row_can_be_given_cell_by_cell(run: Run, model_file: Train) -> None:
    model = model_file("german_credit")
    cells = ["--set", "checking_status=A11", "--set", "duration_months=40"]
    result = run("explain", model, *cells)
    assert result.output.startswith("predicted bad (0.62)\n")
    assert "duration_months > 22.5  (is 40)" in result.output
    wrong = run("explain", model, "--set", "checking_status=A99")
    assert "knows A11, A12, A13, A14, not 'A99'" in wrong.output
    wrong = run("explain", model, "--set", "checking=A11")
    assert "Did you mean 'checking_status'?" in wrong.output
    assert "say which row" in run("explain", model).output
    assert "has 1000 rows" in run("explain", model, "german_credit", "--row", 1001).output


def test_a_forest_tells_its_votes(run: Run, model_file: Train, loaded: Load) -> None:
    forest = ("iris", "--model", "forest", "--trees", "25")
    result = run("explain", model_file(*forest), "iris", "--row", 1, "--json")
    found = json.loads(result.stdout)
    shares = loaded(*forest).predict_proba(load("iris").X[:1])[0]
    assert list(found["probabilities"].values()) == shares.tolist()
    assert "columns that its 25 trees tested for this row:" in found["text"]
