"""Members of any origin, one after the other."""

import numpy as np
import pytest
from outside_kit import NumberOwner, Recorder, boost_plan, class_rows, nothing, number_rows, teach
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier as PeerAdaBoost
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import CARTClassifier
from spinney.ensemble._trainer import tree_trainer


@pytest.fixture
def classes():
    return class_rows()


@pytest.fixture
def numbers():
    return number_rows()


# -- Boosting


def test_boosted_stumps_of_another_package_are_those_of_its_own_adaboost(classes):
    X, y = classes
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    boosted = teach(stump, X, y).boost(boost_plan(15, 3), 1, None, nothing)
    peer = PeerAdaBoost(stump, n_estimators=15, random_state=0).fit(X, y)
    assert len(boosted.members) == len(boosted.rounds.error) == len(peer.estimators_)
    assert np.allclose(boosted.rounds.error, peer.estimator_errors_)
    assert np.allclose(boosted.rounds.vote_weight, peer.estimator_weights_)
    assert np.allclose(
        [member.tree_.threshold[0] for member in boosted.members.estimators],
        [member.tree_.threshold[0] for member in peer.estimators_],
    )


@pytest.mark.parametrize("rule", ["SAMME", "M1", "arc-x4"])
def test_boosted_trees_of_ours_fare_as_in_the_core(classes, rule):
    X, y = classes
    weight = np.random.default_rng(6).integers(0, 3, 60).astype(float)
    tree = CARTClassifier(max_depth=2, max_surrogates=0)
    lesson = teach(tree, X, y, weight)
    core = tree_trainer([tree], X, lesson.schema, [tree._encode_target(y, weight)], {})
    plan = boost_plan(12, 3, rule=rule)
    ours, theirs = (one.boost(plan, 1, None, nothing) for one in (lesson, core))
    assert np.allclose(ours.rounds, theirs.rounds)
    assert np.allclose(ours.weights, theirs.weights)


def test_boosting_gives_weights_that_add_up_to_those_of_the_rows(classes):
    X, y = classes
    weight = np.random.default_rng(4).uniform(0.5, 2, 60)
    weight[:10] = 0.0

    class Half(Recorder):
        def predict(self, X):
            return np.where(X[:, 0] > 0, "b", "a")

    boosted = teach(Half(), X, y, weight).boost(boost_plan(3, 3, rule="arc-x4"), 1, None, nothing)
    given = [member.given_[2] for member in boosted.members.estimators]
    assert np.allclose(given[0], weight[10:])
    assert np.allclose([w.sum() for w in given], weight.sum())
    assert not boosted.weights[:10].any()
    assert np.isclose(boosted.weights.sum(), 1.0)
    wrong = np.where(X[10:, 0] > 0, "b", "a") != y[10:]
    start = weight[10:] / weight.sum()
    wanted = start * np.where(wrong, 1 + 3.0**4, 1.0)
    assert np.allclose(boosted.weights[10:], wanted / wanted.sum())


def test_boosting_by_resampling_draws_rows_as_the_plan_does(classes):
    X, y = classes
    plan = boost_plan(2, 3)
    plan.resample = True
    boosted = teach(Recorder(), X, y).boost(plan, 1, None, nothing)
    given, _, weight = boosted.members.estimators[0].given_
    rows = np.repeat(np.arange(60), plan.draw(np.full(60, 1 / 60), 0).astype(int))
    assert np.array_equal(given, X[rows])
    assert weight is None


def test_boosting_draws_rows_for_learners_without_weights(classes):
    lesson = teach(KNeighborsClassifier(15), *classes)
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight") as caught:
        boosted = lesson.boost(boost_plan(4, 3), 1, None, nothing)
    assert len(caught) == 1
    first = boosted.members.estimators[0]
    assert np.array_equal(first._fit_X, classes[0])  # equal weights need no drawing


def test_a_member_no_better_than_chance_is_dropped_and_ends_boosting(classes):
    X, y = classes

    class Wrong(Recorder):
        def predict(self, X):
            return np.full(len(X), "c")

    boosted = teach([GaussianNB(), Wrong()], X, y).boost(boost_plan(9, 3), 1, None, nothing)
    assert len(boosted.members) == 1
    assert len(boosted.rounds.error) == 2
    assert boosted.rounds.kept.tolist() == [1.0, 0.0]
    assert boosted.rounds.stopped[1] == 1.0


def test_a_perfect_member_ends_boosting(classes):
    boosted = teach(DecisionTreeClassifier(), *classes).boost(boost_plan(9, 3), 1, None, nothing)
    assert len(boosted.members) == 1
    assert boosted.rounds.vote_weight[0] == 1.0


def test_somebody_who_watches_may_stop_boosting(classes):
    stump, told = DecisionTreeClassifier(max_depth=1), []
    teach(stump, *classes).boost(boost_plan(9, 3), 1, None, lambda n: told.append(n) or n == 3)
    assert told == [1, 2, 3]


def test_a_warm_start_of_boosting_gives_what_one_fit_gives(classes):
    lesson = teach([DecisionTreeClassifier(max_depth=1), CARTClassifier(max_depth=1)], *classes)
    whole = lesson.boost(boost_plan(8, 3), 1, None, nothing)
    first = lesson.boost(boost_plan(3, 3), 1, None, nothing)
    second = lesson.boost(boost_plan(8, 3), 1, first.members, nothing)
    assert np.array_equal(whole.rounds, second.rounds)
    assert np.array_equal(whole.weights, second.weights)
    assert second.members.estimators[:3] == first.members.estimators


def test_boosting_of_numbers_follows_the_distances(numbers):
    X, y = numbers
    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    plan = boost_plan(4, 0, rule="R2", loss="linear")
    boosted = teach(tree, X, y, owner=NumberOwner()).boost(plan, 1, None, nothing)
    weights = np.full(60, 1 / 60)
    for i, member in enumerate(boosted.members.estimators):
        wanted = clone(tree).fit(X, y, sample_weight=weights * 60).predict(X)
        assert np.allclose(member.predict(X), wanted)
        off = np.abs(wanted - y) / np.abs(wanted - y).max()
        error = (weights * off).sum()
        assert np.isclose(boosted.rounds.error[i], error)
        weights = weights * (error / (1 - error)) ** (1 - off)
        weights /= weights.sum()
    assert np.allclose(boosted.weights, weights)
