"""Tables and problems for the tests of mixtures."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from spinney.mixture._softmax import SoftTargets, log_softmax

BRANCHINGS = [(1,), (2,), (3,), (4,), (2, 2), (3, 2), (1, 2), (2, 1), (2, 2, 2)]
SOFT_COEFS = {  # of the scores of `soft_regimes`
    1: np.array([[1.0, 2.0], [1.0, -2.0]]),
    2: np.array([[3.0, 0.0], [0.0, -3.0], [0.0, 3.0], [-3.0, 0.0]]),
}


def slopes(function: Any, at: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Return the slope of a function by differences."""
    flat = at.ravel()
    found = np.empty(flat.size)
    for j in range(flat.size):
        ends = []
        for sign in (1.0, -1.0):
            moved = flat.copy()
            moved[j] += sign * step
            ends.append(function(moved.reshape(at.shape)))
        found[j] = (ends[0] - ends[1]) / (2.0 * step)
    return found


def two_regimes(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, a score that changes with the sign of the first column, and the regime."""
    X = rng.uniform(-3, 3, size=(n, 2))
    part = (X[:, 0] > 0).astype(int)
    coef = np.array([[1.0, 2.0], [1.0, -2.0]])
    return X, (X * coef[part]).sum(axis=1) + np.array([1.0, -1.0])[part], part


def four_regimes(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, a score that changes with the quadrant, and the quadrant."""
    X = rng.uniform(-3, 3, size=(n, 2))
    part = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    coef = np.array([[2.0, 1.0], [-2.0, 1.0], [1.0, -2.0], [-1.0, -2.0]])
    shift = np.array([1.0, -1.0, 0.5, -2.0])
    return X, (X * coef[part]).sum(axis=1) + shift[part], part


def soft_regimes(rng: np.random.Generator, gates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw rows, their regimes and scores from a mixture with soft gates.

    One gate of two branches parts the rows along the first column; with two levels of gates, both
    gates below it part them along the second. A regime's score is 0 in the middle of its rows.
    """
    X = rng.uniform(-3, 3, size=(6000, 2))
    above = rng.random((6000, 2)) < 1 / (1 + np.exp(-6.0 * X))
    if gates == 1:
        part, middle = above[:, 0] * 1, 1.5 * np.array([[-1, 0], [1, 0]])
    else:
        part = 2 * above[:, 0] + above[:, 1]
        middle = 1.5 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    return X, ((X - middle[part]) * SOFT_COEFS[gates][part]).sum(axis=1), part


@st.composite
def problems(draw: Any) -> dict[str, Any]:
    """Draw a mixed table with gaps, weights, a target of classes or numbers, and settings."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 40))
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n) * draw(st.sampled_from([1.0, 1e-3, 1e4])),
            "b": rng.integers(0, 3, n).astype(float),
        }
    )
    if draw(st.booleans()):
        frame["c"] = rng.choice(["u", "v", "w"], n)
    if draw(st.booleans()):
        frame["d"] = frame["a"] * 2.0 + 1.0  # collinear
    if draw(st.booleans()):
        for name in frame:
            frame.loc[rng.random(n) < 0.2, name] = None
    n_classes = draw(st.integers(1, 4))
    codes = (rng.integers(0, n_classes, n) + (frame["b"].fillna(0) > 1)) % n_classes
    weight = rng.random(n) * 3 if draw(st.booleans()) else rng.integers(0, 3, n).astype(float)
    weight[rng.integers(n)] += 1.0
    return {
        "X": frame,
        "codes": np.asarray(codes, int),
        "numbers": rng.normal(size=n) + 3.0 * codes,
        "weight": weight if draw(st.booleans()) else np.ones(n),
        "settings": {
            "branching": draw(st.sampled_from(BRANCHINGS)),
            "C": draw(st.sampled_from([0.01, 1.0, 1e4])),
            "gate_C": draw(st.sampled_from([0.1, 1.0, 1e3])),
            "n_init": 1,
            "max_iter": 15,
            "tol": 0.0,
            "random_state": draw(st.integers(0, 2**31 - 1)),
        },
    }


def assert_never_falls(model: Any) -> None:
    """Check the history of a fitted mixture, but for rounding."""
    history = model.log_likelihood_
    assert len(history) == model.n_iterations_
    assert np.isfinite(history).all()
    rounding = 1e-9 * (1.0 + np.abs(history).max())
    assert (np.diff(history) >= -rounding).all(), np.diff(history).min()


def fit_softmax(problem: SoftTargets, *, max_steps: int = 100, tol: float = 1e-10) -> np.ndarray:
    """TrainingResult from zero until a step brings almost nothing.

    Parameters
    ----------
    problem : SoftTargets
        Rows, targets and ridge.
    max_steps : int, default=100
        Steps at most.
    tol : float, default=1e-10
        The least gain of the objective, for a unit of weight, that is worth another step.

    Returns
    -------
    array of shape (n_columns, n_classes - 1)
    """
    n_classes = problem.weights.shape[1]
    coef = np.zeros((problem.design.shape[1], n_classes - 1))
    log_prob = log_softmax(problem.design, coef)
    least = tol * float(problem.weights.sum())
    for _ in range(max_steps):
        before = problem.objective(coef, log_prob)
        coef, log_prob = problem.improved(coef, log_prob)
        if problem.objective(coef, log_prob) - before <= least:
            break
    return coef
