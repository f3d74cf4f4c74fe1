"""The symbols of an expression, and the value of an expression for rows: true, false, or unknown.

Tokens are in postfix order: operands first, then what is done with them. They are evaluated by the
same operations in the same order as in the core, so the results are the same to the last bit.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._table import Column
from spinney._typing import Floats

# In the order of the core's codes.
OPS = (
    "column",
    "constant",
    "add",
    "subtract",
    "multiply",
    "sine",
    "equal",
    "greater",
    "positive",
    "both",
    "either",
    "negate",
)
ARITY = dict.fromkeys(OPS, 2) | {
    "column": 0,
    "constant": 0,
    "sine": 1,
    "positive": 1,
    "negate": 1,
}
GIVES_TRUTH = frozenset(OPS[OPS.index("equal") :])
TAKES_TRUTH = frozenset(OPS[OPS.index("both") :])
# Pi in three parts, and the series of the sine from -1/15! to -1/3!.
INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
PI = tuple(
    map(float.fromhex, ("0x1.921fb54400000p1", "0x1.0b4611a600000p-33", "0x1.3198a2e037073p-68"))
)
SHIFT = 1.5 * 2.0**52  # added and taken away: rounds to a whole number
SERIES = tuple(
    map(
        float.fromhex,
        (
            "0x1.71b8ef6dcf572p-66",
            "-0x1.2f49b46814157p-57",
            "0x1.952c77030ad4ap-49",
            "-0x1.ae7f3e733b81fp-41",
            "0x1.6124613a86d09p-33",
            "-0x1.ae64567f544e4p-26",
            "0x1.71de3a556c734p-19",
            "-0x1.a01a01a01a01ap-13",
            "0x1.1111111111111p-7",
            "-0x1.5555555555555p-3",
        ),
    )
)
FAR_SINE = 1e6  # from here on the sine is that of the mathematical library


class Token(NamedTuple):
    """One symbol of an expression.

    Parameters
    ----------
    op : str
        One of `OPS`.
    arg : int
        For "column", which one.
    value : float
        For "constant", the number, or the code of a category.
    """

    op: str
    arg: int = 0
    value: float = 0.0


def most_waiting(tokens: Sequence[Token]) -> int:
    """Return how many operands of an expression wait at the same time."""
    waiting = most = 0
    for token in tokens:
        waiting += 1 - ARITY[token.op]
        most = max(most, waiting)
    return most


def check_tokens(tokens: Sequence[Token], n_columns: int) -> None:
    """Refuse tokens that are no test, as the core does."""
    waiting: list[bool] = []  # whether each operand is a truth value
    for token in tokens:
        if token.op not in ARITY:
            raise ValueError(f"{token.op!r} is no operation; they are {', '.join(OPS)}.")
        if token.op == "column" and not 0 <= token.arg < n_columns:
            raise ValueError(f"an expression asks column {token.arg} of {n_columns}.")
        if token.op == "constant" and token.value != token.value:
            raise ValueError("a constant of an expression is NaN.")
        takes = ARITY[token.op]
        operands = waiting[len(waiting) - takes :] if takes <= len(waiting) else None
        if operands is None or any(truth != (token.op in TAKES_TRUTH) for truth in operands):
            raise ValueError(f"{token.op!r} of an expression lacks a fitting operand.")
        del waiting[len(waiting) - takes :]
        waiting.append(token.op in GIVES_TRUTH)
    if waiting != [True]:
        raise ValueError("an expression must have one result, which is true or false.")


def sine(x: Floats) -> Floats:
    """Return the sine of each number, as the core works it out."""
    is_near = np.abs(x) < FAR_SINE
    near = np.where(is_near, x, 0.0)
    n = (near * INVERSE_PI + SHIFT) - SHIFT
    r = ((near - n * PI[0]) - n * PI[1]) - n * PI[2]
    s = r * r
    p = np.full_like(s, SERIES[0])
    for factor in SERIES[1:]:
        p = p * s + factor
    y = r + r * s * p
    found: Floats = np.where(n % 2.0 == 0.0, y, -y)
    for place in np.flatnonzero(~is_near).tolist():
        far = float(x[place])
        found[place] = math.sin(far) if math.isfinite(far) else math.nan
    return found


def truth(tokens: Sequence[Token], values: Floats) -> Floats:
    """Return for each encoded row 1 if an expression is true, 0 if it is false, NaN if unknown.

    Parameters
    ----------
    tokens : sequence of Token
        The expression.
    values : array of shape (n_rows, n_features)
        Numbers and category codes; NaN is missing.
    """
    waiting: list[Floats] = []
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for token in tokens:
            if token.op == "column":
                waiting.append(np.asarray(values[:, token.arg], dtype=np.float64))
            elif token.op == "constant":
                waiting.append(np.full(len(values), token.value))
            elif token.op in ("sine", "positive", "negate"):
                waiting.append(_one(token.op, waiting.pop()))
            else:
                right = waiting.pop()
                waiting.append(_two(token.op, waiting.pop(), right))
    return waiting[0]


def _one(op: str, a: Floats) -> Floats:
    if op == "sine":
        return sine(a)
    return 1.0 - a if op == "negate" else _known(a > 0.0, a == a)


def _two(op: str, a: Floats, b: Floats) -> Floats:
    if op == "add":
        return a + b
    if op == "subtract":
        return a - b
    if op == "multiply":
        return a * b
    if op == "both":
        return np.where((a == 0.0) | (b == 0.0), 0.0, a * b)
    if op == "either":
        return np.where((a == 1.0) | (b == 1.0), 1.0, a + b)
    return _known(a == b if op == "equal" else a > b, (a == a) & (b == b))


def _known(answer: NDArray[np.bool_], known: NDArray[np.bool_]) -> Floats:
    return np.where(known, answer.astype(np.float64), np.nan)


def encoded_row(columns: Sequence[Column], features: Sequence[int], row: Any) -> Floats:
    """Return one raw row as a table of encoded values; columns that are not used are missing.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    features : sequence of int
        Those to encode.
    row : mapping from names to values, or sequence in the order of the columns
        A raw row.
    """
    by_name = isinstance(row, Mapping) or hasattr(row, "keys")
    if not by_name and len(row) != len(columns):
        raise ValueError(f"a row has {len(columns)} values, got {len(row)}.")
    values = np.full((1, len(columns)), np.nan)
    for feature in features:
        column = columns[feature]
        value = row[column.name if by_name else feature]
        if is_missing(value):
            continue
        found = value if column.kind == "numeric" else column.code_of(value)
        values[0, feature] = np.nan if found is None else float(found)
    return values


def is_missing(value: Any) -> bool:
    """Return whether a raw value is missing."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA answers every comparison with itself
        return True
