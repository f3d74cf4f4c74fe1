"""A column of a table, and what the user or a model requires of columns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spinney._cli.errors import Refusal
from spinney.datasets._registry import Kind


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Parameters
    ----------
    name : str
        Name, which may be empty.
    kind : {"numeric", "ordered", "nominal"}
        Kind of the column.
    cells : ndarray
        float64 with NaN for missing values if numeric, else codes: indices into `categories`, -1
        for missing values.
    categories : tuple of str, default=()
        The labels in order. An ordered column may list labels that no cell holds.
    """

    name: str
    kind: Kind
    cells: NDArray[Any]
    categories: tuple[str, ...] = ()

    @classmethod
    def of_labels(
        cls, name: str, kind: Kind, labels: Iterable[str | None], categories: Sequence[str]
    ) -> Self:
        """Return a column of labels; those that are not in `categories` are missing."""
        codes: dict[str | None, int] = {label: k for k, label in enumerate(categories)}
        cells = np.array([codes.get(label, -1) for label in labels], dtype=np.int32)
        return cls(name, kind, cells, tuple(categories))

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def values(self) -> NDArray[Any]:
        """The cells as numbers, or as labels and None."""
        if self.kind == "numeric":
            return self.cells
        labels = np.array([*self.categories, None], dtype=object)  # -1 is the last place
        return np.asarray(labels[self.cells])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the missing cells."""
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
    """The fast reader fails, or might misread a file."""


def check_names(where: str, names: Iterable[str]) -> None:
    """Refuse two columns of one name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise Refusal(f"{where}: two columns are called {name!r}. Rename one of them.")


@dataclass(frozen=True)
class TextFormat:
    """How missing values, numbers and characters are written in a file."""

    na: Sequence[str] = ()  # texts that mean a gap, beside the usual ones
    encoding: str | None = None  # None for UTF-8
    numeric: Sequence[str] = ()  # columns of numbers with signs, units, thousands separators
    decimal: str | None = None  # None for a point, and for a comma beside semicolons
    remembered: frozenset[tuple[str, str]] = frozenset()  # options that nobody repeated

    def options(self) -> list[tuple[str, Sequence[str]]]:
        """Return the equivalent command line options, each with its values."""
        return [
            ("--na", self.na),
            ("--encoding", [self.encoding] if self.encoding is not None else []),
            ("--numeric", self.numeric),
            ("--decimal", [self.decimal] if self.decimal is not None else []),
        ]


@dataclass(frozen=True)
class Wanted:
    """What the user, or a model, requires of columns."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: frozenset[str] | None = None  # columns that are needed; None for all
    without: frozenset[str] = frozenset()  # columns that are not
    strict: bool = True  # refuse types that no tree can learn from; otherwise they are text
    text: TextFormat = field(default_factory=TextFormat)

    def kind_of(self, name: str) -> Kind | None:
        """Return the kind that a column must have; None if its cells decide."""
        return "ordered" if name in self.orders else self.kinds.get(name)

    def wants(self, name: str) -> bool:
        """Return whether a column is needed."""
        return name not in self.without and (self.only is None or name in self.only)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The columns that were read from a file, notes about them, and the names of the others."""

    columns: list[Column]
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    decimal_comma: bool = False  # whether its numbers have one
