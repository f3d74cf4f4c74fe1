"""What must not matter: threads, the order of rows, whether a row is there twice or weighs 2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.kit import classes_of, mixed_table
from spinney import GPForestClassifier, GPForestRegressor, GPTreeClassifier, GPTreeRegressor

SMALL = {"population_size": 40, "generations": 8}


def problem(seed, n, n_classes=3):
    rng = np.random.default_rng(seed)
    frame = mixed_table(rng, n)
    return rng, frame, classes_of(frame, rng, n_classes)


def forest_of(model):
    return [model.tree_] if hasattr(model, "tree_") else list(model.forest_)


def same(one, other):
    return forest_of(one) == forest_of(other) and one.n_evaluations_ == other.n_evaluations_


MODELS = {
    "tree": GPTreeClassifier(100, generations=10, random_state=3),
    "refined": GPTreeClassifier(100, generations=10, refine_constants=True, random_state=3),
    "regression tree": GPTreeRegressor(100, generations=10, random_state=3),
    "forest": GPForestClassifier(3, population_size=100, generations=8, random_state=3),
    "regression forest": GPForestRegressor(3, population_size=100, generations=8, random_state=3),
}


@pytest.mark.parametrize("name", MODELS)
def test_threads_never_change_the_result(name):
    _, frame, y = problem(1, 900)
    model = MODELS[name]
    found = [type(model)(**model.get_params() | {"n_jobs": n}).fit(frame, y) for n in (1, 2, 4)]
    assert same(found[0], found[1])
    assert same(found[0], found[2])
    assert any(not tree.root.is_leaf for tree in forest_of(found[0]))


@pytest.mark.parametrize("name", MODELS)
def test_one_seed_gives_one_result_and_another_gives_others(name):
    _, frame, y = problem(2, 200)
    kind, settings = type(MODELS[name]), MODELS[name].get_params()
    found = [kind(**settings | {"random_state": s}).fit(frame, y) for s in (7, 7, 8)]
    assert same(found[0], found[1])
    assert not same(found[0], found[2])


def test_a_random_state_that_is_a_generator_moves_on():
    _, frame, y = problem(2, 100)
    state = np.random.RandomState(0)
    model = GPTreeClassifier(**SMALL, random_state=state)
    first, second = model.fit(frame, y).tree_, model.fit(frame, y).tree_
    again = GPTreeClassifier(**SMALL, random_state=np.random.RandomState(0)).fit(frame, y).tree_
    assert first == again
    assert first != second


@given(st.integers(0, 2**32 - 1), st.integers(2, 100), st.booleans())
@settings(max_examples=25)
def test_the_order_of_rows_does_not_matter(seed, n, weighted):
    rng, frame, y = problem(seed, n)
    weight = rng.integers(1, 5, n).astype(float) if weighted else np.ones(n)
    order = rng.permutation(n)
    model = GPTreeClassifier(**SMALL, random_state=seed)
    one = model.fit(frame, y, sample_weight=weight).tree_
    n_run = model.n_evaluations_
    other = model.fit(frame.iloc[order], y[order], sample_weight=weight[order]).tree_
    assert one == other
    assert model.n_evaluations_ == n_run


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(2, 100))
@settings(max_examples=25)
def test_a_row_of_weight_two_is_two_rows(seed, n):
    rng, frame, y = problem(seed, n)
    weight = rng.integers(0, 4, n)
    weight[:2] = 1
    rows = np.repeat(np.arange(n), weight)
    for model in (
        GPTreeClassifier(**SMALL, random_state=seed),
        GPForestClassifier(3, **SMALL, max_depth=2, random_state=seed),
    ):
        model.fit(frame, y, sample_weight=weight.astype(float))
        weighted, n_run = forest_of(model), model.n_evaluations_
        model.fit(frame.iloc[rows], y[rows])
        assert model.n_evaluations_ == n_run
        for one, other in zip(weighted, forest_of(model), strict=True):
            assert [node.test for node in one] == [node.test for node in other]
            assert np.array_equal(one.value, other.value)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_the_order_of_rows_does_not_matter_to_a_forest(seed):
    rng, frame, y = problem(seed, 70)
    order = rng.permutation(70)
    model = GPForestClassifier(3, **SMALL, max_depth=2, random_state=seed)
    one = forest_of(model.fit(frame, y))
    assert one == forest_of(model.fit(frame.iloc[order], y[order]))


def test_the_layout_of_a_table_does_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = GPTreeClassifier(**SMALL, random_state=0)
    trees = [
        model.fit(table, y).tree_
        for table in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.tolist())
    ]
    assert all(tree == trees[0] for tree in trees)


def test_labels_do_not_matter():
    _, frame, y = problem(5, 120)
    model = GPTreeClassifier(**SMALL, random_state=0)
    numbers = model.fit(frame, y).predict(frame)
    names = model.fit(frame, np.array(["p", "q", "r"])[y]).predict(frame)
    assert np.array_equal(np.array(["p", "q", "r"])[numbers], names)


def test_rows_of_no_weight_are_not_there():
    rng, frame, y = problem(6, 120)
    kept = rng.random(120) < 0.7
    model = GPTreeClassifier(**SMALL, random_state=0)
    weighed = model.fit(frame, y, sample_weight=kept.astype(float)).tree_
    assert weighed == model.fit(frame[kept], y[kept]).tree_
