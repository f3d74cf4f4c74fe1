"""Tests of nodes, and the surrogates that stand in for them when a value is missing.

A test is on one column and holds no data. It maps a raw value of that column, as the user's table
holds it, to a *branch*: the place of a child, from 0. The first child is where the printed test is
true. None means unknown: the value is missing, or a category that no training row of the node held;
unless the test itself has a branch for such rows (`gaps`, in trees with missing="learned" or
"category"). An `ExpressionTest` is on several columns and maps a row.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import is_missing
from spinney._format import EXACT_DIGITS, bound_text, category_at, category_text, set_text
from spinney._table import Column

OR_MISSING = " or missing"
IS_KNOWN = " is known"


@dataclass(frozen=True)
class ThresholdTest:
    """Whether a number, or an ordered category, is at most a threshold.

    Parameters
    ----------
    feature : int
        Column of the table.
    feature_name : str
        Its name.
    threshold : float
        The largest value for which the test is true; for an ordered column a bound on codes.
    categories : tuple, default=()
        The vocabulary of an ordered column in its order; empty for numbers.
    gaps : int, default=None
        The branch of missing values; None if the test does not place them. If it does, a threshold
        of infinity tests whether there is a value at all.
    """

    kind: ClassVar[str] = "threshold"
    n_branches: ClassVar[int] = 2

    feature: int
    feature_name: str
    threshold: float
    categories: tuple[Any, ...] = ()
    gaps: int | None = None

    @property
    def category(self) -> Any:
        """The last category for which the test is true; None for numbers."""
        return category_at(self.threshold, self.categories)

    def branch(self, value: Any) -> int | None:
        """Return 0 if the test is true for a value, 1 if it is false, None if it is unknown."""
        place = _place_of(value, self.categories)
        return self.gaps if place is None else int(place > self.threshold)

    def branch_text(
        self, branch: int, digits: int = EXACT_DIGITS, max_categories: int | None = None
    ) -> str:
        """Return the condition that leads to a branch."""
        if self.gaps == 1 and self.threshold == math.inf:
            return f"{self.feature_name} is {'missing' if branch else 'known'}"
        bound = bound_text(self.threshold, self.categories, digits)
        text = f"{self.feature_name} {'>' if branch else '<='} {bound}"
        return text + OR_MISSING if self.gaps == branch else text

    def __str__(self) -> str:
        return self.branch_text(0)


@dataclass(frozen=True)
class SubsetTest:
    """Whether a category belongs to a set.

    Parameters
    ----------
    feature : int
        Column of the table.
    feature_name : str
        Its name.
    categories : tuple
        The set, in the order of the vocabulary.
    other_categories : tuple
        The other categories that the node's rows held.
    gaps : int, default=None
        The branch of missing values, and of categories that the node's rows did not hold; None if
        the test does not place them.
    """

    kind: ClassVar[str] = "subset"
    n_branches: ClassVar[int] = 2

    feature: int
    feature_name: str
    categories: tuple[Any, ...]
    other_categories: tuple[Any, ...] = ()
    gaps: int | None = None

    def branch(self, value: Any) -> int | None:
        """Return 0 if the test is true for a value, 1 if it is false, None if it is unknown."""
        branch = _branch_of(value, (self.categories, self.other_categories))
        return self.gaps if branch is None else branch

    def branch_text(
        self, branch: int, digits: int = EXACT_DIGITS, max_categories: int | None = None
    ) -> str:
        """Return the condition that leads to a branch."""
        complement = branch and not self.other_categories
        chosen = self.other_categories if branch and not complement else self.categories
        relation = "not in" if complement else "in"
        text = f"{self.feature_name} {relation} {set_text(chosen, max_categories)}"
        return text + OR_MISSING if self.gaps == branch else text

    def __str__(self) -> str:
        return self.branch_text(0)


@dataclass(frozen=True)
class MultiwayTest:
    """Which category a row holds: a branch for each, or for each group of them.

    Parameters
    ----------
    feature : int
        Column of the table.
    feature_name : str
        Its name.
    branches : tuple of tuple
        For each child the categories that lead to it.
    """

    kind: ClassVar[str] = "multiway"

    feature: int
    feature_name: str
    branches: tuple[tuple[Any, ...], ...]

    @property
    def n_branches(self) -> int:
        """The number of children."""
        return len(self.branches)

    def branch(self, value: Any) -> int | None:
        """Return the place of the child for a value, None if the branch is unknown."""
        return _branch_of(value, self.branches)

    def branch_text(
        self, branch: int, digits: int = EXACT_DIGITS, max_categories: int | None = None
    ) -> str:
        """Return the condition that leads to a branch."""
        chosen = self.branches[branch]
        if len(chosen) == 1:
            return f"{self.feature_name} = {category_text(chosen[0])}"
        return f"{self.feature_name} in {set_text(chosen, max_categories)}"

    def __str__(self) -> str:
        return self.feature_name


@dataclass(frozen=True)
class IntervalTest:
    """In which interval a number, or an ordered category, lies: a branch for each.

    Parameters
    ----------
    feature : int
        Column of the table.
    feature_name : str
        Its name.
    cuts : tuple of float
        Ascending. The first child takes values up to the first cut, the next one values above it
        up to the second, and so on; for an ordered column they are bounds on codes.
    categories : tuple, default=()
        The vocabulary of an ordered column in its order; empty for numbers.
    """

    kind: ClassVar[str] = "multiway"

    feature: int
    feature_name: str
    cuts: tuple[float, ...]
    categories: tuple[Any, ...] = ()

    @property
    def n_branches(self) -> int:
        """The number of children."""
        return len(self.cuts) + 1

    def branch(self, value: Any) -> int | None:
        """Return the place of the child for a value, None if the branch is unknown."""
        place = _place_of(value, self.categories)
        return None if place is None else bisect_left(self.cuts, place)

    def branch_text(
        self, branch: int, digits: int = EXACT_DIGITS, max_categories: int | None = None
    ) -> str:
        """Return the condition that leads to a branch."""
        low, high = self._bounds(branch, digits)
        if high is None:
            return f"{self.feature_name} > {low}"
        return f"{'' if low is None else low + ' < '}{self.feature_name} <= {high}"

    def interval_text(self, branch: int, digits: int = EXACT_DIGITS) -> str:
        """Return the values that lead to a branch, without the name of the column."""
        low, high = self._bounds(branch, digits)
        if low is None or high is None:
            return f"> {low}" if high is None else f"<= {high}"
        return f"({low}, {high}]"

    def _bounds(self, branch: int, digits: int) -> tuple[str | None, str | None]:
        low = self.cuts[branch - 1] if branch else None
        high = self.cuts[branch] if branch < len(self.cuts) else None
        low_text, high_text = (
            None if bound is None else bound_text(bound, self.categories, digits)
            for bound in (low, high)
        )
        return low_text, high_text

    def __str__(self) -> str:
        return self.feature_name


Test: TypeAlias = ThresholdTest | SubsetTest | MultiwayTest | IntervalTest | ExpressionTest


@dataclass(frozen=True)
class Surrogate:
    """A surrogate: it replaces a node's own test for a row without the value that it needs.

    Parameters
    ----------
    test : ThresholdTest, SubsetTest, MultiwayTest, IntervalTest or ExpressionTest
        The test that is used instead.
    reversed : bool
        Whether rows for which the test is true go to the second child rather than the first.
    agreement : float
        Share of weight that it sends the same way as the node's test, where both are known.
    adjusted : float
        The part of the errors of sending every row the majority way that it avoids.
    """

    test: Test
    reversed: bool = False
    agreement: float = 1.0
    adjusted: float = 1.0

    def branch(self, value: Any) -> int | None:
        """Return the place of the child for a value, None if the branch is unknown."""
        branch = self.test.branch(value)
        return 1 - branch if self.reversed and branch is not None else branch

    def __str__(self) -> str:
        turned = " (reversed)" if self.reversed else ""
        return f"{self.test}{turned}, agreement {self.agreement:.3f}"


def _place_of(value: Any, categories: tuple[Any, ...]) -> float | None:
    """Return a number itself, or the code of an ordered category; None if there is neither."""
    if is_missing(value):
        return None
    return Column("", "ordered", categories).code_of(value) if categories else value


def _branch_of(value: Any, groups: tuple[tuple[Any, ...], ...]) -> int | None:
    if is_missing(value):
        return None
    known = tuple(category for categories in groups for category in categories)
    code = Column("", "nominal", known).code_of(value)  # 2, 2.0 and "2" are the same category
    branches = [branch for branch, categories in enumerate(groups) for _ in categories]
    return None if code is None else branches[code]
