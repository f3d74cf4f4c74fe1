"""How accuracy rises as fewer rows are decided."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.ensemble._quorum import SLACK

Floats = NDArray[np.float64]


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
        return {
            "quorum": self.quorum.tolist(),
            "n_decided": self.n_decided.tolist(),
            "coverage": self.coverage.tolist(),
            "accuracy": self.accuracy.tolist(),
        }

    def __str__(self) -> str:
        columns = [
            [head, *(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells)]
            for head, cells in self.to_dict().items()
        ]
        widths = [max(map(len, column)) for column in columns]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in zip(*columns, strict=True)
        )

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
