"""The number of threads, and running again, change not one bit."""

import numpy as np
import pytest
from sklearn.base import clone

from contracts.estimators import same_model
from spinney import CARTClassifier, CARTRegressor

PRUNED = {"pruning": "cost_complexity", "cv": 3, "random_state": 0}


@pytest.fixture(scope="module")
def large(module_rng):
    """Return a table large enough that every thread gets work: gaps, categories and numbers."""
    rng = module_rng
    n = 42_000
    X = rng.normal(size=(n, 10))
    X[:, 7:] = rng.integers(0, 6, size=(n, 3))
    z = X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 7] == 2) + rng.normal(size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, z


CASES = {
    "classes": CARTClassifier(),
    "classes by entropy": CARTClassifier(criterion="entropy", max_depth=8),
    "three classes with nominal columns": CARTClassifier(categorical_features=[7, 8, 9]),
    "classes with shared rows": CARTClassifier(missing="fractional", max_depth=8),
    "classes by histograms": CARTClassifier(max_bins=64),
    "classes, best leaf first": CARTClassifier(max_leaf_nodes=50),
    "classes with drawn features": CARTClassifier(max_features=3, random_state=1),
    "classes, pruned by folds": CARTClassifier(min_samples_leaf=5, **PRUNED),
    "classes, pruned by rows set aside": CARTClassifier(pruning="reduced_error", random_state=0),
    "numbers": CARTRegressor(),
    "numbers with nominal columns": CARTRegressor(categorical_features=[7, 8, 9], max_depth=8),
    "numbers by histograms": CARTRegressor(max_bins=64, max_depth=10),
    "numbers by absolute error": CARTRegressor(criterion="absolute_error", max_depth=5),
    "numbers with shared rows": CARTRegressor(missing="fractional", max_depth=8),
    "numbers, pruned by folds": CARTRegressor(min_samples_leaf=20, **PRUNED),
}


def _target(estimator, z):
    if isinstance(estimator, CARTRegressor):
        return z
    return np.digitize(z, [-0.5, 1.0]) if estimator.categorical_features != "from_dtype" else z > 0


@pytest.mark.parametrize("name", CASES)
def test_one_two_and_seven_threads_and_a_second_run_give_the_same_bits(name, large):
    X, z = large
    y = _target(CASES[name], z)
    first = clone(CASES[name]).set_params(n_jobs=1).fit(X, y)
    assert first.tree_.n_nodes > 10
    for n_jobs in (1, 2, 7):
        again = clone(first).set_params(n_jobs=n_jobs).fit(X, y)
        assert same_model(first, again, X)


@pytest.mark.parametrize("name", CASES)
def test_weights_leave_threads_without_influence_too(name, large, rng):
    """Weights that are no integers make every sum depend on its order."""
    X, z = (part[:8_000] for part in large)
    y, weight = _target(CASES[name], z), rng.random(len(X))
    trees = []
    for n_jobs in (1, 2, 7):
        estimator = clone(CASES[name]).set_params(n_jobs=n_jobs)
        trees.append(estimator.fit(X, y, sample_weight=weight).tree_)
    assert trees[0] == trees[1] == trees[2]


def test_pruning_paths_are_equal_too(large):
    X, z = large
    paths = []
    for n_jobs in (1, 2, 7):
        estimator = CARTClassifier(n_jobs=n_jobs, max_depth=9, **PRUNED).fit(X, z > 0)
        paths.append(estimator.pruning_path_)
    for path in paths[1:]:
        for name in ("alphas", "n_leaves", "risks", "errors", "standard_errors"):
            assert getattr(path, name).tobytes() == getattr(paths[0], name).tobytes()
        assert path.selected == paths[0].selected
