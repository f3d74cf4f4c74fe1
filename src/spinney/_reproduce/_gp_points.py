"""The points on which forests of evolved trees are compared."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

__all__ = ["best_rule", "mixture"]


class Part(NamedTuple):
    """One Gaussian part of a class."""

    share: float  # of the class
    mean: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]


# Two parts a class, so that no class is convex; the best rule that there is has some 95 %.
CLASSES = (
    (
        Part(0.5, (-2.0, 0.0), ((0.38, 0.0), (0.0, 0.38))),
        Part(0.5, (0.3, 2.2), ((0.38, 0.15), (0.15, 0.3))),
    ),
    (
        Part(0.6, (0.0, 0.0), ((0.3, -0.1), (-0.1, 0.22))),
        Part(0.4, (2.4, 1.6), ((0.22, 0.0), (0.0, 0.38))),
    ),
    (
        Part(0.5, (1.9, -0.7), ((0.3, 0.15), (0.15, 0.38))),
        Part(0.5, (-1.2, -2.0), ((0.45, -0.15), (-0.15, 0.22))),
    ),
)


def mixture(n: int, random_state: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return n points in two attributes, and their classes 0, 1, 2, which are equally frequent."""
    rng = np.random.default_rng(random_state)
    y = rng.integers(0, len(CLASSES), n)
    X = np.empty((n, 2))
    for number, parts in enumerate(CLASSES):
        rows = np.flatnonzero(y == number)
        chosen = rng.choice(len(parts), len(rows), p=[part.share for part in parts])
        for i, part in enumerate(parts):
            own = rows[chosen == i]
            X[own] = rng.multivariate_normal(part.mean, part.covariance, len(own))
    return X, y


def best_rule(X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the likeliest class of each point: no classifier is right more often."""
    densities = [
        sum(part.share * multivariate_normal.pdf(X, part.mean, part.covariance) for part in parts)
        for parts in CLASSES
    ]
    return np.asarray(np.argmax(densities, axis=0))
