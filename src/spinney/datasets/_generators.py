"""Generators of problems whose best possible error is known."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Integer, Number
from spinney._typing import Floats

Sample = tuple[Floats, NDArray[np.int64]]


# -- Waveform

_PLACES = np.arange(1, 22)
_WAVES = np.maximum(6.0 - np.abs(_PLACES - np.array([[11], [15], [7]])), 0.0)  # h1, h2, h3
_FIRST, _SECOND = np.array([1, 0, 0]), np.array([2, 2, 1])  # the two waves of classes 0, 1, 2


def make_waveform(n_samples: int = 5000, *, random_state: Any = None) -> Sample:
    """Generate Breiman's waveform problem.

    There are three waves of 21 values, triangles of height 6 centred at the positions 11 (h1),
    15 (h2) and 7 (h3), counted from 1. A row is a random convex combination of two of them, plus
    Gaussian noise of mean 0 and variance 1. Class 0 mixes h2 with h3, class 1 h1 with h3 and
    class 2 h1 with h2, as in the data set that `load_waveform` gives. The classes are equally
    likely. The Bayes error is 13 to 14 %.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    random_state : int, RandomState or None, default=None
        Random seed or generator.

    Returns
    -------
    X : array of shape (n_samples, 21)
        The values.
    y : array of shape (n_samples,)
        The classes: 0, 1 or 2.

    Raises
    ------
    ValueError
        If `n_samples` is not a positive integer.

    See Also
    --------
    load_waveform : 5000 such rows that never change.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984). Classification and Regression Trees. Wadsworth.

    Examples
    --------
    >>> from spinney.datasets import make_waveform
    >>> X, y = make_waveform(300, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 21), [0, 1, 2])
    """
    n_rows = Integer(1).check("n_samples", n_samples)
    random = _random_numbers(random_state)
    y = random.randint(3, size=n_rows).astype(np.int64)
    share = random.uniform(size=(n_rows, 1))
    noise = random.normal(size=(n_rows, len(_PLACES)))
    return share * _WAVES[_FIRST[y]] + (1.0 - share) * _WAVES[_SECOND[y]] + noise, y


# -- Gaussian mixture


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


def make_gaussian_mixture(n_samples: int = 1000, *, random_state: Any = None) -> Sample:
    """Generate points of three classes in the plane.

    Each class is a mixture of two Gaussian distributions, so that no class region is convex and
    borders are oblique: an easy problem on which a tree of axis-parallel splits needs many tests.
    The classes are equally likely. The Bayes accuracy is about 95 %, as for the points on which
    forests of evolved trees were first compared.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    random_state : int, Generator, RandomState or None, default=None
        Random seed or generator.

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
    random = _generator(random_state)
    y = random.integers(0, len(CLASSES), n_rows)
    X = np.empty((n_rows, 2))
    for number, parts in enumerate(CLASSES):
        rows = np.flatnonzero(y == number)
        chosen = random.choice(len(parts), len(rows), p=[part.share for part in parts])
        for i, part in enumerate(parts):
            own = rows[chosen == i]
            X[own] = random.multivariate_normal(part.mean, part.covariance, len(own))
    return X, y


def best_rule(X: Floats) -> NDArray[np.int64]:
    """Return the most probable class of each point: the Bayes classifier."""
    from scipy.stats import multivariate_normal

    densities = [
        sum(part.share * multivariate_normal.pdf(X, part.mean, part.covariance) for part in parts)
        for parts in CLASSES
    ]
    return np.asarray(np.argmax(densities, axis=0), dtype=np.int64)


# -- Exclusive or


def make_xor(
    n_samples: int = 400,
    *,
    n_informative: int = 2,
    n_other: int = 0,
    flip: float = 0.0,
    random_state: Any = None,
) -> Sample:
    """Generate the exclusive-or problem.

    Values are uniform between -1 and 1. The class is 1 where an odd number of the informative
    columns is above 0, else 0. So no column alone is informative, and no split of the root has a
    gain, yet a tree with 2 to the power of `n_informative` leaves makes no error.

    Parameters
    ----------
    n_samples : int, default=400
        Number of rows.
    n_informative : int, default=2
        Number of informative columns, which come first.
    n_other : int, default=0
        Number of noise columns.
    flip : float, default=0.0
        Probability that the class of a row is flipped, which is then the Bayes error.
    random_state : int, Generator, RandomState or None, default=None
        Random seed or generator.

    Returns
    -------
    X : array of shape (n_samples, n_informative + n_other)
        The values.
    y : array of shape (n_samples,)
        The classes: 0 or 1.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from spinney.datasets import make_xor
    >>> X, y = make_xor(300, random_state=0)
    >>> bool(((X[:, 0] > 0) ^ (X[:, 1] > 0) == y).all())
    True
    """
    n_rows = Integer(1).check("n_samples", n_samples)
    n_asked = Integer(1).check("n_informative", n_informative)
    n_columns = n_asked + Integer(0).check("n_other", n_other)
    turned = Number(0.0, 0.5).check("flip", flip)
    random = _generator(random_state)
    X = random.uniform(-1.0, 1.0, size=(n_rows, n_columns))
    y = (X[:, :n_asked] > 0).sum(axis=1) % 2
    y ^= random.uniform(size=n_rows) < turned
    return X, y.astype(np.int64)


def _generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy generator for a seed, a generator or a RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer seed >= 0, a Generator or a RandomState, got "
            f"{random_state!r}."
        ) from None


def _random_numbers(random_state: Any) -> np.random.RandomState:
    """Return a source of random numbers; loading data sets does not wait for scikit-learn."""
    from spinney import _libraries  # noqa: F401  (first: see there)
    from spinney._settings import random_numbers

    return random_numbers(random_state)
