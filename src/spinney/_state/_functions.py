"""Recipes of functions for evolved expressions, and of the columns that they make.

A function written in Python holds the callable itself: pickle carries it, a model file its name.
"""

from typing import Any

import numpy as np

from spinney import _core
from spinney._expression.tokens import ARITY, OPS, Token
from spinney._state._kinds import ANYTHING, TEXT, Kind, StateError, many, one
from spinney._state._recipes import Recipe, record
from spinney.evolve._derived import Derived
from spinney.evolve._functions import Function, _Compiled
from spinney.evolve._types import Bool, Type

_TYPES = many(one(Type), tuple)
_NUMBER = Kind("a number", lambda v: type(v) in (int, float) and v == v)
_CALLABLE = Kind("a function", callable)


def _is_token(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 3:
        return False
    op, arg, number = value
    return type(op) in (int, str) and type(arg) is int and _NUMBER.fits(number)


_TOKENS = many(Kind("a token", _is_token), tuple)

# -- Functions

TYPE = record(Type, name=TEXT, domain=ANYTHING)


def _fill_function(function: Function, state: dict[str, Any]) -> None:
    Function.__init__(
        function, state["name"], state["f"], takes=state["takes"], returns=state["returns"]
    )


FUNCTION = Recipe(
    Function,
    {"name": TEXT, "f": _CALLABLE, "takes": _TYPES, "returns": one(Type)},
    lambda function: {
        "name": function.name,
        "f": function.f,
        "takes": function.takes,
        "returns": function.returns,
    },
    _fill_function,
)


def _fill_composed(function: _Compiled, state: dict[str, Any]) -> None:
    body = tuple(Token(*token) for token in state["body"])
    n_arguments, waiting = len(state["takes"]), 0
    for token in body:
        if token.op not in ARITY:
            raise StateError(f"function {state['name']!r}: {token.op!r} is no operation.")
        if token.op == "column" and not -n_arguments <= token.arg < 0:
            raise StateError(f"function {state['name']!r} has no argument {-1 - token.arg}.")
        if waiting < ARITY[token.op]:
            raise StateError(f"function {state['name']!r} lacks an operand.")
        waiting += 1 - ARITY[token.op]
    if waiting != 1:
        raise StateError(f"function {state['name']!r} must have one result.")
    _Compiled.__init__(function, state["name"], body, state["takes"], state["returns"])


COMPOSED = Recipe(
    _Compiled,
    {"name": TEXT, "body": _TOKENS, "takes": _TYPES, "returns": one(Type)},
    lambda function: {
        "name": function.name,
        "body": tuple(tuple(token) for token in function.body),
        "takes": function.takes,
        "returns": function.returns,
    },
    _fill_composed,
    alias="ComposedFunction",
)

# -- Columns that functions make


def _check_derived(derived: Derived) -> None:
    """Refuse arguments that are no expressions of the types that the function takes."""
    who, takes = f"a column of function {derived.function.name!r}", derived.function.takes
    if len(derived.arguments) != len(takes):
        raise StateError(f"{who} has another number of arguments.")
    for type_, tokens in zip(takes, derived.arguments, strict=True):
        known = all(
            type(op) is int and 0 <= op < len(OPS) and 0 <= arg < 2**31 for op, arg, _ in tokens
        )
        if not known:
            raise StateError(f"{who} has an unknown token.")
        no_rows = np.empty((0, 1 + max((arg for _, arg, _ in tokens), default=0)))
        ask = _core.evaluate if type_ == Bool else _core.numbers
        try:
            ask(list(tokens), no_rows)
        except ValueError as problem:
            raise StateError(f"{who}: {problem}.") from None


DERIVED = record(Derived, _check_derived, function=one(Function), arguments=many(_TOKENS, tuple))

FUNCTIONS: list[Recipe[Any]] = [TYPE, FUNCTION, COMPOSED, DERIVED]
