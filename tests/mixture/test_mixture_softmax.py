"""Penalised logistic regression with soft targets, against scikit-learn and against differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mixture_kit import fit_softmax, slopes
from sklearn.linear_model import LogisticRegression

from spinney.mixture import _softmax
from spinney.mixture._softmax import SoftTargets, log_softmax, penalty, solved


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])


def hard(codes, weight, n_classes):
    return np.eye(n_classes)[codes] * weight[:, None]


def problem(seed, n_classes, n_rows=30, n_columns=3, weigh=True):
    rng = np.random.default_rng(seed)
    weights = rng.random((n_rows, n_classes)) if weigh else np.full((n_rows, n_classes), 1.0)
    ridge = np.append(0.0, rng.random(n_columns))
    return SoftTargets(with_ones(rng.normal(size=(n_rows, n_columns))), weights, ridge)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_hard_targets_give_the_coefficients_of_scikit_learn(n_classes, weighted):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(200, 4)) * [1.0, 3.0, 0.3, 1.0]
    codes = np.digitize(X @ [1.0, 0.3, -1.0, 0.0] + rng.normal(size=200), [-1, 0, 1, 2])
    codes = np.unique(codes % n_classes, return_inverse=True)[1]
    weight = rng.integers(1, 4, 200).astype(float) if weighted else np.ones(200)
    theirs = LogisticRegression(C=0.7, tol=1e-12, max_iter=10_000)
    theirs.fit(X, codes, sample_weight=weight)
    ridge = np.array([0.0, 1.0, 1.0, 1.0, 1.0]) / 0.7
    coef = fit_softmax(SoftTargets(with_ones(X), hard(codes, weight, n_classes), ridge))
    shares = np.exp(log_softmax(with_ones(X), coef))
    np.testing.assert_allclose(shares, theirs.predict_proba(X), atol=1e-6)
    full = coef if n_classes == 2 else np.column_stack([np.zeros(5), coef])
    full = full if n_classes == 2 else full - full.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(full[1:].T, theirs.coef_, atol=1e-5)


def test_soft_targets_are_rows_in_several_classes():
    soft = problem(0, 3)
    rows = np.repeat(np.arange(30), 3)
    codes = np.tile(np.arange(3), 30)
    parts = SoftTargets(soft.design[rows], hard(codes, soft.weights[rows, codes], 3), soft.ridge)
    np.testing.assert_allclose(fit_softmax(soft), fit_softmax(parts), atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_slopes_and_curvature_are_those_of_the_objective(n_classes):
    soft = problem(n_classes, n_classes)
    rng = np.random.default_rng(1)
    coef = rng.normal(size=(4, n_classes - 1))

    def objective(at):
        return soft.objective(at, log_softmax(soft.design, at))

    def gradient(at):
        return soft.gradient(at, log_softmax(soft.design, at))

    np.testing.assert_allclose(gradient(coef).ravel(), slopes(objective, coef), atol=1e-6)
    curvature = soft.curvature(log_softmax(soft.design, coef))
    columns = [slopes(lambda at, c=c: gradient(at).T.ravel()[c], coef) for c in range(coef.size)]
    by_class = np.array([column.reshape(coef.shape).T.ravel() for column in columns])
    np.testing.assert_allclose(-curvature, by_class, atol=1e-5)


def test_the_objective_is_its_definition():
    soft = problem(5, 3)
    coef = np.random.default_rng(2).normal(size=(4, 2))
    total = 0.0
    full = np.column_stack([np.zeros(4), coef])
    for row, weights in zip(soft.design, soft.weights, strict=True):
        scores = np.exp(row @ full)
        total += float(weights @ np.log(scores / scores.sum()))
    centred = full - full.mean(axis=1, keepdims=True)
    total -= 0.5 * float(np.sum(soft.ridge[:, None] * centred**2))
    assert soft.objective(coef, log_softmax(soft.design, coef)) == pytest.approx(total)
    assert penalty(np.full((4, 1), 2.0), np.array([0.0, 1.0, 1.0, 1.0])) == pytest.approx(6.0)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 4),
    st.sampled_from([0.1, 3.0, 100.0]),
    st.sampled_from([0, 600]),
)
def test_a_step_never_lowers_the_objective(seed, n_classes, spread, most_unknowns):
    soft = problem(seed, n_classes, n_rows=12)
    coef = np.random.default_rng(seed).normal(size=(4, n_classes - 1)) * spread
    answer = log_softmax(soft.design, coef)
    before = soft.objective(coef, answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_softmax, "_MOST_UNKNOWNS", most_unknowns)
        better, theirs = soft.improved(coef, answer)
    np.testing.assert_array_equal(theirs, log_softmax(soft.design, better))
    assert soft.objective(better, theirs) >= before


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_steps_without_a_matrix_reach_the_same_end(n_classes, monkeypatch):
    soft = problem(7, n_classes)
    by_newton = fit_softmax(soft)
    monkeypatch.setattr(_softmax, "_MOST_UNKNOWNS", 0)
    np.testing.assert_allclose(fit_softmax(soft), by_newton, atol=1e-7)


def test_steps_without_a_matrix_bear_equal_columns_and_ridges_of_any_size(monkeypatch):
    monkeypatch.setattr(_softmax, "_MOST_UNKNOWNS", 0)
    soft = problem(5, 3)
    soft.design[:, 3] = soft.design[:, 2]
    soft.ridge[1:] = [1e30, 1e-30, 0.0]
    coef = np.zeros((4, 2))
    answer = log_softmax(soft.design, coef)
    for _ in range(20):
        before = soft.objective(coef, answer)
        coef, answer = soft.improved(coef, answer)
        assert soft.objective(coef, answer) >= before
    size = np.array([1.0, 1e30, 1.0, 1.0])[:, np.newaxis]
    np.testing.assert_allclose(soft.gradient(coef, answer) / size, 0.0, atol=1e-6)
    soft.weights[:] = 0.0
    assert np.isfinite(soft.improved(coef, answer)[0]).all()


def test_separable_classes_end_where_the_ridge_holds_them():
    x = np.array([-2.0, -1.0, 1.0, 2.0])
    codes = (x > 0).astype(int)
    soft = SoftTargets(with_ones(x[:, None]), hard(codes, np.ones(4), 2), np.array([0.0, 1e-8]))
    coef = fit_softmax(soft, max_steps=500)
    assert np.isfinite(coef).all()
    assert (np.exp(log_softmax(soft.design, coef))[np.arange(4), codes] > 0.999).all()


def test_a_class_without_weight_gets_no_share_and_no_weight_changes_nothing():
    soft = problem(3, 3)
    soft.weights[:, 2] = 0.0
    shares = np.exp(log_softmax(soft.design, fit_softmax(soft)))
    assert shares[:, 2].max() < 1e-6
    soft.weights[:] = 0.0
    start = np.random.default_rng(0).normal(size=(4, 2))
    better, _ = soft.improved(start, log_softmax(soft.design, start))
    np.testing.assert_allclose(better[1:], 0.0, atol=1e-9)  # the ridge is all there is


def test_far_logits_neither_overflow_nor_lose_their_sum():
    design = with_ones(np.array([[-1e3], [0.0], [1e3]]))
    answer = log_softmax(design, np.array([[0.0, 1.0], [50.0, -70.0]]))
    assert np.isfinite(answer).all()
    np.testing.assert_allclose(np.exp(answer).sum(axis=1), 1.0)


def test_ridges_that_differ_by_sixty_powers_of_ten_leave_the_others_alone():
    soft = problem(11, 3)
    soft.ridge[1:] = [1e30, 1e-30, 1.0]
    coef = fit_softmax(soft)
    without = SoftTargets(soft.design[:, [0, 2, 3]], soft.weights, soft.ridge[[0, 2, 3]])
    np.testing.assert_allclose(coef[[0, 2, 3]], fit_softmax(without), atol=1e-6)
    np.testing.assert_allclose(coef[1], 0.0, atol=1e-20)


@pytest.mark.parametrize("rank", [1, 3, 6])
def test_equations_of_a_singular_matrix_are_solved_where_they_can_be(rank):
    rng = np.random.default_rng(rank)
    half = rng.normal(size=(6, rank)) * 10.0 ** rng.integers(-8, 8, size=(6, 1))
    matrix = half @ half.T
    wanted = matrix @ rng.normal(size=6)
    size = np.sqrt(np.diag(matrix))
    found = matrix @ solved(matrix, wanted)
    np.testing.assert_allclose(found / size, wanted / size, atol=1e-4 * np.abs(wanted / size).max())
    np.testing.assert_array_equal(solved(np.zeros((3, 3)), np.zeros(3)), 0.0)
