"""Runs of trees and ensembles on random partitions: what the tables of IGPA are made of.

A unit is `(what, dataset, method, run)`: "tree" for one tree, "forest" for an ensemble whose errors
are asked after each member, "rows 500" for an ensemble on that many rows of waveform, "seconds" for
the time that an ensemble takes. Run r of a data set always has the same rows, whatever the method.
"""

import statistics
import time
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._reproduce.paper import Key, Options, error_percent, published, seed_of
from spinney.datasets import load, make_waveform
from spinney.ensemble import BaggingClassifier, IGPAForestClassifier
from spinney.tree import CARTClassifier, IGPAClassifier

DATASETS = {row["dataset"]: row for row in published("igpa_table1_datasets")}
METHODS = ("igpa", "cart min", "cart 1se")  # CART by either rule of cost-complexity pruning
N_TREES, N_TREES_QUICK = 101, 11
_TIMED = 9  # fits in turn, of which the median counts
_NAMES = {
    "german": "german_credit_numeric",
    "pima": "pima_indians_diabetes",
    "breast_cancer_wisconsin": "breast_cancer_wisconsin",
    "sonar": "sonar",
}

Parts = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def n_trees(options: Options) -> int:
    """Return the size of the ensembles."""
    return N_TREES_QUICK if options.quick else N_TREES


@cache
def table(dataset: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a data set of the paper; all columns are numbers."""
    given = load(_NAMES[dataset], as_="dict")
    return np.column_stack(list(given.X.values())), np.asarray(given.y)


def partition(dataset: str, seed: int, n_train: int | None = None) -> Parts:
    """Return the rows to train on, and those to test on: X, y, X_test, y_test."""
    random = np.random.RandomState(seed)
    sizes = DATASETS[dataset]
    n_train = n_train or int(sizes["train"])
    if dataset == "waveform":
        X, y = make_waveform(n_train, random_state=random)
        return (X, y, *make_waveform(int(sizes["test"]), random_state=random))
    X, y = table(dataset)
    order = random.permutation(len(y))
    train, test = order[:n_train], order[n_train:]
    return X[train], y[train], X[test], y[test]


def work_of(options: Options) -> Any:
    """Return the function that does a unit."""
    return partial(_work, n_trees(options), options.seed)


def _work(size: int, seed: int, key: Key) -> dict[str, Any]:
    what, dataset, method, run = str(key[0]), str(key[1]), str(key[2]), int(key[3])
    number = seed_of(seed, run)
    if what == "seconds":
        return _seconds(size, number)
    n_rows = int(what.split()[1]) if what.startswith("rows") else None
    X, y, X_test, y_test = partition(dataset, number, n_rows)
    if what == "tree":
        model = _tree(method).set_params(random_state=number).fit(X, y)
        return {"error": error_percent(model.predict(X_test), y_test)}
    model = _forest(method, size).set_params(random_state=number).fit(X, y)
    errors = [error_percent(guess, y_test) for guess in model.staged_predict(X_test)]
    found: dict[str, Any] = {f"error_{i}": error for i, error in enumerate(errors, start=1)}
    found["leaves"] = float(np.mean((model.forest_.n_nodes + 1) // 2))  # tests have two branches
    if method == "igpa":
        counts = np.bincount(model.n_iterations_, minlength=7)
        found |= {f"iterations_{i}": int(counts[i]) for i in range(2, 6)}
        found["iterations_more"] = int(counts[6:].sum())
        found["most_iterations"] = int(model.n_iterations_.max())
    return found


def _tree(method: str) -> Any:
    if method == "igpa":
        return IGPAClassifier()
    return CARTClassifier(pruning="cost_complexity", cv=10, rule=method.split()[1])


def _forest(method: str, size: int) -> Any:
    if method == "igpa":
        return IGPAForestClassifier(size)
    return BaggingClassifier(_tree(method).set_params(max_surrogates=0), size)


def _seconds(size: int, seed: int) -> dict[str, float]:
    """Return the processor time of one thread: the median of fits in turn."""
    X, y, _, _ = partition("waveform", seed)
    models = {
        "cart_bagging": _forest("cart min", size).set_params(random_state=seed),
        "igpa_ensemble": _forest("igpa", size).set_params(random_state=seed),
    }
    times: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(_TIMED):
        for name, model in models.items():
            start = time.process_time()
            model.fit(X, y)
            times[name].append(time.process_time() - start)
    return {f"{name}_seconds": statistics.median(taken) for name, taken in times.items()}
