"""CSV files as people have them: gaps, other delimiters, row numbers, names, big integers."""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spinney._cli.data import delimited
from spinney._cli.data.columns import Sheet
from spinney._cli.data.reading import Choices, Reading, read_data
from spinney._cli.data.source import Source
from spinney._cli.errors import Refusal
from spinney._table import encode_table

Write = Callable[..., Path]


def read_csv(path: Path) -> Sheet:
    return delimited.read_csv(Source(str(path)))


def cells(path: Path) -> dict[str, list[object]]:
    return {column.name: column.values.tolist() for column in read_csv(path).columns}


def kinds(reading: Reading) -> dict[str, str]:
    return {column.name: column.kind for column in reading.features}


def test_numbers_are_numeric_and_the_rest_nominal(write: Write) -> None:
    columns = read_csv(write("a,b,c\n1,x,1\n-2.5e3,y,two\n")).columns
    assert [column.kind for column in columns] == ["numeric", "nominal", "nominal"]
    assert columns[0].values.tolist() == [1.0, -2500.0]
    assert columns[2].values.tolist() == ["1", "two"]


@pytest.mark.parametrize("gap", ["", "NA", "NaN", "?", "NULL", "null", "N/A", "#N/A", "<NA>", "."])
def test_gaps_are_missing_in_both_kinds(write: Write, gap: str) -> None:
    columns = read_csv(write(f"a,b\n1,x\n{gap},{gap}\n")).columns
    assert np.isnan(columns[0].values[1])
    assert columns[1].values[1] is None


def test_a_column_without_any_value_is_numeric(write: Write) -> None:
    (column, _) = read_csv(write("a,b\nNA,1\n,2\n")).columns
    assert column.kind == "numeric"
    assert np.isnan(column.values).all()


def test_underscores_do_not_make_numbers(write: Write) -> None:
    assert cells(write("a,b\n1_000,1\n2_000,2\n"))["a"] == ["1_000", "2_000"]


@pytest.mark.parametrize("text", ["a;b\n1,5;x\n2;y z\n", "a\tb\n1.5\tx\n2\ty z\n"])
def test_semicolons_and_tabs_part_cells_too(write: Write, text: str) -> None:
    assert cells(write(text)) == {"a": [1.5, 2.0], "b": ["x", "y z"]}


def test_quotes_blank_lines_spaces_and_marks_of_byte_order_are_read_over(write: Write) -> None:
    text = '\ufeffa, b\r\n1, "x, y"\r\n\r\n2, z\r\n'
    assert cells(write(text)) == {"a": [1.0, 2.0], "b": ["x, y", "z"]}


def test_compressed_files_are_read(write: Write) -> None:
    path = write(gzip.compress(b"a,b\n1,x\n2,y\n"), "table.csv.gz")
    assert cells(path) == {"a": [1.0, 2.0], "b": ["x", "y"]}


def test_rows_without_a_target_are_dropped_on_request(write: Write) -> None:
    path = write("a,y\n1,no\n2,\n3,yes\n4,NA\n5,no\n")
    with pytest.raises(Refusal, match="'y' is missing in 2 of 5 rows, first in row 2"):
        read_data(str(path), Choices("y"))
    reading = read_data(str(path), Choices("y", drop_unlabelled=True))
    assert reading.y.tolist() == ["no", "yes", "no"]
    assert reading.X["a"].tolist() == [1.0, 3.0, 5.0]
    assert reading.notes == ("2 rows without y dropped",)


def test_text_that_differs_in_every_row_is_left_out_on_request(write: Write) -> None:
    path = str(write("full name,size,y\nann,1,no\nbob,2,yes\n,2,no\ncy,2,no\n"))
    warned = read_data(path, Choices("y"))
    assert list(warned.X) == ["full name", "size"]
    assert warned.warnings == (
        "full name may be an id: it differs in every row: text without an order. A tree learns "
        "rows by heart from it. Leave it out with --drop 'full name' or --drop-ids",
    )
    for choices in (Choices("y", drop_ids=True), Choices("y", drop=["full name"])):
        left = read_data(path, choices)
        assert list(left.X) == ["size"]
        assert left.warnings == ()


def test_superscripts_are_no_numbers_of_an_order(write: Write) -> None:
    assert read_csv(write("a,y\n²,p\n10,q\n9,p\n²,q\n")).columns[0].categories == ("9", "10", "²")


def test_row_numbers_without_a_name_are_left_out(write: Write) -> None:
    reading = read_data(str(write(",a,y\n0,5,no\n1,6,yes\n2,7,no\n")), Choices("y"))
    assert list(reading.X) == ["a"]
    assert reading.notes == ("a column without a name left out",)


def test_integers_that_float64_cannot_hold_are_named(write: Write) -> None:
    path = write(f"a,y\n{2**60},no\n{2**60 + 1},yes\n3,no\n")
    assert read_data(str(path), Choices("y")).notes == (
        "a: whole numbers beyond 2**53 may be rounded",
    )


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b", "a"], "classification"),
        (["0", "1", "1"], "classification"),
        ([str(k % 10) for k in range(30)], "classification"),
        ([str(k % 11) for k in range(30)], "regression"),
        (["0.5", "1", "1"], "regression"),
    ],
)
def test_the_target_tells_the_task(write: Write, values: list[str], task: str) -> None:
    path = write("x,y\n" + "".join(f"{k},{value}\n" for k, value in enumerate(values)))
    assert read_data(str(path), Choices("y")).task == task


def test_the_task_can_be_given(write: Write) -> None:
    path = write("x,y\n1,0\n2,1\n3,1\n")
    assert read_data(str(path), Choices("y", "regression")).y.dtype == np.float64
    assert read_data(str(path), Choices("y")).y.dtype == np.int64


def test_ordered_columns_of_a_bundled_set_keep_their_order() -> None:
    reading = read_data("heart_disease")
    assert kinds(reading)["st_slope"] == "ordered"
    values, schema = encode_table(reading.X)
    place = list(reading.X).index("st_slope")
    assert schema.columns[place].kind == "ordered"
    assert schema.columns[place].categories == ("1", "2", "3")
    known = ~np.isnan(values[:, place])
    labels = reading.features[place].values
    assert [str(int(code) + 1) for code in values[known, place]] == labels[known].tolist()
    assert reading.gaps["st_slope"] == int((~known).sum())


def test_a_bundled_name_wins_over_a_file_of_that_name(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write("a,b\n1,2\n", "iris").parent)
    assert read_data("iris").source == "iris (bundled)"
    assert read_data("iris").n_rows == 150
