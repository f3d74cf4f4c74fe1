"""The number of threads, and running again, change not one bit."""

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from thinning import sparingly

from contracts.estimators import ALL_SEEN, same_model, trees
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

pytestmark = pytest.mark.filterwarnings(f"ignore:{ALL_SEEN}")  # by few members

DRAWN = {"n_estimators": 5, "random_state": 0}
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
    "a forest": RandomForestClassifier(min_samples_leaf=10, **DRAWN),
    "a forest by shares, stopped": RandomForestClassifier(
        max_depth=8, combine="average", early_stopping=True, n_iter_no_change=1, **DRAWN
    ),
    "a forest of numbers": RandomForestRegressor(min_samples_leaf=10, **DRAWN),
    "a selection": BaggingClassifier(
        CARTClassifier(max_depth=8, max_surrogates=0),
        selection="mode",
        selection_data="oob",
        max_features=6,
        **DRAWN,
    ),
    "regrouped classes": BaggingClassifier(
        CARTClassifier(max_depth=6, max_surrogates=0),
        targets="regroup",
        n_best_splits=3,
        categorical_features=[7, 8, 9],
        **DRAWN,
    ),
    "different learners": BaggingClassifier(
        [CARTClassifier(max_depth=6), C45Classifier(rules=False, max_depth=4)], **DRAWN
    ),
    "a median": BaggingRegressor(
        CARTRegressor(max_depth=6), combine="median", sampling="wagging", **DRAWN
    ),
    "boosted stumps": AdaBoostClassifier(n_estimators=12),
    "boosted trees on drawn rows": AdaBoostClassifier(
        CARTClassifier(max_depth=6), algorithm="M1", resample=True, **DRAWN
    ),
    "boosted numbers": AdaBoostRegressor(CARTRegressor(max_depth=6), **DRAWN),
}


def _measured(fitted):
    """Return the numbers that fit leaves beside the trees, as bytes."""
    facts = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    numbers = {n: np.asarray(v) for n, v in facts.items() if isinstance(v, float | np.ndarray)}
    numbers |= {"feature_importances_": fitted.feature_importances_}
    return {name: array.tobytes() for name, array in numbers.items()}


def _target(estimator, z):
    if is_regressor(estimator):
        return z
    return np.digitize(z, [-0.5, 1.0]) if estimator.categorical_features != "from_dtype" else z > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sparingly(CASES, 3))
def test_one_two_and_seven_threads_and_a_second_run_give_the_same_bits(name, large):
    X, z = large
    y = _target(CASES[name], z)
    first = clone(CASES[name]).set_params(n_jobs=1).fit(X, y)
    assert sum(tree.n_nodes for tree in trees(first)) > 10
    for n_jobs in (1, 2, 7):
        again = clone(first).set_params(n_jobs=n_jobs).fit(X, y)
        assert same_model(first, again, X)
        assert _measured(first) == _measured(again)


@pytest.mark.parametrize("name", sparingly(CASES, 3))
def test_weights_leave_threads_without_influence_too(name, large, rng):
    """Weights that are no integers make every sum depend on its order."""
    X, z = (part[:8_000] for part in large)
    y, weight = _target(CASES[name], z), rng.random(len(X))
    fitted = []
    for n_jobs in (1, 2, 7):
        estimator = clone(CASES[name]).set_params(n_jobs=n_jobs)
        fitted.append(estimator.fit(X, y, sample_weight=weight))
    for other in fitted[1:]:
        assert same_model(fitted[0], other, X)
        assert _measured(fitted[0]) == _measured(other)


@pytest.mark.slow
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
