"""Impurities and gains, written straight from their formulas.

Each takes the labels and weights of some rows. Rows of weight zero add nothing.
"""

from __future__ import annotations

import math

import numpy as np

from .settings import Array, Settings


def class_weights(y: Array, w: Array, n_classes: int) -> Array:
    """Sum of the weights of each class."""
    return np.array([math.fsum(w[y == c]) for c in range(n_classes)])


def gini(p: Array) -> float:
    return 1.0 - math.fsum(p * p)


def entropy(p: Array) -> float:
    """Entropy in bits."""
    return -math.fsum(q * math.log2(q) for q in p if q > 0)


def misclassification(p: Array) -> float:
    return 1.0 - float(max(p))


def exponent(p: Array) -> float:
    return 1.0 - math.fsum(q * math.exp(q) for q in p) / math.e


def cost_gini(p: Array, costs: Array) -> float:
    """Expected cost when the true and the guessed class are both drawn from ``p``."""
    k = len(p)
    return math.fsum(costs[i, j] * p[i] * p[j] for i in range(k) for j in range(k) if i != j)


def twoing(left: Array, right: Array) -> float:
    """Goodness of a split, from the class weights on either side."""
    total = left.sum() + right.sum()
    difference = math.fsum(abs(left / left.sum() - right / right.sum()))
    return float(left.sum() / total * right.sum() / total / 4 * difference**2)


def weighted_mean(y: Array, w: Array) -> float:
    """Weighted mean, taken about the first value so that a large offset costs nothing."""
    return float(y[0]) + math.fsum(w * (y - y[0])) / math.fsum(w)


def squared_error(y: Array, w: Array) -> float:
    return math.fsum(w * (y - weighted_mean(y, w)) ** 2) / math.fsum(w)


def quantile_interval(y: Array, w: Array, share: float) -> tuple[float, float]:
    """All values between these two are weighted quantiles."""
    total = math.fsum(w)
    tiny = 1e-12 * total
    values = sorted({float(v) for v, weight in zip(y, w, strict=True) if weight > 0})
    low = next(v for v in values if math.fsum(w[y <= v]) >= share * total - tiny)
    high = next(v for v in reversed(values) if math.fsum(w[y >= v]) >= (1 - share) * total - tiny)
    return low, high


def median_interval(y: Array, w: Array) -> tuple[float, float]:
    """All values between these two are weighted medians."""
    return quantile_interval(y, w, 0.5)


def weighted_quantile(y: Array, w: Array, share: float) -> float:
    low, high = quantile_interval(y, w, share)
    return low + (high - low) / 2


def absolute_error(y: Array, w: Array) -> float:
    """Mean absolute deviation from the weighted median."""
    return math.fsum(w * abs(y - weighted_quantile(y, w, 0.5))) / math.fsum(w)


def pinball(y: float, answer: float, share: float) -> float:
    """What a row costs: ``share`` a unit above the answer, 1 - ``share`` a unit below."""
    return max(share * (y - answer), (share - 1.0) * (y - answer))


def pinball_loss(y: Array, w: Array, share: float) -> float:
    """Mean pinball loss about the weighted quantile."""
    answer = weighted_quantile(y, w, share)
    costs = np.array([pinball(float(v), answer, share) for v in y])
    return math.fsum(w * costs) / math.fsum(w)


def rate(y: Array, w: Array, prior: tuple[float, float] = (0.0, 0.0)) -> float:
    """What was counted per unit of exposure, a prior included."""
    count, time = math.fsum(w * y[:, 0]), math.fsum(w * y[:, 1])
    return (count + prior[0]) / (time + prior[1])


def half_deviance(y: float, mu: float, settings: Settings) -> float:
    """Half the deviance of one unit of exposure, as textbooks write it."""
    if settings.criterion in ("poisson", "logrank"):
        return mu - y + (y * (math.log(y) - math.log(mu)) if y > 0 else 0.0)
    if settings.criterion == "gamma":
        return math.log(mu) - math.log(y) + y / mu - 1.0
    p = settings.power
    return (
        y ** (2 - p) / ((1 - p) * (2 - p)) - y * mu ** (1 - p) / (1 - p) + mu ** (2 - p) / (2 - p)
    )


def deviance(y: Array, w: Array, settings: Settings) -> float:
    """Half deviance under the rate of the rows, per unit of weight."""
    answer = rate(y, w, settings.prior)
    if answer == 0:
        return 0.0  # nothing was counted
    costs = [t * half_deviance(count / t, answer, settings) for count, t in y]
    return math.fsum(w * np.array(costs)) / math.fsum(w)


def logrank(y: Array, w: Array, left: np.ndarray, unit: float) -> float:
    """The log-rank statistic of two groups with events and times; minus infinity if it has none.

    From the table of each time with events: who was at risk, and who had the event, on either
    side. Weights count rows, in units.
    """
    event, time, w = y[:, 0] > 0, y[:, 1], w / unit
    off, variance = [], []
    for t in np.unique(time[event]):
        risk, dead = time >= t, event & (time == t)
        n, n_left, d = (math.fsum(w[rows]) for rows in (risk, risk & left, dead))
        off.append(math.fsum(w[dead & left]) - d * n_left / n)
        ties = min(1.0, max(0.0, (n - d) / (n - 1.0))) if n > 1.0 else 0.0
        variance.append(d * n_left / n * (n - n_left) / n * ties)
    if not math.fsum(variance) > 1e-12:
        return -math.inf  # nobody is compared
    return math.fsum(off) ** 2 / math.fsum(variance) * unit


def impurity(y: Array, w: Array, settings: Settings) -> float:
    """Impurity of a group of rows; for twoing, which has none, that of gini."""
    if settings.is_deviance:
        return deviance(y, w, settings)
    if settings.criterion == "quantile":
        return pinball_loss(y, w, settings.quantile)
    if not settings.is_classification:
        return {"squared_error": squared_error, "absolute_error": absolute_error}[
            str(settings.criterion)
        ](y, w)
    assert settings.n_classes is not None
    counts = class_weights(y, w, settings.n_classes)
    p = counts / counts.sum()
    if callable(settings.criterion):
        return float(settings.criterion(p[np.newaxis, :])[0])
    if settings.criterion == "gini" and settings.cost_matrix is not None:
        return cost_gini(p, settings.costs)
    return {
        "gini": gini,
        "twoing": gini,
        "entropy": entropy,
        "misclassification": misclassification,
        "exponent": exponent,
    }[settings.criterion](p)


def gain(y: Array, w: Array, goes_left: np.ndarray, settings: Settings) -> float:
    """Gain of dividing these rows in two; every row goes somewhere."""
    left, right = goes_left, ~goes_left
    if settings.criterion == "twoing":
        assert settings.n_classes is not None
        return twoing(
            class_weights(y[left], w[left], settings.n_classes),
            class_weights(y[right], w[right], settings.n_classes),
        )
    total = math.fsum(w)
    if settings.criterion == "logrank":
        return logrank(y, w, left, settings.unit) / total
    settings = settings.but(prior=(0.0, 0.0))  # which only answers have
    return (
        impurity(y, w, settings)
        - math.fsum(w[left]) / total * impurity(y[left], w[left], settings)
        - math.fsum(w[right]) / total * impurity(y[right], w[right], settings)
    )


def impurity_scale(y: Array, w: Array, settings: Settings) -> float:
    """The size of impurities in this data set: what rounding errors are relative to."""
    if settings.is_classification:
        largest_cost = float(settings.costs.max(initial=0.0))
        return max(1.0, largest_cost, abs(impurity(y, w, settings)))
    if settings.is_deviance:  # a difference of terms that are about 1
        return max(0.01, impurity(y, w, settings))
    return impurity(y, w, settings)


def is_pure(y: Array) -> bool:
    """Whether all rows (none of weight zero) have the same label, or rate."""
    if y.ndim == 2:
        return bool((y[:, 0] / y[:, 1] == y[0, 0] / y[0, 1]).all())
    return bool((y == y[0]).all())


def prior_weights(y: Array, w: Array, priors: Array) -> Array:
    """Weights whose class shares are the priors; their sum stays the same."""
    counts = class_weights(y, w, len(priors))
    factors: Array = np.asarray(priors) / counts * counts.sum()
    return np.asarray(w * factors[y.astype(int)])


def altered_prior_weights(y: Array, w: Array, costs: Array, priors: Array | None = None) -> Array:
    """Weights that carry the costs: each prior times the sum of its class's costs, normalised."""
    shares = class_weights(y, w, len(costs)) if priors is None else np.asarray(priors)
    altered = shares * np.asarray(costs).sum(axis=1)
    return prior_weights(y, w, altered / altered.sum())
