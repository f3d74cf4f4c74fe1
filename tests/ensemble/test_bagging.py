"""Bagging is its members: each tree as a fit by itself makes it, and their vote as NumPy has it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.ensembles import (
    count_votes,
    counts_by_row,
    difference,
    in_rows,
    make_plan,
)
from sklearn.base import clone

from spinney import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
)
from spinney.pruning import cost_complexity_path
from spinney.tree._discretize import interval_codes, mdl_cuts, quantile_cuts

N = 90
SAMPLINGS = {
    "bootstrap": (N, 1),
    "subsample": (60, 1),
    "partition": (30, 3),
    "overlap": (30, 3),
    "wagging": (1, 1),
    None: (1, 1),
}


def square_impurity(shares):
    return 1.0 - (shares**2).sum(axis=1)


LEARNERS = {
    "cart": CARTClassifier(max_surrogates=0),
    "entropy, few leaves": CARTClassifier(criterion="entropy", max_leaf_nodes=6, max_surrogates=0),
    "surrogates": CARTClassifier(max_surrogates=2),
    "fractional": CARTClassifier(missing="fractional", max_surrogates=0),
    "histograms": CARTClassifier(max_bins=16, max_surrogates=0),
    "limits": CARTClassifier(min_samples_leaf=4, min_samples_split=0.2, min_impurity_decrease=0.01),
    "costs": CARTClassifier(
        class_weight={"no": 2}, cost_matrix={("no", "yes"): 3}, max_surrogates=0
    ),
    "twoing": CARTClassifier(criterion="twoing", max_depth=4, max_surrogates=0),
    "own function": CARTClassifier(criterion=square_impurity, max_depth=4, max_surrogates=0),
    "mdl": CARTClassifier(pruning="mdl", max_surrogates=0),
    "error-based": CARTClassifier(pruning="error_based", max_surrogates=0),
    "ccp_alpha": CARTClassifier(ccp_alpha=0.02, max_surrogates=0),
    "c4.5": C45Classifier(rules=False),
    "c4.5, not pruned": C45Classifier(pruning=None, rules=False),
}


def make_table(rng, n=N):
    """Numbers with gaps, numbers, categories with gaps, and strings."""
    a = rng.integers(0, 12, n).astype(float)
    a[rng.random(n) < 0.15] = np.nan
    c = pd.Categorical.from_codes(rng.integers(-1, 5, n), list("pqrst"))
    return pd.DataFrame({"a": a, "b": rng.normal(size=n), "c": c, "d": rng.choice([*"uvw"], n)})


@pytest.fixture(scope="module")
def problem():
    """A table, its classes, its numbers, and weights."""
    rng = np.random.default_rng(5)
    X = make_table(rng)
    score = X.a.fillna(3) + 2 * (X.c == "p") + 2 * rng.normal(size=N)
    y = np.where(score > 6, "no", np.where(X.b > 0.5, "maybe", "yes"))
    return X, y, np.asarray(score), rng.choice([0.0, 0.5, 1.0, 3.0], N)


@pytest.fixture(scope="module")
def new_rows():
    return make_table(np.random.default_rng(6), 200)


# -- Members


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_member_is_the_tree_that_its_rows_grow(problem, learner, sampling, weighted):
    X, y, _, weight = problem
    weight = weight if weighted else np.ones(N)
    size, parts = SAMPLINGS[sampling]
    model = BaggingClassifier(
        LEARNERS[learner], 4, sampling=sampling, max_samples=size, random_state=4
    ).fit(X, y, sample_weight=weight if weighted else None)
    n_used = np.count_nonzero(weight)
    parts = 1 if parts == 1 else round(n_used / size)
    plan = make_plan(sampling, size, parts, seed=4)
    for i, member in enumerate(model.forest_):
        counts = counts_by_row(plan, weight, i)
        naive = clone(LEARNERS[learner])
        naive.set_params(**in_rows(naive.get_params(deep=False), n_used))
        naive.fit(X, y, sample_weight=counts * weight)
        assert difference(member.root, naive.tree_.root) == ""


@pytest.mark.parametrize(
    "learner",
    [
        CARTRegressor(max_surrogates=0),
        CARTRegressor(criterion="absolute_error", min_samples_leaf=3, max_surrogates=0),
        CARTRegressor(ccp_alpha=0.5, max_surrogates=0),
        CARTRegressor(missing="fractional", max_surrogates=0),
    ],
    ids=["squares", "absolute", "ccp_alpha", "fractional"],
)
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_member_is_the_regression_tree_that_its_rows_grow(problem, learner, sampling):
    X, _, y, weight = problem
    size, _ = SAMPLINGS[sampling]
    model = BaggingRegressor(learner, 3, sampling=sampling, max_samples=size, random_state=9)
    model.fit(X, y, sample_weight=weight)
    parts = round(np.count_nonzero(weight) / size) if sampling in ("partition", "overlap") else 1
    plan = make_plan(sampling, size, parts, seed=9)
    for i, member in enumerate(model.forest_):
        counts = counts_by_row(plan, weight, i) * weight
        naive = clone(learner).fit(X, y, sample_weight=counts)
        assert difference(member.root, naive.tree_.root) == ""


@pytest.mark.parametrize("discretize", ["mdl", "quantile"])
def test_members_of_id3_share_intervals_that_all_rows_made(problem, discretize):
    X, y, _, _ = problem
    model = BaggingClassifier(
        ID3Classifier(discretize=discretize, n_intervals=3), 5, random_state=4
    ).fit(X, y)
    ones, classes = np.ones(N), np.unique(y, return_inverse=True)[1]
    codes = X.copy()
    for name in ("a", "b"):
        numbers = X[name].to_numpy()
        if discretize == "mdl":
            cuts = mdl_cuts(numbers, classes, ones, 3)
        else:
            cuts = quantile_cuts(numbers, ones, 3)
        codes[name] = interval_codes(numbers, cuts)
    plan = make_plan("bootstrap", N, seed=4)
    for i, member in enumerate(model.forest_):
        naive = ID3Classifier(discretize=None, categorical_features=["a", "b", "c", "d"])
        naive.fit(codes, y, sample_weight=plan.counts(N, i))
        assert same_counts(member.root, naive.tree_.root)


def same_counts(one, other):
    """Whether two trees ask the same columns and have the same classes in every branch."""
    left, right = ([c for c in node.children if c.weight > 0] for node in (one, other))
    return (
        str(one.test) == str(other.test)
        and np.allclose(one.counts, other.counts, rtol=1e-9)
        and len(left) == len(right)
        and all(same_counts(a, b) for a, b in zip(left, right, strict=True))
    )


def test_id3_members_on_categories_are_what_their_rows_grow(problem):
    X, y, _, _ = problem
    X = X[["c", "d"]]
    model = BaggingClassifier(ID3Classifier(), 5, random_state=4).fit(X, y)
    plan = make_plan("bootstrap", N, seed=4)
    for i, member in enumerate(model.forest_):
        naive = ID3Classifier().fit(X, y, sample_weight=plan.counts(N, i))
        assert difference(member.root, naive.tree_.root) == ""


def test_a_member_pruned_by_folds_is_in_the_sequence_of_the_tree_of_its_rows(problem):
    X, y, _, weight = problem
    learner = CARTClassifier(pruning="cost_complexity", cv=5, rule="min", max_surrogates=0)
    model = BaggingClassifier(learner, 8, random_state=4).fit(X, y, sample_weight=weight)
    plan, sizes = make_plan("bootstrap", np.count_nonzero(weight), seed=4), []
    for i, member in enumerate(model.forest_):
        counts = counts_by_row(plan, weight, i) * weight
        naive = CARTClassifier(max_surrogates=0).fit(X, y, sample_weight=counts)
        trees = cost_complexity_path(naive.tree_).trees
        assert "" in [difference(member.root, tree.root) for tree in trees]
        sizes.append((member.n_leaves, naive.tree_.n_leaves))
    assert sum(pruned < grown for pruned, grown in sizes) >= 4


@pytest.mark.parametrize(
    "learner",
    [
        CARTClassifier(pruning="reduced_error", validation_fraction=0.25),
        CARTClassifier(early_stopping=True, validation_fraction=0.25),
    ],
    ids=["reduced error", "early stopping"],
)
def test_rows_that_a_member_sets_aside_are_a_share_of_its_own(problem, learner):
    X, y, _, _ = problem
    model = BaggingClassifier(learner, 6, random_state=4).fit(X, y)
    plan = make_plan("bootstrap", N, seed=4)
    for i, member in enumerate(model.forest_):
        own = np.count_nonzero(plan.counts(N, i))
        assert member.root.n_samples == pytest.approx(0.75 * own, abs=1)
        whole = CARTClassifier().fit(X, y, sample_weight=plan.counts(N, i)).tree_
        assert member.n_leaves < whole.n_leaves


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(2, 40),
    n_classes=st.integers(1, 4),
    kind=st.sampled_from([*SAMPLINGS]),
    gaps=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=20)
def test_members_of_random_problems_are_what_their_rows_grow(seed, n, n_classes, kind, gaps):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 3)).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    y = np.resize(rng.integers(0, n_classes, n), n)
    # Of two sets of categories that are equally good, which is found depends on the number of
    # classes, and a member may lack one.
    nominal = [1] if n_classes < 3 else None
    learner = CARTClassifier(max_surrogates=0, categorical_features=nominal)
    model = BaggingClassifier(
        learner, 4, sampling=kind, max_samples=max(1, n // 2), categorical_features=nominal,
        random_state=seed,
    ).fit(X, y)  # fmt: skip
    size = max(1, n // 2)
    parts = {"partition": round(n / size), "overlap": max(2, round(n / size))}.get(kind, 1)
    plan = make_plan(kind, size, parts, seed=seed)
    for i, member in enumerate(model.forest_):
        counts = plan.counts(n, i)
        naive = clone(learner).fit(X, y, sample_weight=counts)
        seen = np.isin(model.classes_, naive.classes_)
        assert (member.value[:, ~seen] == 0).all()
        np.testing.assert_allclose(member.value[:, seen], naive.tree_.value, rtol=1e-12)
        np.testing.assert_array_equal(member.feature, naive.tree_.feature)
        np.testing.assert_array_equal(member.threshold, naive.tree_.threshold)


def test_several_learners_take_turns(problem):
    X, y, _, _ = problem
    learners = [
        CARTClassifier(max_depth=1),
        C45Classifier(rules=False),
        CARTClassifier(ccp_alpha=0.05),
    ]
    model = BaggingClassifier(learners, 7, random_state=0).fit(X, y)
    plan = make_plan("bootstrap", N, seed=0)
    for i, member in enumerate(model.estimators_):
        naive = clone(learners[i % 3]).fit(X, y, sample_weight=plan.counts(N, i))
        assert type(member) is type(naive)
        assert difference(member.tree_.root, naive.tree_.root) == ""


# -- Answers


@pytest.mark.parametrize("learner", ["cart", "fractional", "costs", "c4.5"])
def test_the_share_of_votes_is_the_probability(problem, new_rows, learner):
    X, y, _, _ = problem
    model = BaggingClassifier(LEARNERS[learner], 11, random_state=1).fit(X, y)
    answers = [
        np.searchsorted(model.classes_, member.predict(new_rows)) for member in model.estimators_
    ]
    votes = count_votes(answers, 3)
    np.testing.assert_array_equal(model.predict_proba(new_rows), votes / 11)
    np.testing.assert_array_equal(model.predict(new_rows), model.classes_[votes.argmax(axis=1)])
    for n, labels in enumerate(model.staged_predict(new_rows), start=1):
        np.testing.assert_array_equal(
            labels, model.classes_[count_votes(answers[:n], 3).argmax(axis=1)]
        )


@pytest.mark.parametrize("learner", ["ccp_alpha", "fractional", "c4.5"])
def test_average_is_the_mean_of_the_members_probabilities(problem, new_rows, learner):
    X, y, _, _ = problem
    model = BaggingClassifier(LEARNERS[learner], 7, combine="average", random_state=1).fit(X, y)
    mean = np.mean([member.predict_proba(new_rows) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(new_rows), mean, rtol=1e-12, atol=1e-15)
    clear = np.diff(np.sort(mean, axis=1)[:, -2:])[:, 0] > 1e-9
    labels = model.classes_[mean.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(new_rows)[clear], labels[clear])
    assert clear.sum() > 100


def test_averaged_members_with_costs_choose_the_least_expected_cost(problem, new_rows):
    X, y, _, _ = problem
    learner = CARTClassifier(max_depth=2, cost_matrix={("no", "yes"): 5})
    model = BaggingClassifier(learner, 9, combine="average", random_state=0).fit(X, y)
    costs = 1.0 - np.eye(3)
    costs[1, 2] = 5.0  # classes are maybe, no, yes
    expected = model.predict_proba(new_rows) @ costs
    np.testing.assert_array_equal(model.predict(new_rows), model.classes_[expected.argmin(axis=1)])
    plain = model.predict_proba(new_rows).argmax(axis=1)
    assert (expected.argmin(axis=1) != plain).any()


def test_numbers_are_the_mean_or_the_median_of_the_members(problem, new_rows):
    X, _, y, _ = problem
    for n in (6, 7):
        model = BaggingRegressor(n_estimators=n, random_state=1).fit(X, y)
        answers = [member.predict(new_rows) for member in model.estimators_]
        np.testing.assert_allclose(model.predict(new_rows), np.mean(answers, axis=0), rtol=1e-12)
        model.set_params(combine="median")
        np.testing.assert_array_equal(model.predict(new_rows), np.median(answers, axis=0))
        for k, numbers in enumerate(model.staged_predict(new_rows), start=1):
            np.testing.assert_array_equal(numbers, np.median(answers[:k], axis=0))


def test_rows_are_answered_alike_few_or_many_at_a_time(problem):
    X, y, numbers, _ = problem
    rows = make_table(np.random.default_rng(7), 2100)
    voters = BaggingClassifier(n_estimators=9, random_state=1).fit(X, y)
    means = BaggingRegressor(n_estimators=9, random_state=1).fit(X, numbers)
    votes, answers, leaves = voters.predict_proba(rows), means.predict(rows), voters.apply(rows)
    codes = [np.searchsorted(voters.classes_, one.predict(rows)) for one in voters.estimators_]
    np.testing.assert_array_equal(votes, count_votes(codes, 3) / 9)
    for n in (1, 2, 15, 16, 17, 1023, 1024, 1025, 2049):
        np.testing.assert_array_equal(voters.predict_proba(rows[:n]), votes[:n])
        np.testing.assert_array_equal(means.predict(rows[:n]), answers[:n])
        np.testing.assert_array_equal(voters.apply(rows[:n]), leaves[:n])


# -- Ties


@pytest.fixture(scope="module")
def tied():
    """A fitted ensemble with many tied votes, its rows, and which classes are tied in them."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    model = BaggingClassifier(n_estimators=4, random_state=0).fit(X, y)
    rows = rng.normal(size=(600, 3))
    shares = model.predict_proba(rows)
    return model, rows, shares == shares.max(axis=1, keepdims=True)


def test_a_tied_vote_goes_to_the_lowest_class(tied):
    model, rows, best = tied
    assert (best.sum(axis=1) > 1).sum() > 100
    np.testing.assert_array_equal(model.predict(rows), best.argmax(axis=1))


def test_a_tied_vote_may_be_decided_by_lot(tied):
    model, rows, best = tied
    model = clone(model).set_params(ties="random").fit(*_again())
    labels = model.predict(rows)
    assert best[np.arange(len(rows)), labels].all()  # untied rows keep their class
    pairs = best[:, 0] & best[:, 1] & ~best[:, 2]
    share = (labels[pairs] == 1).mean()
    assert share == pytest.approx(0.5, abs=4.5 * 0.5 / np.sqrt(pairs.sum()))
    np.testing.assert_array_equal(labels, model.predict(rows))


def _again():
    rng = np.random.default_rng(3)
    return rng.normal(size=(80, 3)), rng.integers(0, 3, 80)


# -- Further


def test_importances_are_the_mean_of_those_of_the_members_that_stay(problem):
    X, y, _, _ = problem
    model = BaggingClassifier(
        CARTClassifier(max_depth=3), 12, selection="trimmed", random_state=0
    ).fit(X, y)
    members = [model.estimators_[i] for i in model.selected_]
    mean = np.mean([member.feature_importances_ for member in members], axis=0)
    np.testing.assert_allclose(model.feature_importances_, mean / mean.sum(), rtol=1e-12)


@pytest.mark.parametrize("kind", ["bootstrap", "subsample", "wagging", None])
def test_a_warm_start_ends_where_one_fit_does(problem, kind):
    X, y, _, weight = problem
    settings = {"sampling": kind, "targets": "flip", "max_features": 3, "selection": "trimmed"}
    whole = BaggingClassifier(n_estimators=10, random_state=3, **settings)
    whole.fit(X, y, sample_weight=weight)
    steps = BaggingClassifier(n_estimators=4, random_state=3, warm_start=True, **settings)
    steps.fit(X, y, sample_weight=weight).set_params(n_estimators=10)
    steps.fit(X, y, sample_weight=weight)
    assert steps.forest_ == whole.forest_
    np.testing.assert_array_equal(steps.selected_, whole.selected_)
    np.testing.assert_array_equal(steps.selection_report_.errors, whole.selection_report_.errors)


@pytest.mark.parametrize("learner", ["cart", "error-based", "c4.5"])
def test_threads_change_nothing(problem, new_rows, learner):
    X, y, _, _ = problem
    found = []
    for n_jobs in (1, 2, 3, 4):
        model = BaggingClassifier(
            LEARNERS[learner], 20, oob_score=True, random_state=0, n_jobs=n_jobs
        ).fit(X, y)
        found.append((model.forest_, model.oob_error_curve_.tobytes(),
                      model.predict_proba(new_rows).tobytes()))  # fmt: skip
    assert all(one == found[0] for one in found[1:])
