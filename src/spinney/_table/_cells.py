"""The two forms of a column: numbers, or codes with labels; conversions and error messages.

The readers of `_readers` return one of them; `_encode` requests the form that the schema needs
and converts: numbers to codes if the user declares them categorical, codes to numbers if a numeric
column arrives as text. `CodedLabels` is a categorical column that needs no table library.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spinney._format import LARGEST_EXACT
from spinney._table._schema import Label
from spinney._typing import Floats

# The estimator checks of scikit-learn look for these words.
STRING_OR_NUMBER = "argument must be a string or a real number"


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers, in whatever numeric dtype it came."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Codes:
    """A column of categories: `labels[codes[i]]` is the label of row i.

    The code of a missing cell is -1 or `len(labels)`: both are the last place of a list that is
    one longer than `labels`, so a lookup never leaves its table. A label of None is missing too;
    two places may hold the same label.
    """

    codes: NDArray[Any]
    labels: list[Label | None]
    ordered: bool = False

    def occurring(self, rows: NDArray[np.bool_] | None = None) -> list[Label]:
        """Return the distinct labels that occur, in the given rows if any are given."""
        seen = np.zeros(len(self.labels) + 1, dtype=bool)
        seen[self.codes if rows is None else self.codes[rows]] = True
        labels = dict.fromkeys(self.labels[place] for place in np.flatnonzero(seen[:-1]))
        return [label for label in labels if label is not None]

    def replace(self, numbers: dict[Label, float]) -> Floats:
        """Return the column with each label replaced by its number, others by NaN."""
        nan = float("nan")
        # A label of None is in no dictionary of numbers, so it gives NaN as well.
        found = [numbers.get(label, nan) for label in self.labels]  # type: ignore[arg-type]
        values: Floats = np.array([*found, nan])[self.codes]
        return values


Cells: TypeAlias = Numbers | Codes


def as_label(value: Any) -> Label | None:
    """Return the value as a plain str, int, float or bool; None if it is missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real | Decimal):
        number = float(value) + 0.0  # the two zeros are one category, written 0.0
        return None if number != number else number
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)  # intervals and dates that were made a category


def as_labels(values: Iterable[Any]) -> list[Label | None]:
    """Return the values as labels."""
    labels = list(values)
    if set(map(type, labels)) <= {str, int, bool}:  # nothing to convert, and fast to see
        return labels
    return [as_label(value) for value in labels]


def as_objects(values: Sequence[Any]) -> NDArray[Any]:
    """Return a 1-D array of objects."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def numbers_to_codes(numbers: Numbers) -> Codes:
    """Turn numbers into categories, one for each distinct value."""
    values, missing = numbers.values, numbers.missing
    if values.dtype.kind == "f":
        values = to_float64(values) + 0.0  # labels are Python floats, and -0.0 is 0.0
        gaps = np.isnan(values)
        missing = gaps if missing is None else missing | gaps
    if missing is None or not missing.any():
        distinct, codes = np.unique(values, return_inverse=True)
        return Codes(codes, distinct.tolist())
    codes = np.full(len(values), -1, dtype=np.int64)
    distinct, codes[~missing] = np.unique(values[~missing], return_inverse=True)
    return Codes(codes, distinct.tolist())


def codes_to_numbers(codes: Codes, name: str, remedy: str) -> Floats:
    """Read the labels as numbers: 7, 7.0, "7" and True are, "seven" is an error."""
    numbers: dict[Label, float] = {}
    for label in codes.occurring():
        try:
            numbers[label] = float(label)
        except (ValueError, OverflowError):
            raise ValueError(
                f"column {name!r} must hold numbers, but it holds {label!r}. {remedy}"
            ) from None
    return codes.replace(numbers)


def numbers_to_float64(numbers: Numbers, name: str) -> Floats:
    """Return the numbers as float64, with NaN where they are missing."""
    values = to_float64(numbers.values, [name])
    if numbers.missing is not None and numbers.missing.any():
        values = np.where(numbers.missing, np.nan, values)
    return values


def is_followable(values: Floats) -> bool:
    """Return whether the core can read an array in place: its elements are aligned."""
    return values.flags.aligned and not any(stride % 8 for stride in values.strides)


def to_float64(values: NDArray[Any], names: Iterable[str] = ()) -> Floats:
    """Return a column, or a block of columns, as float64; warn where integers are rounded."""
    if values.dtype == np.float64:  # native byte order only
        return values if is_followable(values) else values.copy()
    with np.errstate(over="ignore"):  # a long double beyond the range of float64 is infinite
        converted: Floats = values.astype(np.float64)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        largest = max(-int(values.min()), int(values.max()))
        if largest > LARGEST_EXACT:
            _warn_rounded(values, converted, names)
    return converted


def _warn_rounded(values: NDArray[Any], converted: Floats, names: Iterable[str]) -> None:
    limit = 2.0 ** (63 if values.dtype.kind == "i" else 64)
    with np.errstate(invalid="ignore"):
        # At the limit itself the way back is undefined; such a value was rounded up to it.
        rounded = (converted >= limit) | (converted.astype(values.dtype) != values)
    columns = rounded.reshape(len(values), -1)
    for name, count in zip(names, columns.sum(axis=0).tolist(), strict=True):
        if count:
            warn_rounded(name, count)


def warn_rounded(name: str, count: int) -> None:
    """Warn that so many integers of a column are not exact as float64."""
    warnings.warn(
        f"column {name!r} holds {count} integer(s) beyond 2**53 that lose precision as float64: "
        "neighbouring values may become equal. If they are identifiers, leave the column out or "
        "name it in categorical_features.",
        UserWarning,
        stacklevel=2,
    )


def dates_error(name: str, dtype: str) -> ValueError:
    """Return the error for a column of dates, times or time spans."""
    what = "time spans" if dtype == "timedelta64" else "dates" if dtype != "time" else "times"
    example = "days since a date" if what == "dates" else "hours"
    return ValueError(
        f"column {name!r} holds {what} ({dtype}). Turn it into a number, such as {example}, or "
        "into a category."
    )


def nested_error(name: str, dtype: object) -> TypeError:
    """Return the error for a column whose cells hold several values."""
    return TypeError(
        f"column {name!r} holds nested values ({dtype}): every {STRING_OR_NUMBER}. Spread the "
        "values over columns of their own."
    )


def object_error(name: str, type_name: str) -> TypeError:
    """Return the error for an object that is neither a string nor a number."""
    return TypeError(
        f"column {name!r} holds an object of type {type_name!r}: every {STRING_OR_NUMBER}, "
        "or missing."
    )


def mixed_error(name: str, found: list[str]) -> TypeError:
    """Return the error for a column that mixes kinds of values."""
    return TypeError(
        f"column {name!r} mixes {' and '.join(found)}: every {STRING_OR_NUMBER}, and all of one "
        "kind. Convert the column to strings, or to numbers."
    )


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """Labels as places in a list of categories.

    Parameters
    ----------
    codes : array of int
        One for each row; -1 is missing.
    categories : sequence of str
        The categories of the codes; lowest first, if they have an order.
    ordered : bool, default=False
        Whether they have one.
    """

    codes: NDArray[Any]
    categories: Sequence[str]
    ordered: bool = False

    @classmethod
    def of(cls, values: NDArray[Any], categories: Sequence[str]) -> "CodedLabels":
        """Return ordered labels by their texts; None, and what is no category, is missing."""
        places = {label: code for code, label in enumerate(categories)}
        codes = np.array([places.get(label, -1) for label in values.tolist()], dtype=np.int64)
        return cls(codes, categories, ordered=True)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "CodedLabels":
        return replace(self, codes=self.codes[rows])

    def tolist(self) -> list[str | None]:
        """Return the labels; None for a gap."""
        return [None if code < 0 else self.categories[code] for code in self.codes.tolist()]

    def cells(self) -> Codes:
        """Return the column as it is encoded."""
        return Codes(self.codes, list(self.categories), ordered=self.ordered)
