"""`spinney train` with other models than CART, costs, and kinds of columns."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from spinney import CARTClassifier, RandomForestClassifier
from spinney._cli.data.reading import Choices, read_data
from spinney._folds import make_folds
from spinney.datasets import load

Run = Callable[..., Result]
Write = Callable[..., Path]


def as_json(run: Run, *arguments: object) -> Any:
    result = run("train", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("cart_full", []),
        ("c45", []),
        ("id3", []),
        ("igpa", []),
        ("gp", ["--set", "generations=2", "--set", "population_size=20"]),
        ("bagging", ["--trees", 4]),
        ("trimmed_bagging", ["--trees", 4]),
        ("mode_bagging", ["--trees", 4]),
        ("forest", ["--trees", 4]),
        ("adaboost", ["--trees", 4]),
        ("igpa_forest", ["--trees", 4]),
        ("gp_forest", ["--trees", 2, "--set", "generations=2", "--set", "population_size=20"]),
        ("filtering", []),
        ("mixture", ["--set", "n_init=1", "--set", "max_iter=5"]),
    ],
)
def test_every_model_trains_and_is_judged(run: Run, model: str, settings: list[object]) -> None:
    result = run("train", "iris", "--model", model, *settings, "--cv", 2)
    assert result.exit_code == 0, result.output
    assert "Error by 2-fold cross-validation" in result.output
    assert "always setosa" in result.output


def test_the_error_of_a_forest_is_that_of_its_folds(run: Run) -> None:
    data = load("iris", as_="pandas")
    y = data.y.to_numpy()
    wrong = 0
    strata = np.unique(y, return_inverse=True)[1]
    for train, test in make_folds(3, None, strata, np.ones(150, dtype=bool), 5):
        model = RandomForestClassifier(30, random_state=5).fit(data.X[train], y[train])
        wrong += int((model.predict(data.X[test]) != y[test]).sum())
    arguments = ["iris", "--model", "forest", "--trees", 30, "--cv", 3, "--seed", 5]
    assert as_json(run, *arguments)["error"]["value"] == pytest.approx(wrong / 150)


def test_seed_and_random_state_are_one_option(run: Run) -> None:
    arguments = ["train", "iris", "--model", "igpa", "--cv", 2]
    assert run(*arguments, "--seed", 3).output == run(*arguments, "--random-state", 3).output


def test_no_cv_estimates_nothing(run: Run) -> None:
    found = as_json(run, "iris", "--model", "forest", "--trees", 3, "--no-cv")
    assert found["error"] is None
    assert len(found["trees"]) == 3


def test_what_a_model_warns_of_is_told_as_a_note(run: Run) -> None:
    arguments = ["iris", "--model", "forest", "--trees", 3, "--no-cv"]
    (note,) = as_json(run, *arguments)["notes"]
    assert "rows were seen by every member" in note
    assert f"Note: {note}" in " ".join(run("train", *arguments).output.split())


def test_costs_reach_the_tree_and_the_estimate(run: Run) -> None:
    data = load("german_credit", as_="pandas")
    model = CARTClassifier(
        pruning="cost_complexity", cost_matrix={("bad", "good"): 5}, random_state=0
    ).fit(data.X, data.y)
    found = as_json(run, "german_credit", "--cost", "bad:good=5")
    path = model.pruning_path_
    assert found["trees"] == [model.tree_.n_leaves]
    assert found["error"]["measure"] == "cost per row"
    assert found["error"]["value"] == path.errors[path.selected]
    assert found["error"]["baseline"] == pytest.approx(0.7)  # to call everyone bad


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["iris", "--cost", "setosa=3"], "write TRUE:PREDICTED=COST with the classes setosa,"),
        (["iris", "--cost", "setosa:virginica=-1"], "a cost is a number from 0 up, not '-1'"),
        (["boston_housing", "--model", "c45"], "predicts classes, and this target is a number"),
        (["iris", "--set", "max_dept=3"], "no parameter 'max_dept'. Did you mean 'max_depth'?"),
        (["iris", "--model", "forest", "--set", "trees"], "write NAME=VALUE"),
        (["iris", "--model", "c45", "--cost", "setosa:virginica=2"], "Those that can: cart"),
        (["iris", "--model", "crat"], "'crat' is not one of"),
        (["iris", "--ordered", "sepal_width=1"], "write NAME=A,B,C"),
        (["iris", "--nominal", "sepal"], "--nominal: no column 'sepal'"),
    ],
)
def test_wrong_settings_are_refused(run: Run, arguments: list[str], sentence: str) -> None:
    result = run("train", *arguments)
    assert result.exit_code == 2
    assert sentence in result.output


def test_codes_can_be_declared_nominal_and_words_ordered(write: Write) -> None:
    path = write("code,size,y\n1,M,a\n2,S,b\n1,L,a\n3,,b\n")
    choices = Choices("y", nominal=["code"], ordered=["size=S,M,L"])
    code, size = read_data(str(path), choices).features
    assert (code.kind, code.values.tolist()) == ("nominal", ["1", "2", "1", "3"])
    assert (size.kind, size.categories) == ("ordered", ("S", "M", "L"))


def test_columns_of_a_bundled_set_can_be_declared_too() -> None:
    reading = read_data("iris", Choices(nominal=["petal_width"]))
    assert {c.name: c.kind for c in reading.features}["petal_width"] == "nominal"


def test_what_was_understood_of_each_column_is_shown(run: Run) -> None:
    text = run("train", "heart_disease", "--model", "c45", "--no-cv").output
    rows = text[text.index("Columns\n") :].splitlines()
    assert rows[1].split() == ["name", "kind", "gaps", "values"]
    (slope,) = [row for row in rows if row.split()[:1] == ["st_slope"]]
    assert slope.split(maxsplit=3) == ["st_slope", "ordered", "309", "1 < 2 < 3"]
