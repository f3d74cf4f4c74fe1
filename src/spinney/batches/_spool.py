"""Rows on disk: an encoded table and its target, written batch by batch and then mapped."""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from spinney._table import BatchEncoder, EncodedTable, recode
from spinney._target import CodedClasses, check_y
from spinney._typing import Floats


class Spool:
    """Writes arrays behind each other, one file for each name.

    Parameters
    ----------
    folder : Path
        Where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files.values():
            file.close()

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Write an array behind those of the same name."""
        if name not in self._files:
            self._files[name] = open(self._folder / name, "wb")  # noqa: SIM115 - closed by __exit__
        try:
            self._files[name].write(np.ascontiguousarray(values).data)
        except OSError as error:
            raise OSError(
                f"cannot write the rows to {self._folder}: {error.strerror or error}. Give a "
                "folder with more room as `folder`: 8 bytes a cell are needed."
            ) from error

    def map(self, name: str, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return all arrays of a name as one, which stays on disk."""
        self._files[name].flush()
        os.fsync(self._files[name].fileno())  # pages that are written can be dropped at any time
        mapped = np.memmap(self._folder / name, dtype=dtype, mode="r+", shape=shape)
        return mapped.view(np.ndarray)


class RowSpool:
    """The rows of a fit: an encoded table, a target, weights and exposures.

    Parameters
    ----------
    spool : Spool
        Where they are written to.
    categorical_features : object
        Of the estimator.
    estimator_name : str
        For messages.
    classes : bool
        Whether the target is one of classes.
    """

    def __init__(
        self, spool: Spool, categorical_features: Any, estimator_name: str, classes: bool
    ) -> None:
        self._spool, self._name, self._classes = spool, estimator_name, classes
        self._encoder = BatchEncoder(categorical_features, estimator_name)
        self._labels: list[NDArray[Any]] = []  # of each batch, sorted
        self._sizes: list[int] = []  # rows of each batch
        self._columns: set[str] | None = None  # besides the table
        self.n_rows = 0

    def add(self, X: Any, columns: dict[str, Any]) -> None:
        """Write the rows of a batch; one without rows is passed over."""
        n_rows = _n_rows(X)
        if n_rows == 0:
            return
        values = self._encoder.encode(X)
        if self._columns is None:
            self._columns = set(columns)
        if self._columns != set(columns):
            raise ValueError("all batches must have weights, or none. Give every batch a weight.")
        y = check_y(columns["target"], n_rows, self._name)
        if self._classes:
            coded = CodedClasses.of(y)
            self._labels.append(coded.labels)
            self._spool.append("target", coded.codes.astype(np.int32))
        else:
            self._spool.append("target", _numbers("the target", y, n_rows))
        for name in self._columns - {"target"}:
            self._spool.append(name, _numbers(name, columns[name], n_rows))
        self._spool.append("values", values)
        self._sizes.append(n_rows)
        self.n_rows += n_rows

    def finish(self) -> tuple[EncodedTable, Any, dict[str, Floats]]:
        """Return the table, the target, and weights and exposures by name."""
        if not self.n_rows or self._columns is None:
            raise ValueError("batches hold no rows: Found array with 0 sample(s).")
        schema, places = self._encoder.finish()
        values = self._spool.map("values", np.float64, (self.n_rows, len(schema.columns)))
        for j, numbers in enumerate(places):
            if len(numbers):
                recode(values, j, numbers)
        rest = {
            name: self._spool.map(name, np.float64, (self.n_rows,))
            for name in self._columns - {"target"}
        }
        return EncodedTable(values, schema), self._target(), rest

    def _target(self) -> Any:
        if not self._classes:
            return self._spool.map("target", np.float64, (self.n_rows,))
        codes = self._spool.map("target", np.int32, (self.n_rows,))
        parts = np.split(codes, np.cumsum(self._sizes)[:-1])
        return CodedClasses.join(list(zip(self._labels, parts, strict=True)))


def _n_rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def _numbers(name: str, column: Any, n_rows: int) -> Floats:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, got text or objects.") from None
    if numbers.shape != (n_rows,):
        raise ValueError(
            f"{name} of a batch has shape {numbers.shape}, expected one number a row: ({n_rows},)."
        )
    return numbers
