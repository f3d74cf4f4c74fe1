"""What a value of a model's state may be: words for messages, and a test."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney._typing import Floats

LARGEST = 1e150  # of what is multiplied with columns or votes; scaled columns are at most 1e100
_LABEL_TYPES = (str, int, float, bool)


class StateError(ValueError):
    """A state that is not one of a model."""


@dataclass(frozen=True)
class Kind:
    """A kind of value.

    Parameters
    ----------
    words : str
        What it is, to follow "must be".
    fits : callable
        Returns whether a value is of this kind.
    optional : bool, default=False
        Whether an attribute of this kind may be missing.
    """

    words: str
    fits: Callable[[Any], bool]
    optional: bool = False

    def check(self, value: Any, where: str) -> None:
        """Refuse a value that is not of this kind."""
        if not self.fits(value):
            raise StateError(f"{where} must be {self.words}, got {shown(value)}.")


def is_array(value: Any) -> bool:
    """Return whether a value is a plain array, or one in a file that joblib has mapped."""
    return type(value) is np.ndarray or type(value) is np.memmap


def check_bounded(numbers: Floats, what: str) -> None:
    """Refuse numbers that no fit comes near to: sums of them might not be finite."""
    if not (np.abs(numbers) <= LARGEST).all():
        raise StateError(f"{what} is not finite, or beyond {LARGEST:g}.")


def is_zero(value: float) -> bool:
    """Return whether a number is 0, and not -0."""
    return value == 0.0 and math.copysign(1.0, value) > 0.0


def shown(value: Any) -> str:
    """Return a value as text that fits into a message."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {value.shape}"
    if value is None or isinstance(value, int | float | str):
        text = repr(value)
        return text if len(text) <= 40 else text[:37] + "..."
    return f"a {type(value).__name__}"


def perhaps(kind: Kind) -> Kind:
    """Return the kind of an attribute that some models do not have."""
    return replace(kind, optional=True)


def or_none(kind: Kind) -> Kind:
    """Return the kind of a value that may be None."""
    return Kind(f"{kind.words} or None", lambda v: v is None or kind.fits(v), kind.optional)


def whole(low: int | None = 0, high: int | None = None) -> Kind:
    """Return the kind of a whole number within limits."""
    limits = [f">= {low}" if low is not None else "", f"<= {high}" if high is not None else ""]
    words = " ".join(["a whole number", *filter(None, [" and ".join(filter(None, limits))])])

    def fits(value: Any) -> bool:
        if type(value) is not int:
            return False
        return (low is None or value >= low) and (high is None or value <= high)

    return Kind(words, fits)


def choice(*words: str) -> Kind:
    """Return the kind of a text that is one of some."""
    listed = ", ".join(map(repr, words))
    return Kind(f"one of {listed}", lambda v: isinstance(v, str) and v in words)


def array(dtype: Any, ndim: int | None = 1) -> Kind:
    """Return the kind of an array of one dtype and number of dimensions."""
    wanted = np.dtype(dtype)
    many = "" if ndim is None else f"{ndim}-D "

    def fits(value: Any) -> bool:
        of_type = is_array(value) and value.dtype == wanted
        return of_type and (ndim is None or value.ndim == ndim)

    return Kind(f"a {many}array of {wanted}", fits)


def many(kind: Kind, type_: type[Iterable[Any]] = list) -> Kind:
    """Return the kind of a list, or a tuple, of values of one kind."""

    def fits(value: Any) -> bool:
        return type(value) is type_ and all(kind.fits(item) for item in value)

    return Kind(f"a {type_.__name__} of items that are each {kind.words}", fits)


def row(*kinds: Kind) -> Kind:
    """Return the kind of a tuple with a kind for each place."""
    return Kind(
        f"a tuple of {', '.join(kind.words for kind in kinds)}",
        lambda v: (
            type(v) is tuple
            and len(v) == len(kinds)
            and all(kind.fits(item) for kind, item in zip(kinds, v, strict=True))
        ),
    )


def one(*classes: type) -> Kind:
    """Return the kind of an object of a class."""
    names = " or ".join(cls.__name__ for cls in classes)
    return Kind(f"a {names}", lambda v: isinstance(v, classes))


def named(name: str) -> Kind:
    """Return the kind of an object of a class that cannot be imported here."""
    return Kind(f"a {name}", lambda v: type(v).__name__ == name)


def need(fits: bool, who: Any, what: str) -> None:
    """Refuse an object whose attributes do not fit together."""
    if not fits:
        raise StateError(f"{type(who).__name__}: {what}.")


def same_labels(one_: Any, other: Any) -> bool:
    """Return whether two arrays of labels, or None, are the same."""
    if one_ is None or other is None:
        return one_ is other
    return bool(one_.dtype == other.dtype and one_.tolist() == other.tolist())


def _is_labels(value: Any) -> bool:
    """Return whether a value is an array of labels that differ."""
    if not is_array(value) or value.ndim != 1 or value.dtype.kind not in "biufUO":
        return False
    if value.dtype.kind != "O":  # without an object for each: there may be very many
        ordered = np.sort(value)
        return bool((ordered[1:] != ordered[:-1]).all() and (value == value).all())
    labels = value.tolist()
    known = all(isinstance(v, _LABEL_TYPES) for v in labels)
    return known and len(set(labels)) == len(labels) and all(v == v for v in labels)


def _is_names(value: Any) -> bool:
    return (
        is_array(value)
        and value.ndim == 1
        and value.dtype == object
        and all(type(v) is str for v in value.tolist())
    )


ANYTHING = Kind("anything", lambda v: True)
FLAG = Kind("True or False", lambda v: type(v) is bool)
NUMBER = Kind("a number", lambda v: type(v) is float)
FINITE = Kind("a finite number", lambda v: type(v) is float and bool(np.isfinite(v)))
STRENGTH = Kind("a finite number >= 0", lambda v: FINITE.fits(v) and v >= 0.0)
TEXT = Kind("text", lambda v: isinstance(v, str))
LABELS = Kind("a 1-D array of labels that differ", _is_labels)
NAMES = Kind("a 1-D array of texts", _is_names)
FLOATS = array(np.float64)
FLOATS_2D = array(np.float64, 2)
PLACES = array(np.int64)
SIZE = whole(0, 2**40)
SEED = whole(0, 2**64 - 1)
SHARE = Kind("a number from 0 to 1", lambda v: type(v) is float and 0.0 <= v <= 1.0)
