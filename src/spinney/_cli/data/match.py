"""Match a table with a fitted model: columns by name and kind, labels by meaning.

Programs write the same label in several ways: True, true and TRUE; 3 and 3.0. Such a cell must not
be taken for an unknown category.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.data.columns import Column, TextFormat, Wanted
from spinney._cli.data.reading import event_column, events_of, numbers_of
from spinney._cli.data.source import as_table, read_table
from spinney._cli.data.text_cells import exact_text, recoded
from spinney._cli.errors import Refusal
from spinney._cli.memory import memory_of
from spinney._cli.models import columns_of, is_classifier, is_survival
from spinney._cli.saved import columns_used
from spinney._format import did_you_mean, plural
from spinney._lifetimes import Lifetimes, lifetime_array
from spinney.datasets._registry import Kind

if TYPE_CHECKING:
    from spinney._table import Column as Known

_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_MOST_LABELS = 5
_TEXT: Kind = "nominal"  # cells as they are written


# -- Columns


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns of a table, including those of the model."""

    source: str
    names: tuple[str, ...]  # features of the model, in its order
    columns: dict[str, Column]
    usual_target: str | None  # of a bundled data set
    notes: tuple[str, ...] = ()  # unusual values
    others: tuple[str, ...] = ()  # names of columns that were not read
    absent: tuple[str, ...] = ()  # columns of the model that were not read
    decimal_comma: bool = False  # whether numbers of the file have one

    @property
    def X(self) -> dict[str, Any]:  # noqa: N802 - scikit-learn's name
        """The features, for the model."""
        return as_table(self.columns[name] for name in self.names)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[self.names[0]])

    def hint(self, name: str) -> str:
        """Return a suggestion of the column with the closest name."""
        return did_you_mean(name, [known for known in (*self.columns, *self.others) if known])

    def one(self, row: int) -> dict[str, Any]:
        """Return one row; missing values are None."""
        place = np.arange(self.n_rows) == row
        cells = {name: self.columns[name].take(place).values[0] for name in self.names}
        return {name: None if value != value else value for name, value in cells.items()}


@dataclass(frozen=True, eq=False)
class Answers:
    """Labelled rows."""

    rows: Rows
    target: str
    y: NDArray[Any]
    notes: tuple[str, ...]


def read_rows(
    name: str,
    model: Any,
    others: Sequence[str] | None = None,
    *,
    copied: bool = False,
    text: TextFormat | None = None,
    every: bool = True,
) -> Rows:
    """Read the columns of a model from a bundled data set or a file.

    Parameters
    ----------
    name : str
        Name of a bundled set, or path of a file.
    model : estimator
        Fitted model. The columns that its tests ask are required; others may be lacking.
    others : sequence of str, optional
        Further columns to read. Default: all.
    copied : bool, default=False
        Whether further columns are only copied, so that their cells stay text: 007 is not 7.
    text : TextFormat, optional
        Format of missing values, numbers and characters.
    every : bool, default=True
        Whether columns of the model are read that it does not use.

    Returns
    -------
    Rows
    """
    features, text = columns_of(model), text or TextFormat()
    _check_numeric(features, text)
    kinds: dict[str, Kind] = {c.name: c.kind for c in features if c.kind != "ordered"}
    if copied:
        kinds = {**dict.fromkeys(others or (), _TEXT), **kinds}
    kinds |= dict.fromkeys(text.numeric, "numeric")
    used = _Used.of(model, [column.name for column in features])
    read = [c.name for c in features if every or c.name in used.all]
    only = None if others is None or not read else frozenset([*read, *others])
    wanted = Wanted(kinds, only=only, strict=False, text=text)
    sheet, usual, _ = read_table(name, wanted)
    found, unread = sheet.columns, sheet.others
    there = {*unread, *(known.name for known in found)}
    for asked in text.numeric:
        if asked not in there and ("--numeric", asked) not in text.remembered:
            raise Refusal(f"--numeric: no column {asked!r}.")
    columns = {column.name: column for column in found}
    lacking = [c.name for c in features if c.name in used.tested and c.name not in columns]
    if lacking:
        raise Refusal(
            f"{name!r} lacks {_listed(map(repr, lacking))}, which the model needs."
            f"{did_you_mean(lacking[0], [*columns, *unread])}"
        )
    absent = tuple(column.name for column in features if column.name not in columns)
    notes = used.notes(columns, [name for name in absent if name not in unread])
    n_rows = len(next(iter(columns.values()))) if columns else 0
    columns |= {
        column.name: _missing(column, n_rows) for column in features if column.name in absent
    }
    for column in features:
        columns[column.name], note = match_labels(columns[column.name], column)
        notes += [note] if note else []
    names = tuple(column.name for column in features)
    comma = sheet.decimal_comma
    return Rows(name, names, columns, usual, tuple(notes), unread, absent, comma)


@dataclass(frozen=True)
class _Used:
    """The columns that a model asks of a row."""

    tested: set[str]
    stand_in: set[str]  # for gaps in others

    @classmethod
    def of(cls, model: Any, names: Sequence[str]) -> "_Used":
        found = columns_used(model)
        return cls(set(names), set()) if found is None else cls(*found)

    @property
    def all(self) -> set[str]:
        """The tested columns and those that stand in for them."""
        return self.tested | self.stand_in

    def notes(self, columns: dict[str, Column], absent: Sequence[str]) -> list[str]:
        """Say which columns cannot stand in for gaps that there are."""
        lacking = [name for name in absent if name in self.stand_in]
        gaps = [name for name in sorted(self.tested) if columns[name].missing.any()]
        if not lacking or not gaps:
            return []
        return [
            f"{_listed(lacking)} would stand in for gaps in {_listed(gaps)}, but "
            f"{'is' if len(lacking) == 1 else 'are'} not in the table"
        ]


def _missing(column: "Known", n_rows: int) -> Column:
    """Return a column of a model without any value."""
    if column.kind == "numeric":
        return Column(column.name, "numeric", np.full(n_rows, np.nan))
    categories = tuple(map(str, column.categories))
    return Column(column.name, column.kind, np.full(n_rows, -1, dtype=np.int32), categories)


def _check_numeric(features: Sequence[Any], text: TextFormat) -> None:
    for column in features:
        if column.name in text.numeric and column.kind != "numeric":
            raise Refusal(f"--numeric: {column.name!r} holds categories in the model, no numbers.")


@dataclass(frozen=True)
class Named:
    """The columns that hold the answers, as far as options name them."""

    target: str | None = None
    time: str | None = None
    event: str | None = None  # NAME, or NAME=CODE


def read_answers(
    name: str,
    model: Any,
    named: Named | str | None,
    text: TextFormat | None = None,
    told: Sequence[str | None] = (),
) -> Answers:
    """Read labelled rows with the columns of a model; see `with_answers`.

    `told` are columns that tell of the rows, such as their weights: they hold no answers.
    """
    if not isinstance(named, Named):
        named = Named(named)
    if is_survival(model):
        return _read_lifetimes(name, model, named, text, told)
    if named.event is not None or named.time is not None:
        option = "--event" if named.event is not None else "--time"
        raise Refusal(f"{option}: this model predicts no lifetimes.")
    return _read_answers(name, model, named.target, text, told)


def _read_lifetimes(
    name: str, model: Any, named: Named, text: TextFormat | None, told: Sequence[str | None]
) -> Answers:
    """Read events and times, whose columns are those of the training unless they are named."""
    own = memory_of(model)
    if named.target is not None and named.time not in (None, named.target):
        raise Refusal("--target: of lifetimes it is the column of --time. Leave it out.")
    time, event = named.time or named.target, named.event
    if own is not None:
        time, event = time or own.target, event or own.event
    if time is None or event is None:
        raise Refusal("say which columns hold the lifetimes with --event and --time.")
    seen = [event, event.rpartition("=")[0]] if "=" in event else [event]
    given = time if own is None else named.time or named.target
    answers = _read_answers(name, model, given, text, told, also=seen)
    columns = list(answers.rows.columns.values())
    column = event_column(event, answers.rows.columns)
    if column not in answers.rows.columns:
        raise Refusal(f"--event: no column {column!r}.{answers.rows.hint(column)}")
    events = events_of(columns, event)
    assert events is not None
    return replace(answers, y=lifetime_array(Lifetimes(events, answers.y)))


def _read_answers(
    name: str,
    model: Any,
    target: str | None,
    text: TextFormat | None,
    told: Sequence[str | None],
    also: Sequence[str] = (),
) -> Answers:
    """Read labelled rows; columns of `also` are read if there are any of these names."""
    named = [column for column in told if column is not None]
    own = memory_of(model)
    known = target or (None if own is None else own.target)
    mine = [] if own is None else [own.target]
    others = None if known is None else (known, *named, *mine, *also)
    rows = read_rows(name, model, others, text=text)
    if own is not None:
        target = _own_target(rows, own.target, target)
    for column in named:
        if column not in rows.columns:
            raise Refusal(f"no column {column!r}.{rows.hint(column)}")
    return with_answers(rows, model, target, named)


def fit_options(answers: Answers, weight: str | None, exposure: str | None) -> dict[str, Any]:
    """Return the numbers of the columns of --weight and --exposure, as `fit` takes them."""
    columns = answers.rows.columns.values()
    return {
        "sample_weight": numbers_of(columns, "--weight", weight),
        "exposure": numbers_of(columns, "--exposure", exposure),
    }


def _own_target(rows: Rows, own: str, given: str | None) -> str:
    """Return the target that a model remembers, or another name that the user gives it."""
    if given is not None and given != own and {own, given} <= rows.columns.keys():
        raise Refusal(f"--target: the model predicts {own!r}, not {given!r}.")
    if given is None and own not in rows.columns:
        raise Refusal(
            f"{rows.source!r} has no column {own!r}, which the model predicts.{rows.hint(own)} "
            "--target names another."
        )
    return given or own


def with_answers(rows: Rows, model: Any, target: str | None, told: Sequence[str] = ()) -> Answers:
    """Return the labelled rows.

    Parameters
    ----------
    rows : Rows
        All rows of a table.
    model : estimator
        Fitted.
    target : str or None
        Target column; None for that of the bundled data set, or the only column that the model does
        not use.
    told : sequence of str, default=()
        Columns that hold no answers.

    Returns
    -------
    Answers
    """
    apart = {*rows.names, *told}
    others = [name for name in rows.columns if name not in apart and name]
    if target is None:
        target = rows.usual_target if rows.usual_target in others else None
        target = target or (others[0] if len(others) == 1 else None)
    if target is None:
        raise Refusal(
            "say which column holds the answers with --target. Columns that the model does not "
            f"use: {', '.join(others) or 'none'}."
        )
    if target not in rows.columns:
        raise Refusal(f"--target: no column {target!r}.{rows.hint(target)}")
    column = rows.columns[target]
    gaps = column.missing
    notes = list(rows.notes)
    if gaps.any():
        notes.append(f"{plural(int(gaps.sum()), 'row')} without {target} left out")
        kept = {name: own.take(~gaps) for name, own in rows.columns.items()}
        rows, column = replace(rows, columns=kept), kept[target]
    if not len(column):
        raise Refusal(f"no row of {rows.source!r} has a value of {target!r}.")
    y = _as_classes(column, model) if is_classifier(model) else _as_numbers(column)
    return Answers(rows, target, y, tuple(notes))


def _as_classes(column: Column, model: Any) -> NDArray[Any]:
    """Return the target as labels of the model, whatever its type in the table."""
    by_text = {_text(label): label for label in model.classes_.tolist()}
    distinct, places = np.unique(column.cells, return_inverse=True)
    labels = distinct if column.kind == "numeric" else [column.categories[k] for k in distinct]
    texts = [_text(label) for label in labels]
    spelt = other_spellings(texts, by_text)
    texts = [spelt.get(text, text) for text in texts]
    strange = sorted({text for text in texts if text not in by_text})
    if strange:
        raise Refusal(
            f"{column.name!r} holds {_listed(map(repr, strange))}, but the classes of the model "
            f"are {_listed(map(repr, by_text))}."
        )
    return np.array([by_text[text] for text in texts], dtype=model.classes_.dtype)[places]


def _as_numbers(column: Column) -> NDArray[Any]:
    if column.kind != "numeric":
        raise Refusal(f"{column.name!r} holds text, and the model predicts numbers.")
    return column.cells


def _text(value: Any) -> str:
    return exact_text(value) if isinstance(value, float) else str(value)


# -- Labels


def other_spellings(texts: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return the known label with the same meaning for each unknown text that has one."""
    by_meaning: dict[str, list[str]] = {}
    exact = set()
    for label in known:
        exact.add(label)
        by_meaning.setdefault(_meaning(label), []).append(label)
    found = {}
    for text in texts:
        same = by_meaning.get(_meaning(text), [])
        if text not in exact and len(same) == 1:
            found[text] = same[0]
    return found


def match_labels(column: Column, known: "Known") -> tuple[Column, str | None]:
    """Return a column in the spelling of a model, and a note about unknown labels."""
    if known.kind == "numeric" or column.kind == "numeric":
        return column, None
    counts = column.counts.tolist()
    strange = {
        label
        for label, count in zip(column.categories, counts, strict=True)
        if count and known.code_of(label) is None
    }
    if not strange:
        return column, None
    spelt = other_spellings(strange, map(str, known.categories))
    if spelt:
        cells = recoded(column.cells, [spelt.get(label, label) for label in column.categories])
        column = replace(column, cells=cells.codes, categories=tuple(cells.texts))
        strange -= set(spelt)
    return column, _note(column, strange, known) if strange else None


def _meaning(text: str) -> str:
    lower = text.lower()
    if lower in ("true", "false"):
        return lower
    whole = _WHOLE.fullmatch(text)
    return whole.group(1) if whole else text


def _note(column: Column, strange: set[str], known: "Known") -> str:
    pairs = zip(column.categories, column.counts.tolist(), strict=True)
    counts = {label: count for label, count in pairs if label in strange}
    first = sorted(counts, key=lambda label: (-counts[label], label))
    n_cells = sum(counts.values())
    hold, they_count = ("holds", "it counts") if n_cells == 1 else ("hold", "they count")
    return (
        f"{column.name}: {plural(n_cells, 'cell')} {hold} "
        f"{plural(len(first), 'category', 'categories')} that the model does not know "
        f"({_listed(map(repr, first))}); {they_count} as missing. The model knows "
        f"{_listed(map(str, known.categories))}"
    )


def _listed(texts: Iterable[str]) -> str:
    shown = list(texts)
    more = len(shown) - _MOST_LABELS
    words = ", ".join(shown[:_MOST_LABELS])
    return f"{words} and {more} more" if more > 0 else words
