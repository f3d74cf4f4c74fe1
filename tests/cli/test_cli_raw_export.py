"""A raw export on its way to decisions: what misled people, each with the file that did."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import Result

Run = Callable[..., Result]
Write = Callable[..., Path]
INCOMES = [1500 + 37 * k + k * k % 11 for k in range(80)]


@pytest.fixture
def model(run: Run, write: Write, tmp_path: Path) -> Path:
    """Train by incomes in dollars, with a column in euros that the tree does not use."""
    rows = [
        f'"${income:,.2f}",{(k * 7) % 50}.25 EUR,{"unknown" if k % 9 == 0 else k % 5},'
        f"{'bad' if income < 3000 else 'good'}"
        for k, income in enumerate(INCOMES)
    ]
    data = write("\n".join(["Income,fees,score,class", *rows]) + "\n", "loans.csv")
    out = tmp_path / "m.spinney"
    numbers = ("--numeric", "Income", "--numeric", "fees", "--na", "unknown")
    done = run("train", data, "--target", "class", *numbers, "--no-cv", "--out", out)
    assert done.exit_code == 0, done.output
    return out


def one_column(name: str) -> str:
    return f"{name}\n" + "".join(f'"${income:,.2f}"\n' for income in INCOMES)


def test_a_file_needs_no_column_of_numbers_that_the_model_does_not_use(
    run: Run, model: Path, write: Write
) -> None:
    done = run("predict", model, write(one_column("Income")))
    assert done.exit_code == 0, done.output
    expected = ["bad" if income < 3000 else "good" for income in INCOMES]
    assert done.stdout.split()[1:] == expected
    asked = run("predict", model, write(one_column("Income")), "--numeric", "fee")
    assert asked.exit_code == 2
    assert "--numeric: no column 'fee'" in asked.stderr


def test_a_report_reads_files_as_the_training_did(run: Run, model: Path, tmp_path: Path) -> None:
    data, page = model.with_name("loans.csv"), tmp_path / "page.html"
    done = run("report", model, data, "--holdout", data, "--out", page)
    assert done.exit_code == 0, done.output
    assert "Income" in page.read_text()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_file_with_none_of_the_columns_says_which_is_meant(
    run: Run, model: Path, write: Write, tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"t.{form}"
    if form == "csv":
        path = write(one_column("income"), "t.csv")
    elif form == "jsonl":
        path = write("".join(json.dumps({"income": i}) + "\n" for i in INCOMES), "t.jsonl")
    else:
        pyarrow.parquet.write_table(pa.table({"income": INCOMES}), path)
    done = run("predict", model, path)
    assert done.exit_code == 2
    assert "lacks 'Income', which the model needs. Did you mean 'income'?" in done.stderr


def test_what_a_model_remembers_of_files_does_not_forbid_a_bundled_set(
    run: Run, write: Write, tmp_path: Path
) -> None:
    out = tmp_path / "m.spinney"
    text = run("datasets", "iris", "--out", tmp_path / "iris.csv")
    assert text.exit_code == 0
    words = ("train", tmp_path / "iris.csv", "--target", "class", "--no-cv", "--out", out)
    assert run(*words, "--na", "unknown").exit_code == 0
    assert run("evaluate", out, "iris").exit_code == 0
    given = run("evaluate", out, "iris", "--na", "none")
    assert given.exit_code == 2
    assert "--na is for files" in given.stderr


def test_explain_takes_numbers_as_the_file_writes_them(run: Run, model: Path) -> None:
    data = model.with_name("loans.csv")
    where = f"Income=${INCOMES[7]:,.2f}"
    named = json.loads(run("explain", model, data, "--where", where, "--json").stdout)
    assert named["row"]["Income"] == INCOMES[7]
    given = json.loads(run("explain", model, "--set", "Income=$4,000", "--json").stdout)
    assert given["row"]["Income"] == 4000.0
    for words in (["--set", "Income=much"], [data, "--where", "Income=much"]):
        done = run("explain", model, *words)
        assert done.exit_code == 2
        assert "'Income' is a number, not 'much'" in done.stderr


def test_a_word_for_a_gap_is_told_with_the_option_that_reads_it(run: Run, write: Write) -> None:
    rows = [f"{'no value' if k % 8 == 0 else k / 4},{'ab'[k % 2]}" for k in range(80)]
    path = write("\n".join(["score,y", *rows]) + "\n")
    told = " ".join(run("train", path, "--target", "y", "--no-cv").output.split())
    assert "or read them as gaps with --na='no value'" in told
    again = run("train", path, "--target", "y", "--no-cv", "--na=no value").output
    assert "score is taken as nominal" not in again
    assert "10 missing cells: score 10" in again


@pytest.mark.parametrize("command", ["evaluate", "threshold"])
def test_the_training_rows_are_recognised(
    run: Run, model: Path, write: Write, command: str
) -> None:
    data = model.with_name("loans.csv")
    note = "these look like the training rows"
    assert note in " ".join(run(command, model, data).output.split())
    lines = data.read_text().splitlines()
    half = write("\n".join([lines[0], *lines[1::2]]) + "\n", "half.csv")
    others = write("\n".join([*lines[:-1], lines[1]]) + "\n", "others.csv")
    for path in (half, others):
        done = run(command, model, path)
        assert done.exit_code == 0, done.output
        assert note not in " ".join(done.output.split())


def test_a_picture_of_many_trees_is_refused_before_a_model_is_written(
    run: Run, tmp_path: Path
) -> None:
    out, plot = tmp_path / "m.spinney", tmp_path / "m.png"
    out.write_bytes(b"old")
    words = ("train", "iris", "--model", "forest", "--trees", 3, "--no-cv")
    done = run(*words, "--out", out, "--plot", plot)
    assert done.exit_code == 2
    assert "--model forest is none. Save the model with --out; `spinney plot` draws" in done.stderr
    assert out.read_bytes() == b"old"
    assert not plot.exists()


def test_labels_of_text_are_coded_as_sorting_would() -> None:
    from spinney._target import CodedClasses

    random = np.random.default_rng(0)
    y = np.array([f"k{v}" for v in random.integers(0, 40, 500)], dtype=object)
    labels, codes = np.unique(y, return_inverse=True)
    found = CodedClasses.of(y)
    assert found.labels.tolist() == labels.tolist()
    np.testing.assert_array_equal(found.codes, codes)
