"""The conditions of rules: intervals, sets of categories, and expressions over several columns.

Conditions are immutable values that are compared by content and hold no data. They are evaluated on
encoded columns (numbers, or category codes as floats; NaN is missing). A missing value satisfies a
condition only if the condition includes it ("income <= 36 or missing"), an unlisted category none.
A further kind of condition needs `key`, `features`, `fulfilled`, `admits_row`, `is_possible`,
`__and__` and `__str__`, and an entry in `Condition`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import Token, truth
from spinney._format import bound_text, category_text, set_text
from spinney._typing import Floats


class _SingleColumnCondition(ABC):
    """Base class of conditions on one column."""

    feature: int

    missing: bool

    @abstractmethod
    def holds(self, column: Floats) -> NDArray[np.bool_]:
        """Return a mask of the encoded values that satisfy the condition."""

    @abstractmethod
    def admits(self, value: float) -> bool:
        """Return whether one encoded value satisfies the condition."""

    @property
    def key(self) -> int:
        """Conditions with equal keys can be merged."""
        return self.feature

    @property
    @abstractmethod
    def has_values(self) -> bool:
        """Whether any value satisfies the condition."""

    @property
    def is_possible(self) -> bool:
        """Whether any row satisfies the condition."""
        return self.missing or self.has_values

    @property
    def is_choice(self) -> bool:
        """Whether the text is a disjunction."""
        return self.missing and self.has_values

    @property
    def features(self) -> tuple[int, ...]:
        """Indices of the columns used."""
        return (self.feature,)

    def fulfilled(self, values: Floats) -> NDArray[np.bool_]:
        """Return a mask of the encoded rows that satisfy the condition."""
        return self.holds(values[:, self.feature])

    def admits_row(self, point: Floats) -> bool:
        """Return whether one encoded row satisfies the condition."""
        return self.admits(float(point[self.feature]))


@dataclass(frozen=True)
class Interval(_SingleColumnCondition):
    """A value lies above one bound and is at most another.

    Parameters
    ----------
    feature : int
        Index of the column.
    name : str
        Name of the column.
    low : float, default=-inf
        Exclusive lower bound; -inf for no bound. (To exclude -inf itself, the lowest finite
        number is used.) For an ordered column a bound on codes.
    high : float, default=inf
        Inclusive upper bound; inf for no bound.
    categories : tuple, default=()
        All categories of an ordered column, in order; empty for numeric columns.
    missing : bool, default=False
        Whether a missing value satisfies the condition, too.

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
    missing: bool = False

    def holds(self, column: Floats) -> NDArray[np.bool_]:
        """Return a mask of the encoded values that satisfy the condition.

        Parameters
        ----------
        column : array of shape (n_rows,)
            Encoded values of the column.

        Returns
        -------
        array of bool of shape (n_rows,)
        """
        held = ~np.isnan(column)
        if self.low > -math.inf:
            held &= column > self.low
        if self.high < math.inf:
            held &= column <= self.high
        return held | np.isnan(column) if self.missing else held

    def admits(self, value: float) -> bool:
        """Return whether one encoded value satisfies the condition.

        Parameters
        ----------
        value : float
            An encoded value.

        Returns
        -------
        bool
        """
        if value != value:
            return self.missing
        return (self.low == -math.inf or value > self.low) and value <= self.high

    @property
    def codes(self) -> tuple[int, ...]:
        """Codes of the categories that satisfy the condition, for an ordered column."""
        return tuple(c for c in range(len(self.categories)) if self.low < c <= self.high)

    @property
    def has_values(self) -> bool:
        """Whether any value satisfies the condition."""
        if self.categories:
            return bool(self.codes)
        return self.low < self.high or self.low == self.high == -math.inf

    def __and__(self, other: "Condition") -> "ColumnCondition":
        assert not isinstance(other, ExpressionCondition), "an equal key is of the same column"
        if isinstance(other, Membership):
            return other & self
        low, high = max(self.low, other.low), min(self.high, other.high)
        missing = self.missing and other.missing
        return Interval(self.feature, self.name, low, high, self.categories, missing)

    def bound_text(self, bound: float) -> str:
        """Format a bound: a number, or the last category that is not above it.

        Parameters
        ----------
        bound : float
            The bound.

        Returns
        -------
        str
        """
        return bound_text(bound, self.categories)

    def __str__(self) -> str:
        low = self.bound_text(self.low) if self.low > -math.inf else None
        high = self.bound_text(self.high) if self.high < math.inf else None
        if self.missing and not self.has_values:
            return f"{self.name} is missing"
        or_missing = " or missing" if self.missing else ""
        if low is not None and high is not None:
            return f"{low} < {self.name} <= {high}{or_missing}"
        if high is not None:
            return f"{self.name} <= {high}{or_missing}"
        return f"{self.name} is known" if low is None else f"{self.name} > {low}{or_missing}"


@dataclass(frozen=True)
class Membership(_SingleColumnCondition):
    """A category belongs to a set.

    Parameters
    ----------
    feature : int
        Index of the column.
    name : str
        Name of the column.
    codes : tuple of int
        Codes of the categories that satisfy the condition, ascending.
    vocabulary : tuple
        All categories of the column, in code order.
    missing : bool, default=False
        Whether a missing value satisfies the condition, too.

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
    missing: bool = False

    @property
    def categories(self) -> tuple[Any, ...]:
        """The categories that satisfy the condition."""
        return tuple(self.vocabulary[code] for code in self.codes)

    def holds(self, column: Floats) -> NDArray[np.bool_]:
        """Return a mask of the encoded values that satisfy the condition.

        Parameters
        ----------
        column : array of shape (n_rows,)
            Encoded values of the column.

        Returns
        -------
        array of bool of shape (n_rows,)
        """
        listed = np.zeros(len(self.vocabulary) + 1, dtype=bool)  # the last place is for the rest
        listed[list(self.codes)] = True
        known = (column >= 0) & (column < len(self.vocabulary))
        listed[-1] = self.missing
        return np.asarray(listed[np.where(known, column, len(self.vocabulary)).astype(np.intp)])

    def admits(self, value: float) -> bool:
        """Return whether one encoded value satisfies the condition.

        Parameters
        ----------
        value : float
            An encoded value.

        Returns
        -------
        bool
        """
        return int(value) in self.codes if value == value else self.missing

    @property
    def has_values(self) -> bool:
        """Whether any category satisfies the condition."""
        return bool(self.codes)

    def __and__(self, other: "Condition") -> "ColumnCondition":
        assert not isinstance(other, ExpressionCondition), "an equal key is of the same column"
        allowed = set(other.codes)
        codes = tuple(code for code in self.codes if code in allowed)
        missing = self.missing and other.missing
        return Membership(self.feature, self.name, codes, self.vocabulary, missing)

    def __str__(self) -> str:
        if self.missing and not self.codes:
            return f"{self.name} is missing"
        or_missing = " or missing" if self.missing else ""
        if len(self.codes) == 1:
            return f"{self.name} = {category_text(self.vocabulary[self.codes[0]])}{or_missing}"
        return f"{self.name} in {set_text(self.categories)}{or_missing}"


@dataclass(frozen=True)
class ExpressionCondition:
    """An expression over several columns is true, or false.

    A row for which it is unknown because of a missing value satisfies neither.

    Parameters
    ----------
    test : ExpressionTest
        The expression.
    truth : bool, default=True
        The required truth value.
    is_possible : bool, default=True
        Whether any row satisfies the condition; False if it must be both true and false.

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.rules import ExpressionCondition
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income", "debt"],
    ...     "nodes": [
    ...         {"test": "income > 3 * debt", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...     ],
    ... })
    >>> print(ExpressionCondition(tree.root.test, False))
    not (income > 3 * debt)
    """

    test: ExpressionTest
    truth: bool = True
    is_possible: bool = True

    @property
    def key(self) -> tuple[Token, ...]:
        """Conditions with equal keys can be merged."""
        return self.test.tokens

    @property
    def features(self) -> tuple[int, ...]:
        """Indices of the columns used."""
        return self.test.features

    def fulfilled(self, values: Floats) -> NDArray[np.bool_]:
        """Return a mask of the encoded rows that satisfy the condition.

        Parameters
        ----------
        values : array of shape (n_rows, n_features)
            Encoded rows.

        Returns
        -------
        array of bool of shape (n_rows,)
        """
        if not self.is_possible:
            return np.zeros(len(values), dtype=bool)
        return np.asarray(truth(self.test.tokens, values) == float(self.truth))

    def admits_row(self, point: Floats) -> bool:
        """Return whether one encoded row satisfies the condition.

        Parameters
        ----------
        point : array of shape (n_features,)
            An encoded row.

        Returns
        -------
        bool
        """
        return bool(self.fulfilled(point.reshape(1, -1))[0])

    def __and__(self, other: "Condition") -> "ExpressionCondition":
        assert isinstance(other, ExpressionCondition), "an equal key is of the same class"
        if self.truth == other.truth and other.is_possible:
            return self
        return replace(self, is_possible=False)

    @property
    def is_choice(self) -> bool:
        """Whether the text is a disjunction."""
        return self.is_possible and self.test.shown(int(not self.truth))[-1].op == "either"

    def __str__(self) -> str:
        if self.is_possible:
            return self.test.branch_text(int(not self.truth))
        return f"({self.test}) and not ({self.test})"


ColumnCondition: TypeAlias = Interval | Membership
Condition: TypeAlias = Interval | Membership | ExpressionCondition


def merged(conditions: "tuple[Condition, ...] | list[Condition]") -> tuple[Condition, ...]:
    """Merge conditions on the same column or expression, in order of first appearance.

    Parameters
    ----------
    conditions : sequence of Interval, Membership or ExpressionCondition
        Conditions that must all hold.

    Returns
    -------
    tuple of Interval, Membership or ExpressionCondition
    """
    found: dict[int | tuple[Token, ...], Condition] = {}
    for condition in conditions:
        known = found.get(condition.key)
        found[condition.key] = condition if known is None else known & condition
    return tuple(found.values())


def conditions_text(conditions: Sequence[Condition]) -> str:
    """Join conditions by `and`, with parentheses around those that contain `or`."""
    alone = len(conditions) == 1
    words = [
        f"({condition})" if condition.is_choice and not alone else str(condition)
        for condition in conditions
    ]
    return " and ".join(words)
