"""Which columns of a table can be learned from, and which are doubtful."""

import re
import shlex
from collections.abc import Sequence

import numpy as np

from spinney._cli.data.cells import number_of
from spinney._cli.data.columns import Column
from spinney._table._cells import LARGEST_EXACT

_DATE = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})([T ].*)?")
_DIGITS = r"(\d{1,3}([,.' ]\d{3})+|\d+)([.,]\d+)?"
_DRESSED = re.compile(rf"[-+]?([$€£¥] ?{_DIGITS}|{_DIGITS} ?[%$€£¥]|{_DIGITS})")
_FEWEST_IDS = 20  # in fewer rows, distinct whole numbers are nothing strange


def useful(columns: Sequence[Column], drop_ids: bool) -> tuple[list[Column], list[str], list[str]]:
    """Return the columns to learn from, notes about the others, and warnings of ids."""
    features, notes, warnings = [], [], []
    for column in columns:
        name = column.name
        if not name:
            notes.append("a column without a name left out")
        elif column.missing.all():
            notes.append(f"{name} left out: it holds no value")
        elif _is_id(column) and drop_ids:
            notes.append(f"{name} left out: it differs in every row")
        else:
            features.append(column)
            if _is_id(column):
                held = (
                    "whole numbers that differ" if column.kind == "numeric" else "text that differs"
                )
                warnings.append(
                    f"{name} may be an id, {held} in every row: a tree learns rows by heart from "
                    f"it. Leave it out with --drop {shlex.quote(name)} or --drop-ids"
                )
            elif _is_dates(column):
                warnings.append(
                    f"{name} holds dates as text, {len(column.categories)} categories without an "
                    f"order. Turn it into a number, such as days, or leave it out with --drop "
                    f"{shlex.quote(name)}"
                )
            elif (dressed := _dressed_number(column)) is not None:
                warnings.append(
                    f"{name} is taken as nominal: it holds numbers with signs, such as "
                    f"{dressed!r}. Write them plainly, as 1234.5, to have it numeric"
                )
            elif _is_nearly_id(column):
                warnings.append(
                    f"{name} is text of {len(column.categories)} categories in "
                    f"{int((~column.missing).sum())} rows: a tree learns rows by heart from it. "
                    f"Leave it out with --drop {shlex.quote(name)}, or join categories"
                )
            elif _is_rounded(column):
                notes.append(f"{name}: whole numbers beyond 2**53 may be rounded")
    return features, notes, warnings


def _is_id(column: Column) -> bool:
    """Say whether a column may name or count the rows rather than describe them."""
    if column.kind == "nominal":
        counts = column.counts
        return bool(counts.sum() > 1 and counts.max() == 1)
    if len(column) < _FEWEST_IDS or not column.is_whole:
        return False
    return len(np.unique(column.cells)) == len(column)


def _is_nearly_id(column: Column) -> bool:
    """Say whether a column of text has hardly two rows for each category."""
    n = len(column.categories)
    if column.kind != "nominal" or n < _FEWEST_IDS or 2 * n <= int((~column.missing).sum()):
        return False
    numbers = sum(number_of(label) is not None for label in column.categories)
    return 2 * numbers < n  # others are noted as numbers among which words stand


def _dressed_number(column: Column) -> str | None:
    """Return a number that signs make text, such as $5 or 1,234.50, if all of them are numbers."""
    if column.kind != "nominal" or len(column.categories) < _FEWEST_IDS:
        return None
    plain = [number_of(label) is not None for label in column.categories]
    dressed = [
        label for label, is_plain in zip(column.categories, plain, strict=True) if not is_plain
    ]
    return dressed[0] if dressed and all(map(_DRESSED.fullmatch, dressed)) else None


def _is_dates(column: Column) -> bool:
    """Say whether a column of text holds dates, such as 2026-11-16 or 16.11.2026."""
    return column.kind == "nominal" and all(map(_DATE.fullmatch, column.categories))


def _is_rounded(column: Column) -> bool:
    """Say whether a column holds numbers so large that neighbours may have become equal."""
    if column.kind != "numeric":
        return False
    sizes = np.abs(column.cells)
    return bool(np.any((sizes > LARGEST_EXACT) & np.isfinite(sizes)))
