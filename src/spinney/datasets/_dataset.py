"""Data sets by name: the registry `registry.toml`, the files in `data/`, and what loaders return.

To add a set, put its CSV file (target last, empty cells for missing values) into `data/`, a table
into the registry, and a loader into `_loaders.py`.

The files share one layout: UTF-8, a header row, the target in the last column, and an empty cell
for a missing value. Before the target `time` of lifetimes stands `event`, 1 or 0. The files are
read with the standard library and NumPy only.

| kind    | pandas              | polars           | dict                          |
|---------|---------------------|------------------|-------------------------------|
| numeric | int64 or float64    | Int64 or Float64 | float64 array, NaN if missing |
| ordered | category, ordered   | Enum             | object array of str and None  |
| nominal | category, unordered | String           | object array of str and None  |

Numbers are integers where all are whole and none is missing, except in the dict. A polars Enum has
an order, which is why a nominal column is not one. Class labels are plain strings in every format.
Lifetimes are a frame with the columns event and time, or a structured array with these fields.
"""

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._format import did_you_mean
from spinney.datasets._registry import (
    EVENT,
    FOLDER,
    REGISTRY,
    Entry,
    Kind,
    Task,
    list_datasets,
    natural_key,
)

Format = Literal["pandas", "polars", "dict"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of features, a target, and metadata.

    Attributes
    ----------
    name : str
        Name of the data set.
    data : pandas.DataFrame, polars.DataFrame or dict of str to ndarray
        The features, one column each.
    target : pandas.Series, polars.Series or ndarray
        Class labels (always strings) or numbers, one for each row of `data`. Lifetimes are a frame
        with the columns event and time, or a structured array with these fields.
    target_name : str
        Name of the target column.
    feature_names : tuple of str
        Names of the columns of `data`, in order.
    kinds : dict of str to {"numeric", "ordered", "nominal"}
        The kind of each feature.
    categories : dict of str to tuple of str
        The categories of each ordered and nominal feature: lowest first when ordered, in the
        order of the codes when nominal.
    task : {"classification", "regression", "survival"}
        Task of the target.
    description : str
        Meaning of rows and codes, and caveats.
    citation : str
        Reference to cite.
    licence : str
        Licence, or a note that none is stated.
    exposure : pandas.Series, polars.Series, ndarray or None
        For how much of it the target was counted, as `fit` takes it; None if it is no such count.
    """

    name: str
    data: Any = field(repr=False)
    target: Any = field(repr=False)
    target_name: str
    feature_names: tuple[str, ...] = field(repr=False)
    kinds: dict[str, Kind] = field(repr=False)
    categories: dict[str, tuple[str, ...]] = field(repr=False)
    task: Task
    description: str = field(repr=False)
    citation: str = field(repr=False)
    licence: str
    exposure: Any = field(default=None, repr=False)

    @property
    def X(self) -> Any:  # noqa: N802 - scikit-learn's name
        """Alias of `data`."""
        return self.data

    @property
    def y(self) -> Any:
        """Alias of `target`."""
        return self.target


def load(name: str, as_: Format | None = None) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        A name in `list_datasets()`.
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table: a pandas frame (ordered and nominal columns are categoricals), a
        polars frame (ordered columns are of type Enum, nominal ones plain strings), or a dict
        of one NumPy array for each column. Default: pandas if installed, else the dict.

    Returns
    -------
    Dataset
        The features, the target, and metadata.

    Raises
    ------
    ValueError
        If there is no such data set or format.
    ImportError
        If the library of the format is not installed.

    Examples
    --------
    >>> from spinney.datasets import load
    >>> credit = load("credit_example", as_="dict")
    >>> credit.X["income"][:3].tolist(), credit.y[:3].tolist()
    ([28.0, 32.0, 24.0], ['bad', 'bad', 'bad'])
    >>> credit.kinds["income"], credit.kinds["married"]
    ('numeric', 'nominal')
    """
    entry = _entry(name)
    format_ = _check_format(as_)
    features, target, extra = _read_columns(entry)
    data, labels, beside = _CONVERTERS[format_](features, target, extra)
    return Dataset(
        name=entry.name,
        data=data,
        target=labels,
        target_name=entry.target,
        feature_names=tuple(column.name for column in features),
        kinds={column.name: column.kind for column in features},
        categories={
            column.name: column.categories for column in features if column.kind != "numeric"
        },
        task=entry.task,
        description=entry.description,
        citation=entry.citation,
        licence=entry.licence,
        exposure=beside,
    )


def _entry(name: str) -> Entry:
    if name in REGISTRY:
        return REGISTRY[name]
    hint = did_you_mean(str(name), list_datasets())
    hint = hint or f" The names are: {', '.join(list_datasets())}."
    raise ValueError(f"there is no data set {name!r}.{hint}")


# -- Reading


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: float64 with NaN when numeric, else an object array of str and None."""

    name: str
    kind: Kind
    values: NDArray[Any]
    categories: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the column holds whole numbers only, without gaps."""
        if self.kind != "numeric":
            return False
        return bool(np.all(np.isfinite(self.values) & (self.values == np.floor(self.values))))


def _read_columns(entry: Entry) -> tuple[list[_Column], _Column, _Column | None]:
    """Read the features, the target, and the events or exposures beside it, of a registered set."""
    header, *rows = csv.reader(io.StringIO(_file_text(entry.file), newline=""))
    cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    target_cells = cells.pop(entry.target)
    target_kind: Kind = "nominal" if entry.task == "classification" else "numeric"
    beside = EVENT if entry.task == "survival" else entry.exposure
    extra = None if beside is None else _column(beside, "numeric", cells.pop(beside))
    features = [
        _column(name, entry.kind_of(name), texts, entry.ordered.get(name))
        for name, texts in cells.items()
    ]
    return features, _column(entry.target, target_kind, target_cells), extra


def _file_text(file: str) -> str:
    content = (FOLDER / "data" / file).read_bytes()
    if file.endswith(".gz"):
        content = gzip.decompress(content)
    return content.decode("utf-8")


def _column(
    name: str, kind: Kind, texts: Sequence[str], order: Sequence[str] | None = None
) -> _Column:
    if kind == "numeric":
        numbers = np.array([float(text) if text else np.nan for text in texts], dtype=np.float64)
        return _Column(name, kind, numbers)
    labels = np.array([text or None for text in texts], dtype=object)
    categories = order or sorted({text for text in texts if text}, key=natural_key)
    return _Column(name, kind, labels, tuple(categories))


# -- Conversion

_Converted = tuple[Any, Any, Any]  # features, target, exposures


def _check_format(as_: str | None) -> Format:
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


def _numbers(column: _Column) -> NDArray[Any]:
    return column.values.astype(np.int64) if column.is_whole else column.values


def _to_dict(features: Sequence[_Column], target: _Column, extra: _Column | None) -> _Converted:
    data = {column.name: column.values for column in features}
    if extra is None or extra.name != EVENT:
        return data, target.values, None if extra is None else extra.values
    lifetimes = np.empty(len(target.values), dtype=[(EVENT, bool), (target.name, np.float64)])
    lifetimes[EVENT], lifetimes[target.name] = extra.values, target.values
    return data, lifetimes, None


def _to_pandas(features: Sequence[_Column], target: _Column, extra: _Column | None) -> _Converted:
    import pandas as pd

    def array(column: _Column) -> Any:
        if column.kind == "numeric":
            return _numbers(column)
        ordered = column.kind == "ordered"
        return pd.Categorical(column.values, categories=list(column.categories), ordered=ordered)

    labels = _numbers(target) if target.kind == "numeric" else target.values
    frame = pd.DataFrame({column.name: array(column) for column in features})
    if extra is not None and extra.name == EVENT:
        return frame, pd.DataFrame({EVENT: extra.values == 1, target.name: labels}), None
    beside = None if extra is None else pd.Series(_numbers(extra), name=extra.name)
    return frame, pd.Series(labels, name=target.name), beside


def _to_polars(features: Sequence[_Column], target: _Column, extra: _Column | None) -> _Converted:
    import polars as pl

    def series(column: _Column) -> Any:
        if column.kind == "numeric":
            numbers = pl.Series(column.name, _numbers(column))
            return numbers if column.is_whole else numbers.fill_nan(None)
        dtype = pl.Enum(column.categories) if column.kind == "ordered" else pl.String
        return pl.Series(column.name, column.values.tolist(), dtype=dtype)

    frame = pl.DataFrame([series(column) for column in features])
    if extra is not None and extra.name == EVENT:
        return frame, pl.DataFrame([series(extra) == 1, series(target)]), None
    return frame, series(target), None if extra is None else series(extra)


_CONVERTERS: dict[Format, Callable[[Sequence[_Column], _Column, _Column | None], _Converted]] = {
    "pandas": _to_pandas,
    "polars": _to_polars,
    "dict": _to_dict,
}
