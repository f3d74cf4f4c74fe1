"""EM: what it climbs, that it never falls, and what it finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from mixture_kit import (
    SOFT_COEFS,
    assert_never_falls,
    four_regimes,
    problems,
    soft_regimes,
    two_regimes,
)
from reference.mixture import log_likelihood
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from spinney import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor

STILL_CLIMBS = r"ignore:MixtureOfExperts\w+ still climbs"


@pytest.mark.slow
@pytest.mark.filterwarnings(STILL_CLIMBS)
@given(problems())
def test_the_penalised_log_likelihood_of_classes_never_falls(problem):
    model = MixtureOfExpertsClassifier(**problem["settings"])
    model.fit(problem["X"], problem["codes"], sample_weight=problem["weight"])
    assert_never_falls(model)
    shares = model.predict_proba(problem["X"])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [20, 40])
def test_one_expert_of_many_classes_is_logistic_regression_at_the_tol_it_has(n_classes):
    """Of 40 classes it has 819 coefficients, too many for the matrix of a step."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 20))
    y = (X @ rng.normal(size=(20, n_classes)) + rng.gumbel(size=(800, n_classes))).argmax(axis=1)
    model = MixtureOfExpertsClassifier(branching=1).fit(X, y)
    theirs = LogisticRegression(tol=1e-8, max_iter=5000).fit(X, y)
    assert model.converged_
    np.testing.assert_allclose(model.experts_[0].coef, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


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


def assert_regimes_are_found(model, X, part, coefs, *, rows, atol):
    """Each regime has an expert of its own, of its rows and its coefficients."""
    of_expert = model.responsibilities(X).argmax(axis=1)
    n_experts = len(model.experts_)
    table = np.array(
        [np.bincount(of_expert[part == p], minlength=n_experts) for p in range(len(coefs))]
    )
    expert_of = table.argmax(axis=1)
    assert sorted(expert_of) == list(range(len(coefs))), table
    np.testing.assert_array_less(rows, table.max(axis=1) / table.sum(axis=1))
    found = np.array([model.experts_[e].coef[0] for e in expert_of])
    np.testing.assert_allclose(found, coefs, atol=atol)


def assert_gates_are_found(model):
    """One column at the first gate and the other at both below it: partners share a border."""
    steep = [np.abs(gate.coef[1] - gate.coef[0]) for gate in model.gates_]
    axis = int(steep[0].argmax())
    assert [int(one.argmax()) for one in steep[1:]] == [1 - axis] * (len(steep) - 1)
    for one in steep:
        assert one.min() < 0.4 * one.max()
        assert 3.0 < one.max() < 12.0  # 6 in truth


CLASSES_AND_NUMBERS = [
    (MixtureOfExpertsClassifier, lambda rng, s: rng.random(len(s)) < 1 / (1 + np.exp(-s)), 0.4),
    (MixtureOfExpertsRegressor, lambda rng, s: s + 0.3 * rng.normal(size=len(s)), 0.06),
]


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "drawn", "atol"), CLASSES_AND_NUMBERS)
@pytest.mark.parametrize("gates", [1, 2])
def test_the_regimes_of_data_from_the_model_are_found(gates, cls, drawn, atol):
    rng = np.random.default_rng(0)
    X, score, part = soft_regimes(rng, gates)
    y = drawn(rng, score)
    branching = (2,) * gates
    model = cls(branching=branching, C=100, gate_C=100, n_init=5, random_state=0).fit(X, y)
    assert_regimes_are_found(model, X, part, SOFT_COEFS[gates], rows=0.8, atol=atol)
    assert_gates_are_found(model)
    fewer = cls(branching=branching[1:] or 1, C=100, gate_C=100, random_state=0).fit(X, y)
    assert fewer.score(X, y) < model.score(X, y) - 0.05
    if cls is MixtureOfExpertsRegressor:
        variances = [expert.variance for expert in model.experts_]
        np.testing.assert_allclose(variances, 0.09, rtol=0.2)


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
