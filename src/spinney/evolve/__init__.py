"""Evolved expressions: types, functions and terminals of the tests of evolved trees."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.evolve._functions import (
    FUNCTIONS,
    Bool,
    Expression,
    Function,
    Nominal,
    Numeric,
    Ordered,
    Type,
    compose,
    sin,
)
from spinney.evolve._language import Constant

__all__ = [
    "FUNCTIONS",
    "Bool",
    "Constant",
    "Expression",
    "Function",
    "Nominal",
    "Numeric",
    "Ordered",
    "Type",
    "compose",
    "sin",
]
