"""Small forests beside forests of 500 trees: 16 bundled data sets and nine of numbers, five folds.

Run it as `python -m benchmarks.small [--repeats N]`. It prints the tables of
`docs/guide/small_forests.md`: error and log loss (or R squared), and leaves and time of the fit as
shares of those of 500 trees.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.model_selection import KFold

from benchmarks.shrinkage import SETS, folds_of, scores
from spinney import (
    RandomForestClassifier,
    RandomForestRegressor,
    SmallForestClassifier,
    SmallForestRegressor,
)
from spinney.datasets import load

OF_CLASSES = {
    "500 trees": RandomForestClassifier(500, combine="average", n_jobs=2),
    "25 chosen": SmallForestClassifier(n_jobs=2),
    "11 chosen": SmallForestClassifier(11, n_jobs=2),
}
OF_NUMBERS = {
    "500 trees": RandomForestRegressor(500, n_jobs=2),
    "25 chosen": SmallForestRegressor(n_jobs=2),
    "11 chosen": SmallForestRegressor(11, n_jobs=2),
}


def numbers() -> Iterator[tuple[str, Any, Any]]:
    """Yield name, table and target of six functions and bundled sets with noise."""
    yield "friedman1", *make_friedman1(500, noise=1, random_state=0)
    yield "friedman2", *make_friedman2(500, noise=100, random_state=0)
    yield "friedman3", *make_friedman3(500, noise=0.1, random_state=0)
    yield "diabetes", *load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (600, 6))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.5 * X[:, 2] ** 2 * (X[:, 3] > 0)
    yield "sines", X, y + rng.normal(0, 0.5, 600)
    X = rng.normal(size=(600, 8))
    y = 2.0 * (X[:, 0] > 0) + 3.0 * (X[:, 1] > 0.5) * (X[:, 2] < 0) + X[:, 3]
    yield "steps", X, y + rng.normal(0, 0.7, 600)
    for name in ("boston_housing", "cpu_performance", "solder"):
        data = load(name)
        yield name, data.X.to_numpy(object), np.asarray(data.y, dtype=float)


def fitted(model: Any, X: Any, y: Any, seed: int) -> tuple[Any, float, float]:
    """Return a fitted copy, its number of leaves and the seconds of its fit."""
    start = time.perf_counter()
    copy = clone(model).set_params(random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    return copy, float(sum(tree.n_leaves for tree in copy.forest_)), seconds


def of_classes(name: str, repeats: int) -> np.ndarray:
    """Return error, log loss, leaves and seconds of every model."""
    rows = []
    for repeat in range(repeats):
        for X, y, X_test, y_test in folds_of(name, repeat):
            each = []
            for model in OF_CLASSES.values():
                copy, *size = fitted(model, X, y, repeat)
                error, _, loss = scores(copy, X_test, y_test)
                each.append((100 * error, loss, *size))
            rows.append(each)
    return np.mean(rows, axis=0)


def of_numbers(X: Any, y: Any, repeats: int) -> np.ndarray:
    """Return R squared, leaves and seconds of every model."""
    rows = []
    for repeat in range(repeats):
        for train, test in KFold(5, shuffle=True, random_state=repeat).split(X):
            each = []
            for model in OF_NUMBERS.values():
                copy, *size = fitted(model, X[train], y[train], repeat)
                each.append((copy.score(X[test], y[test]), *size))
            rows.append(each)
    return np.mean(rows, axis=0)


def show(name: str, table: np.ndarray) -> None:
    """Print what was measured, and leaves and seconds by those of the first model."""
    shares = table[:, -2:] / table[0, -2:]
    cells = [*table[:, :-2].T.ravel(), *shares[1:].T.ravel()]
    print(f"{name:24}" + "".join(f"{cell:9.4g}" for cell in cells), flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    print("error (500, 25, 11), log loss, leaves and time of 25 and 11 by those of 500")
    tables = []
    for name in SETS:
        tables.append(of_classes(name, repeats))
        show(name, tables[-1])
    show("mean", np.mean(tables, axis=0))
    print("R squared (500, 25, 11), leaves and time of 25 and 11 by those of 500")
    tables = []
    for name, X, y in numbers():
        tables.append(of_numbers(X, y, repeats))
        show(name, tables[-1])
    show("mean", np.mean(tables, axis=0))


if __name__ == "__main__":
    main()
