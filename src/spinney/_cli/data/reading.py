"""Data to learn from: features and target of a file, and which columns are useless or doubtful.

Bundled data sets and files give the same, so everything after this step is written once.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.data.columns import Column, Sheet, TextFormat, Wanted
from spinney._cli.data.doubts import target_doubts, usable_columns
from spinney._cli.data.source import as_table, read_table
from spinney._cli.data.text_cells import exact_text
from spinney._cli.errors import Refusal, no_column
from spinney._format import plural
from spinney._lifetimes import Lifetimes, lifetime_array
from spinney.datasets._registry import EVENT, Kind, Task

_EVENT_CODES = ("0", "1", "false", "true")
MOST_CLASSES = 10  # integers with more distinct values than this are no classes


@dataclass(frozen=True, eq=False)
class Reading:
    """Features, and a target without missing values."""

    source: str
    features: tuple[Column, ...]
    target: Column
    task: Task
    notes: tuple[str, ...]  # what was left out, or is unusual
    warnings: tuple[str, ...] = ()  # what should probably be left out
    options: tuple[str, ...] = ()  # command line options that give the same data
    weight: NDArray[np.float64] | None = None  # of the rows, if a column has them
    exposure: NDArray[np.float64] | None = None  # for which the target was counted, likewise
    event: NDArray[np.bool_] | None = None  # of lifetimes: whether it was seen
    group: NDArray[Any] | None = None  # to which each row belongs
    dropped: tuple[str, ...] = ()  # columns that were left out
    choices: "Choices | None" = None  # what the user said

    def fit_options(self, rows: Any = slice(None), model: Any = None) -> dict[str, Any]:
        """Return what `fit` takes besides features and target, of some rows.

        Groups are for a model with a splitter for its folds.
        """
        given = {"sample_weight": self.weight, "exposure": self.exposure}
        if hasattr(getattr(model, "cv", None), "split"):
            given["groups"] = self.group
        return {name: column[rows] for name, column in given.items() if column is not None}

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """Notes and warnings, each with a label."""
        return [("note", note) for note in self.notes] + [("warning", w) for w in self.warnings]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @cached_property
    def y(self) -> NDArray[Any]:
        """The target, for estimators."""
        if self.event is not None:
            return lifetime_array(Lifetimes(self.event, self.target.values))
        as_integers = self.task == "classification" and self.target.is_whole
        return self.target.values.astype(np.int64) if as_integers else self.target.values

    @property
    def classes(self) -> list[Any]:
        """The distinct values of the target, sorted."""
        return self.class_counts[0]

    @cached_property
    def class_counts(self) -> tuple[list[Any], NDArray[np.intp]]:
        """The distinct values of the target, sorted, and the number of rows of each."""
        if self.target.kind == "numeric":
            values = self.y if self.event is None else self.target.values
            labels, counts = np.unique(values, return_counts=True)
            return labels.tolist(), counts
        pairs = zip(self.target.categories, self.target.counts.tolist(), strict=True)
        found = sorted(pair for pair in pairs if pair[1])
        return [label for label, _ in found], np.array([count for _, count in found])

    @cached_property
    def X(self) -> dict[str, Any]:  # noqa: N802 - scikit-learn's name
        """The features, for estimators."""
        return as_table(self.features)

    @property
    def gaps(self) -> dict[str, int]:
        """The number of missing cells of each feature that has any."""
        counts = {column.name: int(column.missing.sum()) for column in self.features}
        return {name: count for name, count in counts.items() if count}


@dataclass(frozen=True)
class Choices:
    """The options about the columns of a table."""

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
    weight: str | None = None
    exposure: str | None = None
    event: str | None = None  # NAME, or NAME=CODE
    time: str | None = None
    group: str | None = None

    @property
    def text(self) -> TextFormat:
        """The options about the format of a file."""
        return TextFormat(self.na, self.encoding, self.numeric, self.decimal)

    def wanted(self) -> Wanted:
        """Return the required kinds of columns."""
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

    def roles(self) -> list[tuple[str, str | None]]:
        """Return the options that name a column which tells of the rows, each with the name."""
        return [("--weight", self.weight), ("--exposure", self.exposure), ("--group", self.group)]

    def options(self) -> tuple[str, ...]:
        """Return these choices as command line options."""
        words = []
        chosen: list[tuple[str, Sequence[str]]] = [
            ("--target", [self.target] if self.target is not None else []),
            ("--task", [self.task] if self.task is not None else []),
            ("--drop", self.drop),
            ("--nominal", self.nominal),
            ("--ordered", self.ordered),
            *((option, [name]) for option, name in self.roles() if name is not None),
            ("--event", [self.event] if self.event is not None else []),
            ("--time", [self.time] if self.time is not None else []),
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
        Target, columns to leave out, and kinds of columns.

    Returns
    -------
    Reading
    """
    choices = choices or Choices()
    return replace(_read(name, _of_lifetimes(choices)), options=choices.options())


def _of_lifetimes(choices: Choices) -> Choices:
    """Return choices whose target is the time, if event and time are named."""
    if choices.event is None and choices.time is None:
        return choices
    if choices.event is None or choices.time is None:
        other = "--event" if choices.event is None else "--time"
        raise Refusal(f"a lifetime is an event and a time: name its column with {other} too.")
    if choices.target not in (None, choices.time):
        raise Refusal("--target: of lifetimes it is the column of --time. Leave it out.")
    if choices.task is not None:
        raise Refusal("--task: event and time are a task of their own. Leave it out.")
    return replace(choices, target=choices.time, task="survival")


def _read(name: str, choices: Choices) -> Reading:
    wanted = choices.wanted()
    sheet, target, task = read_table(name, wanted)
    if target is None:
        return _divide(name, sheet, choices)
    sheet = Sheet([_retyped(column, wanted) for column in sheet.columns])
    own = choices.target in (None, target)
    choices = replace(
        choices, target=choices.target or target, task=choices.task or (task if own else None)
    )
    if choices.task == "survival":
        choices = replace(choices, event=choices.event or EVENT, time=choices.target)
    return _divide(f"{name} (bundled)", sheet, choices)


def _retyped(column: Column, wanted: Wanted) -> Column:
    """Return a column of a bundled data set with the required kind."""
    kind = wanted.kind_of(column.name)
    if kind is None or kind == column.kind == "nominal":
        return column
    labels = column.values.tolist()
    if column.kind == "numeric":
        labels = [None if v != v else exact_text(v) for v in labels]
    present = {label for label in labels if label is not None}
    order = wanted.orders[column.name] if kind == "ordered" else sorted(present)
    strange = sorted(present - set(order))
    if strange:
        raise Refusal(f"--ordered: {column.name!r} holds {strange[0]!r}, which is not listed.")
    return Column.of_labels(column.name, kind, labels, order)


def _divide(source: str, sheet: Sheet, choices: Choices) -> Reading:
    """Separate target and features; leave out rows without a target and useless columns."""
    columns, target = sheet.columns, choices.target
    names = [column.name for column in columns if column.name]
    check_names([*names, *sheet.others], choices)
    for option, name in choices.roles():
        if name == target:
            raise Refusal(f"{option}: {name!r} is the target. Name another column.")
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
    weight = numbers_of(columns, "--weight", choices.weight)
    exposure = numbers_of(columns, "--exposure", choices.exposure)
    event = events_of(columns, choices.event)
    group = _groups(columns, choices.group)
    seen = None if choices.event is None else event_column(choices.event, names)
    roles = {target, choices.weight, choices.exposure, seen, choices.group}
    apart = {*roles, *choices.drop}
    others = [c for c in columns if c.name not in apart]
    features, left_out, warnings = usable_columns(others, choices.drop_ids)
    if not features:
        raise Refusal(f"no columns are left to predict {target!r} from.")
    task = choices.task or _guess_task(chosen)
    if task != choices.task:
        notes += _classes_note(chosen, task)
    _check_task(chosen, task)
    warnings += target_doubts(chosen, features, task)
    return Reading(
        source,
        tuple(features),
        chosen,
        task,
        tuple(notes + left_out),
        tuple(warnings),
        weight=weight,
        exposure=exposure,
        event=event,
        group=group,
        dropped=_dropped(sheet, apart - set(choices.drop), features),
        choices=choices,
    )


def _dropped(sheet: Sheet, apart: set[str | None], features: Sequence[Column]) -> tuple[str, ...]:
    """Return the names of columns that are not learned from."""
    kept = apart | {column.name for column in features}
    names = [column.name for column in sheet.columns] + list(sheet.others)
    return tuple(name for name in names if name and name not in kept)


def _column_of(columns: Iterable[Column], option: str, name: str) -> Column:
    """Return the column that an option names."""
    for column in columns:
        if column.name == name:
            return column
    raise Refusal(f"{option}: {name!r} is left out by --drop. Name it in one of the two.")


def _refuse_gaps(column: Column, option: str) -> None:
    """Refuse a column with gaps where each row must have a value."""
    if column.missing.any():
        row = int(column.missing.argmax()) + 1
        raise Refusal(
            f"{option}: {column.name!r} is missing in row {row}. Fill it, or drop the row."
        )


def numbers_of(
    columns: Iterable[Column], option: str, name: str | None
) -> NDArray[np.float64] | None:
    """Return the numbers of the column that an option names; None without the option."""
    if name is None:
        return None
    column = _column_of(columns, option, name)
    if column.kind != "numeric":
        raise Refusal(f"{option}: {name!r} holds text, no numbers.")
    _refuse_gaps(column, option)
    return np.asarray(column.cells, dtype=np.float64)


def _groups(columns: Iterable[Column], name: str | None) -> NDArray[Any] | None:
    """Return to which group each row belongs, by number; None without the option."""
    if name is None:
        return None
    column = _column_of(columns, "--group", name)
    _refuse_gaps(column, "--group")
    groups = np.unique(column.cells, return_inverse=True)[1]
    if not groups.any():
        raise Refusal(f"--group: {name!r} is the same in all rows, so they cannot be divided.")
    return np.asarray(groups)


def event_column(given: str, names: Iterable[str]) -> str:
    """Return the name of the column in NAME or NAME=CODE."""
    return given if given in names else given.rpartition("=")[0] or given


def events_of(columns: Sequence[Column], given: str | None) -> NDArray[np.bool_] | None:
    """Return whether each row had its event: where a column is 1 or true, or holds a given code."""
    if given is None:
        return None
    name = event_column(given, [column.name for column in columns])
    column = _column_of(columns, "--event", name)
    _refuse_gaps(column, "--event")
    texts = [exact_text(v) if isinstance(v, float) else str(v) for v in column.values.tolist()]
    if name != given:
        code = given.removeprefix(f"{name}=")
        if code not in texts:
            raise Refusal(f"--event: {name!r} is {code!r} in no row.")
        return np.array([text == code for text in texts], dtype=bool)
    strange = [k for k, text in enumerate(texts) if text.lower() not in _EVENT_CODES]
    if strange:
        raise Refusal(
            f"--event: {name!r} holds {texts[strange[0]]!r} in row {strange[0] + 1}, which is no "
            f"known code. 1 or true is an event, 0 or false is none; of other codes write "
            f"--event {shlex.quote(f'{name}={texts[strange[0]]}')} for that of the event."
        )
    return np.array([text.lower() in ("1", "true") for text in texts], dtype=bool)


def check_names(names: Sequence[str], choices: Choices) -> str:
    """Return the target; refuse a choice of none, and of columns that are not there."""
    if choices.target is None:
        listed = ", ".join(names)
        raise Refusal(f"say which column to predict with --target. The columns are: {listed}.")
    asked: list[tuple[str, Iterable[str]]] = [
        ("--target", [choices.target]),
        ("--drop", choices.drop),
        ("--nominal", choices.nominal),
        ("--ordered", choices.wanted().orders),
        ("--numeric", choices.numeric),
        *((option, [name]) for option, name in choices.roles() if name is not None),
        ("--event", [] if choices.event is None else [event_column(choices.event, names)]),
    ]
    for option, given in asked:
        for name in given:
            if name not in names:
                raise no_column(option, name, names)
    return choices.target


def _guess_task(target: Column) -> Task:
    if target.kind != "numeric":
        return "classification"
    few = len(np.unique(target.cells)) <= MOST_CLASSES
    return "classification" if target.is_whole and few else "regression"


def _classes_note(target: Column, task: Task) -> list[str]:
    """Return a note if whole numbers, which may be counts, are taken as more than two classes."""
    n_classes = len(np.unique(target.cells))
    if task != "classification" or target.kind != "numeric" or n_classes < 3:
        return []
    words = f"{target.name} is taken as {n_classes} classes: it holds few whole numbers"
    return [f"{words}. To predict a number, add --task regression"]


def _check_task(target: Column, task: Task) -> None:
    name, n_rows = target.name, len(target)
    distinct = np.unique(target.cells)
    if task != "classification" and target.kind != "numeric":
        how = "by regression" if task == "regression" else "as a time"
        raise Refusal(f"{name!r} holds text: it cannot be predicted {how}.")
    if target.kind == "numeric" and not np.isfinite(distinct).all():
        raise Refusal(f"{name!r} holds an infinite number. Correct this row, or drop it.")
    if task == "survival":
        return
    if len(distinct) == 1:
        only = target.take(np.arange(n_rows) == 0).values.tolist()[0]
        raise Refusal(f"{name!r} is {only!r} in all {n_rows} rows: there is nothing to tell apart.")
    if task == "regression":
        return
    if target.kind == "numeric" and not target.is_whole:
        raise Refusal(f"{name!r} holds fractions: they cannot be classes.")
    if len(distinct) == n_rows > 2:
        raise Refusal(f"{name!r} has a class of its own for every row: nothing to learn.")
