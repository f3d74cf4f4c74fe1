"""Experts from elsewhere: learners that are fitted again in every step, and fitted ones.

Classifiers are asked for probabilities, which are kept a little away from 0: a tree that is sure
and wrong would otherwise make a row impossible. Regressors get a variance of their own. A learner
promises nothing about likelihood, so a fit that makes its share of the rows less likely than the
one before is thrown away.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney.ensemble._foreign_learners import new_member, told_of_columns
from spinney.ensemble._foreign_trainer import weight_name
from spinney.ensemble._voting_members import codes_of
from spinney.mixture._experts import LEAST_SHARE, best_variance, log_normal, truth_of
from spinney.mixture._lesson import Asked, Lesson, Scale

__all__ = ["FARTHEST", "ClassLearner", "NumberLearner", "Recipe"]

Floats = NDArray[np.float64]
_DOUBT = 1e-3  # spread evenly over the classes
FARTHEST = 1e100  # in units of the spread of y: squares stay in range


@dataclass(frozen=True)
class Recipe:
    """How to fit an expert: the user's learner, a seed, and the kinds of the columns."""

    learner: Any
    seed: int
    schema: Schema

    def fitted(self, lesson: Lesson, share: Floats) -> Any:
        """Return a new learner, fitted to the rows by what they weigh, or to all if to none."""
        if not _weighs(lesson, share):
            share = lesson.weight
        codes = None if lesson.classes is None else lesson.truth
        member = new_member(self._told(), codes, self.seed)
        name = weight_name(member) or "sample_weight"
        return member.fit(lesson.asked.table, lesson.told, **{name: share})

    def _told(self) -> Any:
        """Return the learner; one that the user has not told which columns are nominal is told."""
        own = getattr(self.learner, "categorical_features", "from_dtype")
        if not isinstance(own, str) or own != "from_dtype":
            return self.learner
        return told_of_columns(self.learner, self.schema)


def _weighs(lesson: Lesson, share: Floats) -> bool:
    return float(share.sum()) > LEAST_SHARE * lesson.total


def _teaches(estimator: Any, lesson: Lesson, share: Floats) -> bool:
    """Tell whether a share has something to teach; who knows nothing learns in any case."""
    return estimator is None or _weighs(lesson, share)


@dataclass(frozen=True)
class ClassLearner:
    """A classifier with `predict_proba`.

    Parameters
    ----------
    estimator : classifier or None
        Fitted, unless it is None, which is as good as no answer at all.
    classes : array of shape (n_classes,)
        The labels, in the order of the answer.
    recipe : Recipe or None
        How to fit it again; None for one that stays as it is.
    who : str
        What messages call it.
    """

    estimator: Any
    classes: NDArray[Any]
    recipe: Recipe | None
    who: str = "expert"

    def answer(self, asked: Asked) -> Floats:
        """Return log-probabilities, one column a class."""
        n_classes = len(self.classes)
        shares = np.full((len(asked.design), n_classes), 1.0 / n_classes, order="F")
        if self.estimator is not None:
            found = np.asarray(self.estimator.predict_proba(asked.table), dtype=np.float64)
            known = np.asarray(self.estimator.classes_)
            if found.shape != (len(asked.design), len(known)) or not np.isfinite(found).all():
                raise ValueError(
                    f"{self.who} predicts probabilities of shape {found.shape} for "
                    f"{len(asked.design)} rows and {len(known)} classes, or some that are not "
                    "finite. An expert must give a probability for every class and row."
                )
            places = codes_of(known, {label: k for k, label in enumerate(self.classes.tolist())})
            shares = np.full_like(shares, 0.0)
            shares[:, places[places >= 0]] = found[:, places >= 0]
        doubtful = (1.0 - _DOUBT) * shares + _DOUBT / n_classes
        return np.asarray(np.log(doubtful / doubtful.sum(axis=1, keepdims=True)))

    def log_density(self, lesson: Lesson, answer: Floats) -> Floats:
        """Return the log-probability of each row's class."""
        return truth_of(lesson, answer)

    def improved(
        self, lesson: Lesson, share: Floats, answer: Floats
    ) -> tuple["ClassLearner", Floats]:
        """Fit the learner again, and keep what makes the rows more likely."""
        if self.recipe is None or not _teaches(self.estimator, lesson, share):
            return self, answer
        other = replace(self, estimator=self.recipe.fitted(lesson, share))
        theirs = other.answer(lesson.asked)
        gain = float(np.sum(share * (truth_of(lesson, theirs) - truth_of(lesson, answer))))
        return (other, theirs) if gain >= 0.0 or self.estimator is None else (self, answer)

    def penalty(self, lesson: Lesson) -> float:
        """Return 0: nothing is known of what a learner penalises."""
        return 0.0


@dataclass(frozen=True)
class NumberLearner:
    """A regressor, with normal errors of one variance.

    Parameters
    ----------
    estimator : regressor or None
        Fitted, unless it is None, which predicts the mean of all.
    scale : Scale
        Of the target.
    recipe : Recipe or None
        How to fit it again; None for one that stays as it is.
    variance : float, default=1.0
        Of the errors of the scaled y.
    who : str
        What messages call it.
    """

    estimator: Any
    scale: Scale
    recipe: Recipe | None
    variance: float = 1.0
    who: str = "expert"

    def answer(self, asked: Asked) -> Floats:
        """Return scaled means."""
        n_rows = len(asked.design)
        if self.estimator is None:
            return np.zeros(n_rows)
        found = np.asarray(self.estimator.predict(asked.table), dtype=np.float64)
        if found.size != n_rows or not np.isfinite(found).all():
            raise ValueError(
                f"{self.who} predicts an array of shape {found.shape} for {n_rows} rows, or "
                "numbers that are not finite. An expert must predict one finite number a row."
            )
        return np.clip(self.scale.down(found.reshape(-1)), -FARTHEST, FARTHEST)

    def log_density(self, lesson: Lesson, answer: Floats) -> Floats:
        """Return the logarithm of the normal density."""
        return log_normal(lesson, answer, self.variance)

    def improved(
        self, lesson: Lesson, share: Floats, answer: Floats
    ) -> tuple["NumberLearner", Floats]:
        """Fit the learner again, keep what is nearer to the rows, and find its variance."""
        if not _teaches(self.estimator, lesson, share):
            return self, answer
        better, means = self, answer
        if self.recipe is not None:
            other = replace(self, estimator=self.recipe.fitted(lesson, share))
            theirs = other.answer(lesson.asked)
            off, before = (lesson.truth - m for m in (theirs, answer))
            if self.estimator is None or float(np.sum(share * (off**2 - before**2))) <= 0.0:
                better, means = other, theirs
        if not _weighs(lesson, share):
            return better, means
        return replace(better, variance=best_variance(lesson, share, means)), means

    def penalty(self, lesson: Lesson) -> float:
        """Return 0: nothing is known of what a learner penalises."""
        return 0.0
