"""Encoding: a table to an array of numbers and a schema, and further tables by that schema."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._table._cells import (
    Codes,
    Numbers,
    codes_to_numbers,
    is_followable,
    mixed_error,
    numbers_to_codes,
    numbers_to_float64,
)
from spinney._table._names import (
    check_columns,
    check_count,
    check_names,
    feature_names,
    nominal_mask,
)
from spinney._table._open import OpenTable, open_table
from spinney._table._schema import Column, Kind, Label, Schema, numeric_schema
from spinney._typing import Floats
from spinney._warnings import warn_user

_MOST_LABELS_SHOWN = 5
_FLOAT64 = np.dtype(np.float64)


def encode_table(
    X: Any,
    *,
    categorical_features: Any = "from_dtype",
    used_rows: ArrayLike | None = None,
    estimator_name: str | None = None,
) -> tuple[Floats, Schema]:
    """Encode the table of fit.

    Parameters
    ----------
    X : table of shape (n_rows, n_columns)
        A two-dimensional array, a pandas, polars or Arrow table, or a mapping of column names to
        one-dimensional arrays.
    categorical_features : "from_dtype", None, or array-like of str, int or bool
        Columns to treat as nominal, besides those of a categorical type. None accepts numeric
        columns only: a column of strings is an error.
    used_rows : array-like of bool of shape (n_rows,), default=None
        Rows to use. Categories that occur in other rows only are not in the vocabulary.
    estimator_name : str, default=None
        The estimator to name in error messages.

    Returns
    -------
    values : ndarray of float64, of shape (n_rows, n_columns)
        Numbers and category codes; NaN is missing. A float64 array is returned as it is.
    schema : Schema
        The columns.
    """
    no_names = categorical_features is None or (
        isinstance(categorical_features, str) and categorical_features == "from_dtype"
    )
    if no_names and _is_float_array(X):
        return X, numeric_schema(X.shape[1])
    table = open_table(X, estimator_name)
    nominal = nominal_mask(categorical_features, table)
    has_names = table.given_names is not None
    if table.block is not None and not nominal.any():
        columns = [Column(name, "numeric") for name in table.names()]
        return table.float_block(), Schema(tuple(columns), has_names)
    rows = _checked_rows(used_rows, table.shape[0])
    values = np.empty(table.shape, order="F")
    columns = []
    for j in range(table.shape[1]):
        if categorical_features is None:
            column = Column(table.name(j), "numeric")
            values[:, j] = _numeric(table, j, "categorical_features=None takes numbers only.")
        else:
            column, values[:, j] = _learn(table, j, bool(nominal[j]), rows)
        columns.append(column)
    return values, Schema(tuple(columns), has_names)


def encode_for(
    owner: str, schema: Schema, X: Any, *, unseen: Literal["missing", "error"] = "missing"
) -> Floats:
    """Encode a table for a tree or rules, with columns matched by position or name.

    Parameters
    ----------
    owner : str
        What to name in messages, such as "the tree".
    schema : Schema
        Its columns. Names are checked where both sides have them.
    X : table of shape (n_rows, n_columns)
        Of any kind that `encode_table` takes.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories that the schema does not contain.

    Returns
    -------
    ndarray of float64, of shape (n_rows, n_columns)
    """
    if schema.has_names and feature_names(X) is not None:
        check_columns(schema, X, estimator_name=owner)
    return encode_with(schema, X, unseen=unseen)


def encode_with(
    schema: Schema,
    X: Any,
    *,
    unseen: Literal["missing", "error"] = "missing",
    estimator_name: str | None = None,
) -> Floats:
    """Encode a table by the schema of another.

    Parameters
    ----------
    schema : Schema
        What `encode_table` returned in fit.
    X : table of shape (n_rows, n_columns)
        Of any kind that `encode_table` takes, not only the kind it was given.
    unseen : {"missing", "error"}, default="missing"
        How to treat unseen categories.
    estimator_name : str, default=None
        The estimator to name in messages. If it is given, the names of the columns are checked
        as by `check_columns`; otherwise only their number.

    Returns
    -------
    ndarray of float64, of shape (n_rows, n_columns)
        Numbers and category codes; NaN is missing.
    """
    if unseen not in ("missing", "error"):
        raise ValueError(f"unseen must be 'missing' or 'error', got {unseen!r}.")
    if _is_float_array(X) and schema.all_numeric and not schema.has_names:
        check_count(schema, X.shape[1], estimator_name or "the model")
        plain: Floats = X
        return plain
    table = open_table(X, estimator_name)
    if estimator_name is not None:
        check_names(schema, table.given_names, estimator_name)
    check_count(schema, table.shape[1], estimator_name or "the model")
    if table.block is not None and schema.all_numeric:
        return table.float_block()
    values = np.empty(table.shape, order="F")
    for j, column in enumerate(schema.columns):
        if column.kind == "numeric":
            values[:, j] = _numeric(table, j, "It held numbers in fit.")
        else:
            values[:, j] = _apply(column, _codes(table, j), unseen)
    return values


def _is_float_array(X: Any) -> bool:
    """Return whether X is an array that needs no encoding."""
    is_table = type(X) is np.ndarray and X.dtype == _FLOAT64 and X.ndim == 2 and X.size > 0
    return is_table and is_followable(X)


def _checked_rows(used_rows: ArrayLike | None, n_rows: int) -> NDArray[np.bool_] | None:
    if used_rows is None:
        return None
    rows = np.asarray(used_rows)
    if rows.dtype != np.bool_ or rows.shape != (n_rows,):
        raise ValueError(
            f"used_rows must be a boolean array of shape ({n_rows},), got {rows.dtype} of shape "
            f"{rows.shape}."
        )
    return rows


def numeric_cells(table: OpenTable, j: int, remedy: str) -> Numbers:
    """Read a column that must hold numbers."""
    cells = table.read(j, as_category=False)
    if isinstance(cells, Codes):
        return Numbers(codes_to_numbers(cells, table.name(j), remedy))
    return cells


def _numeric(table: OpenTable, j: int, remedy: str) -> Floats:
    return numbers_to_float64(numeric_cells(table, j, remedy), table.name(j))


def _codes(table: OpenTable, j: int) -> Codes:
    cells = table.read(j, as_category=True)
    return cells if isinstance(cells, Codes) else numbers_to_codes(cells)


def _learn(
    table: OpenTable, j: int, nominal: bool, rows: NDArray[np.bool_] | None
) -> tuple[Column, Floats]:
    """Determine the kind and vocabulary of a column, and encode it."""
    name = table.name(j)
    cells = _codes(table, j) if nominal else table.read(j, as_category=False)
    if not isinstance(cells, Codes):
        return Column(name, "numeric"), numbers_to_float64(cells, name)
    kind: Kind = "ordered" if cells.ordered and not nominal else "nominal"
    labels: list[Any] = cells.occurring(rows)
    if len({isinstance(label, str) for label in labels}) > 1:
        raise mixed_error(name, sorted({type(label).__name__ for label in labels}))
    if kind == "nominal":
        # Sorted, so that neither the order of the rows nor that of a categorical type matters.
        labels.sort()
    column = Column(name, kind, tuple(labels))
    return column, cells.replace({label: float(code) for code, label in enumerate(labels)})


def _apply(column: Column, cells: Codes, unseen: str) -> Floats:
    """Encode a column of categories by the vocabulary of fit."""
    numbers: dict[Label, float] = {}
    unknown: list[Label] = []
    for label in cells.occurring():
        code = column.code_of(label)
        if code is None:
            unknown.append(label)
        else:
            numbers[label] = float(code)
    if unknown:
        shown = ", ".join(map(repr, unknown[:_MOST_LABELS_SHOWN]))
        more = len(unknown) - _MOST_LABELS_SHOWN
        what = (
            f"column {column.name!r} holds categories that fit did not see: {shown}"
            f"{f' and {more} more' if more > 0 else ''}."
        )
        if unseen == "error":
            raise ValueError(
                f"{what} Fit with rows that hold them, or use unseen='missing' to treat them as "
                "missing."
            )
        warn_user(f"{what} They are treated as missing; use unseen='error' to refuse them.")
    return cells.replace(numbers)
