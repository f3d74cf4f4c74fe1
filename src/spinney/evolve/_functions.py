"""The functions that evolved expressions are made of: those of the package, and the user's own."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from spinney._expression.tokens import Token, most_waiting
from spinney.evolve._symbols import trace
from spinney.evolve._types import Bool, Nominal, Numeric, Ordered, Type

__all__ = ["FUNCTIONS", "Function", "compose"]

_TRIAL_ROWS = 7
_MAX_WAITING = 32  # operands, so that functions can be nested


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

    def on_columns(self, columns: list[Any]) -> Any:
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
