"""Where generators of data get their random numbers from."""

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """Return NumPy's generator for a seed, a generator or a RandomState, which goes on."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer seed >= 0, a Generator or a RandomState, got "
            f"{random_state!r}."
        ) from None
