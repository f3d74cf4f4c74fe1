"""Facts about the loop and the tree that it leaves."""

from __future__ import annotations

import pickle
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from growth.comparison import outline
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney import IGPAClassifier, IGPARegressor

from .problems import Array, Problem, problems

few_examples = settings(max_examples=max(5, settings.default.max_examples // 2))
LEARNERS = [IGPAClassifier, IGPARegressor]


@pytest.fixture
def noisy() -> tuple[Array, Array]:
    """Three classes that two of five columns tell apart, one label in five wrong."""
    rng = np.random.default_rng(0)
    X = rng.random((400, 5))
    y = (X[:, 0] > 0.4).astype(float) + (X[:, 1] > 0.6)
    wrong = rng.random(400) < 0.2
    return X, np.where(wrong, rng.integers(0, 3, 400), y)


def learner_for(problem: Problem, regression: bool, **parameters: Any) -> Any:
    options = {**problem.options, "max_iter": 50, **parameters}
    model = (IGPARegressor if regression else IGPAClassifier)(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(problem.table, problem.y, sample_weight=problem.weights)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("labels", ["kept", "renewed"])
@few_examples
@given(data=st.data())
def test_trees_that_are_pruned_from_their_leaves_never_shrink(
    regression: bool, labels: str, data: st.DataObject
) -> None:
    problem = data.draw(problems(regression=regression))
    model = learner_for(problem, regression, labels=labels, prune_from="leaves")
    for last, step in pairwise(model.history_):
        assert last.n_leaves <= step.n_leaves <= step.n_leaves_grown


@pytest.mark.parametrize("regression", [False, True])
@few_examples
@given(data=st.data())
def test_pruning_never_raises_the_error_of_the_rows_that_judge(
    regression: bool, data: st.DataObject
) -> None:
    problem = data.draw(problems(regression=regression))
    for step in learner_for(problem, regression).history_:
        assert step.judge_error <= step.judge_error_grown * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("regression", [False, True])
@few_examples
@given(data=st.data())
def test_history_tells_each_turn(regression: bool, data: st.DataObject) -> None:
    problem = data.draw(problems(regression=regression))
    model = learner_for(problem, regression)
    k = min(model.n_parts, int((problem.row_weights > 0).sum()))
    assert isinstance(model.n_iterations_, int)
    assert len(model.history_) == model.n_iterations_ >= k >= 2
    assert [step.judge for step in model.history_] == [
        (i + 1) % k for i in range(model.n_iterations_)
    ]
    assert model.history_[-1].n_leaves == model.tree_.n_leaves


@pytest.mark.parametrize("n_parts", [2, 3, 5])
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_last_trees_of_a_loop_that_settles_are_equally_large(
    learner: Any, n_parts: int, noisy: tuple[Array, Array]
) -> None:
    model = learner(n_parts=n_parts, random_state=1).fit(*noisy)  # a warning would be an error
    sizes = [step.n_leaves for step in model.history_]
    assert len(set(sizes[-n_parts:])) == 1
    for end in range(n_parts, len(sizes)):
        assert len(set(sizes[end - n_parts : end])) > 1
    assert model.tree_.n_leaves > 3


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_loop_that_is_cut_short_warns_and_leaves_a_tree(
    learner: Any, noisy: tuple[Array, Array]
) -> None:
    X, y = noisy
    model = learner(max_iter=1, random_state=1)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(X, y)
    assert model.n_iterations_ == len(model.history_) == 1
    assert model.tree_.n_leaves == model.history_[0].n_leaves > 1
    assert model.predict(X).shape == y.shape
    assert model.score(X, y) > 0.4


@pytest.mark.parametrize("regression", [False, True])
@few_examples
@given(data=st.data())
def test_recounted_nodes_hold_all_rows(regression: bool, data: st.DataObject) -> None:
    problem = data.draw(problems(regression=regression))
    model = learner_for(problem, regression, recount=True)
    tree, w = model.tree_, problem.row_weights
    used = w > 0
    leaves = model.apply(problem.table)
    assert tree.n_samples[0] == used.sum()
    for leaf in np.flatnonzero(tree.first_child < 0):
        rows = used & (leaves == leaf)
        assert tree.n_samples[leaf] == rows.sum() > 0
        assert tree.weight[leaf] == pytest.approx(w[rows].sum())
        if regression:
            assert tree.value[leaf, 0] == pytest.approx(
                np.average(problem.y[rows], weights=w[rows])
            )
            continue
        counted = [w[rows & (problem.y == label)].sum() for label in model.classes_]
        np.testing.assert_allclose(tree.value[leaf], counted, atol=1e-12)
    if not regression:
        sums = tree.value[tree.first_child < 0].sum(axis=0)
        np.testing.assert_allclose(sums, tree.value[0], atol=1e-12)
        totals = [w[problem.y == label].sum() for label in model.classes_]
        np.testing.assert_allclose(tree.value[0], totals, atol=1e-12)


@pytest.mark.parametrize("learner", LEARNERS)
def test_without_a_recount_the_root_holds_the_rows_that_grew_it(
    learner: Any, noisy: tuple[Array, Array]
) -> None:
    kept = learner(recount=False, n_parts=4, random_state=1).fit(*noisy).tree_
    recounted = learner(recount=True, n_parts=4, random_state=1).fit(*noisy).tree_
    assert (kept.n_samples[0], recounted.n_samples[0]) == (300, 400)
    assert [str(node.test) for node in kept] == [str(node.test) for node in recounted]


@pytest.mark.parametrize("max_features", [None, 0.5])
@pytest.mark.parametrize("learner", LEARNERS)
def test_threads_do_not_change_the_tree(learner: Any, max_features: float | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((2000, 24))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (rng.random(2000) + np.nan_to_num(X[:, 3]) > 1).astype(float)
    options = {"max_features": max_features, "random_state": 3, "max_surrogates": 2}
    trees, histories = [], []
    for n_jobs in (1, 2, 4):
        model = learner(n_jobs=n_jobs, **options).fit(X, y)
        trees.append(outline(model.tree_.root))
        histories.append(model.history_)
    assert trees[0] == trees[1] == trees[2]
    assert histories[0] == histories[1] == histories[2]


@pytest.mark.parametrize("max_features", [None, 2])
@pytest.mark.parametrize("learner", LEARNERS)
def test_random_state_decides_the_tree(
    learner: Any, max_features: int | None, noisy: tuple[Array, Array]
) -> None:
    def grow(seed: int) -> Any:
        model = learner(random_state=seed, max_features=max_features).fit(*noisy)
        return outline(model.tree_.root)

    assert grow(5) == grow(5)
    assert len({str(grow(seed)) for seed in range(4)}) == 4


@pytest.mark.parametrize("learner", LEARNERS)
def test_copies_are_equal(learner: Any, noisy: tuple[Array, Array]) -> None:
    X, y = noisy
    model = learner(n_parts=3, labels="renewed", random_state=5).fit(X, y)
    thawed = pickle.loads(pickle.dumps(model))
    assert thawed.history_ == model.history_
    assert thawed.n_iterations_ == model.n_iterations_
    assert (thawed.predict(X) == model.predict(X)).all()
    fresh = clone(model)
    assert not hasattr(fresh, "tree_")
    assert fresh.get_params() == model.get_params()
    assert outline(fresh.fit(X, y).tree_.root) == outline(model.tree_.root)


def test_noise_is_pruned_away() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((600, 3)), rng.integers(0, 2, 600)
    model = IGPAClassifier(random_state=0).fit(X, y)
    assert model.history_[0].n_leaves_grown > 60
    assert model.tree_.n_leaves < 40


def test_rows_of_weight_zero_are_as_if_absent(noisy: tuple[Array, Array]) -> None:
    X, y = noisy
    w = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    with_zeros = IGPAClassifier(random_state=2).fit(X, y, sample_weight=w)
    without = IGPAClassifier(random_state=2).fit(X[w > 0], y[w > 0])
    assert outline(with_zeros.tree_.root) == outline(without.tree_.root)
    assert with_zeros.history_ == without.history_


@pytest.mark.parametrize("name", ["min_samples_leaf", "min_samples_split"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_shares_of_rows_are_shares_of_all_rows(
    learner: Any, name: str, noisy: tuple[Array, Array]
) -> None:
    models = [learner(random_state=2, **{name: value}).fit(*noisy) for value in (0.1, 40)]
    free = learner(random_state=2).fit(*noisy)
    assert models[0].history_ == models[1].history_ != free.history_
    assert outline(models[0].tree_.root) == outline(models[1].tree_.root)


@pytest.mark.parametrize("learner", LEARNERS)
def test_bins_that_hold_one_value_each_change_nothing(
    learner: Any, noisy: tuple[Array, Array]
) -> None:
    X, y = noisy
    X = np.round(20 * X)
    exact = learner(random_state=2).fit(X, y)
    binned = learner(random_state=2, max_bins=255).fit(X, y)
    assert exact.tree_.n_leaves > 3
    assert [str(node.test) for node in binned.tree_] == [str(node.test) for node in exact.tree_]


@pytest.mark.parametrize("learner", LEARNERS)
def test_no_growing_goes_beyond_the_most_leaves(learner: Any, noisy: tuple[Array, Array]) -> None:
    model = learner(random_state=2, max_leaf_nodes=6).fit(*noisy)
    assert max(step.n_leaves_grown for step in model.history_) == 6
