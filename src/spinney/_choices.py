"""Checks of constructor parameters: one clear error that names the parameter and what it takes."""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from spinney._nearest import did_you_mean


def is_integer(value: Any) -> bool:
    """Tell whether a value is a whole number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Real)


def check_choice(name: str, value: Any, allowed: Iterable[str | None]) -> None:
    """Check that a parameter is one of the named choices.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What the user gave.
    allowed : iterable of str or None
        The choices.
    """
    choices = list(allowed)
    if value is None or isinstance(value, str):
        if value in choices:
            return
        hint = did_you_mean(value or "", [choice for choice in choices if choice is not None])
    else:
        hint = ""
    listed = ", ".join(repr(choice) for choice in choices)
    raise ValueError(f"{name} must be one of {listed}, got {value!r}.{hint}")


def check_integer(name: str, value: Any, *, low: int, remedy: str = "") -> int:
    """Return a parameter as an int of at least `low`."""
    if is_integer(value) and int(value) >= low:
        return int(value)
    raise ValueError(f"{name} must be an integer >= {low}, got {value!r}.{remedy and ' ' + remedy}")


def check_verbose(value: Any) -> int:
    """Return how much a fit is to tell; True is 1."""
    return int(value) if isinstance(value, bool) else check_integer("verbose", value, low=0)


def check_number(
    name: str,
    value: Any,
    *,
    low: float,
    high: float = math.inf,
    open_ends: bool = False,
    open_low: bool = False,
) -> float:
    """Return a parameter as a finite float between `low` and `high`."""
    open_low = open_low or open_ends
    if is_number(value) and math.isfinite(float(value)):
        number = float(value)
        above = number > low if open_low else number >= low
        if above and (number < high if open_ends else number <= high):
            return number
    bounds = f"> {low:g}" if open_low else f">= {low:g}"
    if math.isfinite(high):
        bounds += f" and {'<' if open_ends else '<='} {high:g}"
    raise ValueError(f"{name} must be a number {bounds}, got {value!r}.")


def check_flag(name: str, value: Any) -> bool:
    """Return a parameter that must be True or False."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise ValueError(f"{name} must be True or False, got {value!r}.")
