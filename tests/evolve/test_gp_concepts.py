"""Concepts that no threshold on one column can tell are learned, and tests can be read."""

import numpy as np
import pandas as pd
import pytest

from spinney import GPForestClassifier, GPTreeClassifier, GPTreeRegressor

SMALL = {"population_size": 200, "generations": 40}


def readable(model):
    """Every test has at most 12 symbols and fits on a line."""
    tree = model.tree_
    nodes = [node for node in tree if not node.is_leaf]
    assert nodes
    for node in nodes:
        assert len(node.test.tokens) <= model.max_size
        assert len(str(node.test)) < 80
        assert node.test.branch_text(0, digits=6) in tree.to_text()
    return nodes


def square(rng, n):
    return rng.uniform(-2, 2, (n, 2))


@pytest.mark.parametrize("seed", range(5))
def test_exclusive_or_is_learned_by_one_tree(seed):
    X = square(np.random.default_rng(seed), 200)
    y = X[:, 0] * X[:, 1] > 0
    model = GPTreeClassifier(**SMALL, min_entropy=0.0, min_fraction=0.0, random_state=seed)
    model.fit(X, y)
    assert model.score(X, y) == 1.0
    nodes = readable(model)
    assert len(nodes) <= 3
    new = square(np.random.default_rng(100 + seed), 1000)
    assert model.score(new, new[:, 0] * new[:, 1] > 0) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_a_rotated_square_is_learned_by_one_tree(seed):
    """The square |x| + |y| < 1.5 has sides that no column is parallel to."""
    rng = np.random.default_rng(seed)
    X = square(rng, 600)
    edge = np.abs(X).sum(axis=1)
    X = X[np.abs(edge - 1.5) > 0.1]
    y = np.where(np.abs(X).sum(axis=1) < 1.5, "inside", "outside")
    model = GPTreeClassifier(
        300, generations=60, min_entropy=0.0, min_fraction=0.0, random_state=seed
    ).fit(X, y)
    assert model.score(X, y) == 1.0
    nodes = readable(model)
    assert len(nodes) <= 8
    assert any(len(node.test.features) == 2 for node in nodes)


@pytest.mark.parametrize("seed", range(5))
def test_equality_of_two_columns_of_one_domain_is_one_test(seed):
    rng = np.random.default_rng(seed)
    towns = ["Bath", "Cork", "Derby", "Ely", "Fowey"]
    X = pd.DataFrame(
        {name: pd.Categorical(rng.choice(towns, 300), towns) for name in ("born", "lives")}
    )
    X["age"] = rng.normal(40, 10, 300)
    y = (X["born"].astype(str) == X["lives"].astype(str)).to_numpy()
    model = GPTreeClassifier(**SMALL, random_state=seed).fit(X, y)
    assert model.score(X, y) == 1.0
    (test,) = [node.test for node in readable(model)]
    assert str(test) in {"born = lives", "lives = born", "not born = lives", "not lives = born"}


def test_a_concept_of_numbers_and_categories_is_one_test():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"bmi": rng.normal(25, 5, 400), "age": rng.normal(50, 10, 400)})
    X["sex"] = pd.Categorical(rng.choice(["f", "m"], 400), ["f", "m"])
    y = ((X["bmi"] > X["age"] - 25) & (X["sex"] == "f")).to_numpy()
    model = GPTreeClassifier(
        400, generations=80, refine_constants=True, min_entropy=0.0, random_state=1
    ).fit(X, y)
    assert model.score(X, y) > 0.99
    assert any(len(node.test.features) >= 2 for node in readable(model))


def test_a_product_is_learned_by_a_regression_tree():
    X = square(np.random.default_rng(0), 200)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, 5.0)
    model = GPTreeRegressor(**SMALL, random_state=0).fit(X, y)
    readable(model)
    assert np.array_equal(model.predict(X), y)


def test_roots_of_a_forest_differ_and_its_vote_is_right():
    X = square(np.random.default_rng(0), 300)
    y = X[:, 0] * X[:, 1] > 0
    forest = GPForestClassifier(5, **SMALL, random_state=0).fit(X, y)
    assert forest.score(X, y) == 1.0
    roots = {str(tree.root.test) for tree in forest.forest_}
    assert len(roots) > 1
