"""What `spinney train` prints is what the estimators say."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from scipy.stats import binomtest

from spinney import CARTClassifier, CARTRegressor, Tree
from spinney._cli.metrics import wilson_interval
from spinney._cli.summary import shown_places
from spinney.datasets import load

Run = Callable[..., Result]


def as_json(run: Run, *arguments: object) -> Any:
    result = run("train", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    "name", ["german_credit", "car_evaluation", "heart_disease", "boston_housing", "iris"]
)
def test_the_tree_is_the_estimators_own(run: Run, name: str) -> None:
    data = load(name, as_="pandas")
    estimator = CARTRegressor if data.task == "regression" else CARTClassifier
    model = estimator(pruning="cost_complexity", random_state=0).fit(data.X, data.y)
    found = as_json(run, name)
    assert Tree.from_dict(found["tree"]).to_text() == model.tree_.to_text()
    assert found["pruning"]["selected"] == model.pruning_path_.selected
    np.testing.assert_array_equal(found["pruning"]["errors"], model.pruning_path_.errors)


def test_options_reach_the_estimator(run: Run) -> None:
    data = load("german_credit", as_="pandas")
    model = CARTClassifier(
        criterion="entropy",
        min_samples_leaf=20,
        pruning="cost_complexity",
        cv=5,
        rule="min",
        random_state=7,
    ).fit(data.X, data.y)
    found = as_json(
        run,
        *["german_credit", "--criterion", "entropy", "--min-samples-leaf", "20"],
        *["--cv", "5", "--rule", "min", "--random-state", "7"],
    )
    assert Tree.from_dict(found["tree"]).to_text() == model.tree_.to_text()
    assert found["settings"]["criterion"] == "entropy"


def test_constraints_reach_the_estimator_and_are_told(run: Run) -> None:
    signs = ("--monotone", "age:+", "--monotone", "max_heart_rate:-")
    found = as_json(run, "heart_disease", *signs, "--interaction", "age, sex", "--no-cv")
    data = load("heart_disease", as_="pandas")
    model = CARTClassifier(
        pruning="cost_complexity",
        random_state=0,
        monotonic_cst={"age": 1, "max_heart_rate": -1},
        interaction_cst=[["age", "sex"]],
    ).fit(data.X, data.y)
    tree = Tree.from_dict(found["tree"])
    assert tree.to_text() == model.tree_.to_text()
    assert tree.check_monotonic({"age": 1, "max_heart_rate": -1})
    text = run("train", "heart_disease", *signs, "--no-cv").output
    assert "The probability of present never falls as age rises." in text
    assert "The probability of present never rises as max_heart_rate rises." in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["age"], "write NAME:+ or NAME:-"),
        (["age:1"], "write NAME:+ or NAME:-"),
        (["age:+", "age:-"], "cannot both rise and fall"),
        (["agee:+"], "Did you mean 'age'?"),
        (["sex:+"], "a nominal column"),
    ],
)
def test_a_constraint_that_cannot_be_met_is_refused(run: Run, given: Any, message: str) -> None:
    options = [word for text in given for word in ("--monotone", text)]
    result = run("train", "heart_disease", "--no-cv", *options)
    assert result.exit_code == 2
    assert message in result.output


def test_output_repeats_and_is_plain_and_fits_80_columns(run: Run) -> None:
    first, second = run("train", "heart_disease"), run("train", "heart_disease")
    assert first.exit_code == 0
    assert first.output == second.output
    assert "\x1b" not in first.output
    lines = first.output.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


def test_every_part_of_the_report_is_there(run: Run) -> None:
    text = run("train", "german_credit").output
    assert "rows      1000" in text
    assert "20: 7 numeric, 2 ordered, 11 nominal" in text
    assert "class, 2 classes: bad 300 (30.0 %), good 700 (70.0 %)" in text
    assert "|-- checking_status in {A11, A12}: good, n=543 (240 bad, 303 good)" in text
    assert re.search(r"this tree +\d+\.\d % of rows, 95 % interval \d+\.\d to \d+\.\d %", text)
    assert re.search(r"always good +30\.0 % of rows", text)
    assert len(re.findall(r"^  \* .*\d$", text, flags=re.MULTILINE)) == 1
    assert "Surrogates at the root, for rows without checking_status (0 here)" in text
    assert re.search(r"Importances: \d+ features used of 20", text)


def test_gaps_are_counted_by_column(run: Run) -> None:
    data = load("heart_disease", as_="pandas")
    missing = data.X.isna().sum()
    assert as_json(run, "heart_disease")["data"]["gaps"] == missing[missing > 0].to_dict()
    assert f"{missing.sum()} missing cells: " in run("train", "heart_disease").output


def test_class_error_is_that_of_the_selected_subtree(run: Run) -> None:
    found = as_json(run, "german_credit")
    error, pruning = found["error"], found["pruning"]
    assert error["value"] == pruning["errors"][pruning["selected"]]
    assert error["interval"][0] < error["value"] < error["interval"][1]
    assert error["baseline"] == pytest.approx(0.3)
    assert error["baseline_prediction"] == "good"
    assert error["relative"] == pytest.approx(error["value"] / 0.3)


def test_regression_error_is_a_root_and_relative_to_the_mean(run: Run) -> None:
    found = as_json(run, "boston_housing")
    error, pruning = found["error"], found["pruning"]
    squared = pruning["errors"][pruning["selected"]]
    spread = 1.959964 * pruning["standard_errors"][pruning["selected"]]
    assert error["value"] ** 2 == pytest.approx(squared)
    assert [end**2 for end in error["interval"]] == pytest.approx(
        [squared - spread, squared + spread]
    )
    assert error["relative"] == pytest.approx(squared / pruning["errors"][-1])
    assert "always the mean" in run("train", "boston_housing").output


@pytest.mark.parametrize(("wrong", "n"), [(0, 10), (3, 10), (10, 10), (260, 1000), (1, 48842)])
def test_interval_is_wilsons(wrong: int, n: int) -> None:
    expected = binomtest(wrong, n).proportion_ci(method="wilson")
    assert wilson_interval(wrong / n, n) == pytest.approx((expected.low, expected.high), abs=1e-7)


def test_a_tree_without_a_test_says_so_and_stops(run: Run, write: Any) -> None:
    path = write("x,y\n" + "1,a\n1,b\n" * 10)
    result = run("train", path, "--target", "y")
    assert result.exit_code == 0
    assert "Tree: 1 leaf, depth 0" in result.output
    assert "Surrogates" not in result.output


def test_another_column_of_a_bundled_set_can_be_predicted(run: Run) -> None:
    found = as_json(run, "iris", "--target", "petal_width")
    assert found["data"]["task"] == "regression"
    assert found["data"]["features"]["class"] == "nominal"


def test_dropped_columns_are_not_used(run: Run) -> None:
    found = as_json(run, "iris", "--drop", "petal_length", "--drop", "petal_width")
    assert list(found["data"]["features"]) == ["sepal_length", "sepal_width"]


@pytest.mark.parametrize(
    ("n", "selected", "least", "expected"),
    [
        (3, 1, 0, [0, 1, 2]),
        (16, 15, 2, list(range(16))),
        (17, 16, 5, [0, 5, 12, 13, 14, 15, 16]),
        (100, 50, 30, [0, 30, *range(46, 55), 99]),
    ],
)
def test_long_pruning_tables_keep_what_matters(
    n: int, selected: int, least: int, expected: list[int]
) -> None:
    assert shown_places(n, selected, least) == expected


def test_left_out_rows_of_the_pruning_table_are_marked(run: Run) -> None:
    text = run("train", "boston_housing").output
    table = text[text.index("Pruning:") : text.index("Surrogates")]
    assert "  ...\n" in table
    assert len(table.splitlines()) < 25


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_plot_draws_the_tree(run: Run, tmp_path: Path, suffix: str, start: bytes) -> None:
    path = tmp_path / f"tree{suffix}"
    result = run("train", "iris", "--plot", path)
    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(start)
    assert str(path) in result.output.replace("\n", "")


def test_json_stays_json_beside_a_plot(run: Run, tmp_path: Path) -> None:
    result = run("train", "iris", "--json", "--plot", tmp_path / "tree.svg")
    assert json.loads(result.stdout)["data"]["rows"] == 150
