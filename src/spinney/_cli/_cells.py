"""Cells of text files to typed columns.

A column of numbers is numeric, any other nominal, unless the kind is asked for. Empty cells, and
what R, SAS, Weka, databases and spreadsheets write for a gap, are missing. Whatever cannot be read
is refused by file, line and column.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spinney._cli._refusal import Refusal
from spinney.datasets._dataset import Kind
from spinney.datasets._read import Column, natural_key

MISSING = frozenset(
    ("", "?", ".", "NA", "NaN", "nan", "<NA>", "NULL", "null", "N/A", "n/a", "#N/A")
)
_MOSTLY = 0.9  # a column with this share of numbers was probably meant to be one
_FEW_WORDS = 3  # in a column of numbers, so many words probably stand for gaps
LineOf = Callable[[int], int]


@dataclass(frozen=True)
class Wanted:
    """What the user, or a model, says about columns."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: frozenset[str] | None = None  # columns that matter; None for all
    without: frozenset[str] = frozenset()  # columns that do not
    strict: bool = True  # refuse types that no tree can learn from; otherwise they are text

    def kind_of(self, name: str) -> Kind | None:
        """Return the kind that a column must have; None if its cells decide."""
        return "ordered" if name in self.orders else self.kinds.get(name)

    def wants(self, name: str) -> bool:
        """Say whether a column matters."""
        return name not in self.without and (self.only is None or name in self.only)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The columns of a file that matter, what was strange about them, and the names of others."""

    columns: list[Column]
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def exact_text(number: float) -> str:
    """Return a number with all its digits, a whole one without a point."""
    return str(int(number)) if number.is_integer() else repr(number)


def number_of(cell: str, *, decimal_comma: bool = False) -> float | None:
    """Return a cell as a number, NaN if it is missing, None if it is something else."""
    if cell in MISSING:
        return math.nan
    if "_" in cell:  # Python reads 1_000 as a number, other programs do not
        return None
    try:
        return float(cell.replace(",", ".") if decimal_comma else cell)
    except ValueError:
        return None


def numbers_of(cells: Sequence[str], *, decimal_comma: bool) -> NDArray[np.float64] | None:
    """Return cells as numbers, None if any of them is something else."""
    if decimal_comma:
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        numbers = np.array([math.nan if cell in MISSING else float(cell) for cell in cells])
    except ValueError:
        return None
    return None if any("_" in cell for cell in cells) else numbers


def label_column(name: str, cells: Sequence[str], order: Sequence[str] | None = None) -> Column:
    """Return a column of categories, ordered if their order is given."""
    labels = np.array([None if cell in MISSING else cell for cell in cells], dtype=object)
    if order is not None:
        return Column(name, "ordered", labels, tuple(order))
    categories = sorted({cell for cell in cells if cell not in MISSING}, key=natural_key)
    return Column(name, "nominal", labels, tuple(categories))


def check_order(where: str, column: Column, line_of: LineOf) -> None:
    """Refuse an ordered column that holds something its order does not list."""
    known = set(column.categories)
    for row, label in enumerate(column.values.tolist()):
        if label is not None and label not in known:
            raise Refusal(
                f"{where}, line {line_of(row)}, column {column.name!r}: {label!r} is not one of "
                f"{', '.join(column.categories)}."
            )


def refuse_text(
    where: str, name: str, cells: Sequence[str], line_of: LineOf, *, decimal_comma: bool
) -> None:
    """Refuse the first cell that is no number, in a column that must hold numbers."""
    for row, cell in enumerate(cells):
        if number_of(cell, decimal_comma=decimal_comma) is None:
            raise Refusal(
                f"{where}, line {line_of(row)}, column {name!r}: {cell!r} is not a number. "
                "Correct it, or leave the cell empty."
            )


def odd_cells_note(
    name: str, cells: Sequence[str], line_of: LineOf, *, decimal_comma: bool
) -> str | None:
    """Return a note about a column of text that seems to have been meant as numbers."""
    kinds = {cell: number_of(cell, decimal_comma=decimal_comma) for cell in set(cells)}
    present = [row for row, cell in enumerate(cells) if cell not in MISSING]
    odd = [row for row in present if kinds[cells[row]] is None]
    words = {cells[row] for row in odd}
    few = len(words) <= _FEW_WORDS and 2 * len(odd) < len(present) and len(kinds) > 2 * _FEW_WORDS
    if not odd or (len(odd) > (1 - _MOSTLY) * len(present) and not few):
        return None
    count = "1 cell is" if len(odd) == 1 else f"{len(odd)} cells are"
    return (
        f"{name} is taken as nominal: {count} no number (first: {cells[odd[0]]!r}, "
        f"line {line_of(odd[0])}). Leave cells without a value empty"
    )
