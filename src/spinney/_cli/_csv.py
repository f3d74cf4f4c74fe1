"""From a CSV file to typed columns, with the standard library and NumPy only.

The first line holds the names. Cells are parted by commas, semicolons or tabs, whichever the first
line holds most of; beside semicolons, 1,5 is one and a half. The file is read in parts, so that a
large one needs little more memory than its columns.
"""

import csv
import gzip
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli._cells import (
    Sheet,
    Wanted,
    check_order,
    label_column,
    numbers_of,
    odd_cells_note,
    refuse_text,
)
from spinney._cli._refusal import Refusal
from spinney._cli._text import plural
from spinney.datasets._read import Column

_DELIMITERS = (",", ";", "\t")
_PART = 65_536  # rows that are typed at once


@dataclass(eq=False)
class _Cells:
    """One column as it is being read: parts of numbers, or text."""

    name: str
    is_text: bool
    numbers: list[NDArray[np.float64]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    switched: bool = False  # text after numbers: read the file again

    def add(self, cells: Sequence[str], decimal_comma: bool) -> None:
        """Add a part."""
        if not self.is_text:
            part = numbers_of(cells, decimal_comma=decimal_comma)
            if part is not None:
                self.numbers.append(part)
                return
            self.is_text, self.switched = True, bool(self.numbers)
        self.texts.extend(map(sys.intern, cells))


def read_csv(path: Path, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file.

    Parameters
    ----------
    path : Path
        A CSV file, or one compressed by gzip.
    wanted : Wanted, optional
        Kinds that columns must have. Default: the cells decide.

    Returns
    -------
    Sheet
        Columns in the order of the file. A name may be empty, as for the row numbers that some
        programs write.
    """
    wanted = wanted or Wanted()
    as_text = {name for name, kind in wanted.kinds.items() if kind == "nominal"} | set(
        wanted.orders
    )
    while True:
        cells, lines, decimal_comma, others = _read_cells(path, as_text, wanted)
        again = {column.name for column in cells if column.switched}
        if not again:
            break
        as_text |= again
    notes = []
    columns = []
    for column in cells:
        columns.append(_finished(path, column, lines, decimal_comma, wanted))
        if column.is_text and wanted.kind_of(column.name) is None:
            note = odd_cells_note(
                column.name, column.texts, lines.__getitem__, decimal_comma=decimal_comma
            )
            notes += [note] if note else []
    return Sheet(columns, tuple(notes), others)


def _finished(
    path: Path, column: _Cells, lines: Sequence[int], decimal_comma: bool, wanted: Wanted
) -> Column:
    name, where = column.name, repr(str(path))
    if not column.is_text:
        return Column(name, "numeric", np.concatenate(column.numbers))
    kind = wanted.kind_of(name)
    if kind == "numeric":
        refuse_text(where, name, column.texts, lines.__getitem__, decimal_comma=decimal_comma)
        numbers = numbers_of(column.texts, decimal_comma=decimal_comma)
        assert numbers is not None
        return Column(name, "numeric", numbers)
    made = label_column(name, column.texts, wanted.orders.get(name))
    if kind == "ordered":
        check_order(where, made, lines.__getitem__)
    return made


def _read_cells(
    path: Path, as_text: set[str], wanted: Wanted
) -> tuple[list[_Cells], "array[int]", bool, tuple[str, ...]]:
    """Read all cells once; columns in `as_text` are kept as they are."""
    lines = array("q")
    try:
        with _open(path) as file:
            delimiter = _delimiter(file)
            decimal_comma = delimiter == ";"
            reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
            header = [cell.strip() for cell in _next_row(reader, path) or []]
            _check_header(header, path)
            cells = [_Cells(name, name in as_text) for name in header]
            kept = {k for k, name in enumerate(header) if wanted.wants(name)}
            for part in _parts(reader, header, path, lines):
                for k, column in enumerate(zip(*part, strict=True)):
                    if k in kept:
                        cells[k].add([cell.strip() for cell in column], decimal_comma)
    except (OSError, EOFError) as error:
        raise Refusal(f"cannot read {str(path)!r}: {error}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(
            f"{str(path)!r}{_bad_line(path)} is not text in UTF-8. Save it as CSV in UTF-8."
        ) from error
    if not lines:
        raise Refusal(f"{str(path)!r} has column names but no rows.")
    others = tuple(name for name in header if name and not wanted.wants(name))
    return [cells[k] for k in sorted(kept)], lines, decimal_comma, others


def _open(path: Path) -> Any:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8-sig", newline="")


def _delimiter(file: Any) -> str:
    first = file.readline()
    file.seek(0)
    return max(_DELIMITERS, key=first.count)


def _parts(
    reader: Any, header: Sequence[str], path: Path, lines: "array[int]"
) -> Iterator[list[list[str]]]:
    part: list[list[str]] = []
    while (row := _next_row(reader, path)) is not None:
        if not row:  # a blank line
            continue
        if len(row) != len(header):
            raise Refusal(_broken_row(path, reader.line_num, row, header))
        part.append(row)
        lines.append(reader.line_num)
        if len(part) == _PART:
            yield part
            part = []
    if part:
        yield part


def _next_row(reader: Any, path: Path) -> list[str] | None:
    begin = reader.line_num + 1
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as error:
        raise Refusal(
            f"{str(path)!r} is not a CSV file: {error}, in the row that begins in line {begin}."
        ) from error
    return row


def _broken_row(path: Path, line: int, row: Sequence[str], header: Sequence[str]) -> str:
    if len(row) < len(header):
        where = f"it ends in column {header[len(row) - 1]!r}, before {header[len(row)]!r}"
    else:
        where = f"{row[len(header)]!r} comes after the last column, {header[-1]!r}"
    return (
        f"{str(path)!r}, line {line}: {plural(len(row), 'cell')}, but the first line names "
        f"{plural(len(header), 'column')}: {where}."
    )


def _bad_line(path: Path) -> str:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return f", line {number},"
    return ""


def _check_header(header: Sequence[str], path: Path) -> None:
    if not any(header):
        raise Refusal(f"{str(path)!r} is empty. Its first line must hold the names of the columns.")
    if len(header) == 1 and "|" in header[0]:
        raise Refusal(
            f"{str(path)!r}: the first line names one column, {header[0]!r}. Part cells by commas, "
            "semicolons or tabs."
        )
    seen: set[str] = set()
    for name in filter(None, header):
        if name in seen:
            raise Refusal(f"{str(path)!r}: two columns are called {name!r}. Rename one of them.")
        seen.add(name)
    if numbers_of(header, decimal_comma=False) is not None:
        raise Refusal(
            f"{str(path)!r}: the first line holds numbers. It must hold the names of the columns."
        )
