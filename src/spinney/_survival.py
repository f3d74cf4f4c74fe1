"""What estimators of lifetimes have in common: curves at any time, and concordance as score."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney._lifetimes import concordance_index, read_lifetimes
from spinney._typing import Floats


def check_times(times: Any) -> Floats | None:
    """Return the times at which curves are wanted; None for those of the events."""
    if times is None:
        return None
    try:
        numbers = np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"times must be numbers, got {times!r}.") from None
    if numbers.ndim != 1 or np.isnan(numbers).any():
        raise ValueError(
            f"times must be one number, or a list of them without gaps, got shape {numbers.shape}."
        )
    return numbers


class SurvivalMixin:
    """Predictions and score of estimators whose target are lifetimes."""

    @property
    def times_(self) -> Floats:
        """The times at which training rows had their event, ascending."""
        check_is_fitted(self)
        return self._event_times()

    def _event_times(self) -> Floats:
        raise NotImplementedError

    def _curves(self, X: Any, times: Floats | None, kind: str) -> Floats:
        """Return one curve a row: "survival" or "cumulative_hazard"."""
        raise NotImplementedError

    def predict_survival_function(self, X: Any, times: Any = None) -> Floats:
        """Return the probability that the event of each row comes later than a time.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        times : array of shape (n_times,), default=None
            The times; None for `times_`.

        Returns
        -------
        array of shape (n_rows, n_times)
            The Kaplan-Meier estimate of the leaf of each row; in a forest the mean over the trees.
        """
        return self._curves(X, check_times(times), "survival")

    def predict_cumulative_hazard(self, X: Any, times: Any = None) -> Floats:
        """Return the cumulative hazard of each row up to a time.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        times : array of shape (n_times,), default=None
            The times; None for `times_`.

        Returns
        -------
        array of shape (n_rows, n_times)
            The Nelson-Aalen estimate of the leaf of each row; in a forest the mean over the trees.
        """
        return self._curves(X, check_times(times), "cumulative_hazard")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return Harrell's concordance index of the predicted risks.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : structured array or table of shape (n_rows,)
            Event and time of each row.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The share of the pairs of rows that can be compared whose risks are in the order of
            their events. Equal risks count half: 0.5 is what a constant reaches.
        """
        from spinney._target import check_weights  # which needs trees' targets

        risk = np.asarray(self.predict(X), dtype=np.float64)  # type: ignore[attr-defined]
        weight = check_weights(sample_weight, len(risk))
        lifetimes = read_lifetimes(y, weight, type(self).__name__)
        return concordance_index(lifetimes, risk, weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags
