"""`splitter="random"`: every test is the best of those that were drawn, and draws are uniform."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from reference.drawn import DrawnTree
from scipy import stats

from spinney import CARTClassifier, CARTRegressor, ExtraTreesClassifier, ExtraTreesRegressor

from .fitted import Fitted, fit_classifier, fit_regressor
from .problems import Problem, classification, regression

draws = {"n_drawn": st.integers(1, 4), "seed": st.integers(0, 1000)}


def options(problem: Problem, n_drawn: int, seed: int) -> dict[str, Any]:
    n_drawn = min(n_drawn, len(problem.kinds))
    return {"splitter": "random", "max_features": n_drawn, "random_state": seed}


def faults(fitted: Fitted, n_drawn: int, seed: int) -> list[str]:
    own = (fitted.values, fitted.kinds, fitted.y, fitted.settings)
    return DrawnTree(*own, seed, n_drawn).check(fitted.oracle())


@pytest.mark.slow
@given(
    problem=classification(),
    criterion=st.sampled_from(["gini", "entropy", "twoing", "misclassification"]),
    **draws,
)
def test_tests_on_classes_are_the_best_of_those_drawn(
    problem: Problem, criterion: str, n_drawn: int, seed: int
) -> None:
    assume(problem.limits["missing"] not in ("learned", "category"))  # refused
    fitted = fit_classifier(problem, criterion, **options(problem, n_drawn, seed))
    note(str(fitted.tree))
    assert faults(fitted, n_drawn, seed) == []


@pytest.mark.slow
@given(
    problem=regression(), criterion=st.sampled_from(["squared_error", "absolute_error"]), **draws
)
def test_tests_on_numbers_are_the_best_of_those_drawn(
    problem: Problem, criterion: str, n_drawn: int, seed: int
) -> None:
    assume(problem.limits["missing"] not in ("learned", "category"))  # refused
    fitted = fit_regressor(problem, criterion, **options(problem, n_drawn, seed))
    note(str(fitted.tree))
    assert faults(fitted, n_drawn, seed) == []


@pytest.mark.parametrize("make", [fit_classifier, fit_regressor])
def test_all_weights_equal_and_no_gaps_is_the_same_by_counting(make: Any) -> None:
    """The tight loops, at sizes that are no multiples of their width."""
    for n in (5, 17, 64, 203):
        rng = np.random.default_rng(n)
        cells = rng.normal(size=(n, 3))
        problem = Problem(("numeric",) * 3, cells, rng.integers(0, 3, n).astype(float), None, {})
        for n_drawn in (1, 2, 3):
            fitted = make(problem, **options(problem, n_drawn, n))
            assert faults(fitted, n_drawn, n) == []


def roots(n: int = 1500) -> np.ndarray:
    X = np.array([[0.0], [0.1], [0.2], [3.0], [10.0]])
    y = [0, 1, 0, 1, 1]
    made = [CARTClassifier(splitter="random", random_state=s, max_depth=1) for s in range(n)]
    return np.array([model.fit(X, y).tree_.threshold[0] for model in made])


def test_thresholds_are_uniform_between_the_least_and_the_largest_value() -> None:
    thresholds = roots()
    assert thresholds.min() >= 0.0
    assert thresholds.max() < 10.0
    assert stats.kstest(thresholds / 10.0, "uniform").pvalue > 1e-3


def test_thresholds_of_all_nodes_are_uniform_between_the_ends_of_their_rows() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.exponential(size=(4000, 1)), rng.normal(size=4000)
    tree = CARTRegressor(splitter="random", random_state=3, max_surrogates=0).fit(X, y).tree_
    path = tree.decision_path(X).tocsc()
    places = []
    for node in np.flatnonzero(tree.feature >= 0):
        held = X[path[:, [node]].nonzero()[0], 0]
        low, high = held.min(), held.max()
        assert low <= tree.threshold[node] < high
        places.append((tree.threshold[node] - low) / (high - low))
    assert len(places) > 1000
    assert stats.kstest(places, "uniform").pvalue > 1e-3


def test_every_division_of_the_categories_is_drawn_as_often() -> None:
    X = np.array([["a"], ["b"], ["c"], ["d"]], dtype=object)
    model = CARTClassifier(splitter="random", max_depth=1)
    drawn = Counter(
        tuple(
            sorted(model.set_params(random_state=s).fit(X, [0, 1, 0, 1]).tree_.root.test.categories)
        )
        for s in range(1400)
    )
    assert len(drawn) == 7  # of 4 categories, both sides with some
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-3
    assert all("a" in left for left in drawn)


def test_categories_of_other_nodes_are_not_in_the_sets() -> None:
    X = {"x": np.array([0.0] * 4 + [9.0] * 4), "c": np.array(list("ababcdcd"))}
    tree = CARTClassifier(splitter="random", random_state=1).fit(X, [0, 1, 0, 1, 2, 3, 2, 3]).tree_
    paths = tree.decision_path(X).tocsc()
    for node in (tree[i] for i in range(tree.n_nodes)):
        if not node.is_leaf and node.test.kind == "subset":
            held = {*node.test.categories, *node.test.other_categories}
            rows = paths[:, [node.id]].nonzero()[0]
            assert held == set(X["c"][rows])


def test_ends_far_apart_and_infinite_ones_are_parted() -> None:
    for low, high in [(-1.7e308, 1.7e308), (-np.inf, np.inf), (1.0, np.inf), (-np.inf, 0.0)]:
        for seed in range(20):
            model = CARTClassifier(splitter="random", random_state=seed)
            model.fit([[low], [high]], ["a", "b"])
            assert model.tree_.threshold[0] < high
            assert model.predict([[low], [high]]).tolist() == ["a", "b"]


def test_neighbouring_doubles_are_parted() -> None:
    x = np.array([1.0, np.nextafter(1.0, 2.0)])
    model = CARTClassifier(splitter="random", random_state=0).fit(x[:, None], [0, 1])
    assert model.tree_.threshold[0] == 1.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [CARTClassifier, CARTRegressor])
def test_bins_of_single_values_give_the_divisions_of_exact_draws(kind: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6000  # nodes of up to 2048 rows have no bins
    X = rng.integers(0, 30, (n, 5)).astype(float)
    X[rng.random((n, 5)) < 0.05] = np.nan
    y = (np.nansum(X[:, :2], axis=1) + 5 * np.isin(X[:, 4], [3, 9, 20]) > 32) + (
        rng.random(n) < 0.2
    ).astype(int)
    weight = rng.integers(1, 4, n) / 2
    common = {"splitter": "random", "max_features": 3, "random_state": seed, "max_depth": 7}
    exact, binned = (
        kind(max_bins=bins, categorical_features=[4], min_samples_leaf=5, **common).fit(
            X, y, sample_weight=weight
        )
        for bins in (None, 40)
    )
    for name in ("feature", "first_child", "n_samples", "kind"):
        np.testing.assert_array_equal(getattr(exact.tree_, name), getattr(binned.tree_, name))
    np.testing.assert_array_equal(exact.apply(X), binned.apply(X))
    assert not np.array_equal(exact.tree_.threshold, binned.tree_.threshold, equal_nan=True)


def test_cuts_lie_between_bins_by_their_distance() -> None:
    values = np.array([0.0, 1.0, 2.0, 5.0, 10.0])
    X = np.tile(values, 500)[:, None]
    y = (X[:, 0] > 2) * 1
    found = Counter(
        float(
            CARTClassifier(splitter="random", max_bins=8, random_state=seed, max_depth=1)
            .fit(X, y)
            .tree_.threshold[0]
        )
        for seed in range(600)
    )
    middles = (values[1:] + values[:-1]) / 2
    assert set(found) <= set(middles)
    expected = np.diff(values) / 10 * 600
    assert stats.chisquare([found[m] for m in middles], expected).pvalue > 1e-4


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_forests_of_drawn_cuts_take_bins(kind: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(5000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    one, two = (
        kind(20, max_bins=bins, random_state=1, min_samples_leaf=5).fit(X[:4000], y[:4000])
        for bins in (None, 64)
    )
    assert one.score(X[4000:], y[4000:]) > 0.6
    assert abs(one.score(X[4000:], y[4000:]) - two.score(X[4000:], y[4000:])) < 0.05
    threads = kind(20, max_bins=64, random_state=1, min_samples_leaf=5, n_jobs=3)
    np.testing.assert_array_equal(threads.fit(X[:4000], y[:4000]).predict(X), two.predict(X))


@pytest.mark.parametrize("missing", ["surrogate", "majority", "fractional"])
def test_gaps_are_treated_as_in_other_trees(missing: str) -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 3))
    X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=300)
    y = (X[:, 0] > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = CARTClassifier(splitter="random", missing=missing, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    if missing == "surrogate":
        assert any(model.tree_[i].surrogates for i in range(model.tree_.n_nodes))


@pytest.mark.parametrize("cls", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_members_are_trees_with_random_cuts_that_see_all_rows(cls: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    model = cls(4, random_state=7).fit(X, y)
    assert [one.splitter for one in model.estimators_] == ["random"] * 4
    assert all(tree.n_samples[0] == 80 for tree in model.forest_)
    assert model.score(X, y) == 1.0  # grown to the end
    first = {tree.threshold[0] for tree in model.forest_}
    assert len(first) == 4
