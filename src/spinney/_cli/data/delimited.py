"""CSV to columns, by pyarrow: numbers as numbers, text as codes, in blocks of whole rows.

The first line holds the names. Cells are parted by commas, semicolons or tabs, whichever the first
line holds most of; beside semicolons, 1,5 is one and a half. A file that pyarrow refuses, or might
parse differently from the csv module, is read row by row with the standard library: slow, but exact
about lines, which messages need.
"""

import csv
import io
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from spinney._cli.data.arrow import dictionary_codes
from spinney._cli.data.columns import Column, DoubtError, Sheet, Wanted, check_names
from spinney._cli.data.source import Source
from spinney._cli.data.text_cells import Coded, Meaning, Place, column_of, number_of, stripped
from spinney._cli.errors import Refusal
from spinney._format import plural

_DELIMITERS = (",", ";", "\t")
_SAMPLE = 100  # rows that are looked at to guess which columns are numbers
_HEAD = 1 << 16  # bytes in which they stand
_PARSED = 1 << 20  # bytes that one thread takes at once
_QUOTE, _LINE_ENDS = ord('"'), (ord("\n"), ord("\r"))
_BAD_COLUMN = re.compile(r"In CSV column #(\d+): .*conversion error to double", re.DOTALL)
_PART = 65_536  # rows that are coded at once
_TEXT = pa.dictionary(pa.int32(), pa.string())


class _TurnsToTextError(Exception):
    """A column that was expected to be numeric holds something else."""

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = columns


@dataclass(frozen=True, eq=False)
class _Layout:
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


def read_csv(source: Source, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file.

    Parameters
    ----------
    source : Source
        A CSV file, or one that is compressed.
    wanted : Wanted, optional
        Kinds that columns must have, and how cells are written. Default: the cells decide.

    Returns
    -------
    Sheet
        Columns in the order of the file. A name may be empty, as for the row numbers that some
        programs write.
    """
    layout, sample = _open(source, wanted or Wanted())
    try:
        if sample is None:
            raise DoubtError
        return _read_fast(layout, _guessed_texts(layout, sample))
    except DoubtError:
        return _read_carefully(layout)


# -- The first line


def _open(source: Source, wanted: Wanted) -> tuple[_Layout, list[list[str]] | None]:
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
    layout = _Layout(
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


def _guessed_texts(layout: _Layout, sample: list[list[str]]) -> set[int]:
    """Return the columns that are read as text; the others are first tried as numbers."""
    texts, wanted, number = set(), layout.wanted, layout.meaning.number
    for k in layout.kept:
        name = layout.header[k]
        is_text = wanted.kind_of(name) in ("nominal", "ordered") or name in wanted.text.numeric
        if is_text or any(number(row[k].strip()) is None for row in sample):
            texts.add(k)
    return texts


# -- By pyarrow


def _read_fast(layout: _Layout, texts: set[int]) -> Sheet:
    while True:
        try:
            table, has_quotes, has_zeros = _parse(layout, texts)
            if has_zeros:
                _reread_codes(layout, table, texts)
            return _as_sheet(layout, table, has_quotes)
        except _TurnsToTextError as error:
            if texts >= set(error.columns):
                raise DoubtError from error
            texts = texts | set(error.columns)


def _reread_codes(layout: _Layout, table: pa.Table, texts: set[int]) -> None:
    """Read whole numbers as text, if some of the file begin with a zero: they may be codes."""
    whole = [
        k
        for k, found in zip(layout.kept, table.columns, strict=True)
        if k not in texts
        and layout.wanted.kind_of(layout.header[k]) is None
        and _is_whole(found.to_numpy())
    ]
    if whole:
        raise _TurnsToTextError(whole)


def _is_whole(numbers: Any) -> bool:
    known = numbers[np.isfinite(numbers)]
    return bool(len(known)) and bool((known == np.floor(known)).all())


def _parse(layout: _Layout, texts: set[int]) -> tuple[pa.Table, bool, bool]:
    """Return the columns as an Arrow table, and whether the file has quotes and leading zeros."""
    names = [str(k) for k in range(len(layout.header))]
    read = arrow_csv.ReadOptions(column_names=names, block_size=max(_PARSED, 4 * layout.length))
    kept = [names[k] for k in layout.kept]
    convert = arrow_csv.ConvertOptions(
        column_types={names[k]: _TEXT if k in texts else pa.float64() for k in layout.kept},
        include_columns=kept,
        null_values=sorted(layout.meaning.gaps),
        strings_can_be_null=False,  # which gaps there are is told from the distinct texts
        decimal_point="," if layout.meaning.decimal_comma else ".",
    )
    parts, has_quotes, has_zeros = [], False, False
    for block, quoted in _whole_rows(layout):
        has_quotes |= quoted
        has_zeros = has_zeros or _has_leading_zero(block, layout.delimiter)
        parse = arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=quoted)
        if not block:
            continue
        try:
            parts.append(arrow_csv.read_csv(pa.BufferReader(block), read, parse, convert))
        except pa.ArrowInvalid as error:
            bad = _BAD_COLUMN.match(str(error))
            if bad is None:
                raise DoubtError from error
            raise _TurnsToTextError([int(bad[1])]) from error
    if not any(part.num_rows for part in parts):
        raise Refusal(f"{layout.source.where} has column names but no rows.")
    return pa.concat_tables(parts), has_quotes, has_zeros


def _has_leading_zero(block: bytes, delimiter: str) -> bool:
    """Return whether a cell may begin with 0 and another digit, also behind a quote or blanks."""
    letters = np.frombuffer(block, dtype=np.uint8)
    zeros = np.flatnonzero(letters[:-1] == ord("0"))
    begins = np.zeros(256, dtype=bool)
    begins[[ord(delimiter), *_LINE_ENDS, _QUOTE, *b" \t\v\f"]] = True
    first = begins[letters[zeros - 1]] | (zeros == 0)
    after = letters[zeros[first] + 1]
    return bool(np.any((after >= ord("0")) & (after <= ord("9"))))


def _whole_rows(layout: _Layout) -> Iterator[tuple[bytes, bool]]:
    """Yield the text after the header in blocks of whole rows, and whether they have quotes."""
    held: list[bytes] = []
    n_quotes, is_first = 0, True
    for block in layout.source.blocks(layout.wanted.text.encoding):
        if is_first:
            block, is_first = block[layout.length :], False
        n_quotes += block.count(b'"')
        held.append(block)
        if n_quotes % 2:  # a cell that goes on in the next line
            continue
        whole = held[0] if len(held) == 1 else b"".join(held)
        if n_quotes:
            _check_quotes(whole, layout.delimiter)
        yield whole, n_quotes > 0
        held, n_quotes = [], 0
    if held:
        raise DoubtError


def _check_quotes(block: bytes, delimiter: str) -> None:
    """Doubt a block unless quotes enclose whole cells, and are doubled inside them."""
    letters = np.frombuffer(block, dtype=np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE)
    opening, closing = quotes[0::2], quotes[1::2]
    ends = [ord(delimiter), *_LINE_ENDS, _QUOTE]
    before = letters[np.maximum(opening - 1, 0)]  # at the start, the quote itself
    after = letters[np.minimum(closing + 1, len(letters) - 1)]
    if not (np.isin(before, ends).all() and np.isin(after, ends).all()):
        raise DoubtError


def _as_sheet(layout: _Layout, table: pa.Table, has_quotes: bool) -> Sheet:
    columns: list[Column] = []
    notes = []
    turning = []
    place = Place(layout.source.where, partial(_line_of, layout, table.num_rows, has_quotes))
    for k, found in zip(layout.kept, table.columns, strict=True):
        name = layout.header[k]
        if found.type == pa.float64():
            numbers = found.to_numpy()
            if np.isnan(numbers).sum() != found.null_count:  # nan(1) is no number elsewhere
                turning.append(k)
            columns.append(Column(name, "numeric", numbers))
            continue
        coded = _codes(found)
        column, note = column_of(name, coded, layout.wanted, layout.meaning, place)
        columns.append(column)
        notes += [note] if note else []
    if turning:
        raise _TurnsToTextError(turning)
    return Sheet(columns, tuple(notes), layout.others)


def _codes(found: pa.ChunkedArray) -> Coded:
    codes, texts = dictionary_codes(found)
    if max(map(len, texts), default=0) > csv.field_size_limit():
        raise DoubtError
    return stripped(Coded(codes, texts))


def _line_of(layout: _Layout, n_rows: int, has_quotes: bool, row: int) -> int:
    """Return the line in which a row ends."""
    encoding = layout.wanted.text.encoding
    if not has_quotes:
        n_lines = 0
        for block in layout.source.blocks(encoding):
            n_lines += block.count(b"\n") + (not block.endswith(b"\n"))
            if block.count(b"\r") != block.count(b"\r\n"):  # line ends of their own
                n_lines += n_rows + 2
        if n_lines == n_rows + 1:  # no blank ones
            return row + 2
    return _line_of_row(layout.source, layout.delimiter, encoding, row)


# -- Row by row


def _read_carefully(layout: _Layout) -> Sheet:
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
    return Sheet([column for column, _ in pairs], notes, layout.others)


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
            raise Refusal(
                f"{self.where} is not a CSV file: {error}, in the row that begins in line {begin}."
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


def _line_of_row(source: Source, delimiter: str, encoding: str | None, row: int) -> int:
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
