"""Expressions written in Python: what a composed function does with its arguments."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

from spinney._expression.tokens import OPS, Token
from spinney.evolve._types import Bool, Numeric, Type

__all__ = ["Expression", "sin", "trace"]

RawToken = tuple[int, int, float]
CALL = len(OPS)  # the core's code for a function in Python


class Expression:
    """A part of an expression.

    `+`, `-`, `*`, `>`, `<`, `==`, `&`, `|`, `~` and `sin` make larger ones.

    Parameters
    ----------
    tokens : tuple of Token
        In postfix order. Arguments are columns -1, -2 and so on.
    type_ : Type
        What it is.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tokens: tuple[Token, ...], type_: Type) -> None:
        self.tokens = tokens
        self.type = type_

    def _join(self, other: Any, op: str, returns: Type, takes: Type | None) -> "Expression":
        right = other if isinstance(other, Expression) else _constant(other, self.type)
        wanted = takes or self.type
        for one in (self, right):
            if one.type != wanted:
                raise TypeError(f"{op!r} takes {wanted!r}, not {one.type!r}.")
        return Expression((*self.tokens, *right.tokens, Token(op)), returns)

    def __add__(self, other: Any) -> "Expression":
        return self._join(other, "add", Numeric, Numeric)

    def __sub__(self, other: Any) -> "Expression":
        return self._join(other, "subtract", Numeric, Numeric)

    def __mul__(self, other: Any) -> "Expression":
        return self._join(other, "multiply", Numeric, Numeric)

    def __radd__(self, other: Any) -> "Expression":
        return _constant(other, Numeric) + self

    def __rsub__(self, other: Any) -> "Expression":
        return _constant(other, Numeric) - self

    def __rmul__(self, other: Any) -> "Expression":
        return _constant(other, Numeric) * self

    def __gt__(self, other: Any) -> "Expression":
        return self._join(other, "greater", Bool, None)

    def __lt__(self, other: Any) -> "Expression":
        right = other if isinstance(other, Expression) else _constant(other, self.type)
        return right > self

    def __eq__(self, other: object) -> "Expression":  # type: ignore[override]
        return self._join(other, "equal", Bool, None)

    def __and__(self, other: Any) -> "Expression":
        return self._join(other, "both", Bool, Bool)

    def __or__(self, other: Any) -> "Expression":
        return self._join(other, "either", Bool, Bool)

    def __invert__(self) -> "Expression":
        return _apply("negate", self, Bool, Bool)

    def __bool__(self) -> bool:
        raise TypeError("use &, | and ~ in a composed function: `and`, `or` and `not` decide now.")


def _constant(value: Any, type_: Type) -> Expression:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if type_ != Numeric or not is_number or not math.isfinite(value):
        raise TypeError(f"only numbers (finite ones) can be written as constants, got {value!r}.")
    return Expression((Token("constant", 0, float(value)),), Numeric)


def _apply(op: str, part: Expression, takes: Type, returns: Type) -> Expression:
    if part.type != takes:
        raise TypeError(f"{op!r} takes {takes!r}, not {part.type!r}.")
    return Expression((*part.tokens, Token(op)), returns)


def sin(part: Expression) -> Expression:
    """Return the sine of a numeric part of a composed function.

    Parameters
    ----------
    part : Expression
        An argument of the function, or what was made of some.

    Returns
    -------
    Expression
    """
    return _apply("sine", part, Numeric, Numeric)


def trace(f: Callable[..., Any], takes: tuple[Type, ...], returns: Type) -> tuple[Token, ...]:
    """Return what a function of expressions does, as tokens."""
    arguments = [Expression((Token("column", -1 - i),), type_) for i, type_ in enumerate(takes)]
    result = f(*arguments)
    if not isinstance(result, Expression):
        result = _constant(result, returns)
    if result.type != returns:
        raise TypeError(f"it returns {result.type!r}, not {returns!r}.")
    return result.tokens


def raw_tokens(tokens: tuple[Token, ...]) -> list[RawToken]:
    """Return tokens as the core takes them."""
    return [(OPS.index(token.op), token.arg, token.value) for token in tokens]
