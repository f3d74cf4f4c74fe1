"""What ensembles answer: classes by vote or by mean shares, numbers by mean or median."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score

from spinney._choices import check_choice
from spinney._class_answers import LogProbabilities, StagedAccuracy
from spinney._settings import thread_count
from spinney.ensemble._base import BaseEnsemble
from spinney.ensemble._view import Forest

Floats = NDArray[np.float64]
_BLOCK = 1 << 22  # answers that are sorted at once


def shares_of(sums: Floats) -> Floats:
    """Return rows that add up to 1; even shares for a row without any votes."""
    totals = sums.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(totals > 0, sums / totals, 1.0 / sums.shape[1]))


class ClassEnsemble(LogProbabilities, StagedAccuracy, ClassifierMixin, BaseEnsemble):
    """An ensemble that votes for classes."""

    def _decide(self, sums: Floats) -> NDArray[Any]:
        """Return the classes that sums of votes, or of shares, speak for."""
        labels: NDArray[Any] = self.classes_[sums.argmax(axis=1)]
        return labels

    def _votes(self) -> bool:
        """Tell whether members vote for one class each."""
        return True

    def _member_codes(self, X: Any, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the class codes that some members say, one row a member."""
        if any(len(self._committee.groups(i)) for i in members.tolist()):
            raise ValueError(
                "members with targets='regroup' tell groups of classes apart, not classes, so "
                "their answers cannot be compared."
            )
        answers = self._committee.answers(self._asked(X), members, thread_count(self.n_jobs))
        return np.asarray(answers, dtype=np.int64)

    def _probabilities(self, sums: Floats) -> Floats:
        return shares_of(sums)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the members together choose for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        return self._decide(self._sums(X, self._votes()))

    def predict_proba(self, X: Any) -> Floats:
        """Return how much speaks for each class: shares that add up to 1.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        return self._probabilities(self._sums(X, self._votes()))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield `predict` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows,)
        """
        for _, sums in self._staged_sums(X, self._votes()):
            yield self._decide(sums)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield `predict_proba` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows, n_classes)
        """
        for _, sums in self._staged_sums(X, self._votes()):
            yield self._probabilities(sums)


class CombinesClasses(ClassEnsemble):
    """An ensemble with `combine`: members vote, or their shares are averaged."""

    def _votes(self) -> bool:
        check_choice("combine", self.combine, ("vote", "average"))
        return bool(self.combine == "vote")

    def _check_answering(self) -> None:
        super()._check_answering()
        self._votes()

    def _speaks_for(self, sums: Floats) -> Floats:
        """Return what speaks for each class; with costs, shares are weighed by them."""
        costs = None if self._votes() else least_cost(sums, self._committee)
        return sums if costs is None else costs

    def _decide(self, sums: Floats) -> NDArray[Any]:
        return super()._decide(self._speaks_for(sums))


class NumberEnsemble(RegressorMixin, BaseEnsemble):
    """An ensemble that predicts numbers."""

    def _takes_median(self) -> bool:
        """Tell whether the median is taken, and not the mean."""
        return False

    def predict(self, X: Any) -> Floats:
        """Return what the members together predict for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        if self._takes_median():
            rows, members = self._asked(X), self._members()
            answers = self._committee.answers(rows, members, thread_count(self.n_jobs))
            return weighted_median(answers, self._weights())
        sums = self._sums(X, False)[:, 0] / len(self._members())
        if np.isfinite(sums).all():
            return np.asarray(sums)
        return self._mean_of(X, len(self._members()))

    def _mean_of(self, X: Any, n: int) -> Floats:
        """Return the mean of the first members, whose sum is too large for a number."""
        rows, shares = self._asked(X), np.full(n, 1.0 / n)
        sums = self._committee.sums(rows, self._members()[:n], shares, False, 1)
        return np.asarray(sums[:, 0])

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield `predict` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows,)
        """
        if not self._takes_median():
            for n, sums in self._staged_sums(X, False):
                means = sums[:, 0] / n
                yield means if np.isfinite(means).all() else self._mean_of(X, n)
            return
        rows, members, weights = self._asked(X), self._members(), self._weights()
        answers = self._committee.answers(rows, members, thread_count(self.n_jobs))
        for n in range(1, len(members) + 1):
            yield weighted_median(answers[:n], weights[:n])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield R squared of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            The true numbers.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Yields
        ------
        float
        """
        for numbers in self.staged_predict(X):
            yield float(r2_score(y, numbers, sample_weight=sample_weight))


class CombinesNumbers(NumberEnsemble):
    """An ensemble with `combine`: the mean of the members, or their median."""

    def _takes_median(self) -> bool:
        check_choice("combine", self.combine, ("mean", "median"))
        return bool(self.combine == "median")

    def _check_answering(self) -> None:
        super()._check_answering()
        self._takes_median()


def weighted_median(answers: Floats, weights: Floats) -> Floats:
    """Return the median over members of their answers: one row a member.

    With weights it is the least answer that, with all below it, has at least half of the weight;
    without any the usual median.
    """
    if not len(weights):
        with np.errstate(over="ignore"):
            middle = np.median(answers, axis=0)
        if not np.isfinite(middle).all():  # the sum of the two in the middle is too large
            middle = 2.0 * np.median(answers / 2.0, axis=0)
        return np.asarray(middle)
    out = np.empty(answers.shape[1])
    step = max(1, _BLOCK // len(answers))
    for begin in range(0, len(out), step):
        block = answers[:, begin : begin + step]
        order = np.argsort(block, axis=0, kind="stable")
        upto = np.cumsum(weights[order], axis=0)
        place = (upto >= 0.5 * upto[-1]).argmax(axis=0)
        columns = np.arange(block.shape[1])
        out[begin : begin + step] = block[order[place, columns], columns]
    return out


def least_cost(sums: Floats, committee: Any) -> Floats | None:
    """Return what each class would cost, made negative; None if trees have no costs in common."""
    if not isinstance(committee, Forest):
        return None
    costs = committee.cost_matrix
    return None if costs is None else -(sums @ costs)
