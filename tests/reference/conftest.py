"""Data shared by the tests of the oracle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from .settings import Array

KINDS = ["numeric", "nominal", "ordered", "numeric"]
COSTS = np.array([[0.0, 1, 4], [2, 0, 1], [1, 3, 0]])


def make_table(seed: int, gaps: float = 0.15) -> tuple[Array, Array, Array, Array]:
    """A table with its class codes, real targets and weights, some of them zero."""
    rng = np.random.default_rng(seed)
    n = 30
    values = rng.integers(0, [7, 4, 3, 30], (n, 4)).astype(float)
    codes = (values[:, 0] + rng.integers(0, 4, n)) % 3
    reals = values[:, 3] + 10 * codes + rng.integers(0, 5, n)
    values[rng.random(values.shape) < gaps] = np.nan
    weights = rng.integers(0, 4, n).astype(float)
    weights[0] = 1
    return values, codes.astype(float), reals.astype(float), weights


@dataclass(frozen=True)
class Credit:
    """Ten applicants. Class 0 is bad, 1 good; no and male are 0, yes and female 1."""

    values: Array
    y: Array
    kinds: tuple[str, ...] = ("numeric", "nominal", "nominal", "numeric", "nominal")
    names: tuple[str, ...] = ("age", "married", "own house", "income", "gender")

    def column(self, name: str) -> int:
        return self.names.index(name)

    def poor(self) -> Array:
        """Records with an income of at most 36: the node that age divides."""
        return self.values[self.values[:, 3] <= 36]


@pytest.fixture
def credit() -> Credit:
    age = [22, 46, 24, 25, 29, 45, 63, 36, 23, 50]
    married = [0, 0, 1, 0, 1, 1, 1, 1, 0, 1]
    house = [0, 1, 1, 0, 1, 1, 1, 0, 1, 1]
    income = [28, 32, 24, 27, 32, 30, 58, 52, 40, 28]
    gender = [0, 1, 0, 0, 1, 1, 0, 0, 1, 1]
    values = np.array([age, married, house, income, gender], dtype=float).T
    return Credit(values, np.array([0.0] * 5 + [1.0] * 5))
