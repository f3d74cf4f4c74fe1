"""How well a score tells the positive class: curves, thresholds and their costs.

A row is selected if its score, the probability of the positive class, is at least the cut.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.metrics import Z
from spinney._typing import Floats

_MOST_CUTS = 12  # of a table
_SMALLEST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Cut:
    """What happens if rows are selected whose score is at least `cut`."""

    cut: float
    selected: int  # rows
    found: int  # positive rows among them
    share: float  # of the rows that are selected
    recall: float  # share of the positive rows that are found: the cumulative gain
    precision: float  # share of positive rows among the selected; NaN if there are none
    lift: float  # precision, divided by the share of positive rows
    cost: float  # per row


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of labelled rows.

    Parameters
    ----------
    positive : label
        The positive class.
    happened : array of bool of shape (n_rows,)
        Whether each row is of that class.
    score : array of shape (n_rows,)
        Predicted probability of that class.
    missed, alarm : float, default=1
        Cost of a positive row that is not selected, and of another that is.
    """

    positive: Any
    happened: NDArray[np.bool_]
    score: Floats
    missed: float = 1.0
    alarm: float = 1.0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.score)

    @property
    def n_positive(self) -> int:
        """The number of positive rows."""
        return int(self.happened.sum())

    @property
    def has_both(self) -> bool:
        """Whether there are rows of both classes."""
        return 0 < self.n_positive < self.n_rows

    # -- Curves

    @cached_property
    def _steps(self) -> tuple[Floats, Floats, Floats]:
        """Distinct scores, highest first, with the rows selected and found down to each."""
        order = np.argsort(-self.score, kind="stable")
        ranked = self.score[order]
        ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
        found = np.cumsum(self.happened[order].astype(np.float64))[ends]
        return ranked[ends], ends + 1.0, found

    def roc(self) -> tuple[Floats, Floats]:
        """Return false and true positive rates, from none to all selected."""
        _, selected, found = self._steps
        rest = max(self.n_rows - self.n_positive, 1)
        false, true = (selected - found) / rest, found / max(self.n_positive, 1)
        return np.append(0.0, false), np.append(0.0, true)

    def gains(self) -> tuple[Floats, Floats]:
        """Return the share of rows selected and the share of positive rows found."""
        _, selected, found = self._steps
        share, recall = selected / self.n_rows, found / max(self.n_positive, 1)
        return np.append(0.0, share), np.append(0.0, recall)

    def precision_recall(self) -> tuple[Floats, Floats]:
        """Return recall and precision."""
        _, selected, found = self._steps
        return found / max(self.n_positive, 1), found / selected

    # -- Numbers

    @cached_property
    def auc(self) -> float:
        """Area under the ROC curve: chance that a positive row has the higher score."""
        false, true = self.roc()
        return float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))

    @property
    def gini(self) -> float:
        """Gini coefficient: twice the area above the diagonal."""
        return 2.0 * self.auc - 1.0

    @property
    def ks(self) -> float:
        """Kolmogorov-Smirnov: largest difference of the two classes' distributions."""
        false, true = self.roc()
        return float(np.abs(true - false).max())

    def auc_interval(self) -> tuple[float, float]:
        """Return the 95 % confidence interval of the area, by DeLong's variance."""
        high, low = self.score[self.happened], self.score[~self.happened]
        above = _share_below(high, low)  # of the other rows that each positive row beats
        beaten = 1.0 - _share_below(low, high)
        spread = 0.0
        for part in (above, beaten):
            spread += float(part.var(ddof=1)) / len(part) if len(part) > 1 else 0.0
        half = Z * math.sqrt(spread)
        return max(0.0, self.auc - half), min(1.0, self.auc + half)

    @property
    def squares(self) -> Floats:
        """Squared difference of score and truth of each row, whose mean is the Brier score."""
        return (self.score - self.happened) ** 2

    @property
    def log_losses(self) -> Floats:
        """Loss of each row; no probability is nearer to 0 or 1 than the precision of numbers."""
        sure = np.clip(self.score, _SMALLEST, 1.0 - _SMALLEST)
        return -np.where(self.happened, np.log(sure), np.log(1.0 - sure))

    # -- Cuts

    def at(self, cut: float) -> Cut:
        """Return what a cut selects."""
        chosen = self.score >= cut
        return self._cut(cut, int(chosen.sum()), int((chosen & self.happened).sum()))

    def _cut(self, cut: float, selected: int, found: int) -> Cut:
        n, n_positive = self.n_rows, self.n_positive
        precision = found / selected if selected else math.nan
        rate = n_positive / n
        cost = self.missed * (n_positive - found) + self.alarm * (selected - found)
        return Cut(
            cut,
            selected,
            found,
            selected / n,
            found / n_positive if n_positive else math.nan,
            precision,
            precision / rate if rate else math.nan,
            cost / n,
        )

    def cuts(self) -> list[Cut]:
        """Return a table of cuts, highest first: at every score, or at tenths of the rows."""
        values, selected, found = self._steps
        places: Any = range(len(values))
        if len(values) > _MOST_CUTS:
            wanted = np.arange(1, 11) / 10 * self.n_rows
            chosen = np.minimum(np.searchsorted(selected, wanted), len(values) - 1)
            places = np.unique(chosen).tolist()
        return [self._cut(float(values[k]), int(selected[k]), int(found[k])) for k in places]

    def least_cost(self) -> Cut:
        """Return the cut of least cost, halfway between scores; of equal ones the highest."""
        values, selected, found = self._steps
        selected, found = np.append(0.0, selected), np.append(0.0, found)
        costs = self.missed * (self.n_positive - found) + self.alarm * (selected - found)
        if values[0] >= 1.0:
            costs[0] = math.inf  # no cut up to 1 is above this score
        best = int(np.flatnonzero(costs <= costs.min() * (1 + 1e-12))[0])
        above = 1.0 if best == 0 else float(values[best - 1])
        below = float(values[best]) if best < len(values) else 0.0
        cut = _short((above + below) / 2, below, above)
        return self._cut(cut, int(selected[best]), int(found[best]))


def _short(cut: float, low: float, high: float) -> float:
    """Return the cut with as few digits as stay above `low` and at most `high`."""
    for digits in range(1, 17):
        text = float(f"{cut:.{digits}g}")
        if low < text <= high:
            return text
    return cut


def _share_below(values: Floats, others: Floats) -> Floats:
    """Return the share of others that lie below each value; equal ones count half."""
    ranked = np.sort(others)
    left = np.searchsorted(ranked, values, side="left")
    right = np.searchsorted(ranked, values, side="right")
    return np.asarray((left + right) / 2 / max(len(others), 1), dtype=np.float64)


def mean_interval(each: Floats) -> tuple[float, float, float]:
    """Return a mean over rows and its 95 % confidence interval."""
    mean, half = float(each.mean()), Z * float(each.std()) / math.sqrt(len(each))
    return mean, max(0.0, mean - half), mean + half
