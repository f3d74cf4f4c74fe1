"""From votes to decisions: who leads, and whether the lead is enough for the rule.

The leader of a row is the class with the most votes, of several the one of the lowest index. A rule
asks how large a share of all votes the leader must have. Weights are sums of floats, so shares are
compared up to one part in 10**9: thirds may be written as 2 / 3.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Choice, Number, is_number

Floats = NDArray[np.float64]

RULES = ("plurality", "majority", "unanimous")
SLACK = 1e-9


@dataclass(frozen=True)
class Quorum:
    """The share of the votes that a decision needs."""

    share: float
    strict: bool = False  # more than that share

    def reached(self, shares: Floats) -> NDArray[np.bool_]:
        """Tell which of some shares are enough."""
        if self.strict:
            return np.asarray(shares > self.share + SLACK)
        return np.asarray(shares >= self.share - SLACK)


def read_rule(rule: Any, name: str = "rule", words: tuple[str, ...] = RULES) -> Quorum:
    """Return what a rule asks for."""
    if is_number(rule):
        return Quorum(Number(0.0, 1.0, open_low=True).check(name, rule))
    if not isinstance(rule, str) or rule not in words:
        if isinstance(rule, str):
            Choice(words).check(name, rule)
        listed = ", ".join(repr(word) for word in words)
        raise ValueError(
            f"{name} must be one of {listed}, or a share of the votes > 0 and <= 1, got {rule!r}."
        )
    return {
        "plurality": Quorum(0.0),
        "majority": Quorum(0.5, strict=True),
        "unanimous": Quorum(1.0),
    }[rule]


def vote_weights(weights: Any, n_members: int) -> Floats:
    """Return what the vote of each member counts."""
    numbers = read_weights(weights)
    if numbers is None:
        return np.ones(n_members)
    if numbers.shape != (n_members,):
        raise ValueError(
            f"weights must hold one number for each of the {n_members} members, got an array of "
            f"shape {numbers.shape}."
        )
    return numbers


def read_weights(weights: Any) -> Floats | None:
    """Return weights as an array, whatever the number of members; None for equal ones."""
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.dtype.kind not in "biuf" and given.dtype != object:
        raise ValueError(f"weights must be numbers, got {weights!r}.")
    try:
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"weights must be numbers, got {weights!r}.") from None
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
    if len(bad):
        raise ValueError(
            f"weights must be finite and >= 0, got {numbers.flat[bad[0]]} for member {bad[0]}."
        )
    total = sum(numbers.ravel().tolist())
    if not total > 0:
        raise ValueError("weights are all 0. Give at least one member a vote.")
    if not np.isfinite(total):
        raise ValueError("weights add up to more than a float can hold. Divide all by the largest.")
    return numbers


def count_votes(codes: list[NDArray[np.intp]], weights: Floats, n_classes: int) -> Floats:
    """Return the weight of the votes for each class in each row."""
    n_rows = len(codes[0])
    votes = np.zeros((n_rows, n_classes))
    rows = np.arange(n_rows)
    for named, weight in zip(codes, weights.tolist(), strict=True):
        votes[rows, named] += weight
    return votes


def leaders(votes: Floats, total: float) -> tuple[NDArray[np.intp], Floats]:
    """Return the leading class of each row and its share of all votes."""
    most = votes.max(axis=1)
    level = votes >= (most - SLACK * total)[:, None]
    return level.argmax(axis=1), np.minimum(most / total, 1.0)
