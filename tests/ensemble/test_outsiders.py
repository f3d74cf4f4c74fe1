"""Fitted members of any origin: the tables they take, and their answers added up."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from outside_kit import (
    NumberOwner,
    Recorder,
    bagged_members,
    class_rows,
    everyone,
    make_plan,
    nothing,
    number_rows,
    teach,
)
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from spinney import CARTClassifier, CARTRegressor
from spinney.ensemble._foreign_trainer import ForeignMembers


@pytest.fixture
def classes():
    return class_rows()


@pytest.fixture
def numbers():
    return number_rows()


@pytest.fixture(params=["pandas", "polars", "arrow"])
def frame(request):
    random = np.random.default_rng(5)
    data = {"x": random.normal(size=40), "s": random.choice(["u", "v", "w"], 40).tolist()}
    y = (data["x"] + (np.array(data["s"]) == "u") > 0.3).astype(int)
    table = pl.DataFrame(data)
    if request.param == "pandas":
        return pd.DataFrame(data, index=np.arange(40) % 7), y
    return (table.to_arrow() if request.param == "arrow" else table), y


# -- Tables


def test_learners_get_rows_of_the_users_own_library(frame):
    X, y = frame
    plan = make_plan(2, size=40, n_features=1)
    members = teach(Recorder(), X, y).bag(plan, 1, None, nothing).members
    for i, member in enumerate(members.estimators):
        given = member.given_[0]
        assert type(given) is type(X)
        names = list(getattr(given, "column_names", given.columns))
        assert names == [["x", "s"][j] for j in plan.features(2, i)]
        assert given.shape == (40, 1)


@pytest.mark.parametrize("frame", ["pandas", "polars"], indirect=True)
def test_a_pipeline_with_a_column_transformer_works_on_frames(frame):
    X, y = frame
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["s"]),
        remainder="passthrough",
    )
    learners = [make_pipeline(encode, LogisticRegression()), CARTClassifier()]
    members = bagged_members(learners, X, y, 5, size=40, out_of_bag=True)
    votes = members.sums(members.rows(X, "owner"), everyone(members), np.ones(0), True, 1)
    assert np.mean(votes.argmax(axis=1) == y) > 0.9


def test_a_mapping_of_columns_becomes_a_frame(frame):
    X, y = frame
    mapping = {name: list(X[name]) for name in ("x", "s")}
    members = teach(Recorder(), mapping, y).bag(make_plan(1, "all"), 1, None, nothing).members
    given = members.estimators[0].given_[0]
    assert list(given.columns) == ["x", "s"]
    assert len(given) == 40


def test_gaps_are_the_business_of_the_learner(classes):
    X, y = classes
    X = X.copy()
    X[3, 1] = np.nan
    bagged = teach(DecisionTreeClassifier(), X, y).bag(make_plan(2, "all"), 1, None, nothing)
    assert len(bagged.members) == 2
    with pytest.raises(ValueError, match="contains NaN"):
        teach(GaussianNB(), X, y).bag(make_plan(2, "all"), 1, None, nothing)


def test_a_tree_sees_the_vocabulary_of_all_rows():
    X = pd.DataFrame({"s": ["rare", *["u", "v"] * 10], "x": np.arange(21.0)})
    y = np.array([0, *[0, 1] * 10])
    learners = [CARTClassifier(unseen="error"), Recorder()]
    plan = make_plan(8, size=4, kind="subsample", out_of_bag=True)
    members = teach(learners, X, y).bag(plan, 1, None, nothing).members
    assert members.schema.columns[0].categories == ("rare", "u", "v")


@pytest.mark.parametrize(
    ("y", "message"),
    [(None, "target y is None"), (np.ones(3), "60 rows, y has 3"), (np.full(60, np.nan), "NaN")],
)
def test_a_bad_target_is_refused(classes, y, message):
    with pytest.raises(ValueError, match=message):
        teach(GaussianNB(), classes[0], y)


# -- Answers of the members


def test_votes_and_shares_are_weighted_and_added_up(classes):
    X, y = classes
    members = bagged_members(GaussianNB(), X, y)
    rows, weights = members.rows(X, "owner"), np.array([1.0, 2.0, 0.5])
    chosen = np.array([0, 1, 3])
    votes, shares = np.zeros((60, 3)), np.zeros((60, 3))
    for i, weight in zip(chosen, weights, strict=True):
        member = members.estimators[i]
        votes += weight * (member.predict(X)[:, None] == np.unique(y))
        shares += weight * member.predict_proba(X)
    assert np.array_equal(members.sums(rows, chosen, weights, True, 1), votes)
    assert np.array_equal(members.sums(rows, chosen, weights, False, 1), shares)


def test_shares_of_members_that_know_fewer_classes_are_put_in_place():
    X, y = np.arange(30.0)[:, None], np.repeat(["a", "b", "c"], 10)
    members = bagged_members(GaussianNB(), X, y, 15, kind="partition", size=2, n_parts=15)
    assert {len(member.classes_) for member in members.estimators} == {1, 2}
    rows = members.rows(X, "owner")
    for i, member in enumerate(members.estimators):
        sums = members.sums(rows, np.array([i]), np.ones(0), False, 1)
        unknown = ~np.isin(["a", "b", "c"], member.classes_)
        assert not sums[:, unknown].any()
        assert np.allclose(sums[:, ~unknown], member.predict_proba(X))


def test_a_member_without_probabilities_gives_its_whole_share_to_one_class(classes):
    members = bagged_members(RidgeClassifier(), *classes)
    rows = members.rows(classes[0], "owner")
    votes, shares = (members.sums(rows, everyone(members), np.ones(0), v, 1) for v in (True, False))
    assert np.array_equal(votes, shares)


def test_a_vote_for_a_group_counts_for_each_of_its_classes(classes):
    X, y = classes
    plan = make_plan(4)
    plan.set_targets("regroup", 0.0)
    members = teach([GaussianNB(), CARTClassifier()], X, y).bag(plan, 1, None, nothing).members
    rows = members.rows(X, "owner")
    for i, member in enumerate(members.estimators):
        groups = np.array(members.groups(i))
        said, proba = member.predict(X), member.predict_proba(X)
        votes = members.sums(rows, np.array([i]), np.ones(0), True, 1)
        shares = members.sums(rows, np.array([i]), np.ones(0), False, 1)
        assert np.array_equal(votes, groups == said[:, None])
        for c, group in enumerate(groups):
            assert np.allclose(shares[:, c], proba[:, group] / np.sum(groups == group))
        assert np.array_equal(members.answers(rows, np.array([i]), 1)[0], said)


def test_numbers_are_weighted_and_added_up(numbers):
    X, y = numbers
    members = bagged_members([LinearRegression(), CARTRegressor()], X, y, owner=NumberOwner())
    rows, weights = members.rows(X, "owner"), np.array([2.0, 1.0, 3.0, 0.5])
    said = np.array([member.predict(X) for member in members.estimators])
    assert np.allclose(members.answers(rows, np.arange(4), 1), said)
    sums = members.sums(rows, np.arange(4), weights, True, 1)
    assert np.allclose(sums, (weights @ said)[:, None])


def test_importances_are_spread_over_the_columns_of_the_member(classes):
    members = bagged_members([DecisionTreeClassifier(), CARTClassifier()], *classes, n_features=2)
    for i, member in enumerate(members.estimators):
        spread = members.importances(i)
        assert np.array_equal(spread[members.features(i)], member.feature_importances_)
        assert np.count_nonzero(spread) <= 2


def test_members_without_importances_say_so(classes):
    members = bagged_members(KNeighborsClassifier(), *classes)
    with pytest.raises(AttributeError, match="KNeighborsClassifier have no feature_importances_"):
        members.importances(0)


def test_members_survive_a_pickle(classes):
    X, y = classes
    members = bagged_members([GaussianNB(), CARTClassifier()], X, y, n_features=2)
    copy = pickle.loads(pickle.dumps(members))
    assert isinstance(copy, ForeignMembers)
    assert len(copy) == 4
    sums = [m.sums(m.rows(X, "owner"), np.arange(4), np.ones(0), False, 1) for m in (members, copy)]
    assert np.array_equal(*sums)


def test_tables_are_checked_against_the_columns_of_fit(classes):
    X, y = classes
    named = bagged_members(GaussianNB(), pd.DataFrame(X, columns=list("pqrs")), y)
    with pytest.raises(ValueError, match="feature names should match"):
        named.rows(pd.DataFrame(X, columns=list("pqrt")), "TheOwner")
    with pytest.raises(ValueError, match="X has 3 features, but TheOwner is expecting 4"):
        bagged_members(GaussianNB(), X, y).rows(X[:, :3], "TheOwner")


def test_missing_names_are_told_once(classes):
    X, y = classes
    members = bagged_members(GaussianNB(), pd.DataFrame(X, columns=list("pqrs")), y)
    with pytest.warns(UserWarning, match="but TheOwner was fitted with feature names") as caught:
        members.sums(members.rows(X, "TheOwner"), everyone(members), np.ones(0), True, 2)
    assert len(caught) == 1


def test_a_member_that_predicts_no_label_is_named(classes):
    class Stranger(Recorder):
        def predict(self, X):
            return np.full(len(X), "z")

    with pytest.raises(ValueError, match=r"Stranger predicts .*z.*, which is none of the labels"):
        teach(Stranger(), *classes).bag(make_plan(2, out_of_bag=True), 1, None, nothing)


def test_few_rows_of_many_classes_give_no_warning():
    X, y = np.arange(40.0)[:, None], np.tile(np.arange(8), 5)
    plan = make_plan(3, "subsample", size=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        teach(DecisionTreeClassifier(), X, y).bag(plan, 2, None, nothing)
