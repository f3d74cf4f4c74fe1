"""Exclusive or: no column says anything by itself."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Integer, Number
from spinney.datasets._random import generator

__all__ = ["make_xor"]


def make_xor(
    n_samples: int = 400,
    *,
    n_informative: int = 2,
    n_other: int = 0,
    flip: float = 0.0,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw rows of the exclusive-or problem.

    Values are even between -1 and 1. The class is 1 where an odd number of the informative columns
    is above 0, else 0. So no column alone says anything about the class, and a test at the root of
    a tree gains nothing, yet a tree with 2 to the power of `n_informative` leaves is always right.

    Parameters
    ----------
    n_samples : int, default=400
        Number of rows.
    n_informative : int, default=2
        Columns that the class depends on; they come first.
    n_other : int, default=0
        Further columns, which mean nothing.
    flip : float, default=0.0
        Probability that the class of a row is turned over, which is then the error of the best
        rule.
    random_state : int, Generator, RandomState or None, default=None
        For everything that is drawn.

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
    random = generator(random_state)
    X = random.uniform(-1.0, 1.0, size=(n_rows, n_columns))
    y = (X[:, :n_asked] > 0).sum(axis=1) % 2
    y ^= random.uniform(size=n_rows) < turned
    return X, y.astype(np.int64)
