"""Files that are damaged, in another encoding or no tables: one sentence with what to do."""

import gzip
import json
import re
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result
from thinning import sparingly

import spinney
from spinney._cli import main
from spinney._cli.data.reading import Choices, read_data

Run = Callable[..., Result]
Write = Callable[..., Path]

CSV = "x,y\n" + "".join(f"{k % 7},{'ab'[k % 7 > 3]}\n" for k in range(40))
RUN = "from spinney._cli import main; main()"


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    return last


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x,y\n1,é\n".encode("latin-1"), "line 2, is not text in UTF-8. Save it in UTF-8, or name"),
        (CSV.encode("utf-16"), "is not text in UTF-8 but in UTF-16. Save it in UTF-8, or add"),
        (CSV.encode("utf-16-le"), "line 1, holds a NUL byte, which no text does."),
        (CSV.encode("utf-16-le"), "such as --encoding utf-16-le."),
        (CSV.replace("a", "é").encode("utf-16-be"), "such as --encoding utf-16-be."),
        (b"x,y\n1,a\n2,\0\n", "line 3, holds a NUL byte, which no text does. Remove it, or"),
        (
            b'x,y\n1,a\n"2,b\n3,c\n',
            "a quotation mark is opened and never closed, in the row that begins in line 3",
        ),
        (b"x,y,x\n1,a,2\n", "two columns are called 'x'. Rename one of them."),
        (b"x,y\n1,a\n2,b,c\n", "line 3: 3 cells, but the first line names 2 columns"),
    ],
)
def test_text_files_are_refused_by_line(run: Run, write: Write, text: bytes, sentence: str) -> None:
    for name, data in (("t.csv", text), ("t.csv.gz", gzip.compress(text))):
        assert sentence in refused(run("train", write(data, name), "--target", "y"))
    packed = write(pa.compress(text, "zstd", asbytes=True), "t.csv.zst")
    assert sentence in refused(run("train", packed, "--target", "y"))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("latin-1", CSV.replace("a", "é")), ("utf-16", CSV), ("utf-16-be", CSV), ("cp1252", CSV)],
)
def test_encodings_can_be_named(write: Write, encoding: str, text: str) -> None:
    path = write(text.encode(encoding))
    reading = read_data(str(path), Choices("y", encoding=encoding))
    assert reading.n_rows == 40
    assert reading.target.categories == (("b", "é") if "é" in text else ("a", "b"))


def test_encodings_that_do_not_fit_are_refused(run: Run, write: Write, tmp_path: Path) -> None:
    path = write(CSV.replace("a", "é"))
    assert "not text in ascii" in refused(
        run("train", path, "--target", "y", "--encoding", "ascii")
    )
    for name in ("utf-88", "hex", "rot13"):
        told = refused(run("train", path, "--target", "y", "--encoding", name))
        assert f"--encoding: {name!r} is no encoding of text" in told
    pyarrow.parquet.write_table(pa.table({"y": ["a", "b"]}), tmp_path / "t.parquet")
    told = refused(run("train", tmp_path / "t.parquet", "--target", "y", "--encoding", "utf-8"))
    assert "--encoding is for text files" in told
    assert "--na is for files" in refused(run("train", "iris", "--na", "x"))


def test_marks_of_byte_order_and_line_ends_change_nothing(write: Write) -> None:
    expected = read_data(str(write(CSV)), Choices("y"))
    for text in ("\ufeff" + CSV, CSV.replace("\n", "\r\n"), CSV.replace("\n", "\r"), CSV.rstrip()):
        found = read_data(str(write(text)), Choices("y"))
        assert found.X["x"].tolist() == expected.X["x"].tolist()
        assert found.y.tolist() == expected.y.tolist()


def damaged(packed: bytes) -> list[bytes]:
    middle = len(packed) // 2
    return [
        packed[:middle],
        packed[:12] + b"\xff" * 8 + packed[20:],
        packed[:-6] + b"\0\0" + packed[-4:],
        packed[:3],
        b"",
    ]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz", "t.csv.zst"])
def test_damaged_compressed_files_are_refused(run: Run, write: Write, name: str) -> None:
    text = CSV.encode() * 50
    packed = gzip.compress(text) if "gz" in name else pa.compress(text, "zstd", asbytes=True)
    for data in damaged(packed):
        refused(run("train", write(data, name), "--target", "y"))
    told = refused(run("train", write(damaged(packed)[0], name), "--target", "y"))
    assert re.search(r", after line \d+. The file is damaged or cut off: copy it again.$", told)
    with pytest.raises((zlib.error, EOFError, OSError)):  # what the command must not show
        gzip.decompress(damaged(gzip.compress(text))[1])


def arrow_file(table: Any, path: Path) -> bytes:
    pyarrow.feather.write_feather(table, str(path), compression="uncompressed")
    return path.read_bytes()


def test_arrow_files_with_two_columns_of_one_name_are_refused(run: Run, tmp_path: Path) -> None:
    table = pa.table([["a", "b"], ["c", "d"]], names=["y", "y"])
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as writer:
        writer.write_table(table)
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for name in ("t.arrow", "t.parquet"):
        told = refused(run("train", tmp_path / name, "--target", "y"))
        assert "two columns are called 'y'. Rename one of them." in told


def test_arrow_text_that_is_no_utf8_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    data = arrow_file(pa.table({"x": [1.0, 2.0], "y": ["hello", "world"]}), path)
    path.write_bytes(data.replace(b"helloworld", b"\xff\xfelloworld"))
    assert "cannot read" in refused(run("train", path, "--target", "y"))


DICTIONARY = pa.table(
    {
        "x": pa.DictionaryArray.from_arrays(pa.array([0, 1] * 8, pa.int32()), ["p", "q"]),
        "y": ["a", "b"] * 8,
    }
)


@pytest.mark.slow
def test_codes_beyond_their_dictionary_do_not_end_the_process(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    data = arrow_file(DICTIONARY, path)
    codes = (b"\0\0\0\0\1\0\0\0") * 8
    assert codes in data
    path.write_bytes(data.replace(codes, b"\xff\xff\xff\x6f" * 16))
    done = subprocess.run(
        [sys.executable, "-c", RUN, "train", str(path), "--target", "y"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("Error: cannot read")


def test_streams_of_arrow_are_read(tmp_path: Path) -> None:
    for name in ("t.arrows", "t.arrow", "without_ending"):
        with pa.ipc.new_stream(str(tmp_path / name), DICTIONARY.schema) as writer:
            writer.write_table(DICTIONARY)
        assert read_data(str(tmp_path / name), Choices("y")).n_rows == 16


ENDLESS = """
import resource, sys
from spinney._cli import main
import pyarrow.csv, spinney._cli.commands.train, spinney._cli.data.reading
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    main(["train", sys.argv[1], "--target", "y"])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.parametrize("name", sparingly(["t.csv.gz", "t.jsonl.gz"], 2))
def test_an_endless_line_is_refused_early(write: Write, name: str) -> None:
    path = write(gzip.compress(b"x" * (1 << 29), 1), name)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS, str(path)], capture_output=True, text=True
    )
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert done.returncode == 2
    assert "line 1, is longer than 64 MB" in done.stderr
    assert int(done.stdout) < 300_000  # kB; the text has 512 MB
    assert seconds < 10


def test_standard_input_is_a_table(write: Write, tmp_path: Path) -> None:
    model = tmp_path / "m.spinney"
    for data in (
        CSV.encode(),
        gzip.compress(CSV.encode()),
        pa.compress(CSV.encode(), "zstd", asbytes=True),
        b"".join(b'{"x": %d, "y": "%s"}\n' % (k % 7, b"ab"[k % 2 :][:1]) for k in range(40)),
    ):
        words = ["train", "-", "--target", "y", "--no-cv", "--out", str(model)]
        done = CliRunner().invoke(main, words, input=data)
        assert done.exit_code == 0, done.output
        assert "rows      40" in done.output
    done = CliRunner().invoke(main, ["predict", str(model), "-"], input=CSV)
    assert done.stdout.count("\n") == 41
    done = CliRunner().invoke(main, ["train", "-", "--target", "y"], input="x,y\n1\n")
    assert "standard input, line 2: 1 cell, but the first line names 2 columns" in refused(done)


def test_more_texts_may_mean_a_gap(run: Run, write: Write, tmp_path: Path) -> None:
    text = "x,c,y\n" + "".join(
        f"{k if k % 5 else -999},{'u-v'[k % 3]},{'ab'[k % 2]}\n" for k in range(30)
    )
    choices = Choices("y", na=["-999", "-"])
    assert read_data(str(write(text)), choices).gaps == {"x": 6, "c": 10}
    rows = [(k if k % 5 else -999, "u-v"[k % 3], "ab"[k % 2]) for k in range(30)]
    lines = "".join(json.dumps(dict(zip("xcy", row, strict=True))) + "\n" for row in rows)
    assert read_data(str(write(lines, "t.jsonl")), choices).gaps == {"x": 6, "c": 10}
    columns = {"x": [k if k % 5 else -999 for k in range(30)], "c": list("u-v" * 10)}
    pyarrow.parquet.write_table(pa.table({**columns, "y": list("ab" * 15)}), tmp_path / "t.parquet")
    assert read_data(str(tmp_path / "t.parquet"), choices).gaps == {"x": 6, "c": 10}


def dressed(cells: list[str]) -> str:
    return "x,y\n" + "".join(f'"{cell}",{"ab"[k % 2]}\n' for k, cell in enumerate(cells))


@pytest.mark.parametrize(
    ("cells", "decimal", "numbers"),
    [
        (["$2,573.12", "-$5", "7", "$.5"], None, [2573.12, -5, 7, 0.5]),
        (["2573.12 EUR", "1'000.5 EUR", "(40)", "NA"], None, [2573.12, 1000.5, -40, None]),
        (["1.234,50 €", "5 €", "-1 000 000,25 €", "2,5"], ",", [1234.5, 5, -1000000.25, 2.5]),
        (["12.5 %", "\u22123 %", "1e3", "+4"], None, [12.5, -3, 1000, 4]),
    ],
)
def test_numbers_with_signs_and_units_are_read_on_request(
    write: Write, cells: list[str], decimal: str | None, numbers: list[float | None]
) -> None:
    choices = Choices("y", numeric=["x"], decimal=decimal)
    (column,) = read_data(str(write(dressed(cells))), choices).features
    assert [None if v != v else v for v in column.values.tolist()] == numbers


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (
            "soon",
            "line 4, column 'x': 'soon' is not a number. Correct it, leave the cell empty, or",
        ),
        ("1,23", "line 4, column 'x': '1,23' is not a number"),
        ("2026-11-01", "line 4, column 'x': '2026-11-01' is not a number"),
        ("5 £", "line 4, column 'x': '5 £' is in '£', others are in '$'. Write the column in one"),
    ],
)
def test_cells_that_are_no_numbers_are_told(
    run: Run, write: Write, cell: str, sentence: str
) -> None:
    path = write(dressed(["$1", "$2", cell, "$3"]))
    assert sentence in refused(run("train", path, "--target", "y", "--numeric", "x"))
    told = refused(run("train", path, "--target", "y", "--numeric", "xx"))
    assert "--numeric: no column 'xx'. Did you mean 'x'?" in told


def test_the_same_options_predict_what_they_trained(run: Run, write: Write, tmp_path: Path) -> None:
    data = write(dressed([f"$1,00{k % 7}.50" for k in range(40)]))
    model = tmp_path / "m.spinney"
    words = ["--target", "y", "--numeric", "x"]
    assert run("train", data, *words, "--no-cv", "--out", model).exit_code == 0
    assert run("predict", model, data).exit_code == 0  # the model remembers how x is written
    assert run("predict", model, data, "--numeric", "x").exit_code == 0
    assert run("evaluate", model, data, *words).exit_code == 0
    assert run("explain", model, data, "--row", 1, "--numeric", "x").exit_code == 0
    assert run("prune", model, "--test", data, *words).exit_code == 0
    assert run("rules", model, "--prune", data, *words).exit_code == 0


@pytest.fixture
def kept_model(run: Run, write: Write, tmp_path: Path) -> tuple[Path, Path]:
    rows = "".join(
        f"{k % 7},{'=1+1' if k % 2 else '-5'},\x1b[31m,{'ab'[k % 7 > 3]}\n" for k in range(40)
    )
    data, model = write("x,prediction,probability_a,y\n" + rows), tmp_path / "m.spinney"
    dropped = ["--drop", "prediction", "--drop", "probability_a"]
    words = ["--target", "y", *dropped, "--no-cv", "--out", model]
    assert run("train", data, *words).exit_code == 0
    return data, model


def test_a_kept_column_is_never_lost(run: Run, kept_model: tuple[Path, Path]) -> None:
    data, model = kept_model
    told = refused(run("predict", model, data, "--keep", "prediction"))
    assert "--keep: the predictions have a column 'prediction' of their own." in told
    told = refused(run("predict", model, data, "--proba", "--keep", "probability_a"))
    assert "a column 'probability_a' of their own" in told
    kept = run("predict", model, data, "--keep", "probability_a").stdout
    assert kept.startswith("probability_a,prediction\n")
    assert "'x' is named twice" in refused(
        run("predict", model, data, "--keep", "x", "--keep", "x")
    )


def test_infinite_numbers_are_kept(run: Run, write: Write, kept_model: tuple[Path, Path]) -> None:
    new = write("x\ninf\n-inf\n1e300\n3\n", "new.csv")
    done = run("predict", kept_model[1], new, "--keep", "x")
    assert done.exit_code == 0, done.output
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == [
        "x",
        "inf",
        "-inf",
        "1e+300",
        "3",
    ]
    lines = run("predict", kept_model[1], new, "--keep", "x", "--json").stdout.splitlines()
    assert lines[0].startswith('{"x": "inf"')


def test_redirected_output_is_that_of_out(
    run: Run, kept_model: tuple[Path, Path], tmp_path: Path
) -> None:
    data, model = kept_model
    out = tmp_path / "out.csv"
    assert run("predict", model, data, "--keep", "probability_a", "--out", out).exit_code == 0
    assert b"\x1b[31m" in out.read_bytes()
    assert (
        run("predict", model, data, "--keep", "probability_a").stdout.encode() == out.read_bytes()
    )
    words = ["rules", model, "--format", "sql", "--table", "a\x1b[1mb"]
    assert run(*words, "--out", out).exit_code == 0
    assert b"\x1b[1m" in out.read_bytes()
    assert run(*words).stdout.encode() == out.read_bytes()


def test_cells_are_no_formulas_on_request(run: Run, write: Write, tmp_path: Path) -> None:
    cells = ["=1+1", "@SUM(1)", "+a", "-5", "-5e3", "a=b", "-a"]
    rows = "".join(f"{cells[k % 7]},{k % 7},{'ab'[k % 7 > 3]}\n" for k in range(42))
    data, model = write("c,x,y\n" + rows), tmp_path / "m.spinney"
    words = ["--target", "y", "--drop", "c", "--no-cv", "--out", model]
    assert run("train", data, *words).exit_code == 0
    plain = run("predict", model, data, "--keep", "c").stdout.splitlines()[1:8]
    assert [line.split(",")[0] for line in plain] == cells
    safe = run("predict", model, data, "--keep", "c", "--safe-cells").stdout.splitlines()[1:8]
    expected = ["'=1+1", "'@SUM(1)", "'+a", "-5", "-5e3", "a=b", "'-a"]
    assert [line.split(",")[0] for line in safe] == expected


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["train", "--help"],
        ["train", "iris", "--no-cv"],
        ["prune", "iris", "--cv", "2", "--jobs", "1"],
        ["datasets"],
        ["datasets", "iris"],
        ["compare", "iris", "--folds", "2", "--repeats", "1", "--model", "cart", "--jobs", "1"],
    ],
)
def test_a_terminal_may_be_one_column_wide(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "1")
    assert run(*words).exit_code == 0


def test_the_package_does_not_import_the_engine() -> None:
    """scikit-learn imports pandas where it is installed, and pandas pyarrow; spinney does not."""
    code = "import sys, spinney; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    package = Path(spinney.__file__).parent
    importing = {
        path.relative_to(package).parts[:-1]
        for path in package.rglob("*.py")
        if re.search(r"^(import|from) pyarrow", path.read_text(), re.MULTILINE)
    }
    assert importing == {("_cli", "data"), ("_cli", "commands"), ("batches",)}
