"""Columns that should not be learned from, tables that are streams, and a full disk."""

import errno
import io
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from spinney._cli import main
from spinney._cli.data.reading import Choices, read_data
from spinney._cli.errors import Refusal

Run = Callable[..., Result]
Write = Callable[..., Path]


def column_table(cells: list[str]) -> str:
    return "x,c,y\n" + "".join(f"{k % 7},{c},{'ab'[k % 2]}\n" for k, c in enumerate(cells))


def warnings_of(path: Path) -> str:
    return " ".join(read_data(str(path), Choices(target="y")).warnings)


@pytest.mark.parametrize(
    "form", ["2026-11-{:02d}", "{:02d}.11.2026", "11/{}/26", "2026-11-{:02d} 08:15:00"]
)
def test_dates_in_text_are_warned_of(write: Write, form: str) -> None:
    path = write(column_table([form.format(k % 28 + 1) for k in range(90)]))
    assert "c holds dates as text, 28 categories" in warnings_of(path)
    assert "--drop c" in warnings_of(path)


@pytest.mark.parametrize("cells", [["A-11-2", "B-11-2"], ["2026-11", "2026-12"], ["1-2.3", "a"]])
def test_other_text_is_no_date(write: Write, cells: list[str]) -> None:
    assert "dates" not in warnings_of(write(column_table(cells * 30)))


def test_text_with_hardly_two_rows_for_a_category_is_warned_of(write: Write) -> None:
    nearly = write(column_table([f"k{k // 2 if k < 40 else k}" for k in range(90)]))
    assert "c is text of 70 categories in 90 rows" in warnings_of(nearly)
    assert warnings_of(write(column_table([f"k{k // 2}" for k in range(90)]))) == ""
    assert warnings_of(write(column_table([f"k{k // 2 % 15}" for k in range(20)]))) == ""


def test_long_surrogates_are_cut(run: Run, write: Write) -> None:
    towns = [f"town{k // 2:03d}" for k in range(120)]
    text = "a,b,y\n" + "".join(
        f"{town},v{town},{'ab'[(k // 2) % 2]}\n" for k, town in enumerate(towns)
    )
    done = run("train", write(text), "--target", "y", "--no-cv", "--model", "cart_full")
    assert done.exit_code == 0, done.output
    shown = " ".join(done.output[done.output.index("Surrogates at the root") :].split())
    assert "... 18 more}: agrees in 100.0 % of rows" in shown


def test_a_table_that_is_a_stream_is_refused_with_the_remedy(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run("train", pipe, "--target", "y")
    assert done.exit_code == 2
    assert f"{str(pipe)!r} is no file but a stream" in done.stderr
    assert "Write it to a file first, or give it as standard input: -." in done.stderr


class _FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.slow
def test_output_that_finds_no_space_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", _FullDisk())
    with pytest.raises(Refusal, match=r"cannot go on with the output: No space left on device\."):
        main(["datasets"], standalone_mode=False)


def test_what_comes_next_names_the_same_choices(run: Run, write: Write) -> None:
    lines = [f"c{k},{k % 7},{k % 3},{'ab'[k % 7 > 3]}" for k in range(40)]
    path = write("id,x,the code,y\n" + "\n".join(lines) + "\n")
    asked = ["--target", "y", "--drop-ids", "--nominal", "the code"]
    done = run("compare", path, *asked, "--model", "cart", "--folds", 2, "--jobs", 1)
    assert done.exit_code == 0, done.output
    command = next(line for line in done.output.splitlines() if "spinney train" in line)
    words = shlex.split(command)[1:]
    assert words[2:7] == ["--target", "y", "--nominal", "the code", "--drop-ids"]
    again = run(*words[:-2], "--no-cv")
    assert "id left out: it differs in every row" in again.output


def test_long_lines_of_a_tree_go_on_behind_its_branches(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    towns = ["a rather long name of a town", "another long name of a town", "a third long town"]
    rows = [f"{towns[k % 3]},{k % 5},{'pq'[k % 3 == 2 or k % 5 == 4]}" for k in range(90)]
    path = write("town,x,y\n" + "\n".join(rows) + "\n")
    monkeypatch.setenv("COLUMNS", "60")
    shown = run("prune", path, "--target", "y", "--jobs", 1).output.splitlines()
    begin = next(k for k, line in enumerate(shown) if "|-- town in" in line or "`-- town" in line)
    assert shown[begin + 1].startswith(("  |       ", "          "))


@pytest.mark.parametrize("word", ["unknown", "--", "none", "-"])
def test_words_among_numbers_are_told_with_the_remedy(write: Write, word: str) -> None:
    cells = [word if k % 4 == 0 else f"{k / 8}" for k in range(90)]
    reading = read_data(str(write(column_table(cells))), Choices(target="y"))
    assert reading.notes == (
        f"c is taken as nominal: 23 cells are no number (first: {word!r}, line 2). Leave cells "
        f"without a value empty, or read them as gaps with --na={word}",
    )
    assert reading.warnings == ()


@pytest.mark.parametrize("form", ["${}", "{} %", "€ {}", "1.{:03d},50", "{},5"])
def test_numbers_with_signs_are_told_with_the_remedy(write: Write, form: str) -> None:
    assert "numbers with signs" in warnings_of(write(_quoted(form)))


def _quoted(form: str) -> str:
    return "x,c,y\n" + "".join(
        f'{k % 7},"{form.format(k // 2)}",{"ab"[k % 2]}\n' for k in range(90)
    )


@pytest.mark.parametrize("form", ["10.0.0.{}", "{}-{}", "a{}", "v1.{}"])
def test_other_text_with_digits_is_no_number(write: Write, form: str) -> None:
    assert "numbers with signs" not in warnings_of(write(_quoted(form.replace("{}-{}", "{0}-{0}"))))


def test_a_file_with_bars_is_refused_with_the_remedy(run: Run, write: Write) -> None:
    done = run("train", write("a|y\n1|b\n2|c\n"), "--target", "y")
    assert done.exit_code == 2
    assert "names one column, 'a|y'. Part cells by commas, semicolons or tabs." in done.stderr


def test_a_file_that_is_read_is_not_written_over(run: Run, write: Write, tmp_path: Path) -> None:
    text = column_table(["u", "v", "w"] * 20)
    data, model, link = write(text), tmp_path / "m.spinney", tmp_path / "link.csv"
    link.symlink_to(data)
    for out in (data, link):
        done = run("train", data, "--target", "y", "--no-cv", "--out", out)
        assert done.exit_code == 2
        assert f"--out: {str(out)!r} is read by this command and would be lost" in done.stderr
    assert run("train", data, "--target", "y", "--no-cv", "--out", model).exit_code == 0
    held = model.read_bytes()
    for words in (
        ("predict", model, data, "--out", data),
        ("predict", model, data, "--out", model),
        ("rules", model, "--out", model),
        ("prune", data, "--target", "y", "--out", data),
        ("prune", model, "--test", data, "--target", "y", "--out", data),
    ):
        assert "would be lost" in run(*words).stderr, words
    assert data.read_text() == text
    assert model.read_bytes() == held
    assert run("prune", model, "--leaves", 1, "--out", model).exit_code == 0  # a newer version


def test_trees_of_a_model_that_is_one_are_refused_by_the_option(run: Run) -> None:
    done = run("train", "credit_example", "--trees", 5)
    assert "--trees: cart has no members to count" in done.stderr
