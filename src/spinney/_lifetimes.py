"""Lifetimes: whether the event was seen, and when. Targets, curves, and their concordance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._typing import Floats

LIFETIME_CRITERIA = ("exponential", "logrank")
_MOST_BORDERS = 1000
_WANTED = (
    "y must hold the event (True or 1 if it was seen, False or 0 if not) and the time of each row: "
    "a structured array with these two fields, or a table with columns named event and time"
)


@dataclass(frozen=True)
class Lifetimes:
    """A checked target of lifetimes: what was seen of each row, and when that was."""

    event: NDArray[np.bool_]
    time: Floats


def read_lifetimes(y: Any, weight: Floats, estimator_name: str) -> Lifetimes:
    """Return the event and the time of each row, after checking those that weigh anything.

    Parameters
    ----------
    y : structured array, table or mapping
        As users give it.
    weight : array of shape (n_rows,)
        Checked weights of the rows.
    estimator_name : str
        For the message if y is None.

    Returns
    -------
    Lifetimes
    """
    if y is None:
        raise ValueError(
            f"This {estimator_name} estimator requires y to be passed, but the target y is None."
        )
    event, time = _two_columns(y)
    for name, column in (("event", event), ("time", time)):
        if column.ndim != 1 or len(column) != len(weight):
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {len(weight)} rows, {name} of y has shape {column.shape}."
            )
    used = weight > 0
    return Lifetimes(_checked_events(event, used), _checked_times(time, used))


def _two_columns(y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the columns of events and times, whatever holds them."""
    if isinstance(y, Lifetimes):
        return y.event, y.time
    names = getattr(getattr(y, "dtype", None), "names", None)  # fields of a structured array
    if names is not None and not {"event", "time"} <= set(names):
        if len(names) != 2:
            raise ValueError(f"{_WANTED}. Got an array with the fields {', '.join(names)}.")
        return np.asarray(y[names[0]]), np.asarray(y[names[1]])
    if names is None:
        found = y if isinstance(y, Mapping) else getattr(y, "column_names", None)
        names = list(getattr(y, "columns", ()) if found is None else found)
        if not {"event", "time"} <= set(names):
            shape = getattr(y, "shape", None)
            found = f"columns {', '.join(map(str, names))}" if names else f"shape {shape}"
            raise ValueError(f"{_WANTED}. Got a {type(y).__name__} with {found}.")
    return np.asarray(y["event"]), np.asarray(y["time"])


def _checked_events(event: NDArray[Any], used: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if event.dtype.kind == "O":
        missing = np.array([code is None or bool(code != code) for code in event], bool)
    else:
        missing = np.isnan(event) if event.dtype.kind == "f" else np.zeros(len(event), bool)
    _refuse_gaps(missing & used, "event")
    known = np.array([code in (0, 1) for code in event.tolist()], dtype=bool)
    strange = np.flatnonzero(used & ~known)
    if len(strange):
        code = event[strange[0]].item() if event.dtype.kind != "O" else event[strange[0]]
        remedy = " For codes 1 and 2, as in R, give status == 2." if code == 2 else ""
        raise ValueError(
            f"event of y holds {code!r} at index {strange[0]}, which is no known code. Give True "
            f"or 1 for a row whose event was seen, False or 0 for a censored one.{remedy}"
        )
    seen: NDArray[np.bool_] = np.where(used & known, event, 0).astype(bool)
    n_events, n_rows = int(seen.sum()), int(used.sum())
    if n_events < 2:
        found = "no event" if n_events == 0 else "one event only"
        samples = f"{n_rows} sample{'s' if n_rows != 1 else ''}"
        raise ValueError(
            f"y holds {found} in {samples}: hazards are compared between events, so give at least "
            "two. Are the codes of event the right way round?"
        )
    return seen


def _checked_times(time: NDArray[Any], used: NDArray[np.bool_]) -> Floats:
    try:
        numbers = np.array(time, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("time of y must hold numbers, got text or objects.") from None
    _refuse_gaps(np.isnan(numbers) & used, "time")
    bad = np.flatnonzero(used & ~(np.isfinite(numbers) & (numbers > 0)))
    if len(bad):
        raise ValueError(
            f"time of y holds {numbers[bad[0]]:g} at index {bad[0]}. Times must be finite and "
            "above 0; give a row that left at once a short time, or drop it."
        )
    numbers[~used] = 1.0
    return numbers


def _refuse_gaps(missing: NDArray[np.bool_], name: str) -> None:
    gaps = np.flatnonzero(missing)
    if len(gaps):
        shown = ", ".join(map(str, gaps[:5])) + (", ..." if len(gaps) > 5 else "")
        raise ValueError(
            f"Input y contains NaN: the {name} is missing in {len(gaps)} rows (index {shown}). "
            "Drop these rows."
        )


def lifetime_array(y: Any) -> NDArray[Any]:
    """Return any target of lifetimes as a structured array of event and time, not checked."""
    event, time = _two_columns(y)
    both = np.empty(len(time), dtype=[("event", event.dtype), ("time", time.dtype)])
    both["event"], both["time"] = event, time
    return both


def hazard_scale(event: NDArray[np.bool_], time: Floats, weight: Floats) -> Floats:
    """Return the cumulative hazard of all rows at the time of each, as rpart's method "exp" does.

    Between neighbouring times of events the hazard is constant: weight of the events by weight
    times time at risk. On this scale all rows together have as many events as units of time. rpart
    leaves the weights out here.

    Parameters
    ----------
    event : array of shape (n_rows,)
        Whether the event was seen.
    time : array of shape (n_rows,)
        When, or until when it was not.
    weight : array of shape (n_rows,)
        Weights of the rows.

    Returns
    -------
    array of shape (n_rows,)
    """
    used = weight > 0
    time = np.ldexp(time, -int(np.frexp(time[used].max())[1]))  # sums of times stay in range
    order = np.lexsort((weight[used], event[used], time[used]))  # sums are those of any row order
    seen, times, weights = event[used][order], time[used][order], weight[used][order]
    borders = np.concatenate([[0.0], _borders(np.unique(times[seen]))[:-1], [times[-1]]])
    n, lengths = len(borders) - 1, np.diff(borders)
    place = np.searchsorted(borders, times, side="left") - 1
    leaving = np.bincount(place, weights, minlength=n)
    staying = np.concatenate([np.cumsum(leaving[::-1])[::-1][1:], [0.0]])
    at_risk = lengths * staying + np.bincount(
        place, weights * (times - borders[place]), minlength=n
    )
    hazard = np.bincount(place, weights * seen, minlength=n) / at_risk
    cumulated = np.concatenate([[0.0], np.cumsum(hazard * lengths)])
    return np.where(used, np.interp(time, borders, cumulated), 1.0)


def _borders(deaths: Floats) -> Floats:
    """Return times between which hazards are constant: as rpart, not too close, nor too many."""
    n = len(deaths)
    least = np.finfo(np.float64).eps * (deaths[min(n - 1, 3 * n // 4)] - deaths[n // 4])
    if n > 1 and np.diff(deaths).min() <= least:
        kept = [deaths[0]]
        for death in deaths[1:].tolist():
            if death - kept[-1] > least:
                kept.append(death)
        deaths = np.array(kept)
    if len(deaths) > _MOST_BORDERS:
        deaths = np.quantile(deaths, np.arange(_MOST_BORDERS + 1) / _MOST_BORDERS)
    return deaths


def concordance_index(lifetimes: Lifetimes, risk: Floats, weight: Floats) -> float:
    """Return the share of comparable pairs of rows whose risks are in the order of their events.

    Harrell's index. A pair is comparable if one row had its event while the other was at risk, and
    stayed so longer; equal risks count half. Weights of a pair are multiplied.

    Parameters
    ----------
    lifetimes : Lifetimes
        The truth.
    risk : array of shape (n_rows,)
        Higher for rows whose event is expected earlier.
    weight : array of shape (n_rows,)
        Weights of the rows.

    Returns
    -------
    float
    """
    right, wrong, tied = _core.concordance(lifetimes.time, lifetimes.event, risk, weight)
    if not right + wrong + tied > 0:
        raise ValueError(
            "no two rows of y can be compared: no event was seen while another row was still at "
            "risk. Give more rows."
        )
    return float((right + tied / 2.0) / (right + wrong + tied))


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
        from sklearn.utils.validation import check_is_fitted  # here: to read lifetimes needs none

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
