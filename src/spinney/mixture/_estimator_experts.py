"""Experts that are scikit-learn estimators: refitted in every EM step, or fitted beforehand.

Probabilities of classifiers are kept away from 0, since a confident wrong tree would make a row
impossible. Regressors have a residual variance. An estimator need not maximise the likelihood, so a
refit that lowers the likelihood of its share of the rows is discarded.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney.ensemble._foreign_learners import new_member, told_of_columns
from spinney.ensemble._foreign_trainer import weight_name
from spinney.ensemble._voting_members import codes_of
from spinney.mixture._experts import LEAST_SHARE, at_target, best_variance, log_normal
from spinney.mixture._training_data import Inputs, Scale, TrainingData

Floats = NDArray[np.float64]
_DOUBT = 1e-3  # spread evenly over the classes
FARTHEST = 1e100  # in units of the spread of y: squares stay in range


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
        member = new_member(self._told(), codes, self.seed)
        name = weight_name(member) or "sample_weight"
        return member.fit(data.inputs.table, data.labels, **{name: share})

    def _told(self) -> Any:
        """Return the estimator with the nominal columns set, unless the user has set them."""
        own = getattr(self.learner, "categorical_features", "from_dtype")
        if not isinstance(own, str) or own != "from_dtype":
            return self.learner
        return told_of_columns(self.learner, self.schema)


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
