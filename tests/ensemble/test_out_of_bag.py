"""Rows that members did not see: the same sums, errors and end of training as by a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.ensembles import (
    counts_by_row,
    left_out_classes,
    left_out_numbers,
    make_plan,
    stops_after,
)
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    datasets,
)

N = 70


@pytest.fixture(scope="module")
def problem():
    """A table with gaps, classes, numbers, and weights of which some are zero."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 4))
    numbers = X[:, 0] * 2 + X[:, 1] + 0.5 * rng.normal(size=N)
    y = np.digitize(numbers, [-1.0, 1.0])
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y, numbers, rng.choice([0.0, 0.5, 1.0, 4.0], N)


def counts_of(model, weight, kind="bootstrap", size=None, n_parts=1):
    size = np.count_nonzero(weight) if size is None else size
    plan = make_plan(kind, size, n_parts, seed=model.random_state)
    return [counts_by_row(plan, weight, i) for i in range(len(model.estimators_))]


def members_to_cover(model, weight):
    """How many members there are once each row of positive weight was left out by one."""
    left_out = np.array(counts_of(model, weight)) == 0
    covered = np.cumsum(left_out, axis=0)[:, weight > 0].all(axis=1)
    return int(covered.argmax()) + 1


def naive_classes(model, X, y, weight, **plan):
    answers = [np.searchsorted(model.classes_, m.predict(X)) for m in model.estimators_]
    counts = counts_of(model, weight, **plan)
    return left_out_classes(answers, counts, y, weight, len(model.classes_))


def assert_same_classes(model, naive, y, weight):
    seen = naive.n_votes > 0
    shares = naive.sums[seen] / naive.n_votes[seen, None]
    np.testing.assert_allclose(model.oob_decision_function_[seen], shares, rtol=1e-15)
    assert np.isnan(model.oob_decision_function_[~seen]).all()
    hits = shares.argmax(axis=1) == y[seen]
    assert model.oob_score_ == pytest.approx(np.average(hits, weights=weight[seen]), rel=1e-14)
    np.testing.assert_allclose(model.oob_error_curve_, naive.curve, rtol=1e-12, atol=1e-13)
    assert model.oob_error_curve_[-1] == pytest.approx(1 - model.oob_score_, abs=1e-13)


# -- Against a loop


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda **k: BaggingClassifier(n_estimators=30, oob_score=True, **k),
        lambda **k: BaggingClassifier(C45Classifier(rules=False), 30, oob_score=True, **k),
        lambda **k: BaggingClassifier(
            CARTClassifier(max_depth=2), 30, combine="average", oob_score=True, **k
        ),
        lambda **k: RandomForestClassifier(n_estimators=30, **k),
    ],
    ids=["bagging", "c4.5", "average", "forest"],
)
def test_classes_are_voted_for_by_members_that_did_not_see_the_row(problem, make, weighted):
    X, y, _, weight = problem
    weight = weight if weighted else np.ones(N)
    model = make(random_state=5).fit(X, y, sample_weight=weight if weighted else None)
    assert_same_classes(model, naive_classes(model, X, y, weight), y, weight)


@pytest.mark.parametrize(
    ("kind", "size", "n_parts"),
    [("subsample", 35, 1), ("partition", 14, 5), ("overlap", 14, 5)],
)
def test_every_sampling_that_leaves_rows_out_has_an_estimate(problem, kind, size, n_parts):
    X, y, _, _ = problem
    model = RandomForestClassifier(25, sampling=kind, max_samples=size, random_state=2).fit(X, y)
    weight = np.ones(N)
    naive = naive_classes(model, X, y, weight, kind=kind, size=size, n_parts=n_parts)
    assert_same_classes(model, naive, y, weight)


def test_regrouped_members_vote_for_groups_out_of_bag(problem):
    X, y, _, weight = problem
    model = BaggingClassifier(
        n_estimators=40, targets="regroup", oob_score=True, random_state=3
    ).fit(X, y, sample_weight=weight)
    answers = model.forest_.answers(X, np.arange(40), 1)
    groups = [model.forest_.groups(i) for i in range(40)]
    naive = left_out_classes(answers, counts_of(model, weight), y, weight, 3, groups)
    seen = weight > 0
    votes = naive.sums[seen]
    np.testing.assert_allclose(
        model.oob_decision_function_[seen], votes / votes.sum(axis=1, keepdims=True), rtol=1e-14
    )
    np.testing.assert_allclose(model.oob_error_curve_, naive.curve, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda **k: BaggingRegressor(n_estimators=30, oob_score=True, **k),
        lambda **k: RandomForestRegressor(n_estimators=30, **k),
        lambda **k: RandomForestRegressor(n_estimators=30, criterion="absolute_error", **k),
        lambda **k: BaggingRegressor(
            CARTRegressor("absolute_error"), n_estimators=30, oob_score=True, **k
        ),
    ],
    ids=["bagging", "forest", "absolute-forest", "absolute-bagging"],
)
def test_numbers_are_the_mean_of_members_that_did_not_see_the_row(problem, make, weighted):
    X, _, y, weight = problem
    weight = weight if weighted else np.ones(N)
    model = make(random_state=5).fit(X, y, sample_weight=weight if weighted else None)
    answers = [member.predict(X) for member in model.estimators_]
    power = 1 if "absolute_error" in model.get_params().values() else 2
    naive = left_out_numbers(answers, counts_of(model, weight), y, weight, power)
    seen = naive.n_votes > 0
    means = naive.sums[seen] / naive.n_votes[seen]
    np.testing.assert_allclose(model.oob_prediction_[seen], means, rtol=1e-12)
    assert np.isnan(model.oob_prediction_[~seen]).all()
    np.testing.assert_allclose(model.oob_error_curve_, naive.curve, rtol=1e-10)
    spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
    error = np.average((y[seen] - means) ** 2, weights=weight[seen])
    assert model.oob_score_ == pytest.approx(1 - error / spread, rel=1e-12)


@pytest.mark.parametrize(
    "make", [lambda *a, **k: BaggingClassifier(*a, **k), lambda *a, **k: BaggingRegressor(*a, **k)]
)
def test_learners_of_other_packages_are_left_out_in_the_same_way(problem, make):
    X, y, numbers, weight = problem
    X = np.nan_to_num(X)
    is_class = isinstance(make(), BaggingClassifier)
    learner = (DecisionTreeClassifier if is_class else DecisionTreeRegressor)(max_depth=3)
    model = make(learner, 25, oob_score=True, random_state=4)
    if is_class:
        model.fit(X, y, sample_weight=weight)
        assert_same_classes(model, naive_classes(model, X, y, weight), y, weight)
        return
    model.fit(X, numbers, sample_weight=weight)
    answers = [member.predict(X) for member in model.estimators_]
    naive = left_out_numbers(answers, counts_of(model, weight), numbers, weight)
    seen = weight > 0
    means = naive.sums[seen] / naive.n_votes[seen]
    np.testing.assert_allclose(model.oob_prediction_[seen], means, rtol=1e-12)
    np.testing.assert_allclose(model.oob_error_curve_, naive.curve, rtol=1e-10)


def test_rows_that_every_member_saw_have_no_estimate_and_are_told_of(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(n_estimators=2, random_state=0)
    with pytest.warns(UserWarning, match="rows were seen by every member"):
        model.fit(X, y)
    weight = np.ones(N)
    naive = naive_classes(model, X, y, weight)
    assert (naive.n_votes == 0).any()
    assert_same_classes(model, naive, y, weight)


def test_without_rows_left_out_there_is_no_score(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(n_estimators=3, sampling=None)
    with pytest.warns(UserWarning, match=f"{N} of {N} rows"):
        model.fit(X, y)
    assert not hasattr(model, "oob_score_")
    assert np.isnan(model.oob_decision_function_).all()
    assert np.isnan(model.oob_error_curve_).all()


@given(seed=st.integers(0, 2**20), n=st.integers(12, 40), n_classes=st.integers(2, 4))
@settings(max_examples=12)
def test_random_problems_have_the_errors_of_the_loop(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    y = np.resize(np.arange(n_classes), n)
    weight = rng.choice([0.0, 1.0, 2.5], n)
    weight[:n_classes] = 1.0
    model = RandomForestClassifier(n_estimators=40, random_state=seed)
    model.fit(X, y, sample_weight=weight)
    assert_same_classes(model, naive_classes(model, X, y, weight), y, weight)


@pytest.mark.parametrize("far", [0, 600], ids=["near", "far"])
def test_learners_of_unlike_criteria_are_judged_by_squared_errors(problem, far):
    X, _, y, _ = problem
    learners = [CARTRegressor("absolute_error", max_depth=3), CARTRegressor(max_depth=3)]
    model = BaggingRegressor(learners, n_estimators=30, oob_score=True, random_state=0)
    model.fit(X, np.ldexp(y, far))
    off = np.ldexp(model.oob_prediction_, -far) - y
    with np.errstate(over="ignore"):
        expected = min(np.ldexp((off**2).mean(), 2 * far), np.finfo(float).max)
    assert model.oob_error_curve_[-1] == pytest.approx(expected, rel=1e-9)


def test_absolute_errors_of_far_targets_are_in_their_units(problem):
    X, _, y, _ = problem
    model = RandomForestRegressor(60, criterion="absolute_error", random_state=0)
    model.fit(X, np.ldexp(y, 600))
    off = np.abs(np.ldexp(model.oob_prediction_, -600) - y)
    assert np.ldexp(model.oob_error_curve_[-1], -600) == pytest.approx(off.mean(), rel=1e-9)
    steps = RandomForestRegressor(30, criterion="absolute_error", random_state=0, warm_start=True)
    steps.fit(X, np.ldexp(y, 600)).set_params(n_estimators=60).fit(X, np.ldexp(y, 600))
    np.testing.assert_allclose(steps.oob_error_curve_, model.oob_error_curve_, rtol=1e-12)


# -- Stopping


@pytest.mark.parametrize(("patience", "tolerance"), [(1, 0.0), (3, 0.0), (10, 0.0), (5, 0.02)])
def test_training_stops_where_the_error_has_not_fallen_for_long_enough(
    problem, patience, tolerance
):
    X, y, _, _ = problem
    grown = {"n_estimators": 150, "oob_score": True, "random_state": 6}
    every = BaggingClassifier(**grown).fit(X, y)
    naive = naive_classes(every, X, y, np.ones(N))
    n = stops_after(naive.curve, patience, tolerance, members_to_cover(every, np.ones(N)))
    model = BaggingClassifier(
        early_stopping=True, n_iter_no_change=patience, tol=tolerance, **grown
    )
    model.fit(X, y)
    assert len(model.estimators_) == n < 150
    assert model.forest_[:] == every.forest_[:n]
    np.testing.assert_array_equal(model.oob_error_curve_, every.oob_error_curve_[:n])
    assert len(model.selected_) == n


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_forests_of_numbers_stop_by_their_squared_error(problem, n_jobs):
    X, _, y, weight = problem
    every = RandomForestRegressor(n_estimators=200, random_state=6).fit(X, y, weight)
    n = stops_after(every.oob_error_curve_, 15, n_to_cover=members_to_cover(every, weight))
    assert 20 < n < 200
    model = RandomForestRegressor(
        n_estimators=200, early_stopping=True, n_iter_no_change=15, random_state=6, n_jobs=n_jobs
    ).fit(X, y, weight)
    assert model.forest_[:] == every.forest_[:n]


def test_with_patience_for_all_members_all_are_grown(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(
        n_estimators=30, early_stopping=True, n_iter_no_change=30, random_state=0
    )
    assert len(model.fit(X, y).estimators_) == 30


def test_a_warm_start_goes_on_with_the_sums_of_the_first_fit(problem):
    X, y, numbers, weight = problem
    for kind, target in ((RandomForestClassifier, y), (RandomForestRegressor, numbers)):
        whole = kind(n_estimators=30, random_state=8).fit(X, target, weight)
        steps = kind(n_estimators=15, random_state=8, warm_start=True).fit(X, target, weight)
        steps.set_params(n_estimators=30).fit(X, target, weight)
        assert steps.forest_ == whole.forest_
        assert steps.oob_score_ == whole.oob_score_
        np.testing.assert_array_equal(steps.oob_error_curve_, whole.oob_error_curve_)


# -- Against rows that nobody saw

SETS = [
    "balance_scale",
    "breast_cancer_wdbc",
    "bupa_liver",
    "german_credit",
    "glass",
    "haberman",
    "heart_disease",
    "iris",
    "pima_indians_diabetes",
    "sonar",
]


def test_the_out_of_bag_error_is_that_of_unseen_rows_within_two_standard_errors():
    apart = {}
    for name in SETS:
        data = datasets.load(name)
        X, new_X, y, new_y = train_test_split(
            data.X, data.y, test_size=0.2, random_state=0, stratify=data.y
        )
        model = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
        inside, outside = 1 - model.oob_score_, 1 - model.score(new_X, new_y)
        variance = inside * (1 - inside) / len(y) + outside * (1 - outside) / len(new_y)
        apart[name] = abs(inside - outside) / np.sqrt(variance)
    assert sum(distance <= 2 for distance in apart.values()) >= 9, apart
