"""The fitness of every program of a population is that of plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evolve import (
    answers,
    entropy_in_counts,
    gain,
    least_gain,
    side_of,
    squares,
)

from evolve.kit import Watched, classes_of, in_numbers, mixed_table
from spinney import GPTreeClassifier, GPTreeRegressor

problems = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "n": st.integers(6, 60),
        "n_classes": st.integers(2, 4),
        "gaps": st.sampled_from([0.0, 0.1, 0.5]),
        "weights": st.sampled_from(["none", "integer", "real", "some zero"]),
        "class_weight": st.sampled_from([None, "balanced", "given"]),
    }
)


def draw_weights(rng, kind, n):
    if kind == "none":
        return None
    if kind == "integer":
        return rng.integers(1, 5, n).astype(float)
    weight = rng.random(n) + 0.01
    if kind == "some zero":
        weight[rng.permutation(n)[: n // 4]] = 0.0
    return weight


def as_counted(y, weight, class_weight):
    """Return what each row counts for: its weight times that of its class."""
    weight = np.ones(len(y)) if weight is None else weight
    if class_weight is None:
        return weight
    labels = np.unique(y)
    if class_weight == "balanced":
        totals = {one: weight[y == one].sum() for one in labels}
        factors = {one: weight.sum() / (len(labels) * totals[one]) for one in labels}
    else:
        factors = class_weight
    return weight * np.array([factors.get(one, 1.0) for one in y.tolist()])


def classification(p):
    rng = np.random.default_rng(p["seed"])
    frame = mixed_table(rng, p["n"], p["gaps"])
    y = classes_of(frame, rng, p["n_classes"])
    y[:2] = [0, 1]
    weight = draw_weights(rng, p["weights"], p["n"])
    if weight is not None:
        weight[:2] = 1.0
    kind = p["class_weight"]
    class_weight = {0: 2.5, 1: 0.5} if kind == "given" else kind
    used = np.ones(p["n"], dtype=bool) if weight is None else weight > 0
    counted = as_counted(y[used], None if weight is None else weight[used], class_weight)
    return frame, y, weight, class_weight, used, counted


@pytest.mark.slow
@given(problems)
@settings(max_examples=25)
def test_the_fitness_of_a_test_is_its_information_gain_in_counts(p):
    frame, y, weight, class_weight, used, counted = classification(p)
    if len(np.unique(y[used])) < 2:
        return
    model = GPTreeClassifier(
        30, generations=4, class_weight=class_weight, min_entropy=0.0, min_fraction=0.0
    )
    watched = Watched(model, frame, y, weight, seed=p["seed"])
    for _ in range(2):
        watched.step()
        if watched.evolution.state()[0] or watched.evolution.is_done:
            break  # nothing was left to gain
        for tokens, _, fitness in watched.population():
            said = answers(tokens, watched.values[used])
            naive = gain(said, y[used], counted, entropy_in_counts)
            assert fitness == pytest.approx(naive, abs=1e-9 * counted.sum())


@pytest.mark.slow
@given(problems)
@settings(max_examples=25)
def test_the_fitness_of_a_test_is_the_variance_it_takes_away_times_the_weight(p):
    rng = np.random.default_rng(p["seed"])
    frame = mixed_table(rng, p["n"], p["gaps"])
    y = frame["x"].fillna(0.0).to_numpy() + rng.normal(size=p["n"]) + 100.0
    weight = draw_weights(rng, p["weights"], p["n"])
    used = np.ones(p["n"], dtype=bool) if weight is None else weight > 0
    counted = np.ones(used.sum()) if weight is None else weight[used]
    watched = Watched(GPTreeRegressor(30, generations=4), frame, y, weight, seed=p["seed"])
    unit = 2.0 ** (2 * watched.target.exponent)
    for _ in range(2):
        watched.step()
        if watched.evolution.state()[0] or watched.evolution.is_done:
            break
        for tokens, _, fitness in watched.population():
            naive = gain(answers(tokens, watched.values[used]), y[used], counted, squares)
            assert fitness * unit == pytest.approx(naive, abs=1e-9 * squares(y[used], counted))


@pytest.mark.slow
@given(problems)
@settings(max_examples=25)
def test_later_roots_are_judged_by_the_least_that_earlier_ones_leave(p):
    frame, y, weight, class_weight, used, counted = classification(p)
    if len(np.unique(y[used])) < 2:
        return
    model = GPTreeClassifier(
        20, generations=2, class_weight=class_weight, max_depth=1, min_entropy=0.0, min_fraction=0.0
    )
    watched = Watched(model, frame, y, weight, seed=p["seed"], n_trees=4, diverse_roots=True)
    own = y[used]
    for _ in range(20):
        if watched.step():
            break
        tests, population = watched.tests, watched.population()
        roots = [side_of(answers(test, watched.values[used]), counted) for test in tests if test]
        for tokens, _, fitness in population:
            said = answers(tokens, watched.values[used])
            naive = least_gain(said, roots, own, counted, entropy_in_counts)
            assert fitness == pytest.approx(naive, abs=1e-9 * counted.sum())


def test_regression_roots_are_judged_by_the_least_that_earlier_ones_leave():
    rng = np.random.default_rng(3)
    frame = mixed_table(rng, 50)
    y = rng.normal(size=50) + frame["x"].fillna(0.0).to_numpy()
    model = GPTreeRegressor(20, generations=2, max_depth=1)
    watched = Watched(model, frame, y, seed=1, n_trees=4, diverse_roots=True)
    unit, n_seen = 2.0 ** (2 * watched.target.exponent), 0
    while not watched.step():
        roots = [side_of(answers(t, watched.values), np.ones(50)) for t in watched.tests]
        for tokens, _, fitness in watched.population():
            said = answers(tokens, watched.values)
            naive = least_gain(said, roots, y, np.ones(50), squares)
            assert fitness * unit == pytest.approx(naive, abs=1e-9 * squares(y, np.ones(50)))
            n_seen += bool(roots)
    assert n_seen > 0


def test_a_test_without_gain_of_its_own_can_be_the_best_second_root():
    """What x > 0 leaves of an exclusive or is told by y > 0, which by itself tells nothing."""
    X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)] * 3)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = GPTreeClassifier(
        20, generations=2, functions=["> 0"], terminals=[0, 1], max_size=2, max_depth=1
    )
    watched = Watched(model, X, y, n_trees=2, diverse_roots=True)
    first, second = ([("column", i, 0.0), ("positive", 0, 0.0)] for i in range(2))
    assert gain(answers(second, X), y, np.ones(12), entropy_in_counts) == 0
    watched.evolution.resume([in_numbers(first)], 0, 0, 0, [], ([], 0.0), 0)
    assert watched.step()  # it is perfect, so nothing is left to search for
    assert watched.tests == [first, second]
