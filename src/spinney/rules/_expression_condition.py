"""What a rule asks of several columns at once: an expression is true, or it is false."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spinney.tree._expression import ExpressionTest
from spinney.tree._tokens import Token
from spinney.tree._truth import truth

if TYPE_CHECKING:
    from spinney.rules._conditions import Condition

__all__ = ["Expression"]


@dataclass(frozen=True)
class Expression:
    """An expression over the columns is true, or it is false.

    A row for which it is unknown, because a value is missing, fulfils neither.

    Parameters
    ----------
    test : ExpressionTest
        The expression.
    truth : bool, default=True
        What it must be.
    is_possible : bool, default=True
        Whether any row fulfils it; False where it is asked to be both.

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.rules import Expression
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income", "debt"],
    ...     "nodes": [
    ...         {"test": "income > 3 * debt", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...     ],
    ... })
    >>> print(Expression(tree.root.test, False))
    not (income > 3 * debt)
    """

    test: ExpressionTest
    truth: bool = True
    is_possible: bool = True

    @property
    def key(self) -> tuple[Token, ...]:
        """What conditions that can be merged have in common."""
        return self.test.tokens

    @property
    def features(self) -> tuple[int, ...]:
        """Columns that it asks."""
        return self.test.features

    def fulfilled(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which encoded rows fulfil it."""
        if not self.is_possible:
            return np.zeros(len(values), dtype=bool)
        return np.asarray(truth(self.test.tokens, values) == float(self.truth))

    def admits_row(self, point: NDArray[np.float64]) -> bool:
        """Return whether one encoded row fulfils it."""
        return bool(self.fulfilled(point.reshape(1, -1))[0])

    def __and__(self, other: "Condition") -> "Expression":
        assert isinstance(other, Expression), "conditions with the same key are of one class"
        if self.truth == other.truth and other.is_possible:
            return self
        return replace(self, is_possible=False)

    @property
    def is_choice(self) -> bool:
        """Whether its text is alternatives joined by `or`."""
        return self.is_possible and self.test.shown(int(not self.truth))[-1].op == "either"

    def __str__(self) -> str:
        if self.is_possible:
            return self.test.branch_text(int(not self.truth))
        return f"({self.test}) and not ({self.test})"
