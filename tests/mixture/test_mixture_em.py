"""EM: what it climbs, that it never falls, and what it finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from mixture_kit import assert_never_falls, four_regimes, problems, two_regimes
from reference.mixture import log_likelihood
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from spinney import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor

STILL_CLIMBS = r"ignore:MixtureOfExperts\w+ still climbs"


@pytest.mark.filterwarnings(STILL_CLIMBS)
@given(problems())
def test_the_penalised_log_likelihood_of_classes_never_falls(problem):
    model = MixtureOfExpertsClassifier(**problem["settings"])
    model.fit(problem["X"], problem["codes"], sample_weight=problem["weight"])
    assert_never_falls(model)
    shares = model.predict_proba(problem["X"])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.filterwarnings(STILL_CLIMBS)
@given(problems())
def test_the_penalised_log_likelihood_of_numbers_never_falls(problem):
    model = MixtureOfExpertsRegressor(**problem["settings"])
    model.fit(problem["X"], problem["numbers"], sample_weight=problem["weight"])
    assert_never_falls(model)
    assert np.isfinite(model.predict(problem["X"])).all()


@pytest.mark.filterwarnings(STILL_CLIMBS)
@pytest.mark.parametrize("solver", ["em", "gradient"])
@settings(max_examples=10)
@given(problems())
def test_what_is_climbed_is_the_log_likelihood_by_its_definition(solver, problem):
    """Of a table of numbers, as the reference knows no others."""
    X = problem["X"][["a", "b"]].fillna(0.0).to_numpy() * [1.0, 2.0]
    X[:, 0] /= np.abs(X[:, 0]).max() or 1.0
    weight = problem["weight"]
    for cls, y in ((MixtureOfExpertsClassifier, "codes"), (MixtureOfExpertsRegressor, "numbers")):
        model = cls(**problem["settings"], solver=solver)
        model.fit(X, problem[y], sample_weight=weight)
        used = weight > 0
        if len(model.gates_[0].columns) < 2 or len(getattr(model, "classes_", "two")) < 2:
            continue  # a constant column has no coefficient, and one class no function
        expected = log_likelihood(model, X[used], problem[y][used], weight[used])
        assert model.log_likelihood_[-1] == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_one_expert_is_scikit_learns_logistic_regression(n_classes, C):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(250, 3)) * [1.0, 8.0, 0.2] + [0.0, 100.0, 0.0]
    y = np.digitize(X @ [1.0, 0.1, 2.0] - 10.0 + rng.normal(size=250), [-1, 0, 1][: n_classes - 1])
    weight = rng.integers(1, 4, 250)
    model = MixtureOfExpertsClassifier(branching=1, C=C, tol=1e-13)
    model.fit(X, y, sample_weight=weight)
    theirs = LogisticRegression(C=C, tol=1e-12, max_iter=5000, solver="newton-cholesky")
    theirs.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.experts_[0].coef, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert model.predict(X).tolist() == theirs.predict(X).tolist()


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_one_expert_is_scikit_learns_ridge(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * [1.0, 8.0, 0.2] + [0.0, 100.0, 0.0]
    y = 1e4 + X @ [1.0, 0.1, 2.0] + rng.normal(size=80)
    weight = rng.random(80)
    model = MixtureOfExpertsRegressor(branching=1, C=C).fit(X, y, sample_weight=weight)
    theirs = Ridge(alpha=1 / C).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.experts_[0].coef[0], theirs.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.experts_[0].intercept, theirs.intercept_, rtol=1e-9)


def test_two_regimes_of_classes_are_found():
    rng = np.random.default_rng(0)
    X, score, part = two_regimes(rng, 3000)
    y = rng.random(3000) < 1 / (1 + np.exp(-score))
    model = MixtureOfExpertsClassifier(branching=2, C=100, gate_C=100, random_state=0).fit(X, y)
    best = np.mean((score > 0) == y)
    assert model.score(X, y) > best - 0.01
    of_expert = model.responsibilities(X).argmax(axis=1)
    agreement = np.mean(of_expert == part)
    assert max(agreement, 1 - agreement) > 0.9
    order = [0, 1] if agreement > 0.5 else [1, 0]
    found = np.array([model.experts_[e].coef[0] for e in order])
    np.testing.assert_allclose(found, [[1.0, 2.0], [1.0, -2.0]], atol=0.6)
    single = MixtureOfExpertsClassifier(branching=1).fit(X, y)
    assert single.score(X, y) < best - 0.1


def test_two_regimes_of_numbers_are_found():
    rng = np.random.default_rng(1)
    X, score, part = two_regimes(rng, 1000)
    y = score + 0.2 * rng.normal(size=1000)
    model = MixtureOfExpertsRegressor(branching=2, C=100, gate_C=100, random_state=0).fit(X, y)
    of_expert = model.responsibilities(X).argmax(axis=1)
    flipped = np.mean(of_expert == part) < 0.5
    assert np.mean((of_expert == part) != flipped) > 0.98
    order = [1, 0] if flipped else [0, 1]
    found = np.array([model.experts_[e].coef[0] for e in order])
    np.testing.assert_allclose(found, [[1.0, 2.0], [1.0, -2.0]], atol=0.05)
    variances = [expert.variance for expert in model.experts_]
    np.testing.assert_allclose(variances, 0.04, rtol=0.3)


@pytest.mark.parametrize("cls", [MixtureOfExpertsClassifier, MixtureOfExpertsRegressor])
def test_four_regimes_are_found_by_a_hierarchy_of_gates(cls):
    rng = np.random.default_rng(2)
    X, score, _ = four_regimes(rng, 4000)
    model = cls(branching=(2, 2), C=100, gate_C=100, n_init=5, random_state=0)
    if cls is MixtureOfExpertsRegressor:
        assert model.fit(X, score + 0.3 * rng.normal(size=4000)).score(X, score) > 0.99
        return
    y = rng.random(4000) < 1 / (1 + np.exp(-2.0 * score))
    best = np.mean((score > 0) == y)
    assert model.fit(X, y).score(X, y) > best - 0.02
    two = MixtureOfExpertsClassifier(branching=2, C=100, gate_C=100, random_state=0).fit(X, y)
    assert two.score(X, y) < model.score(X, y)


def test_the_best_of_the_starts_is_kept():
    rng = np.random.default_rng(3)
    X, score, _ = four_regimes(rng, 300)
    one = MixtureOfExpertsRegressor(n_init=1, random_state=0).fit(X, score)
    many = MixtureOfExpertsRegressor(n_init=6, random_state=0).fit(X, score)
    assert many.log_likelihood_[-1] >= one.log_likelihood_[-1]


def test_steps_end_by_tol_or_with_a_warning():
    rng = np.random.default_rng(4)
    X, score, _ = two_regimes(rng, 200)
    y = score > 0
    loose = MixtureOfExpertsClassifier(tol=1e-2, random_state=0).fit(X, y)
    assert loose.converged_
    assert (np.diff(loose.log_likelihood_)[-1:] <= 1e-2 * 200).all()
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps. Raise max_iter or tol"):
        short = MixtureOfExpertsClassifier(max_iter=3, tol=0.0, random_state=0).fit(X, y)
    assert not short.converged_
    assert short.n_iterations_ == short.n_iter_ == len(short.log_likelihood_) == 3
