"""A table to the numbers that gates and linear experts take.

Nominal columns become one column a category, and every column is centred and scaled, so that sums
over rows are well conditioned. Ridges stay in the user's units: `ridge` holds what a penalty on the
user's coefficients is in these columns.

A gap says nothing, so it stands at the centre: the mean of a column of numbers, the shares of the
categories of a nominal one. A column that is the same in all rows is left out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema

__all__ = ["Design"]

Floats = NDArray[np.float64]
_MOST_CATEGORIES = 100  # of a column; lighter ones have no number, so that memory is bounded
_FARTHEST = 1e100  # in units of the spread of a column
_RIDGE_RANGE = (1e-30, 1e30)


@dataclass(frozen=True)
class Numeric:
    """A column of numbers (or ordered codes), in units of a power of two near its values."""

    place: int
    exponent: int
    centre: float
    spread: float
    low: float
    high: float

    def read(self, values: Floats) -> Floats:
        """Return the column centred and scaled; infinities are the ends of what fit saw."""
        column = values[:, self.place]
        column = np.where(
            column == -np.inf, self.low, np.where(column == np.inf, self.high, column)
        )
        with np.errstate(over="ignore"):
            scaled = (np.ldexp(column, -self.exponent) - self.centre) / self.spread
        return np.clip(np.where(np.isnan(scaled), 0.0, scaled), -_FARTHEST, _FARTHEST)


@dataclass(frozen=True)
class Category:
    """One category of a nominal column: 1 where it is, 0 elsewhere, centred and scaled."""

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
    """What fit learned of the columns.

    Parameters
    ----------
    columns : tuple of Numeric or Category
        In the order of the numbers.
    names : tuple of str
        Theirs, such as "income" and "purpose=car".
    """

    columns: tuple[Numeric | Category, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Floats, schema: Schema, weight: Floats) -> "Design":
        """Learn the columns of an encoded table whose rows have these positive weights."""
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
        """Return the numbers of an encoded table, after a column of ones."""
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
        """What a ridge of 1 on the user's coefficients is on those of these columns."""
        spreads = np.array([column.spread for column in self.columns])
        with np.errstate(over="ignore", under="ignore"):
            ridge = np.ldexp(1.0 / spreads**2, -2 * self._exponents)
        return np.concatenate([[0.0], np.clip(ridge, *_RIDGE_RANGE)])

    def user_units(self, coef: Floats) -> tuple[Floats, Floats]:
        """Return intercepts and coefficients, by logit and column, for the user's numbers."""
        spreads = np.array([column.spread for column in self.columns])[:, np.newaxis]
        centres = np.array([column.centre for column in self.columns])[:, np.newaxis]
        slopes = coef[1:] / spreads
        with np.errstate(over="ignore"):
            return coef[0] - (slopes * centres).sum(axis=0), np.ldexp(
                slopes, -self._exponents[:, np.newaxis]
            ).T


def _numeric(place: int, column: Floats, weight: Floats) -> Numeric | None:
    """Return where a column lies; None if it is the same in all rows."""
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
    """Return the heaviest categories, in the order of their codes."""
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
