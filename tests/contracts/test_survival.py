"""Estimators of lifetimes with their own target: threads, row orders, copies and bad input.

As estimators of one column (`of_numbers.py`) they are in the list of all estimators too.
"""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import spinney
from spinney import RandomSurvivalForest, SurvivalTree


def problem(n: int = 150, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n).round(1), "b": rng.choice(list("pqr"), n)})
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    end = rng.exponential(np.exp(-X["a"].fillna(0.0) - (X["b"] == "q")))
    stop = rng.exponential(2.0, n)
    y = np.empty(n, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = end <= stop, np.minimum(end, stop).round(2) + 0.01
    return X, y


MODELS = [
    SurvivalTree(),
    SurvivalTree("logrank", pruning="cost_complexity", cv=3, random_state=0),
    SurvivalTree(monotonic_cst={"a": 1}),
    SurvivalTree("logrank", monotonic_cst={"a": 1}),
    SurvivalTree(pruning="reduced_error", random_state=0),
    SurvivalTree(early_stopping=True, random_state=0),
    SurvivalTree(max_bins=16),
    RandomSurvivalForest(8, random_state=0, oob_score=False),
    RandomSurvivalForest(8, criterion="exponential", random_state=0, oob_score=False),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def everything(model: Any, X: Any) -> list[bytes]:
    curves = (model.predict_survival_function, model.predict_cumulative_hazard)
    return [model.predict(X).tobytes(), *(curve(X).tobytes() for curve in curves)]


@each_model
def test_threads_change_nothing(model):
    X, y = problem()
    one, other = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 3))
    assert everything(one, X) == everything(other, X)


@each_model
def test_copies_and_files_answer_alike(model, tmp_path):
    X, y = problem()
    fitted = clone(model).fit(X, y)
    spinney.save(fitted, tmp_path / "model.spinney")
    for copy in (pickle.loads(pickle.dumps(fitted)), spinney.load(tmp_path / "model.spinney")):
        assert everything(copy, X) == everything(fitted, X)
        assert copy.times_.tolist() == fitted.times_.tolist()


@pytest.mark.parametrize("criterion", ["exponential", "logrank"])
def test_the_order_of_rows_changes_no_tree(criterion):
    X, y = problem()
    order = np.random.default_rng(1).permutation(len(X))
    one = SurvivalTree(criterion).fit(X, y)
    other = SurvivalTree(criterion).fit(X.iloc[order], y[order])
    assert [str(node.test) for node in one.tree_] == [str(node.test) for node in other.tree_]
    np.testing.assert_allclose(one.predict(X), other.predict(X), 1e-12)


@pytest.mark.parametrize("criterion", ["exponential", "logrank"])
def test_a_weight_of_two_is_two_rows_and_of_zero_none(criterion):
    X, y = problem()
    w = np.random.default_rng(2).integers(0, 3, len(X))
    w[:2] = 1
    settings = {"min_samples_split": 2, "min_samples_leaf": 1}
    weighed = SurvivalTree(criterion, **settings).fit(X, y, w)
    rows = np.repeat(np.arange(len(X)), w)
    repeated = SurvivalTree(criterion, **settings).fit(X.iloc[rows], y[rows])
    for method in ("predict", "predict_survival_function", "predict_cumulative_hazard"):
        ours, theirs = (getattr(model, method)(X) for model in (weighed, repeated))
        np.testing.assert_allclose(ours, theirs, 1e-9)


@pytest.mark.parametrize("criterion", ["exponential", "logrank"])
def test_monotone_risks_never_fall(criterion):
    X, y = problem()
    model = SurvivalTree(criterion, monotonic_cst={"a": 1}).fit(X, y)
    assert model.tree_.n_leaves > 2
    assert model.tree_.check_monotonic()


def test_the_target_works_in_every_form():
    X, y = problem()
    named = pd.DataFrame({"time": y["time"], "event": y["event"].astype(int)})
    other = y.astype([("dead", bool), ("days", float)])
    expected = SurvivalTree().fit(X, y).predict(X).tolist()
    for form in (named, other, dict(named), named.to_records(index=False)):
        assert SurvivalTree().fit(X, form).predict(X).tolist() == expected


def test_scikit_learns_cross_validation_divides_it():
    X, y = problem()
    scores = cross_val_score(SurvivalTree(max_depth=2), X, y, cv=3)
    assert len(scores) == 3
    assert scores.mean() > 0.5


BAD = {
    "no event": ({"event": [0] * 8}, "no event in 8 samples"),
    "one event": ({"event": [1] + [0] * 7}, "one event only in 8 samples"),
    "time zero": ({"time": [0.0, *range(1, 8)]}, "time of y holds 0 at index 0"),
    "negative": ({"time": [*range(1, 8), -2.0]}, "time of y holds -2 at index 7"),
    "infinite": ({"time": [*range(1, 8), np.inf]}, "time of y holds inf at index 7"),
    "R's codes": ({"event": [1, 2] * 4}, "event of y holds .*2.* at index 1.*status == 2"),
    "text": ({"event": ["yes", "no"] * 4}, "event of y holds 'yes' at index 0"),
    "gap": ({"event": [1.0, np.nan] * 4}, "the event is missing in 4 rows"),
    "time gap": ({"time": [*range(1, 8), np.nan]}, "the time is missing in 1 rows"),
    "length": ({"time": [1.0], "event": [1]}, "inconsistent numbers of samples"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_lifetimes_are_one_clear_error(name):
    X = np.arange(8.0)[:, None]
    good = {"event": [1, 0] * 4, "time": [float(t) for t in range(1, 9)]}
    changed, message = BAD[name]
    for model in (SurvivalTree(), RandomSurvivalForest(2)):
        with pytest.raises(ValueError, match=message):
            model.fit(X, {**good, **changed})
        assert not hasattr(model, "times_")


@pytest.mark.parametrize("y", [np.arange(8.0), np.ones((8, 2)), {"event": [1] * 8}])
def test_a_target_without_event_and_time_is_refused(y):
    with pytest.raises(ValueError, match="y must hold the event"):
        SurvivalTree().fit(np.arange(8.0)[:, None], y)


def test_a_bad_row_of_weight_zero_is_as_if_absent():
    X, y = problem()
    w = np.ones(len(X))
    w[3] = 0.0
    y["time"][3] = -1.0
    rest = np.delete(np.arange(len(X)), 3)
    expected = SurvivalTree().fit(X.iloc[rest], y[rest]).predict(X).tolist()
    assert SurvivalTree().fit(X, y, w).predict(X).tolist() == expected


def test_a_warm_start_adds_trees_of_the_same_rows():
    X, y = problem()
    model = RandomSurvivalForest(4, warm_start=True, random_state=0, oob_score=False).fit(X, y)
    grown = model.set_params(n_estimators=8).fit(X, y)
    whole = RandomSurvivalForest(8, random_state=0, oob_score=False).fit(X, y)
    assert everything(grown, X) == everything(whole, X)
    with pytest.raises(ValueError, match="warm_start needs the times"):
        model.set_params(n_estimators=9).fit(X[:100], y[:100])
