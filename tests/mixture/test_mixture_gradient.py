"""Gradient ascent: slopes against differences, and the same ends as EM."""

import numpy as np
import pytest
from hypothesis import given, settings
from mixture_kit import assert_never_falls, problems, slopes, two_regimes

from spinney import CARTClassifier, MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from spinney.mixture._em import State, random_start
from spinney.mixture._experts import LinearExpert, LogisticExpert
from spinney.mixture._gradient import _packed, _unpacked, slope_of
from spinney.mixture._lesson import Asked, Lesson, Scale


def lesson_of(rng, classes):
    design = np.column_stack([np.ones(20), rng.normal(size=(20, 2))])
    ridges = (np.array([0.0, 0.3, 1.0]), np.array([0.0, 1.0, 0.5]))
    weight = rng.random(20)
    if classes:
        codes = rng.integers(0, classes, 20)
        return Lesson(Asked(design, None), weight, *ridges, codes, codes, np.arange(classes))
    y = rng.normal(size=20)
    scale = Scale.of(y, weight)
    return Lesson(Asked(design, None), weight, *ridges, scale.down(y), y, scale=scale)


@pytest.mark.parametrize("branching", [(1,), (3,), (2, 2)])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_slope_is_that_of_the_penalised_log_likelihood(branching, classes):
    rng = np.random.default_rng(classes)
    lesson = lesson_of(rng, classes)

    def new(seed):
        if classes:
            return LogisticExpert(rng.normal(size=(3, classes - 1)))
        return LinearExpert(rng.normal(size=3), float(rng.uniform(0.2, 2.0)))

    state = random_start(lesson, branching, new, rng)

    def value(vector):
        return _unpacked(lesson, state, vector).evaluate(lesson)[0]

    at = _packed(state) + 0.1 * rng.normal(size=len(_packed(state)))
    there = _unpacked(lesson, state, at)
    found = slope_of(lesson, there, there.evaluate(lesson)[1])
    np.testing.assert_allclose(found, slopes(value, at), atol=1e-5)


def test_packing_loses_nothing():
    rng = np.random.default_rng(0)
    lesson = lesson_of(rng, 3)
    state = random_start(lesson, (2, 2), lambda seed: LogisticExpert(np.zeros((3, 2))), rng)
    again = _unpacked(lesson, state, _packed(state))
    assert isinstance(again, State)
    assert again.evaluate(lesson)[0] == pytest.approx(state.evaluate(lesson)[0])


@pytest.mark.filterwarnings(r"ignore:MixtureOfExperts\w+ still climbs")
@settings(max_examples=15)
@given(problems())
def test_gradient_ascent_never_falls(problem):
    X, weight = problem["X"], problem["weight"]
    classes = MixtureOfExpertsClassifier(**problem["settings"], solver="gradient")
    assert_never_falls(classes.fit(X, problem["codes"], sample_weight=weight))
    numbers = MixtureOfExpertsRegressor(**problem["settings"], solver="gradient")
    assert_never_falls(numbers.fit(X, problem["numbers"], sample_weight=weight))


@pytest.mark.parametrize("cls", [MixtureOfExpertsClassifier, MixtureOfExpertsRegressor])
def test_both_solvers_find_the_same_mixture(cls):
    rng = np.random.default_rng(5)
    X, score, _ = two_regimes(rng, 400)
    y = score + rng.normal(size=400)
    y = y > 0 if cls is MixtureOfExpertsClassifier else y
    options = {"branching": 2, "tol": 1e-9, "max_iter": 5000, "random_state": 0}
    by_em, by_slopes = (cls(solver=s, **options).fit(X, y) for s in ("em", "gradient"))
    assert by_em.log_likelihood_[-1] == pytest.approx(by_slopes.log_likelihood_[-1], rel=1e-4)
    assert by_em.score(X, y) == pytest.approx(by_slopes.score(X, y), abs=0.01)


def test_learners_without_slopes_are_refused():
    model = MixtureOfExpertsClassifier(CARTClassifier(), solver="gradient")
    with pytest.raises(ValueError, match=r"solver='gradient' needs.*Use solver='em'"):
        model.fit([[0.0], [1.0]], [0, 1])
