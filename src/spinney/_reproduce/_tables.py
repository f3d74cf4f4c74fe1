"""Bundled tables as the experiments take them: the same with and without a table library."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._table import CodedLabels
from spinney.datasets import load

__all__ = ["Rows", "bundled", "housing_by_rad", "housing_by_value"]


class Rows(NamedTuple):
    """Columns by name, and what is to be predicted."""

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
