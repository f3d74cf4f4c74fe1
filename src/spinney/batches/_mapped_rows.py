"""Training rows on disk: written batch by batch, then mapped and put in bins."""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._growth_planner import Plan, PlannedRows, Round, Truth
from spinney._progress import progress
from spinney._table import BatchEncoder, EncodedTable, Schema, recode
from spinney._target import CodedClasses, check_y
from spinney._typing import Floats
from spinney.tree._tree import Tree

_ROWS = 1 << 20  # that are put in bins at a time
_COPIED = 1 << 31  # bytes of columns that threads may copy at a time to find bins


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


class FileRows(PlannedRows):
    """The encoded rows of a file.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        Mapped.
    schema : Schema
        Its columns.
    folder : Path
        For the file of the bins.
    n_threads : int
        That count rows.
    verbose : int
        Whether to show the levels of a tree.
    """

    def __init__(
        self, values: Floats, schema: Schema, folder: Path, n_threads: int, verbose: int
    ) -> None:
        super().__init__(schema, len(values))
        self._values, self._folder = values, folder
        self._n_threads, self.verbose = n_threads, verbose
        self._table = core_dataset(values, schema)
        self._binned: tuple[int, NDArray[np.bool_], tuple[NDArray[Any], ...]] | None = None
        self._borders: _core.BinBorders

    def put_in_bins(self, used: NDArray[np.bool_], max_bins: int) -> tuple[NDArray[Any], ...]:
        """Put all rows into bins of the used ones, in a file."""
        if self._binned is not None:
            known, rows, arrays = self._binned
            if known == max_bins and np.array_equal(rows, used):
                return arrays
        n_threads = min(self._n_threads, max(1, _COPIED // (16 * self.shape[0])))
        borders = _core.find_borders(self._table, used, max_bins, n_threads)
        self._borders, arrays = borders, borders.arrays()
        n_wide = int(np.count_nonzero(arrays[1] > 255))
        sizes = {"narrow": self.shape[1] - n_wide, "wide": n_wide}
        kinds = {"narrow": np.uint8, "wide": np.uint16}
        self._codes = {
            name: self._file(name, kinds[name], (self.shape[0], size))
            for name, size in sizes.items()
        }
        with progress(self, "rows in bins", self.shape[0]) as finished:
            for begin in range(0, self.shape[0], _ROWS):
                part = core_dataset(self._values[begin : begin + _ROWS], self._schema)
                both = _core.bin_codes(part, borders, self._n_threads)
                for name, codes in zip(("narrow", "wide"), both, strict=True):
                    self._codes[name][begin : begin + _ROWS] = codes
                finished(min(begin + _ROWS, self.shape[0]))
        self._binned = (max_bins, used, arrays)
        return arrays

    def _file(self, name: str, dtype: Any, shape: tuple[int, int]) -> NDArray[Any]:
        if not shape[1]:
            return np.zeros(shape, dtype)
        return np.memmap(self._folder / name, dtype, "w+", shape=shape).view(np.ndarray)

    def begin(self, truth: Truth, trees: list[tuple[_core.Moments, Plan]]) -> Round:
        """Put all rows into the roots of trees."""
        codes = (self._codes["narrow"], self._codes["wide"])
        parts = [
            _core.Part(
                self._table,
                *(*codes, self._borders, moments),
                truth=truth.truth,
                weight=plan.weight,
                times=plan.counts,
                exposure=truth.exposure,
                first_number=0,
                n_threads=self._n_threads,
            )
            for moments, plan in trees
        ]
        return Round([part.start() for part in parts], _Parts(parts).ask)

    def leaves(self, tree: Tree) -> NDArray[np.int32]:
        """Return the leaf of each row."""
        return np.asarray(tree._core.apply(self._values, self._n_threads), np.int32)

    def judged(self, tree: Tree) -> Floats:
        """Return what a tree answers for each row: class codes or numbers."""
        if tree.classes is None:
            return np.asarray(tree._core.predict_values(self._values, self._n_threads)[:, 0])
        return np.asarray(tree._core.predict_labels(self._values, self._n_threads), np.float64)


class _Parts:
    """Holds rows of trees for as long as these grow: no name of its own keeps it alive."""

    def __init__(self, parts: list[_core.Part]) -> None:
        self._parts = parts

    def ask(self, requests: list[bytes | None]) -> Round:
        """Answer requests, one for each tree; None for a tree that is grown."""
        asked = zip(self._parts, requests, strict=True)
        answers = [b"" if one is None else part.answer(one) for part, one in asked]
        return Round(answers, self.ask)


class FileTable(EncodedTable):
    """A table in a file, grown from where it lies."""

    def of_rows(self, used: NDArray[np.bool_]) -> EncodedTable:
        """Return the table without the categories that only other rows hold."""
        rows: FileRows = self.values
        table = EncodedTable(rows._values, self.schema).of_rows(used)
        own = (rows._folder, rows._n_threads, rows.verbose)
        return FileTable(FileRows(table.values, table.schema, *own), table.schema)
