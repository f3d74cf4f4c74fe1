"""Recognise a table and give uniform access to its columns.

Shapes and names are checked here, shapes with scikit-learn's messages; cells are not read.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from spinney._table._cells import Cells, CodedLabels, to_float64
from spinney._table._names import column_names, string_names, unwrap
from spinney._table._readers import read_array, read_objects, read_series
from spinney._typing import Floats


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table whose shape and names have been checked.

    Either `block` holds all the columns as one array of numbers, or `columns` holds them one by
    one in their library's own type. `is_plain` marks an array, in which booleans are numbers.
    """

    shape: tuple[int, int]
    given_names: NDArray[Any] | None = None
    block: NDArray[Any] | None = None
    columns: Sequence[Any] = ()
    is_plain: bool = False

    def name(self, j: int) -> str:
        """Return the name of a column, made up if the table has none."""
        return f"x{j}" if self.given_names is None else str(self.given_names[j])

    def names(self) -> list[str]:
        """Return the names of all columns."""
        return [self.name(j) for j in range(self.shape[1])]

    def read(self, j: int, *, as_category: bool) -> Cells:
        """Read one column."""
        column = self.columns[j] if self.block is None else self.block[:, j]
        if isinstance(column, CodedLabels):
            return column.cells()
        if not isinstance(column, np.ndarray | list):
            return read_series(column, self.name(j), as_category=as_category)
        reader: Any = read_objects if isinstance(column, list) else read_array
        cells: Cells = reader(
            column, self.name(j), as_category=as_category, booleans_are_numbers=self.is_plain
        )
        return cells

    def float_block(self) -> Floats:
        """Return the block as float64: the same memory if it is so already."""
        assert self.block is not None
        mask = np.ma.getmask(self.block)
        block = np.ma.getdata(self.block)
        if mask is np.ma.nomask:
            return to_float64(block, self.names())
        block = np.where(mask, block.dtype.type(0), block)
        return np.where(mask, np.nan, to_float64(block, self.names()))


def open_table(X: Any, estimator_name: str | None = None) -> OpenTable:
    """Recognise a table.

    Parameters
    ----------
    X : table
        A two-dimensional array or array-like, a pandas, polars or Arrow table, or a mapping of
        column names to one-dimensional arrays.
    estimator_name : str, default=None
        The estimator to name in error messages.

    Returns
    -------
    OpenTable
        With at least one row and one column.
    """
    X = unwrap(X)
    names = column_names(X)
    if names is None:
        return _open_array(X, estimator_name)
    _check_unique(names)
    table = _open_mapping(X, names) if isinstance(X, Mapping) else _open_frame(X, names)
    if 0 in table.shape:
        check_array(np.empty(table.shape), estimator=estimator_name)
    return table


def _open_array(X: Any, estimator_name: str | None) -> OpenTable:
    _refuse_lazy_and_structured(X)
    mask = np.ma.getmask(X)
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        X = np.array(X, dtype=object)  # NumPy makes text of the numbers beside a string
    array = check_array(
        X, dtype=None, ensure_all_finite=False, estimator=estimator_name, input_name="X"
    )
    if mask is not np.ma.nomask:
        array = np.ma.MaskedArray(array, mask)
    if array.dtype.kind in "biuf":
        return OpenTable(array.shape, block=array, is_plain=True)
    return OpenTable(array.shape, columns=list(array.T), is_plain=True)


def _refuse_lazy_and_structured(X: Any) -> None:
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise TypeError(
            f"X must hold its rows, got a lazy table ({type(X).__name__}). Call collect() first."
        )
    fields = getattr(getattr(X, "dtype", None), "names", None)
    if fields:
        raise ValueError(
            f"X must be a two-dimensional array, got a structured array with the fields {fields}. "
            "Pass a mapping of names to columns: {name: X[name] for name in X.dtype.names}."
        )


def _open_frame(X: Any, names: list[Any]) -> OpenTable:
    valid = string_names(names)
    if nw.dependencies.is_pandas_dataframe(X):
        if names and all(dtype == np.float64 for dtype in X.dtypes):
            return OpenTable(X.shape, valid, block=X.to_numpy())
        return OpenTable(X.shape, valid, columns=[column for _, column in X.items()])
    if nw.dependencies.is_polars_dataframe(X):
        return OpenTable(X.shape, valid, columns=X.get_columns())
    if nw.dependencies.is_pyarrow_table(X):
        return OpenTable(X.shape, valid, columns=X.columns)
    # modin, cuDF and whatever else narwhals can hand over
    return _open_frame(nw.from_native(X, eager_only=True).to_pandas(), names)


def _open_mapping(X: Mapping[Any, Any], names: list[Any]) -> OpenTable:
    columns = [_one_dimensional(X[name], name) for name in names]
    lengths = [len(column) for column in columns]
    for name, length in zip(names, lengths, strict=True):
        if length != lengths[0]:
            raise ValueError(
                f"columns must have the same length, but column {names[0]!r} has {lengths[0]} "
                f"rows and column {name!r} has {length}."
            )
    return OpenTable(
        (lengths[0] if lengths else 0, len(columns)), string_names(names), columns=columns
    )


def _one_dimensional(column: Any, name: object) -> Any:
    """Return a column of a mapping as a list, an array or a series of its library."""
    if isinstance(column, CodedLabels | list):
        return column
    if isinstance(column, tuple | range):
        return list(column)
    series = None if isinstance(column, np.ndarray) else _series(column)
    if series is not None:
        return series
    array = np.asanyarray(column)  # a masked array stays one
    if array.ndim != 1:
        raise ValueError(
            f"column {name!r} must be one-dimensional, got an array of shape {array.shape}. "
            "Give each column a name of its own."
        )
    return array


def _series(column: Any) -> Any:
    """Return a series of a library, or one made of its index or array; None for anything else."""
    column = nw.to_native(column, pass_through=True)
    pandas, pyarrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if nw.dependencies.is_into_series(column):
        return column
    if pandas is not None and isinstance(
        column, pandas.Index | pandas.api.extensions.ExtensionArray
    ):
        return pandas.Series(column)
    if pyarrow is not None and isinstance(column, pyarrow.Array):
        return pyarrow.chunked_array([column])
    return None


def _check_unique(names: list[Any]) -> None:
    first: dict[Any, int] = {}
    for position, name in enumerate(names):
        if name in first:
            raise ValueError(
                f"column names must be unique, but columns {first[name]} and {position} are both "
                f"called {name!r}. Rename one of them."
            )
        first[name] = position
