"""What an evolved test is worth, and when a node is a leaf: row by row, in plain NumPy.

A test answers True, False or None (unknown) for each row. Its side is where the rows that it
cannot place go too: the heavier of the two, the true one if they are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._expression.tokens import sine

from .expression import evaluate

Array = Any


def core_sine(x: float) -> float:
    """Return the sine of one number to the last bit as the core has it, so that ties are ties."""
    return float(sine(np.array([x]))[0])


def answers(tokens: Sequence[Any], table: Array) -> list[bool | None]:
    """Return what a test says about each row of an encoded table."""
    return [evaluate(tokens, row, core_sine) for row in np.asarray(table, dtype=float).tolist()]


def entropy_in_counts(y: Array, weight: Array) -> float:
    """Return H = -sum n_i log2(n_i / n), n_i being the weight of class i."""
    total = 0.0
    for one in np.unique(y):
        own = weight[y == one].sum()
        if own > 0:
            total -= own * np.log2(own / weight.sum())
    return float(total)


def squares(y: Array, weight: Array) -> float:
    """Return the variance times the weight."""
    if not weight.sum() > 0:
        return 0.0
    mean = (weight * y).sum() / weight.sum()
    return float((weight * (y - mean) ** 2).sum())


def goes_true(said: Sequence[bool | None], weight: Array) -> bool:
    """Say whether rows that the test cannot place go with the true ones."""
    yes = np.array([one is True for one in said], dtype=bool)
    no = np.array([one is False for one in said], dtype=bool)
    return bool(weight[yes].sum() >= weight[no].sum())


def side_of(said: Sequence[bool | None], weight: Array) -> Array:
    """Return for each row whether it goes the true way."""
    unknown = goes_true(said, weight)
    return np.array([unknown if one is None else one for one in said], dtype=bool)


def gain(said: Sequence[bool | None], y: Array, weight: Array, loss: Any) -> float:
    """Return what a test takes away from the loss; nothing if it is not both true and false."""
    if not {True, False} <= set(said):
        return 0.0
    true = side_of(said, weight)
    parts = [loss(y[side], weight[side]) for side in (true, ~true)]
    return float(loss(y, weight) - sum(parts))


def least_gain(
    said: Sequence[bool | None], earlier: list[Array], y: Array, weight: Array, loss: Any
) -> float:
    """Return the least that a test takes away from what one earlier root has left (J).

    It is the gain if there is no earlier root, or if one of them has left nothing.
    """
    left = [sum(loss(y[part], weight[part]) for part in (side, ~side)) for side in earlier]
    if min(left, default=0.0) <= 1e-12 * weight.sum():
        return gain(said, y, weight, loss)
    worth = []
    for side in earlier:
        total = 0.0
        for part in (side, ~side):
            kept = [one for one, inside in zip(said, part, strict=True) if inside]
            total += gain(kept, y[part], weight[part], loss)
        worth.append(total)
    return min(worth)


@dataclass(frozen=True)
class Limits:
    """When a node is a leaf whatever tests there are."""

    min_entropy: float = 0.65
    min_variance: float = 0.05
    min_fraction: float = 0.05
    max_depth: int | None = None


def reason_to_stop(
    rows: Array, depth: int, y: Array, weight: Array, limits: Limits, loss: Any
) -> str:
    """Return why a node is a leaf before any search; empty if it is not."""
    own_y, own_weight = y[rows], weight[rows]
    if len(own_y) < 2 or len(np.unique(own_y)) < 2:
        return "pure"
    if limits.max_depth is not None and depth >= limits.max_depth:
        return "deep"
    if own_weight.sum() < limits.min_fraction * weight.sum():
        return "light"
    left = loss(own_y, own_weight) / own_weight.sum()
    if loss is entropy_in_counts:
        return "sure" if left < limits.min_entropy else ""
    return "sure" if left < limits.min_variance * loss(y, weight) / weight.sum() else ""
