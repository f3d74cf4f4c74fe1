"""Which columns of a table to learn from, and which are doubtful."""

import re
import shlex
from collections.abc import Sequence

import numpy as np

from spinney._cli.data.columns import Column
from spinney._cli.data.text_cells import number_of
from spinney._table._cells import LARGEST_EXACT

_DATE = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})([T ].*)?")
_DIGITS = r"(\d{1,3}([,.' ]\d{3})+|\d+)([.,]\d+)?"
_FORMATTED = re.compile(rf"[-+]?([$€£¥] ?{_DIGITS}|{_DIGITS} ?[%$€£¥]|{_DIGITS})")
_FEWEST_IDS = 20  # in fewer rows, distinct whole numbers are nothing strange


def usable_columns(
    columns: Sequence[Column], drop_ids: bool
) -> tuple[list[Column], list[str], list[str]]:
    """Return the columns to learn from, notes about the others, and warnings."""
    features, notes, warnings = [], [], []
    for column in columns:
        name, is_id = column.name, _is_id(column)
        if not name:
            notes.append("a column without a name left out")
        elif column.missing.all():
            notes.append(f"{name} left out: it holds no value")
        elif is_id and drop_ids:
            notes.append(f"{name} left out: it differs in every row")
        else:
            features.append(column)
            if (warning := _id_warning(column) if is_id else _warning(column)) is not None:
                warnings.append(f"{name} {warning}")
            elif _is_rounded(column):
                notes.append(f"{name}: whole numbers beyond 2**53 may be rounded")
    return features, notes, warnings


def _id_warning(column: Column) -> str:
    held = "whole numbers that differ" if column.kind == "numeric" else "text that differs"
    return (
        f"may be an id, {held} in every row: a tree learns rows by heart from it. Leave it out "
        f"with --drop {shlex.quote(column.name)} or --drop-ids"
    )


def _warning(column: Column) -> str | None:
    """Return what is doubtful about a column of text."""
    n, drop = len(column.categories), f"--drop {shlex.quote(column.name)}"
    if _is_dates(column):
        return (
            f"holds dates as text, {n} categories without an order. Turn it into a number, such as "
            f"days, or leave it out with {drop}"
        )
    if (formatted := _formatted_number(column)) is not None:
        return (
            f"is taken as nominal: it holds numbers with signs, such as {formatted!r}. Write them "
            "plainly, as 1234.5, to have it numeric"
        )
    if _is_nearly_id(column):
        return (
            f"is text of {n} categories in {int((~column.missing).sum())} rows: a tree learns rows "
            f"by heart from it. Leave it out with {drop}, or join categories"
        )
    return None


def _is_id(column: Column) -> bool:
    """Return whether a column may identify the rows rather than describe them."""
    if column.kind == "nominal":
        counts = column.counts
        return bool(counts.sum() > 1 and counts.max() == 1)
    if len(column) < _FEWEST_IDS or not column.is_whole:
        return False
    return len(np.unique(column.cells)) == len(column)


def _is_nearly_id(column: Column) -> bool:
    """Return whether a column of text has hardly two rows for each category."""
    n = len(column.categories)
    if column.kind != "nominal" or n < _FEWEST_IDS or 2 * n <= int((~column.missing).sum()):
        return False
    numbers = sum(number_of(label) is not None for label in column.categories)
    return 2 * numbers < n  # others are noted as numbers among which words stand


def _formatted_number(column: Column) -> str | None:
    """Return a number that signs make text, such as $5 or 1,234.50, if all of them are numbers."""
    if column.kind != "nominal" or len(column.categories) < _FEWEST_IDS:
        return None
    formatted = [label for label in column.categories if number_of(label) is None]
    return formatted[0] if formatted and all(map(_FORMATTED.fullmatch, formatted)) else None


def _is_dates(column: Column) -> bool:
    """Return whether a column of text holds dates, such as 2026-11-16 or 16.11.2026."""
    return column.kind == "nominal" and all(map(_DATE.fullmatch, column.categories))


def _is_rounded(column: Column) -> bool:
    """Return whether a column holds numbers so large that neighbours may have become equal."""
    if column.kind != "numeric":
        return False
    sizes = np.abs(column.cells)
    return bool(np.any((sizes > LARGEST_EXACT) & np.isfinite(sizes)))
