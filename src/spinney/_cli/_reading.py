"""What a command learns from: the features, the target, and what had to be left out.

A bundled set and a file give the same thing, so that everything after this step is written once.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli._refusal import Refusal
from spinney._cli._text import plural
from spinney._cli._useful import useful
from spinney._cli.data.cells import exact_text
from spinney._cli.data.columns import Column, Sheet, TextFormat, Wanted
from spinney._cli.data.read import read_file
from spinney._cli.data.source import Source, find_source
from spinney._nearest import did_you_mean
from spinney._table import CodedLabels
from spinney.datasets import list_datasets, load
from spinney.datasets._dataset import Kind, Task

_MOST_CLASSES = 10  # whole numbers with more values than this are no classes


@dataclass(frozen=True, eq=False)
class Reading:
    """Features and target, which every row has."""

    source: str
    features: tuple[Column, ...]
    target: Column
    task: Task
    notes: tuple[str, ...]  # what was left out, or is strange
    warnings: tuple[str, ...] = ()  # what probably should be left out
    options: tuple[str, ...] = ()  # of a command that reads the same

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """Notes and warnings, each behind the word for it."""
        return [("note", note) for note in self.notes] + [("warning", w) for w in self.warnings]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def y(self) -> NDArray[Any]:
        """The target as an estimator takes it."""
        values = self.target.values
        if self.task == "classification" and self.target.is_whole:
            return values.astype(np.int64)
        return values

    @property
    def X(self) -> dict[str, Any]:  # noqa: N802 - scikit-learn's name
        """The features as an estimator takes them."""
        return as_table(self.features)

    @property
    def gaps(self) -> dict[str, int]:
        """The number of missing cells of each feature that has any."""
        counts = {column.name: int(column.missing.sum()) for column in self.features}
        return {name: count for name, count in counts.items() if count}


@dataclass(frozen=True)
class Choices:
    """What the user says about the columns of a table."""

    target: str | None = None
    task: Task | None = None
    drop: Sequence[str] = ()
    drop_ids: bool = False
    drop_unlabelled: bool = False
    nominal: Sequence[str] = ()
    ordered: Sequence[str] = ()  # each as NAME=A,B,C
    na: Sequence[str] = ()
    encoding: str | None = None
    numeric: Sequence[str] = ()
    decimal: str | None = None

    @property
    def text(self) -> TextFormat:
        """How a file writes gaps, numbers and letters."""
        return TextFormat(self.na, self.encoding, self.numeric, self.decimal)

    def wanted(self) -> Wanted:
        """Return the kinds that these choices ask for."""
        orders = {}
        for text in self.ordered:
            name, sign, words = text.partition("=")
            order = tuple(word.strip() for word in words.split(","))
            if not sign or len(order) < 2 or len(set(order)) < len(order):
                raise Refusal(
                    f"--ordered: write NAME=A,B,C with each category once, lowest first, not "
                    f"{text!r}."
                )
            orders[name.strip()] = order
        dropped = frozenset(self.drop) - {self.target}
        for name in self.numeric:
            if name in self.nominal or name in orders:
                raise Refusal(f"--numeric: {name!r} is named as a column of categories as well.")
        kinds: dict[str, Kind] = dict.fromkeys(self.nominal, "nominal")
        kinds |= dict.fromkeys(self.numeric, "numeric")
        return Wanted(kinds, orders, without=dropped, text=self.text)

    def options(self) -> tuple[str, ...]:
        """Return these choices as options of a command."""
        words = []
        chosen: list[tuple[str, Sequence[str]]] = [
            ("--target", [self.target] if self.target is not None else []),
            ("--task", [self.task] if self.task is not None else []),
            ("--drop", self.drop),
            ("--nominal", self.nominal),
            ("--ordered", self.ordered),
            *self.text.options(),
        ]
        for option, values in chosen:
            words += [f"{option} {shlex.quote(value)}" for value in values]
        words += ["--drop-ids"] * self.drop_ids + ["--drop-unlabelled"] * self.drop_unlabelled
        return tuple(words)


def read_data(name: str, choices: Choices | None = None) -> Reading:
    """Read a bundled set or a file.

    Parameters
    ----------
    name : str
        Name of a bundled set, or path of a file.
    choices : Choices, optional
        What to predict, which columns to leave out, and what kinds they are of.

    Returns
    -------
    Reading
    """
    choices = choices or Choices()
    return replace(_read(name, choices), options=choices.options())


def _read(name: str, choices: Choices) -> Reading:
    if name in list_datasets():
        refuse_text_format(name, choices.text)
        columns, target, task = bundled_columns(name)
        sheet = Sheet([_retyped(column, choices.wanted()) for column in columns])
        own = choices.target in (None, target)
        choices = replace(
            choices, target=choices.target or target, task=choices.task or (task if own else None)
        )
        return _divide(f"{name} (bundled)", sheet, choices)
    return _divide(name, read_file(find_file(name), choices.wanted()), choices)


def bundled_columns(name: str) -> tuple[list[Column], str, Task]:
    """Return the columns of a bundled set with its target last, the target's name and the task."""
    data = load(name, as_="dict")
    columns = [
        _coded(n, data.kinds[n], data.data[n], data.categories.get(n, ()))
        for n in data.feature_names
    ]
    if data.task == "regression":
        last = Column(data.target_name, "numeric", data.target)
    else:
        last = _coded(data.target_name, "nominal", data.target, sorted(set(data.target)))
    return [*columns, last], data.target_name, data.task


def _coded(name: str, kind: Kind, values: NDArray[Any], categories: Sequence[str]) -> Column:
    """Return numbers, or labels and None, as a column."""
    if kind == "numeric":
        return Column(name, kind, values)
    places = {label: code for code, label in enumerate(categories)}
    codes = [places.get(label, -1) for label in values.tolist()]
    return Column(name, kind, np.array(codes, dtype=np.int32), tuple(categories))


def refuse_text_format(name: str, text: TextFormat) -> None:
    """Refuse options about files for a set that is none."""
    for option, values in text.options():
        if values:
            raise Refusal(f"{option} is for files, and {name!r} is a bundled set.")


def find_file(name: str) -> Source:
    """Return the file of this name, or standard input for -, or say what is wrong with it."""
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


def _retyped(column: Column, wanted: Wanted) -> Column:
    """Return a column of a bundled set with the kind that the user asks for."""
    kind = wanted.kind_of(column.name)
    if kind is None or kind == column.kind == "nominal":
        return column
    values = column.values
    if column.kind == "numeric":
        texts = [None if v != v else exact_text(v) for v in values.tolist()]
        values = np.array(texts, dtype=object)
    present = {label for label in values.tolist() if label is not None}
    if kind == "ordered":
        order = wanted.orders[column.name]
        strange = sorted(present - set(order))
        if strange:
            raise Refusal(f"--ordered: {column.name!r} holds {strange[0]!r}, which is not listed.")
        return _coded(column.name, "ordered", values, order)
    return _coded(column.name, "nominal", values, sorted(present))


def _divide(source: str, sheet: Sheet, choices: Choices) -> Reading:
    """Part the target from the features; leave out rows without one and columns without use."""
    columns, target = sheet.columns, choices.target
    names = [column.name for column in columns if column.name]
    _check_names([*names, *sheet.others], choices)
    chosen = next(column for column in columns if column.name == target)
    gaps = chosen.missing
    notes = list(sheet.notes)
    if gaps.any():
        n = int(gaps.sum())
        if not choices.drop_unlabelled and n < len(gaps):
            raise Refusal(
                f"{source}: {target!r} is missing in {n} of {len(gaps)} rows, first in row "
                f"{int(gaps.argmax()) + 1}. Fill it, or leave them out with --drop-unlabelled."
            )
        notes.append(f"{plural(n, 'row')} without {target} dropped")
        columns = [column.take(~gaps) for column in columns]
        chosen = chosen.take(~gaps)
    if len(chosen) < 2:
        rows = plural(len(chosen), "row")
        raise Refusal(f"{rows} with a value of {target!r}: a tree needs at least two.")
    others = [c for c in columns if c.name != target and c.name not in choices.drop]
    features, left_out, warnings = useful(others, choices.drop_ids)
    if not features:
        raise Refusal(f"no columns are left to predict {target!r} from.")
    task = choices.task or _guess_task(chosen)
    _check_task(chosen, task)
    return Reading(source, tuple(features), chosen, task, tuple(notes + left_out), tuple(warnings))


def _check_names(names: Sequence[str], choices: Choices) -> None:
    listed = "The columns are: " + ", ".join(names) + "."
    if choices.target is None:
        raise Refusal(f"say which column to predict with --target. {listed}")
    asked: list[tuple[str, Iterable[str]]] = [
        ("--target", [choices.target]),
        ("--drop", choices.drop),
        ("--nominal", choices.nominal),
        ("--ordered", choices.wanted().orders),
        ("--numeric", choices.numeric),
    ]
    for option, given in asked:
        for name in given:
            if name not in names:
                raise Refusal(f"{option}: no column {name!r}.{did_you_mean(name, names)} {listed}")


def _guess_task(target: Column) -> Task:
    if target.kind != "numeric":
        return "classification"
    few = len(np.unique(target.cells)) <= _MOST_CLASSES
    return "classification" if target.is_whole and few else "regression"


def _check_task(target: Column, task: Task) -> None:
    name, n_rows = target.name, len(target)
    distinct = np.unique(target.cells)
    if task == "regression" and target.kind != "numeric":
        raise Refusal(f"{name!r} holds text: it cannot be predicted by regression.")
    if target.kind == "numeric" and not np.isfinite(distinct).all():
        raise Refusal(f"{name!r} holds an infinite number. Correct this row, or drop it.")
    if len(distinct) == 1:
        only = target.take(np.arange(n_rows) == 0).values.tolist()[0]
        raise Refusal(f"{name!r} is {only!r} in all {n_rows} rows: there is nothing to tell apart.")
    if task == "regression":
        return
    if target.kind == "numeric" and not target.is_whole:
        raise Refusal(f"{name!r} holds fractions: they cannot be classes.")
    if len(distinct) == n_rows > 2:
        raise Refusal(f"{name!r} has a class of its own for every row: nothing to learn.")


def as_table(columns: Iterable[Column]) -> dict[str, Any]:
    """Return columns as a table that estimators take."""
    return {
        column.name: column.cells
        if column.kind == "numeric"
        else CodedLabels(column.cells, column.categories, ordered=column.kind == "ordered")
        for column in columns
    }
