"""What a command works on: the features, the target, and what had to be left out.

A bundled set and a CSV file give the same thing, so that everything after this step is written
once. Ordered columns become codes here: no table library need be installed, and the tree gets the
names of the categories back in `_training`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli._csv import read_csv
from spinney._cli._refusal import Refusal, nearest
from spinney._cli._text import plural
from spinney._table._cells import LARGEST_EXACT
from spinney.datasets import list_datasets, load
from spinney.datasets._dataset import Task
from spinney.datasets._read import Column

_MOST_CLASSES = 10  # whole numbers with more values than this are no classes


@dataclass(frozen=True, eq=False)
class Reading:
    """Features and target, without rows that have no target."""

    source: str
    features: tuple[Column, ...]
    target: Column
    task: Task
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target.values)

    @property
    def y(self) -> NDArray[Any]:
        """The target as an estimator takes it."""
        values = self.target.values
        if self.task == "classification" and self.target.is_whole:
            return values.astype(np.int64)
        return values

    @property
    def X(self) -> dict[str, NDArray[Any]]:  # noqa: N802 - scikit-learn's name
        """The features as an estimator takes them; ordered columns as codes."""
        return {column.name: _cells(column) for column in self.features}

    @property
    def gaps(self) -> dict[str, int]:
        """The number of missing cells of each feature that has any."""
        counts = {column.name: int(_missing(column).sum()) for column in self.features}
        return {name: count for name, count in counts.items() if count}


def read_data(
    name: str,
    *,
    target: str | None = None,
    task: Task | None = None,
    drop: Sequence[str] = (),
) -> Reading:
    """Read a bundled set or a file.

    Parameters
    ----------
    name : str
        Name of a bundled set, or path of a CSV file.
    target : str, optional
        The column to predict. Default: that of the bundled set; a file has none.
    task : {"classification", "regression"}, optional
        Default: classes if the target is text or takes at most ten whole numbers.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    Reading
    """
    if name in list_datasets():
        data = load(name, as_="dict")
        columns = [
            Column(n, data.kinds[n], data.data[n], data.categories.get(n, ()))
            for n in data.feature_names
        ]
        columns.append(_target_column(data.target_name, data.target))
        source, target = f"{name} (bundled)", target or data.target_name
        task = task or (data.task if target == data.target_name else None)
    else:
        columns, source = read_csv(_file(name)), name
    return _divide(source, columns, target, task, drop)


def _file(name: str) -> Path:
    path = Path(name)
    if path.is_dir():
        raise Refusal(f"{name!r} is a folder. Give the path of a CSV file.")
    if path.exists():
        return path
    if path.suffix or len(path.parts) > 1:
        raise Refusal(f"there is no file {name!r}.")
    hint = nearest(name, list_datasets()) or " `spinney datasets` lists the names."
    raise Refusal(f"there is no data set and no file {name!r}.{hint}")


def _target_column(name: str, values: NDArray[Any]) -> Column:
    if values.dtype.kind == "f":
        return Column(name, "numeric", values)
    return Column(name, "nominal", values, tuple(sorted(set(values))))


def _divide(
    source: str,
    columns: Sequence[Column],
    target: str | None,
    task: Task | None,
    drop: Sequence[str],
) -> Reading:
    """Part the target from the features; leave out rows without one and columns without use."""
    names = [column.name for column in columns if column.name]
    listed = "The columns are: " + ", ".join(names) + "."
    if target is None:
        raise Refusal(f"say which column to predict with --target. {listed}")
    for name in [target, *drop]:
        if name not in names:
            option = "--target" if name == target else "--drop"
            raise Refusal(f"{option}: no column {name!r}.{nearest(name, names)} {listed}")
    chosen = next(column for column in columns if column.name == target)
    missing = _missing(chosen)
    notes = []
    if missing.any():
        notes.append(f"{plural(int(missing.sum()), 'row')} without {target} dropped")
        columns = [_take(column, ~missing) for column in columns]
        chosen = _take(chosen, ~missing)
    if len(chosen.values) < 2:
        rows = plural(len(chosen.values), "row")
        raise Refusal(f"{rows} with a value of {target!r}: a tree needs at least two.")
    features = []
    for column in columns:
        if column.name == target or column.name in drop:
            continue
        if not column.name:
            notes.append("a column without a name left out")
        elif _is_label(column):
            notes.append(f"{column.name} left out: its text differs in every row")
        else:
            features.append(column)
            if _is_rounded(column):
                notes.append(f"{column.name}: whole numbers beyond 2**53 may be rounded")
    if not features:
        raise Refusal(f"no columns are left to predict {target!r} from.")
    task = task or _guess_task(chosen)
    _check_task(chosen, task)
    return Reading(source, tuple(features), chosen, task, tuple(notes))


def _guess_task(target: Column) -> Task:
    if target.kind != "numeric":
        return "classification"
    few = len(np.unique(target.values)) <= _MOST_CLASSES
    return "classification" if target.is_whole and few else "regression"


def _check_task(target: Column, task: Task) -> None:
    if task == "regression" and target.kind != "numeric":
        raise Refusal(f"{target.name!r} holds text: it cannot be predicted by regression.")
    if task == "classification" and target.kind == "numeric" and not target.is_whole:
        raise Refusal(f"{target.name!r} holds fractions: they cannot be classes.")
    if task == "classification" and len(set(target.values.tolist())) == len(target.values) > 2:
        raise Refusal(f"{target.name!r} has a class of its own for every row: nothing to learn.")


def _missing(column: Column) -> NDArray[np.bool_]:
    if column.kind == "numeric":
        return np.asarray(np.isnan(column.values))
    return np.array([value is None for value in column.values.tolist()], dtype=bool)


def _take(column: Column, rows: NDArray[np.bool_]) -> Column:
    return replace(column, values=column.values[rows])


def _is_label(column: Column) -> bool:
    """Say whether a column names the rows rather than describes them."""
    if column.kind != "nominal":
        return False
    present = column.values[~_missing(column)].tolist()
    return len(present) > 1 and len(set(present)) == len(present)


def _is_rounded(column: Column) -> bool:
    """Say whether a column holds numbers so large that neighbours may have become equal."""
    if column.kind != "numeric":
        return False
    sizes = np.abs(column.values)
    return bool(np.any((sizes > LARGEST_EXACT) & np.isfinite(sizes)))


def occurring(column: Column) -> tuple[str, ...]:
    """Return the categories that some row holds, in their order."""
    present = set(column.values.tolist())
    return tuple(category for category in column.categories if category in present)


def _cells(column: Column) -> NDArray[Any]:
    if column.kind != "ordered":
        return column.values
    codes: dict[Any, float] = {label: float(c) for c, label in enumerate(occurring(column))}
    return np.array([codes.get(label, np.nan) for label in column.values.tolist()])
