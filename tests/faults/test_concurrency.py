"""Threads of the caller and threads of ours: always the same bytes."""

import threading
import time

import numpy as np
import pandas as pd
import pytest
from contracts.estimators import LISTED, answers, every, over, same_model
from sklearn.base import clone

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
)

every_threaded = over([one for one in LISTED if one.has("n_jobs")])


@pytest.fixture(scope="module")
def wide(module_rng):
    """Return enough cells for threads to share, in fit and in predict."""
    rng = module_rng
    X = rng.normal(size=(9_000, 6))
    X[:, 5] = rng.integers(0, 5, len(X))
    codes = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=len(X)) > 0).astype(int)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, codes


@pytest.mark.slow
@every_threaded
def test_every_number_of_threads_gives_the_same_bytes(listed, wide):
    X, codes = wide
    y = listed.target(codes)
    settings = {"min_samples_leaf": 3} if listed.has("min_samples_leaf") else {}
    if listed.estimator.get_params().get("criterion") == "absolute_error":
        settings = {"max_depth": 4}  # the slowest criterion
    first = listed.new(n_jobs=1, **settings).fit(X, y)
    for n_jobs in (2, 3, 4, 8, 16):
        again = listed.new(n_jobs=n_jobs, **settings).fit(X, y)
        assert same_model(first, again, X)


def run_together(*calls):
    """Start all calls at the same moment, each in a thread, and return their results in order."""
    results, barrier = [None] * len(calls), threading.Barrier(len(calls))

    def work(place, call):
        barrier.wait()
        try:
            results[place] = call()
        except BaseException as error:
            results[place] = error

    threads = [threading.Thread(target=work, args=item) for item in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


PREDICTING = {
    "a tree": CARTClassifier(min_samples_leaf=5),
    "a forest": RandomForestClassifier(10, max_depth=8, oob_score=False, random_state=0),
    "a median": BaggingRegressor(CARTRegressor(max_depth=6), 5, combine="median", random_state=0),
    "boosted stumps": AdaBoostClassifier(n_estimators=10),
}


@pytest.mark.parametrize("estimator", PREDICTING.values(), ids=PREDICTING)
@pytest.mark.parametrize("n_jobs", [None, 3])
@pytest.mark.parametrize("kind", ["array", "frame"])
def test_sixteen_threads_predict_at_once(n_jobs, kind, estimator, wide):
    X, codes = wide
    if kind == "frame":
        X = pd.DataFrame(X, columns=list("abcdef")).astype({"f": object})
        X["f"] = X["f"].map(lambda value: None if value != value else f"kind {value}")
    fitted = clone(estimator).set_params(n_jobs=n_jobs).fit(X, codes)
    expected = answers(fitted, X)
    fresh = clone(fitted).fit(X, codes)
    for result in run_together(*[lambda: answers(fresh, X)] * 16):
        assert result == expected


@every
def test_two_threads_fit_at_once(listed, wide):
    X, codes = (part[:2_000] for part in wide)
    y, other_y = listed.target(codes), listed.target((X[:, 1] > 0.5).astype(int))
    alone = [listed.new().fit(X, y), listed.new().fit(X, other_y)]
    threads = {"n_jobs": 2} if listed.has("n_jobs") else {}
    together = run_together(
        lambda: listed.new(**threads).fit(X, y), lambda: listed.new(**threads).fit(X, other_y)
    )
    for one, other in zip(alone, together, strict=True):
        assert same_model(one, other, X)


def test_sixteen_threads_predict_while_two_fit(wide):
    X, codes = wide
    fitted = CARTClassifier().fit(X, codes)
    number = CARTRegressor(max_depth=8).fit(X, codes)
    expected = answers(fitted, X)
    results = run_together(
        *[lambda: answers(fitted, X)] * 16,
        lambda: CARTClassifier(n_jobs=2).fit(X, codes),
        lambda: CARTRegressor(n_jobs=2, max_depth=8).fit(X, codes),
    )
    assert all(result == expected for result in results[:16])
    assert same_model(results[16], fitted, X)
    assert same_model(results[17], number, X)


GROWING = {
    "a tree": lambda criterion: CARTClassifier(criterion, max_depth=3),
    "a forest": lambda criterion: RandomForestClassifier(
        3, criterion=criterion, max_depth=3, oob_score=False, random_state=0
    ),
    "bagging": lambda criterion: BaggingClassifier(
        CARTClassifier(criterion, max_depth=3), 3, random_state=0
    ),
    "boosting": lambda criterion: AdaBoostClassifier(CARTClassifier(criterion, max_depth=2), 3),
}
each_growing = pytest.mark.parametrize("make", GROWING.values(), ids=GROWING)


@each_growing
def test_a_callable_criterion_is_called_from_any_number_of_threads(make, wide):
    """The interpreter's lock is taken where it is needed, and not held where it is not."""
    X, codes = (part[:400] for part in wide)

    def impurity(shares):
        return 1.0 - (shares**2).sum(axis=1)

    alone = make(impurity).fit(X, codes)
    together = run_together(*[lambda: make(impurity).set_params(n_jobs=2).fit(X, codes)] * 4)
    assert all(same_model(alone, one, X) for one in together)


@each_growing
def test_a_callable_criterion_that_fails_is_heard_and_changes_nothing(make, wide):
    X, codes = (part[:400] for part in wide)

    def broken(shares):
        raise RuntimeError("no idea")

    estimator = make(broken)
    before = dict(vars(estimator))
    with pytest.raises(RuntimeError, match="no idea"):
        estimator.fit(X, codes)
    assert vars(estimator) == before


@each_growing
def test_the_interpreter_runs_on_while_a_tree_grows(make, wide):
    """The lock of the interpreter is released during fit: another thread gets its turns."""
    X = np.tile(wide[0], (8, 1))
    y = np.tile(wide[1], 8)
    turns, done = [], threading.Event()

    def count():
        while not done.is_set():
            turns.append(1)
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    make("gini").fit(X, y)
    done.set()
    counter.join()
    assert len(turns) > 5
