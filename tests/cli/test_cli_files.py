"""JSON lines, Parquet and Arrow give the columns that CSV gives; broken files are named."""

import errno
import gzip
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from spinney._cli.data import delimited, source
from spinney._cli.data.columns import Sheet
from spinney._cli.data.reading import Choices, read_data
from spinney._cli.data.source import Source

pa = pytest.importorskip("pyarrow")

Run = Callable[..., Result]
Write = Callable[..., Path]

CSV = "size,colour,old,y\n1.5,red,true,a\n,blue,,b\n3,red,false,a\n"
JSON_LINES = (
    '{"size": 1.5, "colour": "red", "old": true, "y": "a"}\n\n'
    '{"colour": "blue", "old": null, "y": "b"}\n'
    '{"size": 3, "y": "a", "colour": "red", "old": false}\n'
)


def read_csv(path: Path) -> Sheet:
    return delimited.read_csv(Source(str(path)))


def read_file(path: Path) -> Sheet:
    return source.read_file(Source(str(path)))


def shown(path: Path) -> dict[str, tuple[str, list[Any]]]:
    columns = read_file(path).columns
    return {c.name: (c.kind, [None if v != v else v for v in c.values.tolist()]) for c in columns}


def arrow_table() -> Any:
    return pa.table(
        {
            "size": pa.array([1.5, None, 3]),
            "colour": pa.array(["red", "blue", "red"]).dictionary_encode(),
            "old": pa.array([True, None, False]),
            "y": ["a", "b", "a"],
        }
    )


def test_all_formats_give_the_same_columns(write: Write, tmp_path: Path) -> None:
    import pyarrow.feather
    import pyarrow.parquet

    expected = shown(write(CSV))
    assert expected["size"] == ("numeric", [1.5, None, 3.0])
    assert expected["old"] == ("nominal", ["true", None, "false"])
    assert shown(write(JSON_LINES, "t.jsonl")) == expected
    assert shown(write(gzip.compress(JSON_LINES.encode()), "t.ndjson.gz")) == expected
    pyarrow.parquet.write_table(arrow_table(), tmp_path / "t.parquet")
    pyarrow.feather.write_feather(arrow_table(), str(tmp_path / "t.arrow"))
    assert shown(tmp_path / "t.parquet") == expected
    assert shown(tmp_path / "t.arrow") == expected


def test_an_ordered_dictionary_of_arrow_stays_ordered(tmp_path: Path) -> None:
    import pyarrow.feather

    sizes = pa.DictionaryArray.from_arrays([1, 0, None], ["S", "M"], ordered=True)
    pyarrow.feather.write_feather(pa.table({"size": sizes}), str(tmp_path / "t.arrow"))
    (column,) = read_file(tmp_path / "t.arrow").columns
    assert (column.kind, column.categories) == ("ordered", ("S", "M"))
    assert column.values.tolist() == ["M", "S", None]


def test_text_in_json_is_no_number(write: Write) -> None:
    path = write('{"zip": "01234"}\n{"zip": "99999"}\n', "t.jsonl")
    assert shown(path) == {"zip": ("nominal", ["01234", "99999"])}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.csv", "x,z,y\n1,2,a\n3,b\n", "line 3: 2 cells, but the first line names 3 columns: it"),
        ("t.csv", "x,z,y\n1,2,a\n3,b\n", "it ends in column 'z', before 'y'"),
        ("t.csv", "x,y\n1,a\n2,b,7\n", "'7' comes after the last column, 'y'"),
        ("t.csv", 'x,y\n1,a\n"2,b\n', "in the row that begins in line 3"),
        ("t.csv", b"x,y\n1,a\n\xff,b\n", "line 3, is not text in UTF-8"),
        ("t.jsonl", '{"x": 1}\n{"x": \n', "line 2, letter 8: not JSON (Expecting value)"),
        ("t.jsonl", "[" * 200_000 + "\n", "line 1: maximum recursion depth exceeded"),
        ("t.jsonl", "[1, 2]\n", "line 1: a list, but each line must be an object"),
        ("t.jsonl", '{"x": 1}\n{"x": [2]}\n', "line 2, column 'x': a list"),
        ("t.jsonl", "\n", "holds no rows"),
        ("t.jsonl", '{"x": 1}\n{"x": "\\ud800"}\n', "line 2: an escape is half a letter"),
        ("t.jsonl", '{"x\\udc00": 1}\n', "line 1: an escape is half a letter"),
        ("t.parquet", "no parquet", "cannot read"),
        ("t.xlsx", "PK", "is a spreadsheet. Save it as CSV"),
        ("t.spinney", "x", "is a model file, and a table is needed"),
    ],
)
def test_broken_files_are_refused_by_line_and_column(
    run: Run, write: Write, name: str, text: str | bytes, sentence: str
) -> None:
    result = run("train", write(text, name), "--target", "y")
    assert result.exit_code == 2
    assert sentence in result.output
    assert name in result.output


def test_dates_of_a_parquet_file_are_refused_by_column(run: Run, tmp_path: Path) -> None:
    import pyarrow.parquet

    table = pa.table({"opened": pa.array([1, 2], pa.date32()), "y": ["a", "b"]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    result = run("train", tmp_path / "t.parquet", "--target", "y")
    assert result.exit_code == 2
    assert "column 'opened' holds date32" in result.output
    assert "--drop opened" in result.output


def test_a_column_that_turns_to_text_late_is_text_from_the_start(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spinney._cli.data.source._BLOCK", 12)
    sheet = read_csv(write("a,b\n01,1\n2,2\n3,3\nx,4\n5,5\n"))
    assert [c.kind for c in sheet.columns] == ["nominal", "numeric"]
    assert sheet.columns[0].values.tolist() == ["01", "2", "3", "x", "5"]
    np.testing.assert_array_equal(sheet.columns[1].values, [1, 2, 3, 4, 5])


def test_a_few_words_among_numbers_are_pointed_out(write: Write) -> None:
    rows = [f"{k % 20},{'ab'[k % 2]}" for k in range(30)]
    rows[17] = "unknown,b"
    reading = read_data(str(write("x,y\n" + "\n".join(rows) + "\n")), Choices("y"))
    assert reading.notes == (
        "x is taken as nominal: 1 cell is no number (first: 'unknown', line 19). Leave "
        "cells without a value empty, or read them as gaps with --na=unknown",
    )


def test_an_empty_column_is_left_out(write: Write) -> None:
    reading = read_data(str(write("a,b,y\n1,,p\n2,,q\n3,NA,p\n")), Choices("y"))
    assert [c.name for c in reading.features] == ["a"]
    assert reading.notes == ("b left out: it holds no value",)


@pytest.mark.parametrize(
    ("name", "held"), [("{}", "whole numbers that count up"), ("c{}", "text without an order")]
)
@pytest.mark.parametrize("command", ["train", "compare", "prune"])
def test_ids_are_warned_of_and_left_out_on_request(
    run: Run, write: Write, command: str, name: str, held: str
) -> None:
    rows = "".join(f"{name.format(1000 + k)},{k % 3},{'pq'[k % 2]}\n" for k in range(40))
    quick = {
        "train": ["--no-cv"],
        "compare": ["--folds", 2, "--repeats", 1, "--model", "cart"],
        "prune": ["--cv", 2],
    }
    task = [command, write("customer,x,y\n" + rows), "--target", "y", *quick[command]]
    warned = " ".join(run(*task).output.split())
    assert f"it differs in every row: {held}" in warned
    assert "customer may be an id" in warned
    assert "--drop customer or --drop-ids" in warned
    assert command == "prune" or "features 2:" in warned
    dropped = " ".join(run(*task, "--drop-ids").output.split())
    assert "customer left out: it differs in every row" in dropped
    assert command == "prune" or "features 1: 1 numeric" in dropped
    assert "may be an id" not in run(*task, "--drop", "customer").output


def test_a_target_with_one_class_is_refused(run: Run, write: Write) -> None:
    result = run("train", write("x,y\n1,a\n2,a\n"), "--target", "y")
    assert result.exit_code == 2
    assert "'y' is 'a' in all 2 rows: there is nothing to tell apart." in result.output


def test_an_ordered_column_with_a_strange_category_is_refused_by_line(
    run: Run, write: Write
) -> None:
    path = write("x,y\nS,a\nM,b\nXL,a\n")
    result = run("train", path, "--target", "y", "--ordered", "x=S,M,L")
    assert result.exit_code == 2
    assert "line 4, column 'x': 'XL' is not one of S, M, L." in result.output


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    run: Run, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spinney._cli.commands.train.train", lambda *_: pytest.fail("worked"))
    result = run("train", "iris", option, tmp_path / "absent" / "file.png")
    assert result.exit_code == 2
    assert "there is no folder" in result.output
    result = run("train", "iris", option, tmp_path)
    assert result.exit_code == 2


def test_a_full_disk_leaves_the_old_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "set.csv"
    old.write_text("precious")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("spinney._cli.output.write_atomically", full)
    result = run("datasets", "iris", "--out", old)
    assert result.exit_code == 2
    assert "No space left on device. The file that was there is unchanged." in result.output
    assert old.read_text() == "precious"


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_or_a_device_is_written_to_and_not_replaced(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit(pipe.read_text)
        assert run("datasets", "iris", "--out", pipe).exit_code == 0
        assert content.result(10).count("\n") == 151
    assert pipe.is_fifo()


def test_a_bundled_set_can_be_written_and_read_again(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "heart.csv"
    assert run("datasets", "heart_disease", "--out", path).exit_code == 0
    copy, own = read_data(str(path), Choices("class")), read_data("heart_disease")
    assert copy.n_rows == own.n_rows == 920
    assert copy.gaps == own.gaps


def test_a_data_set_is_described_with_its_licence(run: Run) -> None:
    text = run("datasets", "pima_indians_diabetes").output
    assert "reproducing published results only" in " ".join(text.split())
    assert "licence" in text


def test_columns_that_a_command_does_not_need_may_hold_anything(run: Run, tmp_path: Path) -> None:
    import datetime

    import pyarrow.parquet

    days = [datetime.date(2026, 11, 1 + k % 9) for k in range(40)]
    size = [float(k % 4) for k in range(40)]
    table = pa.table({"day": days, "size": size, "y": ["ab"[k % 4 > 1] for k in range(40)]})
    data, model = tmp_path / "t.parquet", tmp_path / "m.spinney"
    pyarrow.parquet.write_table(table, data)
    refused = run("train", data, "--target", "y")
    assert "column 'day' holds date32[day]" in refused.stderr
    assert "--drop day" in refused.stderr
    trained = run("train", data, "--target", "y", "--drop", "day", "--no-cv", "--out", model)
    assert trained.exit_code == 0, trained.output
    assert run("predict", model, data).stdout.splitlines()[:4] == ["prediction", "a", "a", "b"]
    kept = run("predict", model, data, "--keep", "day").stdout.splitlines()
    assert kept[:2] == ["day,prediction", "2026-11-01,a"]
    assert run("evaluate", model, data, "--target", "y").exit_code == 0
    assert run("evaluate", model, data).exit_code == 0  # the model remembers its target


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_misspelt_column_is_hinted_at_though_it_was_not_read(
    run: Run, tmp_path: Path, ending: str
) -> None:
    import pyarrow.parquet

    rows = [{"x": k % 5, "name": f"n{k}", "y": "ab"[k % 5 > 2]} for k in range(30)]
    text = {
        "csv": "x,name,y\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows),
        "jsonl": "".join(json.dumps(row) + "\n" for row in rows),
    }
    data, model = tmp_path / f"t.{ending}", tmp_path / "m.spinney"
    if ending == "parquet":
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), data)
    else:
        data.write_text(text[ending])
    done = run("train", data, "--target", "y", "--drop", "name", "--no-cv", "--out", model)
    assert done.exit_code == 0, done.output
    for words in (
        ("train", data, "--target", "y", "--drop", "name_"),
        ("predict", model, data, "--keep", "name_"),
        ("evaluate", model, data, "--target", "name_"),
    ):
        assert "Did you mean 'name'?" in run(*words).stderr
