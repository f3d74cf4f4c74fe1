"""What members see: the draws themselves, and that members were trained on what was drawn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.ensembles import counts_by_row, difference, make_plan
from scipy import stats
from sklearn.naive_bayes import GaussianNB

from spinney import BaggingClassifier, BaggingRegressor, CARTClassifier, RandomForestClassifier

KINDS = ["bootstrap", "subsample", "partition", "overlap", "wagging", None]
N = 60


def tree():
    return CARTClassifier(max_surrogates=0)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=N) > 0).astype(int) + (X[:, 2] > 1)
    return pd.DataFrame(X, columns=list("abcd")), y


def draws(n_members, **settings):
    plan = make_plan(**settings)
    return np.array([plan.counts(N, member) for member in range(n_members)])


# -- Rows


def test_a_bootstrap_draws_with_replacement_every_row_as_often():
    counts = draws(3000, kind="bootstrap", size=N, seed=1)
    assert (counts.sum(axis=1) == N).all()
    assert (counts == np.rint(counts)).all()
    assert stats.chisquare(counts.sum(axis=0)).pvalue > 1e-3
    left_out = (counts == 0).mean()
    assert left_out == pytest.approx((1 - 1 / N) ** N, abs=0.01)


def test_a_subsample_draws_without_replacement_every_row_as_often():
    counts = draws(2000, kind="subsample", size=20, seed=1)
    assert set(np.unique(counts)) == {0.0, 1.0}
    assert (counts.sum(axis=1) == 20).all()
    share = counts.mean(axis=0)  # of a binomial variable with standard deviation 0.0105
    assert np.abs(share - 1 / 3).max() < 0.0105 * 4.5


@given(n_rows=st.integers(1, 50), n_parts=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_parts_are_disjoint_cover_all_rows_and_are_of_equal_size(n_rows, n_parts, seed):
    plan = make_plan("partition", 1, n_parts, seed=seed)
    for first in (0, n_parts):  # members beyond the first round divide the rows anew
        parts = np.array([plan.counts(n_rows, first + i) for i in range(n_parts)])
        assert (parts.sum(axis=0) == 1).all()
        assert np.ptp(parts.sum(axis=1)) <= 1


@given(n_rows=st.integers(2, 50), n_parts=st.integers(2, 9), seed=st.integers(0, 2**32))
def test_overlapping_sets_are_the_complements_of_parts(n_rows, n_parts, seed):
    parts = make_plan("partition", 1, n_parts, seed=seed)
    sets = make_plan("overlap", 1, n_parts, seed=seed)
    for i in range(2 * n_parts):
        assert (parts.counts(n_rows, i) + sets.counts(n_rows, i) == 1).all()


def test_the_second_round_of_parts_is_another_one():
    counts = draws(6, kind="partition", size=20, n_parts=3, seed=0)
    assert {tuple(part) for part in counts[:3]}.isdisjoint({tuple(part) for part in counts[3:]})


def test_wagging_weights_are_exponential_with_mean_one():
    weights = draws(200, kind="wagging", size=1, seed=3).ravel()
    assert (weights > 0).all()
    assert weights.mean() == pytest.approx(1.0, abs=0.03)
    assert stats.kstest(weights, "expon").pvalue > 1e-3


def test_no_sampling_is_every_row_once():
    assert (draws(3, kind=None, size=1, seed=0) == 1).all()


@pytest.mark.parametrize("kind", ["bootstrap", "subsample", "wagging"])
def test_draws_follow_from_seed_and_member_alone(kind):
    plans = [make_plan(kind, 30, seed=8), make_plan(kind, 30, seed=8), make_plan(kind, 30, seed=9)]
    plans[1].n_members, plans[1].first_member = 7, 3
    one, same, other = (np.array([plan.counts(N, i) for i in range(5)]) for plan in plans)
    np.testing.assert_array_equal(one, same)
    assert (one != other).any(axis=1).all()
    assert len({tuple(counts) for counts in one}) == 5


@pytest.mark.parametrize(
    ("max_samples", "sampling", "size"),
    [
        (None, "bootstrap", 60),
        (17, "bootstrap", 17),
        (90, "bootstrap", 90),
        (1.5, "bootstrap", 90),
        (0.5, "bootstrap", 30),
        (0.29, "bootstrap", 17),
        (None, "subsample", 30),
        (0.7, "subsample", 42),
        (1.0, "subsample", 60),
        (20, "partition", 20),
        (20, "overlap", 40),
        (None, "partition", 15),
        (None, "overlap", 45),
    ],
)
def test_members_weigh_as_many_rows_as_asked_for(problem, max_samples, sampling, size):
    model = BaggingClassifier(
        n_estimators=4, sampling=sampling, max_samples=max_samples, random_state=0
    ).fit(*problem)
    assert [tree.root.weight for tree in model.forest_] == [size] * 4


def test_bootstrap_false_uses_all_rows_as_in_scikit_learn(problem):
    for cls in (BaggingClassifier, RandomForestClassifier):
        model = cls(n_estimators=3, bootstrap=False, oob_score=True, random_state=2).fit(*problem)
        assert [tree.root.n_samples for tree in model.forest_] == [60] * 3
        assert all(np.array_equal(rows, range(60)) for rows in model.estimators_samples_)
        assert not hasattr(model, "oob_score_")
        with pytest.raises(ValueError, match="early_stopping needs rows that members do not see"):
            cls(bootstrap=False, early_stopping=True).fit(*problem)


def test_bootstrap_false_with_a_size_draws_without_replacement(problem):
    one = BaggingClassifier(n_estimators=3, bootstrap=False, max_samples=20, random_state=2)
    other = BaggingClassifier(n_estimators=3, sampling="subsample", max_samples=20, random_state=2)
    assert one.fit(*problem).forest_ == other.fit(*problem).forest_
    assert [tree.root.n_samples for tree in one.forest_] == [20] * 3


@pytest.mark.parametrize("targets", [None, "regroup", "flip"])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_no_weight_are_as_if_absent(problem, kind, targets):
    X, y = problem
    weight = np.resize([0.0, 1.0, 2.0, 1.0], N)
    used = weight > 0
    model = BaggingClassifier(n_estimators=5, sampling=kind, targets=targets, random_state=1)
    among = model.fit(X, y, sample_weight=weight).forest_
    alone = model.fit(X[used], y[used], sample_weight=weight[used]).forest_
    assert among == alone


def test_rows_of_no_weight_have_no_part_in_forests_and_their_out_of_bag_error(problem):
    X, y = problem
    weight = np.resize([1.0, 0.0, 1.0], N)
    used = weight > 0
    model = RandomForestClassifier(n_estimators=40, random_state=1)
    model.fit(X, y, sample_weight=weight)
    among = (model.forest_, model.oob_score_, model.oob_decision_function_[used])
    model.fit(X[used], y[used])
    assert among[0] == model.forest_
    assert among[1] == model.oob_score_
    np.testing.assert_array_equal(among[2], model.oob_decision_function_)


# -- Columns


def test_columns_of_a_member_are_distinct_sorted_and_equally_likely():
    plan = make_plan("bootstrap", N, seed=4)
    plan.n_features = 3
    drawn = [plan.features(8, member).tolist() for member in range(2000)]
    assert all(len(set(columns)) == 3 and columns == sorted(columns) for columns in drawn)
    assert stats.chisquare(np.bincount(np.concatenate(drawn), minlength=8)).pvalue > 1e-3


def test_a_member_is_the_tree_of_its_own_columns(problem):
    X, y = problem
    model = BaggingClassifier(n_estimators=10, max_features=2, random_state=6).fit(X, y)
    plan = make_plan("bootstrap", N, seed=6)
    plan.n_features = 2
    for i, member in enumerate(model.forest_):
        columns = plan.features(4, i)
        naive = tree().fit(X.iloc[:, columns], y, sample_weight=plan.counts(N, i)).tree_
        assert difference(member.root, naive.root) == ""
    assert len({tuple(plan.features(4, i)) for i in range(10)}) > 2


@pytest.mark.parametrize(("max_features", "n"), [(1, 1), (0.5, 2), ("sqrt", 2), (None, 4), (4, 4)])
def test_members_ask_no_more_columns_than_they_have(problem, max_features, n):
    model = BaggingClassifier(n_estimators=12, max_features=max_features, random_state=0)
    asked = [set(t.feature[t.feature >= 0]) for t in model.fit(*problem).forest_]
    assert max(len(columns) for columns in asked) == n
    assert len({frozenset(columns) for columns in asked}) > (0 if n == 4 else 1)


# -- Classes


@given(n_classes=st.integers(2, 9), seed=st.integers(0, 2**32), member=st.integers(0, 1000))
def test_both_groups_have_classes(n_classes, seed, member):
    plan = make_plan("bootstrap", N, seed=seed)
    plan.set_targets("regroup", 0.0)
    groups = plan.groups(n_classes, member)
    assert len(groups) == n_classes
    assert set(groups) == {0, 1}


def test_every_class_is_as_often_in_either_group():
    plan = make_plan("bootstrap", N, seed=0)
    plan.set_targets("regroup", 0.0)
    groups = np.array([plan.groups(5, member) for member in range(2000)])
    assert np.abs(groups.mean(axis=0) - 0.5).max() < 0.011 * 4.5
    assert len({tuple(row) for row in groups}) == 2**5 - 2


def test_a_regrouped_member_learns_groups_and_votes_for_all_classes_of_one(problem):
    X, _ = problem
    y = np.random.default_rng(2).integers(0, 4, N)
    model = BaggingClassifier(n_estimators=9, targets="regroup", random_state=5).fit(X, y)
    plan = make_plan("bootstrap", N, seed=5)
    plan.set_targets("regroup", 0.0)
    votes = np.zeros((N, 4))
    for i, member in enumerate(model.forest_):
        groups = np.array(plan.groups(4, i))
        naive = tree().fit(X, groups[y], sample_weight=plan.counts(N, i))
        assert difference(member.root, naive.tree_.root) == ""
        assert model.forest_.groups(i) == tuple(groups)
        votes += groups[None, :] == naive.predict(X)[:, None]
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))


def test_averaged_regrouped_members_divide_a_share_among_the_classes_of_its_group(problem):
    X, _ = problem
    y = np.random.default_rng(2).integers(0, 4, N)
    learner = CARTClassifier(max_depth=2, max_surrogates=0)
    model = BaggingClassifier(learner, 7, targets="regroup", combine="average", random_state=5).fit(
        X, y
    )
    plan = make_plan("bootstrap", N, seed=5)
    plan.set_targets("regroup", 0.0)
    sums = np.zeros((N, 4))
    for i in range(7):
        groups = np.array(plan.groups(4, i))
        learner.fit(X, groups[y], sample_weight=plan.counts(N, i))
        sums += learner.predict_proba(X)[:, groups] / np.bincount(groups)[groups]
    np.testing.assert_allclose(model.predict_proba(X), sums / 7)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_so_many_labels_are_flipped_each_to_every_other_class_as_often(rate):
    codes = np.resize(np.arange(4, dtype=np.int32), 20_000)
    plan = make_plan("bootstrap", N, seed=7)
    plan.set_targets("flip", rate)
    changed = plan.flipped(codes, 4, 0)
    moved = changed != codes
    assert moved.mean() == pytest.approx(rate, abs=4.5 * np.sqrt(rate * (1 - rate) / 20_000))
    steps = np.bincount((changed - codes)[moved] % 4, minlength=4)[1:]
    assert steps.sum() == 0 or stats.chisquare(steps).pvalue > 1e-3
    if 0 < rate < 1:
        assert (plan.flipped(codes, 4, 1) != changed).any()


def test_a_member_learns_its_own_flipped_labels(problem):
    X, y = problem
    model = BaggingClassifier(n_estimators=6, targets="flip", flip_rate=0.25, random_state=3).fit(
        X, y
    )
    plan = make_plan("bootstrap", N, seed=3)
    plan.set_targets("flip", 0.25)
    for i, member in enumerate(model.forest_):
        flipped = plan.flipped(y.astype(np.int32), 3, i)
        naive = tree().fit(X, flipped, sample_weight=plan.counts(N, i)).tree_
        assert difference(member.root, naive.root) == ""


# -- Tests


def ranked(X, y, weight=None):
    """The columns by the gain of their best test, the best first, with these tests."""
    stumps = []
    for column in X.columns:
        root = CARTClassifier(max_depth=1).fit(X[[column]], y, sample_weight=weight).tree_.root
        stumps.append((-root.gain, column, str(root.test)))
    return [(column, test) for _, column, test in sorted(stumps)]


def test_one_of_the_k_best_tests_is_drawn_each_as_often(problem):
    X, y = problem
    learner = CARTClassifier(max_depth=1, max_surrogates=0)
    for k in (2, 3):
        model = BaggingClassifier(learner, 600, sampling=None, n_best_splits=k, random_state=0)
        roots = [str(tree.root.test) for tree in model.fit(X, y).forest_]
        tests, times = np.unique(roots, return_counts=True)
        assert set(tests) == {test for _, test in ranked(X, y)[:k]}
        assert stats.chisquare(times).pvalue > 1e-3


def test_every_node_asks_one_of_the_two_best_of_its_own_tests(problem):
    X, y = problem
    model = BaggingClassifier(
        CARTClassifier(max_depth=3, max_surrogates=0), 6, n_best_splits=2, random_state=1
    ).fit(X, y)
    plan, places = make_plan("bootstrap", N, seed=1), []
    for i, member in enumerate(model.estimators_):
        counts = plan.counts(N, i)
        path = member.decision_path(X).toarray() > 0
        for node in member.tree_:
            if node.is_leaf:
                continue
            here = path[:, node.id] & (counts > 0)
            tests = [test for _, test in ranked(X[here], y[here], counts[here])]
            places.append(tests.index(str(node.test)))
    assert set(places) == {0, 1}


def test_one_best_split_is_the_usual_tree(problem):
    X, y = problem
    usual = BaggingClassifier(tree(), 3, sampling=None).fit(X, y)
    assert all(member == tree().fit(X, y).tree_ for member in usual.forest_)
    explicit = BaggingClassifier(tree(), 3, sampling=None, n_best_splits=1).fit(X, y)
    assert usual.forest_ == explicit.forest_


# -- Weights of the user


def test_a_row_counts_its_weight_as_often_as_it_is_drawn(problem):
    X, y = problem
    weight = np.resize([0.5, 0.0, 3.0, 1.25], N)
    model = BaggingRegressor(n_estimators=5, random_state=11).fit(X, y, sample_weight=weight)
    plan = make_plan("bootstrap", int((weight > 0).sum()), seed=11)
    for i, member in enumerate(model.forest_):
        counts = counts_by_row(plan, weight, i) * weight
        assert member.root.weight == pytest.approx(counts.sum(), rel=1e-12)
        assert member.root.n_samples == np.count_nonzero(counts)
        assert member.value[0, 0] == pytest.approx(np.average(y, weights=counts), rel=1e-12)


def test_columns_are_drawn_with_replacement_as_in_scikit_learn():
    X = np.random.default_rng(0).normal(size=(40, 6))
    y = (X.sum(axis=1) > 0).astype(int)
    settings = {"bootstrap_features": True, "sampling": None, "random_state": 0}
    model = BaggingClassifier(GaussianNB(), 200, **settings).fit(X, y)
    drawn = np.array(model.estimators_features_)
    assert drawn.shape == (200, 6)
    n_distinct = [len(set(features)) for features in drawn.tolist()]
    assert np.mean(n_distinct) == pytest.approx(6 * (1 - (5 / 6) ** 6), abs=0.2)
    assert np.bincount(drawn.ravel()) == pytest.approx(np.full(6, 200), abs=60)
    for member, features in zip(model.estimators_[:5], drawn[:5], strict=True):
        assert np.array_equal(member.theta_, GaussianNB().fit(X[:, features], y).theta_)
    # A tree that has a column twice is one that has it once.
    trees = BaggingClassifier(CARTClassifier(), 20, **settings).fit(X, y)
    for tree, features in zip(trees.forest_, drawn, strict=False):
        assert set(tree.feature[tree.feature >= 0].tolist()) <= set(features.tolist())
