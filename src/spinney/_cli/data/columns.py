"""A column of a table as the commands hand it on, and what is asked of columns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli._refusal import Refusal
from spinney.datasets._dataset import Kind


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Parameters
    ----------
    name : str
        Its name, which may be empty.
    kind : {"numeric", "ordered", "nominal"}
        What it is taken for.
    cells : ndarray
        float64 with NaN for a gap if it is numeric, else codes: places in `categories`, -1 for a
        gap.
    categories : tuple of str, default=()
        The labels in order. One that is ordered may list labels that no cell holds.
    """

    name: str
    kind: Kind
    cells: NDArray[Any]
    categories: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def values(self) -> NDArray[Any]:
        """The cells as a reader of the file would write them: numbers, or labels and None."""
        if self.kind == "numeric":
            return self.cells
        labels: NDArray[Any] = self._labels[self.cells]  # the code of a gap, -1, is the last place
        return labels

    @cached_property
    def _labels(self) -> NDArray[Any]:
        labels = np.empty(len(self.categories) + 1, dtype=object)
        labels[:-1] = self.categories
        return labels

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each row has no value."""
        return np.isnan(self.cells) if self.kind == "numeric" else self.cells < 0

    @property
    def is_whole(self) -> bool:
        """Whether the column holds whole numbers only, without gaps."""
        if self.kind != "numeric":
            return False
        return bool(np.all(np.isfinite(self.cells) & (self.cells == np.floor(self.cells))))

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of cells of each category."""
        return np.bincount(self.cells[self.cells >= 0], minlength=len(self.categories))

    def take(self, rows: NDArray[np.bool_]) -> "Column":
        """Return some rows of the column."""
        return replace(self, cells=self.cells[rows])


class DoubtError(Exception):
    """A fast reader refuses a file, or may read it otherwise than it is meant."""


def check_names(where: str, names: Iterable[str]) -> None:
    """Refuse two columns of one name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise Refusal(f"{where}: two columns are called {name!r}. Rename one of them.")


@dataclass(frozen=True)
class TextFormat:
    """How a file writes gaps, numbers and letters, as far as the user says so."""

    na: Sequence[str] = ()  # texts that mean a gap, beside the usual ones
    encoding: str | None = None  # None for UTF-8
    numeric: Sequence[str] = ()  # columns of numbers with signs, units, thousands separators
    decimal: str | None = None  # None for a point, and for a comma beside semicolons

    def options(self) -> list[tuple[str, Sequence[str]]]:
        """Return the options of a command that say the same, each with its values."""
        return [
            ("--na", self.na),
            ("--encoding", [self.encoding] if self.encoding is not None else []),
            ("--numeric", self.numeric),
            ("--decimal", [self.decimal] if self.decimal is not None else []),
        ]


@dataclass(frozen=True)
class Wanted:
    """What the user, or a model, says about columns."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: frozenset[str] | None = None  # columns that matter; None for all
    without: frozenset[str] = frozenset()  # columns that do not
    strict: bool = True  # refuse types that no tree can learn from; otherwise they are text
    text: TextFormat = field(default_factory=TextFormat)

    def kind_of(self, name: str) -> Kind | None:
        """Return the kind that a column must have; None if its cells decide."""
        return "ordered" if name in self.orders else self.kinds.get(name)

    def wants(self, name: str) -> bool:
        """Say whether a column matters."""
        return name not in self.without and (self.only is None or name in self.only)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The columns of a file that matter, what was strange about them, and the names of others."""

    columns: list[Column]
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
