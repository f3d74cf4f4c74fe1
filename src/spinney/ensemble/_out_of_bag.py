"""What members answer for the rows that they did not see, added up as the core does it."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._trainer import Bagged

Places = NDArray[np.intp]


class BagSum:
    """Adds the answers for rows left out up, member by member, and follows their error.

    Parameters
    ----------
    target : FitTarget
        The weights of the rows and, for classes, their codes.
    truth : array of shape (n_rows,)
        Class codes, or numbers.
    start : Bagged
        Members that are there already.
    """

    def __init__(self, target: FitTarget, truth: NDArray[Any], start: Bagged) -> None:
        n_rows, self._is_class = len(truth), target.classes is not None
        self._criterion, self._exposure = target.criterion, target.exposure
        n_outputs = 1 if target.classes is None else len(target.classes)
        self._truth, self._row_weight = truth, target.weight
        is_new = not start.sums.size
        self.sums = np.zeros((n_rows, n_outputs)) if is_new else start.sums.copy()
        self.sums = self.sums.reshape(n_rows, n_outputs)
        self.n_votes = np.zeros(n_rows, np.int64) if is_new else start.n_votes.copy()
        self.curve: list[float] = start.curve.tolist()
        self._loss = np.zeros(n_rows)
        seen = np.flatnonzero(self.n_votes)
        self._loss[seen] = self._row_loss(seen)
        self.n_to_cover = start.n_to_cover

    def add(self, rows: Places, answers: Floats, groups: tuple[int, ...]) -> float:
        """Add a member's answers for the rows that it did not see; return the error so far."""
        if not self._is_class:
            self.sums[rows, 0] += answers
        elif groups:
            self.sums[rows] += np.array(groups) == answers[:, np.newaxis]
        else:
            self.sums[rows, answers.astype(np.intp)] += 1.0
        self.n_votes[rows] += 1
        self._loss[rows] = self._row_loss(rows)
        answered = self.n_votes > 0
        weight = float(self._row_weight[answered].sum())
        error = float(self._loss.sum()) / weight if weight > 0 else math.nan
        self.curve.append(error)
        if not self.n_to_cover and answered[self._row_weight > 0].all():
            self.n_to_cover = len(self.curve)
        return error

    def whole_curve(self) -> list[float]:
        """Return the errors since every row had an answer."""
        return self.curve[self.n_to_cover - 1 :] if self.n_to_cover else []

    def _row_loss(self, rows: Places) -> Floats:
        """Return the loss of the answer so far, times the weight of the row."""
        weight, truth = self._row_weight[rows], self._truth[rows]
        if self._is_class:
            return np.where(self.sums[rows].argmax(axis=1) == truth, 0.0, weight)
        answers = self.sums[rows, 0] / self.n_votes[rows]
        exposure = self._exposure[rows] if len(self._exposure) else self._exposure
        return np.asarray(weight * _core.number_costs(self._criterion, answers, truth, exposure))


class Patience:
    """Stops when the error has not fallen for a number of members.

    Parameters
    ----------
    plan : spinney._core.EnsemblePlan
        Its `patience` (0 for no end) and `tolerance`.
    errors : list of float
        The errors so far.
    """

    def __init__(self, plan: _core.EnsemblePlan, errors: list[float]) -> None:
        self._patience, self._tolerance = plan.patience, plan.tolerance
        self._least, self._waited = math.inf, 0
        for error in errors:
            self.is_over(error)

    def is_over(self, error: float) -> bool:
        """Take the error after one more member, and return whether to stop."""
        if self._patience == 0:
            return False
        if error < self._least - self._tolerance:
            self._least, self._waited = error, 0
            return False
        self._waited += 1
        return self._waited >= self._patience
