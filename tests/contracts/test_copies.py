"""Clones, parameters, pickles and other copies."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from contracts.estimators import answers, every, every_class, same_model, settings_of, trees
from contracts.test_docstrings import constructor


@pytest.fixture
def table(rng):
    """Return a mixed table with gaps."""
    n = 120
    frame = pd.DataFrame(
        {
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "purpose": rng.choice(["car", "house", "other"], n),
            "grade": pd.Categorical(rng.choice(["low", "mid", "top"], n), ordered=True),
        }
    )
    poor, car, top = (frame["income"] > 0, frame["purpose"] == "car", frame["grade"] == "top")
    return frame, (poor ^ car).to_numpy(int) + top.to_numpy(int)


def _through_joblib(fitted):
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    return joblib.load(file)


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "joblib": _through_joblib,
    **{
        f"pickle protocol {p}": lambda fitted, p=p: pickle.loads(pickle.dumps(fitted, protocol=p))
        for p in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}


@every
@pytest.mark.parametrize("through", COPIES.values(), ids=COPIES)
def test_a_copy_is_equal_and_predicts_alike(listed, through, table):
    X, codes = table
    fitted = listed.new().fit(X, listed.target(codes))
    other = through(fitted)
    assert other is not fitted
    assert same_model(fitted, other, X)
    dicts = [[tree.to_dict() for tree in trees(one)] for one in (fitted, other)]
    assert dicts[0] == dicts[1]
    assert settings_of(other) == settings_of(fitted)
    np.testing.assert_array_equal(other.feature_names_in_, fitted.feature_names_in_)


@every
def test_a_copy_can_be_fitted_again_without_touching_the_first(listed, table):
    X, codes = table
    fitted = listed.new().fit(X, listed.target(codes))
    before = answers(fitted, X)
    other = copy.copy(fitted).fit(X.iloc[:40], listed.target(codes[:40]))
    assert answers(fitted, X) == before
    if trees(fitted):  # a mixture has none
        assert trees(other)[0].root.n_samples < trees(fitted)[0].root.n_samples


@every
def test_pickling_twice_gives_the_same_bytes(listed, table):
    X, codes = table
    fitted = listed.new().fit(X, listed.target(codes))
    first = pickle.dumps(pickle.loads(pickle.dumps(fitted)))
    fitted.predict(X)
    [str(tree) for tree in trees(fitted)]
    assert pickle.dumps(pickle.loads(pickle.dumps(fitted))) == first


@every
def test_a_clone_is_unfitted_with_equal_parameters(listed, table):
    X, codes = table
    name, value, _ = listed.size
    fitted = listed.new(**{name: value}).fit(X, listed.target(codes))
    twin = clone(fitted)
    assert settings_of(twin) == settings_of(fitted)
    assert [name for name in vars(twin) if name.endswith("_")] == []
    assert same_model(twin.fit(X, listed.target(codes)), fitted, X)


@every_class
def test_parameters_are_stored_as_they_are_given(cls):
    """A constructor stores its arguments and nothing else; checks live in fit."""
    given = {name: object() for name in constructor(cls)}
    estimator = cls(**given)
    assert vars(estimator) == given
    assert estimator.get_params(deep=False) == given
    assert cls().set_params(**given).get_params(deep=False) == given


@every_class
def test_an_unknown_parameter_is_refused(cls):
    with pytest.raises(TypeError, match="max_dept"):
        cls(max_dept=3)
    with pytest.raises(ValueError, match="max_dept"):
        cls().set_params(max_dept=3)


@every
def test_fit_leaves_parameters_and_data_as_they_were(listed, table):
    X, codes = table
    y, weight = listed.target(codes), np.arange(1.0, len(codes) + 1)
    estimator = listed.new()
    before = pickle.dumps((estimator.get_params(), X, y, weight))
    estimator.fit(X, y, sample_weight=weight).predict(X)
    assert pickle.dumps((estimator.get_params(), X, y, weight)) == before


@every
def test_fitting_again_forgets_the_first_fit(listed, table, rng):
    X, codes = table
    estimator = listed.new().fit(rng.normal(size=(50, 7)), listed.target(np.arange(50) % 5))
    estimator.fit(X, listed.target(codes))
    fresh = listed.new().fit(X, listed.target(codes))
    assert set(vars(estimator)) == set(vars(fresh))
    assert same_model(estimator, fresh, X)
