"""One-dimensional NumPy arrays and lists of Python objects to numbers or codes.

No step here runs Python code once per row: types are collected and labels looked up by `map`, and
only the distinct values are looked at one by one.
"""

from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table._cells import (
    LARGEST_EXACT,
    Cells,
    Codes,
    Numbers,
    as_labels,
    dates_error,
    mixed_error,
    object_error,
    warn_rounded,
)


def read_array(
    values: NDArray[Any], name: str, *, as_category: bool, booleans_are_numbers: bool
) -> Cells:
    """Read a one-dimensional array; masked cells are missing."""
    kind = values.dtype.kind
    if kind == "b" and not booleans_are_numbers:
        codes = np.asarray(values).astype(np.int8)
        codes[np.ma.getmaskarray(values)] = -1
        return Codes(codes, [False, True])
    if kind in "biuf":
        numbers = np.ma.getdata(values)
        if np.ma.getmask(values) is np.ma.nomask:
            return Numbers(numbers)
        mask = np.ma.getmaskarray(values)
        return Numbers(np.where(mask, numbers.dtype.type(0), numbers), mask)
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    if kind == "V":
        raise object_error(name, "record")
    if kind in "mM":
        if not as_category:
            raise dates_error(name, "datetime64" if kind == "M" else "timedelta64")
        values = _without_nanoseconds(values)
    # tolist() gives None for a masked cell, and str, bytes, date or datetime for the others.
    return read_objects(
        values.tolist(), name, as_category=as_category, booleans_are_numbers=booleans_are_numbers
    )


def read_objects(
    cells: list[Any], name: str, *, as_category: bool, booleans_are_numbers: bool
) -> Cells:
    """Read a list of Python objects: all numbers, all strings or all booleans, or missing."""
    types = set(map(type, cells))
    kinds = {_kind(t) for t in types} - {"missing"}
    if "other" in kinds and not as_category:
        raise object_error(name, next(t.__name__ for t in types if _kind(t) == "other"))
    if as_category:
        return _factorise(cells, name)
    if kinds <= {"number", "boolean"} and (booleans_are_numbers or kinds != {"boolean"}):
        return Numbers(_floats(cells, types, name))
    if kinds == {"date"}:
        raise dates_error(name, _date_dtype(types))
    if kinds in ({"boolean"}, {"string"}):
        return _factorise(cells, name)
    if kinds == {"string", "number"}:  # NaN may stand between strings: it means missing
        codes = _factorise(cells, name)
        if all(isinstance(label, str) for label in codes.labels if label is not None):
            return codes
    raise mixed_error(name, sorted(t.__name__ for t in types if _kind(t) != "missing"))


def _kind(cell_type: type) -> str:
    """Classify a Python type."""
    if cell_type is NoneType or cell_type.__name__ in ("NAType", "NaTType"):
        return "missing"
    if issubclass(cell_type, bool | np.bool_):
        return "boolean"
    if issubclass(cell_type, str | bytes):
        return "string"
    if issubclass(cell_type, date | time | timedelta | np.datetime64 | np.timedelta64):
        return "date"
    return "number" if issubclass(cell_type, Real | Decimal) else "other"


def _date_dtype(types: set[type]) -> str:
    if any(issubclass(t, timedelta | np.timedelta64) for t in types):
        return "timedelta64"
    return "time" if any(issubclass(t, time) for t in types) else "datetime64"


def _factorise(cells: list[Any], name: str) -> Codes:
    """Give the distinct cells numbers, in order of appearance."""
    try:
        distinct = dict.fromkeys(cells)
    except TypeError:
        unhashable = next(type(cell) for cell in cells if not _is_hashable(cell))
        raise object_error(name, unhashable.__name__) from None
    for code, cell in enumerate(distinct):
        distinct[cell] = code
    codes = np.fromiter(map(distinct.__getitem__, cells), dtype=np.int64, count=len(cells))
    return Codes(codes, as_labels(distinct))


def _is_hashable(cell: object) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _floats(cells: list[Any], types: set[type], name: str) -> NDArray[np.float64]:
    """Convert Python numbers; NumPy itself reads None as NaN, but not the NA of pandas."""
    if any(_kind(t) == "missing" and t is not NoneType for t in types):
        cells = [None if _kind(type(cell)) == "missing" else cell for cell in cells]
    try:
        values = np.array(cells, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"column {name!r} holds a number that float64 cannot hold: {error}. Scale the column, "
            "or name it in categorical_features."
        ) from error
    if any(issubclass(t, int | np.integer) for t in types):
        large = np.flatnonzero(np.abs(values) > LARGEST_EXACT).tolist()
        count = sum(cells[i] != values[i].item() for i in large)
        if count:
            warn_rounded(name, count)
    return values


def _without_nanoseconds(values: NDArray[Any]) -> NDArray[Any]:
    # tolist() gives integers for nanoseconds, dates or time spans for coarser units.
    is_finer = np.datetime_data(values.dtype)[0] in ("ns", "ps", "fs", "as")
    return values.astype(f"{values.dtype.kind}8[us]") if is_finer else values
