"""Encoding of a table that comes in batches: the same array and schema, whatever the batches.

Rows that are stored outside this process stay there: their owner grows the trees.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._table._cells import Cells, Codes, mixed_error, numbers_to_codes, numbers_to_float64
from spinney._table._encode import numeric_cells
from spinney._table._names import nominal_mask
from spinney._table._open import OpenTable, open_table
from spinney._table._schema import Column, Kind, Label, Schema
from spinney._typing import Floats

if TYPE_CHECKING:
    from spinney._target import FitTarget
    from spinney.tree._learner import RowSplit


_ROWS = 1 << 16  # that are put right at a time


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """A table that is encoded already: `fit` uses it without encoding it.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        Numbers and category codes; NaN is missing. It may be changed by a fit.
    schema : Schema
        Its columns.
    """

    values: Any
    schema: Schema

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def of_rows(self, used: NDArray[np.bool_]) -> "EncodedTable":
        """Return the table without the categories that only other rows hold."""
        columns = list(self.schema.columns)
        for j, column in enumerate(columns):
            if column.kind == "numeric":
                continue
            seen = _seen_codes(self.values, j, len(column.categories), used)
            kept = tuple(
                label for label, is_seen in zip(column.categories, seen, strict=True) if is_seen
            )
            recode(self.values, j, np.where(seen, np.cumsum(seen) - 1.0, np.nan))
            columns[j] = Column(column.name, column.kind, kept)
        return EncodedTable(self.values, Schema(tuple(columns), self.schema.has_names))


def _seen_codes(values: Floats, j: int, n: int, used: NDArray[np.bool_]) -> NDArray[np.bool_]:
    seen = np.zeros(n, dtype=bool)
    for begin in range(0, len(values), _ROWS):
        codes = values[begin : begin + _ROWS, j][used[begin : begin + _ROWS]]
        seen[codes[~np.isnan(codes)].astype(np.intp)] = True
    return seen


def recode(values: Floats, j: int, numbers: Floats) -> None:
    """Replace the codes of a column, in place; those without a number become missing."""
    if np.array_equal(numbers, np.arange(len(numbers))):
        return
    table = np.append(numbers, np.nan)
    for begin in range(0, len(values), _ROWS):
        cells = values[begin : begin + _ROWS, j]
        places = np.where(np.isnan(cells), len(numbers), cells).astype(np.intp)
        values[begin : begin + _ROWS, j] = table[places]


@dataclass(eq=False)
class _Column:
    """What is known of a column so far."""

    name: str
    numbers: bool = False  # it holds some
    codes: dict[Label, int] | None = None  # of the categories, in order of appearance
    seen: set[Label] = field(default_factory=set)
    ordered: bool = False

    def take(self, cells: Cells) -> Floats:
        """Encode the cells of a batch."""
        if not isinstance(cells, Codes):
            values = numbers_to_float64(cells, self.name)
            if self.codes is None and not self.numbers:
                self.numbers = not bool(np.isnan(values).all())
            elif self.codes is not None and not np.isnan(values).all():
                raise self._changed("numbers", "categories")
            return values
        if self.numbers and cells.occurring():
            raise self._changed("categories", "numbers")
        return self._take_codes(cells)

    def _take_codes(self, cells: Codes) -> Floats:
        if self.codes is None:
            self.codes, self.ordered = {}, cells.ordered
        elif cells.ordered != self.ordered:
            raise self._changed(
                *(("ordered", "unordered") if cells.ordered else ("unordered", "ordered"))
            )
        labels = [label for label in cells.labels if label is not None]
        known = [self.codes[label] for label in labels if label in self.codes]
        if self.ordered and known != sorted(known):
            raise ValueError(
                f"column {self.name!r} has its ordered categories in another order than in the "
                "batches before. Give all batches the same type."
            )
        for label in labels:
            self.codes.setdefault(label, len(self.codes))
        self.seen.update(cells.occurring())
        return cells.replace({label: float(self.codes[label]) for label in labels})

    def join(self, other: "_Column") -> None:
        """Take in what is known of the same column in later rows."""
        if (self.numbers and other.seen) or (other.numbers and self.seen):
            raise self._changed(*(("categories", "numbers")[:: 1 if self.numbers else -1]))
        self.numbers = self.numbers or other.numbers
        if other.codes is not None:
            cells = Codes(np.zeros(0, np.int64), list(other.codes), other.ordered)
            self._take_codes(cells)
            self.seen |= other.seen

    def places(self, column: Column) -> Floats:
        """Return the place of each code in a vocabulary."""
        place = {label: float(code) for code, label in enumerate(column.categories)}
        codes = self.codes or {}
        return np.array([place.get(label, np.nan) for label in codes], dtype=np.float64)

    def _changed(self, now: str, before: str) -> ValueError:
        return ValueError(
            f"column {self.name!r} holds {now} in this batch, but {before} in those before. Give "
            "all batches the same types, or name the column in categorical_features."
        )

    def finish(self, nominal: bool) -> tuple[Column, Floats]:
        """Return the column, and the place of each code in its vocabulary."""
        if self.codes is None:
            return Column(self.name, "numeric"), np.zeros(0)
        kind: Kind = "ordered" if self.ordered and not nominal else "nominal"
        labels: list[Any] = [label for label in self.codes if label in self.seen]
        if len({isinstance(label, str) for label in labels}) > 1:
            raise mixed_error(self.name, sorted({type(label).__name__ for label in labels}))
        if kind == "nominal":
            labels.sort()
        column = Column(self.name, kind, tuple(labels))
        return column, self.places(column)


class BatchEncoder:
    """Encodes the batches of one table, in order.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or array-like of str, int or bool
        As for `encode_table`.
    estimator_name : str
        The estimator to name in error messages.
    """

    def __init__(self, categorical_features: Any, estimator_name: str) -> None:
        self._given, self._estimator = categorical_features, estimator_name
        self._columns: list[_Column] | None = None
        self._nominal: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._has_names = False

    @property
    def n_columns(self) -> int | None:
        """How many columns there are; None before the first batch."""
        return None if self._columns is None else len(self._columns)

    def encode(self, X: Any) -> Floats:
        """Encode a batch of at least one row, by the codes that `finish` explains."""
        table = open_table(X, self._estimator)
        if self._columns is None:
            self._columns = [_Column(name) for name in table.names()]
            self._nominal = nominal_mask(self._given, table)
            self._has_names = table.given_names is not None
        self._check_names(table.names(), table.given_names is not None)
        if table.block is not None and not self._nominal.any():
            values = table.float_block()
            for column, is_empty in zip(self._columns, _empty_columns(values), strict=True):
                column.numbers = column.numbers or not is_empty
            return np.ascontiguousarray(values)
        values = np.empty(table.shape)
        for j, column in enumerate(self._columns):
            values[:, j] = column.take(self._cells(table, j))
        return values

    def _cells(self, table: OpenTable, j: int) -> Cells:
        if self._given is None:
            return numeric_cells(table, j, "categorical_features=None takes numbers only.")
        cells = table.read(j, as_category=bool(self._nominal[j]))
        as_codes = self._nominal[j] and not isinstance(cells, Codes)
        return numbers_to_codes(cells) if as_codes else cells  # type: ignore[arg-type]

    def _check_names(self, names: list[str], has_names: bool) -> None:
        assert self._columns is not None
        known = [column.name for column in self._columns]
        if names == known and has_names == self._has_names:
            return
        only = [name for name in [*known, *names] if (name in known) != (name in names)]
        what = f"{only[0]!r} is not in all of them" if only else "their order differs"
        raise ValueError(
            f"all batches must have the same columns, but {what}: the first has {_listed(known)}, "
            f"another {_listed(names)}. Select the same columns of every batch."
        )

    def finish(self) -> tuple[Schema, list[Floats]]:
        """Return the schema, and for each column the place of each code in its vocabulary."""
        assert self._columns is not None
        both = [column.finish(bool(self._nominal[j])) for j, column in enumerate(self._columns)]
        schema = Schema(tuple(column for column, _ in both), self._has_names)
        return schema, [numbers for _, numbers in both]


def _empty_columns(values: Floats) -> list[bool]:
    """Return which columns hold no number; most have one in the first row."""
    empty = np.isnan(values[0])
    if empty.any():
        empty[empty] = [np.isnan(values[:, j]).all() for j in np.flatnonzero(empty)]
    return [bool(one) for one in empty]


def join_encoders(parts: list[BatchEncoder]) -> tuple[Schema, list[list[Floats]]]:
    """Return what parts of a table, each with an encoder of its own, have in common.

    Parameters
    ----------
    parts : list of BatchEncoder
        In the order of the rows; those that saw no rows may be among them.

    Returns
    -------
    schema : Schema
        That of the whole table.
    places : list of list of array
        By part and column: the place of each code in the vocabulary.
    """
    whole = BatchEncoder(parts[0]._given, parts[0]._estimator)
    for part in parts:
        if part._columns is None:
            continue
        if whole._columns is None:
            whole._columns = [_Column(column.name) for column in part._columns]
            whole._nominal, whole._has_names = part._nominal, part._has_names
        whole._check_names([column.name for column in part._columns], part._has_names)
        for own, other in zip(whole._columns, part._columns, strict=True):
            own.join(other)
    schema, _ = whole.finish()
    places = [
        [known.places(column) for known, column in zip(part._columns, schema.columns, strict=True)]
        if part._columns is not None
        else []
        for part in parts
    ]
    return schema, places


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return f"{len(names)} ({shown}{', ...' if len(names) > 8 else ''})"


class RowsElsewhere(ABC):
    """An encoded table without its rows: stands where estimators expect the array."""

    shape: tuple[int, int]

    @abstractmethod
    def grow(
        self, target: "FitTarget", rows: "RowSplit", params: _core.GrowParams
    ) -> tuple[_core.Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""

    @abstractmethod
    def bag(
        self,
        target: "FitTarget",
        params: _core.GrowParams,
        plan: _core.EnsemblePlan,
        finished: Any,
    ) -> tuple[Any, ...]:
        """Train the members of a plan; returns what `_core.fit_ensemble` does."""
