"""Fitted trees, worked out again from their tests: rows, gains, leaves, where unknown rows go."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evolve import (
    Limits,
    answers,
    entropy_in_counts,
    gain,
    goes_true,
    reason_to_stop,
    side_of,
    squares,
)

from evolve.kit import classes_of, mixed_table
from spinney import GPForestClassifier, GPTreeClassifier, GPTreeRegressor

problems = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "n": st.integers(2, 90),
        "n_classes": st.integers(2, 4),
        "gaps": st.sampled_from([0.0, 0.2, 0.6]),
        "weighted": st.booleans(),
    }
)
limits_of_trees = st.fixed_dictionaries(
    {
        "min_fraction": st.sampled_from([0.0, 0.05, 0.2]),
        "max_depth": st.sampled_from([None, 1, 3]),
    }
)


def walk(tree, values, y, weight, limits, loss):
    """Check every node; yield those that might be divided: rows, depth, and the node."""
    unit = weight.sum()
    waiting = [(tree.root, np.arange(len(y)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        assert node.n_samples == len(rows)
        assert node.weight == pytest.approx(weight[rows].sum(), rel=1e-9)
        reason = reason_to_stop(rows, depth, y, weight, limits, loss)
        if reason:
            assert node.is_leaf, reason
        else:
            yield node, rows
        if node.is_leaf:
            continue
        said = answers(node.test.tokens, values[rows])
        naive = gain(said, y[rows], weight[rows], loss)
        assert naive > 1e-12 * loss(y[rows], weight[rows])
        assert node.gain == pytest.approx(naive, abs=1e-9 * unit, rel=1e-9)
        heavier = node.children[0 if goes_true(said, weight[rows]) else 1]
        assert node.default_child.id == heavier.id
        true = side_of(said, weight[rows])
        assert heavier.weight == max(child.weight for child in node.children)
        sides = (rows[true], rows[~true])
        waiting += [(c, r, depth + 1) for c, r in zip(node.children, sides, strict=True)]


def draw(p):
    rng = np.random.default_rng(p["seed"])
    frame = mixed_table(rng, p["n"], p["gaps"])
    weight = rng.integers(1, 6, p["n"]) / 2 if p["weighted"] else np.ones(p["n"])
    return rng, frame, weight


@pytest.mark.slow
@given(problems, limits_of_trees, st.sampled_from([0.0, 0.3, 0.65, 0.9]))
@settings(max_examples=60)
def test_every_node_of_a_classification_tree_is_that_of_plain_numpy(p, limits, min_entropy):
    rng, frame, weight = draw(p)
    y = classes_of(frame, rng, p["n_classes"])
    limits = limits | {"min_entropy": min_entropy}
    model = GPTreeClassifier(30, generations=6, random_state=p["seed"], **limits)
    model.fit(frame, y, sample_weight=weight if p["weighted"] else None)
    values = model._rows(frame)
    list(walk(model.tree_, values, y, weight, Limits(**limits), entropy_in_counts))


@pytest.mark.slow
@given(problems, limits_of_trees, st.sampled_from([0.0, 0.05, 0.3]))
@settings(max_examples=60)
def test_every_node_of_a_regression_tree_is_that_of_plain_numpy(p, limits, min_variance):
    rng, frame, weight = draw(p)
    y = frame["x"].fillna(0.0).to_numpy() * 3 + rng.integers(0, 3, p["n"])
    limits = limits | {"min_variance": min_variance}
    model = GPTreeRegressor(30, generations=6, random_state=p["seed"], **limits)
    model.fit(frame, y, sample_weight=weight if p["weighted"] else None)
    values = model._rows(frame)
    list(walk(model.tree_, values, y, weight, Limits(**limits), squares))


@given(problems)
@settings(max_examples=10)
def test_class_weights_count_in_gains_and_limits(p):
    rng, frame, _ = draw(p)
    y = classes_of(frame, rng, p["n_classes"])
    factors = {0: 3.0, 1: 0.5, 2: 1.25, 3: 2.0}
    present = {one: factors[one] for one in np.unique(y).tolist()}
    model = GPTreeClassifier(30, generations=6, random_state=p["seed"], class_weight=present)
    model.fit(frame, y)
    weight = np.array([factors[one] for one in y.tolist()])
    list(walk(model.tree_, model._rows(frame), y, weight, Limits(), entropy_in_counts))


@pytest.mark.parametrize("diversity", ["roots", None])
def test_every_node_of_a_forest_is_that_of_plain_numpy(diversity):
    rng = np.random.default_rng(5)
    frame = mixed_table(rng, 120, 0.1)
    y = classes_of(frame, rng, 3)
    forest = GPForestClassifier(
        4, population_size=40, generations=8, diversity=diversity, random_state=1
    ).fit(frame, y)
    values = forest.estimators_[0]._rows(frame)
    for tree in forest.forest_:
        assert not tree.root.is_leaf
        list(walk(tree, values, y, np.ones(120), Limits(), entropy_in_counts))


def signs(rng, n, n_columns, gaps):
    X = rng.choice([-1.0, 1.0], (n, n_columns))
    X[rng.random(X.shape) < gaps] = np.nan
    return X


@given(problems)
@settings(max_examples=60)
def test_a_node_is_a_leaf_exactly_if_no_test_of_the_language_gains(p):
    """A language of three tests: the search sees all of them."""
    rng = np.random.default_rng(p["seed"])
    X = signs(rng, p["n"], 3, p["gaps"])
    y = rng.integers(0, p["n_classes"], p["n"])
    weight = rng.integers(1, 4, p["n"]).astype(float) if p["weighted"] else np.ones(p["n"])
    settings = {"functions": ["> 0"], "terminals": [0, 1, 2], "max_size": 2}
    limits = {"min_entropy": 0.2, "min_fraction": 0.0}
    model = GPTreeClassifier(80, generations=1, random_state=0, **settings, **limits)
    model.fit(X, y, sample_weight=weight)
    open_nodes = walk(model.tree_, X, y, weight, Limits(**limits), entropy_in_counts)
    tests = [[("column", i, 0.0), ("positive", 0, 0.0)] for i in range(3)]
    for node, rows in open_nodes:
        own = y[rows], weight[rows], entropy_in_counts
        most = max(gain(answers(test, X[rows]), *own) for test in tests)
        assert node.is_leaf == (most < 1e-9)
        if not node.is_leaf:
            assert node.gain == pytest.approx(most)


def test_rows_that_no_test_can_place_go_with_the_true_side_if_both_weigh_the_same():
    X = np.array([[1.0], [2.0], [-1.0], [-2.0], [np.nan]])
    y = np.array([1, 1, 0, 0, 0])
    model = GPTreeClassifier(
        20, generations=1, functions=["> 0"], terminals=[0], min_entropy=0.0, random_state=0
    ).fit(X, y)
    assert str(model.tree_.root.test) == "x0 > 0"
    first, second = model.tree_.root.children
    assert (first.n_samples, second.n_samples) == (3, 2)
    assert model.tree_.root.default_child.id == first.id
    assert model.apply([[np.nan]])[0] == model.apply([[1.0]])[0]


@pytest.mark.parametrize("counts", [(6, 4), (3, 6), (5, 10), (7, 7, 14), (3, 3, 6, 9)])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_a_test_that_keeps_the_shares_of_classes_is_not_made(counts, weighted):
    """It gains nothing; rounding must not say otherwise."""
    for n_true in range(1, 6):
        y = np.repeat(np.arange(len(counts)), counts)
        y, true = np.tile(y, 6), np.repeat(np.arange(6) < n_true, len(y))
        X = np.where(true, 1.0, -1.0)[:, None]
        weight = np.where(true, 0.1, 0.7) if weighted else None
        model = GPTreeClassifier(10, generations=2, random_state=0, functions=["> 0", "not"])
        assert model.fit(X, y, sample_weight=weight).tree_.n_leaves == 1
