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


def median_interval(y: Array, w: Array) -> tuple[float, float]:
    """All values between these two are weighted medians."""
    half = math.fsum(w) / 2
    tiny = 1e-12 * half
    values = sorted({float(v) for v, weight in zip(y, w, strict=True) if weight > 0})
    low = next(v for v in values if math.fsum(w[y <= v]) >= half - tiny)
    high = next(v for v in reversed(values) if math.fsum(w[y >= v]) >= half - tiny)
    return low, high


def weighted_median(y: Array, w: Array) -> float:
    low, high = median_interval(y, w)
    return low + (high - low) / 2


def absolute_error(y: Array, w: Array) -> float:
    """Mean absolute deviation from the weighted median."""
    return math.fsum(w * abs(y - weighted_median(y, w))) / math.fsum(w)


def impurity(y: Array, w: Array, settings: Settings) -> float:
    """Impurity of a group of rows; for twoing, which has none, that of gini."""
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
    return impurity(y, w, settings)


def is_pure(y: Array) -> bool:
    """Whether all rows (none of weight zero) have the same label."""
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
