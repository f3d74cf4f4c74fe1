"""A warm start ends where one fit would have ended, or says why it cannot."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import (
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
)

rng = np.random.default_rng(3)
N = 120
X = rng.normal(size=(N, 4))
NUMBERS = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=N)
LABELS = (NUMBERS > 0).astype(int)
FOREIGN = DecisionTreeClassifier(max_depth=2)
SHALLOW = [CARTClassifier(max_depth=2), FOREIGN, [CARTClassifier(max_depth=2), FOREIGN]]
KINDS = ["ours", "foreign", "mixed"]


def bagging(estimator, n_estimators, **settings):
    return BaggingClassifier(estimator, n_estimators, random_state=0, **settings)


def go_on(model, n_estimators, rows=slice(None), y=LABELS, **settings):
    model.set_params(warm_start=True, n_estimators=n_estimators, **settings)
    return model.fit(X[rows], y[rows])


# -- Five and then ten are ten at once


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
@pytest.mark.parametrize("data", ["training", "oob"])
@pytest.mark.parametrize("estimator", SHALLOW, ids=KINDS)
def test_five_then_ten_members_are_ten_at_once_with_selection_and_oob(estimator, data):
    settings = {"selection": "trimmed", "trim": 0.5, "selection_data": data, "oob_score": True}
    whole = bagging(estimator, 10, **settings).fit(X, LABELS)
    parts = go_on(bagging(estimator, 5, **settings).fit(X, LABELS), 10)
    assert len(whole.selected_) < 10
    assert_array_equal(parts.selected_, whole.selected_)
    assert_array_equal(parts.selection_report_.errors, whole.selection_report_.errors)
    assert_array_equal(parts.oob_decision_function_, whole.oob_decision_function_)
    assert_array_equal(parts.oob_error_curve_, whole.oob_error_curve_)
    assert len(parts.oob_error_curve_) == 10
    assert parts.oob_score_ == whole.oob_score_
    assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
@pytest.mark.parametrize(
    "estimator", [CARTRegressor(max_depth=2), DecisionTreeRegressor(max_depth=2)], ids=KINDS[:2]
)
def test_five_then_ten_members_are_ten_at_once_in_regression(estimator):
    settings = {"selection": "trimmed", "trim": 0.5, "oob_score": True, "random_state": 0}
    whole = BaggingRegressor(estimator, 10, **settings).fit(X, NUMBERS)
    parts = BaggingRegressor(estimator, 5, **settings).fit(X, NUMBERS)
    go_on(parts, 10, y=NUMBERS)
    assert_array_equal(parts.selected_, whole.selected_)
    assert_allclose(parts.selection_report_.errors, whole.selection_report_.errors, rtol=1e-12)
    assert_allclose(parts.oob_prediction_, whole.oob_prediction_, rtol=1e-12)
    assert_allclose(parts.oob_error_curve_, whole.oob_error_curve_, rtol=1e-12)
    assert parts.oob_score_ == pytest.approx(whole.oob_score_, rel=1e-12)


# -- What earlier members were not asked


@pytest.mark.parametrize("estimator", SHALLOW, ids=KINDS)
def test_selection_is_refused_if_earlier_members_were_not_judged(estimator):
    model = bagging(estimator, 5).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"selection needs the errors of all members.*first fit"):
        go_on(model, 10, selection="trimmed", trim=0.5)


@pytest.mark.parametrize("estimator", SHALLOW, ids=KINDS)
def test_selection_is_refused_after_a_fit_between_that_judged_nobody(estimator):
    settings = {"selection": "trimmed", "trim": 0.5}
    model = bagging(estimator, 5, **settings).fit(X, LABELS)
    go_on(model, 10, selection=None)
    with pytest.raises(ValueError, match="selection needs the errors of all members"):
        go_on(model, 15, **settings)


@pytest.mark.parametrize("estimator", SHALLOW, ids=KINDS)
def test_selection_is_refused_if_the_number_of_rows_changes(estimator):
    model = bagging(estimator, 5, selection="trimmed", trim=0.5).fit(X, LABELS)
    with pytest.raises(ValueError, match="on the same rows"):
        go_on(model, 10, rows=slice(50))


@pytest.mark.parametrize(
    ("estimator", "setting"),
    [
        (SHALLOW[0], {"early_stopping": True}),
        (SHALLOW[1], {"early_stopping": True}),
        (SHALLOW[1], {"oob_score": True}),
    ],
    ids=["own, stop", "foreign, stop", "foreign, score"],
)
def test_out_of_bag_estimates_are_refused_if_earlier_members_were_not_asked(estimator, setting):
    model = bagging(estimator, 5).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"out-of-bag estimates need .* all members.*first fit"):
        go_on(model, 30, **setting)


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
@pytest.mark.filterwarnings("ignore:Warm-start fitting without increasing")
@pytest.mark.parametrize("targets", [None, "flip", "regroup"])
@pytest.mark.parametrize("n_members", [10, 30])
def test_trees_of_a_warm_start_are_asked_later_on(n_members, targets):
    whole = bagging(SHALLOW[0], 30, oob_score=True, targets=targets).fit(X, LABELS)
    model = bagging(SHALLOW[0], n_members, targets=targets).fit(X, LABELS)
    go_on(model, 30, oob_score=True)
    assert model.oob_score_ == whole.oob_score_
    assert_array_equal(model.oob_decision_function_, whole.oob_decision_function_)
    assert_array_equal(model.oob_error_curve_, whole.oob_error_curve_)


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
@pytest.mark.parametrize("estimator", SHALLOW, ids=KINDS)
def test_out_of_bag_estimates_never_miss_the_members_of_a_fit_between(estimator):
    whole = bagging(estimator, 30, oob_score=True).fit(X, LABELS)
    model = bagging(estimator, 10, oob_score=True).fit(X, LABELS)
    go_on(model, 20, oob_score=False)
    try:
        go_on(model, 30, oob_score=True)
    except ValueError as refusal:
        assert "out-of-bag estimates need" in str(refusal)  # noqa: PT017 -- either will do
        return
    assert_array_equal(model.oob_decision_function_, whole.oob_decision_function_)


def test_a_refused_warm_start_leaves_the_model_as_it_was():
    model = bagging(SHALLOW[0], 5).fit(X, LABELS)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="selection needs"):
        go_on(model, 10, selection="trimmed")
    assert len(model.estimators_) == 5
    assert_array_equal(model.selected_, np.arange(5))
    assert_array_equal(model.predict_proba(X), before)


def test_selection_and_out_of_bag_may_be_switched_off():
    model = bagging(SHALLOW[0], 30, selection="trimmed", oob_score=True).fit(X, LABELS)
    go_on(model, 35, selection=None, oob_score=False)
    assert_array_equal(model.selected_, np.arange(35))


# -- Members that were dropped


@pytest.mark.parametrize(
    "model",
    [bagging(SHALLOW[0], 5), bagging(FOREIGN, 5), RandomForestClassifier(5, oob_score=False)],
    ids=[*KINDS[:2], "forest"],
)
def test_a_warm_start_after_drop_chooses_anew_who_answers(model):
    model.fit(X, LABELS).drop([0, 3])
    assert_array_equal(model.selected_, [1, 2, 4])
    go_on(model, 8)
    assert_array_equal(model.selected_, np.arange(8))
    assert "warm start" in " ".join(type(model).drop.__doc__.split())


# -- Another learner


def test_members_of_an_earlier_fit_keep_their_learner():
    model = BaggingClassifier(n_estimators=10, random_state=0).fit(X, LABELS)
    answers = [member.predict(X) for member in model.estimators_]
    go_on(model, 13, estimator=C45Classifier(rules=False))
    kinds = [type(member) for member in model.estimators_]
    assert kinds == [CARTClassifier] * 10 + [C45Classifier] * 3
    for member, answer in zip(model.estimators_, answers, strict=False):
        assert_array_equal(member.predict(X), answer)


def test_members_of_lists_of_other_lengths_keep_their_learners():
    deep, flat = CARTClassifier(max_depth=7), CARTClassifier(max_depth=1)
    model = bagging([deep, flat], 3).fit(X, LABELS)
    go_on(model, 5, estimator=flat)
    go_on(model, 8, estimator=[flat, flat, deep])
    depths = [member.max_depth for member in model.estimators_]
    assert depths == [7, 1, 7, 1, 1, 7, 1, 1]


def test_members_keep_their_learner_with_foreign_ones():
    model = bagging(FOREIGN, 2).fit(X, LABELS)
    go_on(model, 4, estimator=DecisionTreeClassifier(max_depth=5))
    assert [member.max_depth for member in model.estimators_] == [2, 2, 5, 5]


# -- Far targets


def test_importances_of_far_targets_outlive_a_warm_start():
    far = NUMBERS * 2.0**700
    settings = {"estimator": CARTRegressor(max_depth=2), "random_state": 0}
    near = AdaBoostRegressor(n_estimators=5, **settings).fit(X, NUMBERS)
    model = AdaBoostRegressor(n_estimators=3, **settings).fit(X, far)
    go_on(model, 5, y=far)
    assert_allclose(model.feature_importances_, near.feature_importances_, rtol=1e-9)


def test_a_warm_start_that_adds_nothing_says_so():
    model = RandomForestClassifier(25, warm_start=True, random_state=0).fit(X, LABELS)
    before = model.predict_proba(X)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X, LABELS)
    assert np.array_equal(model.predict_proba(X), before)


def test_an_ensemble_is_a_sequence_of_its_members():
    model = bagging(CARTClassifier(max_depth=2), 5)
    with pytest.raises(NotFittedError):
        len(model)
    assert model  # an estimator that is not fitted is none the less one
    model.fit(X, LABELS)
    assert len(model) == 5
    assert list(model) == model.estimators_
    assert model[-1] is model.estimators_[4]
    assert model[1:3] == model.estimators_[1:3]
