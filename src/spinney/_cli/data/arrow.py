"""Parquet and Arrow files to columns, by pyarrow. What they hold is checked before it is used."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spinney._cli.data.columns import Column, Sheet, Wanted, check_names
from spinney._cli.data.source import Source
from spinney._cli.data.text_cells import Coded, Meaning, Place, column_of, number_of, recoded
from spinney._cli.errors import Refusal


def read_arrow(source: Source, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a Parquet file, or of an Arrow file or stream (Feather, IPC).

    Parameters
    ----------
    source : Source
        The file.
    wanted : Wanted, optional
        Kinds that columns must have. Default: their types decide.

    Returns
    -------
    Sheet
    """
    wanted = wanted or Wanted()
    if wanted.text.encoding is not None:
        raise Refusal(f"--encoding is for text files, and {source.where} is none.")
    table, others = _read_table(source, wanted)
    if not table.num_rows or not (table.num_columns or others):
        raise Refusal(f"{source.where} holds no rows.")
    columns = []
    for k, name in enumerate(table.column_names):
        try:
            columns.append(_column(source.where, name, table.column(k), wanted))
        except (ValueError, LookupError, OverflowError, pa.ArrowException) as error:
            # Dates beyond the calendar, time zones that nobody knows
            raise Refusal(
                f"cannot read {source.where}, column {name!r}: {_sentence(error)}."
            ) from error
    return Sheet(columns, others=others)


def read_plain(source: Source) -> pa.Table:
    """Read a Parquet or Arrow file as it is, checked in full."""
    return _read_table(source, Wanted())[0]


def _sentence(error: Exception) -> str:
    """Return the message of an error in one line; those of Arrow may have several."""
    letters = "".join(c if c.isprintable() else " " for c in str(error))
    return " ".join(letters.split()).rstrip(".") or type(error).__name__


def _read_table(source: Source, wanted: Wanted) -> tuple[pa.Table, tuple[str, ...]]:
    """Return the columns that matter, checked in full, and the names of the others."""
    # A file in memory is the same from one check to the next, and no signal comes from a map.
    with source.open() as file:
        content = pa.py_buffer(file.read())
    try:
        if content.slice(0, 4).to_pybytes() == b"PAR1":
            table, names = _parquet(content, source.where, wanted)
        else:
            table, names = _ipc(content, source.where, wanted)
        # Damaged offsets and codes would be followed beyond their arrays.
        table.validate(full=True)
    except (OSError, ValueError, KeyError, TypeError, EOFError, pa.ArrowException) as error:
        raise Refusal(f"cannot read {source.where}: {_sentence(error)}.") from error
    except (MemoryError, OverflowError) as error:
        raise Refusal(f"cannot read {source.where}: it asks for too much memory.") from error
    return table, tuple(name for name in names if not wanted.wants(name))


def _parquet(content: Any, where: str, wanted: Wanted) -> tuple[pa.Table, list[str]]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(pa.BufferReader(content))
    names = file.schema_arrow.names
    check_names(where, names)
    kept = [name for name in names if wanted.wants(name)]
    # Columns are named by their paths: a.b of a struct would be read for a.
    return file.read(columns=kept).select(kept), names


def _ipc(content: Any, where: str, wanted: Wanted) -> tuple[pa.Table, list[str]]:
    head = content.slice(0, 6).to_pybytes()
    if head[:4] == b"FEA1":
        import pyarrow.feather

        table = pyarrow.feather.read_table(pa.BufferReader(content))
    elif head == b"ARROW1":
        table = pa.ipc.open_file(pa.BufferReader(content)).read_all()
    else:
        table = pa.ipc.open_stream(pa.BufferReader(content)).read_all()
    names = table.column_names
    check_names(where, names)
    return table.select([name for name in names if wanted.wants(name)]), names


def _column(where: str, name: str, column: pa.ChunkedArray, wanted: Wanted) -> Column:
    kind, of, meaning = wanted.kind_of(name), column.type, Meaning(wanted.text)
    is_number = pa.types.is_integer(of) or pa.types.is_floating(of) or pa.types.is_decimal(of)
    if is_number and kind in (None, "numeric"):
        return Column(name, "numeric", _numbers(column, meaning))
    if pa.types.is_null(of):
        return Column(name, "numeric", np.full(len(column), np.nan))
    order = wanted.orders.get(name)
    if pa.types.is_dictionary(of):
        if of.ordered and order is None:
            order = tuple(map(_text, _coded(column).texts))
        of = of.value_type
    words = pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_boolean(of)
    words = words or getattr(pa.types, "is_string_view", bool)(of)
    if not (words or is_number) and wanted.strict:
        raise Refusal(
            f"{where}, column {name!r} holds {of}. Turn it into a number or a category, or "
            f"leave it out: --drop {name}."
        )
    if kind == "numeric" and not (words and name in wanted.text.numeric):
        raise Refusal(f"{where}, column {name!r} must hold numbers, and holds {of}.")
    if order is not None:
        wanted = Wanted(orders={name: order}, text=wanted.text)
    place = Place(where, lambda row: row + 1)
    made, _ = column_of(name, _coded(column), wanted, meaning, place, may_be_numbers=False)
    return made


def _numbers(column: pa.ChunkedArray, meaning: Meaning) -> Any:
    numbers = floats_of(column.cast(pa.float64(), safe=False))
    gaps = [number for gap in meaning.gaps if (number := number_of(gap)) is not None]
    numbers[np.isin(numbers, gaps)] = np.nan
    return numbers


def _coded(column: pa.ChunkedArray) -> Coded:
    """Return cells as codes; each distinct one is written as text."""
    try:
        codes, values = dictionary_codes(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # lists and such
        codes, values = np.arange(len(column)), column.to_pylist()
    return recoded(codes, [None if value is None else _text(value) for value in values])


def dictionary_codes(column: pa.ChunkedArray) -> tuple[Any, list[Any]]:
    """Return places in a list of the distinct cells, -1 for a gap, and that list."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    joined = column.unify_dictionaries()
    if not joined.num_chunks:
        return np.zeros(0, dtype=np.int32), []
    codes = [_indices(chunk.indices) for chunk in joined.chunks]
    return np.concatenate(codes), joined.chunk(0).dictionary.to_pylist()


def _indices(places: pa.Array) -> Any:
    """Return indices of any width as int32, -1 for a null, without Arrow's functions to cast."""
    wide = _cells(places, np.dtype(str(places.type)).type, 0).astype(np.int32)
    return wide if not places.null_count else np.where(_valid(places), wide, np.int32(-1))


def floats_of(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return a column of float64 as an array; nulls are NaN."""
    cells = [_cells(chunk, np.float64, np.nan) for chunk in column.chunks]
    return np.concatenate([np.zeros(0), *cells])


def _cells(chunk: pa.Array, kind: type, gap: float) -> Any:
    """Return numbers from the memory of a chunk: its own methods import pandas."""
    if not len(chunk):
        return np.zeros(0, dtype=kind)
    numbers = chunk.buffers()[1]
    cells: Any = np.frombuffer(numbers, kind, chunk.offset + len(chunk))[chunk.offset :]
    return cells if not chunk.null_count else np.where(_valid(chunk), cells, kind(gap))


def _valid(chunk: pa.Array) -> Any:
    """Return which cells of a chunk with nulls hold something, from its bits."""
    bits = np.frombuffer(chunk.buffers()[0], np.uint8)
    count = chunk.offset + len(chunk)
    return np.unpackbits(bits, count=count, bitorder="little")[chunk.offset :].astype(bool)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
