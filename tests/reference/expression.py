"""What an expression over the columns of a row says, one symbol after the other.

Tokens come in postfix order as (op, arg, value) with the name of the operation. A row holds
numbers and category codes; NaN is missing. Numbers are floats; truth is True, False or None, which
stands for unknown.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def exact_sine(x: float) -> float:
    """Return the sine as the mathematical library gives it; NaN of an infinity."""
    return math.sin(x) if math.isfinite(x) else math.nan


def evaluate(
    tokens: Sequence[Any], row: Sequence[float], sine: Callable[[float], float] = exact_sine
) -> bool | None:
    """Return whether an expression is true for one row; None if nobody knows.

    The core's sine is a polynomial. Where ties of sines matter, give it as `sine`.
    """
    stack: list[Any] = []
    for op, arg, value in tokens:
        if op == "column":
            stack.append(float(row[arg]))
        elif op == "constant":
            stack.append(float(value))
        elif op == "sine":
            stack.append(sine(stack.pop()))
        elif op in ("positive", "negate"):
            stack.append(_of_one(op, stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(_of_two(op, left, right))
    (answer,) = stack
    assert answer is None or isinstance(answer, bool)
    return answer


def branches(
    tokens: Sequence[Any], table: Any, sine: Callable[[float], float] = exact_sine
) -> list[int]:
    """Return for each row 0 where an expression is true, 1 where it is false, -1 if unknown."""
    places = {True: 0, False: 1, None: -1}
    return [places[evaluate(tokens, row, sine)] for row in np.asarray(table, dtype=float).tolist()]


def _of_one(op: str, x: Any) -> Any:
    if op == "positive":
        return None if math.isnan(x) else x > 0
    return None if x is None else not x


def _of_two(op: str, a: Any, b: Any) -> Any:
    if op == "both":
        if a is False or b is False:
            return False
        return None if a is None or b is None else True
    if op == "either":
        if a is True or b is True:
            return True
        return None if a is None or b is None else False
    if op in ("equal", "greater"):
        if math.isnan(a) or math.isnan(b):
            return None
        return a == b if op == "equal" else a > b
    return {"add": a + b, "subtract": a - b, "multiply": a * b}[op]


def random_expression(
    rng: np.random.Generator, n_categories: Sequence[int], depth: int = 3
) -> list[tuple[str, int, float]]:
    """Return the tokens of a random test; columns of 0 categories are numbers.

    A column of categories is compared with one of its codes; numbers go through everything.
    """
    numbers = [j for j, count in enumerate(n_categories) if count == 0]
    labels = [j for j, count in enumerate(n_categories) if count]

    def number(depth: int) -> list[tuple[str, int, float]]:
        kind = rng.integers(0, 7 if depth else 3)
        if kind < 2 and numbers:
            return [("column", int(rng.choice(numbers)), 0.0)]
        if kind < 3 or depth == 0:
            return [("constant", 0, float(rng.choice(CONSTANTS)))]
        if kind == 3:
            return [*number(depth - 1), ("sine", 0, 0.0)]
        op = ("add", "subtract", "multiply")[int(rng.integers(3))]
        return [*number(depth - 1), *number(depth - 1), (op, 0, 0.0)]

    def truth(depth: int) -> list[tuple[str, int, float]]:
        kind = rng.integers(0, 10 if depth else 5)
        if kind < 2 and labels:
            column = int(rng.choice(labels))
            code = float(rng.integers(n_categories[column]))
            sides = [("column", column, 0.0), ("constant", 0, code)]
            return [*(sides[::-1] if rng.random() < 0.2 else sides), ("equal", 0, 0.0)]
        if kind < 5:
            if rng.random() < 0.3:
                return [*number(depth), ("positive", 0, 0.0)]
            op = ("equal", "greater", "greater")[int(rng.integers(3))]
            return [*number(depth), *number(depth), (op, 0, 0.0)]
        if kind < 7:
            return [*truth(depth - 1), ("negate", 0, 0.0)]
        left = truth(depth - 1)
        right = left if rng.random() < 0.2 else truth(depth - 1)
        return [*left, *right, (("both", "either")[int(rng.integers(2))], 0, 0.0)]

    return truth(depth)


CONSTANTS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.25, 1e9, 1e308, math.inf, -math.inf)


def random_rows(rng: np.random.Generator, n_categories: Sequence[int], n_rows: int) -> Any:
    """Return encoded rows with gaps, infinities, zeros and far numbers."""
    special = np.array([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1e308, 1e7, 2.0])
    columns = []
    for count in n_categories:
        if count:
            column = rng.integers(-1, count, n_rows).astype(float)
            column[column < 0] = math.nan
        else:
            column = rng.normal(0, 3, n_rows)
            odd = rng.random(n_rows) < 0.4
            column[odd] = rng.choice(special, odd.sum())
        columns.append(column)
    return np.asfortranarray(np.column_stack(columns))
