"""Three classes of points in the plane, each of two Gaussian parts."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Integer
from spinney.datasets._random import generator

__all__ = ["best_rule", "make_gaussian_mixture"]


class Part(NamedTuple):
    """One Gaussian part of a class."""

    share: float  # of the class
    mean: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]


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


def make_gaussian_mixture(
    n_samples: int = 1000, *, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw points of three classes in the plane.

    Each class is a mixture of two Gaussian distributions, so that none is convex and borders run
    aslant: an easy task on which a tree that asks one column at a time needs many tests. The
    classes are equally likely. The best possible rule is right for some 95 % of the rows, as for
    the points on which forests of evolved trees were first compared.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    random_state : int, Generator, RandomState or None, default=None
        For everything that is drawn.

    Returns
    -------
    X : array of shape (n_samples, 2)
        The points.
    y : array of shape (n_samples,)
        The classes: 0, 1 or 2.

    Raises
    ------
    ValueError
        If `n_samples` is not a positive integer.

    Examples
    --------
    >>> from spinney.datasets import make_gaussian_mixture
    >>> X, y = make_gaussian_mixture(300, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 2), [0, 1, 2])
    """
    n_rows = Integer(1).check("n_samples", n_samples)
    random = generator(random_state)
    y = random.integers(0, len(CLASSES), n_rows)
    X = np.empty((n_rows, 2))
    for number, parts in enumerate(CLASSES):
        rows = np.flatnonzero(y == number)
        chosen = random.choice(len(parts), len(rows), p=[part.share for part in parts])
        for i, part in enumerate(parts):
            own = rows[chosen == i]
            X[own] = random.multivariate_normal(part.mean, part.covariance, len(own))
    return X, y


def best_rule(X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the likeliest class of each point: no classifier is right more often."""
    from scipy.stats import multivariate_normal

    densities = [
        sum(part.share * multivariate_normal.pdf(X, part.mean, part.covariance) for part in parts)
        for parts in CLASSES
    ]
    return np.asarray(np.argmax(densities, axis=0), dtype=np.int64)
