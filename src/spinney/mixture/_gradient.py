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
    last = {"value": -np.inf}
    if not len(_packed(start)):  # one expert of one class
        return finished(start, [start.evaluate(lesson)[0]], converged=True)

    def lost(vector: Floats) -> tuple[float, Floats]:
        state = _unpacked(lesson, start, vector)
        value, shares = state.evaluate(lesson)
        return -value, -slope_of(lesson, state, shares)

    def note(intermediate_result: Any) -> None:
        value = -float(intermediate_result.fun)
        history.append(value)
        gain, last["value"] = value - last["value"], value
        if gain <= limits.tol * lesson.total:
            raise StopIteration

    found = minimize(
        lost,
        _packed(start),
        jac=True,
        method="L-BFGS-B",
        bounds=_bounds(start),
        callback=note,
        options={"maxiter": limits.max_iter, "maxfun": 20 * limits.max_iter, "ftol": 0, "gtol": 0},
    )
    state = _unpacked(lesson, start, found.x)
    if not history:  # there was nothing to climb
        history.append(-float(found.fun))
    return finished(state, history, len(history) < limits.max_iter)


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


def _bounds(state: State) -> list[tuple[float | None, float | None]]:
    experts: Any = state.experts
    free = sum(coef.size for coef in state.gates.coefs())
    return [(None, None)] * free + [bound for expert in experts for bound in expert.bounds()]
