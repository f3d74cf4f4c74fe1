"""The same table in every library: each maker takes a dict of lists."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


def object_array(columns: dict[str, list[Any]]) -> np.ndarray:
    """Return a two-dimensional array of objects, which has no names."""
    array = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
    for j, cells in enumerate(columns.values()):
        array[:, j] = cells
    return array


NAMED: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "mapping": dict,
}
MAKERS = {"numpy": object_array} | NAMED
