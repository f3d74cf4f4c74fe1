"""Runs of one method on many random partitions of a data set: what the tables of IGPA are made of.

Run r of a data set always has the same rows, whatever the method, and the seed r.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks._published import published
from spinney import (
    BaggingClassifier,
    CARTClassifier,
    IGPAClassifier,
    IGPAForestClassifier,
)
from spinney.datasets import load, make_waveform

DATASETS = {row["dataset"]: row for row in published("igpa_table1_datasets")}
SIZES = (1, 11, 101)
_NAMES = {
    "german": "german_credit_numeric",
    "pima": "pima_indians_diabetes",
    "breast_cancer_wisconsin": "breast_cancer_wisconsin",
    "sonar": "sonar",
}


class Runs(NamedTuple):
    """What the ensembles of some runs did."""

    sizes: tuple[int, ...]  # numbers of first members that were asked
    errors: np.ndarray  # in %, (n_runs, n_sizes)
    leaves: np.ndarray  # (n_runs, n_trees)
    iterations: np.ndarray  # (n_runs, n_trees); no columns if the method does not iterate

    def of(self, size):
        """Return the errors of the first members, one a run."""
        return self.errors[:, self.sizes.index(size)]


@cache
def _table(dataset):
    given = load(_NAMES[dataset], as_="dict")
    return np.column_stack(list(given.X.values())), given.y


def partition(dataset, run, n_train=None):
    """Return the rows to train on, and those to test on: X, y, X_test, y_test."""
    random = np.random.RandomState(run)
    sizes = DATASETS[dataset]
    n_train = n_train or sizes["train"]
    if dataset == "waveform":
        return (
            *make_waveform(n_train, random_state=random),
            *make_waveform(sizes["test"], random_state=random),
        )
    X, y = _table(dataset)
    order = random.permutation(len(y))
    train, test = order[:n_train], order[n_train:]
    return X[train], y[train], X[test], y[test]


def bagging(n_trees, rule="1se", **options):
    """Return the ensemble that the paper compares with."""
    tree = CARTClassifier(pruning="cost_complexity", cv=10, rule=rule, max_surrogates=0)
    return BaggingClassifier(tree, n_trees, **options)


@cache
def bagging_runs(dataset, n_runs, n_trees=101, rule="1se", n_train=None):
    """Return the runs of bagged CART."""
    return _ensemble_runs(bagging(n_trees, rule), dataset, n_runs, n_train)


def igpa_runs(dataset, n_runs, n_trees=101, n_train=None, **igpa_parameters):
    """Return the runs of forests of IGPA trees, which may have other parameters."""
    model = IGPAForestClassifier(n_trees, **igpa_parameters)
    return _ensemble_runs(model, dataset, n_runs, n_train)


def _ensemble_runs(model, dataset, n_runs, n_train):
    sizes = tuple(size for size in SIZES if size <= model.n_estimators)
    errors, leaves, iterations = [], [], []
    for run in range(n_runs):
        X, y, X_test, y_test = partition(dataset, run, n_train)
        model.set_params(random_state=run, n_jobs=2).fit(X, y)
        stages = [_error(guess, y_test) for guess in model.staged_predict(X_test)]
        errors.append([stages[size - 1] for size in sizes])
        leaves.append((model.forest_.n_nodes + 1) // 2)  # every test has two branches
        iterations.append(getattr(model, "n_iterations_", ()))
    return Runs(sizes, np.array(errors), np.array(leaves), np.array(iterations, dtype=int))


@cache
def cart_errors(dataset, n_runs, rule="1se"):
    """Return the errors of one CART tree a run."""
    return _tree_errors(
        CARTClassifier(pruning="cost_complexity", cv=10, rule=rule), dataset, n_runs
    )


def igpa_errors(dataset, n_runs, **igpa_parameters):
    """Return the errors of one IGPA tree a run."""
    return _tree_errors(IGPAClassifier(**igpa_parameters), dataset, n_runs)


def _tree_errors(model, dataset, n_runs):
    errors = []
    for run in range(n_runs):
        X, y, X_test, y_test = partition(dataset, run)
        model.set_params(random_state=run).fit(X, y)
        errors.append(_error(model.predict(X_test), y_test))
    return np.array(errors)


def _error(guess, y):
    return 100.0 * float(np.mean(guess != y))
