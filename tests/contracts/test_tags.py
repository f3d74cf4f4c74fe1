"""Tags say what an estimator can do, and a subclass keeps them."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import d2_tweedie_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from contracts.estimators import every, every_class, every_of_values, same_model, size_of


@every_of_values
def test_tags_tell_classifiers_from_regressors(listed):
    tags = get_tags(listed.estimator)
    assert tags.estimator_type == ("classifier" if listed.is_classifier else "regressor")
    assert is_classifier(listed.estimator) != is_regressor(listed.estimator)
    assert (tags.classifier_tags is None) == (not listed.is_classifier)
    assert (tags.regressor_tags is None) == listed.is_classifier


@every
def test_tags_describe_the_input(listed):
    tags = get_tags(listed.estimator)
    assert tags.input_tags.allow_nan
    assert tags.input_tags.two_d_array
    assert not tags.input_tags.sparse
    assert not tags.input_tags.string  # mixed types are an error that the checks know by this tag
    assert not tags.input_tags.pairwise
    assert tags.target_tags.required
    assert not tags.target_tags.multi_output
    assert tags.requires_fit
    assert not tags.non_deterministic
    assert not tags.no_validation


@every_class
def test_a_subclass_with_a_constructor_of_its_own_is_an_estimator(cls, rng):
    size = dict([size_of(cls)[:2]])

    class Small(cls):
        """Fixes one parameter and exposes another."""

        def __init__(self, random_state=0):
            super().__init__(random_state=random_state, **size)

    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    fitted = Small(random_state=7).fit(X, y)
    assert fitted.get_params() == {"random_state": 7}
    assert same_model(fitted, cls(random_state=7, **size).fit(X, y), X)
    assert same_model(clone(fitted).fit(X, y), fitted, X)
    assert get_tags(Small()) == get_tags(cls())


@every_class
def test_a_subclass_may_change_its_tags(cls):
    class Poor(cls):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.allow_nan = False
            return tags

    assert not get_tags(Poor()).input_tags.allow_nan
    assert get_tags(cls()).input_tags.allow_nan


@every
def test_estimators_work_inside_pipelines_and_searches(listed, rng):
    X = rng.normal(size=(80, 3))
    y = listed.target((X[:, 0] > 0).astype(int) + (X[:, 1] > 0))
    scores = cross_val_score(make_pipeline(StandardScaler(), listed.new()), X, y, cv=3)
    assert np.isfinite(scores).all()
    name, *values = listed.size
    search = GridSearchCV(listed.new(), {name: values}, cv=3).fit(X, y)
    assert search.best_params_[name] in values


@every_of_values
def test_score_is_accuracy_r_squared_or_d_squared(listed, rng):
    X = rng.normal(size=(60, 2))
    y = listed.target((X[:, 0] > 0).astype(int))
    fitted = listed.new().fit(X, y)
    predicted = fitted.predict(X)
    if listed.is_classifier:
        assert fitted.score(X, y) == pytest.approx(np.mean(predicted == y))
    elif listed.is_rate:
        power = {"poisson": 1, "gamma": 2}.get(fitted.criterion, fitted.tweedie_power)
        expected = d2_tweedie_score(y, np.maximum(predicted, 1e-12), power=power)
        assert fitted.score(X, y) == pytest.approx(expected)
    else:
        expected = 1 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2)
        assert fitted.score(X, y) == pytest.approx(expected)
