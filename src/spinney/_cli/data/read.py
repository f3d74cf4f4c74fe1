"""Tables by name: bundled data sets, and files by their suffix or else their first bytes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from spinney._cli.data.columns import Column, Sheet, Wanted
from spinney._cli.data.source import Source, find_source
from spinney._cli.errors import Refusal
from spinney._format import did_you_mean
from spinney.datasets._registry import EVENT, REGISTRY, Task, list_datasets

_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_ARROW_SUFFIXES = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")
_ARROW_MAGIC = (b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")


def read_file(source: Source, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file: CSV, JSON lines, Parquet or Arrow."""
    suffix = source.suffix
    if suffix in (".xlsx", ".xls", ".ods"):
        raise Refusal(f"{source.where} is a spreadsheet. Save it as CSV in UTF-8.")
    if suffix == ".spinney":
        raise Refusal(f"{source.where} is a model file, and a table is needed here.")
    form = form_of(source)
    if form == "arrow":
        from spinney._cli.data.arrow import read_arrow

        return read_arrow(source, wanted)
    if form == "json":
        from spinney._cli.data.json_lines import read_json_lines

        return read_json_lines(source, wanted)
    from spinney._cli.data.delimited import read_csv

    return read_csv(source, wanted)


def form_of(source: Source) -> str:
    """Return the form of a file: csv, json or arrow."""
    if source.suffix in _JSON_SUFFIXES:
        return "json"
    if source.suffix in _ARROW_SUFFIXES or source.head(8).startswith(_ARROW_MAGIC):
        return "arrow"
    if source.content is not None:
        with source.open() as file:
            return "json" if file.read(1) == b"{" else "csv"
    return "csv"


def bundled_columns(name: str) -> tuple[list[Column], str, Task]:
    """Return the columns of a bundled set with its target last, the target's name and the task."""
    from spinney.datasets._dataset import load

    data = load(name, as_="dict")
    columns = [
        Column(n, "numeric", data.data[n])
        if data.kinds[n] == "numeric"
        else Column.of_labels(n, data.kinds[n], data.data[n].tolist(), data.categories[n])
        for n in data.feature_names
    ]
    target, told = data.target_name, REGISTRY[name].exposure
    if told is not None:
        columns.append(Column(told, "numeric", data.exposure))
    if data.task == "survival":
        columns.append(Column(EVENT, "numeric", data.target[EVENT].astype(np.float64)))
        last = Column(target, "numeric", np.ascontiguousarray(data.target[target]))
    elif data.task == "regression":
        last = Column(target, "numeric", data.target)
    else:
        labels = data.target.tolist()
        last = Column.of_labels(target, "nominal", labels, sorted(set(labels)))
    return [*columns, last], target, data.task


def read_table(name: str, wanted: Wanted) -> tuple[Sheet, str | None, Task | None]:
    """Read a bundled data set, with its target and task, or a file."""
    if name not in list_datasets():
        return read_file(find_file(name), wanted), None, None
    for option, values in wanted.text.options():
        if any((option, value) not in wanted.text.remembered for value in values):
            raise Refusal(f"{option} is for files, and {name!r} is a bundled set.")
    columns, target, task = bundled_columns(name)
    return Sheet(columns), target, task


def find_file(name: str) -> Source:
    """Return the file of this name, or standard input for -."""
    path = Path(name)
    if name == "-":
        return find_source(name)
    if path.is_fifo() or path.is_char_device():
        raise Refusal(
            f"{name!r} is no file but a stream, and a table is read more than once. Write it to a "
            "file first, or give it as standard input: -."
        )
    if path.is_dir():
        raise Refusal(f"{name!r} is a folder. Give the path of a file with a table.")
    if path.exists():
        return find_source(name)
    if path.suffix or len(path.parts) > 1:
        raise Refusal(f"there is no file {name!r}.")
    hint = did_you_mean(name, list_datasets()) or " `spinney datasets` lists the names."
    raise Refusal(f"there is no data set and no file {name!r}.{hint}")


def as_table(columns: Iterable[Column]) -> dict[str, Any]:
    """Return columns as a table that estimators accept."""
    from spinney._table import CodedLabels  # here: to divide a table needs no scikit-learn

    return {
        column.name: column.cells
        if column.kind == "numeric"
        else CodedLabels(column.cells, column.categories, ordered=column.kind == "ordered")
        for column in columns
    }
