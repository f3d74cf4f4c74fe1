"""The interface of experts, and the built-in ones: logistic and linear.

An expert's *output* for rows is the log-probabilities of the classes, or means in units of the
target's standard deviation. `log_density` is the log-likelihood of the target given that output;
`improved` fits the expert to its weighted share of the rows and never lowers that share's
likelihood. `pack`, `unpack`, `gradient` and `bounds` serve `solver="gradient"`.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._softmax import SoftTargets, log_softmax, penalty, solved
from spinney.mixture._training_data import Inputs, TrainingData

Floats = NDArray[np.float64]
LEAST_VARIANCE = 1e-4  # of that of y: an expert of a single row must not be infinitely sure
LEAST_SHARE = 1e-8  # of all weight: below that there is nothing to learn from
_ROUNDING = 1e-14  # of sums of scaled numbers: no reason to move
_LOG_2PI = float(np.log(2.0 * np.pi))


class Expert(Protocol):
    """The interface of experts."""

    def output(self, inputs: Inputs) -> Floats:
        """Return log-probabilities, one column per class, or scaled means."""

    def log_density(self, data: TrainingData, output: Floats) -> Floats:
        """Return the log-likelihood of the target of each row."""

    def improved(
        self, data: TrainingData, share: Floats, output: Floats
    ) -> tuple["Expert", Floats]:
        """Fit to the weighted rows; return the new expert with its output."""

    def penalty(self, data: TrainingData) -> float:
        """Return the ridge penalty."""


def at_target(data: TrainingData, output: Floats) -> Floats:
    """Return the entry of each row's class."""
    found: Floats = output[np.arange(len(output)), data.target]
    return found


@dataclass(frozen=True)
class LogisticExpert:
    """Multinomial logistic regression.

    Parameters
    ----------
    coef : array of shape (n_columns, n_classes - 1)
        Logits against the first class, for the columns of the design matrix.
    """

    coef: Floats

    def output(self, inputs: Inputs) -> Floats:
        """Return log-probabilities, one column per class."""
        return log_softmax(inputs.design, self.coef)

    def log_density(self, data: TrainingData, output: Floats) -> Floats:
        """Return the log-probability of each row's class."""
        return at_target(data, output)

    def improved(
        self, data: TrainingData, share: Floats, output: Floats
    ) -> tuple["LogisticExpert", Floats]:
        """Perform one Newton step."""
        coef, output = self._problem(data, share).improved(self.coef, output)
        return LogisticExpert(coef), output

    def _problem(self, data: TrainingData, share: Floats) -> SoftTargets:
        targets = np.zeros((len(share), self.coef.shape[1] + 1), order="F")
        targets[np.arange(len(share)), data.target] = share
        return SoftTargets(data.inputs.design, targets, data.expert_ridge)

    def penalty(self, data: TrainingData) -> float:
        """Return the ridge penalty."""
        return penalty(self.coef, data.expert_ridge)

    def pack(self) -> Floats:
        """Return the coefficients."""
        return self.coef.ravel()

    def unpack(self, vector: Floats) -> "LogisticExpert":
        """Return an expert with other coefficients."""
        return LogisticExpert(vector.reshape(self.coef.shape))

    def gradient(self, data: TrainingData, share: Floats, output: Floats) -> Floats:
        """Return the slope in the coefficients."""
        return self._problem(data, share).gradient(self.coef, output).ravel()

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Return no bounds."""
        return [(None, None)] * self.coef.size


@dataclass(frozen=True)
class LinearExpert:
    """Linear regression with normal errors.

    The ridge penalty is in units of the error variance, as in scikit-learn's Ridge: the
    coefficients are those of `Ridge(alpha=1 / C)`, independent of the scale of y.

    Parameters
    ----------
    coef : array of shape (n_columns,)
        For the columns of the design matrix and the scaled target.
    variance : float
        Error variance of the scaled target.
    """

    coef: Floats
    variance: float

    def output(self, inputs: Inputs) -> Floats:
        """Return scaled means."""
        return np.asarray(inputs.design @ self.coef)

    def log_density(self, data: TrainingData, output: Floats) -> Floats:
        """Return the logarithm of the normal density."""
        return log_normal(data, output, self.variance)

    def improved(
        self, data: TrainingData, share: Floats, output: Floats
    ) -> tuple["LinearExpert", Floats]:
        """Solve the weighted least squares, and estimate the variance."""
        if share.sum() <= LEAST_SHARE * data.total:
            return self, output
        design = data.inputs.design
        weighed = design * share[:, np.newaxis]
        matrix = weighed.T @ design
        matrix[np.diag_indices(len(matrix))] += data.expert_ridge
        off = data.target - output
        pull = weighed.T @ off - data.expert_ridge * self.coef  # a correction loses no digits
        pull[np.abs(pull) <= _ROUNDING * share.sum()] = 0.0
        coef = self.coef + solved(matrix, pull)
        better = replace(self, coef=coef)
        means = better.output(data.inputs)
        if self._loss(data, share, output) < better._loss(data, share, means):
            better, means = self, output  # nothing but rounding was left
        extra = 2.0 * better._ridge(data)
        return replace(better, variance=best_variance(data, share, means, extra)), means

    def _ridge(self, data: TrainingData) -> float:
        return 0.5 * float(np.sum(data.expert_ridge * self.coef**2))

    def _loss(self, data: TrainingData, share: Floats, output: Floats) -> float:
        return 0.5 * float(np.sum(share * (data.target - output) ** 2)) + self._ridge(data)

    def penalty(self, data: TrainingData) -> float:
        """Return the ridge penalty."""
        return self._ridge(data) / self.variance

    def pack(self) -> Floats:
        """Return the coefficients and the logarithm of the variance."""
        return np.append(self.coef, np.log(self.variance))

    def unpack(self, vector: Floats) -> "LinearExpert":
        """Return an expert with other numbers."""
        return LinearExpert(vector[:-1], max(float(np.exp(vector[-1])), LEAST_VARIANCE))

    def gradient(self, data: TrainingData, share: Floats, output: Floats) -> Floats:
        """Return the slope in the coefficients and in the logarithm of the variance."""
        off = data.target - output
        pull = data.inputs.design.T @ (share * off) - data.expert_ridge * self.coef
        loss = self._loss(data, share, output)
        return np.append(pull / self.variance, loss / self.variance - 0.5 * share.sum())

    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Return a lower bound of the variance."""
        free: list[tuple[float | None, float | None]] = [(None, None)] * len(self.coef)
        return [*free, (float(np.log(LEAST_VARIANCE)), None)]


def log_normal(data: TrainingData, means: Floats, variance: float) -> Floats:
    """Return the log-density of the target in the user's units."""
    assert data.scale is not None
    unit = data.scale.log_unit
    off = data.target - means
    return np.asarray(-0.5 * (_LOG_2PI + np.log(variance) + off**2 / variance) - unit)


def best_variance(data: TrainingData, share: Floats, means: Floats, extra: float = 0.0) -> float:
    """Return the maximum likelihood estimate of the variance, bounded from below.

    Parameters
    ----------
    data : TrainingData
        The training data.
    share : array of shape (n_rows,)
        Weights of the rows for the expert.
    means : array of shape (n_rows,)
        The expert's output.
    extra : float, default=0.0
        Twice the ridge penalty of the loss.

    Returns
    -------
    float
    """
    total = float(np.sum(share * (data.target - means) ** 2)) + extra
    return max(total / float(share.sum()), LEAST_VARIANCE)
