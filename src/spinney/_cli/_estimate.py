"""How well a model does on rows that did not train it, with an interval."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney._cli._reading import Reading
from spinney._folds import make_folds
from spinney.pruning import PruningPath

Z = 1.959964  # of a 95 % interval
Costs = Mapping[tuple[Any, Any], float]


@dataclass(frozen=True)
class Estimate:
    """An error with its 95 % interval, and what answering without a model would give.

    Classification: the share of rows predicted wrongly, or the cost per row. Regression: the root
    of the mean squared error. `relative` is the error (squared, in regression) over that of the
    baseline.
    """

    measure: str
    value: float
    low: float
    high: float
    baseline: float
    baseline_name: str
    relative: float | None


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of n rows; it never leaves 0 to 1."""
    z2 = Z * Z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def of_path(reading: Reading, path: PruningPath, costs: Costs) -> Estimate:
    """Return the estimate that the folds of a pruning path give for the tree it selected."""
    assert path.errors is not None
    assert path.standard_errors is not None
    assert path.selected is not None
    error, spread = float(path.errors[path.selected]), float(path.standard_errors[path.selected])
    if reading.task == "regression":
        return _rmse(error, spread, float(path.errors[-1]))  # the root by itself: always the mean
    if costs:
        return _cost(error, spread, reading.y, costs)
    return class_error(error, reading.y)


def of_predictions(predicted: NDArray[Any], y: NDArray[Any], task: str, costs: Costs) -> Estimate:
    """Return the estimate from predictions of rows that did not train the model."""
    n = len(y)
    if task == "regression":
        squares = (predicted.astype(np.float64) - y) ** 2
        spread = float(squares.std() / math.sqrt(n))
        return _rmse(float(squares.mean()), spread, float(np.var(y)))
    if costs:
        each = row_costs(y, predicted, costs)
        return _cost(float(each.mean()), float(each.std() / math.sqrt(n)), y, costs)
    return class_error(float(np.mean(predicted != y)), y)


def cross_validate(
    model: Any, reading: Reading, cv: int, seed: int, on_fold: Callable[[], None]
) -> NDArray[Any]:
    """Return predictions of every row by models that were trained without it.

    Parameters
    ----------
    model : estimator
        Not fitted; clones of it are.
    reading : Reading
        The data.
    cv : int
        Number of folds; the classes are divided evenly.
    seed : int
        For the folds.
    on_fold : callable
        Called when a fold is done.

    Returns
    -------
    array of shape (n_rows,)
    """
    X, y = reading.X, reading.y
    strata = (
        np.unique(y, return_inverse=True)[1] if reading.task != "regression" else np.zeros(len(y))
    )
    predicted = np.empty(len(y), dtype=np.float64 if reading.task == "regression" else y.dtype)
    for train, test in make_folds(cv, X, strata, np.ones(len(y), dtype=bool), seed):
        fitted = clone(model).fit({name: column[train] for name, column in X.items()}, y[train])
        predicted[test] = fitted.predict({name: column[test] for name, column in X.items()})
        on_fold()
    return predicted


def row_costs(y: NDArray[Any], predicted: NDArray[Any], costs: Costs) -> NDArray[np.float64]:
    """Return what each row costs: 0 if it is right, 1 if nothing else is said."""
    pairs = zip(y.tolist(), predicted.tolist(), strict=True)
    return np.array([0.0 if a == b else costs.get((a, b), 1.0) for a, b in pairs])


def best_constant(y: NDArray[Any], costs: Costs) -> tuple[Any, float]:
    """Return the class that is cheapest to predict always, and its cost per row."""
    labels = np.unique(y)
    prices = [float(row_costs(y, np.full(len(y), label), costs).mean()) for label in labels]
    least = int(np.argmin(prices))
    return labels[least], prices[least]


def class_error(error: float, y: NDArray[Any]) -> Estimate:
    """Return the estimate of a share of wrong rows."""
    labels, counts = np.unique(y, return_counts=True)
    low, high = wilson_interval(error, len(y))
    most = int(counts.argmax())
    baseline = 1.0 - float(counts[most]) / len(y)
    relative = error / baseline if baseline > 0 else None
    return Estimate("error rate", error, low, high, baseline, str(labels[most]), relative)


def _cost(cost: float, spread: float, y: NDArray[Any], costs: Costs) -> Estimate:
    label, baseline = best_constant(y, costs)
    low, high = max(0.0, cost - Z * spread), cost + Z * spread
    relative = cost / baseline if baseline > 0 else None
    return Estimate("cost per row", cost, low, high, baseline, str(label), relative)


def _rmse(error: float, spread: float, alone: float) -> Estimate:
    low, high = max(0.0, error - Z * spread), error + Z * spread
    ends = math.sqrt(low), math.sqrt(high)
    relative = error / alone if alone > 0 else None
    return Estimate("RMSE", math.sqrt(error), *ends, math.sqrt(alone), "the mean", relative)
