"""What a value may be: small objects that accept it, or describe in one sentence what is accepted.

A check has a text of what it accepts, which messages, documentation and the command line can use,
and `check(name, value)`, which returns the value as a plain type or raises an error that names it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from spinney._format import did_you_mean

_LONGEST = 80  # letters of a value that a message shows


def is_integer(value: Any) -> bool:
    """Return whether a value is a whole number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Real)


class Check(ABC):
    """What a value may be."""

    remedy = ""

    @property
    @abstractmethod
    def accepts(self) -> str:
        """What it may be, to follow "must be"."""

    @abstractmethod
    def takes(self, value: Any) -> bool:
        """Return whether a value is valid."""

    def alternatives(self) -> Sequence[str]:
        """Return the parts of `accepts` that "or" joins."""
        return [self.accepts]

    def hint(self, value: Any) -> str:
        """Return what to do about a wrong value, with a space in front, or nothing."""
        return self.remedy and f" {self.remedy}"

    def plain(self, value: Any) -> Any:
        """Return a right value as a plain type."""
        return value

    def check(self, name: str, value: Any) -> Any:
        """Return a right value as a plain type, or raise an error.

        Parameters
        ----------
        name : str
            The parameter.
        value : object
            What the user gave.

        Returns
        -------
        object
        """
        if self.takes(value):
            return self.plain(value)
        shown = repr(value)
        if len(shown) > _LONGEST:
            shown = f"a value of type {type(value).__name__}"
        raise ValueError(f"{name} must be {self.accepts}, got {shown}.{self.hint(value)}")


@dataclass(frozen=True)
class Choice(Check):
    """One of some names, of which None may be one."""

    names: Sequence[str | None]
    remedy: str = ""

    @property
    def accepts(self) -> str:
        """What it may be."""
        return f"one of {', '.join(self.alternatives())}"

    def alternatives(self) -> Sequence[str]:
        """Return the names as they are written in Python."""
        return [repr(name) for name in self.names]

    def takes(self, value: Any) -> bool:
        """Return whether a value is one of the names."""
        return (value is None or isinstance(value, str)) and value in self.names

    def hint(self, value: Any) -> str:
        """Return the name that may have been meant."""
        if not isinstance(value, str):
            return super().hint(value)
        known = [name for name in self.names if name is not None]
        return did_you_mean(value, known) or super().hint(value)


@dataclass(frozen=True)
class Integer(Check):
    """A whole number between two bounds."""

    low: int
    high: int | None = None
    remedy: str = ""

    @property
    def accepts(self) -> str:
        """What it may be."""
        upper = "" if self.high is None else f" and <= {self.high}"
        return f"an integer >= {self.low}{upper}"

    def takes(self, value: Any) -> bool:
        """Return whether a value is such a number."""
        return is_integer(value) and self.low <= value and (self.high is None or value <= self.high)

    def plain(self, value: Any) -> int:
        """Return it as an int."""
        return int(value)


@dataclass(frozen=True)
class Number(Check):
    """A finite number between two bounds, which it may reach unless they are open."""

    low: float
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    remedy: str = ""

    @property
    def accepts(self) -> str:
        """What it may be."""
        lower = f"{'>' if self.open_low else '>='} {self.low:g}"
        if self.high is None:
            return f"a number {lower}"
        return f"a number {lower} and {'<' if self.open_high else '<='} {self.high:g}"

    def takes(self, value: Any) -> bool:
        """Return whether a value is such a number."""
        if not is_number(value):
            return False
        try:
            number = float(value)
        except OverflowError:  # an integer that no float can hold
            return False
        above = number > self.low if self.open_low else number >= self.low
        high = math.inf if self.high is None else self.high
        below = number < high if self.open_high else number <= high
        return above and below and math.isfinite(number)

    def plain(self, value: Any) -> float:
        """Return it as a float."""
        return float(value)


@dataclass(frozen=True)
class Share(Check):
    """A fraction of something: below 1, or up to `most`."""

    of: str
    most: float | None = None

    @property
    def accepts(self) -> str:
        """What it may be."""
        if self.most is None:
            return f"a share of the {self.of} between 0 and 1"
        limit = "" if math.isinf(self.most) else f" and at most {self.most:g}"
        return f"a share of the {self.of} above 0{limit}"

    def takes(self, value: Any) -> bool:
        """Return whether a value is such a fraction; an integer is a number of things."""
        if not is_number(value) or is_integer(value) or not 0.0 < value < math.inf:
            return False
        return bool(value < 1.0 if self.most is None else value <= self.most)

    def plain(self, value: Any) -> float:
        """Return it as a float."""
        return float(value)


@dataclass(frozen=True)
class Flag(Check):
    """True or False, and not what only counts as such."""

    @property
    def accepts(self) -> str:
        """What it may be."""
        return "True or False"

    def alternatives(self) -> Sequence[str]:
        """Return both."""
        return ["True", "False"]

    def takes(self, value: Any) -> bool:
        """Return whether a value is one of both."""
        return isinstance(value, bool | np.bool_)

    def plain(self, value: Any) -> bool:
        """Return it as a bool."""
        return bool(value)


@dataclass(frozen=True)
class Such(Check):
    """Whatever a function accepts."""

    text: str
    test: Callable[[Any], bool]
    remedy: str = ""

    @property
    def accepts(self) -> str:
        """What it may be."""
        return self.text

    def takes(self, value: Any) -> bool:
        """Return what the function returns."""
        return self.test(value)


@dataclass(frozen=True)
class Read(Check):
    """Whatever a function can read; it raises errors of its own that name the parameter."""

    text: str
    read: Callable[[Any], Any]

    @property
    def accepts(self) -> str:
        """What it may be."""
        return self.text

    def takes(self, value: Any) -> bool:
        """Return whether the function can read a value."""
        self.read(value)
        return True


@dataclass(frozen=True)
class Either(Check):
    """What one of some checks takes."""

    checks: Sequence[Check]
    remedy: str = ""

    @property
    def accepts(self) -> str:
        """What it may be."""
        *most, last = self.alternatives()
        return f"{', '.join(most)} or {last}"

    def alternatives(self) -> Sequence[str]:
        """Return those of all checks."""
        return [text for check in self.checks for text in check.alternatives()]

    def takes(self, value: Any) -> bool:
        """Return whether one of the checks accepts a value."""
        return any(check.takes(value) for check in self.checks)

    def hint(self, value: Any) -> str:
        """Return the first hint that a check has."""
        hints = [check.hint(value) for check in self.checks]
        return next(filter(None, hints), super().hint(value))

    def plain(self, value: Any) -> Any:
        """Return it as the check that takes it has it."""
        return next(check for check in self.checks if check.takes(value)).plain(value)


def optional(check: Check) -> Either:
    """Return a check that takes None too."""
    return Either([Choice([None]), check])
