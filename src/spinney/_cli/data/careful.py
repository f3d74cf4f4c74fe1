"""CSV row by row, with the standard library: exact about lines, and slow.

Used where the fast reader fails or is in doubt, and to find the line of a row for a message.
"""

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spinney._cli._refusal import Refusal
from spinney._cli._text import plural
from spinney._cli.data.cells import Coded
from spinney._cli.data.source import Source

_PART = 65_536  # rows that are coded at once


class CarefulRows:
    """The rows of a CSV file behind its first, as lists of cells.

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
        self._reader = csv.reader(
            _lines(source, encoding), delimiter=delimiter, skipinitialspace=True, strict=True
        )
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
            raise Refusal(
                f"{self.where} is not a CSV file: {error}, in the row that begins in line {begin}."
            ) from error
        return row


def read_carefully(rows: CarefulRows, kept: Sequence[int]) -> tuple[list[Coded], "array[int]"]:
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
    """Gives the distinct texts of a column numbers, in order of appearance."""

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


def _lines(source: Source, encoding: str | None) -> Iterator[str]:
    for block in source.blocks(encoding):
        yield from io.StringIO(block.decode(), newline="")  # keeps the ends of lines


def _broken_row(where: str, line: int, row: Sequence[str], header: Sequence[str]) -> str:
    if len(row) < len(header):
        place = f"it ends in column {header[len(row) - 1]!r}, before {header[len(row)]!r}"
    else:
        place = f"{row[len(header)]!r} comes after the last column, {header[-1]!r}"
    return (
        f"{where}, line {line}: {plural(len(row), 'cell')}, but the first line names "
        f"{plural(len(header), 'column')}: {place}."
    )
