"""Fixtures of the faults: the random data of the contracts."""

from contracts.seeds import module_rng, rng, seed

__all__ = ["module_rng", "rng", "seed"]
