"""Tables to measure on, drawn from a seed."""

import numpy as np


def numeric(n_rows, n_features=20, seed=0):
    """Two classes that depend on three of the features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows)
    return X, (signal > 0).astype(np.int64)


def numbers_target(n_rows, n_features=20, seed=0):
    """Numbers by the first function of Friedman, of five of the features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.random(size=(n_rows, n_features))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n_rows)


def mixed(n_rows, n_numeric=14, n_nominal=6, n_categories=20, gaps=0.05, seed=0):
    """Return numbers and categories with gaps, as a mapping of columns, and two classes."""
    rng = np.random.default_rng(seed)
    table, signal = {}, rng.normal(size=n_rows)
    for j in range(n_numeric):
        column = rng.normal(size=n_rows)
        if j < 3:
            signal += column
        column[rng.random(n_rows) < gaps] = np.nan
        table[f"number_{j}"] = column
    names = np.array([f"category {c:02d}" for c in range(n_categories)])
    for j in range(n_nominal):
        codes = rng.integers(0, n_categories, n_rows)
        if j < 2:
            signal += rng.normal(size=n_categories)[codes]
        table[f"nominal_{j}"] = names[codes]
    return table, (signal > 0).astype(np.int64)


def one_column(n_rows, n_categories=None, seed=0):
    """One column that tells something of the class: numbers, or categories."""
    rng = np.random.default_rng(seed)
    if n_categories is None:
        column = rng.normal(size=n_rows)
        signal = column
    else:
        column = rng.integers(0, n_categories, n_rows).astype(np.float64)
        signal = rng.normal(size=n_categories)[column.astype(int)]
    return column[:, None], (signal + rng.normal(size=n_rows) > 0).astype(np.int64)
