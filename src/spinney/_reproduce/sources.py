"""Inputs of the experiments: published tables, and bundled data without a table library."""

import csv
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._table import CodedLabels
from spinney.datasets import load

_KINDS: tuple[Callable[[str], Any], ...] = (int, float)


class Rows(NamedTuple):
    """Columns by name, and the target."""

    X: dict[str, Any]
    y: NDArray[Any]

    def take(self, places: NDArray[np.intp] | slice | Sequence[int]) -> "Rows":
        """Return some of the rows."""
        return Rows({name: column[places] for name, column in self.X.items()}, self.y[places])

    @property
    def n_classes(self) -> int:
        """Number of distinct labels."""
        return len(np.unique(self.y))


@cache
def bundled(name: str) -> Rows:
    """Return a bundled data set; categories that have an order keep it."""
    data = load(name, as_="dict")
    columns = {
        column: CodedLabels.of(values, data.categories[column])
        if data.kinds[column] == "ordered"
        else values
        for column, values in data.X.items()
    }
    return Rows(columns, np.asarray(data.y))


def housing_by_rad() -> Rows:
    """Return Boston housing with the nine values of `rad` as classes, the rest as predictors."""
    X, value = bundled("boston_housing")
    others = {name: column for name, column in X.items() if name != "rad"}
    classes = np.array([f"{number:g}" for number in X["rad"]], dtype=object)
    return Rows({**others, "medv": np.asarray(value, dtype=np.float64)}, classes)


def housing_by_value() -> Rows:
    """Return Boston housing with `medv` in nine bins of width 5: 5 to 10, above 10 to 15, ..."""
    X, value = bundled("boston_housing")
    place = np.maximum(np.ceil((np.asarray(value, dtype=np.float64) - 5.0) / 5.0), 1.0)
    return Rows(X, np.array([f"{number:g}" for number in place], dtype=object))


def published(table: str) -> list[dict[str, Any]]:
    """Return the rows of a published table, numbers as numbers.

    Parameters
    ----------
    table : str
        Name of the file in `published`, without its suffix.

    Returns
    -------
    list of dict
        An empty cell is None.
    """
    file = files("spinney._reproduce") / "published" / f"{table}.csv"
    with file.open(encoding="utf-8") as lines:
        return [{name: _value(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]


def _value(cell: str) -> Any:
    if not cell:
        return None
    for kind in _KINDS:
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell
