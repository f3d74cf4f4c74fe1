"""Random forests: columns drawn at each node, importances, proximities, warm starts, threads."""

import numpy as np
import pandas as pd
import pytest
from reference.ensembles import count_votes, counts_by_row, make_plan
from scipy import stats
from sklearn.ensemble import RandomForestClassifier as ScikitForest

from spinney import (
    BaggingClassifier,
    CARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    datasets,
)

N = 120


@pytest.fixture(scope="module")
def problem():
    """Column 0 decides, 1 helps, 2 and 3 are noise, 4 has one value; numbers, and weights."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 5))
    X[:, 4] = 1.0
    numbers = 3 * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=N)
    return X, np.digitize(numbers, [-1.5, 1.5]), numbers, rng.choice([0.0, 1.0, 2.5], N)


def roots(model):
    return np.array([tree.root.test.feature for tree in model.forest_])


# -- Columns of a node


def test_with_one_column_a_node_every_column_is_asked_at_the_root_as_often():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X[:, 0] > 0).astype(int)  # column 0 alone decides, and still is asked no more often
    model = RandomForestClassifier(1000, max_features=1, max_depth=1, random_state=0).fit(X, y)
    assert stats.chisquare(np.bincount(roots(model), minlength=5)).pvalue > 1e-3


@pytest.mark.parametrize("m", [2, 3, 4])
def test_the_best_column_is_at_the_root_whenever_it_is_drawn(m):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = (X[:, 3] > 0).astype(int)
    model = RandomForestClassifier(600, max_features=m, max_depth=1, random_state=0).fit(X, y)
    share = (roots(model) == 3).mean()  # of m columns out of 5
    assert share == pytest.approx(m / 5, abs=4.5 * np.sqrt(m / 5 * (1 - m / 5) / 600))


def test_nodes_of_one_tree_draw_columns_of_their_own(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(30, max_features=1, random_state=0).fit(X, y)
    asked = [set(t.feature[t.feature >= 0]) for t in model.forest_ if t.n_nodes > 15]
    assert len(asked) > 20
    assert sum(columns == {0, 1, 2, 3} for columns in asked) > 20


def test_a_column_of_one_value_is_passed_over_for_one_that_divides(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(60, max_features=1, random_state=0).fit(X, y)
    assert all(4 not in tree.feature for tree in model.forest_)
    assert all((tree.impurity[tree.feature < 0] == 0).all() for tree in model.forest_)


def test_all_columns_at_every_node_are_bagging(problem):
    X, y, numbers, weight = problem
    forest = RandomForestClassifier(8, max_features=None, oob_score=False, random_state=3).fit(
        X, y, weight
    )
    bagged = BaggingClassifier(n_estimators=8, random_state=3).fit(X, y, weight)
    assert forest.forest_ == bagged.forest_
    forest = RandomForestRegressor(3, max_features=1.0, oob_score=False, random_state=3)
    plan = make_plan("bootstrap", N, seed=3)
    for i, tree in enumerate(forest.fit(X, numbers).forest_):
        mean = np.average(numbers, weights=plan.counts(N, i))
        assert tree.value[0, 0] == pytest.approx(mean, rel=1e-12)


def test_a_tree_is_the_one_that_its_rows_and_seed_grow(problem):
    X, y, _, weight = problem
    model = RandomForestClassifier(6, oob_score=False, random_state=9).fit(X, y, weight)
    plan = make_plan("bootstrap", np.count_nonzero(weight), seed=9)
    for i, tree in enumerate(model.forest_):
        counts = counts_by_row(plan, weight, i) * weight
        naive = CARTClassifier(
            max_features="sqrt", max_surrogates=0, random_state=plan.growth_seed(i)
        ).fit(X, y, sample_weight=counts)
        assert tree == naive.tree_


@pytest.mark.slow
def test_the_error_is_that_of_scikit_learn():
    for name in ("glass", "bupa_liver", "sonar"):
        data = datasets.load(name)
        ours = RandomForestClassifier(300, combine="average", random_state=0)
        ours.fit(data.X, data.y)
        theirs = ScikitForest(300, oob_score=True, random_state=0).fit(data.X, data.y)
        spread = np.sqrt(0.25 / len(data.y))
        assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=spread)


# -- Importances


def test_importances_are_the_mean_of_those_of_the_trees(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    mean = np.mean([member.feature_importances_ for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, mean, rtol=1e-12)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 0
    assert model.feature_importances_[4] == 0


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_shuffling_hurts_where_a_column_decides_and_not_where_it_is_noise(problem, kind):
    X, y, numbers, _ = problem
    y = y if kind is RandomForestClassifier else numbers
    model = kind(200, random_state=0).fit(X, y)
    found = model.oob_permutation_importance(X, y)
    assert found.mean.argmax() == 0
    assert found.mean[0] > 3 * found.mean[1] > 0
    assert (np.abs(found.mean[2:4]) < 0.1 * found.mean[0]).all()
    assert (found.importances[:, 4] == 0).all()
    np.testing.assert_allclose(found.mean, found.importances.mean(axis=0))
    spread = found.importances.std(axis=0, ddof=1) / np.sqrt(200)
    np.testing.assert_allclose(found.standard_error, spread)


def naive_importances(model, X, y, weight, rng, n_repeats):
    """The rise of each member's error on its unseen rows, by a loop with other shuffles."""
    plan = make_plan("bootstrap", np.count_nonzero(weight), seed=model.random_state)
    out = np.zeros((len(model.estimators_), X.shape[1]))
    for i, member in enumerate(model.estimators_):
        rows = (counts_by_row(plan, weight, i) == 0) & (weight > 0)
        table, truth, w = X[rows], y[rows], weight[rows]
        before = np.average(member.predict(table) != truth, weights=w)
        for column in range(X.shape[1]):
            for _ in range(n_repeats):
                shuffled = table.copy()
                shuffled[:, column] = rng.permutation(shuffled[:, column])
                after = np.average(member.predict(shuffled) != truth, weights=w)
                out[i, column] += (after - before) / n_repeats
    return out


@pytest.mark.parametrize("weighted", [False, True])
def test_shuffled_errors_are_those_of_a_loop_in_distribution(problem, weighted):
    X, y, _, weight = problem
    weight = weight if weighted else np.ones(N)
    model = RandomForestClassifier(15, random_state=4, oob_score=False)
    model.fit(X, y, sample_weight=weight)
    found = model.oob_permutation_importance(X, y, weight, n_repeats=200)
    naive = naive_importances(model, X, y, weight, np.random.default_rng(0), 25)
    # Means of 200 and of 25 shuffles of about 44 rows, for each member by itself.
    np.testing.assert_allclose(found.importances, naive, atol=0.06)
    np.testing.assert_allclose(found.mean, naive.mean(axis=0), atol=0.012)
    for i, tree in enumerate(model.forest_):
        never = np.setdiff1d(np.arange(5), tree.feature)
        assert (found.importances[i, never] == 0).all()


def test_importances_follow_from_the_seed_and_not_from_threads(problem):
    X, y, _, _ = problem
    found = []
    for n_jobs in (1, 2, 4):
        model = RandomForestClassifier(20, random_state=4, n_jobs=n_jobs).fit(X, y)
        found += [model.oob_permutation_importance(X, y).importances for _ in range(2)]
    assert all(np.array_equal(one, found[0]) for one in found)


def test_dropped_trees_have_no_importances(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(20, random_state=4).fit(X, y)
    every = model.oob_permutation_importance(X, y).importances
    model.drop([0, 7])
    kept = np.delete(np.arange(20), [0, 7])
    np.testing.assert_array_equal(model.oob_permutation_importance(X, y).importances, every[kept])


@pytest.mark.parametrize("sampling", ["bootstrap", "subsample", "partition", "overlap"])
def test_importances_of_a_tree_do_not_change_when_others_are_added(problem, sampling):
    X, y, _, _ = problem
    model = RandomForestClassifier(
        5, sampling=sampling, oob_score=False, warm_start=True, random_state=1
    ).fit(X, y)
    before = model.oob_permutation_importance(X, y).importances
    model.set_params(n_estimators=10).fit(X, y)
    after = model.oob_permutation_importance(X, y).importances
    np.testing.assert_array_equal(after[:5], before)


def test_importances_need_the_table_of_fit(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="fit saw 120"):
        model.oob_permutation_importance(X[:50], y[:50])


# -- Leaves


def test_proximities_are_shares_of_trees_with_a_common_leaf(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(15, max_depth=3, oob_score=False, random_state=0).fit(X, y)
    leaves = np.column_stack([member.apply(X) for member in model.estimators_])
    np.testing.assert_array_equal(model.apply(X), leaves)
    naive = np.array([[(one == other).mean() for other in leaves] for one in leaves])
    np.testing.assert_allclose(model.proximities(X), naive, rtol=1e-15)
    assert (np.diag(naive) == 1).all()
    np.testing.assert_allclose(model.proximities(X[:4], X[4:9]), naive[:4, 4:9], rtol=1e-15)


def test_dropped_trees_neither_vote_nor_count_in_proximities(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(15, max_depth=3, oob_score=False, random_state=0).fit(X, y)
    assert model.drop([2, 5, 5]).drop([14]) is model
    kept = np.delete(np.arange(15), [2, 5, 14])
    np.testing.assert_array_equal(model.selected_, kept)
    answers = [model.estimators_[i].predict(X) for i in kept]
    np.testing.assert_array_equal(model.predict_proba(X), count_votes(answers, 3) / 12)
    leaves = model.apply(X)[:, kept]
    naive = (leaves[:, None] == leaves[None]).mean(axis=2)
    np.testing.assert_allclose(model.proximities(X), naive, rtol=1e-15)
    mean = np.mean([model.estimators_[i].feature_importances_ for i in kept], axis=0)
    np.testing.assert_allclose(model.feature_importances_, mean / mean.sum(), rtol=1e-12)
    assert len(model.estimators_) == 15


def test_trees_that_are_not_there_cannot_be_dropped_nor_can_all(problem):
    X, y, _, _ = problem
    model = RandomForestClassifier(3, oob_score=False, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="no member 3"):
        model.drop([3])
    with pytest.raises(ValueError, match="at least one"):
        model.drop(range(3))
    assert model.selected_.tolist() == [0, 1, 2]


# -- Warm start and threads


@pytest.mark.filterwarnings("ignore:.*seen by every member")
@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("weighted", [False, True])
def test_five_trees_and_then_five_more_are_ten(problem, kind, weighted):
    X, y, numbers, weight = problem
    y = y if kind is RandomForestClassifier else numbers
    weight = weight if weighted else None
    whole = kind(10, random_state=7).fit(X, y, weight)
    steps = kind(5, random_state=7, warm_start=True).fit(X, y, weight)
    first = steps.forest_[:]
    steps.set_params(n_estimators=10).fit(X, y, weight)
    assert steps.forest_ == whole.forest_
    assert steps.forest_[:5] == first
    assert steps.selected_.tolist() == list(range(10))
    names = ["oob_score_", "feature_importances_"]
    names.append("oob_decision_function_" if y is not numbers else "oob_prediction_")
    for name in names:
        np.testing.assert_array_equal(getattr(steps, name), getattr(whole, name))
    np.testing.assert_array_equal(steps.predict(X), whole.predict(X))
    both = (model.oob_permutation_importance(X, y, weight) for model in (steps, whole))
    np.testing.assert_array_equal(*(found.importances for found in both))


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_threads_change_nothing(problem, kind):
    X, y, numbers, weight = problem
    y = y if kind is RandomForestClassifier else numbers
    found = []
    for n_jobs in (1, 2, 3, 4):
        model = kind(70, random_state=1, n_jobs=n_jobs).fit(X, y, weight)
        found.append(
            (
                model.forest_,
                model.oob_error_curve_.tobytes(),
                model.predict(np.tile(X, (30, 1))).tobytes(),
                model.apply(X).tobytes(),
            )
        )
    assert all(one == found[0] for one in found[1:])


# -- Tables


def test_raw_tables_with_gaps_and_categories_are_learned(problem):
    X, y, _, _ = problem
    rng = np.random.default_rng(1)
    words = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])].astype(object)
    words[rng.random(N) < 0.1] = None
    numbers = np.where(rng.random(N) < 0.1, np.nan, X[:, 1])
    table = pd.DataFrame({"level": words, "number": numbers, "noise": X[:, 2]})
    model = RandomForestClassifier(100, random_state=0).fit(table, y)
    assert model.oob_score_ > 0.6 > np.bincount(y).max() / N
    assert model.feature_importances_.argmax() == 0
    answers = [member.predict(table) for member in model.estimators_]
    np.testing.assert_array_equal(model.predict_proba(table), count_votes(answers, 3) / 100)
    found = model.oob_permutation_importance(table, y)
    assert found.mean.argmax() == 0


@pytest.mark.parametrize("power", [-300, 300])
def test_far_targets_change_nothing_but_the_scale(problem, power):
    X, _, y, _ = problem
    scale = 2.0**power
    near = RandomForestRegressor(40, random_state=0).fit(X, y)
    far = RandomForestRegressor(40, random_state=0).fit(X, y * scale)
    assert far.oob_score_ == near.oob_score_
    np.testing.assert_array_equal(far.predict(X) / scale, near.predict(X))
    np.testing.assert_array_equal(far.oob_prediction_ / scale, near.oob_prediction_)
    np.testing.assert_array_equal(far.oob_error_curve_ / scale**2, near.oob_error_curve_)
    found = [
        model.oob_permutation_importance(X, numbers).importances
        for model, numbers in ((near, y), (far, y * scale))
    ]
    np.testing.assert_allclose(found[1] / scale**2, found[0], rtol=1e-12)


def test_the_median_of_trees_is_not_moved_by_one_that_is_far_off(problem):
    X, _, y, _ = problem
    model = RandomForestRegressor(9, combine="median", oob_score=False, random_state=0).fit(X, y)
    answers = np.array([member.predict(X) for member in model.estimators_])
    np.testing.assert_array_equal(model.predict(X), np.median(answers, axis=0))
