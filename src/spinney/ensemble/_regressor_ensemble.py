"""Base class of ensembles that predict numbers."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from spinney._counts import DEVIANCES, judge_name, number_score, with_exposure
from spinney._settings import thread_count
from spinney._typing import Floats
from spinney.ensemble._combine import weighted_median
from spinney.ensemble._distil import distil, distil_rules
from spinney.ensemble._ensemble import BaseEnsemble
from spinney.ensemble._routing import Metadata, route
from spinney.shapley._additive import Additive
from spinney.tree._estimator import is_own_tree


class RegressorEnsemble(RegressorMixin, BaseEnsemble):
    """Base class of ensembles that predict numbers."""

    distil = distil
    distil_rules = distil_rules

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = getattr(self, "criterion", None) in DEVIANCES
        return tags

    def _check_exposed(self) -> None:
        """Refuse an exposure that members cannot use."""
        if not all(map(is_own_tree, self._make_learners())):
            raise ValueError("exposure needs members that are trees of this package.")

    def _judge_name(self) -> str:
        """Return the criterion that all members have; squared error if they differ."""
        names = {judge_name(learner) for learner in self._make_learners()}
        return names.pop() if len(names) == 1 else "squared_error"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None, **params: Any
    ) -> Self:
        """Train the members, and select those that vote.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays.
            Strings and categoricals need no encoding; NaN, None and NA are missing.
        y : array of shape (n_rows,)
            The target: numbers, or what was counted or paid in all.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent.
        exposure : array of shape (n_rows,), default=None
            For how much of it y was counted, such as years insured; predictions are per unit of
            exposure. For "poisson", "gamma" and "tweedie".
        **params : dict
            Metadata for the fit of members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        self
        """
        if exposure is not None:
            self._check_exposed()
        return super().fit(X, with_exposure(y, exposure), sample_weight, **params)

    def _uses_median(self) -> bool:
        """Whether the median of the members is predicted, not their mean."""
        return bool(self.combine == "median")

    def _additive(self) -> Additive:
        if self._uses_median():
            raise ValueError(
                f"{type(self).__name__} predicts the median of its members, which is no sum of "
                "what they say, so columns have no shares in it. Explain a model of means, such as "
                "combine='mean' or RandomForestRegressor, or single members: "
                "estimators_[0].shap_values(X)."
            )
        return super()._additive()

    def predict(self, X: Any, **params: Any) -> Floats:
        """Return what the members together predict for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows,)
        """
        metadata = route(self, "predict", params)
        if self._uses_median():
            rows, members = self._member_rows(X, metadata), self._voters()
            answers = self._members.answers(rows, members, thread_count(self.n_jobs))
            return weighted_median(answers, self._vote_weights())
        sums = self._sums(X, False, metadata)[:, 0] / len(self._voters())
        if np.isfinite(sums).all():
            return np.asarray(sums)
        return self._mean_of(X, len(self._voters()), metadata)

    def _mean_of(self, X: Any, n: int, metadata: Metadata = ()) -> Floats:
        """Return the mean of the first members, whose sum is too large for a number."""
        rows, shares = self._member_rows(X, metadata), np.full(n, 1.0 / n)
        sums = self._members.sums(rows, self._voters()[:n], shares, False, 1)
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
        if not self._uses_median():
            for n, sums in self._staged_sums(X, False):
                means = sums[:, 0] / n
                yield means if np.isfinite(means).all() else self._mean_of(X, n)
            return
        rows, members, weights = self._member_rows(X), self._voters(), self._vote_weights()
        answers = self._members.answers(rows, members, thread_count(self.n_jobs))
        for n in range(1, len(members) + 1):
            yield weighted_median(answers[:n], weights[:n])

    def score(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> float:
        """Return R squared, or D squared where the criterion is a deviance or a quantile.

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

        Returns
        -------
        float
            The share of the squared error about the mean, of the deviance about the overall rate,
            or of the pinball loss about the overall quantile, that is explained; at most 1.
        """
        return self._score_of(self.predict(X), y, sample_weight, exposure)

    def _score_of(self, predicted: Floats, y: Any, sample_weight: Any, exposure: Any) -> float:
        name = type(self).__name__
        return number_score(predicted, y, sample_weight, exposure, self._judge_name(), name)

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
