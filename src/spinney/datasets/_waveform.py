"""Breiman's waveform problem: as many rows as wanted."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from spinney._checks import Integer

__all__ = ["make_waveform"]

_PLACES = np.arange(1, 22)
_WAVES = np.maximum(6.0 - np.abs(_PLACES - np.array([[11], [15], [7]])), 0.0)  # h1, h2, h3
_FIRST, _SECOND = np.array([1, 0, 0]), np.array([2, 2, 1])  # the two waves of classes 0, 1, 2


def make_waveform(
    n_samples: int = 5000, *, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw rows of the waveform problem.

    There are three waves of 21 values, triangles of height 6 around the places 11 (h1), 15 (h2)
    and 7 (h3), counted from 1. A row mixes two of them, at random shares that add up to 1, and adds
    noise of mean 0 and variance 1 to each value. Class 0 mixes h2 with h3, class 1 h1 with h3 and
    class 2 h1 with h2, as in the data set that `load_waveform` gives. The classes are equally
    likely. The best possible rule errs on 13 to 14 % of the rows.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    random_state : int, RandomState or None, default=None
        For everything that is drawn.

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
    random = check_random_state(random_state)
    y = random.randint(3, size=n_rows).astype(np.int64)
    share = random.uniform(size=(n_rows, 1))
    noise = random.normal(size=(n_rows, len(_PLACES)))
    return share * _WAVES[_FIRST[y]] + (1.0 - share) * _WAVES[_SECOND[y]] + noise, y
