"""Tables and targets as the training of a mixture uses them.

The *design matrix* is the input of gates and linear experts: nominal columns are one-hot encoded
and every column is centred and scaled, so that sums over rows are well conditioned. Ridge penalties
refer to the user's units: `Design.ridge` converts a penalty on the user's coefficients. A missing
value is placed at the centre: the mean of a numeric column, the category frequencies of a nominal
one. Constant columns are dropped.

Rows of weight 0 are dropped. If all experts are linear or logistic, equal rows are merged into one
of their total weight and rows are sorted, so that a row of weight 2 equals two rows and the order
of rows does not matter, to the last bit. Other estimators may depend on the number of rows and get
them unmerged.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney._typing import Floats

_MOST_CATEGORIES = 100  # of a column; lighter ones have no number, so that memory is bounded
_FARTHEST = 1e100  # in units of the spread of a column
_RIDGE_RANGE = (1e-30, 1e30)


@dataclass(frozen=True)
class Numeric:
    """A numeric column (or ordered codes), in units of a power of two near its values."""

    place: int
    exponent: int
    centre: float
    spread: float
    low: float
    high: float

    def read(self, values: Floats) -> Floats:
        """Return the column centred and scaled; infinities become the ends of the range."""
        column = values[:, self.place]
        column = np.where(
            column == -np.inf, self.low, np.where(column == np.inf, self.high, column)
        )
        with np.errstate(over="ignore"):
            scaled = (np.ldexp(column, -self.exponent) - self.centre) / self.spread
        return np.clip(np.where(np.isnan(scaled), 0.0, scaled), -_FARTHEST, _FARTHEST)


@dataclass(frozen=True)
class Category:
    """The indicator of one category, centred and scaled."""

    place: int
    code: int
    centre: float
    spread: float
    exponent: int = 0

    def read(self, values: Floats) -> Floats:
        """Return the column centred and scaled."""
        codes = values[:, self.place]
        with np.errstate(over="ignore"):
            scaled = ((codes == self.code) - self.centre) / self.spread
        return np.clip(np.where(np.isnan(codes), 0.0, scaled), -_FARTHEST, _FARTHEST)


@dataclass(frozen=True)
class Design:
    """The columns of the design matrix.

    Parameters
    ----------
    columns : tuple of Numeric or Category
        The columns, after the constant one.
    names : tuple of str
        Their names, such as "income" and "purpose=car".
    """

    columns: tuple[Numeric | Category, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Floats, schema: Schema, weight: Floats) -> "Design":
        """Return the columns of an encoded table whose rows have these positive weights."""
        columns: list[Numeric | Category] = []
        names: list[str] = []
        for place, column in enumerate(schema.columns):
            if column.kind != "nominal":
                if (number := _numeric(place, values[:, place], weight)) is not None:
                    columns.append(number)
                    names.append(column.name)
                continue
            for one in _categories(place, values[:, place], weight, len(column.categories)):
                columns.append(one)
                names.append(f"{column.name}={column.categories[one.code]}")
        return cls(tuple(columns), tuple(names))

    def read(self, values: Floats) -> Floats:
        """Return the design matrix of an encoded table; its first column is constant 1."""
        numbers = np.empty((len(values), len(self.columns) + 1))
        numbers[:, 0] = 1.0
        for j, column in enumerate(self.columns, start=1):
            numbers[:, j] = column.read(values)
        return numbers

    @property
    def _exponents(self) -> NDArray[np.int64]:
        return np.array([column.exponent for column in self.columns], np.int64)

    @property
    def ridge(self) -> Floats:
        """The penalty of each column that equals a penalty of 1 in the user's units."""
        spreads = np.array([column.spread for column in self.columns])
        with np.errstate(over="ignore", under="ignore"):
            ridge = np.ldexp(1.0 / spreads**2, -2 * self._exponents)
        return np.concatenate([[0.0], np.clip(ridge, *_RIDGE_RANGE)])

    def user_units(self, coef: Floats) -> tuple[Floats, Floats]:
        """Return intercepts and coefficients, by output and column, in the user's units."""
        spreads = np.array([column.spread for column in self.columns])[:, np.newaxis]
        centres = np.array([column.centre for column in self.columns])[:, np.newaxis]
        slopes = coef[1:] / spreads
        with np.errstate(over="ignore"):
            return coef[0] - (slopes * centres).sum(axis=0), np.ldexp(
                slopes, -self._exponents[:, np.newaxis]
            ).T


def _numeric(place: int, column: Floats, weight: Floats) -> Numeric | None:
    """Return centre and scale of a column; None if it is constant."""
    finite = np.isfinite(column)
    known, weight = column[finite], weight[finite]
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    exponent = int(np.frexp(max(-low, high))[1])
    scaled = np.ldexp(known, -exponent)
    centre = float(np.average(scaled, weights=weight))
    centre += float(np.average(scaled - centre, weights=weight))  # the rest of the rounding
    spread = float(np.sqrt(np.average((scaled - centre) ** 2, weights=weight)))
    if low == high or spread == 0.0:
        return None
    return Numeric(place, exponent, centre, spread, low, high)


def _categories(place: int, column: Floats, weight: Floats, n_categories: int) -> list[Category]:
    """Return the categories of largest weight, in the order of their codes."""
    known = ~np.isnan(column)
    codes = column[known].astype(np.intp)
    mass = np.bincount(codes, weight[known], minlength=n_categories)
    heaviest = np.sort(np.argsort(-mass, kind="stable")[:_MOST_CATEGORIES])
    found = []
    for code in heaviest.tolist():
        share = float(mass[code] / mass.sum())
        spread = float(np.sqrt(share * (1.0 - share)))
        if spread > 0.0:
            found.append(Category(place, code, share, spread))
    return found


@dataclass(frozen=True)
class Inputs:
    """The inputs of gates and experts.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        The design matrix, for gates and built-in experts; its first column is constant 1.
    table : table or None
        The user's rows, if some expert is another estimator.
    """

    design: Floats
    table: Any


@dataclass(frozen=True)
class Scale:
    """Centre and standard deviation of a target, in units of a power of two."""

    exponent: int
    centre: float
    spread: float

    @classmethod
    def of(cls, y: Floats, weight: Floats) -> "Scale":
        """Return the scale of a target whose rows have these positive weights."""
        exponent = int(np.frexp(np.abs(y).max())[1])
        scaled = np.ldexp(y, -exponent)
        first = float(scaled[0])  # equal numbers have no spread, not even by rounding
        centre = first + float(np.average(scaled - first, weights=weight))
        spread = float(np.sqrt(np.average((scaled - centre) ** 2, weights=weight)))
        return cls(exponent, centre, spread if spread > 0.0 else 1.0)

    def down(self, numbers: Floats) -> Floats:
        """Centre and scale values."""
        with np.errstate(over="ignore"):  # who must not get infinities clips them
            return np.asarray((np.ldexp(numbers, -self.exponent) - self.centre) / self.spread)

    def up(self, numbers: Floats) -> Floats:
        """Undo `down`; the result is finite."""
        limit = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            numbers = np.ldexp(numbers * self.spread + self.centre, self.exponent)
        return np.clip(numbers, -limit, limit)

    @property
    def log_unit(self) -> float:
        """Logarithm of the standard deviation in the user's units."""
        return float(np.log(self.spread) + self.exponent * np.log(2.0))


@dataclass(frozen=True)
class TrainingData:
    """Rows, weights, target and penalties of a fit.

    Parameters
    ----------
    inputs : Inputs
        The rows.
    weight : array of shape (n_rows,)
        Sample weights, all above 0.
    gate_ridge, expert_ridge : array of shape (n_columns,)
        Ridge penalties of the coefficients of gates and experts.
    target : array of shape (n_rows,)
        Class codes, or scaled values.
    labels : array of shape (n_rows,)
        The target in the user's form: labels, or unscaled values.
    classes : array or None
        The classes; None for regression.
    scale : Scale or None
        Scale of the target; None for classification.
    """

    inputs: Inputs
    weight: Floats
    gate_ridge: Floats
    expert_ridge: Floats
    target: NDArray[Any]
    labels: NDArray[Any]
    classes: NDArray[Any] | None = None
    scale: Scale | None = None

    @property
    def total(self) -> float:
        """Total weight of the rows."""
        return float(self.weight.sum())


def joined_rows(
    values: Floats, target: NDArray[Any], weight: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """Sort rows and merge equal ones.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        The encoded table.
    target : array of shape (n_rows,)
        Class codes or values.
    weight : array of shape (n_rows,)
        Sample weights; rows of weight 0 are dropped.

    Returns
    -------
    places : array of int
        Index of one row of each group of equal rows.
    weight : array
        Total weight of each group.
    """
    used = np.flatnonzero(weight > 0)
    keys = np.column_stack([values[used], target[used], weight[used]]) + 0.0  # no negative zeros
    keys = np.ascontiguousarray(keys)
    keys[np.isnan(keys)] = np.nan  # of many kinds
    order = np.argsort(keys.view(np.dtype((np.void, keys.shape[1] * 8))).ravel(), kind="stable")
    keys = keys[order]
    bits = keys[:, :-1].view(np.int64)
    starts = np.flatnonzero(np.concatenate([[True], (bits[1:] != bits[:-1]).any(axis=1)]))
    return used[order[starts]], np.add.reduceat(keys[:, -1], starts)
