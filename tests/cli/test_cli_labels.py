"""Labels of a table are matched with those of the model; unknown ones are told."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import Result

import spinney
from spinney._cli.data.match import other_spellings

Run = Callable[..., Result]
Write = Callable[..., Path]

N = 60
EMPLOYED = np.arange(N) % 2 == 0
BRANCH = np.arange(N) % 5
SPELLINGS = [
    (lambda b: str(b), lambda k: str(k)),
    (lambda b: str(b).lower(), lambda k: f"{k}.0"),
    (lambda b: str(b).upper(), lambda k: f"{k}.00"),
]


def table(spelling: int, *, target: bool = True) -> str:
    of_bool, of_code = SPELLINGS[spelling]
    lines = ["employed,branch,paid" if target else "employed,branch"]
    for employed, branch in zip(EMPLOYED.tolist(), BRANCH.tolist(), strict=True):
        paid = employed != (branch in (1, 3))
        cells = [of_bool(employed), of_code(branch)] + [of_bool(paid)] * target
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def errors(run: Run, model: Path, data: Path) -> float:
    done = run("evaluate", model, data, "--target", "paid", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert all("the training rows" in note for note in found["notes"])  # and no other
    return float(found["error"]["value"])


@pytest.mark.parametrize("trained", range(3))
def test_booleans_and_codes_are_known_in_every_spelling(
    run: Run, write: Write, tmp_path: Path, trained: int
) -> None:
    model = tmp_path / "m.spinney"
    arguments = ["--target", "paid", "--nominal", "branch", "--model", "cart_full", "--no-cv"]
    assert run("train", write(table(trained)), *arguments, "--out", model).exit_code == 0
    for asked in range(3):
        assert errors(run, model, write(table(asked), "new.csv")) == 0.0


def test_a_model_from_python_knows_booleans_of_files(
    run: Run, write: Write, tmp_path: Path
) -> None:
    X = pd.DataFrame({"employed": EMPLOYED, "branch": BRANCH})
    paid = np.isin(BRANCH, (1, 3)) != EMPLOYED
    model = spinney.CARTClassifier(categorical_features=["branch"]).fit(X, paid)
    spinney.save(model, tmp_path / "m.spinney")
    for asked in range(3):
        assert errors(run, tmp_path / "m.spinney", write(table(asked))) == 0.0


def test_unknown_categories_are_told_by_predict_and_evaluate(
    run: Run, write: Write, tmp_path: Path
) -> None:
    rows = "".join(f"{'abcdefg'[k % 7]},{'yn'[k % 7 < 3]}\n" for k in range(49))
    model = tmp_path / "m.spinney"
    path = write("colour,y\n" + rows)
    assert run("train", path, "--target", "y", "--no-cv", "--out", model).exit_code == 0
    new = write("colour,y\nz,y\na,n\nz,y\nw,y\n", "new.csv")
    note = (
        "colour: 3 cells hold 2 categories that the model does not know ('z', 'w'); they count as "
        "missing. The model knows a, b, c, d, e and 2 more"
    )
    done = run("predict", model, new)
    assert done.exit_code == 0
    assert done.stderr == f"Note: {note}.\n"
    assert done.stdout.count("\n") == 5
    assert json.loads(run("evaluate", model, new, "--json").stdout)["notes"] == [note]
    assert run("predict", model, path).stderr == ""


def test_a_spelling_that_could_be_two_labels_is_neither() -> None:
    assert other_spellings(["TRUE", "3.0", "x"], ["True", "true", "3"]) == {"3.0": "3"}
    assert other_spellings(["03", "1.50"], ["3", "1.5"]) == {}


def test_kept_columns_are_copied_as_they_are_written(
    run: Run, write: Write, tmp_path: Path
) -> None:
    ids = ["007", "00000", "9007199254740993", "1e3", "2.50", "", "x"] + [str(k) for k in range(23)]
    rows = [f"{name},{k % 5},{'01'[k % 5 > 2]}x" for k, name in enumerate(ids)]
    data, model = write("id,x,y\n" + "\n".join(rows) + "\n"), tmp_path / "m.spinney"
    done = run("train", data, "--target", "y", "--drop", "id", "--no-cv", "--out", model)
    assert done.exit_code == 0, done.output
    lines = run("predict", model, data, "--keep", "id", "--keep", "x").stdout.splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ids
    assert lines[1].split(",")[1:] == ["0", "0x"]
    told = run("predict", model, data, "--keep", "id", "--json").stdout.splitlines()
    found = [json.loads(line)["id"] for line in told[:8]]
    assert found == ["007", "00000", 9007199254740993, "1e3", "2.50", None, "x", 0]


def test_labels_that_look_like_numbers_stay_text_in_json(
    run: Run, write: Write, tmp_path: Path
) -> None:
    data, model = write("x,y\n" + "1,1\n2,b\n" * 9), tmp_path / "m.spinney"
    assert run("train", data, "--target", "y", "--no-cv", "--out", model).exit_code == 0
    first = run("predict", model, data, "--json").stdout.splitlines()[0]
    assert json.loads(first) == {"prediction": "1"}
