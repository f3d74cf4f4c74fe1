"""On numbers without ties, trees are those of scikit-learn: the same tests at the same places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import CARTClassifier, CARTRegressor, Node

from .problems import Array


def make_data(seed: int, n_rows: int = 600, n_columns: int = 6) -> tuple[Array, Array, Array]:
    """Distinct values that float32 holds exactly, a noisy number to learn, and weights.

    Weights that all differ leave no two divisions with the same gain but those that divide the
    rows alike, and these are rare where leaves are not small. Their sums are exact.
    """
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.permutation(n_rows * 4)[:n_rows] / 64 for _ in range(n_columns)])
    signal = X[:, 0] + 3 * (X[:, 1] > n_rows / 32) * X[:, 2] - X[:, 3]
    noise = rng.normal(scale=n_rows / 80, size=n_rows)
    return X, signal + noise, (n_rows + rng.permutation(n_rows)) / 1024


def assert_same(ours: Node, theirs: Any, node: int = 0) -> None:
    if theirs.children_left[node] < 0:
        assert ours.is_leaf
        return
    tree = ours.tree
    assert tree.feature[ours.id] == theirs.feature[node]
    assert tree.threshold[ours.id] == theirs.threshold[node]
    assert ours.n_samples == theirs.n_node_samples[node]
    assert tree.impurity[ours.id] == pytest.approx(theirs.impurity[node], rel=1e-9, abs=1e-12)
    sides = (theirs.children_left[node], theirs.children_right[node])
    for child, side in zip(ours.children, sides, strict=True):
        assert_same(child, theirs, side)


LIMITS: list[dict[str, Any]] = [
    {"min_samples_leaf": 15},
    {"min_samples_leaf": 12, "max_depth": 4},
    {"min_samples_leaf": 12, "min_samples_split": 50},
    {"min_samples_leaf": 12, "max_leaf_nodes": 10},
    {"min_samples_leaf": 12, "min_impurity_decrease": 0.004},
    {"min_weight_fraction_leaf": 0.03},
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classification_trees_are_those_of_scikit_learn(
    criterion: str, n_classes: int, limits: dict[str, Any]
) -> None:
    for seed in range(4):
        X, signal, w = make_data(seed)
        y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
        theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y, w)
        ours = CARTClassifier(criterion, **limits).fit(X, y, w)
        assert theirs.tree_.node_count > 10
        assert_same(ours.tree_.root, theirs.tree_)
        new = make_data(seed + 100)[0]
        shares = theirs.predict_proba(new)
        np.testing.assert_allclose(ours.predict_proba(new), shares, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_regression_trees_are_those_of_scikit_learn(criterion: str, limits: dict[str, Any]) -> None:
    for seed in range(3):
        X, y, w = make_data(seed, n_rows=400)
        theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(X, y, w)
        ours = CARTRegressor(criterion, **limits).fit(X, y, w)
        assert theirs.tree_.node_count > 10
        assert_same(ours.tree_.root, theirs.tree_)
        new = make_data(seed + 100)[0]
        np.testing.assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-9)


def assert_as_good(ours: Node, theirs: Any, node: int = 0) -> int:
    """Follow both trees while their tests are equal; where they part, the gains are equal."""
    if theirs.children_left[node] < 0:
        assert ours.is_leaf
        return 1
    gain = ours.gain / ours.weight
    sides = [theirs.children_left[node], theirs.children_right[node]]
    weights = theirs.weighted_n_node_samples[sides] / theirs.weighted_n_node_samples[node]
    their_gain = theirs.impurity[node] - weights @ theirs.impurity[sides]
    assert gain == pytest.approx(their_gain, rel=1e-9, abs=1e-12)
    tree = ours.tree
    mine = (tree.feature[ours.id], tree.threshold[ours.id])
    if mine != (theirs.feature[node], theirs.threshold[node]):
        return 0
    pairs = zip(ours.children, sides, strict=True)
    return sum(assert_as_good(child, theirs, side) for child, side in pairs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_trees_without_limits_part_from_scikit_learn_only_where_gains_tie(
    criterion: str, seed: int
) -> None:
    """The lowest feature wins here, a drawn one there."""
    X, signal, w = make_data(seed)
    y = (signal > np.median(signal)).astype(int)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y, w)
    ours = CARTClassifier(criterion).fit(X, y, w)
    assert assert_as_good(ours.tree_.root, theirs.tree_) > 10
    assert ours.score(X, y) == 1.0


@pytest.mark.parametrize("n_rows", [10, 20, 30])
def test_a_decrease_that_only_rounding_keeps_below_the_least_is_enough(n_rows: int) -> None:
    """As in scikit-learn, which has a slack, too."""
    X = np.arange(n_rows, dtype=float)[:, None]
    for n_ones in range(1, n_rows):
        y = (np.arange(n_rows) < n_ones).astype(float)
        decrease = n_ones * (n_rows - n_ones) / n_rows**2
        assert CARTRegressor(min_impurity_decrease=decrease).fit(X, y).tree_.n_leaves == 2
        assert CARTClassifier(min_impurity_decrease=2 * decrease).fit(X, y).tree_.n_leaves == 2
        too_much = CARTRegressor(min_impurity_decrease=1.000001 * decrease)
        assert too_much.fit(X, y).tree_.n_leaves == 1


def test_all_rows_as_the_least_to_split_leave_one_split() -> None:
    X, signal, w = make_data(0)
    ours = CARTClassifier(min_samples_split=1.0).fit(X, signal > 0, w)
    theirs = DecisionTreeClassifier(min_samples_split=1.0, random_state=0).fit(X, signal > 0, w)
    assert theirs.tree_.node_count == 3
    assert_same(ours.tree_.root, theirs.tree_)
