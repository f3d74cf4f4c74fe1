"""`spinney train --group`: rows that belong together are never in different folds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut

from spinney import C45Classifier, CARTClassifier, load

Run = Callable[..., Result]
N_PERSONS, N_ROWS = 40, 400


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Ten rows of each person, who gives one answer by chance and is known by `height`."""
    random = np.random.default_rng(0)
    person = np.repeat(np.arange(N_PERSONS), N_ROWS // N_PERSONS)
    answer = random.permutation(N_PERSONS)[person] % 2
    height = random.normal(size=N_PERSONS)[person] + 1e-6 * random.normal(size=N_ROWS)
    names = {"person": [f"p{i}" for i in person], "height": height}
    path = tmp_path / "people.csv"
    pd.DataFrame({**names, "answer": np.array(["no", "yes"])[answer]}).to_csv(path, index=False)
    return path


def told(run: Run, *arguments: object) -> dict[str, Any]:
    result = run("train", *arguments, "--target", "answer", "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("model", ["cart", "c45", "forest"])
def test_rows_of_a_person_do_not_foretell_the_others(run: Run, people: Path, model: str) -> None:
    few = ["--model", model] + (["--trees", "10"] if model == "forest" else [])
    without = told(run, people, *few, "--drop", "person")
    by_group = told(run, people, *few, "--group", "person")
    assert without["error"]["value"] < 0.1
    assert by_group["error"]["value"] > 0.3


def one_fold_each(model: object, people: Path) -> float:
    """Return the error of rows whose person was left out, by hand."""
    table = pd.read_csv(people)
    X, y = table[["height"]], table["answer"].to_numpy()
    wrong = np.zeros(len(y), dtype=bool)
    for train, test in LeaveOneGroupOut().split(X, y, table["person"]):
        fitted = clone(model).fit(X.iloc[train], y[train])
        wrong[test] = fitted.predict(X.iloc[test]) != y[test]
    return float(wrong.mean())


def test_the_error_is_that_of_leaving_persons_out(run: Run, people: Path) -> None:
    every = ["--group", "person", "--cv", N_PERSONS]
    found = told(run, people, "--model", "c45", *every)
    assert found["error"]["value"] == one_fold_each(C45Classifier(), people)
    assert found["error"]["folds"] == N_PERSONS
    whole = told(run, people, "--model", "cart_full", *every)
    assert whole["error"]["value"] == one_fold_each(CARTClassifier(), people)


def test_more_folds_than_persons_are_one_for_each(run: Run, people: Path) -> None:
    found = told(run, people, "--model", "cart_full", "--group", "person", "--cv", 60)
    assert found["error"]["folds"] == N_PERSONS


def test_the_group_is_no_feature_and_the_model_is_saved(run: Run, people: Path) -> None:
    out = people.with_name("model.spinney")
    told(run, people, "--group", "person", "--out", out)
    model = load(out)
    assert list(model.feature_names_in_) == ["height"]
    assert model.cv == 10


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--group", "persn"], "Did you mean 'person'?"),
        (["--group", "person", "--batches"], "--group"),
    ],
)
def test_groups_that_cannot_be_used_are_refused(
    run: Run, people: Path, given: list[str], words: str
) -> None:
    result = run("train", people, "--target", "answer", *given)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
