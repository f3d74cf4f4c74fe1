"""Evolved trees against plain NumPy. `kit` looks into a search; the rest are tests."""
