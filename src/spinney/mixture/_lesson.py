"""What a mixture learns from: rows in an order of their own, their weights, and the truth.

Rows of weight 0 are left out. Where all experts are the mixture's own, equal rows become one row of
their joint weight, and rows are sorted: a row of weight 2 is two rows and the order of the rows
does not matter, to the last bit. Learners from elsewhere may count rows, so they get them as they
are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Asked", "Lesson", "Scale", "joined_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """Rows to answer for.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        For gates and linear experts; the first column holds ones.
    table : table or None
        The user's own rows, if some expert wants them.
    """

    design: Floats
    table: Any


@dataclass(frozen=True)
class Scale:
    """Where the numbers of a target are, and how far apart, in units of a power of two."""

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
        """Return the user's numbers centred and scaled."""
        with np.errstate(over="ignore"):  # who must not get infinities clips them
            return np.asarray((np.ldexp(numbers, -self.exponent) - self.centre) / self.spread)

    def up(self, numbers: Floats) -> Floats:
        """Return centred and scaled numbers as the user's, at most the largest finite ones."""
        limit = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            numbers = np.ldexp(numbers * self.spread + self.centre, self.exponent)
        return np.clip(numbers, -limit, limit)

    @property
    def log_unit(self) -> float:
        """The logarithm of what 1 in scaled numbers is for the user."""
        return float(np.log(self.spread) + self.exponent * np.log(2.0))


@dataclass(frozen=True)
class Lesson:
    """All that a fit learns from.

    Parameters
    ----------
    asked : Asked
        The rows.
    weight : array of shape (n_rows,)
        Theirs, all above 0.
    gate_ridge, expert_ridge : array of shape (n_columns,)
        What coefficients are penalised by.
    truth : array of shape (n_rows,)
        Codes of classes, or scaled numbers.
    told : array of shape (n_rows,)
        Labels, or the user's numbers.
    classes : array or None
        The labels; None for numbers.
    scale : Scale or None
        Of the numbers; None for classes.
    """

    asked: Asked
    weight: Floats
    gate_ridge: Floats
    expert_ridge: Floats
    truth: NDArray[Any]
    told: NDArray[Any]
    classes: NDArray[Any] | None = None
    scale: Scale | None = None

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weight.sum())


def joined_rows(
    values: Floats, truth: NDArray[Any], weight: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """Sort rows and join equal ones.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        The encoded table.
    truth : array of shape (n_rows,)
        Class codes or numbers.
    weight : array of shape (n_rows,)
        Rows of weight 0 are left out.

    Returns
    -------
    places : array of int
        A row for each group of equal ones.
    weight : array
        What each group weighs.
    """
    used = np.flatnonzero(weight > 0)
    keys = np.column_stack([values[used], truth[used], weight[used]]) + 0.0  # no negative zeros
    keys = np.ascontiguousarray(keys)
    keys[np.isnan(keys)] = np.nan  # of many kinds
    order = np.argsort(keys.view(np.dtype((np.void, keys.shape[1] * 8))).ravel(), kind="stable")
    keys = keys[order]
    bits = keys[:, :-1].view(np.int64)
    starts = np.flatnonzero(np.concatenate([[True], (bits[1:] != bits[:-1]).any(axis=1)]))
    return used[order[starts]], np.add.reduceat(keys[:, -1], starts)
