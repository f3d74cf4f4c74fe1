"""One column of pandas, polars or Arrow to numbers or codes.

Numbers and booleans are read through narwhals, alike for all libraries. Codes come from each
library's own call, which is native code and knows the categories of its own types. A library is
imported only when its column is at hand.
"""

from typing import Any

import narwhals as nw
import numpy as np

from spinney._table._arrays import read_array, read_objects
from spinney._table._cells import Cells, Codes, Numbers, as_labels, dates_error, nested_error

_INTEGERS = (nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt64, nw.UInt32, nw.UInt16, nw.UInt8)
_FLOATS = (nw.Float64, nw.Float32)
_OTHER_NUMBERS = (nw.Decimal, nw.Int128, nw.UInt128)
_LABELS = (nw.String, nw.Categorical, nw.Enum)
_NESTED = (nw.List, nw.Array, nw.Struct)
_DATES = (
    (nw.Datetime, "datetime64"),
    (nw.Date, "datetime64"),
    (nw.Duration, "timedelta64"),
)


def read_series(column: Any, name: str, *, as_category: bool) -> Cells:
    """Read a pandas or polars series or an Arrow array."""
    native = getattr(column, "dtype", None)  # pandas; in polars something else, in Arrow nothing
    if hasattr(native, "pyarrow_dtype"):  # pandas over Arrow
        return read_series(column.array.__arrow_array__(), name, as_category=as_category)
    if isinstance(native, np.dtype) and not (native.kind in "mM" and as_category):
        return read_array(
            column.to_numpy(), name, as_category=as_category, booleans_are_numbers=False
        )
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
    if hasattr(column, "cat"):
        labels = as_labels(column.cat.categories.tolist())
        return Codes(column.cat.codes.to_numpy(), labels, bool(column.cat.ordered))
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
