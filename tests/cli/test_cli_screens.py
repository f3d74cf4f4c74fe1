"""What the screen cannot show, or would obey, harms neither files nor the screen."""

import json
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import spinney
from spinney._cli.errors import Refusal
from spinney._cli.output import Screen, print_result

TARGET = "y\x1b[31m\nz"
FEW = ["--model", "cart", "--folds", 2, "--repeats", 1]
HOSTILE = "a\x1b[2Jb\x07"


def command(*arguments, **environment):
    """Run `spinney` in a process of its own, with its output piped."""
    return subprocess.run(
        [sys.executable, "-c", "from spinney._cli import main; main()", *map(str, arguments)],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )


@pytest.fixture
def ticks(tmp_path):
    """Return a table with a label that old code pages do not have."""
    path = tmp_path / "ticks.csv"
    rows = [f"{i},{'✓' if i % 20 < 10 else 'no'}" for i in range(100)]
    path.write_text("\n".join(["x,ok", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_model_is_written_whatever_the_screen_shows(ticks, tmp_path):
    model = tmp_path / "m.spinney"
    old = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = command("train", ticks, "--target", "ok", "--no-cv", "--out", model, **old)
    assert done.returncode == 0, done.stderr
    assert b"\\u2713" in done.stdout
    assert "✓" in spinney.load(model).classes_
    for arguments in (["predict", model, ticks], ["rules", model]):
        done = command(*arguments, **old)
        assert done.returncode == 0, done.stderr
        assert b"\\u2713" in done.stdout


def test_numbers_stay_with_their_percent_signs(capsys):
    Screen().wrapped("x" * 72 + " (25.0 %) and 3 % of ABC %")
    assert capsys.readouterr().out.splitlines() == ["  " + "x" * 72, "  (25.0 %) and 3 % of ABC %"]


@pytest.fixture
def hostile(write):
    rows = "".join(f'{i},"{HOSTILE}{i % 20 < 10}"\n' for i in range(100))
    return write(f'"{HOSTILE}x","{TARGET}"\n' + rows)


def test_a_message_obeys_nothing_in_a_file():
    assert "\\x1b[2J" in Refusal(f"no column {HOSTILE}.").format_message()


@pytest.mark.parametrize("task", ["train", "compare", "prune", "rules"])
def test_a_terminal_obeys_nothing_in_a_file(run, hostile, tmp_path, task):
    model, picture = tmp_path / "m.spinney", tmp_path / "tree.svg"
    done = run("train", hostile, "--target", TARGET, "--no-cv", "--out", model, "--plot", picture)
    assert done.exit_code == 0, done.output
    arguments = {
        "train": ["train", hostile, "--target", TARGET, "--cv", 2],
        "compare": ["compare", hostile, "--target", TARGET, *FEW],
        "prune": ["prune", model],
        "rules": ["rules", model],
    }
    done = run(*arguments[task])
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert "\x07" not in done.output
    ElementTree.parse(picture)


def test_the_text_of_a_tree_has_a_line_for_each_node():
    X = {"a\nb": np.arange(40.0)}
    model = spinney.CARTClassifier().fit(X, np.where(np.arange(40) < 20, "x\ry", "\u2028"))
    assert len(model.tree_.to_text().splitlines()) == model.tree_.n_nodes
    assert len(str(model.tree_.rules()).splitlines()) <= model.tree_.n_leaves + 1


@pytest.mark.slow
def test_pictures_of_a_comparison_stay_in_their_folder(run, write, tmp_path):
    table = "x,y\n" + "".join(f"{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(60))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.csv").write_text(table)
    out = tmp_path / "rep"
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    files = [tmp_path / folder / "data.csv" for folder in ("a", "b")]
    models = ["--model", "cart", "--model", "c45"]
    how = ["--folds", 2, "--repeats", 1, "--format", "md"]
    done = run("compare", *files, "--target", "y", "--out", out, *models, *how)
    assert done.exit_code == 0, done.output
    made = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert {path.parent for path in made} == {out}
    page = (out / "report.md").read_text()
    named = [line.split("](")[1].rstrip(")") for line in page.splitlines() if line[:2] == "!["]
    pictures = {path.name for path in made if path.suffix == ".svg"}
    assert set(named) == pictures
    assert len(named) == len(pictures) >= 4


def test_a_report_in_markdown_holds_no_html(run, write, tmp_path):
    rows = "".join(f"{i % 7},{'<script>' if i % 7 > 3 else '<img>'}\n" for i in range(60))
    table = write("<b>x</b>,y\n" + rows, "<i>.csv")
    done = run("compare", table, "--target", "y", "--out", tmp_path / "rep", *FEW, "--format", "md")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "rep" / "report.md").read_text()
    outside = "".join(page.split("```")[::2])
    assert "<" not in outside


@pytest.mark.parametrize("alpha", ["nan", "NaN", "-nan"])
def test_prune_refuses_an_alpha_that_is_no_number(run, alpha):
    done = run("prune", "iris", f"--alpha={alpha}")
    assert done.exit_code == 2
    assert "--alpha" in done.output


def test_more_folds_than_rows_are_as_many_as_rows(run):
    done = run("train", "credit_example", "--cv", 2**63)
    assert done.exit_code in (0, 2), done.output
    assert not isinstance(done.exception, OverflowError)


def test_numbers_that_json_lacks_are_null(capsys) -> None:
    found = {"error": (1.5, math.nan), "ends": [{"low": -math.inf, "high": 2}], "name": "nan"}
    print_result(found, lambda data, screen: None, dict, as_json=True)
    expected = {"error": [1.5, None], "ends": [{"low": None, "high": 2}], "name": "nan"}
    assert json.loads(capsys.readouterr().out) == expected
