"""From typed columns to the table the caller asked for; one class for each format.

| kind    | pandas              | polars           | dict                          |
|---------|---------------------|------------------|-------------------------------|
| numeric | int64 or float64    | Int64 or Float64 | float64 array, NaN if missing |
| ordered | category, ordered   | Enum             | object array of str and None  |
| nominal | category, unordered | String           | object array of str and None  |

Numbers are integers where all are whole and none is missing, except in the dict. A polars Enum
has an order of its own, which is why a nominal column is not one. Class labels are plain strings
in every format.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._dataset import Format
from ._read import Column

__all__ = ["check_format", "convert"]


def check_format(as_: str | None) -> Format:
    """Return the format to use: the one named, or else the best that is installed."""
    if as_ is None:
        return "pandas" if find_spec("pandas") else "dict"
    if as_ not in _CONVERTERS:
        raise ValueError(f"as_ must be 'pandas', 'polars', 'dict' or None, got {as_!r}.")
    if as_ != "dict" and find_spec(as_) is None:
        raise ImportError(
            f"as_={as_!r} needs {as_}, which is not installed. "
            "Install it, or use as_='dict' for NumPy arrays."
        )
    return as_


def convert(features: Sequence[Column], target: Column, as_: Format) -> tuple[Any, Any]:
    """Return the table of features and the target in the given format."""
    return _CONVERTERS[as_](features, target)


def _numbers(column: Column) -> NDArray[Any]:
    return column.values.astype(np.int64) if column.is_whole else column.values


def _to_dict(features: Sequence[Column], target: Column) -> tuple[Any, Any]:
    return {column.name: column.values for column in features}, target.values


def _to_pandas(features: Sequence[Column], target: Column) -> tuple[Any, Any]:
    import pandas as pd

    def array(column: Column) -> Any:
        if column.kind == "numeric":
            return _numbers(column)
        ordered = column.kind == "ordered"
        return pd.Categorical(column.values, categories=list(column.categories), ordered=ordered)

    labels = _numbers(target) if target.kind == "numeric" else target.values
    frame = pd.DataFrame({column.name: array(column) for column in features})
    return frame, pd.Series(labels, name=target.name)


def _to_polars(features: Sequence[Column], target: Column) -> tuple[Any, Any]:
    import polars as pl

    def series(column: Column) -> Any:
        if column.kind == "numeric":
            numbers = pl.Series(column.name, _numbers(column))
            return numbers if column.is_whole else numbers.fill_nan(None)
        dtype = pl.Enum(column.categories) if column.kind == "ordered" else pl.String
        return pl.Series(column.name, column.values.tolist(), dtype=dtype)

    return pl.DataFrame([series(column) for column in features]), series(target)


_CONVERTERS: dict[Format, Callable[[Sequence[Column], Column], tuple[Any, Any]]] = {
    "pandas": _to_pandas,
    "polars": _to_polars,
    "dict": _to_dict,
}
