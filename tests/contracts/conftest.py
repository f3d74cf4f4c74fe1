"""Fixtures of the contracts."""

from contracts.seeds import rng, seed

__all__ = ["rng", "seed"]
