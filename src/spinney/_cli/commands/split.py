"""`spinney split`: training rows and test rows of a table, in two files."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from spinney._cli.data.columns import Column, Wanted
from spinney._cli.data.csv_rows import CarefulRows, delimiter_of, open_csv, read_carefully
from spinney._cli.data.source import Source, bundled_columns, find_file, form_of, read_file
from spinney._cli.errors import Refusal, refusing
from spinney._cli.output import check_output, write_bytes
from spinney._format import csv_text, did_you_mean, plural
from spinney.compare._resampling import RepeatedHoldout
from spinney.datasets._registry import list_datasets

Rows = NDArray[np.intp]


def run(
    data: str,
    test: float,
    stratify: str | None,
    group: str | None,
    seed: int,
    train_out: Path | None,
    test_out: Path | None,
) -> None:
    """Divide a table into training and test rows."""
    table = _open(data)
    outs = [
        _out(table, given, part, data) for given, part in ((train_out, "train"), (test_out, "test"))
    ]
    if outs[0] == outs[1]:
        raise Refusal("--train-out and --test-out are one file. Give two names.")
    with refusing():
        parts = divide(table, test, stratify, group, seed)
    contents = [table.take(rows) for rows in parts]
    for rows, path, content, part in zip(parts, outs, contents, ("train", "test"), strict=True):
        write_bytes(f"--{part}-out", path, content)
        what = "training" if part == "train" else "test"
        click.echo(f"{plural(len(rows), f'{what} row')} in {path}.")


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose rows can be written as they are."""

    stem: str
    suffix: str
    columns: Callable[[Sequence[str]], Sequence[Column]]  # at least those that are named
    take: Callable[[Rows], bytes]


def divide(
    table: Table, share: float, stratify: str | None, group: str | None, seed: int
) -> tuple[Rows, Rows]:
    """Return the training rows and the test rows.

    Parameters
    ----------
    table : Table
        The table.
    share : float
        Share of the rows, or of the groups, for the test.
    stratify : str or None
        Column whose classes are divided evenly; of groups, by their most frequent class.
    group : str or None
        Column whose equal rows stay together.
    seed : int
        Random seed.

    Returns
    -------
    tuple of array
    """
    columns = table.columns([name for name in (stratify, group) if name is not None])
    n_rows = len(columns[0])
    strata = _codes(columns, "--stratify", stratify, n_rows)
    holdout = RepeatedHoldout(1, test_size=share)
    random = np.random.default_rng(seed)
    if group is None:
        return holdout.parts(strata, random)[0]
    groups = _codes(columns, "--group", group, n_rows)
    n_groups = int(groups.max()) + 1
    if n_groups < 2:
        raise Refusal(f"--group: {group!r} is the same in all rows, so they cannot be divided.")
    counts = np.zeros((n_groups, int(strata.max()) + 1), dtype=np.intp)
    np.add.at(counts, (groups, strata), 1)
    ((_, test),) = holdout.parts(counts.argmax(axis=1), random)
    is_test = np.isin(groups, test)
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _codes(columns: Sequence[Column], option: str, name: str | None, n_rows: int) -> Rows:
    if name is None:
        return np.zeros(n_rows, dtype=np.intp)
    names = [column.name for column in columns]
    if name not in names:
        raise Refusal(f"{option}: no column {name!r}.{did_you_mean(name, filter(None, names))}")
    codes = np.unique(columns[names.index(name)].cells, return_inverse=True)[1]
    return np.asarray(codes, dtype=np.intp)


def _out(table: Table, given: Path | None, part: str, data: str) -> Path:
    path = given or Path(f"{table.stem}_{part}{table.suffix}")
    check_output(f"--{part}-out", path, data)
    if path.exists() and given is None:
        raise Refusal(f"{str(path)!r} exists already. Name another file with --{part}-out.")
    return path


# -- Tables


def _open(name: str) -> Table:
    if name in list_datasets():
        columns, _, _ = bundled_columns(name)
        return Table(name, ".csv", lambda _: columns, lambda rows: _bundled(columns, rows))
    source = find_file(name)
    stem = "standard_input" if name == "-" else Path(name).name.split(".")[0]
    form = form_of(source)
    suffix = {"csv": ".csv", "json": ".jsonl", "arrow": ".parquet"}[form]

    def columns_of(names: Sequence[str]) -> Sequence[Column]:
        if form == "csv":
            return _csv_columns(source, names)
        return read_file(source, Wanted(strict=False)).columns

    takers = {"csv": _csv_rows, "json": _json_rows, "arrow": _arrow_rows}
    return Table(stem, suffix, columns_of, lambda rows: takers[form](source, rows))


def _bundled(columns: Sequence[Column], rows: Rows) -> bytes:
    cells = [
        ["" if v is None or v != v else v for v in column.values[rows].tolist()]
        for column in columns
    ]
    return csv_text([[c.name for c in columns], *zip(*cells, strict=True)]).encode()


def _csv_columns(source: Source, names: Sequence[str]) -> Sequence[Column]:
    """Read the named columns, or else the first, without the time that pyarrow takes to start."""
    header = open_csv(source, Wanted())[0].header
    only = frozenset(names or header[:1])
    wanted = Wanted(only=only if only <= set(header) else None, strict=False)  # all, for a hint
    return read_carefully(open_csv(source, wanted)[0]).columns


def _csv_rows(source: Source, rows: Rows) -> bytes:
    delimiter = delimiter_of(source)
    wanted = set(rows.tolist())
    found = CarefulRows(source, delimiter)
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(found.header)
    writer.writerows(row for place, row in enumerate(found) if place in wanted)
    return text.getvalue().encode()


def _json_rows(source: Source, rows: Rows) -> bytes:
    lines = [line for line in source.lines(None, None) if line.strip()]
    return "".join(lines[row].rstrip("\n") + "\n" for row in rows.tolist()).encode()


def _arrow_rows(source: Source, rows: Rows) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    from spinney._cli.data.arrow import read_plain

    sink: Any = pa.BufferOutputStream()
    pyarrow.parquet.write_table(read_plain(source).take(rows), sink)
    return bytes(sink.getvalue().to_pybytes())
