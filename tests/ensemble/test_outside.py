"""Members of any origin, next to each other: what they see, and their answers for other rows."""

import joblib
import numpy as np
import pandas as pd
import pytest
from outside_kit import (
    ClassOwner,
    NumberOwner,
    Recorder,
    class_rows,
    make_plan,
    nothing,
    number_rows,
    teach,
)
from sklearn import config_context
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from spinney import CARTClassifier, CARTRegressor
from spinney.ensemble._trainer import tree_trainer


@pytest.fixture
def classes():
    return class_rows()


@pytest.fixture
def numbers():
    return number_rows()


# -- What members are trained on


def test_members_get_the_rows_columns_and_seeds_of_the_plan(classes):
    X, y = classes
    plan = make_plan(4, n_features=2)
    bagged = teach(Recorder(), X, y).bag(plan, 1, None, nothing)
    for i, member in enumerate(bagged.members.estimators):
        rows = np.repeat(np.arange(60), plan.counts(60, i).astype(int))
        columns = plan.features(4, i)
        given, labels, weight = member.given_
        assert np.array_equal(given, X[rows][:, columns])
        assert np.array_equal(labels, y[rows])
        assert weight is None
        assert member.random_state == plan.growth_seed(i) >> 33
        assert np.array_equal(bagged.members.features(i), columns)


def test_rows_without_weight_are_as_if_absent(classes):
    X, y = classes
    weight = np.ones(60)
    weight[::3] = 0.0
    kept = weight > 0
    plan = make_plan(3, size=40, out_of_bag=True)
    whole = teach(GaussianNB(), X, y, weight).bag(plan, 1, None, nothing)
    part = teach(GaussianNB(), X[kept], y[kept], weight[kept]).bag(plan, 1, None, nothing)
    assert np.array_equal(whole.sums[kept], part.sums)
    assert not whole.n_votes[~kept].any()
    assert np.array_equal(whole.curve, part.curve)
    rows = whole.members.rows(X, "owner")
    ours, theirs = (b.members.sums(rows, np.arange(3), np.ones(0), False, 1) for b in (whole, part))
    assert np.array_equal(ours, theirs)


def test_learners_are_used_in_turn(classes):
    lesson = teach([GaussianNB(), DecisionTreeClassifier()], *classes)
    names = [
        type(member).__name__
        for member in lesson.bag(make_plan(5), 1, None, nothing).members.estimators
    ]
    assert names == ["GaussianNB", "DecisionTreeClassifier"] * 2 + ["GaussianNB"]


def test_seeds_reach_nested_learners(classes):
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=1))
    plan = make_plan(2)
    members = teach(pipe, *classes).bag(plan, 1, None, nothing).members
    seeds = [member[-1].random_state for member in members.estimators]
    assert seeds == [plan.growth_seed(i) >> 33 for i in range(2)]
    assert pipe[-1].random_state == 1


def test_changed_labels_are_taught(classes):
    X, y = classes
    plan = make_plan(2, "all")
    plan.set_targets("flip", 0.3)
    members = teach(Recorder(), X, y).bag(plan, 1, None, nothing).members
    names, codes = np.unique(y, return_inverse=True)
    for i, member in enumerate(members.estimators):
        labels = names[plan.flipped(codes.astype(np.int32), 3, i)]
        assert np.array_equal(member.given_[1], labels)
        assert 0.1 < np.mean(labels != y) < 0.5


def test_groups_are_taught_as_two_classes(classes):
    X, y = classes
    plan = make_plan(3, "all")
    plan.set_targets("regroup", 0.0)
    members = teach(Recorder(), X, y).bag(plan, 1, None, nothing).members
    codes = np.unique(y, return_inverse=True)[1]
    for i, member in enumerate(members.estimators):
        assert members.groups(i) == tuple(plan.groups(3, i))
        assert np.array_equal(member.given_[1], np.array(plan.groups(3, i))[codes])


def test_a_member_with_rows_of_one_class_works():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], 6)
    plan = make_plan(6, "partition", size=2, n_parts=6, out_of_bag=True)
    bagged = teach(LogisticRegression(), X, y).bag(plan, 1, None, nothing)
    kinds = {type(member) for member in bagged.members.estimators}
    assert kinds == {DummyClassifier, LogisticRegression}
    assert bagged.sums.sum() == 12 * 5
    rows = bagged.members.rows(X, "owner")
    shares = bagged.members.sums(rows, np.arange(6), np.ones(0), False, 1)
    assert np.allclose(shares.sum(axis=1), 6)


# -- Weights


def test_weights_of_the_user_are_passed_on_row_by_row(classes):
    X, y = classes
    weight = np.random.default_rng(2).uniform(0.5, 2, 60)
    plan = make_plan(2)
    members = teach(Recorder(), X, y, weight).bag(plan, 1, None, nothing).members
    for i, member in enumerate(members.estimators):
        rows = np.repeat(np.arange(60), plan.counts(60, i).astype(int))
        assert np.array_equal(member.given_[2], weight[rows])


def test_wagging_gives_its_counts_as_weights(classes):
    X, y = classes
    weight = np.random.default_rng(2).uniform(0.5, 2, 60)
    plan = make_plan(2, "wagging")
    for given, factor in ((None, 1.0), (weight, weight)):
        members = teach(Recorder(), X, y, given).bag(plan, 1, None, nothing).members
        for i, member in enumerate(members.estimators):
            assert np.array_equal(member.given_[0], X)
            assert np.array_equal(member.given_[2], plan.counts(60, i) * factor)


def test_a_pipeline_hands_weights_to_its_last_step(classes):
    X, y = classes
    members = teach(make_pipeline(StandardScaler(), make_pipeline(Recorder())), X, y).bag(
        plan := make_plan(1, "wagging"), 1, None, nothing
    )
    recorder = members.members.estimators[0][-1][-1]
    assert np.array_equal(recorder.given_[2], plan.counts(60, 0))


def test_a_pipeline_that_routes_metadata_gets_weights_if_a_step_asks_for_them(classes):
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipe = make_pipeline(scaler, Recorder().set_fit_request(sample_weight=True))
        plan = make_plan(1, "wagging")
        members = teach(pipe, *classes).bag(plan, 2, None, nothing).members
    assert np.array_equal(members.estimators[0][-1].given_[2], plan.counts(60, 0))


def test_learners_without_weights_get_rows_drawn_by_weight_and_one_warning(classes):
    X, y = classes
    X = np.column_stack([np.arange(60.0), X])
    weight = np.where(np.arange(60) < 6, 50.0, 0.1)
    lesson = teach(KNeighborsClassifier(1), X, y, weight)
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight") as caught:
        members = lesson.bag(make_plan(5, "all"), 1, None, nothing).members
    assert len(caught) == 1
    for member in members.estimators:
        drawn = member._fit_X[:, 0]
        assert len(drawn) == 60
        assert np.mean(drawn < 6) > 0.9


def test_as_many_rows_are_drawn_by_weight_as_the_plan_draws(classes):
    X, y = classes
    weight = np.random.default_rng(2).uniform(0.5, 2, 60)
    plan = make_plan(3, "subsample", size=20)
    with pytest.warns(UserWarning, match="rows are drawn by weight"):
        members = teach(KNeighborsClassifier(1), X, y, weight).bag(plan, 1, None, nothing).members
    for i, member in enumerate(members.estimators):
        chosen = X[plan.counts(60, i) > 0]
        assert len(member._fit_X) == 20
        assert {tuple(row) for row in member._fit_X} < {tuple(row) for row in chosen}


@pytest.mark.parametrize("weight", [None, np.full(60, 3.0)])
def test_equal_weights_need_no_drawing(classes, weight):
    X, y = classes
    members = teach(KNeighborsClassifier(1), X, y, weight).bag(
        make_plan(1, "all"), 1, None, nothing
    )
    assert np.array_equal(members.members.estimators[0]._fit_X, X)


# -- Rows left out


def naive_bag(members, plan, X, y, n_outputs, answer):
    """Add up, member by member, what those say that did not see a row."""
    sums, votes, curve = np.zeros((len(y), n_outputs)), np.zeros(len(y), int), []
    for i in range(len(members)):
        for row in np.flatnonzero(plan.counts(len(y), i) == 0):
            sums[row] += answer(i, X[row : row + 1])
            votes[row] += 1
        seen = votes > 0
        if n_outputs == 1:
            curve.append(np.mean((sums[seen, 0] / votes[seen] - y[seen]) ** 2))
        else:
            curve.append(np.mean(np.unique(y)[sums[seen].argmax(axis=1)] != y[seen]))
    return sums, votes, curve


@pytest.mark.parametrize("targets", ["none", "regroup"])
def test_votes_for_rows_left_out_are_those_of_a_naive_loop(classes, targets):
    X, y = classes
    plan = make_plan(8, n_features=3, out_of_bag=True)
    plan.set_targets(targets, 0.0)
    bagged = teach(GaussianNB(), X, y).bag(plan, 1, None, nothing)
    names = np.unique(y)

    def vote(i, row):
        said = bagged.members.estimators[i].predict(row[:, plan.features(4, i)])[0]
        groups = plan.groups(3, i)
        return np.array(groups) == said if groups else names == said

    sums, votes, curve = naive_bag(bagged.members, plan, X, y, 3, vote)
    assert np.array_equal(bagged.sums, sums)
    assert np.array_equal(bagged.n_votes, votes)
    assert np.allclose(bagged.curve, curve, rtol=1e-12)


def test_numbers_for_rows_left_out_are_those_of_a_naive_loop(numbers):
    X, y = numbers
    plan = make_plan(6, out_of_bag=True)
    bagged = teach(LinearRegression(), X, y, owner=NumberOwner()).bag(plan, 1, None, nothing)
    members = bagged.members.estimators
    sums, votes, curve = naive_bag(members, plan, X, y, 1, lambda i, row: members[i].predict(row))
    assert np.allclose(bagged.sums, sums)
    assert np.array_equal(bagged.n_votes, votes)
    assert np.allclose(bagged.curve, curve)


def test_records_hold_the_errors_on_all_rows_and_on_those_left_out(classes):
    X, y = classes
    weight = np.random.default_rng(3).uniform(0.5, 2, 60)
    plan = make_plan(5, records=True)
    plan.set_targets("regroup", 0.0)
    bagged = teach(GaussianNB(), X, y, weight).bag(plan, 1, None, nothing)
    codes = np.unique(y, return_inverse=True)[1]
    for i, member in enumerate(bagged.members.estimators):
        wrong = member.predict(X) != np.array(plan.groups(3, i))[codes]
        out = plan.counts(60, i) == 0
        wanted = weight[wrong].sum(), weight[wrong & out].sum(), weight[out].sum()
        assert np.allclose(bagged.records.table()[i, :3], wanted)
    assert not bagged.n_votes.any()  # nobody asked


def test_records_of_numbers_hold_squared_errors(numbers):
    X, y = numbers
    plan = make_plan(3, records=True, out_of_bag=True)
    bagged = teach(LinearRegression(), X, y, owner=NumberOwner()).bag(plan, 1, None, nothing)
    for i, member in enumerate(bagged.members.estimators):
        squares = (member.predict(X) - y) ** 2
        out = plan.counts(60, i) == 0
        assert np.allclose(
            bagged.records.table()[i, :3], [squares.sum(), squares[out].sum(), out.sum()]
        )


def test_without_records_they_are_zero(classes):
    bagged = teach(GaussianNB(), *classes).bag(make_plan(3), 1, None, nothing)
    assert (
        bagged.records.table().tolist() == [[0.0, 0.0, 0.0, 0.0, 1.0]] * 3
    )  # and nothing to settle
    assert bagged.sums.shape == (60, 3)
    assert not bagged.curve.size


def test_huge_numbers_do_not_overflow(numbers):
    X, y = numbers
    plan = make_plan(5, out_of_bag=True, records=True)
    far = teach(KNeighborsRegressor(1), X, y * 2.0**600, owner=NumberOwner())
    near = teach(KNeighborsRegressor(1), X, y, owner=NumberOwner()).bag(plan, 1, None, nothing)
    bagged = far.bag(plan, 1, None, nothing)
    assert np.allclose(bagged.means(), near.means() * 2.0**600, equal_nan=True)
    assert np.isfinite(bagged.curve).all()
    assert np.array_equal(bagged.records.oob_weight, near.records.oob_weight)


# -- When training ends


def test_training_stops_when_the_error_has_not_fallen_for_long_enough(classes):
    whole = teach(GaussianNB(), *classes).bag(make_plan(70, out_of_bag=True), 1, None, nothing)
    plan = make_plan(70, out_of_bag=True, patience=5, tolerance=0.01, records=True)
    short = teach(GaussianNB(), *classes).bag(plan, 1, None, nothing)
    least, waited, n_members = np.inf, 0, whole.n_to_cover - 1
    while waited < 5:
        error = whole.curve[n_members]
        least, waited = (error, 0) if error < least - 0.01 else (least, waited + 1)
        n_members += 1
    assert len(short.members) == len(short.curve) == len(short.records.settled) == n_members < 70
    assert np.array_equal(short.curve, whole.curve[:n_members])


def test_somebody_who_watches_may_stop_training_after_a_batch(classes):
    told = []

    def finished(n_done):
        told.append(n_done)
        return n_done == 10

    bagged = teach(GaussianNB(), *classes).bag(make_plan(150), 1, None, finished)
    assert told == list(range(1, 65))
    assert len(bagged.members) == 64


def test_an_interrupt_ends_training(classes):
    def finished(n_done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teach(GaussianNB(), *classes).bag(make_plan(5), 2, None, finished)


def test_a_warm_start_gives_what_one_fit_gives(classes):
    X, y = classes
    settings = {"out_of_bag": True, "records": True}
    learners = [GaussianNB(), KNeighborsClassifier(3), CARTClassifier()]
    whole = teach(learners, X, y).bag(make_plan(10, **settings), 1, None, nothing)
    first = teach(learners, X, y).bag(make_plan(4, **settings), 1, None, nothing)
    owner = ClassOwner()
    owner.schema = first.members.schema
    told = []
    lesson = teach(learners, X, y, owner=owner)
    plan = make_plan(10, first_member=4, **settings)
    second = lesson.bag(plan, 1, first, lambda n: told.append(n))
    assert told == [5, 6, 7, 8, 9, 10]
    for name in ("sums", "n_votes", "curve", "records"):
        assert np.array_equal(getattr(second, name), getattr(whole, name))
    rows = whole.members.rows(X, "owner")
    answers = [b.members.answers(rows, np.arange(10), 1) for b in (whole, second)]
    assert np.array_equal(*answers)


def test_a_warm_start_refuses_other_columns(classes):
    X, y = classes
    owner = ClassOwner()
    owner.schema = teach(GaussianNB(), X, y).schema
    with pytest.raises(ValueError, match="X has 3 features, but ClassOwner is expecting 4"):
        teach(GaussianNB(), X[:, :3], y, owner=owner)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_neither_threads_nor_the_backend_change_the_result(classes, backend):
    X, y = classes
    forest = PeerForest(n_estimators=3, max_depth=3)
    lesson = teach([forest, CARTClassifier(max_features=1)], X, y)
    one = lesson.bag(make_plan(6, out_of_bag=True, n_features=3), 1, None, nothing)
    with joblib.parallel_config(backend=backend):
        two = lesson.bag(make_plan(6, out_of_bag=True, n_features=3), 2, None, nothing)
        rows = two.members.rows(X, "owner")
        sums = two.members.sums(rows, np.arange(6), np.ones(0), False, 2)
        answers = two.members.answers(rows, np.arange(6), 2)
    assert np.array_equal(one.sums, two.sums)
    assert np.array_equal(sums, one.members.sums(rows, np.arange(6), np.ones(0), False, 1))
    assert np.array_equal(answers, one.members.answers(rows, np.arange(6), 1))


@pytest.mark.parametrize("targets", ["none", "regroup", "flip"])
@pytest.mark.parametrize("kind", ["bootstrap", "wagging", "overlap"])
def test_trees_of_ours_fare_as_in_the_core(classes, kind, targets):
    X, y = classes
    weight = np.random.default_rng(6).integers(0, 3, 60).astype(float)
    tree = CARTClassifier(max_depth=3, max_surrogates=0)
    plan = make_plan(9, kind, n_parts=4, n_features=3, out_of_bag=True, records=True)
    plan.set_targets(targets, 0.2)
    lesson = teach(tree, X, y, weight)
    core = tree_trainer([tree], X, lesson.schema, [tree._encode_target(y, weight)], {})
    ours, theirs = lesson.bag(plan, 1, None, nothing), core.bag(plan, 1, None, nothing)
    assert np.array_equal(ours.sums, theirs.sums)
    assert np.array_equal(ours.n_votes, theirs.n_votes)
    assert np.allclose(ours.curve, theirs.curve, equal_nan=True)
    assert np.allclose(ours.records, theirs.records)
    rows, members = ours.members.rows(X, "owner"), np.arange(9)
    answers = ours.members.answers(rows, members, 1), theirs.members.answers(X, members, 1)
    assert np.array_equal(*answers)
    for vote in (True, False):
        sums = ours.members.sums(rows, members, np.arange(9.0), vote, 1)
        assert np.allclose(sums, theirs.members.sums(X, members, np.arange(9.0), vote, 1))


@pytest.mark.parametrize("scale", [1.0, 2.0**300])
def test_regression_trees_of_ours_fare_as_in_the_core(numbers, scale):
    X, y = numbers[0], numbers[1] * scale
    tree = CARTRegressor(max_depth=3, max_surrogates=0)
    settings = {"out_of_bag": True, "records": True}
    owner = NumberOwner()
    lesson = teach(tree, X, y, owner=owner)
    core = tree_trainer([tree], X, lesson.schema, [tree._encode_target(y, np.ones(60))], {})
    ours, theirs = (one.bag(make_plan(3, **settings), 1, None, nothing) for one in (lesson, core))
    plan = make_plan(7, first_member=3, **settings)
    ours, theirs = lesson.bag(plan, 1, ours, nothing), core.bag(plan, 1, theirs, nothing)
    for name in ("sums", "n_votes", "curve", "records"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=0.0)


def test_trees_in_a_list_with_others_are_those_of_the_core(classes):
    X, y = classes
    X = pd.DataFrame(X, columns=list("pqrs")).assign(s=np.where(X[:, 3] > 0, "yes", "no"))
    y, tree = (y == "a").astype(int), CARTClassifier(max_surrogates=0)
    numeric = make_pipeline(make_column_transformer(("passthrough", ["p", "q"])), GaussianNB())
    plan = make_plan(6, out_of_bag=True)
    lesson = teach([tree, numeric], X, y)
    mixed = lesson.bag(plan, 1, None, nothing).members
    values = lesson.rows.values
    core = tree_trainer([tree], values, lesson.schema, [tree._encode_target(y, np.ones(60))], {})
    forest = core.bag(plan, 1, None, nothing).members
    rows, places = mixed.rows(X, "owner"), np.array([0, 2, 4])
    assert np.array_equal(mixed.answers(rows, places, 1), forest.answers(values, places, 1))
    shares = [m.sums(r, places, np.ones(0), False, 1) for m, r in ((mixed, rows), (forest, values))]
    assert np.allclose(*shares)
    assert mixed.estimators[0].tree_.schema == lesson.schema
