"""CSV row by row, with the standard library: slow, but exact about lines, and at once.

The first line holds the names. Cells are parted by commas, semicolons or tabs, whichever the first
line holds most of; beside semicolons, 1,5 is one and a half. Nothing here imports pyarrow.
"""

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from spinney._cli.data.columns import Sheet, Wanted, check_names
from spinney._cli.data.source import Source
from spinney._cli.data.text_cells import Coded, Meaning, Place, column_of, number_of, stripped
from spinney._cli.errors import Refusal
from spinney._format import plural

_DELIMITERS = (",", ";", "\t")
_SAMPLE = 100  # rows that are looked at to guess which columns are numbers
_HEAD = 1 << 16  # bytes in which they stand
_PART = 65_536  # rows that are coded at once
_HINTS = {"unexpected end of data": "a quotation mark is opened and never closed"}


@dataclass(frozen=True, eq=False)
class CSVLayout:
    """The header, and the columns that are read."""

    source: Source
    wanted: Wanted
    delimiter: str
    header: list[str]
    length: int  # of the first line, in bytes
    meaning: Meaning
    kept: list[int] = field(default_factory=list)

    @property
    def others(self) -> tuple[str, ...]:
        """The names of columns that are not read."""
        return tuple(name for name in self.header if name and not self.wanted.wants(name))


def open_csv(source: Source, wanted: Wanted) -> tuple[CSVLayout, list[list[str]] | None]:
    """Read the header and a sample of rows; None instead of these if they are not plain CSV."""
    encoding = wanted.text.encoding
    block = next(source.blocks(encoding), b"")
    end = block.rfind(b"\n", 0, _HEAD) + 1 or len(block)
    lines = io.StringIO(block[:end].decode(), newline="")
    first = lines.readline()
    delimiter = max(_DELIMITERS, key=first.count)
    lines.seek(0)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    sample: list[list[str]] | None = None
    try:
        names = next(reader, [])
        if reader.line_num <= 1:
            sample = [row for row in islice(reader, _SAMPLE) if len(row) == len(names)]
    except csv.Error:
        sample = None
    if sample is None:  # a name with a line end in it, or what is refused
        names = CarefulRows(source, delimiter, encoding).header
    header = [name.strip() for name in names]
    _check_header(header, source.where)
    layout = CSVLayout(
        source,
        wanted,
        delimiter,
        header,
        len(first.encode()),
        Meaning(wanted.text, decimal_comma=delimiter == ";"),
        [k for k, name in enumerate(header) if wanted.wants(name)],
    )
    return layout, sample


def _check_header(header: Sequence[str], where: str) -> None:
    if not any(header):
        raise Refusal(f"{where} is empty. Its first line must hold the names of the columns.")
    if len(header) == 1 and "|" in header[0]:
        raise Refusal(
            f"{where}: the first line names one column, {header[0]!r}. Part cells by commas, "
            "semicolons or tabs."
        )
    check_names(where, filter(None, header))
    if all(number_of(name) is not None for name in header):
        raise Refusal(
            f"{where}: the first line holds numbers. It must hold the names of the columns."
        )


def read_carefully(layout: CSVLayout) -> Sheet:
    rows = CarefulRows(layout.source, layout.delimiter, layout.wanted.text.encoding)
    found, lines = _coded_columns(rows, layout.kept)
    if not lines:
        raise Refusal(f"{layout.source.where} has column names but no rows.")
    place = Place(layout.source.where, lines.__getitem__)
    pairs = [
        column_of(layout.header[k], stripped(coded), layout.wanted, layout.meaning, place)
        for k, coded in zip(layout.kept, found, strict=True)
    ]
    notes = tuple(note for _, note in pairs if note)
    columns = [column for column, _ in pairs]
    return Sheet(columns, notes, layout.others, layout.meaning.decimal_comma)


def delimiter_of(source: Source, encoding: str | None = None) -> str:
    """Return what parts the cells of a file."""
    block = next(source.blocks(encoding), b"")
    first = io.StringIO(block[:_HEAD].decode(errors="replace"), newline="").readline()
    return max(_DELIMITERS, key=first.count)


class CarefulRows:
    """The rows of a CSV file after the header, as lists of cells.

    Parameters
    ----------
    source : Source
        The file.
    delimiter : str
        Between cells.
    encoding : str or None
        None for UTF-8.
    """

    def __init__(self, source: Source, delimiter: str, encoding: str | None = None) -> None:
        self.where = source.where
        lines = source.lines(encoding, "")  # keeps the ends of lines in cells
        self._reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        self.header = [cell.strip() for cell in self._next() or []]

    @property
    def line(self) -> int:
        """The line in which the last row ended."""
        return self._reader.line_num

    def __iter__(self) -> Iterator[list[str]]:
        n_columns = len(self.header)
        while (row := self._next()) is not None:
            if not row:  # a blank line
                continue
            if len(row) != n_columns:
                raise Refusal(_broken_row(self.where, self.line, row, self.header))
            yield row

    def _next(self) -> list[str] | None:
        begin = self.line + 1
        try:
            row: list[str] | None = next(self._reader, None)
        except csv.Error as error:
            words = _HINTS.get(str(error), str(error))
            raise Refusal(
                f"{self.where} is not a CSV file: {words}, in the row that begins in line {begin}."
            ) from error
        return row


def _coded_columns(rows: CarefulRows, kept: Sequence[int]) -> tuple[list[Coded], "array[int]"]:
    """Return some columns as codes, and the line of each row."""
    lines = array("q")
    coders = [_Coder() for _ in kept]
    part: list[list[str]] = []

    def end_part() -> None:
        columns = list(zip(*part, strict=True))
        for coder, k in zip(coders, kept, strict=True):
            coder.add(columns[k])
        part.clear()

    for row in rows:
        part.append(row)
        lines.append(rows.line)
        if len(part) == _PART:
            end_part()
    if part:
        end_part()
    return [coder.coded() for coder in coders], lines


def line_of_row(source: Source, delimiter: str, encoding: str | None, row: int) -> int:
    """Return the line in which a row ends."""
    rows = CarefulRows(source, delimiter, encoding)
    for place, _ in enumerate(rows):
        if place == row:
            break
    return rows.line


class _Coder:
    """Encodes the distinct texts of a column in order of appearance."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._parts: list[Any] = []

    def add(self, cells: Sequence[str]) -> None:
        codes = self._codes
        for text in dict.fromkeys(cells):
            codes.setdefault(text, len(codes))
        self._parts.append(np.fromiter(map(codes.__getitem__, cells), np.int32, len(cells)))

    def coded(self) -> Coded:
        parts = self._parts or [np.zeros(0, dtype=np.int32)]
        return Coded(np.concatenate(parts), list(self._codes))


def _broken_row(where: str, line: int, row: Sequence[str], header: Sequence[str]) -> str:
    if len(row) < len(header):
        place = f"it ends in column {header[len(row) - 1]!r}, before {header[len(row)]!r}"
    else:
        place = f"{row[len(header)]!r} comes after the last column, {header[-1]!r}"
    return (
        f"{where}, line {line}: {plural(len(row), 'cell')}, but the first line names "
        f"{plural(len(header), 'column')}: {place}."
    )
