"""Training rows in memory-mapped files of values and bins."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._growth_planner import Plan, PlannedRows, Round, Truth
from spinney._progress import progress
from spinney._table import EncodedTable, Schema
from spinney._typing import Floats
from spinney.tree._tree import Tree

_ROWS = 1 << 20  # that are put in bins at a time
_COPIED = 1 << 31  # bytes of columns that threads may copy at a time to find bins


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
