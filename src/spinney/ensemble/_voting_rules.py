"""From votes to decisions: the leading class, and whether its share meets the rule.

The leader of a row is the class with the most votes, of several the one of the lowest index. A rule
defines the share of all votes that the leader must have. Weights are sums of floats, so shares are
compared up to one part in 10**9: thirds may be written as 2 / 3.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Choice, Number, is_number
from spinney._format import aligned
from spinney._typing import Floats

RULES = ("plurality", "majority", "unanimous")
SLACK = 1e-9


@dataclass(frozen=True)
class Quorum:
    """The share of the votes that a decision needs."""

    share: float
    strict: bool = False  # more than that share

    def reached(self, shares: Floats) -> NDArray[np.bool_]:
        """Return which of some shares are enough."""
        if self.strict:
            return np.asarray(shares > self.share + SLACK)
        return np.asarray(shares >= self.share - SLACK)


def read_rule(rule: Any, name: str = "rule", words: tuple[str, ...] = RULES) -> Quorum:
    """Return the quorum of a rule."""
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


@dataclass(frozen=True, eq=False)
class CoverageTable:
    """Coverage against accuracy, one line for each quorum that makes a difference.

    Parameters
    ----------
    quorum : array of shape (n_lines,)
        Shares of the votes that the leading class had in some row, ascending. Each can be given as
        `rule` to `VotingCombiner`. The first decides every row, as a plurality does.
    n_decided : array of shape (n_lines,)
        Rows in which the leading class has at least that share.
    coverage : array of shape (n_lines,)
        Their share of all rows, by weight.
    accuracy : array of shape (n_lines,)
        The share of them that is decided right, by weight.
    """

    quorum: Floats
    n_decided: NDArray[np.int64]
    coverage: Floats
    accuracy: Floats

    def __len__(self) -> int:
        return len(self.quorum)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists, by name; `pandas.DataFrame` takes them."""
        return {name: column.tolist() for name, column in vars(self).items()}

    def __str__(self) -> str:
        columns = [
            [head, *(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells)]
            for head, cells in self.to_dict().items()
        ]
        return "\n".join(aligned(list(zip(*columns, strict=True))))

    def __repr__(self) -> str:
        return f"CoverageTable({len(self)} quorums, coverage {self.coverage[-1]:.4g} to 1)"


def coverage_table(shares: Floats, is_right: NDArray[np.bool_], weight: Floats) -> CoverageTable:
    """Return the table from the leader's share in each row, and whether the leader is right."""
    counts = weight > 0  # other rows are as if absent
    shares, is_right, weight = shares[counts], is_right[counts], weight[counts]
    order = np.argsort(shares, kind="stable")
    shares, is_right, weight = shares[order], is_right[order], weight[order]
    quorum = _distinct(shares)
    first = np.searchsorted(shares, quorum - SLACK)  # the rows from there on are decided
    decided = np.cumsum(weight[::-1])[::-1][first]
    right = np.cumsum((weight * is_right)[::-1])[::-1][first]
    n_decided = (len(shares) - first).astype(np.int64)
    return CoverageTable(quorum, n_decided, decided / decided[0], right / decided)


def _distinct(shares: Floats) -> Floats:
    """Return sorted values that differ by more than rounding, each the smallest of its group."""
    values = np.unique(shares)
    first = np.ones(len(values), dtype=bool)
    start = 0
    for k in range(1, len(values)):
        first[k] = values[k] > values[start] + SLACK
        if first[k]:
            start = k
    return values[first]
