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
from spinney._cli.data.read import as_table, read_table
from spinney._cli.data.text_cells import exact_text, recoded
from spinney._cli.errors import Refusal
from spinney._cli.models import columns_of, is_classifier
from spinney._nearest import did_you_mean
from spinney._text import plural
from spinney.datasets._dataset import Kind

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
) -> Rows:
    """Read the columns of a model from a bundled data set or a file.

    Parameters
    ----------
    name : str
        Name of a bundled set, or path of a file.
    model : estimator
        Fitted model, all of whose columns are required.
    others : sequence of str, optional
        Further columns to read. Default: all.
    copied : bool, default=False
        Whether further columns are only copied, so that their cells stay text: 007 is not 7.
    text : TextFormat, optional
        Format of missing values, numbers and characters.

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
    only = None if others is None else frozenset([*(c.name for c in features), *others])
    wanted = Wanted(kinds, only=only, strict=False, text=text)
    sheet, usual, _ = read_table(name, wanted)
    found, unread = sheet.columns, sheet.others
    for asked in text.numeric:
        if asked not in {known.name for known in found} and asked not in unread:
            raise Refusal(f"--numeric: no column {asked!r}.")
    columns = {column.name: column for column in found}
    lacking = [column.name for column in features if column.name not in columns]
    if lacking:
        raise Refusal(
            f"{name!r} lacks {_listed(map(repr, lacking))}, which the model needs."
            f"{did_you_mean(lacking[0], [*columns, *unread])}"
        )
    notes = []
    for column in features:
        columns[column.name], note = match_labels(columns[column.name], column)
        notes += [note] if note else []
    names = tuple(column.name for column in features)
    return Rows(name, names, columns, usual, tuple(notes), unread)


def _check_numeric(features: Sequence[Any], text: TextFormat) -> None:
    for column in features:
        if column.name in text.numeric and column.kind != "numeric":
            raise Refusal(f"--numeric: {column.name!r} holds categories in the model, no numbers.")


def read_answers(
    name: str, model: Any, target: str | None, text: TextFormat | None = None
) -> Answers:
    """Read labelled rows with the columns of a model; see `with_answers`."""
    others = None if target is None else (target,)
    return with_answers(read_rows(name, model, others, text=text), model, target)


def with_answers(rows: Rows, model: Any, target: str | None) -> Answers:
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

    Returns
    -------
    Answers
    """
    others = [name for name in rows.columns if name not in rows.names and name]
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
