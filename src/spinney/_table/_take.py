"""Rows of any table, as a table of the same library: what learners of every kind are trained on."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from spinney._table._names import column_names, unwrap


def as_rows(X: Any) -> Any:
    """Return a table whose rows can be taken: itself, or an array of a list of rows.

    Parameters
    ----------
    X : table of shape (n_rows, n_columns)
        Of any kind that `spinney._table.encode_table` takes.

    Returns
    -------
    array, data frame or mapping
    """
    X = unwrap(X)
    if isinstance(X, np.ma.MaskedArray):  # what is masked is missing
        numbers = X.dtype.kind in "fiub"
        X = np.ma.filled(X.astype(np.float64 if numbers else object), np.nan if numbers else None)
    if hasattr(getattr(X, "dtypes", None), "items"):
        return _with_native_bytes(X)
    if isinstance(X, np.ndarray) or column_names(X) is not None:
        return X
    array = np.asarray(X)
    # NumPy makes text of the numbers beside a string.
    return np.array(X, dtype=object) if array.dtype.kind in "US" else array


def _with_native_bytes(frame: Any) -> Any:
    """Return a frame of pandas, which cannot take rows of columns in another byte order."""
    foreign = {
        name: dtype.newbyteorder("=")
        for name, dtype in frame.dtypes.items()
        if isinstance(dtype, np.dtype) and not dtype.isnative
    }
    return frame.astype(foreign) if foreign else frame


def take_rows(X: Any, places: NDArray[np.intp]) -> Any:
    """Return some rows, in the given order.

    Parameters
    ----------
    X : array, data frame or mapping
        What `as_rows` returned.
    places : array of int
        Which rows.

    Returns
    -------
    table
        Of the same kind as X.
    """
    if isinstance(X, np.ndarray):
        return X[places]
    if isinstance(X, Mapping):
        return {name: _take(column, places) for name, column in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[places]
    return nw.from_native(X, eager_only=True)[places].to_native()


def _take(column: Any, places: NDArray[np.intp]) -> Any:
    """Return some cells of a column."""
    column = nw.to_native(column, pass_through=True)
    if isinstance(column, list | tuple | range):
        return [column[place] for place in places.tolist()]
    if hasattr(column, "iloc"):
        return column.iloc[places]
    return column.take(places) if hasattr(column, "take") else column[places]


def take_columns(X: Any, places: NDArray[np.int32]) -> Any:
    """Return some columns, in the given order.

    Parameters
    ----------
    X : array or data frame
        What `as_rows` returned.
    places : array of int
        Which columns.

    Returns
    -------
    table
        Of the same kind as X.
    """
    if isinstance(X, np.ndarray):
        return X[:, places]
    if hasattr(X, "iloc"):
        return X.iloc[:, places]
    return nw.from_native(X, eager_only=True)[:, places.tolist()].to_native()


def as_frame(X: Any) -> Any:
    """Return a mapping of columns as a data frame, and any other table unchanged.

    Parameters
    ----------
    X : array, data frame or mapping
        What `as_rows` returned.

    Returns
    -------
    array or data frame
    """
    if not isinstance(X, Mapping):
        return X
    for library in ("pandas", "polars", "pyarrow"):
        if find_spec(library) is not None:
            return nw.from_dict(dict(X), backend=library).to_native()
    raise TypeError(
        "X is a mapping of columns, and learners of other packages take none. Install pandas, or "
        "pass a two-dimensional array."
    )
