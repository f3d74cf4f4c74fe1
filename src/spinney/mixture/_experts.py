"""Experts of a mixture: built-in ones, and scikit-learn estimators.

An expert's *output* for rows is the log-probabilities of the classes, or means in units of the
target's standard deviation. `log_density` is the log-likelihood of the target given that output;
`improved` fits the expert to its weighted share of the rows and never lowers that share's
likelihood. `pack`, `unpack`, `gradient` and `bounds` serve `solver="gradient"`.

Estimators are refitted in every EM step, or fitted beforehand. Probabilities of classifiers are
kept away from 0, since a confident wrong tree would make a row impossible. Regressors have a
residual variance. An estimator need not maximise the likelihood, so a refit that lowers the
likelihood of its share of the rows is discarded.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney._typing import Floats
from spinney.ensemble._base_learners import new_member, with_nominal_columns
from spinney.ensemble._foreign_trainer import weight_name
from spinney.ensemble._voting_members import codes_of
from spinney.mixture._softmax import SoftTargets, log_softmax, penalty, solved
from spinney.mixture._training_data import Inputs, Scale, TrainingData

LEAST_VARIANCE = 1e-4  # of that of y: an expert of a single row must not be infinitely sure
LEAST_SHARE = 1e-8  # of all weight: below that there is nothing to learn from
_ROUNDING = 1e-14  # of sums of scaled numbers: no reason to move
_LOG_2PI = float(np.log(2.0 * np.pi))
_DOUBT = 1e-3  # spread evenly over the classes
FARTHEST = 1e100  # in units of the spread of y: squares stay in range


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


@dataclass(frozen=True)
class Learner:
    """How an expert is fitted: the user's estimator, a seed, and the kinds of the columns."""

    learner: Any
    seed: int
    schema: Schema

    def fitted(self, data: TrainingData, share: Floats) -> Any:
        """Return a clone fitted to the weighted rows, or to all rows if the weights vanish."""
        if not _weighs(data, share):
            share = data.weight
        codes = None if data.classes is None else data.target
        member = new_member(self._prepared_learner(), codes, self.seed)
        name = weight_name(member) or "sample_weight"
        return member.fit(data.inputs.table, data.labels, **{name: share})

    def _prepared_learner(self) -> Any:
        """Return the estimator with the nominal columns set, unless the user has set them."""
        own = getattr(self.learner, "categorical_features", "from_dtype")
        if not isinstance(own, str) or own != "from_dtype":
            return self.learner
        return with_nominal_columns(self.learner, self.schema)


def _weighs(data: TrainingData, share: Floats) -> bool:
    return float(share.sum()) > LEAST_SHARE * data.total


def _teaches(estimator: Any, data: TrainingData, share: Floats) -> bool:
    """Return whether to fit: the weights do not vanish, or there is no estimator yet."""
    return estimator is None or _weighs(data, share)


@dataclass(frozen=True)
class ClassLearner:
    """A classifier with `predict_proba`.

    Parameters
    ----------
    estimator : classifier or None
        Fitted; None predicts equal probabilities.
    classes : array of shape (n_classes,)
        The labels, in the order of the output.
    recipe : Learner or None
        How to refit it; None for an estimator that is kept.
    who : str
        Name in messages.
    """

    estimator: Any
    classes: NDArray[Any]
    recipe: Learner | None
    who: str = "expert"

    def output(self, inputs: Inputs) -> Floats:
        """Return log-probabilities, one column a class."""
        n_classes = len(self.classes)
        shares = np.full((len(inputs.design), n_classes), 1.0 / n_classes, order="F")
        if self.estimator is not None:
            found = np.asarray(self.estimator.predict_proba(inputs.table), dtype=np.float64)
            known = np.asarray(self.estimator.classes_)
            if found.shape != (len(inputs.design), len(known)) or not np.isfinite(found).all():
                raise ValueError(
                    f"{self.who} predicts probabilities of shape {found.shape} for "
                    f"{len(inputs.design)} rows and {len(known)} classes, or some that are not "
                    "finite. An expert must give a probability for every class and row."
                )
            places = codes_of(known, {label: k for k, label in enumerate(self.classes.tolist())})
            shares = np.full_like(shares, 0.0)
            shares[:, places[places >= 0]] = found[:, places >= 0]
        doubtful = (1.0 - _DOUBT) * shares + _DOUBT / n_classes
        return np.asarray(np.log(doubtful / doubtful.sum(axis=1, keepdims=True)))

    def log_density(self, data: TrainingData, output: Floats) -> Floats:
        """Return the log-probability of each row's class."""
        return at_target(data, output)

    def improved(
        self, data: TrainingData, share: Floats, output: Floats
    ) -> tuple["ClassLearner", Floats]:
        """Refit, and keep the estimator of higher likelihood."""
        if self.recipe is None or not _teaches(self.estimator, data, share):
            return self, output
        other = replace(self, estimator=self.recipe.fitted(data, share))
        theirs = other.output(data.inputs)
        gain = float(np.sum(share * (at_target(data, theirs) - at_target(data, output))))
        return (other, theirs) if gain >= 0.0 or self.estimator is None else (self, output)

    def penalty(self, data: TrainingData) -> float:
        """Return 0: the penalty of other estimators is unknown."""
        return 0.0


@dataclass(frozen=True)
class NumberLearner:
    """A regressor, with normal errors of one variance.

    Parameters
    ----------
    estimator : regressor or None
        Fitted; None predicts the overall mean.
    scale : Scale
        Scale of the target.
    recipe : Learner or None
        How to refit it; None for an estimator that is kept.
    variance : float, default=1.0
        Error variance of the scaled target.
    who : str
        Name in messages.
    """

    estimator: Any
    scale: Scale
    recipe: Learner | None
    variance: float = 1.0
    who: str = "expert"

    def output(self, inputs: Inputs) -> Floats:
        """Return scaled means."""
        n_rows = len(inputs.design)
        if self.estimator is None:
            return np.zeros(n_rows)
        found = np.asarray(self.estimator.predict(inputs.table), dtype=np.float64)
        if found.size != n_rows or not np.isfinite(found).all():
            raise ValueError(
                f"{self.who} predicts an array of shape {found.shape} for {n_rows} rows, or "
                "numbers that are not finite. An expert must predict one finite number a row."
            )
        return np.clip(self.scale.down(found.reshape(-1)), -FARTHEST, FARTHEST)

    def log_density(self, data: TrainingData, output: Floats) -> Floats:
        """Return the logarithm of the normal density."""
        return log_normal(data, output, self.variance)

    def improved(
        self, data: TrainingData, share: Floats, output: Floats
    ) -> tuple["NumberLearner", Floats]:
        """Refit, keep the estimator of lower squared error, and estimate its variance."""
        if not _teaches(self.estimator, data, share):
            return self, output
        better, means = self, output
        if self.recipe is not None:
            other = replace(self, estimator=self.recipe.fitted(data, share))
            theirs = other.output(data.inputs)
            off, before = (data.target - m for m in (theirs, output))
            if self.estimator is None or float(np.sum(share * (off**2 - before**2))) <= 0.0:
                better, means = other, theirs
        if not _weighs(data, share):
            return better, means
        return replace(better, variance=best_variance(data, share, means)), means

    def penalty(self, data: TrainingData) -> float:
        """Return 0: the penalty of other estimators is unknown."""
        return 0.0
