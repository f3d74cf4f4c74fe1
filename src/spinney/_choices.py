"""Checks of one value as functions; see `spinney._checks`."""

from collections.abc import Iterable
from typing import Any

from spinney._checks import Choice, Flag, Integer, Number, is_integer, is_number
from spinney._params import VERBOSE

__all__ = [
    "check_choice",
    "check_flag",
    "check_integer",
    "check_number",
    "check_verbose",
    "is_integer",
    "is_number",
]


def check_choice(name: str, value: Any, allowed: Iterable[str | None]) -> None:
    """Check that a parameter is one of the named choices."""
    Choice(tuple(allowed)).check(name, value)


def check_integer(name: str, value: Any, *, low: int, remedy: str = "") -> int:
    """Return a parameter as an int of at least `low`."""
    return int(Integer(low, remedy=remedy).check(name, value))


def check_verbose(value: Any) -> int:
    """Return how much a fit is to tell; True is 1."""
    return int(VERBOSE.check("verbose", value))


def check_number(
    name: str,
    value: Any,
    *,
    low: float,
    high: float | None = None,
    open_ends: bool = False,
    open_low: bool = False,
) -> float:
    """Return a parameter as a finite float between `low` and `high`."""
    bounds = Number(low, high, open_low=open_low or open_ends, open_high=open_ends)
    return float(bounds.check(name, value))


def check_flag(name: str, value: Any) -> bool:
    """Return a parameter that must be True or False."""
    return bool(Flag().check(name, value))
