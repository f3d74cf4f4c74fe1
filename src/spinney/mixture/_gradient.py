"""Gradient ascent on the penalised log-likelihood of gates and experts together.

By Fisher's identity the slope of the log-likelihood is the sum of the slopes of the parts, each in
its share of the rows; so one pass over the experts gives both the value and its slope.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spinney.mixture._em import Climb, Limits, State, finished
from spinney.mixture._lesson import Lesson

__all__ = ["ascend", "slope_of"]

Floats = NDArray[np.float64]
Bound = tuple[float | None, float | None]
_IDLE_STEPS = 5  # in a row must bring nothing: the gains of quasi-Newton steps are uneven
_NO_STEP = 2  # what L-BFGS-B says when its line search finds nothing higher
_FLAT = 1e-5  # slope for a unit of weight at a top, as far as rounding lets it be seen


def ascend(lesson: Lesson, start: State, limits: Limits) -> Climb:
    """Climb by L-BFGS; its line search never steps down.

    Parameters
    ----------
    lesson : Lesson
        What is learned.
    start : State
        Where to start; all experts have slopes.
    limits : Limits
        When to end.

    Returns
    -------
    Climb
    """
    history: list[float] = []
    value = start.evaluate(lesson)[0]
    if not len(_packed(start)):  # one expert of one class
        return finished(start, [value], converged=True)
    last, idle = value, 0

    def lost(vector: Floats) -> tuple[float, Floats]:
        state = _unpacked(lesson, start, vector)
        value, shares = state.evaluate(lesson)
        return -value, -slope_of(lesson, state, shares)

    def note(intermediate_result: Any) -> None:
        nonlocal last, idle
        value = -float(intermediate_result.fun)
        history.append(value)
        idle = idle + 1 if value - last <= limits.tol * lesson.total else 0
        last = value
        if idle >= _IDLE_STEPS:
            raise StopIteration

    bounds = _bounds(start)
    found = minimize(
        lost,
        _packed(start),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=note,
        options={"maxiter": limits.max_iter, "maxfun": 20 * limits.max_iter, "ftol": 0, "gtol": 0},
    )
    state = _unpacked(lesson, start, found.x)
    if not history:  # there was nothing to climb
        history.append(-float(found.fun))
    flat = _steepest(found.x, -found.jac, bounds) <= _FLAT * lesson.total
    at_top = bool(found.success) or (found.status == _NO_STEP and flat)
    return finished(state, history, idle >= _IDLE_STEPS or at_top)


def _steepest(place: Floats, slope: Floats, bounds: list[Bound]) -> float:
    """Return the largest slope upwards that no lower bound forbids."""
    low = np.array([-np.inf if bound[0] is None else bound[0] for bound in bounds])
    return float(np.abs(np.where((place <= low) & (slope < 0.0), 0.0, slope)).max())


def slope_of(lesson: Lesson, state: State, shares: Floats) -> Floats:
    """Return the slope of the penalised log-likelihood, in the order of the packed numbers.

    Parameters
    ----------
    lesson : Lesson
        What is learned.
    state : State
        Where; all experts have slopes.
    shares : array of shape (n_rows, n_experts)
        The responsibilities there.

    Returns
    -------
    array
    """
    mass = np.asfortranarray(shares * lesson.weight[:, np.newaxis])
    problems = state.gates.targets(lesson.asked.design, mass, lesson.gate_ridge)
    answers = [answer for level in state.log_branches for answer in level]
    parts = [
        problem.gradient(coef, answer).ravel()
        for problem, coef, answer in zip(problems, state.gates.coefs(), answers, strict=True)
    ]
    experts: Any = state.experts
    for e, (expert, answer) in enumerate(zip(experts, state.answers, strict=True)):
        parts.append(expert.slope(lesson, mass[:, e], answer))
    return np.concatenate(parts)


def _packed(state: State) -> Floats:
    experts: Any = state.experts
    parts = [coef.ravel() for coef in state.gates.coefs()] + [expert.pack() for expert in experts]
    return np.concatenate(parts)


def _unpacked(lesson: Lesson, like: State, vector: Floats) -> State:
    """Return the state whose numbers these are."""
    place = 0

    def next_part(size: int) -> Floats:
        nonlocal place
        place += size
        return vector[place - size : place]

    coefs = [next_part(coef.size).reshape(coef.shape) for coef in like.gates.coefs()]
    old: Any = like.experts
    experts = tuple(expert.unpack(next_part(len(expert.pack()))) for expert in old)
    return State.of(lesson, like.gates.with_coefs(coefs), experts)


def _bounds(state: State) -> list[Bound]:
    experts: Any = state.experts
    free = sum(coef.size for coef in state.gates.coefs())
    return [(None, None)] * free + [bound for expert in experts for bound in expert.bounds()]
