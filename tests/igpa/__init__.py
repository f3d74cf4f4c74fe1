"""Iterative growing and pruning against the oracle. `problems` draws data, `compare` fits."""
