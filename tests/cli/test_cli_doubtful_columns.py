"""Columns that mislead: ids, codes, numbers with signs, variants of a class, leaks. Each told once.

And what is useful is kept: an income differs in every row, and is no id.
"""

import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from spinney._cli.data.reading import Choices, Reading, read_data
from spinney._format import plural

Run = Callable[..., Result]
Write = Callable[..., Path]
INCOMES = [2000 + 37 * k + k * k % 11 for k in range(60)]
CLASSES = ["good" if (k * 7919) % 13 > 4 else "bad" for k in range(60)]


def table(name: str, cells: list[object], classes: list[str] | None = None) -> str:
    rows = zip(cells, range(60), classes or CLASSES, strict=True)
    return f"{name},x,class\n" + "".join(f'"{c}",{k % 7},{y}\n' for c, k, y in rows)


def read(path: Path, **choices: object) -> Reading:
    return read_data(str(path), Choices("class", **choices))  # type: ignore[arg-type]


def names(reading: Reading) -> list[str]:
    return [column.name for column in reading.features]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("total_credit_limit", "{}"),
        ("Income", "{}"),
        ("Income", "${:,.2f}"),
        ("Income", "{:.2f} EUR"),
        ("Income", "{},12"),
        ("number_of_steps", "{}"),
        ("paid", "{}"),
    ],
)
def test_numbers_that_differ_in_every_row_are_no_ids(write: Write, name: str, form: str) -> None:
    path = write(table(name, [form.format(income) for income in INCOMES]))
    reading = read(path, drop_ids=True)
    assert names(reading) == [name, "x"]
    assert "id" not in " ".join(reading.warnings).split()


@pytest.mark.parametrize(
    ("form", "options"),
    [("${:,.2f}", ""), ("{:.2f} EUR", ""), ("{},12", " --decimal ,"), ("1.{:04d},5", None)],
)
def test_numbers_with_signs_are_told_with_the_option_that_reads_them(
    run: Run, write: Write, form: str, options: str | None
) -> None:
    path = write(table("Income", [form.format(income) for income in INCOMES]))
    warned = " ".join(read(path).warnings)
    if options is None:  # four digits between separators: no number at all
        assert "numbers with signs" not in warned
        return
    assert f"Read them as numbers with --numeric Income{options}" in warned
    given = ("--numeric", "Income", *options.split())
    done = run("train", path, "--target", "class", "--no-cv", *given)
    assert done.exit_code == 0, done.output
    assert "2 numeric" in done.output
    assert "Income is taken" not in done.output


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("customer_id", [900_001 + 7919 * k for k in range(60)], "is named as an id"),
        ("CustomerID", [900_001 + 7919 * k for k in range(60)], "is named as an id"),
        ("policy no", [900_001 + 7919 * k for k in range(60)], "is named as an id"),
        ("customerid", [f"C-{k}x" for k in range(60)], "is named as an id"),
        ("client", list(range(5000, 5060)), "whole numbers that count up"),
        ("client", [5000 + (k * 13) % 60 for k in range(60)], "whole numbers that count up"),
        ("client", [f"C-{k * 13 % 60}x" for k in range(60)], "text without an order"),
    ],
)
def test_ids_are_named_count_up_or_are_codes_and_say_why(
    write: Write, name: str, cells: list[object], reason: str
) -> None:
    path = write(table(name, cells))
    (warning,) = read(path).warnings
    assert warning.startswith(f"{name} may be an id: it differs in every row")
    assert reason in warning
    left = read(path, drop_ids=True)
    assert names(left) == ["x"]
    assert reason in left.notes[0]


@pytest.mark.parametrize("careful", [False, True])
def test_leading_zeros_are_told_with_the_option_that_keeps_them(
    write: Write, careful: bool
) -> None:
    zips = [f"{1018 + 1500 * (k % 9):05d}" if k > 40 else "12345" for k in range(60)]
    text = table("zip", zips)
    path = write(text if careful else text.replace('"', ""))
    note = (
        "zip is taken as numeric, and begins with zeros, as in '08518'. If it is a code, keep it "
        "as it is with --nominal zip"
    )
    assert read(path).notes == (note,)
    kept = read(path, nominal=["zip"])
    assert kept.notes == ()
    assert "08518" in kept.features[0].categories


def test_numbers_without_leading_zeros_stay_as_they_are(write: Write) -> None:
    reading = read(write(table("x0", ["0", "0.5", "00"] * 20)))
    np.testing.assert_array_equal(reading.features[0].cells, [0.0, 0.5, 0.0] * 20)


def test_variants_of_a_class_and_of_a_category_are_told(write: Write) -> None:
    classes = ["GOOD " if k % 9 == 0 else label for k, label in enumerate(CLASSES)]
    path = write(table("town", ["Ulm", "ulm", "Bern", "Bonn"] * 15, classes))
    warned = read(path).warnings
    assert "class has classes that differ by case or blanks only: 'GOOD', 'good'." in warned[1]
    assert "town has categories that differ by case or blanks only: 'Ulm', 'ulm'." in warned[0]
    assert len(warned) == 2


@pytest.mark.parametrize(
    "cells",
    [
        ["late" if y == "bad" else "in time" for y in CLASSES],
        [100 + k if y == "bad" else k for k, y in enumerate(CLASSES)],
    ],
)
def test_a_column_that_gives_the_target_away_is_told(write: Write, cells: list[object]) -> None:
    (warning,) = read(write(table("paid_back", cells))).warnings
    assert warning == (
        "paid_back alone predicts class without an error. If it is known only afterwards, leave it "
        "out with --drop paid_back"
    )


def test_gaps_that_give_the_target_away_are_told(write: Write) -> None:
    days: list[object] = ["2026-03-04" if y == "bad" else "" for y in CLASSES]
    dates, warning = read(write(table("defaulted", days))).warnings
    assert "holds dates as text, 1 category without an order" in dates
    assert warning == (
        "defaulted is missing in all rows of one class, and so predicts class without an error. If "
        "it is known only afterwards, leave it out with --drop defaulted"
    )
    days[CLASSES.index("good")] = "2026-03-04"
    assert len(read(write(table("defaulted", days))).warnings) == 1


def test_a_number_that_is_the_target_in_another_unit_is_told(write: Write) -> None:
    rows = "".join(f"{k},{3.5 * k * k + 2},{k * k}\n" for k in range(60))
    reading = read_data(str(write("a,cents,y\n" + rows)), Choices("y", task="regression"))
    assert any(w.startswith("cents alone predicts y") for w in reading.warnings)
    assert not any(w.startswith("a alone") for w in reading.warnings)


def test_a_column_with_one_exception_gives_nothing_away(write: Write) -> None:
    cells: list[object] = ["late" if y == "bad" else "in time" for y in CLASSES]
    cells[17] = "late" if cells[17] == "in time" else "in time"
    assert read(write(table("paid_back", cells))).warnings == ()


@pytest.mark.parametrize(
    ("name", "form"),
    [("loan_no", "LN{}"), ("loan", "LN-{}"), ("loan", "LN{:07d}"), ("loan", "PT{}-X")],
)
def test_letters_before_a_number_may_make_a_code_of_it(write: Write, name: str, form: str) -> None:
    path = write(table(name, [form.format(income) for income in INCOMES]))
    (warning,) = read(path).warnings
    assert warning.startswith(f"{name} may be an id: it differs in every row")
    assert names(read(path, drop_ids=True)) == ["x"]


@pytest.mark.parametrize(
    ("form", "word", "options"),
    [
        ("${:,.2f}", "n.a.", "--numeric Income --na=n.a."),
        ("{},50 EUR", "no value", "--numeric Income --decimal , --na='no value'"),
        ("{:.1f}k", "unknown", "--numeric Income --na=unknown"),
    ],
)
@pytest.mark.parametrize("step", [7, 60])
def test_words_among_numbers_with_signs_do_not_hide_them(
    run: Run, write: Write, form: str, word: str, options: str, step: int
) -> None:
    cells = [form.format(i) if k % step else word for k, i in enumerate(INCOMES)]
    path = write(table("Income", cells))
    reading = read(path, drop_ids=True)
    assert names(reading) == ["Income", "x"]
    (warning,) = reading.warnings
    assert f"and {word!r}. Read them as numbers with {options}" in warning
    again = run("train", path, "--target", "class", "--no-cv", *shlex.split(options))
    assert again.exit_code == 0, again.output
    assert "warning" not in again.output
    assert f"gaps      {plural(-(-60 // step), 'missing cell')}: Income" in again.output


def test_a_few_cells_with_separators_are_numbers_and_no_gaps(write: Write) -> None:
    cells = [f"{income:,}" if k % 20 == 0 else str(income) for k, income in enumerate(INCOMES)]
    reading = read(write(table("Income", cells)))
    assert reading.notes == ()
    (warning,) = reading.warnings
    assert warning.endswith("such as '2,000'. Read them as numbers with --numeric Income")


@pytest.mark.parametrize("forms", [("{}.5 EUR", "USD {}"), ("{} kg", "{} g")])
def test_numbers_in_several_units_are_no_ids(write: Write, forms: tuple[str, str]) -> None:
    path = write(table("amount", [forms[k % 2].format(i) for k, i in enumerate(INCOMES)]))
    reading = read(path, drop_ids=True)
    assert names(reading) == ["amount", "x"]
    (warning,) = reading.warnings
    assert "amount is taken as nominal: it holds numbers in several units: " in warning


def test_codes_with_letters_of_several_kinds_are_no_numbers(write: Write) -> None:
    cells = [f"{['AB', 'CD', 'EF'][k % 3]}{income}" for k, income in enumerate(INCOMES)]
    (warning,) = read(write(table("area", cells))).warnings
    assert "text without an order" in warning


@pytest.mark.parametrize(
    "form",
    ["{:02d}nov2026", "{}-Nov-26", "Nov {}, 2026", "{} November 2026", "{:02d}NOV2026:08:15:00"],
)
@pytest.mark.parametrize("word", [None, "unknown"])
def test_months_by_name_are_dates(write: Write, form: str, word: str | None) -> None:
    cells = [form.format(k % 28 + 1) for k in range(60)]
    if word is not None:
        cells[30] = word
    reading = read(write(table("opened", list(cells))), drop_ids=True)
    assert names(reading) == ["opened", "x"]
    (warning,) = reading.warnings
    assert warning.startswith("opened holds dates as text")


def test_a_leak_shows_through_variants_of_a_class(write: Write) -> None:
    classes = ["GOOD " if k % 9 == 0 and y == "good" else y for k, y in enumerate(CLASSES)]
    cells: list[object] = ["late" if y == "bad" else "in time" for y in CLASSES]
    warned = read(write(table("paid_back", cells, classes))).warnings
    assert len(warned) == 2
    assert warned[1].startswith("paid_back alone predicts class without an error")
