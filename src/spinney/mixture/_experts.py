"""The mixture's own experts, and what every expert is asked.

An expert gives an *answer* for rows: logarithms of the probabilities of the classes, or means in
units of the target's spread. `log_density` says how likely that makes the truth, `improved` learns
from rows by the share that the expert has in each, and never makes that share's truth less likely.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._lesson import Asked, Lesson
from spinney.mixture._softmax import SoftTargets, log_softmax, penalty
from spinney.mixture._solve import solved

__all__ = ["Expert", "LinearExpert", "LogisticExpert", "Smooth", "best_variance", "log_normal"]

Floats = NDArray[np.float64]
LEAST_VARIANCE = 1e-4  # of that of y: an expert of a single row must not be infinitely sure
LEAST_SHARE = 1e-8  # of all weight: below that there is nothing to learn from
_ROUNDING = 1e-14  # of sums of scaled numbers: no reason to move
_LOG_2PI = float(np.log(2.0 * np.pi))


class Expert(Protocol):
    """What every expert can do."""

    def answer(self, asked: Asked) -> Floats:
        """Return log-probabilities, one column a class, or scaled means."""

    def log_density(self, lesson: Lesson, answer: Floats) -> Floats:
        """Return how likely the answer makes the truth of each row, as a logarithm."""

    def improved(self, lesson: Lesson, share: Floats, answer: Floats) -> tuple["Expert", Floats]:
        """Learn from rows by what they weigh for this expert; return it with its new answer."""

    def penalty(self, lesson: Lesson) -> float:
        """Return what the ridge takes from the log-likelihood."""


@runtime_checkable
class Smooth(Protocol):
    """An expert with slopes, for `solver="gradient"`."""

    def pack(self) -> Floats:
        """Return everything that is learned as one vector."""

    def unpack(self, vector: Floats) -> Any:
        """Return an expert with other numbers."""

    def slope(self, lesson: Lesson, share: Floats, answer: Floats) -> Floats:
        """Return the slope of the share's penalised log-density, in the order of `pack`."""

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Return the least and the largest value of each number."""


def truth_of(lesson: Lesson, answer: Floats) -> Floats:
    """Return the entry of each row's class."""
    found: Floats = answer[np.arange(len(answer)), lesson.truth]
    return found


@dataclass(frozen=True)
class LogisticExpert:
    """Classes by a softmax of a linear function.

    Parameters
    ----------
    coef : array of shape (n_columns, n_classes - 1)
        Logits against the first class, for scaled columns after one of ones.
    """

    coef: Floats

    def answer(self, asked: Asked) -> Floats:
        """Return log-probabilities, one column a class."""
        return log_softmax(asked.design, self.coef)

    def log_density(self, lesson: Lesson, answer: Floats) -> Floats:
        """Return the log-probability of each row's class."""
        return truth_of(lesson, answer)

    def improved(
        self, lesson: Lesson, share: Floats, answer: Floats
    ) -> tuple["LogisticExpert", Floats]:
        """Take one step of Newton's."""
        coef, answer = self._problem(lesson, share).improved(self.coef, answer)
        return LogisticExpert(coef), answer

    def _problem(self, lesson: Lesson, share: Floats) -> SoftTargets:
        targets = np.zeros((len(share), self.coef.shape[1] + 1), order="F")
        targets[np.arange(len(share)), lesson.truth] = share
        return SoftTargets(lesson.asked.design, targets, lesson.expert_ridge)

    def penalty(self, lesson: Lesson) -> float:
        """Return what the ridge takes from the log-likelihood."""
        return penalty(self.coef, lesson.expert_ridge)

    def pack(self) -> Floats:
        """Return the coefficients."""
        return self.coef.ravel()

    def unpack(self, vector: Floats) -> "LogisticExpert":
        """Return an expert with other coefficients."""
        return LogisticExpert(vector.reshape(self.coef.shape))

    def slope(self, lesson: Lesson, share: Floats, answer: Floats) -> Floats:
        """Return the slope in the coefficients."""
        return self._problem(lesson, share).gradient(self.coef, answer).ravel()

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Return no bounds."""
        return [(None, None)] * self.coef.size


@dataclass(frozen=True)
class LinearExpert:
    """Numbers by a linear function, with normal errors of one variance.

    The ridge counts in units of that variance, as in scikit-learn's Ridge: the coefficients are
    those of `Ridge(alpha=1 / C)`, and the scale of y does not matter.

    Parameters
    ----------
    coef : array of shape (n_columns,)
        For scaled columns after one of ones, and a scaled y.
    variance : float
        Of the errors of the scaled y.
    """

    coef: Floats
    variance: float

    def answer(self, asked: Asked) -> Floats:
        """Return scaled means."""
        return np.asarray(asked.design @ self.coef)

    def log_density(self, lesson: Lesson, answer: Floats) -> Floats:
        """Return the logarithm of the normal density."""
        return log_normal(lesson, answer, self.variance)

    def improved(
        self, lesson: Lesson, share: Floats, answer: Floats
    ) -> tuple["LinearExpert", Floats]:
        """Solve the weighted least squares; the variance is the best for them."""
        if share.sum() <= LEAST_SHARE * lesson.total:
            return self, answer
        design = lesson.asked.design
        weighed = design * share[:, np.newaxis]
        matrix = weighed.T @ design
        matrix[np.diag_indices(len(matrix))] += lesson.expert_ridge
        off = lesson.truth - answer
        pull = weighed.T @ off - lesson.expert_ridge * self.coef  # a correction loses no digits
        pull[np.abs(pull) <= _ROUNDING * share.sum()] = 0.0
        coef = self.coef + solved(matrix, pull)
        better = replace(self, coef=coef)
        means = better.answer(lesson.asked)
        if self._loss(lesson, share, answer) < better._loss(lesson, share, means):
            better, means = self, answer  # nothing but rounding was left
        extra = 2.0 * better._ridge(lesson)
        return replace(better, variance=best_variance(lesson, share, means, extra)), means

    def _ridge(self, lesson: Lesson) -> float:
        return 0.5 * float(np.sum(lesson.expert_ridge * self.coef**2))

    def _loss(self, lesson: Lesson, share: Floats, answer: Floats) -> float:
        return 0.5 * float(np.sum(share * (lesson.truth - answer) ** 2)) + self._ridge(lesson)

    def penalty(self, lesson: Lesson) -> float:
        """Return what the ridge takes from the log-likelihood."""
        return self._ridge(lesson) / self.variance

    def pack(self) -> Floats:
        """Return the coefficients and the logarithm of the variance."""
        return np.append(self.coef, np.log(self.variance))

    def unpack(self, vector: Floats) -> "LinearExpert":
        """Return an expert with other numbers."""
        return LinearExpert(vector[:-1], max(float(np.exp(vector[-1])), LEAST_VARIANCE))

    def slope(self, lesson: Lesson, share: Floats, answer: Floats) -> Floats:
        """Return the slope in the coefficients and in the logarithm of the variance."""
        off = lesson.truth - answer
        pull = lesson.asked.design.T @ (share * off) - lesson.expert_ridge * self.coef
        loss = self._loss(lesson, share, answer)
        return np.append(pull / self.variance, loss / self.variance - 0.5 * share.sum())

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Return a lower bound of the variance."""
        free: list[tuple[float | None, float | None]] = [(None, None)] * len(self.coef)
        return [*free, (float(np.log(LEAST_VARIANCE)), None)]


def log_normal(lesson: Lesson, means: Floats, variance: float) -> Floats:
    """Return the logarithm of the density of the user's numbers."""
    assert lesson.scale is not None
    unit = lesson.scale.log_unit
    off = lesson.truth - means
    return np.asarray(-0.5 * (_LOG_2PI + np.log(variance) + off**2 / variance) - unit)


def best_variance(lesson: Lesson, share: Floats, means: Floats, extra: float = 0.0) -> float:
    """Return the variance that makes the share's truth most likely, not below the least.

    Parameters
    ----------
    lesson : Lesson
        The truth.
    share : array of shape (n_rows,)
        What the rows weigh for an expert.
    means : array of shape (n_rows,)
        Its answer.
    extra : float, default=0.0
        Twice what a ridge adds to the loss.

    Returns
    -------
    float
    """
    total = float(np.sum(share * (lesson.truth - means) ** 2)) + extra
    return max(total / float(share.sum()), LEAST_VARIANCE)
