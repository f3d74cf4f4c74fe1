"""A test that is an expression over many columns.

It is kept as tokens in postfix order, as in the core: operands first, then what is done with them.
Values are numbers, for categories their codes; a missing value makes a comparison unknown, and
`and` and `or` are unknown unless one side decides alone.

As text it reads ``sin(age) + bmi > 30 and sex = f``. A name that is no plain word stands between
backticks; a category stands in quotes if it is no plain word or number, or if a column has the
same name. A code that stands for no category is written ``code(1.5)``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from spinney._expression.simplify import simplified
from spinney._expression.tokens import Token, encoded_row, truth
from spinney._format import EXACT_DIGITS, number_text
from spinney._table import Column

PLAIN_WORD = re.compile(r"[^\W\d][\w.]*")
PLAIN_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
KEYWORDS = frozenset(("and", "or", "not", "in", "inf", "nan"))

_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "equal": "=", "greater": ">"}
_WORDS = {"both": "and", "either": "or"}
# How tightly a sign binds its operands: the larger, the tighter.
_RANKS = {
    "either": 1,
    "both": 2,
    "negate": 3,
    "equal": 4,
    "greater": 4,
    "positive": 4,
    "add": 5,
    "subtract": 5,
    "multiply": 6,
}
_ATOM = 9


class _Part(NamedTuple):
    """The text of a part of an expression; of a column its categories, of a constant its number."""

    text: str
    rank: int
    categories: tuple[Any, ...] = ()
    code: float | None = None


@dataclass(frozen=True)
class ExpressionTest:
    """Whether an expression over the columns is true.

    Parameters
    ----------
    tokens : tuple of Token
        The expression in postfix order.
    columns : tuple of Column
        The columns of the table.

    Examples
    --------
    >>> from spinney import Tree
    >>> tree = Tree.from_dict({
    ...     "classes": ["ill", "well"],
    ...     "features": ["weight", "height"],
    ...     "nodes": [
    ...         {"test": "weight - 0.9 * height > -90", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> test = tree.root.test
    >>> print(test)
    weight - 0.9 * height > -90
    >>> test.branch({"weight": 80, "height": 180}), test.branch([60, None])
    (0, None)
    """

    kind: ClassVar[str] = "expression"
    n_branches: ClassVar[int] = 2

    tokens: tuple[Token, ...]
    columns: tuple[Column, ...]

    @property
    def features(self) -> tuple[int, ...]:
        """Indices of the columns used, ascending."""
        return tuple(sorted({token.arg for token in self.tokens if token.op == "column"}))

    def branch(self, row: Any) -> int | None:
        """Return 0 if the test is true for a row, 1 if it is false, None if it is unknown.

        Parameters
        ----------
        row : mapping from names to values, or sequence in the order of the columns
            One row as the user's table holds it.
        """
        found = float(truth(self.tokens, encoded_row(self.columns, self.features, row))[0])
        return None if found != found else 1 - int(found)

    def branch_text(
        self, branch: int, digits: int = EXACT_DIGITS, max_categories: int | None = None
    ) -> str:
        """Return the condition that leads to a branch, in its simplest form."""
        return self._text(self.shown(branch), digits)

    def shown(self, branch: int) -> tuple[Token, ...]:
        """Return the expression that leads to a branch, as it is printed."""
        return simplified((*self.tokens, Token("negate")) if branch else self.tokens)

    def __str__(self) -> str:
        return self.branch_text(0)

    def _text(self, tokens: Sequence[Token], digits: int) -> str:
        waiting: list[_Part] = []
        names = {column.name for column in self.columns}
        for token in tokens:
            if token.op == "column":
                column = self.columns[token.arg]
                waiting.append(_Part(column_text(column.name), _ATOM, column.categories))
            elif token.op == "constant":
                waiting.append(_Part(number_text(token.value, digits), _ATOM, (), token.value))
            elif token.op in ("sine", "positive", "negate"):
                waiting.append(_one(token.op, waiting.pop()))
            else:
                right = waiting.pop()
                waiting.append(_two(token.op, waiting.pop(), right, names))
        return waiting[0].text


def column_text(name: str) -> str:
    """Write the name of a column as it stands in an expression."""
    if PLAIN_WORD.fullmatch(name) and name not in KEYWORDS:
        return name
    body = name.replace("\\", "\\\\").replace("`", "\\`")
    shown = (char if char.isprintable() else ascii(char)[1:-1] for char in body)
    return f"`{''.join(shown)}`"


def _one(op: str, part: _Part) -> _Part:
    if op == "sine":
        return _Part(f"sin({part.text})", _ATOM)
    if op == "positive":
        return _Part(f"{part.text} > {'code(0)' if part.categories else 0}", _RANKS[op])
    return _Part(f"not ({part.text})", _RANKS[op])


def _two(op: str, left: _Part, right: _Part, names: set[str]) -> _Part:
    rank = _RANKS[op]
    if op in ("equal", "greater"):
        left, right = _named(left, right, names), _named(right, left, names)
    # Sums and products are not associative to the last bit; `and` and `or` are.
    tight = right.rank > rank or (op in _WORDS and right.rank == rank)
    before = left.text if left.rank >= rank else f"({left.text})"
    after = right.text if tight else f"({right.text})"
    return _Part(f"{before} {_SIGNS.get(op) or _WORDS[op]} {after}", rank)


def _named(part: _Part, other: _Part, names: set[str]) -> _Part:
    """Return the category that a constant compared with a category represents."""
    if part.code is None or not other.categories:
        return part
    if not part.code.is_integer() or not 0 <= part.code < len(other.categories):
        return part._replace(text=f"code({part.text})")
    text = str(other.categories[int(part.code)])
    is_word = PLAIN_WORD.fullmatch(text) and text not in KEYWORDS and text not in names
    is_plain = is_word or PLAIN_NUMBER.fullmatch(text)
    return part._replace(text=text if is_plain else repr(text))
