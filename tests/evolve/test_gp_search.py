"""What a search keeps from generation to generation, and when it ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evolve import answers, entropy_in_counts, gain, least_gain, side_of

from evolve.kit import Watched, classes_of, in_numbers, mixed_table
from spinney import GPTreeClassifier, GPTreeRegressor


def problem(seed, n=60, n_classes=3):
    rng = np.random.default_rng(seed)
    frame = mixed_table(rng, n)
    return frame, classes_of(frame, rng, n_classes)


def first_search(watched, most=200):
    """Step through the first search; yield after each generation."""
    for _ in range(most):
        watched.step()
        if watched.evolution.state()[0] or watched.evolution.is_done:
            return
        yield watched.evolution.state()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_the_best_never_gets_worse_and_stays_in_the_population(seed):
    watched = Watched(GPTreeClassifier(30, generations=25, max_depth=1), *problem(seed), seed=seed)
    before = (-1.0, 0)
    n_generations = 0
    for _, generation, _, _, population, (genes, fitness), _ in first_search(watched):
        n_generations += 1
        assert generation == n_generations
        assert len(population) == 30
        now = (fitness, -len(genes))
        assert now >= before
        assert max((f, -len(g)) for g, f in population) == now
        before = now
    assert n_generations == 24


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_equal_fitness_goes_to_the_shorter_expression(seed):
    """Equal up to rounding: `not a > b` is no better than `b > a` where nothing is equal."""
    frame, y = problem(seed)
    watched = Watched(GPTreeClassifier(60, generations=20, max_depth=1), frame, y, seed=seed)
    shortest = {}
    for state in first_search(watched):
        for genes, fitness in state[4]:
            key = round(fitness, 9)
            shortest[key] = min(shortest.get(key, 99), len(genes))
        genes, fitness = state[5]
        assert len(genes) == shortest[max(shortest)]


def test_the_shortest_of_many_perfect_tests_is_taken():
    X = np.array([[-2.0, 1], [-1, 0], [1, 0], [2, 1], [3, 0], [-3, 1]])
    for seed in range(20):
        model = GPTreeClassifier(
            200, generations=3, functions=["> 0", "not", "and", "or"], terminals=[0, 1],
            random_state=seed,
        ).fit(X, X[:, 0] > 0)  # fmt: skip
        assert str(model.tree_.root.test) == "x0 > 0"
        assert len(model.tree_.root.test.tokens) == 2


@pytest.mark.parametrize("patience", [1, 3, 10])
def test_patience_ends_a_search_that_finds_nothing_better(patience):
    frame, y = problem(4)
    model = GPTreeClassifier(20, generations=200, max_depth=1, n_iter_no_change=patience)
    watched = Watched(model, frame, y, seed=4)
    history = [state[5][1] for state in first_search(watched, 300)]
    n_run = len(history) + 1  # the last generation closes the search
    assert n_run < 200
    endless = Watched(model.set_params(n_iter_no_change=None), frame, y, seed=4)
    history = [state[5][1] for state in first_search(endless, 300)]
    unimproved, expected = 0, None
    for i, fitness in enumerate(history):
        unimproved = 0 if i == 0 or fitness > history[i - 1] else unimproved + 1
        if unimproved == patience:
            expected = i + 1
            break
    assert n_run == expected


def test_patience_changes_no_more_than_when_searches_end():
    frame, y = problem(5, 100)
    plain = GPTreeClassifier(30, generations=15, random_state=0)
    endless = plain.fit(frame, y).tree_
    patient = (
        GPTreeClassifier(30, generations=15, n_iter_no_change=15, random_state=0)
        .fit(frame, y)
        .tree_
    )
    assert endless == patient


def test_a_search_ends_where_nothing_is_left_to_gain():
    X = np.arange(-5.0, 5.0)[:, None] + 0.5
    watched = Watched(GPTreeClassifier(50, generations=1000), X, X[:, 0] > 0)
    n = 0
    while not watched.step():
        n += 1
    assert n < 20


def test_programs_are_run_once_in_a_generation():
    """With two tests in all, no more than two programs are ever run in the first generation."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.random.default_rng(1).integers(0, 2, 40)
    model = GPTreeClassifier(
        100, generations=30, functions=["> 0"], terminals=[0, 1], max_size=2, max_depth=1
    ).fit(X, y)
    assert model.n_evaluations_ == 2


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_the_test_of_a_node_is_the_best_program_seen(seed):
    frame, y = problem(seed)
    watched = Watched(GPTreeClassifier(30, generations=6, max_depth=1), frame, y, seed=seed)
    most = 0.0
    for state in first_search(watched):
        most = max(most, state[5][1])
    if watched.tests[0]:
        found = gain(answers(watched.tests[0], watched.values), y, np.ones(60), entropy_in_counts)
        assert found >= most - 1e-9


# -- Constants that are refined


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=25)
def test_refining_constants_never_lowers_the_gain_of_a_node(seed, numbers):
    rng = np.random.default_rng(seed)
    frame, y = problem(seed, 80)
    weight = rng.choice([0.5, 1.0, 3.0], 80)
    y = y + rng.normal(size=80) if numbers else y
    kind = GPTreeRegressor if numbers else GPTreeClassifier
    gains = {}
    for refine in (False, True):
        model = kind(10, generations=3, max_depth=1, refine_constants=refine, random_state=seed)
        root = model.fit(frame, y, sample_weight=weight).tree_.root
        gains[refine] = 0.0 if root.is_leaf else root.gain
    assert gains[True] >= gains[False] * (1 - 1e-12)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=25)
def test_a_refined_constant_is_the_best_cut_of_its_column(seed, gaps):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 1))
    if gaps:
        X[rng.random(40) < 0.3] = np.nan
    y = ((X[:, 0] > 0.3) ^ (rng.random(40) < 0.2)).astype(int)
    model = GPTreeClassifier(
        4, generations=1, functions=[">"], terminals=[0, "constants"], max_size=3, max_depth=1,
        min_entropy=0.0, refine_constants=True, random_state=seed,
    ).fit(X, y)  # fmt: skip
    root = model.tree_.root
    if root.is_leaf or root.test.tokens[1].op != "constant":
        return
    cuts = np.sort(X[~np.isnan(X[:, 0]), 0])[:-1]
    tests = [[("column", 0, 0.0), ("constant", 0, c), ("greater", 0, 0.0)] for c in cuts]
    most = max(gain(answers(test, X), y, np.ones(40), entropy_in_counts) for test in tests)
    assert root.gain == pytest.approx(most)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_refining_constants_never_lowers_what_a_later_root_is_judged_by(seed):
    frame, y = problem(seed, 80)
    first = [("column", 0, 0.0), ("positive", 0, 0.0)]
    worth = []
    for refine in (False, True):
        model = GPTreeClassifier(10, generations=3, max_depth=1, refine_constants=refine)
        watched = Watched(model, frame, y, seed=seed, n_trees=2, diverse_roots=True)
        watched.evolution.resume([in_numbers(first)], 0, 0, 0, [], ([], 0.0), 0)
        while not watched.step():
            pass
        root, second = (answers(test, watched.values) for test in watched.tests)
        earlier = [side_of(root, np.ones(80))]
        worth.append(least_gain(second, earlier, y, np.ones(80), entropy_in_counts))
    assert worth[1] >= worth[0] - 1e-9
