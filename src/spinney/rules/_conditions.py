"""What a rule asks of a row: a column lies in an interval, or holds one of some categories.

Conditions are values: frozen, compared by content, and they know no data. They are asked about
encoded columns (numbers, or category codes as floats; NaN is missing). A missing value and a
category that is not listed fulfil no condition. Those here ask one column; `Expression` asks
several. Another kind of condition needs `key`, `fulfilled`, `admits_row`, `is_possible`, `__and__`
and `__str__`, and a line in `Condition`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spinney.rules._expression_condition import Expression
from spinney.tree._tokens import Token
from spinney.tree._words import category_text, number_text, set_text

__all__ = [
    "ColumnCondition",
    "Condition",
    "Expression",
    "Interval",
    "Membership",
    "conditions_text",
    "merged",
]


class _OfOneColumn(ABC):
    """What conditions on one column have in common."""

    feature: int

    @abstractmethod
    def holds(self, column: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for which encoded values the condition is true."""

    @abstractmethod
    def admits(self, value: float) -> bool:
        """Return whether one encoded value fulfils it."""

    @property
    def key(self) -> int:
        """What conditions that can be merged have in common."""
        return self.feature

    @property
    def features(self) -> tuple[int, ...]:
        """Columns that it asks."""
        return (self.feature,)

    def fulfilled(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which encoded rows fulfil it."""
        return self.holds(values[:, self.feature])

    def admits_row(self, point: NDArray[np.float64]) -> bool:
        """Return whether one encoded row fulfils it."""
        return self.admits(float(point[self.feature]))


@dataclass(frozen=True)
class Interval(_OfOneColumn):
    """A number, or an ordered category, lies above one bound and is at most another.

    Parameters
    ----------
    feature : int
        Column of the table.
    name : str
        Its name.
    low : float, default=-inf
        Values must be above it; -inf for no bound. (What is above -inf is told by the lowest
        finite number.) For an ordered column a bound on codes.
    high : float, default=inf
        Values must be at most this; inf for no bound.
    categories : tuple, default=()
        The vocabulary of an ordered column in its order; empty for numbers.

    Examples
    --------
    >>> from spinney.rules import Interval
    >>> print(Interval(0, "age", 30, 45))
    30 < age <= 45
    >>> print(Interval(1, "size", high=1.5, categories=("small", "medium", "large")))
    size <= medium
    """

    feature: int
    name: str
    low: float = -math.inf
    high: float = math.inf
    categories: tuple[Any, ...] = ()

    def holds(self, column: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for which encoded values the condition is true."""
        held = ~np.isnan(column)
        if self.low > -math.inf:
            held &= column > self.low
        if self.high < math.inf:
            held &= column <= self.high
        return held

    def admits(self, value: float) -> bool:
        """Return whether one encoded value fulfils it."""
        return (self.low == -math.inf or value > self.low) and (
            value <= self.high or (self.high == math.inf and value == value)
        )

    @property
    def codes(self) -> tuple[int, ...]:
        """The codes of the categories that fulfil it, for an ordered column."""
        return tuple(c for c in range(len(self.categories)) if self.low < c <= self.high)

    @property
    def is_possible(self) -> bool:
        """Whether any value fulfils it."""
        if self.categories:
            return bool(self.codes)
        return self.low < self.high or self.low == self.high == -math.inf

    def __and__(self, other: "Condition") -> "ColumnCondition":
        assert not isinstance(other, Expression), "conditions with the same key ask one column"
        if isinstance(other, Membership):
            return other & self
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(self.feature, self.name, low, high, self.categories)

    def bound_text(self, bound: float) -> str:
        """Return a bound as text: a number, or the last category that is not above it."""
        if not self.categories:
            return number_text(bound)
        place = math.floor(max(-1.0, min(bound, len(self.categories) - 1.0)))
        return category_text(self.categories[place]) if place >= 0 else number_text(bound)

    def __str__(self) -> str:
        low = self.bound_text(self.low) if self.low > -math.inf else None
        high = self.bound_text(self.high) if self.high < math.inf else None
        if low is not None and high is not None:
            return f"{low} < {self.name} <= {high}"
        if high is not None:
            return f"{self.name} <= {high}"
        return f"{self.name} is known" if low is None else f"{self.name} > {low}"


@dataclass(frozen=True)
class Membership(_OfOneColumn):
    """A category is one of some categories.

    Parameters
    ----------
    feature : int
        Column of the table.
    name : str
        Its name.
    codes : tuple of int
        Codes of the categories that fulfil it, ascending.
    vocabulary : tuple
        All categories of the column, in code order.

    Examples
    --------
    >>> from spinney.rules import Membership
    >>> print(Membership(0, "purpose", (0, 2), ("car", "house", "travel")))
    purpose in {car, travel}
    """

    feature: int
    name: str
    codes: tuple[int, ...]
    vocabulary: tuple[Any, ...]

    @property
    def categories(self) -> tuple[Any, ...]:
        """The categories that fulfil it."""
        return tuple(self.vocabulary[code] for code in self.codes)

    def holds(self, column: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for which encoded values the condition is true."""
        listed = np.zeros(len(self.vocabulary) + 1, dtype=bool)  # the last place is for the rest
        listed[list(self.codes)] = True
        known = (column >= 0) & (column < len(self.vocabulary))
        return np.asarray(listed[np.where(known, column, len(self.vocabulary)).astype(np.intp)])

    def admits(self, value: float) -> bool:
        """Return whether one encoded value fulfils it."""
        return value == value and int(value) in self.codes

    @property
    def is_possible(self) -> bool:
        """Whether any category fulfils it."""
        return bool(self.codes)

    def __and__(self, other: "Condition") -> "ColumnCondition":
        assert not isinstance(other, Expression), "conditions with the same key ask one column"
        allowed = set(other.codes)
        codes = tuple(code for code in self.codes if code in allowed)
        return Membership(self.feature, self.name, codes, self.vocabulary)

    def __str__(self) -> str:
        if len(self.codes) == 1:
            return f"{self.name} = {category_text(self.vocabulary[self.codes[0]])}"
        return f"{self.name} in {set_text(self.categories)}"


ColumnCondition: TypeAlias = Interval | Membership
Condition: TypeAlias = Interval | Membership | Expression


def merged(conditions: "tuple[Condition, ...] | list[Condition]") -> tuple[Condition, ...]:
    """Return one condition for each column or expression, in the order in which they first appear.

    Parameters
    ----------
    conditions : sequence of Interval, Membership or Expression
        All of which are to hold.

    Returns
    -------
    tuple of Interval, Membership or Expression
    """
    found: dict[int | tuple[Token, ...], Condition] = {}
    for condition in conditions:
        known = found.get(condition.key)
        found[condition.key] = condition if known is None else known & condition
    return tuple(found.values())


def conditions_text(conditions: Sequence[Condition]) -> str:
    """Return conditions joined by `and`; what is joined by `or` stands in brackets."""
    alone = len(conditions) == 1
    words = [
        f"({condition})"
        if isinstance(condition, Expression) and condition.is_choice and not alone
        else str(condition)
        for condition in conditions
    ]
    return " and ".join(words)
