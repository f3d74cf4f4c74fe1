"""Forests of IGPA trees: members as single fits make them, and together what an ensemble is."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from reference.ensembles import (
    count_votes,
    counts_by_row,
    difference,
    in_rows,
    make_plan,
    trimmed,
    up_to_mode,
)
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney import (
    BaggingClassifier,
    BaggingRegressor,
    IGPAClassifier,
    IGPAForestClassifier,
    IGPAForestRegressor,
    IGPARegressor,
    datasets,
)
from spinney.ensemble import diversity

N = 100
ENDLESS = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SETTINGS = {
    "plain": {},
    "three parts": {"n_parts": 3, "criterion": "entropy"},
    "surrogates": {"max_surrogates": 2},
    "renewed": {"labels": "renewed", "prune_from": "root", "missing": "majority"},
    "as the loop left it": {"recount": False, "unjudged": "kept", "min_samples_leaf": 3},
    "histograms": {"max_bins": 16},
    "few leaves": {"max_leaf_nodes": 6, "min_samples_split": 0.1},
    "drawn columns": {"max_features": 2},
    "costs": {"class_weight": {"no": 2}, "cost_matrix": {("no", "yes"): 3}},
    "priors": {
        "priors": {"maybe": 0.2, "no": 0.5, "yes": 0.3},
        "cost_matrix": {("yes", "no"): 2},
        "cost_method": "altered_priors",
    },
}
# With priors what a class counts for is known from all rows, not from those drawn.
CASES = [(name, kind) for name in SETTINGS for kind in (None, "bootstrap")][:-1]


def make_table(rng, n=N):
    """Numbers with gaps, numbers, categories with gaps, and strings."""
    a = rng.integers(0, 12, n).astype(float)
    a[rng.random(n) < 0.15] = np.nan
    c = pd.Categorical.from_codes(rng.integers(-1, 5, n), list("pqrst"))
    return pd.DataFrame({"a": a, "b": rng.normal(size=n), "c": c, "d": rng.choice([*"uvw"], n)})


@pytest.fixture(scope="module")
def problem():
    """A table, its classes, its numbers, and weights."""
    rng = np.random.default_rng(11)
    X = make_table(rng)
    score = X.a.fillna(3) + 2 * (X.c == "p") + 2 * (X.d == "u") + rng.normal(size=N)
    y = np.where(score > 6, "no", np.where(X.b > 0.5, "maybe", "yes"))
    return X, y, np.asarray(score), rng.choice([0.0, 0.5, 1.0, 3.0], N)


@pytest.fixture(scope="module")
def new_rows():
    return make_table(np.random.default_rng(12), 150)


@pytest.fixture(scope="module")
def forest(problem):
    return IGPAForestClassifier(13, random_state=1).fit(problem[0], problem[1])


# -- Members


def singles(kind, options, plan, X, y, weight, n):
    """The trees that single fits give, each with the seed and the rows of a member."""
    options = {"max_surrogates": 0, **options}
    for i in range(n):
        counts = counts_by_row(plan, weight, i)
        one = kind(random_state=plan.growth_seed(i), **options)
        yield one.fit(X, y, sample_weight=counts * weight)


def assert_same(model, fits):
    for tree, one in zip(model.forest_, fits, strict=True):
        assert difference(tree.root, one.tree_.root) == ""
    assert model.n_iterations_.tolist() == [one.n_iterations_ for one in fits]


@ENDLESS
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize(("name", "sampling"), CASES)
def test_a_member_is_the_tree_of_a_single_fit(problem, name, sampling, weighted):
    (X, y, _, weight), options = problem, SETTINGS[name]
    weight = weight if weighted else np.ones(N)
    model = IGPAForestClassifier(4, sampling=sampling, random_state=3, **options)
    model.fit(X, y, sample_weight=weight if weighted else None)
    n_used = np.count_nonzero(weight)
    plan = make_plan(sampling, n_used, seed=3)
    fits = [*singles(IGPAClassifier, in_rows(options, n_used), plan, X, y, weight, 4)]
    assert_same(model, fits)
    if sampling is None:
        assert [*model.forest_] == [one.tree_ for one in fits]  # to the last bit


@ENDLESS
@pytest.mark.parametrize("sampling", [None, "bootstrap"])
@pytest.mark.parametrize(
    "options",
    [{}, {"criterion": "absolute_error", "n_parts": 3}, {"max_surrogates": 2, "recount": False}],
)
def test_a_member_is_the_regression_tree_of_a_single_fit(problem, options, sampling):
    X, _, y, weight = problem
    model = IGPAForestRegressor(4, sampling=sampling, random_state=8, **options)
    model.fit(X, y, sample_weight=weight)
    plan = make_plan(sampling, np.count_nonzero(weight), seed=8)
    fits = [*singles(IGPARegressor, options, plan, X, y, weight, 4)]
    assert_same(model, fits)


@given(
    seed=st.integers(0, 2**20),
    n=st.integers(3, 40),
    n_parts=st.integers(2, 5),
    gaps=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=15)
def test_members_of_random_problems_are_single_trees(seed, n, n_parts, gaps):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 5, n) > 10).astype(int)
    X[rng.random(X.shape) < gaps] = np.nan
    weight = rng.choice([0.0, 1.0, 2.5], n)
    weight[0] = 1.0
    model = IGPAForestClassifier(3, n_parts=n_parts, random_state=seed).fit(X, y, weight)
    plan = make_plan(None, 1, seed=seed)
    fits = singles(IGPAClassifier, {"n_parts": n_parts}, plan, X, y, weight, 3)
    assert [*model.forest_] == [one.tree_ for one in fits]


@pytest.mark.parametrize("sampling", [None, "bootstrap", "subsample", "wagging"])
def test_bagging_of_igpa_trees_has_the_same_members(problem, sampling):
    X, y, numbers, weight = problem
    same = {"n_estimators": 5, "sampling": sampling, "random_state": 6}
    one = IGPAForestClassifier(n_parts=3, **same).fit(X, y, weight)
    other = BaggingClassifier(IGPAClassifier(n_parts=3, max_surrogates=0), **same)
    assert one.forest_ == other.fit(X, y, weight).forest_
    one = IGPAForestRegressor(**same).fit(X, numbers, weight)
    other = BaggingRegressor(IGPARegressor(max_surrogates=0), **same).fit(X, numbers, weight)
    assert one.forest_ == other.forest_


def test_members_are_igpa_trees_with_the_parameters_of_the_forest(problem):
    X, y, numbers, _ = problem
    model = IGPAForestClassifier(3, n_parts=3, max_depth=4, random_state=0).fit(X, y)
    for i, member in enumerate(model.estimators_):
        assert type(member) is IGPAClassifier
        assert (member.n_parts, member.max_depth, member.max_surrogates) == (3, 4, 0)
        assert member.tree_ == model.forest_[i]
    members = IGPAForestRegressor(2).fit(X, numbers).estimators_
    assert {type(member) for member in members} == {IGPARegressor}


# -- Answers


def codes_of(model, X):
    return [np.searchsorted(model.classes_, one.predict(X)) for one in model.estimators_]


def test_the_probability_is_the_share_of_votes_or_the_mean(problem, forest, new_rows):
    answers = codes_of(forest, new_rows)
    assert_array_equal(forest.predict_proba(new_rows), count_votes(answers, 3) / 13)
    stages = [*forest.staged_predict(new_rows)]
    for n, labels in enumerate(stages, start=1):
        votes = count_votes(answers[:n], 3)
        assert_array_equal(labels, forest.classes_[votes.argmax(axis=1)])
    assert_array_equal(forest.predict(new_rows), stages[12])
    assert (stages[0] != stages[12]).any()
    average = clone(forest).set_params(combine="average").fit(*problem[:2])
    mean = np.mean([member.predict_proba(new_rows) for member in forest.estimators_], axis=0)
    assert_allclose(average.predict_proba(new_rows), mean, rtol=1e-12, atol=1e-15)


def test_numbers_are_the_mean_or_the_median_of_the_members(problem, new_rows):
    X, _, y, _ = problem
    model = IGPAForestRegressor(6, random_state=1).fit(X, y)
    answers = [member.predict(new_rows) for member in model.estimators_]
    assert_allclose(model.predict(new_rows), np.mean(answers, axis=0), rtol=1e-12)
    for n, numbers in enumerate(model.staged_predict(new_rows), start=1):
        assert_allclose(numbers, np.mean(answers[:n], axis=0), rtol=1e-12)
    model.set_params(combine="median")
    assert_array_equal(model.predict(new_rows), np.median(answers, axis=0))


def test_leaves_proximities_importances_and_rules_are_those_of_the_members(forest, new_rows):
    leaves = np.column_stack([member.apply(new_rows) for member in forest.estimators_])
    assert_array_equal(forest.apply(new_rows), leaves)
    together = (leaves[:, None] == leaves[None, :20]).mean(axis=2)
    assert_allclose(forest.proximities(new_rows, new_rows[:20]), together, rtol=1e-15)
    mean = np.mean([member.feature_importances_ for member in forest.estimators_], axis=0)
    assert_allclose(forest.feature_importances_, mean / mean.sum(), rtol=1e-12)
    for tree in forest.forest_:
        assert len(tree.rules()) == tree.n_leaves
        assert_array_equal(tree.rules().predict(new_rows), tree.predict(new_rows))


def test_members_differ_and_diversity_tells_by_how_much(problem, forest):
    X, y, _, _ = problem
    found = diversity(forest, X, y)
    answers = np.array(codes_of(forest, X))
    assert_allclose(found.disagreement, (answers[:, None] != answers[None]).mean(axis=2))
    assert_allclose(found.errors, (forest.classes_[answers] != y).mean(axis=1))
    assert found.disagreement.max() > 0.1


def test_members_that_are_dropped_vote_no_more(problem, new_rows):
    model = IGPAForestClassifier(9, random_state=1).fit(*problem[:2]).drop([0, 4])
    answers = [one for i, one in enumerate(codes_of(model, new_rows)) if i not in (0, 4)]
    assert_array_equal(model.predict_proba(new_rows), count_votes(answers, 3) / 7)
    assert len(model.n_iterations_) == len(model.estimators_) == 9


# -- Which members stay


@pytest.mark.parametrize("selection", ["trimmed", "mode"])
@pytest.mark.parametrize("given_rows", [False, True])
def test_members_with_few_errors_stay(problem, selection, given_rows):
    X, y, _, _ = problem
    rows, truth = (X[::2], y[::2]) if given_rows else (X, y)
    data = (rows, truth) if given_rows else "training"
    model = IGPAForestClassifier(25, selection=selection, selection_data=data, random_state=0)
    model.fit(X, y)
    wrong = np.array([(member.predict(rows) != truth).sum() for member in model.estimators_])
    assert_array_equal(model.selection_report_.errors, wrong)
    kept = trimmed(wrong, 0.25) if selection == "trimmed" else up_to_mode(wrong)
    assert_array_equal(model.selected_, kept)
    assert 0 < len(kept) < 25


# -- More trees, and threads


@pytest.mark.parametrize("sampling", [None, "bootstrap"])
def test_a_warm_start_adds_the_trees_of_the_larger_forest(problem, sampling):
    X, y, numbers, weight = problem
    same = {"sampling": sampling, "oob_score": True, "selection": "trimmed", "random_state": 2}
    for kind, target in ((IGPAForestClassifier, y), (IGPAForestRegressor, numbers)):
        whole = kind(30, **same).fit(X, target, weight)
        steps = kind(18, warm_start=True, **same).fit(X, target, weight)
        assert_array_equal(steps.n_iterations_, whole.n_iterations_[:18])
        steps.set_params(n_estimators=30).fit(X, target, weight)
        assert steps.forest_ == whole.forest_
        for name in ("n_iterations_", "selected_", "oob_score_", "oob_error_curve_"):
            assert_array_equal(getattr(steps, name), getattr(whole, name))
        assert len(set(whole.n_iterations_)) > 1


@pytest.mark.parametrize("options", [{}, {"max_features": 2, "n_parts": 3}], ids=["", "drawn"])
def test_threads_change_nothing(problem, new_rows, options):
    X, y, _, weight = problem
    found = []
    for n_jobs in (1, 2, 4):
        model = IGPAForestClassifier(30, oob_score=True, random_state=0, n_jobs=n_jobs, **options)
        model.fit(X, y, weight)
        arrays = (model.oob_error_curve_, model.n_iterations_, model.predict_proba(new_rows))
        found.append((model.forest_, *(array.tobytes() for array in arrays)))
    assert found[0] == found[1] == found[2]


# -- The end of the loop


def test_the_warning_says_how_many_trees_have_not_settled(problem):
    X, y, numbers, _ = problem
    enough = IGPAForestClassifier(20, random_state=0).fit(X, y).n_iterations_
    for limit, n_left in ((1, 20), (2, np.count_nonzero(enough > 2))):
        with pytest.warns(ConvergenceWarning, match=f"^{n_left} of 20 trees had not settled"):
            model = IGPAForestClassifier(20, max_iter=limit, random_state=0).fit(X, y)
        assert_array_equal(model.n_iterations_, np.minimum(enough, limit))
    with pytest.warns(ConvergenceWarning, match="^3 of 3 trees"):
        IGPAForestRegressor(3, max_iter=1).fit(X, numbers)


@pytest.mark.parametrize("name", ["iris", "sonar", "glass", "wine", "german_credit"])
def test_trees_settle_on_real_data(name):
    data = datasets.load(name)
    model = IGPAForestClassifier(5, random_state=0).fit(data.X, data.y)
    assert ((model.n_iterations_ >= 2) & (model.n_iterations_ < 50)).all()
    assert model.score(data.X, data.y) > 0.75
