"""One column to numbers or codes: NumPy arrays, lists of Python objects, pandas, polars and Arrow.

No step here runs Python code once per row: types are collected and labels looked up by `map`, and
only distinct values are examined one by one.

Numbers and booleans of table libraries are read through narwhals, alike for all of them. Codes come
from each library's own call, which is native code and handles the categories of its own types. A
library is imported only when its column is at hand.
"""

from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from types import NoneType
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from spinney._format import LARGEST_EXACT
from spinney._table._cells import (
    Cells,
    Codes,
    Numbers,
    as_labels,
    dates_error,
    mixed_error,
    nested_error,
    object_error,
    warn_rounded,
)
from spinney._typing import Floats

_INTEGERS = (nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt64, nw.UInt32, nw.UInt16, nw.UInt8)
_FLOATS = (nw.Float64, nw.Float32)
_OTHER_NUMBERS = (nw.Decimal, nw.Int128, nw.UInt128)
_LABELS = (nw.String, nw.Categorical, nw.Enum)
_CATEGORICAL = "CategoricalDtype"  # of pandas
_NESTED = (nw.List, nw.Array, nw.Struct)
_DATES = (
    (nw.Datetime, "datetime64"),
    (nw.Date, "datetime64"),
    (nw.Duration, "timedelta64"),
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


def _floats(cells: list[Any], types: set[type], name: str) -> Floats:
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


def read_series(column: Any, name: str, *, as_category: bool) -> Cells:
    """Read a pandas or polars series or an Arrow array."""
    native = getattr(column, "dtype", None)  # pandas; in polars something else, in Arrow nothing
    if hasattr(native, "pyarrow_dtype"):  # pandas over Arrow
        return read_series(column.array.__arrow_array__(), name, as_category=as_category)
    if isinstance(native, np.dtype) and not (native.kind in "mM" and as_category):
        return read_array(
            column.to_numpy(), name, as_category=as_category, booleans_are_numbers=False
        )
    if nw.dependencies.is_pandas_series(column) and type(column.dtype).__name__ == _CATEGORICAL:
        return _pandas_codes(column)  # at once: asking narwhals takes longer than reading it
    series = nw.from_native(column, series_only=True)
    dtype = series.dtype
    if dtype in _LABELS:
        return _codes(series)
    if dtype in _INTEGERS + _FLOATS + _OTHER_NUMBERS:
        return _numbers(series)
    if dtype == nw.Boolean:
        return Codes(series.cast(nw.Int8).fill_null(-1).to_numpy(), [False, True])
    if dtype in _NESTED:
        raise nested_error(name, dtype)
    for date_type, text in _DATES:
        if dtype == date_type:
            if as_category:
                return _codes(series)
            raise dates_error(name, text)
    return _read_other(series, name, as_category)


def _numbers(series: nw.Series[Any]) -> Numbers:
    if series.dtype in _FLOATS:
        return Numbers(series.to_numpy())  # nulls become NaN
    if series.dtype in _OTHER_NUMBERS:
        return Numbers(series.cast(nw.Float64).to_numpy())
    missing = series.is_null().to_numpy()
    if not missing.any():
        return Numbers(series.to_numpy())
    # Integers stay integers: as floats they would be rounded before anyone could say so.
    return Numbers(series.fill_null(0).to_numpy(), missing)


def _read_other(series: nw.Series[Any], name: str, as_category: bool) -> Cells:
    """Read what narwhals has no name for: sparse columns, intervals, all-null columns, objects."""
    if series.null_count() == len(series):
        return Numbers(np.full(len(series), np.nan))
    column = series.to_native()
    if series.implementation.is_pandas_like():
        values = np.asarray(column.to_numpy())
        return read_array(values, name, as_category=as_category, booleans_are_numbers=False)
    cells = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return read_objects(cells, name, as_category=as_category, booleans_are_numbers=False)


def _codes(series: nw.Series[Any]) -> Codes:
    column = series.to_native()
    if series.implementation.is_polars():
        return _polars_codes(column)
    if series.implementation.is_pyarrow():
        return _arrow_codes(column)
    return _pandas_codes(column)


def _pandas_codes(column: Any) -> Codes:
    if type(column.dtype).__name__ == _CATEGORICAL:
        cells = column.array
        return Codes(cells.codes, as_labels(cells.categories.tolist()), bool(cells.ordered))
    codes, distinct = column.factorize()
    return Codes(codes, as_labels(distinct.tolist()))


def _polars_codes(column: Any) -> Codes:
    import polars as pl

    if column.dtype == pl.Enum:
        distinct, codes = column.dtype.categories, column.to_physical()
    elif column.dtype in (pl.String, pl.Categorical):
        # The codes of a Categorical run over every string of the process; an Enum has its own.
        text = column.cast(pl.String)
        distinct = text.drop_nulls().unique(maintain_order=True)
        codes = text.cast(pl.Enum(distinct)).to_physical()
    else:
        distinct = column.drop_nulls().unique().sort()
        codes = column.rank("dense").cast(pl.Int64) - 1
    labels = as_labels(distinct.to_list())
    ordered = column.dtype == pl.Enum
    return Codes(codes.cast(pl.Int64).fill_null(-1).to_numpy(), labels, ordered)


def _arrow_codes(column: Any) -> Codes:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    joined = column.unify_dictionaries().combine_chunks()
    codes = joined.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return Codes(codes, as_labels(joined.dictionary.to_pylist()), bool(joined.type.ordered))
