"""AdaBoost against plain loops over our own trees: gaps, categories, weights, draws, numbers."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.ensembles import boost_classes, boost_numbers, count_votes, weighted_median
from sklearn.base import clone

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
)
from spinney.ensemble._combine import weighted_median as our_median


def mixed_table(n=150, seed=3):
    """Numbers with gaps, and categories with gaps; classes that follow from both."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    words = pd.Categorical.from_codes(rng.integers(-1, 5, n), list("pqrst"))
    score = a + np.array([0.0, 2, -1, 1, -2, 0.5])[words.codes] + rng.normal(size=n)
    y = np.digitize(score, [-1.0, 1.0])
    a[rng.random(n) < 0.15] = np.nan
    return pd.DataFrame({"a": a, "b": b, "c": words}), y, score


# -- Classes


def assert_same(model, naive):
    assert len(model.estimators_) == len(naive.members)
    np.testing.assert_allclose(model.estimator_errors_, naive.errors, rtol=1e-8, atol=1e-15)
    np.testing.assert_allclose(model.estimator_weights_, naive.votes, rtol=1e-8)
    np.testing.assert_allclose(model.sample_weights_, naive.weights, rtol=1e-8)


RULES = [
    ("SAMME", "exponential"),
    ("SAMME", "logistic"),
    ("M1", "exponential"),
    ("M1", "logistic"),
    ("arc-x4", "exponential"),
    ("arc-x4", "logistic"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("algorithm", "loss"), RULES)
@pytest.mark.parametrize(
    "learner",
    [
        CARTClassifier(max_depth=1, max_surrogates=0),
        CARTClassifier(max_depth=3, max_surrogates=0),
        C45Classifier(max_depth=2, pruning=None, rules=False),
    ],
    ids=["stumps", "trees", "c4.5"],
)
def test_classes_with_gaps_are_boosted_as_by_a_loop(learner, algorithm, loss, weighted):
    X, y, _ = mixed_table()
    if algorithm == "M1" and learner.max_depth < 3:
        y = (y > 0).astype(int)  # M1 needs better trees for three classes
    weight = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(y)) if weighted else None
    model = AdaBoostClassifier(learner, 12, algorithm=algorithm, loss=loss)
    model.fit(X, y, sample_weight=weight)

    def train(w):
        return clone(learner).fit(X, y, sample_weight=w)

    start = np.ones(len(y)) if weight is None else weight
    # Limits of C4.5 count weight: rows together weigh what they weigh at the start.
    naive = boost_classes(
        lambda w: train(w * start.sum()), X, y, start, n_rounds=12, algorithm=algorithm, loss=loss
    )
    assert len(naive.members) > 3
    assert_same(model, naive)
    np.testing.assert_allclose(model.loss_curve_, naive.losses, rtol=1e-8)
    new = mixed_table(300, seed=8)[0]
    codes = [member.predict(new) for member in naive.members]
    votes = count_votes(codes, len(np.unique(y)), naive.votes)
    k, total = votes.shape[1], sum(naive.votes)
    decision = (votes - (total - votes) / (k - 1)) / total
    shown = decision[:, 1] - decision[:, 0] if k == 2 else decision
    np.testing.assert_allclose(model.decision_function(new), shown, rtol=1e-7, atol=1e-12)
    shares = np.exp(decision / (k - 1))
    np.testing.assert_allclose(
        model.predict_proba(new), shares / shares.sum(axis=1, keepdims=True), rtol=1e-9
    )


@pytest.mark.parametrize("algorithm", ["SAMME", "arc-x4"])
@pytest.mark.parametrize("n", [4095, 4096, 6000])  # stumps of 4096 rows are found in another way
def test_many_rows_with_gaps_and_weights_are_boosted_as_by_a_loop(n, algorithm):
    X, y, _ = mixed_table(n + 100)
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.5], n + 100)
    weight[5:4000:40] = 0.0
    used = weight > 0
    assert used.sum() == n
    model = AdaBoostClassifier(n_estimators=8, algorithm=algorithm, n_jobs=2)
    model.fit(X, y, sample_weight=weight)

    def train(w):
        return CARTClassifier(max_depth=1, max_surrogates=0).fit(X[used], y[used], sample_weight=w)

    naive = boost_classes(train, X[used], y[used], weight[used], n_rounds=8, algorithm=algorithm)
    for member, expected in zip(model.forest_, naive.members, strict=True):
        assert str(member.root.test) == str(expected.tree_.root.test)
    assert (model.sample_weights_[~used] == 0).all()
    np.testing.assert_allclose(model.sample_weights_[used], naive.weights, rtol=1e-8)
    np.testing.assert_allclose(model.estimator_errors_, naive.errors, rtol=1e-8)


def test_arc_x4_weighs_rows_by_the_fourth_power_of_their_errors():
    X, y, _ = mixed_table()
    model = AdaBoostClassifier(n_estimators=7, algorithm="arc-x4").fit(X, y)
    n_wrong = sum((member.predict(X) != y).astype(float) for member in model.estimators_)
    expected = 1 + n_wrong**4
    np.testing.assert_allclose(model.sample_weights_, expected / expected.sum(), rtol=1e-12)
    assert (model.estimator_weights_ == 1).all()
    votes = count_votes([member.predict(X) for member in model.estimators_], 3)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))


def test_logistic_weights_stay_below_one_however_wrong_a_row_is():
    X, y, _ = mixed_table()
    y = (y > 0).astype(int)
    model = AdaBoostClassifier(n_estimators=30, loss="logistic").fit(X, y)
    alpha = model.estimator_weights_
    hit = np.array([member.predict(X) == y for member in model.estimators_])
    margin = (alpha[:, None] * np.where(hit, 0.5, -0.5)).sum(axis=0)
    expected = 1 / (1 + np.exp(2 * margin))
    np.testing.assert_allclose(model.sample_weights_, expected / expected.sum(), rtol=1e-9)
    assert model.loss_curve_[-1] == pytest.approx(np.log1p(np.exp(-2 * margin)).mean(), rel=1e-9)


# -- Drawn rows


def test_resampled_members_judge_all_rows_and_differ_by_seed():
    X, y, _ = mixed_table()
    models = [
        AdaBoostClassifier(n_estimators=10, resample=True, random_state=s).fit(X, y)
        for s in (0, 0, 1)
    ]
    assert models[0].forest_ == models[1].forest_
    assert models[0].forest_ != models[2].forest_
    for model in models:
        w = np.full(len(y), 1 / len(y))
        for m, member in enumerate(model.estimators_):
            assert member.tree_.root.weight == len(y)
            wrong = member.predict(X) != y
            error = w[wrong].sum()
            alpha = math.log((1 - error) / error) + math.log(2)
            assert model.estimator_errors_[m] == pytest.approx(error, rel=1e-9)
            assert model.estimator_weights_[m] == pytest.approx(alpha, rel=1e-9)
            w = np.where(wrong, w * math.exp(alpha), w)
            w /= w.sum()
        np.testing.assert_allclose(model.sample_weights_, w, rtol=1e-9)


def test_resampling_and_weights_lead_to_like_errors():
    X, y, _ = mixed_table(400)
    new, truth, _ = mixed_table(400, seed=9)
    by_weight = AdaBoostClassifier(n_estimators=30).fit(X, y).score(new, truth)
    drawn = [
        AdaBoostClassifier(n_estimators=30, resample=True, random_state=s).fit(X, y)
        for s in range(8)
    ]
    assert np.mean([m.score(new, truth) for m in drawn]) == pytest.approx(by_weight, abs=0.05)
    firsts = [model.forest_[0].root.counts[0] for model in drawn]  # rows of class 0 drawn
    expected = (y == 0).sum()
    spread = math.sqrt(expected * (1 - expected / 400))
    assert abs(np.mean(firsts) - expected) < 4.5 * spread / math.sqrt(8)
    assert np.std(firsts) > 0


# -- Numbers


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_numbers_are_boosted_as_by_a_loop(criterion, loss, weighted, rate):
    X, _, y = mixed_table()
    weight = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(y)) if weighted else None
    learner = CARTRegressor(criterion, max_depth=3, max_surrogates=0)
    model = AdaBoostRegressor(learner, 10, loss=loss, learning_rate=rate, resample=False)
    model.fit(X, y, sample_weight=weight)

    def train(w):
        return clone(learner).fit(X, y, sample_weight=w)

    start = np.ones(len(y)) if weight is None else weight
    naive = boost_numbers(train, X, y, start, n_rounds=10, loss=loss, rate=rate)
    assert len(naive.members) > 5
    assert_same(model, naive)
    np.testing.assert_allclose(model.loss_curve_, naive.errors, rtol=1e-8)
    new = mixed_table(60, seed=8)[0]
    answers = np.array([member.predict(new) for member in naive.members])
    for n, numbers in enumerate(model.staged_predict(new), start=1):
        medians = [weighted_median(column[:n].tolist(), naive.votes[:n]) for column in answers.T]
        np.testing.assert_allclose(numbers, medians, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(new), numbers)


@given(
    st.lists(
        st.tuples(st.sampled_from([-2.0, 0.0, 1.0, 3.5]), st.sampled_from([0.25, 1.0, 1.5])),
        min_size=1,
        max_size=7,
    )
)
def test_the_weighted_median_is_the_least_number_with_half_of_the_weight(pairs):
    numbers, weights = (list(side) for side in zip(*pairs, strict=True))
    found = our_median(np.array(numbers)[:, None], np.array(weights))
    assert found.tolist() == [weighted_median(numbers, weights)]


@pytest.mark.parametrize("resample", [False, True])
def test_far_targets_change_nothing_but_the_scale(resample):
    X, _, y = mixed_table()
    near = AdaBoostRegressor(n_estimators=8, resample=resample, random_state=0).fit(X, y)
    for scale in (2.0**300, 2.0**-300):
        far = AdaBoostRegressor(n_estimators=8, resample=resample, random_state=0)
        far.fit(X, y * scale)
        np.testing.assert_array_equal(far.estimator_errors_, near.estimator_errors_)
        np.testing.assert_array_equal(far.predict(X) / scale, near.predict(X))


def test_a_regression_tree_without_error_stays_alone():
    X = np.arange(4.0)[:, None]
    model = AdaBoostRegressor(resample=False).fit(X, [1.0, 1.0, 5.0, 5.0])
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.estimator_errors_.tolist() == [0.0]


def test_a_first_regression_tree_that_is_too_far_off_stays_alone_with_a_warning():
    X, y = np.zeros((4, 1)), np.array([0.0, 0.0, 1.0, 1.0])
    model = AdaBoostRegressor(resample=False)
    with pytest.warns(UserWarning, match="not below 1/2"):
        model.fit(X, y)
    assert model.predict(X[:1]).tolist() == [0.5]


def test_resampled_regression_trees_judge_all_rows():
    X, _, y = mixed_table()
    model = AdaBoostRegressor(n_estimators=8, random_state=3).fit(X, y)
    w = np.full(len(y), 1 / len(y))
    for m, member in enumerate(model.estimators_):
        off = np.abs(member.predict(X) - y)
        loss = off / off.max()
        error = (w * loss).sum()
        assert model.estimator_errors_[m] == pytest.approx(error, rel=1e-9)
        beta = error / (1 - error)
        assert model.estimator_weights_[m] == pytest.approx(math.log(1 / beta), rel=1e-9)
        w = w * beta ** (1 - loss)
        w /= w.sum()
    np.testing.assert_allclose(model.sample_weights_, w, rtol=1e-9)


# -- Further


@pytest.mark.parametrize("kind", [AdaBoostClassifier, AdaBoostRegressor])
@pytest.mark.parametrize("resample", [False, True])
def test_five_members_and_then_five_more_are_ten(kind, resample):
    X, y, numbers = mixed_table()
    y = y if kind is AdaBoostClassifier else numbers
    drawn = {"resample": resample, "random_state": 2}
    whole = kind(n_estimators=10, **drawn).fit(X, y)
    steps = kind(n_estimators=5, warm_start=True, **drawn).fit(X, y)
    steps.set_params(n_estimators=10).fit(X, y)
    assert steps.forest_ == whole.forest_
    for name in ("estimator_errors_", "estimator_weights_", "loss_curve_", "sample_weights_"):
        np.testing.assert_array_equal(getattr(steps, name), getattr(whole, name))


@pytest.mark.parametrize("n", [150, 5000])
@pytest.mark.parametrize("resample", [False, True])
def test_threads_change_nothing(n, resample):
    X, y, _ = mixed_table(n)
    found = []
    for n_jobs in (1, 2, 3, 4):
        model = AdaBoostClassifier(n_estimators=6, resample=resample, random_state=0, n_jobs=n_jobs)
        model.fit(X, y)
        found.append((model.forest_, model.sample_weights_.tobytes()))
    assert all(one == found[0] for one in found[1:])


def test_importances_are_weighted_by_the_votes():
    X, y, _ = mixed_table()
    model = AdaBoostClassifier(CARTClassifier(max_depth=2), 10).fit(X, y)
    parts = np.array([member.feature_importances_ for member in model.estimators_])
    expected = model.estimator_weights_ @ parts
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum(), rtol=1e-12)


def test_rows_of_no_weight_are_as_if_absent():
    X, y, _ = mixed_table()
    weight = np.resize([1.0, 0.0, 2.0], len(y))
    used = weight > 0
    for choice in ({}, {"resample": True}, {"algorithm": "arc-x4"}, {"loss": "logistic"}):
        model = AdaBoostClassifier(n_estimators=8, random_state=1, **choice)
        among = model.fit(X, y, sample_weight=weight)
        forest, weights = among.forest_, among.sample_weights_
        model.fit(X[used], y[used], sample_weight=weight[used])
        assert forest == model.forest_
        np.testing.assert_array_equal(weights[used], model.sample_weights_)
        assert (weights[~used] == 0).all()
