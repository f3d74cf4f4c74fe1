"""Quantiles: which are valid, and the quantile of weighted numbers."""

from typing import Any

import numpy as np

from spinney._typing import Floats

_SAME = 1e-12  # of the weight: sums of the same weights in other orders


def check_quantiles(quantiles: Any) -> Floats:
    """Return quantiles as a 1-D array, each above 0 and below 1."""
    try:
        numbers = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != 1 or not numbers.size:
        raise ValueError(f"quantiles must be numbers above 0 and below 1, got {quantiles!r}.")
    bad = numbers[~((numbers > 0) & (numbers < 1))]
    if len(bad):
        raise ValueError(
            f"quantiles must be above 0 and below 1, got {bad[0]:g}. The 5 % quantile is 0.05."
        )
    return np.ascontiguousarray(numbers)


def weighted_quantile(y: Floats, weight: Floats, quantile: float) -> float:
    """Return the number that has so much of the weight below it, of least pinball loss.

    Halfway between two numbers that share the place, as `numpy.quantile` does with
    `method="averaged_inverted_cdf"`.
    """
    order = np.argsort(y, kind="stable")
    y, upto = y[order], np.cumsum(weight[order])
    wanted, slack = quantile * upto[-1], _SAME * upto[-1]
    low = int(np.argmax(upto >= wanted - slack))
    high = min(low + (abs(upto[low] - wanted) <= slack), len(y) - 1)
    return float(y[low] / 2.0 + y[high] / 2.0)
