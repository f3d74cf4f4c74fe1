"""IGPA members and rows that they did not see; IGPA trees among others; little to learn from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference.ensembles import (
    boost_classes,
    count_votes,
    counts_by_row,
    left_out_classes,
    left_out_numbers,
    make_plan,
    stops_after,
    trimmed,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    CARTClassifier,
    CARTRegressor,
    IGPAClassifier,
    IGPAForestClassifier,
    IGPAForestRegressor,
    VotingCombiner,
    _core,
)
from spinney.datasets import make_waveform

N = 80
COSTS = {"class_weight": {0: 2, 1: 1, 2: 1}, "cost_matrix": [[0, 4, 1], [1, 0, 1], [2, 1, 0]]}


@pytest.fixture(scope="module")
def problem():
    """A table with gaps, classes, numbers, and weights of which some are zero."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 4))
    numbers = X[:, 0] * 2 + X[:, 1] + 0.7 * rng.normal(size=N)
    y = np.digitize(numbers, [-1.0, 1.0])
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y, numbers, rng.choice([0.0, 0.5, 1.0, 4.0], N)


# -- Rows that prune, each as if it did not


def judged_rows(model, y, weight):
    """Which rows prune the first tree of each member."""
    target = model.estimators_[0]._encode_target(y, weight).core()
    plan = make_plan(None, 1, seed=model.random_state)
    seeds = [plan.growth_seed(i) for i in range(len(model.estimators_))]
    return [_core.deal_parts(target, model.n_parts, seed) == 1 for seed in seeds]


def answers_from_outside(model, grower, X, y, weight):
    """What members say, and to which rows: 0 stands for a row that is answered."""
    plan = make_plan(model.sampling, 1, seed=model.random_state)
    answers, seen = [], []
    for i, judged in enumerate(judged_rows(model, y, weight)):
        own = weight * counts_by_row(plan, weight, i)
        tree = grower.fit(X, y, sample_weight=own * ~judged).tree_
        answers.append(pruned_by_others(tree, row_losses(tree, y, own, model), X, judged))
        seen.append(np.where(judged, 0, 1))
    return answers, seen


def row_losses(tree, y, weight, model):
    """What a row costs in every node, one row of the table a node."""
    said = np.array([node.prediction for node in tree])
    if not hasattr(model, "classes_"):
        return weight * (said[:, None] - y) ** 2
    scale = np.ones(3) if model.class_weight is None else np.array([*model.class_weight.values()])
    costs = 1 - np.eye(3) if model.cost_matrix is None else np.array(model.cost_matrix)
    return weight * scale[y] * costs.T[said][:, y]


def pruned_by_others(tree, losses, X, judged):
    """Prune anew for every judging row, without it, and ask what is left."""
    passes = tree.decision_path(X).toarray().T > 0
    answers = np.zeros(len(judged))
    for row in np.flatnonzero(judged):
        others = judged & (np.arange(len(judged)) != row)
        least = (losses * (passes & others)).sum(axis=1)
        slack, ends = 1e-12 * least[0], tree.first_child < 0
        for node in np.flatnonzero(~ends)[::-1]:  # numbers grow downwards
            below = sum(least[child.id] for child in tree[node].children)
            ends[node] = least[node] <= below + slack
            least[node] = min(least[node], below)
        answers[row] = tree[np.flatnonzero(passes[:, row] & ends)[0]].prediction
    return answers


def assert_same_classes(model, naive, y, weight):
    seen = naive.n_votes > 0
    shares = naive.sums[seen] / naive.n_votes[seen, None]
    assert_allclose(model.oob_decision_function_[seen], shares, rtol=1e-15)
    assert np.isnan(model.oob_decision_function_[~seen]).all()
    assert_allclose(model.oob_error_curve_, naive.curve, rtol=1e-12, atol=1e-13)
    hits = shares.argmax(axis=1) == y[seen]
    assert model.oob_score_ == pytest.approx(np.average(hits, weights=weight[seen]), rel=1e-14)


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize(
    "options",
    [{}, {"n_parts": 3}, {"sampling": "wagging"}, {"labels": "renewed", "recount": False}, COSTS],
    ids=["halves", "thirds", "wagging", "renewed", "costs"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_class_is_voted_for_by_trees_that_other_rows_prune(problem, options, weighted):
    X, y, _, weight = problem
    weight = weight if weighted else np.ones(N)
    model = IGPAForestClassifier(30, oob_score=True, random_state=5, **options)
    model.fit(X, y, sample_weight=weight if weighted else None)
    costs = {name: value for name, value in options.items() if name in COSTS}
    answers = answers_from_outside(model, CARTClassifier(max_surrogates=0, **costs), X, y, weight)
    naive = left_out_classes(*answers, y, weight, 3)
    assert_same_classes(model, naive, y, weight)


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("n_parts", [2, 3])
def test_a_number_is_the_mean_of_trees_that_other_rows_prune(problem, n_parts, weighted):
    X, _, y, weight = problem
    weight = weight if weighted else np.ones(N)
    model = IGPAForestRegressor(30, n_parts=n_parts, oob_score=True, random_state=5)
    model.fit(X, y, sample_weight=weight if weighted else None)
    answers = answers_from_outside(model, CARTRegressor(max_surrogates=0), X, y, weight)
    naive = left_out_numbers(*answers, y, weight)
    used = weight > 0
    means = naive.sums[used] / naive.n_votes[used]
    assert_allclose(model.oob_prediction_[used], means, rtol=1e-12)
    assert np.isnan(model.oob_prediction_[~used]).all()
    assert_allclose(model.oob_error_curve_, naive.curve, rtol=1e-10)
    spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
    assert model.oob_score_ == pytest.approx(1 - naive.curve[-1] / spread, rel=1e-12)


def test_rows_that_never_pruned_the_first_tree_have_no_estimate(problem):
    X, y, _, _ = problem
    model = IGPAForestClassifier(2, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match=f"of {N} rows") as told:
        model.fit(X, y)
    answers = answers_from_outside(model, CARTClassifier(max_surrogates=0), X, y, np.ones(N))
    naive = left_out_classes(*answers, y, np.ones(N), 3)
    assert str(told[0].message).startswith(f"{(naive.n_votes == 0).sum()} of {N} rows")
    assert_same_classes(model, naive, y, np.ones(N))


def test_members_are_chosen_by_their_errors_on_rows_that_others_judge(problem):
    X, y, _, weight = problem
    choice = {"selection": "trimmed", "selection_data": "oob", "trim": 0.4}
    model = IGPAForestClassifier(20, random_state=3, **choice).fit(X, y, weight)
    answers, seen = answers_from_outside(model, CARTClassifier(max_surrogates=0), X, y, weight)
    judged = np.array(seen) == 0
    rates = ((answers != y) * judged) @ weight / (judged @ weight)
    assert_allclose(model.selection_report_.errors, rates, rtol=1e-12)
    assert_array_equal(model.selected_, trimmed(rates, 0.4))


@pytest.mark.parametrize("patience", [1, 4, 10])
def test_training_stops_where_the_error_has_not_fallen_for_long_enough(problem, patience):
    X, y, _, _ = problem
    every = IGPAForestClassifier(60, oob_score=True, random_state=6).fit(X, y)
    covered = np.cumsum(judged_rows(every, y, np.ones(N)), axis=0).all(axis=1)
    n = stops_after(every.oob_error_curve_, patience, n_to_cover=int(covered.argmax()) + 1)
    model = IGPAForestClassifier(
        60, early_stopping=True, n_iter_no_change=patience, random_state=6
    ).fit(X, y)
    assert len(model.forest_) == len(model.n_iterations_) == n < 60
    assert model.forest_[:] == every.forest_[:n]
    assert_array_equal(model.oob_error_curve_, every.oob_error_curve_[:n])


def test_with_a_bootstrap_rows_left_out_are_answered_by_the_final_trees(problem):
    X, y, _, weight = problem
    model = IGPAForestClassifier(30, sampling="bootstrap", oob_score=True, random_state=5)
    model.fit(X, y, weight)
    plan = make_plan("bootstrap", np.count_nonzero(weight), seed=5)
    counts = [counts_by_row(plan, weight, i) for i in range(30)]
    naive = left_out_classes([m.predict(X) for m in model.estimators_], counts, y, weight, 3)
    assert_same_classes(model, naive, y, weight)


@pytest.mark.parametrize("n_parts", [2, 3])
def test_the_estimate_is_near_the_error_on_fresh_rows_and_far_from_that_on_known_ones(n_parts):
    fresh, found = make_waveform(5000, random_state=99), []
    for seed in range(4):
        X, y = make_waveform(300, random_state=seed)
        model = IGPAForestClassifier(100, n_parts=n_parts, oob_score=True, random_state=seed)
        model.fit(X, y)
        found.append((model.oob_score_, model.score(*fresh), model.score(X, y)))
    inside, outside, known = 1 - np.mean(found, axis=0)
    assert abs(inside - outside) < 0.03
    assert inside > known + 0.1


# -- IGPA trees among others


def test_boosted_trees_learn_from_the_weights_that_their_forerunners_leave(problem):
    X, y, _, _ = problem
    model = AdaBoostClassifier(IGPAClassifier(max_depth=2), 12, random_state=0).fit(X, y)
    given, members = [], iter(model.estimators_)

    def train(weight):
        given.append(weight)
        return next(members)

    naive = boost_classes(train, X, y, np.ones(N), n_rounds=len(model.estimators_))
    assert len(naive.members) == len(model.estimators_) > 5
    assert_allclose(model.estimator_errors_, naive.errors, rtol=1e-9)
    assert_allclose(model.estimator_weights_, naive.votes, rtol=1e-9)
    for weight, tree in zip(given, model.forest_, strict=True):
        counts = np.bincount(y, weight)
        assert_allclose(tree.root.probabilities, counts / counts.sum(), rtol=1e-9)
    assert model.score(X, y) > model.estimators_[0].score(X, y)


@pytest.mark.slow
def test_members_of_two_packages_take_turns(problem):
    X, y = np.nan_to_num(problem[0]), problem[1]
    learners = [IGPAClassifier(), LogisticRegression()]
    model = BaggingClassifier(learners, 30, oob_score=True, random_state=0).fit(X, y)
    kinds = [type(member) for member in model.estimators_]
    assert kinds == [IGPAClassifier, LogisticRegression] * 15
    votes = count_votes([member.predict(X) for member in model.estimators_], 3)
    assert_array_equal(model.predict_proba(X), votes / 30)
    assert 0.6 < model.oob_score_ < model.score(X, y)


def test_votes_of_fitted_trees_are_combined(problem):
    X, y, _, _ = problem
    members = [IGPAClassifier(random_state=seed).fit(X, y) for seed in range(5)]
    members.append(IGPAForestClassifier(5, random_state=0).fit(X, y))
    model = VotingCombiner(members, rule="unanimous", abstain_label=-1).fit(X, y)
    answers = np.array([member.predict(X) for member in members])
    agreed = (answers == answers[0]).all(axis=0)
    assert_array_equal(model.predict(X), np.where(agreed, answers[0], -1))
    assert 0 < agreed.sum() < N


@pytest.mark.parametrize("kind", [IGPAClassifier, IGPAForestClassifier])
def test_a_search_in_a_pipeline_finds_the_number_of_parts(problem, kind):
    X, y, _, _ = problem
    options = {} if kind is IGPAClassifier else {"n_estimators": 10}
    pipe = make_pipeline(SimpleImputer(), kind(random_state=0, **options))
    name = f"{kind.__name__.lower()}__n_parts"
    search = GridSearchCV(pipe, {name: [2, 3, 5]}, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_params_[name] == [2, 3, 5][np.argmax(scores)]
    assert len(set(scores)) > 1
    assert search.score(X, y) > 0.75


# -- Little to learn from


@pytest.mark.parametrize("kind", [IGPAForestClassifier, IGPAForestRegressor])
@pytest.mark.parametrize("n_parts", [2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_forest_may_have_more_trees_than_rows(kind, n_parts, n):
    X, y = np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 2
    model = kind(9, n_parts=n_parts, random_state=0).fit(X, y)
    assert [tree.root.n_samples for tree in model.forest_] == [n] * 9
    assert model.predict(X).shape == (n,)
    assert set(np.clip(model.predict(X), 0, y.max())) == set(model.predict(X))
    assert model.n_iterations_.max() < 50


def test_a_single_row_has_no_answer_from_outside():
    model = IGPAForestClassifier(3, oob_score=True)
    with pytest.warns(UserWarning, match="1 of 1 rows"):
        model.fit([[1.0]], ["a"])
    assert np.isnan(model.oob_decision_function_).all()


def test_classes_of_one_row_and_constant_columns_are_no_problem():
    X, y = np.column_stack([np.arange(12.0), np.ones(12)]), np.array([*"aaaaabbbbbcd"])
    model = IGPAForestClassifier(20, random_state=0).fit(X, y)
    assert all(tree.root.counts.tolist() == [5, 5, 1, 1] for tree in model.forest_)
    assert_array_equal(model.predict(X)[:10], y[:10])
    model.fit(X[:, 1:], y)
    assert (model.forest_.n_nodes == 1).all()
    assert (model.n_iterations_ == 2).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_parts", 1), ("unjudged", "cut"), ("missing", "fractional"), ("sampling", "half")],
)
@pytest.mark.parametrize("kind", [IGPAForestClassifier, IGPAForestRegressor])
def test_an_error_names_the_parameter_and_the_value(kind, name, value):
    model = kind().set_params(**{name: value})
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        model.fit(np.arange(8.0)[:, None], np.arange(8) % 2)
