"""What cannot be done is refused in one sentence, with exit code 2."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
Write = Callable[..., Path]


def refusal(result: Result) -> str:
    assert result.exit_code == 2, result.output
    last = result.output.splitlines()[-1]
    assert last.startswith("Error: ")
    return last.removeprefix("Error: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["germn_credit"], "no file 'germn_credit'. Did you mean 'german_credit'?"),
        (["German_Credit"], "Did you mean 'german_credit'?"),
        (["qqq"], "no data set and no file 'qqq'. `spinney datasets` lists the names."),
        (["absent.csv"], "there is no file 'absent.csv'."),
        (["iris", "--target", "clas"], "no column 'clas'. Did you mean 'class'? The columns are:"),
        (["iris", "--drop", "petal"], "--drop: no column 'petal'."),
        (["iris", "--drop", "sepal_width, class"], "by itself: --drop sepal_width --drop class."),
        (["iris", "--criterion", "squared_error"], "criterion must be 'gini', 'entropy',"),
        (["iris", "--criterion", "ginny"], "got 'ginny'. Did you mean 'gini'?"),
        (["iris", "--task", "regression"], "'class' holds text"),
        (["iris", "--jobs", "0"], "0 cannot work. Use 1 for one, -1 for all cores."),
        (["iris", "--cv", "1"], "1 is not in the range x>=2"),
        (["iris", "--plot", "tree.gif"], "'tree.gif' must end in .png, .svg, .pdf."),
        (["iris", "--plot", "absent/tree.png"], "there is no folder"),
    ],
)
def test_wrong_arguments(run: Run, arguments: list[str], sentence: str) -> None:
    assert sentence in refusal(run("train", *arguments))


def test_a_file_without_target_lists_the_columns(run: Run, write: Write) -> None:
    path = write("size,colour,price\n1,red,2\n")
    said = refusal(run("train", path))
    assert said.endswith("--target. The columns are: size, colour, price.")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("x,y\n", "has column names but no rows"),
        ("1,2\n3,4\n", "the first line holds numbers"),
        ("y,y\n3,4\n", "two columns are called 'y'"),
        ("x,y\n1,2\n3\n", "line 3: 1 cell, but the first line names 2 columns"),
        ("x,y\n1,a\n2,\n", "'y' is missing in 1 of 2 rows, first in row 2. Fill it, or leave"),
        ("x,y\n1,\n2,\n", "0 rows with a value of 'y': a tree needs at least two"),
        ("y\na\nb\nb\n", "no columns are left to predict 'y' from"),
        ("x,y\n1,a\n2,b\n3,c\n", "a class of its own for every row"),
        (b"x,y\n\xff\xfe,1\n", "is not text in UTF-8"),
        ("x,y\n1,'" + "z" * 140_000, "is not a CSV file"),
    ],
)
def test_wrong_files(run: Run, write: Write, text: Any, sentence: str) -> None:
    assert sentence in refusal(run("train", write(text), "--target", "y"))


def test_a_folder_is_no_file(run: Run, tmp_path: Path) -> None:
    assert "is a folder" in refusal(run("train", tmp_path, "--target", "y"))


def test_a_broken_gzip_file_is_refused(run: Run, write: Write) -> None:
    path = write("x,y\n1,2\n", "table.csv.gz")
    assert "cannot read" in refusal(run("train", path, "--target", "y"))


def test_fractions_are_no_classes(run: Run, write: Write) -> None:
    path = write("x,y\n1,0.5\n2,1.5\n3,0.5\n")
    said = refusal(run("train", path, "--target", "y", "--task", "classification"))
    assert "holds fractions" in said


def test_a_refused_plot_file_costs_no_training(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("spinney._cli.commands.train.train", fail)
    refusal(run("train", "iris", "--plot", "tree.txt"))
