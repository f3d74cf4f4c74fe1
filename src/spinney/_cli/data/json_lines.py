"""JSON lines, an object for each row, to columns, by pyarrow.

pyarrow takes no part in what is refused: lines that it does not take, cells of several types and
whatever is nested are read line by line with the standard library, which names the line.
"""

import json
import re
from array import array
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as arrow_json

from spinney._cli.data.arrow import dictionary_codes, floats_of
from spinney._cli.data.columns import Column, DoubtError, Sheet, Wanted
from spinney._cli.data.source import Source
from spinney._cli.data.text_cells import Coded, Meaning, Place, column_of, recoded, stripped
from spinney._cli.errors import Refusal

_NESTED = re.compile(rb":\s*[\[{]")
_PLAIN_TYPES = (pa.float64(), pa.string(), pa.bool_(), pa.null())


def read_json_lines(source: Source, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file.

    Parameters
    ----------
    source : Source
        A file with a JSON object in each line, or one that is compressed. A key that a line lacks
        is missing there, as is null.
    wanted : Wanted, optional
        Kinds that columns must have, and how cells are written. Default: the cells decide.

    Returns
    -------
    Sheet
    """
    wanted = wanted or Wanted()
    try:
        return _read_fast(source, wanted)
    except DoubtError:
        return _read_carefully(source, wanted)


# -- By pyarrow


def _read_fast(source: Source, wanted: Wanted) -> Sheet:
    parts: list[pa.Table] = []
    schema: pa.Schema | None = None
    for block in source.blocks(wanted.text.encoding):
        if _NESTED.search(block):  # refused below; very deep ones would end the process here
            raise DoubtError
        if not block.isspace():
            schema = _schema(block, schema)
            parts.append(_parsed(block, schema))
    if not parts or not all(part.num_columns for part in parts):
        raise DoubtError
    try:
        table = pa.concat_tables(parts, promote_options="default")
    except pa.ArrowException as error:
        raise DoubtError from error
    names = [name for name in table.column_names if wanted.wants(name)]
    if not names:
        raise DoubtError
    columns = [_plain_column(name, table.column(name), wanted) for name in names]
    return Sheet(columns, others=tuple(n for n in table.column_names if not wanted.wants(n)))


def _parsed(block: bytes, schema: pa.Schema | None = None) -> pa.Table:
    try:
        return arrow_json.read_json(
            pa.BufferReader(block),
            arrow_json.ReadOptions(block_size=len(block) + 1),
            arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer"),
        )
    except pa.ArrowException as error:
        raise DoubtError from error


def _schema(block: bytes, known: pa.Schema | None) -> pa.Schema:
    """Return the types of a block's columns: numbers are float64, dates stay text."""
    found = _parsed(block).schema
    types = {field.name: _type_of(field.type) for field in found}
    if known is not None:
        for field in known:
            if types.get(field.name, pa.null()) == pa.null():
                types[field.name] = field.type
    return pa.schema(list(types.items()))


def _type_of(found: Any) -> Any:
    if pa.types.is_timestamp(found):
        return pa.string()
    return pa.float64() if pa.types.is_integer(found) else found


def _plain_column(name: str, found: pa.ChunkedArray, wanted: Wanted) -> Column:
    kind, of = wanted.kind_of(name), found.type
    is_number = pa.types.is_floating(of) or pa.types.is_null(of)
    if of not in _PLAIN_TYPES or is_number != (kind in (None, "numeric") and is_number):
        raise DoubtError
    if wanted.text.na or (kind == "numeric" and not is_number) or kind == "ordered":
        raise DoubtError  # line by line, where messages need it
    if is_number:
        numbers = floats_of(found.cast(pa.float64()))
        if not np.isfinite(numbers[~np.isnan(numbers)]).all():
            raise DoubtError
        return Column(name, "numeric", numbers)
    return _text_column(name, found, wanted)


def _text_column(name: str, found: pa.ChunkedArray, wanted: Wanted) -> Column:
    if pa.types.is_boolean(found.type):
        found = found.cast(pa.string())  # true and false
    codes, texts = dictionary_codes(found)
    meaning = Meaning(wanted.text)
    cells = stripped(Coded(codes, texts))
    if wanted.kind_of(name) is None and all(text in meaning.gaps for text in cells.texts):
        return Column(name, "numeric", np.full(len(codes), np.nan))
    place = Place("", int)  # never asked: a label may be anything
    column, _ = column_of(name, cells, wanted, meaning, place, may_be_numbers=False)
    return column


# -- Line by line


def _read_carefully(source: Source, wanted: Wanted) -> Sheet:
    meaning = Meaning(wanted.text)
    cells, texts, lines, others = _read_cells(source, wanted, meaning)
    if not lines or not (cells or others):
        raise Refusal(f"{source.where} holds no rows.")
    place = Place(source.where, lines.__getitem__)
    columns = []
    for name, found in cells.items():
        coded, may_be = recoded(np.arange(len(found)), found), name not in texts
        column, _ = column_of(name, coded, wanted, meaning, place, may_be_numbers=may_be)
        columns.append(column)
    return Sheet(columns, others=others)


def _read_cells(
    source: Source, wanted: Wanted, meaning: Meaning
) -> tuple[dict[str, list[str]], set[str], "array[int]", tuple[str, ...]]:
    """Return cells by column, the columns that hold text, the line of each row, other names."""
    cells: dict[str, list[str]] = {}
    texts: set[str] = set()
    lines = array("q")
    others: dict[str, None] = {}
    for number, line in enumerate(source.lines(wanted.text.encoding, None), start=1):
        if not line.strip():
            continue
        for name, value in _object(source.where, number, line).items():
            if not wanted.wants(name):
                others[name] = None
                continue
            column = cells.setdefault(name, [])
            column.extend([""] * (len(lines) - len(column)))
            column.append(_cell(source.where, number, name, value))
            if isinstance(value, str) and value not in meaning.gaps:
                texts.add(name)
        lines.append(number)
    for column in cells.values():
        column.extend([""] * (len(lines) - len(column)))
    return cells, texts, lines, tuple(others)


def _object(where: str, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise Refusal(
            f"{where}, line {number}, letter {error.pos + 1}: not JSON ({error.msg})."
        ) from error
    except (ValueError, RecursionError) as error:  # too many digits, too many brackets
        raise Refusal(f"{where}, line {number}: {error}.") from error
    if not isinstance(found, dict):
        raise Refusal(
            f"{where}, line {number}: a {type(found).__name__}, but each line must be an "
            'object such as {"income": 28, "married": "yes"}.'
        )
    if "\\u" in line and not _is_text(found):
        raise Refusal(
            f"{where}, line {number}: an escape is half a letter, which no text may hold."
        )
    return found


def _is_text(found: dict[str, Any]) -> bool:
    """Return whether names and texts can be written: JSON may escape half of a surrogate pair."""
    try:
        return bool(json.dumps(found, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


def _cell(where: str, number: int, name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float):
        try:
            return repr(value)
        except ValueError as error:  # too many digits
            raise Refusal(f"{where}, line {number}, column {name!r}: {error}.") from error
    raise Refusal(
        f"{where}, line {number}, column {name!r}: a {type(value).__name__}. Cells must be "
        "numbers, text, true, false or null."
    )
