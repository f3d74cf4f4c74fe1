"""A random seed for every run: new each time, shown when a test fails, and repeatable."""

import os
import secrets

import numpy as np
import pytest

__all__ = ["module_rng", "rng", "seed"]

_VARIABLE = "SPINNEY_TEST_SEED"
_SEED = int(os.environ.get(_VARIABLE) or secrets.randbelow(2**31))


@pytest.fixture(autouse=True)
def seed() -> int:
    """Return the seed of this run; pytest shows what is printed here if the test fails."""
    print(f"random data: repeat with {_VARIABLE}={_SEED}")
    return _SEED


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """Return a generator that starts anew for each test, so that a test can be repeated alone."""
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def module_rng() -> np.random.Generator:
    """Return a generator for data that the tests of a module share."""
    return np.random.default_rng(_SEED)
