"""What evolved expressions are made of: types of values, and functions, the user's own included.

A composed function is called once with `Expression` objects, which record what it does.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from spinney._expression.tokens import OPS, Token, most_waiting
from spinney._typing import Floats

RawToken = tuple[int, int, float]
CALL = len(OPS)  # the core's code for a function in Python
_TRIAL_ROWS = 7
_MAX_WAITING = 32  # operands, so that functions can be nested


@dataclass(frozen=True)
class Type:
    """A type of value. Make one for values that only your own functions accept.

    Parameters
    ----------
    name : str
        How messages call it.
    domain : hashable or None, default=None
        For categories, the set that they belong to: columns of one domain can be compared.
    """

    name: str
    domain: Hashable = None

    def __call__(self, domain: Hashable) -> "Type":
        """Return the same type for the categories of one domain."""
        if self not in (Nominal, Ordered):
            raise TypeError(f"{self.name} has no domains; Nominal and Ordered have.")
        return Type(self.name, domain)

    def __repr__(self) -> str:
        return self.name if self.domain is None else f"{self.name}({self.domain!r})"


Bool = Type("Bool")
Numeric = Type("Numeric")
# In a function these stand for any domain, the same for all arguments.
Nominal = Type("Nominal")
Ordered = Type("Ordered")


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


class Function:
    """A function of columns, written in Python.

    It is called with whole columns and must answer each row by itself, the same whatever rows come
    along. It is tried out when it is made.

    Parameters
    ----------
    name : str
        How it is called in expressions.
    f : callable
        Takes arrays of equal length, returns one of the same length: floats for `Numeric`, bools
        (or floats 1, 0 and NaN) for `Bool`. Numbers may be NaN where values are missing.
    takes : tuple of Type
        Types of the arguments.
    returns : Type
        Type of the result.

    Examples
    --------
    >>> from spinney.evolve import Function, Numeric
    >>> Function("excess", lambda a, b: abs(a - b), takes=(Numeric, Numeric), returns=Numeric)
    excess(Numeric, Numeric) -> Numeric
    """

    body: tuple[Token, ...] = ()  # of a composed function

    def __init__(
        self, name: str, f: Callable[..., Any], *, takes: Iterable[Type], returns: Type
    ) -> None:
        self.name = _checked_name(name)
        self.f = f
        self.takes, self.returns = _checked_types(name, takes, returns)
        for type_ in (*self.takes, self.returns):
            if type_ not in (Numeric, Bool):
                raise TypeError(
                    f"function {name!r}: functions in Python take and return Numeric and Bool, "
                    f"not {type_!r}. Use compose() for categories."
                )
        self._try_out()

    def _try_out(self) -> None:
        random = np.random.default_rng(0)
        trial = [
            random.normal(size=_TRIAL_ROWS)
            if type_ == Numeric
            else (random.random(_TRIAL_ROWS) < 0.5).astype(float)
            for type_ in self.takes
        ]
        first = self.on_columns(trial)
        with_gaps = [np.where(np.arange(_TRIAL_ROWS) == 2, np.nan, column) for column in trial]
        second = self.on_columns(with_gaps)
        kept = np.arange(_TRIAL_ROWS) != 2
        if not np.array_equal(first[kept], second[kept], equal_nan=True):
            raise ValueError(
                f"function {self.name!r} answers a row differently when another row has a missing "
                "value. It must answer each row by itself."
            )
        if np.isnan(first).all():
            raise ValueError(f"function {self.name!r} returned NaN for every row of a trial.")

    def on_columns(self, columns: list[Any]) -> Floats:
        """Return the function of some columns as floats, checked; truth is 1, 0 or NaN."""
        n_rows = len(columns[0])
        given = [np.array(column) for column in columns]
        for column in given:
            column.flags.writeable = False
        try:
            with np.errstate(all="ignore"):
                answer = np.asarray(self.f(*given))
        except Exception as problem:
            raise ValueError(f"function {self.name!r} failed: {problem}") from problem
        if answer.shape != (n_rows,):
            raise ValueError(
                f"function {self.name!r} must return one value a row, shape ({n_rows},), but "
                f"returned shape {answer.shape}."
            )
        if answer.dtype.kind not in "fiub":
            raise ValueError(
                f"function {self.name!r} must return numbers or truth values, got {answer.dtype}."
            )
        answer = answer.astype(np.float64)
        if self.returns == Bool and not np.isin(answer[~np.isnan(answer)], (0.0, 1.0)).all():
            raise ValueError(f"function {self.name!r} returns Bool, so 1, 0 or NaN, not numbers.")
        return answer

    def __repr__(self) -> str:
        takes = ", ".join(map(repr, self.takes))
        return f"{self.name}({takes}) -> {self.returns!r}"


class _Compiled(Function):
    """A function made of operations of the core."""

    def __init__(
        self, name: str, body: tuple[Token, ...], takes: tuple[Type, ...], returns: Type
    ) -> None:
        self.name, self.body, self.takes, self.returns = name, body, takes, returns


def compose(name: str, f: Callable[..., Any], *, takes: Iterable[Type], returns: Type) -> Function:
    """Return a function made of built-in ones, which runs at the speed of the core.

    Parameters
    ----------
    name : str
        How it is called.
    f : callable
        Takes expressions, one an argument, and returns one: it may use `+`, `-`, `*`, `>`, `<`,
        `==`, `&`, `|`, `~`, numbers and `spinney.evolve.sin`.
    takes : tuple of Type
        Types of the arguments.
    returns : Type
        Type of the result.

    Returns
    -------
    Function

    Examples
    --------
    >>> from spinney.evolve import Bool, Numeric, compose
    >>> compose("between", lambda x, a, b: (x > a) & (b > x), takes=(Numeric,) * 3, returns=Bool)
    between(Numeric, Numeric, Numeric) -> Bool
    """
    checked, result = _checked_types(name, takes, returns)
    try:
        body = trace(f, checked, result)
    except TypeError as problem:
        raise TypeError(f"function {name!r}: {problem}") from None
    except Exception as problem:
        raise ValueError(f"function {name!r} failed: {problem}") from problem
    if most_waiting(body) > _MAX_WAITING:
        raise ValueError(
            f"function {name!r} is nested too deeply: more than {_MAX_WAITING} values wait at once."
        )
    return _Compiled(_checked_name(name), body, checked, result)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"the name of a function must be a plain word, got {name!r}.")
    return name


def _checked_types(name: str, takes: Any, returns: Any) -> tuple[tuple[Type, ...], Type]:
    types = tuple(takes)
    if not types or not all(isinstance(one, Type) for one in (*types, returns)):
        raise TypeError(
            f"function {name!r}: takes must be a tuple of types and returns a type of "
            "spinney.evolve, such as Numeric."
        )
    if len(types) > 8:
        raise ValueError(f"function {name!r} takes {len(types)} arguments; at most 8 are possible.")
    return types, returns


def _operation(name: str, op: str, takes: tuple[Type, ...], returns: Type) -> Function:
    arguments = tuple(Token("column", -1 - i) for i in range(len(takes)))
    return _Compiled(name, (*arguments, Token(op)), takes, returns)


# Under each name the same function for all the types that have it.
FUNCTIONS: dict[str, tuple[Function, ...]] = {
    "=": tuple(_operation("=", "equal", (t, t), Bool) for t in (Numeric, Ordered, Nominal)),
    ">": tuple(_operation(">", "greater", (t, t), Bool) for t in (Numeric, Ordered)),
    "+": (_operation("+", "add", (Numeric, Numeric), Numeric),),
    "-": (_operation("-", "subtract", (Numeric, Numeric), Numeric),),
    "*": (_operation("*", "multiply", (Numeric, Numeric), Numeric),),
    "sin": (_operation("sin", "sine", (Numeric,), Numeric),),
    "> 0": (_operation("> 0", "positive", (Numeric,), Bool),),
    "and": (_operation("and", "both", (Bool, Bool), Bool),),
    "or": (_operation("or", "either", (Bool, Bool), Bool),),
    "not": (_operation("not", "negate", (Bool,), Bool),),
}
