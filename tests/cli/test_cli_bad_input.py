"""What cannot be done: exit 2, one message, and no file is written over."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spinney._cli import main

Run = Callable[..., Result]
Write = Callable[..., Path]
Train = Callable[..., Path]
LOANS = "site,income,city,good\n" + "".join(
    f"{'ab'[k % 2]},{20 + k},{'xyz'[k % 3]},{'yes' if k % 4 else 'no'}\n" for k in range(40)
)
BEFORE = b"something of value"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file that the command is told to write, and that must stay as it is."""
    path = tmp_path / "kept"
    path.write_bytes(BEFORE)
    return path


def assert_refused(done: Result, kept: Path, words: str) -> None:
    text = " ".join(done.output.split())
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)  # no traceback
    assert words in text
    assert text.count("Error:") == 1
    assert kept.read_bytes() == BEFORE


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--threshold", "1.2"], "a probability from 0 to 1"),
        (["--threshold", "-0.1"], "a probability from 0 to 1"),
        (["--threshold", "often"], "a probability from 0 to 1"),
        (["--threshold", "nan"], "a probability from 0 to 1"),
        (["--target", "income", "--threshold", "0.3"], "two classes"),
        (["--target", "god"], "Did you mean 'good'?"),
        (["--cost", "yes:no"], "write TRUE:PREDICTED=COST"),
        (["--cost", "yes:no=-1"], "a number from 0 up"),
        (["--positive", "maybe"], "There are: no, yes."),
        (["--weight", "city"], "holds text"),
        (["--monotone", "income"], "write NAME:+ or NAME:-"),
    ],
)
def test_train(run: Run, write: Write, kept: Path, words: list[str], message: str) -> None:
    given = ["train", write(LOANS), "--target", "good", "--no-cv", "--out", kept]
    assert_refused(run(*given, *words), kept, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("income,city,good\n", "column names but no rows"),
        ("income,income,good\n1,2,yes\n2,3,no\n", "income"),
        ("income,good\n1,yes\n2,no,3\n", "line 3"),
        ('income,good\n1,yes\n2,"no\n', "line 3"),
        ("income,good\n1,yes\n2,yes\n", "nothing to tell apart"),
        ("income,good\n1,yes\n", "at least two"),
        ("income,good\n1,yes\n2,\n", "is missing in 1 of 2 rows"),
    ],
)
@pytest.mark.parametrize("by_pipe", [False, True])
def test_tables(
    run: Run, write: Write, kept: Path, text: str, message: str, *, by_pipe: bool
) -> None:
    given = ["--target", "good", "--no-cv", "--out", str(kept)]
    if by_pipe:  # a pipe that ends before a table is whole
        done = CliRunner().invoke(main, ["train", "-", *given], input=text)
    else:
        done = run("train", write(text), *given)
    assert_refused(done, kept, message)


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("income,city\n20,x\n30,y\n", [], "good"),
        ("income,city,other\n20,x,yes\n30,y,no\n", ["--target", "good"], "good"),
        ("income,city,good\n20,x,perhaps\n30,y,no\n", [], "perhaps"),
        ("income,city,good\n20,x,yes\n30,y,no\n", ["--threshold", "7"], "from 0 to 1"),
        ("income,city,good\n20,x,yes\n30,y,no\n", ["--positive", "what"], "There are"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "threshold"])
def test_rows_that_do_not_fit_a_model(
    run: Run,
    write: Write,
    kept: Path,
    tmp_path: Path,
    text: str,
    words: list[str],
    message: str,
    command: str,
) -> None:
    model = tmp_path / "model.spinney"
    given = ["--target", "good", "--drop", "site", "--no-cv", "--model", "cart_full"]
    assert run("train", write(LOANS), *given, "--out", model).exit_code == 0
    out = ["--out", kept] if command == "threshold" else []
    done = run(command, model, write(text, "other.csv"), *words, *out)
    assert_refused(done, kept, message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--group", "site", "--folds", "3"], "2 groups, too few for 3 parts"),
        (["--metric", "deviance"], "does not fit a target of classes"),
        (["--metric", "concordance"], "does not fit a target of classes"),
    ],
)
def test_compare(run: Run, write: Write, kept: Path, words: list[str], message: str) -> None:
    given = ["compare", write(LOANS), "--target", "good", "--model", "cart", "--jobs", 1]
    assert_refused(run(*given, *words), kept, message)


def test_a_reader_that_goes_away_ends_a_list_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "spinney", "datasets"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()
