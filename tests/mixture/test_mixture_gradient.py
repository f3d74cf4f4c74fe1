"""Gradient ascent: slopes against differences, and the same ends as EM."""

import numpy as np
import pytest
from hypothesis import given, settings
from mixture_kit import assert_never_falls, problems, slopes, two_regimes
from scipy.optimize import OptimizeResult
from sklearn.exceptions import ConvergenceWarning

from spinney import CARTClassifier, MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from spinney.mixture import _training
from spinney.mixture._experts import LinearExpert, LogisticExpert
from spinney.mixture._training import Limits, State, _packed, _unpacked, gradient_of, random_start
from spinney.mixture._training_data import Inputs, Scale, TrainingData


def data_of(rng, classes):
    design = np.column_stack([np.ones(20), rng.normal(size=(20, 2))])
    ridges = (np.array([0.0, 0.3, 1.0]), np.array([0.0, 1.0, 0.5]))
    weight = rng.random(20)
    if classes:
        codes = rng.integers(0, classes, 20)
        return TrainingData(Inputs(design, None), weight, *ridges, codes, codes, np.arange(classes))
    y = rng.normal(size=20)
    scale = Scale.of(y, weight)
    return TrainingData(Inputs(design, None), weight, *ridges, scale.down(y), y, scale=scale)


@pytest.mark.parametrize("branching", [(1,), (3,), (2, 2)])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_slope_is_that_of_the_penalised_log_likelihood(branching, classes):
    rng = np.random.default_rng(classes)
    data = data_of(rng, classes)

    def new(seed):
        if classes:
            return LogisticExpert(rng.normal(size=(3, classes - 1)))
        return LinearExpert(rng.normal(size=3), float(rng.uniform(0.2, 2.0)))

    state = random_start(data, branching, new, rng)

    def value(vector):
        return _unpacked(data, state, vector).evaluate(data)[0]

    at = _packed(state) + 0.1 * rng.normal(size=len(_packed(state)))
    there = _unpacked(data, state, at)
    found = gradient_of(data, there, there.evaluate(data)[1])
    np.testing.assert_allclose(found, slopes(value, at), atol=1e-5)


def test_packing_loses_nothing():
    rng = np.random.default_rng(0)
    data = data_of(rng, 3)
    state = random_start(data, (2, 2), lambda seed: LogisticExpert(np.zeros((3, 2))), rng)
    again = _unpacked(data, state, _packed(state))
    assert isinstance(again, State)
    assert again.evaluate(data)[0] == pytest.approx(state.evaluate(data)[0])


@pytest.mark.slow
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


def test_gradient_ascent_ends_after_five_steps_in_a_row_that_bring_nothing():
    rng = np.random.default_rng(6)
    X, score, _ = two_regimes(rng, 400)
    y = score + rng.normal(size=400)
    for cls, truth in ((MixtureOfExpertsClassifier, y > 0), (MixtureOfExpertsRegressor, y)):
        model = cls(branching=2, solver="gradient", n_init=1, random_state=0).fit(X, truth)
        idle = np.diff(model.log_likelihood_) <= model.tol * 400
        assert model.converged_
        assert idle[-5:].all()
        assert not any(idle[k : k + 5].all() for k in range(len(idle) - 5))


def test_tol_met_at_the_last_step_allowed_counts_as_converged():
    rng = np.random.default_rng(6)
    X, score, _ = two_regimes(rng, 400)
    options = {"branching": 2, "solver": "gradient", "n_init": 1, "random_state": 0}
    free = MixtureOfExpertsClassifier(**options).fit(X, score > 0)
    assert 5 < free.n_iterations_ < free.max_iter
    exact = MixtureOfExpertsClassifier(**options, max_iter=free.n_iterations_).fit(X, score > 0)
    assert exact.converged_
    assert exact.n_iterations_ == exact.max_iter
    short = MixtureOfExpertsClassifier(**options, max_iter=free.n_iterations_ - 1)
    with pytest.warns(ConvergenceWarning, match="still climbs"):
        short.fit(X, score > 0)
    assert not short.converged_


def test_an_optimiser_that_gives_up_on_a_slope_has_not_converged(monkeypatch):
    """Whatever it says of steps: neither tol was met nor is it flat there."""
    data = data_of(np.random.default_rng(0), 2)
    start = random_start(
        data, (2,), lambda seed: LogisticExpert(np.zeros((3, 1))), np.random.default_rng(0)
    )

    def gives_up(status, slope):
        def stopped(lost, at, **options):
            value, _ = lost(at)
            there = np.full(len(at), slope)
            return OptimizeResult(x=at, fun=value, jac=there, status=status, success=status == 0)

        monkeypatch.setattr(_training, "minimize", stopped)
        return _training.ascend(data, start, Limits(max_iter=10, tol=1e-4)).converged

    assert not gives_up(status=1, slope=1.0)  # too many calls
    assert not gives_up(status=2, slope=1.0)  # no step found on a slope
    assert gives_up(status=2, slope=1e-9)  # no step found, at a top
    assert gives_up(status=0, slope=0.0)


def test_learners_without_slopes_are_refused():
    model = MixtureOfExpertsClassifier(CARTClassifier(), solver="gradient")
    with pytest.raises(ValueError, match=r"solver='gradient' needs.*Use solver='em'"):
        model.fit([[0.0], [1.0]], [0, 1])
