"""CSV to columns, by pyarrow: numbers as numbers, text as codes, in blocks of whole rows.

A file that pyarrow refuses, or might parse differently from the csv module, is read row by row with
the standard library: see `csv_rows`.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from spinney._cli.data.arrow import dictionary_codes, floats_of
from spinney._cli.data.columns import Column, DoubtError, Sheet, Wanted
from spinney._cli.data.csv_rows import CSVLayout, line_of_row, open_csv, read_carefully
from spinney._cli.data.source import Source
from spinney._cli.data.text_cells import Coded, Place, column_of, stripped
from spinney._cli.errors import Refusal

_PARSED = 1 << 20  # bytes that one thread takes at once
_QUOTE, _LINE_ENDS = ord('"'), (ord("\n"), ord("\r"))
_BAD_COLUMN = re.compile(r"In CSV column #(\d+): .*conversion error to double", re.DOTALL)
_TEXT = pa.dictionary(pa.int32(), pa.string())


class _TurnsToTextError(Exception):
    """A column that was expected to be numeric holds something else."""

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = columns


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
    layout, sample = open_csv(source, wanted or Wanted())
    if not layout.kept:
        return Sheet([], others=layout.others)
    try:
        if sample is None:
            raise DoubtError
        return _read_fast(layout, _guessed_texts(layout, sample))
    except DoubtError:
        return read_carefully(layout)


def _guessed_texts(layout: CSVLayout, sample: list[list[str]]) -> set[int]:
    """Return the columns that are read as text; the others are first tried as numbers."""
    texts, wanted, number = set(), layout.wanted, layout.meaning.number
    for k in layout.kept:
        name = layout.header[k]
        is_text = wanted.kind_of(name) in ("nominal", "ordered") or name in wanted.text.numeric
        if is_text or any(number(row[k].strip()) is None for row in sample):
            texts.add(k)
    return texts


# -- By pyarrow


def _read_fast(layout: CSVLayout, texts: set[int]) -> Sheet:
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


def _reread_codes(layout: CSVLayout, table: pa.Table, texts: set[int]) -> None:
    """Read whole numbers as text, if some of the file begin with a zero: they may be codes."""
    whole = [
        k
        for k, found in zip(layout.kept, table.columns, strict=True)
        if k not in texts
        and layout.wanted.kind_of(layout.header[k]) is None
        and _is_whole(floats_of(found))
    ]
    if whole:
        raise _TurnsToTextError(whole)


def _is_whole(numbers: Any) -> bool:
    known = numbers[np.isfinite(numbers)]
    return bool(len(known)) and bool((known == np.floor(known)).all())


def _parse(layout: CSVLayout, texts: set[int]) -> tuple[pa.Table, bool, bool]:
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


def _whole_rows(layout: CSVLayout) -> Iterator[tuple[bytes, bool]]:
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


def _as_sheet(layout: CSVLayout, table: pa.Table, has_quotes: bool) -> Sheet:
    columns: list[Column] = []
    notes = []
    turning = []
    place = Place(layout.source.where, partial(_line_of, layout, table.num_rows, has_quotes))
    for k, found in zip(layout.kept, table.columns, strict=True):
        name = layout.header[k]
        if found.type == pa.float64():
            numbers = floats_of(found)
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
    return Sheet(columns, tuple(notes), layout.others, layout.meaning.decimal_comma)


def _codes(found: pa.ChunkedArray) -> Coded:
    codes, texts = dictionary_codes(found)
    if max(map(len, texts), default=0) > csv.field_size_limit():
        raise DoubtError
    return stripped(Coded(codes, texts))


def _line_of(layout: CSVLayout, n_rows: int, has_quotes: bool, row: int) -> int:
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
    return line_of_row(layout.source, layout.delimiter, encoding, row)
