"""Rows that vary in two columns and are typical in the others, in the form of a given table."""

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema

Floats = NDArray[np.float64]


class RowMaker:
    """Makes tables like a given one.

    Parameters
    ----------
    X : table
        The table whose form and columns are copied.
    values : array of shape (n_rows, n_columns)
        The same table, encoded.
    schema : Schema
        The kinds of its columns.
    """

    def __init__(self, X: Any, values: Floats, schema: Schema) -> None:
        self._X = X
        kinds = [column.kind for column in schema.columns]
        self._typical = [_typical_row(values[:, j], kind) for j, kind in enumerate(kinds)]

    def rows(self, columns: dict[int, Floats]) -> Any:
        """Return a table with the given columns, and the typical value in the others."""
        n_rows = len(next(iter(columns.values())))
        frame = nw.from_native(self._X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return self._frame(frame, columns, n_rows)
        if isinstance(self._X, Mapping):
            made = {}
            for j, (name, column) in enumerate(self._X.items()):
                cell = np.asarray(column)[[self._typical[j]]]
                made[name] = columns[j] if j in columns else np.repeat(cell, n_rows)
            return made
        table = np.asarray(self._X)
        row = table[self._typical, np.arange(table.shape[1])]
        array = np.tile(row, (n_rows, 1)).astype(object if table.dtype.kind == "O" else float)
        for j, numbers in columns.items():
            array[:, j] = numbers
        return array

    def _frame(self, frame: Any, columns: dict[int, Floats], n_rows: int) -> Any:
        parts = []
        for j, name in enumerate(frame.columns):
            if j in columns:
                part = nw.new_series(name, columns[j], backend=frame.implementation)
            else:
                part = frame[name][[self._typical[j]] * n_rows]
                if frame.implementation.is_pandas():  # the index would be that of one row
                    part = nw.maybe_reset_index(part)
            parts.append(part.to_frame())
        return nw.concat(parts, how="horizontal").to_native()


def _typical_row(column: Floats, kind: str) -> int:
    """Return a row that holds the median of a column of numbers, or else the commonest value."""
    known = np.flatnonzero(np.isfinite(column))
    if not len(known):
        return 0
    if kind == "numeric":
        return int(known[np.argsort(column[known], kind="stable")[(len(known) - 1) // 2]])
    _, first, counts = np.unique(column[known], return_index=True, return_counts=True)
    return int(known[first[counts.argmax()]])
