"""Ensembles of regressors whose criterion may be a deviance of counts or amounts."""

from collections.abc import Iterator
from typing import Any, Self

from spinney._counts import ExposureMixin, judge_name
from spinney.ensemble._ensemble import RegressorEnsemble
from spinney.tree._estimator import is_own_tree


class ExposedEnsemble(ExposureMixin, RegressorEnsemble):
    """Base class of ensembles that take an exposure."""

    def _judge_name(self) -> str:
        """Return the criterion that all members have; squared error if they differ."""
        names = {judge_name(learner) for learner in self._make_learners()}
        return names.pop() if len(names) == 1 else "squared_error"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None, **params: Any
    ) -> Self:
        if exposure is not None and not all(map(is_own_tree, self._make_learners())):
            raise ValueError("exposure needs members that are trees of this package.")
        return super().fit(X, y, sample_weight, exposure, **params)

    fit.__doc__ = ExposureMixin.fit.__doc__

    def staged_score(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None
    ) -> Iterator[float]:
        """Yield `score` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            The true numbers, or what was counted or paid in all.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.
        exposure : array of shape (n_rows,), default=None
            For how much of it y was counted.

        Yields
        ------
        float
        """
        for numbers in self.staged_predict(X):
            yield self._score_of(numbers, y, sample_weight, exposure)
