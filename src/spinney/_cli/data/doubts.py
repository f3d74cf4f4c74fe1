"""Which columns are useless or doubtful: each is told once, with the reason and the remedy."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spinney._cli.data.columns import Column
from spinney._cli.data.text_cells import number_of
from spinney._cli.data.written_numbers import FEW_WORDS, Written, diagnose, is_named_id
from spinney._format import LARGEST_EXACT, plural
from spinney.datasets._registry import Task

_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})([T ].*)?"  # 2026-11-16
    rf"|(\d{{1,2}}[-/. ]*)?{_MONTH}[-/., ]*\d{{2,4}}([T: ].*)?"  # 16nov2026, Nov-26
    rf"|{_MONTH}\.? \d{{1,2}},? \d{{4}}",  # Nov 16, 2026
    re.IGNORECASE,
)
_FEWEST_IDS = 20  # in fewer rows, distinct whole numbers are nothing strange
_DENSE = 2.0  # ids fill their range; of the rows of a file, half may have been left out
_TRIED = 1000  # rows after which most columns cannot tell all classes
_ROWS_OF_EACH = 5  # fewer rows of a category tell nothing about its class


def usable_columns(
    columns: Sequence[Column], drop_ids: bool
) -> tuple[list[Column], list[str], list[str]]:
    """Return the columns to learn from, notes about the others, and warnings."""
    features, notes, warnings = [], [], []
    for column in columns:
        name = column.name
        if not name:
            notes.append("a column without a name left out")
            continue
        if column.missing.all():
            notes.append(f"{name} left out: it holds no value")
            continue
        reason = _id_reason(column)
        if reason is not None and drop_ids:
            notes.append(f"{name} left out: it {reason}")
            continue
        features.append(column)
        warning = _warning(column) if reason is None else _id_warning(column, reason)
        if warning is not None:
            warnings.append(f"{name} {warning}")
        elif _is_rounded(column):
            notes.append(f"{name}: whole numbers beyond 2**53 may be rounded")
        warnings += [f"{name} {words}" for words in _variants(column)]
    return features, notes, warnings


# -- Ids


def _id_reason(column: Column) -> str | None:
    """Return why a column identifies the rows rather than describes them; None if it does not."""
    if column.kind == "nominal":
        counts = column.counts
        differs = counts.sum() > 1 and counts.max() == 1
        if not differs or _is_dates(column) or _written_numbers(column) is not None:
            return None
        if is_named_id(column.name):
            return "differs in every row, and is named as an id"
        return "differs in every row: text without an order"
    if column.kind != "numeric" or len(column) < _FEWEST_IDS or not column.is_whole:
        return None
    head = column.cells[:_TRIED]
    if len(np.unique(head)) < len(head):
        return None
    distinct = np.unique(column.cells)
    if len(distinct) < len(column):
        return None
    if is_named_id(column.name):
        return "differs in every row, and is named as an id"
    if distinct[-1] - distinct[0] < _DENSE * len(column):
        return "differs in every row: whole numbers that count up"
    return None


def _id_warning(column: Column, reason: str) -> str:
    return (
        f"may be an id: it {reason}. A tree learns rows by heart from it. Leave it out with "
        f"--drop {shlex.quote(column.name)} or --drop-ids"
    )


# -- Text that should be something else


def _warning(column: Column) -> str | None:
    """Return what is doubtful about a column of text."""
    n, name = len(column.categories), shlex.quote(column.name)
    if _is_dates(column):
        return (
            f"holds dates as text, {plural(n, 'category', 'categories')} without an order. Turn it "
            f"into a number, such as days, or leave it out with --drop {name}"
        )
    if (found := _written_numbers(column)) is not None:
        return _numbers_warning(column, found)
    if _is_nearly_id(column):
        return (
            f"is text of {n} categories in {int((~column.missing).sum())} rows: a tree learns rows "
            f"by heart from it. Leave it out with --drop {name}, or join categories"
        )
    return None


def _is_nearly_id(column: Column) -> bool:
    """Return whether a column of text has hardly two rows for each category."""
    n = len(column.categories)
    if column.kind != "nominal" or n < _FEWEST_IDS or 2 * n <= int((~column.missing).sum()):
        return False
    numbers = sum(number_of(label) is not None for label in column.categories)
    return 2 * numbers < n  # others are noted as numbers among which words stand


def _written_numbers(column: Column) -> Written | None:
    """Return what a column of text holds if signs make text of numbers."""
    if column.kind != "nominal":
        return None
    odd = [label for label in column.categories if number_of(label) is None]
    return diagnose(column.name, odd, len(column.categories) - len(odd))


def _numbers_warning(column: Column, found: Written) -> str:
    if len(found.units) > 1:
        shown = ", ".join(map(repr, found.units))
        return (
            f"is taken as nominal: it holds numbers in several units: {shown}. Write them in one "
            f"unit, without which --numeric {shlex.quote(column.name)} cannot read them"
        )
    words = f", and {' and '.join(map(repr, found.words))}" if found.words else ""
    return (
        f"is taken as nominal: it holds numbers with signs, such as {found.example!r}{words}. Read "
        f"them as numbers with {found.options(column.name)}"
    )


def _is_dates(column: Column) -> bool:
    """Return whether a column of text holds dates, such as 2026-11-16, up to a few words."""
    if column.kind != "nominal":
        return False
    n_words = sum(_DATE.fullmatch(label) is None for label in column.categories)
    return n_words == 0 or (n_words <= FEW_WORDS and len(column.categories) >= _FEWEST_IDS)


def _is_rounded(column: Column) -> bool:
    """Return whether a column holds numbers so large that neighbours may have become equal."""
    if column.kind != "numeric":
        return False
    sizes = np.abs(column.cells)
    return bool(np.any((sizes > LARGEST_EXACT) & np.isfinite(sizes)))


def _variants(column: Column, what: str = "categories") -> list[str]:
    """Return a warning about labels that differ by case and blanks only."""
    if column.kind == "numeric":
        return []
    spelt: dict[str, list[str]] = {}
    for label, count in zip(column.categories, column.counts.tolist(), strict=True):
        if count:
            spelt.setdefault(_meaning(label), []).append(label)
    found = [labels for labels in spelt.values() if len(labels) > 1]
    if not found or (len(spelt) > _FEWEST_IDS and 2 * len(found) > len(spelt)):
        return []  # codes such as aB and Ab, where case means something
    shown = ", ".join(map(repr, found[0]))
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return [
        f"has {what} that differ by case or blanks only: {shown}{more}. They count as different: "
        "write them alike in the file"
    ]


def _meaning(label: str) -> str:
    """Return a label without what may be a slip: case, and blanks."""
    return " ".join(label.casefold().split())


# -- The target


def target_doubts(target: Column, features: Sequence[Column], task: Task) -> list[str]:
    """Return warnings about a target: variants of one class, and columns that give it away."""
    warnings = []
    if task == "classification":
        warnings += [f"{target.name} {words}" for words in _variants(target, "classes")]
    told = _joined(target) if task == "classification" else target
    for column in features:
        gaps_tell = task == "classification" and _gaps_tell_all(column, told)
        if gaps_tell or _tells_all(column, told, task):
            what = "is missing in all rows of one class, and so" if gaps_tell else "alone"
            warnings.append(
                f"{column.name} {what} predicts {target.name} without an error. If it is known "
                f"only afterwards, leave it out with --drop {shlex.quote(column.name)}"
            )
    return warnings


def _joined(target: Column) -> Column:
    """Return a target whose classes are one where they differ by case and blanks only."""
    if target.kind == "numeric":
        return target
    meanings = list(map(_meaning, target.categories))
    codes = np.array([meanings.index(meaning) for meaning in meanings], dtype=np.int32)
    return replace(target, cells=codes[target.cells])


def _tells_all(column: Column, target: Column, task: Task) -> bool:
    """Return whether one column by itself determines the target."""
    known = ~column.missing
    if known.sum() < max(_FEWEST_IDS, len(column) / 2):
        return False
    if _id_reason(column) is not None:
        return False
    places = np.flatnonzero(known)
    tells = _separates if task == "classification" else _determines
    return tells(column, target, places[:_TRIED]) and (
        len(places) <= _TRIED or tells(column, target, places)
    )


def _gaps_tell_all(column: Column, target: Column) -> bool:
    """Return whether all rows with a gap are of one class, and all others of another one."""
    gap = column.missing
    if min(gap.sum(), (~gap).sum()) < _ROWS_OF_EACH:
        return False
    classes = [np.unique(target.cells[rows]) for rows in (gap, ~gap)]
    return len(classes[0]) == len(classes[1]) == 1 and classes[0][0] != classes[1][0]


def _separates(column: Column, target: Column, rows: NDArray[np.intp]) -> bool:
    """Return whether each category has one class, or each class an interval of its own."""
    cells = column.cells[rows]
    codes = np.unique(target.cells[rows], return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    if column.kind == "nominal":
        pairs = np.unique(np.column_stack([cells, codes]), axis=0)
        n_values = len(np.unique(cells))
        return len(pairs) == n_values and _ROWS_OF_EACH * n_values <= len(rows)
    order = np.lexsort((codes, cells))
    cells, codes = cells[order], codes[order]
    changes = codes[1:] != codes[:-1]
    if np.any(changes & (cells[1:] == cells[:-1])):
        return False
    return int(changes.sum()) == n_classes - 1


def _determines(column: Column, target: Column, rows: NDArray[np.intp]) -> bool:
    """Return whether the target is a number times the column, plus a number."""
    if column.kind != "numeric":
        return False
    x, y = column.cells[rows], target.cells[rows]
    if not np.isfinite(x).all() or x.min() == x.max() or y.min() == y.max():
        return False
    x, y = x - x.mean(), y - y.mean()
    rest = y - (x @ y) / (x @ x) * x
    return bool(np.abs(rest).max() <= 1e-9 * np.abs(y).max())
