"""Pruning against the oracle. `trees` draws trees by hand and by fit."""
