"""Bagging and boosting of evolved trees, and forests as collections of trees."""

import numpy as np
import pytest
from reference.ensembles import counts_by_row, make_plan

from evolve.kit import classes_of, mixed_table
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GPForestClassifier,
    GPForestRegressor,
    GPTreeClassifier,
    GPTreeRegressor,
)

# Without constants, whose values a member takes from all rows.
TERMINALS = ["x", "y", "one", "two"]
SMALL = {"population_size": 40, "generations": 6, "terminals": TERMINALS, "max_depth": 3}


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    frame = mixed_table(rng, 120)
    return frame, classes_of(frame, rng, 3), rng.choice([0.5, 1.0, 2.0], 120)


def what_is_asked(tree):
    return [node.test for node in tree]


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("sampling", ["bootstrap", "subsample", None])
def test_a_bagged_tree_is_the_tree_of_its_rows_and_seed(problem, sampling, weighted):
    frame, y, weight = problem
    weight = weight if weighted else np.ones(120)
    size = {"bootstrap": 120, "subsample": 80, None: 1}[sampling]
    model = BaggingClassifier(
        GPTreeClassifier(**SMALL), 4, sampling=sampling, max_samples=size, random_state=7
    ).fit(frame, y, sample_weight=weight)
    plan = make_plan(sampling, size, seed=7)
    for i, member in enumerate(model.forest_):
        counts = counts_by_row(plan, weight, i)
        alone = GPTreeClassifier(**SMALL, random_state=plan.growth_seed(i))
        alone.fit(frame, y, sample_weight=counts * weight)
        assert what_is_asked(member) == what_is_asked(alone.tree_)
        assert np.array_equal(member.value, alone.tree_.value)
    assert len({str(tree.root.test) for tree in model.forest_}) > 1


def test_a_bagged_regression_tree_is_the_tree_of_its_rows_and_seed(problem):
    frame, y, _ = problem
    y = y + frame["x"].fillna(0.0).to_numpy()
    model = BaggingRegressor(GPTreeRegressor(**SMALL), 3, random_state=7).fit(frame, y)
    plan = make_plan("bootstrap", 120, seed=7)
    for i, member in enumerate(model.forest_):
        alone = GPTreeRegressor(**SMALL, random_state=plan.growth_seed(i))
        alone.fit(frame, y, sample_weight=counts_by_row(plan, np.ones(120), i))
        assert what_is_asked(member) == what_is_asked(alone.tree_)
        assert np.allclose(member.value, alone.tree_.value, rtol=1e-12)


@pytest.mark.parametrize("kind", [BaggingClassifier, AdaBoostClassifier])
def test_threads_do_not_matter_to_ensembles_of_evolved_trees(problem, kind):
    frame, y, _ = problem
    one, two = (
        kind(GPTreeClassifier(**SMALL), 4, random_state=1, **jobs).fit(frame, y)
        for jobs in ({}, {"n_jobs": 2} if kind is BaggingClassifier else {})
    )
    assert list(one.forest_) == list(two.forest_)


def test_boosting_does_better_than_one_tree(problem):
    frame, y, _ = problem
    tree = GPTreeClassifier(30, generations=4, max_depth=1, random_state=0)
    boosted = AdaBoostClassifier(tree, 20, random_state=0).fit(frame, y)
    assert boosted.score(frame, y) > tree.fit(frame, y).score(frame, y)
    assert len({str(member.root.test) for member in boosted.forest_}) > 5


def test_boosting_numbers_does_better_than_one_tree(problem):
    frame, _, _ = problem
    y = frame["x"].fillna(0.0).to_numpy() + (frame["y"] > 0)
    tree = GPTreeRegressor(30, generations=4, max_depth=3, random_state=0)
    boosted = AdaBoostRegressor(tree, 8, random_state=0).fit(frame, y)
    assert boosted.score(frame, y) > tree.fit(frame, y).score(frame, y)


# -- Forests


def test_the_first_tree_of_a_forest_is_that_of_the_same_seed(problem):
    frame, y, _ = problem
    forest = GPForestClassifier(3, **SMALL, random_state=4).fit(frame, y)
    assert forest.forest_[0] == GPTreeClassifier(**SMALL, random_state=4).fit(frame, y).tree_
    plain = GPForestClassifier(3, **SMALL, diversity=None, random_state=4).fit(frame, y)
    assert plain.forest_[0] == forest.forest_[0]
    assert plain.forest_[1] != forest.forest_[1]


def test_more_trees_leave_the_first_ones_as_they_are(problem):
    frame, y, _ = problem
    few = GPForestClassifier(2, **SMALL, random_state=4).fit(frame, y)
    many = GPForestClassifier(4, **SMALL, random_state=4).fit(frame, y)
    assert list(many.forest_)[:2] == list(few.forest_)


def test_a_forest_votes_and_averages(problem):
    frame, y, _ = problem
    voted = GPForestClassifier(5, **SMALL, random_state=4).fit(frame, y)
    members = np.array([member.predict(frame) for member in voted.estimators_])
    counts = np.stack([(members == label).sum(axis=0) for label in voted.classes_], axis=1)
    assert np.array_equal(voted.predict_proba(frame), counts / 5)
    assert np.array_equal(voted.predict(frame), voted.classes_[counts.argmax(axis=1)])
    averaged = GPForestClassifier(5, **SMALL, combine="average", random_state=4).fit(frame, y)
    shares = np.mean([member.predict_proba(frame) for member in averaged.estimators_], axis=0)
    assert np.allclose(averaged.predict_proba(frame), shares)


def test_a_regression_forest_gives_the_mean(problem):
    frame, y, _ = problem
    forest = GPForestRegressor(4, **SMALL, random_state=4).fit(frame, y.astype(float))
    members = [member.predict(frame) for member in forest.estimators_]
    assert np.allclose(forest.predict(frame), np.mean(members, axis=0))
