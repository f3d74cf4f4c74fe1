"""Evolved expressions: types, functions and terminals that tests of trees are made of."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.evolve._functions import FUNCTIONS, Function, compose
from spinney.evolve._language import Constant
from spinney.evolve._symbols import Expression, sin
from spinney.evolve._types import Bool, Nominal, Numeric, Ordered, Type

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
