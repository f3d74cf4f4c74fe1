"""The symbols of an expression, in postfix order: operands first, then what is done with them."""

from collections.abc import Sequence
from typing import NamedTuple

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
