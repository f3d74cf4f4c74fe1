"""Impurities that a user might write."""

from __future__ import annotations

import numpy as np

from .problems import Array


def cubes(p: Array) -> Array:
    """Concave, as an impurity should be."""
    return np.asarray(1 - (p**3).sum(axis=1))


def squared_error_rate(p: Array) -> Array:
    """Not concave: a division may make things worse."""
    return np.asarray((1 - p.max(axis=1)) ** 2)
