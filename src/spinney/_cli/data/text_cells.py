"""The meaning of text cells: a missing value, a number, or a category.

A column of numbers is numeric, any other nominal, unless the kind is asked for. Empty cells, and
what R, SAS, Weka, databases and spreadsheets write for a gap, are missing. Whatever cannot be read
is refused by file, line and column. Only distinct cells are looked at, however many rows there are.
"""

import math
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.data.columns import Column, TextFormat, Wanted
from spinney._cli.data.written_numbers import FEW_WORDS, diagnose, parse_formatted
from spinney._cli.errors import Refusal
from spinney.datasets._registry import natural_key

MISSING = frozenset(
    ("", "?", ".", "NA", "NaN", "nan", "<NA>", "NULL", "null", "N/A", "n/a", "#N/A")
)
_MOSTLY = 0.9  # a column with this share of numbers was probably meant to be one
_LEADING_ZERO = re.compile(r"0\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")


@dataclass(frozen=True, eq=False)
class Coded:
    """Cells as codes: `texts[codes[i]]` is cell i, and no value if its code is -1."""

    codes: NDArray[np.int32]
    texts: list[str]  # no text twice


@dataclass(frozen=True)
class Place:
    """The place of cells, for messages."""

    where: str
    line_of: Callable[[int], int]  # of a row

    def of_cell(self, name: str, codes: NDArray[np.int32], odd: Sequence[int]) -> tuple[int, str]:
        """Return the code of the first cell that is odd, and its place in words."""
        row = int(np.flatnonzero(np.isin(codes, odd))[0])
        return int(codes[row]), f"{self.where}, line {self.line_of(row)}, column {name!r}"


class Meaning:
    """The meaning of single cells."""

    def __init__(self, text: TextFormat | None = None, *, decimal_comma: bool = False) -> None:
        text = text or TextFormat()
        self.decimal_comma = decimal_comma if text.decimal is None else text.decimal == ","
        self.gaps = MISSING | {gap.strip() for gap in text.na}

    def number(self, cell: str) -> float | None:
        """Return a cell as a number, NaN if it is missing, None if it is something else."""
        if cell in self.gaps:
            return math.nan
        if "_" in cell:  # Python reads 1_000 as a number, other programs do not
            return None
        try:
            return float(cell.replace(",", ".") if self.decimal_comma else cell)
        except ValueError:
            return None

    def formatted(self, cell: str) -> tuple[float | None, str]:
        """Return a cell with signs, a unit and thousands separators as a number, and its unit."""
        if cell in self.gaps:
            return math.nan, ""
        number, unit = parse_formatted(cell, "," if self.decimal_comma else ".")
        if number is None and not (self.decimal_comma and "." in cell):
            number = self.number(cell)  # such as inf
        return number, unit


def exact_text(number: float) -> str:
    """Return a number with all its digits, an integer without a point."""
    return str(int(number)) if number.is_integer() else repr(number)


def number_of(cell: str) -> float | None:
    """Return a cell as a number, NaN if it is missing, None if it is something else."""
    return _PLAIN.number(cell)


_PLAIN = Meaning()


def stripped(found: Coded) -> Coded:
    """Return cells without leading and trailing spaces."""
    texts = [text.strip() for text in found.texts]
    return found if texts == found.texts else recoded(found.codes, texts)


def recoded(codes: NDArray[np.integer[Any]], texts: Sequence[str | None]) -> Coded:
    """Return cells from texts that may be repeated, or None for missing values."""
    distinct: dict[str, int] = {}
    for text in texts:
        if text is not None:
            distinct.setdefault(text, len(distinct))
    places = [-1 if text is None else distinct[text] for text in texts]
    return Coded(np.array([*places, -1], dtype=np.int32)[codes], list(distinct))


def column_of(
    name: str,
    found: Coded,
    wanted: Wanted,
    meaning: Meaning,
    place: Place,
    *,
    may_be_numbers: bool = True,
) -> tuple[Column, str | None]:
    """Return text cells as a column, and a note if they are unusual.

    Parameters
    ----------
    name : str
        Name of the column.
    found : Coded
        Cells of the column.
    wanted : Wanted
        Required kinds.
    meaning : Meaning
        Meaning of the cells.
    place : Place
        Place of the cells, for messages.
    may_be_numbers : bool, default=True
        Whether a column of numbers is numeric by default.

    Returns
    -------
    Column
    str or None
    """
    kind, codes = wanted.kind_of(name), found.codes
    if kind == "numeric" and name in wanted.text.numeric:
        return _formatted_column(name, found, meaning, place), None
    note = None
    if kind == "numeric" or (kind is None and may_be_numbers):
        numbers = [meaning.number(text) for text in found.texts]
        odd = [code for code, number in enumerate(numbers) if number is None]
        if not odd:
            if kind is None and meaning.decimal_comma:
                note = _thousands_note(name, found.texts)
            if kind is None and note is None and are_whole(numbers):
                note = zeros_note(name, found.texts)
            return numeric_column(name, codes, numbers), note
        if kind == "numeric":
            code, where = place.of_cell(name, codes, odd)
            written = diagnose(name, [found.texts[code] for code in odd], len(numbers) - len(odd))
            gap = f"--na={shlex.quote(found.texts[code])}"
            remedy = f"Correct it, leave the cell empty, or read it as a gap with {gap}."
            if written is not None and len(written.units) <= 1:
                remedy = f"Read the column with {written.options(name)}, or correct it."
            raise Refusal(f"{where}: {found.texts[code]!r} is not a number. {remedy}")
        note = _odd_cells_note(name, found, numbers, meaning, place)
    return _labels(name, found, wanted.orders.get(name), meaning, place), note


def are_whole(numbers: Iterable[float | None]) -> bool:
    """Tell whether the finite numbers of a column, of which there are some, are all whole."""
    known = [number for number in numbers if number is not None and math.isfinite(number)]
    return bool(known) and all(number == math.floor(number) for number in known)


def zeros_note(name: str, texts: Iterable[str]) -> str | None:
    """Return a note about numbers that are rather codes, such as 01018."""
    first = next((text for text in texts if _LEADING_ZERO.fullmatch(text)), None)
    if first is None:
        return None
    return (
        f"{name} is taken as numeric, and begins with zeros, as in {first!r}. If it is a code, "
        f"keep it as it is with --nominal {shlex.quote(name)}"
    )


def _thousands_note(name: str, texts: Iterable[str]) -> str | None:
    """Return a note about points that rather separate thousands, as commas are decimal marks."""
    pointed = [text for text in texts if "." in text]
    if not pointed or not all(map(_THOUSANDS.fullmatch, pointed)):
        return None
    return (
        f"{name}: the point in {pointed[0]!r} is taken as the decimal mark. If it separates "
        f"thousands, read the column with --numeric {shlex.quote(name)}"
    )


def numeric_column(name: str, codes: NDArray[np.int32], numbers: Sequence[float | None]) -> Column:
    """Return a column from codes and their numbers."""
    return Column(name, "numeric", np.array([*numbers, math.nan], dtype=np.float64)[codes])


def _formatted_column(name: str, found: Coded, meaning: Meaning, place: Place) -> Column:
    """Return a column of numbers with signs, units and thousands separators."""
    numbers: list[float | None] = []
    units: dict[str, list[int]] = {}
    for code, text in enumerate(found.texts):
        number, unit = meaning.formatted(text)
        numbers.append(number)
        if unit and number is not None:
            units.setdefault(unit, []).append(code)
    odd = [code for code, number in enumerate(numbers) if number is None]
    if odd:
        code, where = place.of_cell(name, found.codes, odd)
        other = "." if meaning.decimal_comma else ","
        remedy = "Correct it, leave the cell empty, or say that it means a gap with --na."
        if all(parse_formatted(found.texts[code], other)[0] is not None for code in odd):
            remedy = (
                f"If {other!r} is the decimal mark of the file, say so with --decimal {other}; "
                "columns with different marks cannot be read together: write them alike."
            )
        raise Refusal(f"{where}: {found.texts[code]!r} is not a number. {remedy}")
    if len(units) > 1:
        first, second, *_ = units
        code, where = place.of_cell(name, found.codes, units[second])
        raise Refusal(
            f"{where}: {found.texts[code]!r} is in {second!r}, others are in {first!r}. Write the "
            "column in one unit."
        )
    return numeric_column(name, found.codes, numbers)


def _labels(
    name: str, found: Coded, order: tuple[str, ...] | None, meaning: Meaning, place: Place
) -> Column:
    """Return a column of categories, ordered if their order is given."""
    present = [text for text in found.texts if text not in meaning.gaps]
    categories = tuple(_sorted(present)) if order is None else order
    places = {label: code for code, label in enumerate(categories)}
    codes = [-1 if text in meaning.gaps else places.get(text, -2) for text in found.texts]
    strange = [code for code, known in enumerate(codes) if known == -2]
    if strange:
        code, where = place.of_cell(name, found.codes, strange)
        raise Refusal(f"{where}: {found.texts[code]!r} is not one of {', '.join(categories)}.")
    cells = np.array([*codes, -1], dtype=np.int32)[found.codes]
    return Column(name, "nominal" if order is None else "ordered", cells, categories)


def _sorted(labels: list[str]) -> list[str]:
    """Return labels sorted so that A49 comes before A410."""
    if any(map(_has_digit, labels)):
        return sorted(labels, key=natural_key)
    return sorted(labels)  # the same order, and fast


def _has_digit(text: str) -> bool:
    return any(map(str.isdecimal, text))


def _odd_cells_note(
    name: str,
    found: Coded,
    numbers: Sequence[float | None],
    meaning: Meaning,
    place: Place,
) -> str | None:
    """Return a note about a nominal column that was probably meant to be numeric."""
    odd = [code for code, number in enumerate(numbers) if number is None]
    plain = sum(number is not None and not math.isnan(number) for number in numbers)
    if diagnose(name, [found.texts[code] for code in odd], plain) is not None:
        return None  # signs, of which `doubts` tells
    counts = np.bincount(found.codes, minlength=len(found.texts)).tolist()
    n_odd = sum(counts[code] for code in odd)
    n_present = sum(
        count for text, count in zip(found.texts, counts, strict=True) if text not in meaning.gaps
    )
    few = len(odd) <= FEW_WORDS and 2 * n_odd < n_present and len(numbers) > 2 * FEW_WORDS
    if n_odd > (1 - _MOSTLY) * n_present and not few:
        return None
    row = int(np.flatnonzero(np.isin(found.codes, odd))[0])
    count = "1 cell is" if n_odd == 1 else f"{n_odd} cells are"
    words = " ".join(f"--na={shlex.quote(found.texts[code])}" for code in odd)
    gaps = f", or read them as gaps with {words}" if len(odd) <= FEW_WORDS else ""
    first = found.texts[found.codes[row]]
    return (
        f"{name} is taken as nominal: {count} no number (first: {first!r}, "
        f"line {place.line_of(row)}). Leave cells without a value empty{gaps}"
    )
