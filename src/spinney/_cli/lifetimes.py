"""Lifetimes on the command line: concordance, expected events, and curves by groups of risk."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.errors import Refusal, refusing
from spinney._cli.metrics import Estimate, Z
from spinney._cli.models import is_survival
from spinney._lifetimes import Lifetimes, concordance_index, read_lifetimes
from spinney._target import check_weights
from spinney._typing import Floats

_MOST_PARTS = 500  # of the rows, each left out once for the standard error
_BLOCK = 500  # rows whose curves are asked at once
_GROUPS = ("low risk", "middle", "high risk")


def concordance(y: Any, risk: Floats, weight: Floats | None = None) -> Estimate:
    """Return the concordance of risks with lifetimes, and its 95 % interval.

    The standard error is that of the jackknife: each row, or each of 500 parts of the rows, is left
    out once.

    Parameters
    ----------
    y : array of event and time
        The truth.
    risk : array of shape (n_rows,)
        As predicted by a model that did not see the rows.
    weight : array of shape (n_rows,), optional
        Of the rows.

    Returns
    -------
    Estimate
    """
    weights = check_weights(weight, len(risk))
    truth = read_lifetimes(y, weights, "model")
    value = concordance_index(truth, risk, weights)
    part = np.arange(len(risk)) % min(len(risk), _MOST_PARTS)
    others = [_without(truth, risk, weights, part == k) for k in range(int(part.max()) + 1)]
    known = np.array([other for other in others if other is not None])
    spread = math.sqrt((len(known) - 1) * float(np.var(known))) if len(known) > 1 else 0.5
    low, high = max(0.0, value - Z * spread), min(1.0, value + Z * spread)
    return Estimate("concordance", value, low, high, 0.5, "chance", None)


def _without(
    truth: Lifetimes, risk: Floats, weight: Floats, part: NDArray[np.bool_]
) -> float | None:
    """Return the concordance of the other rows; None if no two of them can be compared."""
    try:
        return concordance_index(truth, risk, np.where(part, 0.0, weight))
    except ValueError:
        return None


# -- Evaluation on rows whose lifetimes are known


@dataclass(frozen=True, eq=False)
class SurvivalMetrics:
    """Metrics of predicted lifetimes on rows whose lifetimes are known."""

    estimate: Estimate  # of the concordance
    n_events: float
    expected: float  # events, by the cumulative hazards of the rows
    curves: list[tuple[str, Floats, Floats, Floats]]  # group, times, observed, predicted


def survival_metrics(model: Any, X: dict[str, Any], y: Any, weight: Any) -> SurvivalMetrics:
    """Return the metrics of a model of lifetimes.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : table
        The features.
    y : array of event and time
        Of the rows.
    weight : array of shape (n_rows,) or None
        Of the rows.

    Returns
    -------
    SurvivalMetrics
    """
    risk = np.asarray(model.predict(X), dtype=np.float64)
    weights = check_weights(weight, len(risk))
    found = concordance(y, risk, weights)
    hazard = _cumulative_hazard(model, X, y["time"])
    events = float(weights @ y["event"])
    return SurvivalMetrics(
        found, events, float(weights @ hazard), _curves(model, X, y, risk, weights)
    )


def _cumulative_hazard(model: Any, X: dict[str, Any], time: Floats) -> Floats:
    """Return the cumulative hazard of each row up to its own time."""
    found = np.empty(len(time))
    for first in range(0, len(time), _BLOCK):
        own = slice(first, first + _BLOCK)
        rows = {name: column[own] for name, column in X.items()}
        times, place = np.unique(time[own], return_inverse=True)
        curves = model.predict_cumulative_hazard(rows, times)
        found[own] = curves[np.arange(len(place)), place]
    return found


def _curves(
    model: Any, X: dict[str, Any], y: Any, risk: Floats, weight: Floats
) -> list[tuple[str, Floats, Floats, Floats]]:
    """Return the observed and the mean predicted curve of thirds of the rows, by their risks."""
    group = np.searchsorted(np.quantile(risk, (1 / 3, 2 / 3)), risk)
    times = np.unique(y["time"][y["event"]])
    times = times[np.unique(np.linspace(0, len(times) - 1, 200).astype(int))]
    found = []
    for k, name in enumerate(_GROUPS):
        rows = (group == k) & (weight > 0)
        if not rows.any():
            continue
        part = {column: cells[rows] for column, cells in X.items()}
        predicted = np.average(
            model.predict_survival_function(part, times), axis=0, weights=weight[rows]
        )
        found.append((name, times, kaplan_meier(y[rows], weight[rows], times), predicted))
    return found


def kaplan_meier(y: Any, weight: Floats, times: Floats) -> Floats:
    """Return the share of rows without their event up to each time."""
    steps = np.unique(y["time"][y["event"]])
    at_risk = np.array([weight[y["time"] >= t].sum() for t in steps])
    events = np.array([weight[(y["time"] == t) & y["event"]].sum() for t in steps])
    stays = np.concatenate([[1.0], np.cumprod(1.0 - events / at_risk)])
    return np.asarray(stays[np.searchsorted(steps, times, side="right")])


def draw_curves(metrics: SurvivalMetrics, target: str, ax: Any) -> Any:
    """Draw observed and predicted survival of groups of rows; return the axes."""
    for k, (name, times, observed, predicted) in enumerate(metrics.curves):
        ax.step(times, observed, where="post", color=f"C{k}", label=name)
        ax.step(times, predicted, where="post", color=f"C{k}", ls="--", lw=1)
    ax.plot([], [], color="grey", ls="--", lw=1, label="predicted")
    ax.set(xlabel=target, ylabel="share without the event", ylim=(0, 1))
    ax.legend()
    return ax


# -- Curves of single rows: `predict --times 30,365`


def parse_times(model: Any, given: str | None) -> list[float]:
    """Return the times of --times, before rows are read; refuse models without curves."""
    if given is None:
        return []
    if not is_survival(model):
        raise Refusal("--times: this model predicts no lifetimes. Train one by --event and --time.")
    try:
        times = [float(text) for text in given.split(",")]
    except ValueError:
        times = [math.nan]
    if not all(math.isfinite(time) and time >= 0 for time in times):
        raise Refusal(f"--times: write numbers from 0 up, such as 30,365, not {given!r}.")
    return times


def time_columns(model: Any, X: Any, times: list[float]) -> dict[str, list[float]]:
    """Return the probability that the event comes later than each time, by column name."""
    if not times:
        return {}
    with refusing():
        curves = model.predict_survival_function(X, times)
    return {name: curves[:, k].tolist() for k, name in enumerate(time_names(times))}


def time_names(times: list[float]) -> list[str]:
    """Return the names of the columns."""
    return [f"survival_{time:g}" for time in times]
