"""Ensembles of learners from other packages, from end to end."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier as PeerAdaBoost
from sklearn.ensemble import AdaBoostRegressor as PeerAdaBoostRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from thinning import sparingly

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
)


@pytest.fixture
def people():
    random = np.random.default_rng(0)
    n = 120
    table = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "job": random.choice(["clerk", "cook", "judge"], n),
            "income": random.normal(30, 10, n),
        }
    )
    score = table["income"] + 15 * (table["job"] == "judge") + random.normal(0, 5, n)
    return table, np.where(score > 36, "yes", "no")


@pytest.fixture
def pipe():
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job"]), (StandardScaler(), ["age", "income"])
    )
    return make_pipeline(encode, LogisticRegression())


@pytest.fixture
def numbers():
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 3))
    return X, 3.0 * X[:, 0] + random.normal(size=80)


@pytest.mark.slow
@pytest.mark.parametrize("library", sparingly(["polars", "pandas"], 2))
def test_a_pipeline_is_bagged_on_a_table_with_strings(people, pipe, library):
    X, y = people
    X = X if library == "pandas" else pl.from_pandas(X)
    model = BaggingClassifier(pipe, n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.oob_score_ > 0.8
    assert model.feature_names_in_.tolist() == ["age", "job", "income"]
    assert set(model.predict(X)) == {"yes", "no"}


def test_a_list_of_learners_may_hold_trees_of_both_packages(people, pipe):
    X, y = people
    learners = [pipe, CARTClassifier(max_depth=3)]
    model = BaggingClassifier(learners, n_estimators=9, combine="average", random_state=0)
    model.fit(X, y)
    assert [type(m).__name__ for m in model.estimators_[:2]] == ["Pipeline", "CARTClassifier"]
    assert model.score(X, y) > 0.85
    shares = sum(member.predict_proba(X) for member in model.estimators_) / 9
    assert np.allclose(model.predict_proba(X), shares)


def test_an_ensemble_may_be_the_member_of_another(people):
    X, y = people
    inner = BaggingClassifier(n_estimators=3, max_features=1)
    model = BaggingClassifier(inner, n_estimators=4, max_features=2, random_state=0).fit(X, y)
    knows_job = [1 in model._members.features(i) for i in range(4)]
    told = [member.categorical_features != "from_dtype" for member in model.estimators_]
    assert told == knows_job
    assert model.score(X, y) > 0.75


@pytest.mark.slow
def test_a_cross_validation_works(people, pipe):
    scores = cross_val_score(BaggingClassifier(pipe, n_estimators=5, random_state=0), *people, cv=3)
    assert scores.mean() > 0.75


def test_wagging_of_learners_without_weights_warns_and_works(people):
    X, y = people[0][["age", "income"]], people[1]
    model = BaggingClassifier(
        KNeighborsClassifier(), n_estimators=5, sampling="wagging", random_state=0
    )
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert model.score(X, y) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs_and_backends_give_the_same_ensemble(people, pipe, backend):
    X, y = people
    settings = {"n_estimators": 6, "sampling": "subsample", "random_state": 3, "oob_score": True}
    one = BaggingClassifier(pipe, **settings, max_samples=20).fit(X, y)
    with joblib.parallel_config(backend=backend):
        two = BaggingClassifier(pipe, **settings, max_samples=20, n_jobs=2).fit(X, y)
        shares = two.predict_proba(X)
    assert np.array_equal(one.predict_proba(X), shares)
    assert np.array_equal(one.oob_error_curve_, two.oob_error_curve_)


@pytest.mark.slow
def test_a_warm_start_equals_one_fit(people, pipe):
    X, y = people
    settings = {"max_samples": 30, "random_state": 3, "oob_score": True}
    whole = BaggingClassifier(pipe, n_estimators=12, **settings).fit(X, y)
    grown = BaggingClassifier(pipe, n_estimators=7, warm_start=True, **settings).fit(X, y)
    grown.set_params(n_estimators=12).fit(X, y)
    assert np.array_equal(whole.predict_proba(X), grown.predict_proba(X))
    assert np.array_equal(whole.oob_error_curve_, grown.oob_error_curve_)
    assert whole.oob_score_ == grown.oob_score_


@pytest.mark.parametrize("combine", ["mean", "median"])
def test_regressors_are_bagged(numbers, combine):
    X, y = numbers
    learner = LinearRegression()
    model = BaggingRegressor(
        learner, n_estimators=40, combine=combine, oob_score=True, random_state=0
    )
    model.fit(X, y)
    said = np.array([member.predict(X) for member in model.estimators_])
    wanted = said.mean(axis=0) if combine == "mean" else np.median(said, axis=0)
    assert np.allclose(model.predict(X), wanted)
    assert model.oob_score_ > 0.7


def test_members_are_selected_by_their_own_errors(people, pipe):
    X, y = people
    model = BaggingClassifier(pipe, n_estimators=8, selection="trimmed", random_state=0).fit(X, y)
    errors = [np.count_nonzero(member.predict(X) != y) for member in model.estimators_]
    kept = sorted(sorted(range(8), key=lambda i: (errors[i], i))[:6])
    assert model.selected_.tolist() == kept


def test_a_bagged_ensemble_survives_a_pickle(people, pipe):
    X, y = people
    model = BaggingClassifier([pipe, CARTClassifier()], n_estimators=4, random_state=0).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(X), copy.predict_proba(X))


def test_importances_of_foreign_trees_are_averaged(numbers):
    X, y = numbers
    model = BaggingRegressor(DecisionTreeRegressor(), n_estimators=5, random_state=0).fit(X, y)
    mean = np.mean([member.feature_importances_ for member in model.estimators_], axis=0)
    assert np.allclose(model.feature_importances_, mean)
    assert not hasattr(BaggingRegressor(LinearRegression(), 2).fit(X, y), "feature_importances_")


def test_boosted_stumps_are_those_of_scikit_learn(people):
    X, y = people[0][["age", "income"]], people[1]
    stump = DecisionTreeClassifier(max_depth=1)
    ours = AdaBoostClassifier(stump, n_estimators=20, random_state=0).fit(X, y)
    peer = PeerAdaBoost(stump, n_estimators=20, random_state=0).fit(X, y)
    assert np.allclose(ours.estimator_weights_, peer.estimator_weights_)
    assert np.allclose(ours.estimator_errors_, peer.estimator_errors_)
    assert np.allclose(ours.predict_proba(X), peer.predict_proba(X))


def test_boosting_takes_learners_without_probabilities(people):
    X, y = people[0][["age", "income"]], people[1]
    learner = make_pipeline(StandardScaler(), LinearSVC(C=0.01))
    model = AdaBoostClassifier(learner, n_estimators=3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7


def test_boosting_of_a_regressor_is_as_good_as_scikit_learns(numbers):
    X, y = numbers
    tree = DecisionTreeRegressor(max_depth=3)
    ours = AdaBoostRegressor(clone(tree), n_estimators=20, random_state=0).fit(X, y)
    peer = PeerAdaBoostRegressor(clone(tree), n_estimators=20, random_state=0).fit(X, y)
    assert ours.score(X, y) > peer.score(X, y) - 0.05


def test_a_warm_start_of_boosting_equals_one_fit(people):
    X, y = people[0][["age", "income"]], people[1]
    stump = DecisionTreeClassifier(max_depth=1)
    whole = AdaBoostClassifier(stump, n_estimators=9, random_state=0).fit(X, y)
    grown = AdaBoostClassifier(stump, n_estimators=4, random_state=0, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=9).fit(X, y)
    assert np.array_equal(whole.estimator_weights_, grown.estimator_weights_)
    assert np.array_equal(whole.predict_proba(X), grown.predict_proba(X))
