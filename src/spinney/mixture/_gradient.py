"""Gradient ascent on the penalised log-likelihood of gates and experts together.

By Fisher's identity the gradient of the log-likelihood is the sum of the gradients of the parts,
each weighted by its responsibilities, so one pass over the experts yields value and gradient.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from spinney.mixture._em import Limits, State, TrainingResult, finished
from spinney.mixture._training_data import TrainingData

Floats = NDArray[np.float64]
Bound = tuple[float | None, float | None]
_IDLE_STEPS = 5  # in a row must bring nothing: the gains of quasi-Newton steps are uneven
_NO_STEP = 2  # what L-BFGS-B says when its line search finds nothing higher
_FLAT = 1e-5  # slope for a unit of weight at a top, as far as rounding lets it be seen


def ascend(data: TrainingData, start: State, limits: Limits) -> TrainingResult:
    """Maximise by L-BFGS, whose line search never decreases the likelihood.

    Parameters
    ----------
    data : TrainingData
        The training data.
    start : State
        The initial mixture, of built-in experts.
    limits : Limits
        Stopping criteria.

    Returns
    -------
    TrainingResult
    """
    history: list[float] = []
    value = start.evaluate(data)[0]
    if not len(_packed(start)):  # one expert of one class
        return finished(start, [value], converged=True)
    last, idle = value, 0

    def lost(vector: Floats) -> tuple[float, Floats]:
        state = _unpacked(data, start, vector)
        value, shares = state.evaluate(data)
        return -value, -gradient_of(data, state, shares)

    def note(intermediate_result: Any) -> None:
        nonlocal last, idle
        value = -float(intermediate_result.fun)
        history.append(value)
        idle = idle + 1 if value - last <= limits.tol * data.total else 0
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
    state = _unpacked(data, start, found.x)
    if not history:  # there was nothing to climb
        history.append(-float(found.fun))
    flat = _steepest(found.x, -found.jac, bounds) <= _FLAT * data.total
    at_top = bool(found.success) or (found.status == _NO_STEP and flat)
    return finished(state, history, idle >= _IDLE_STEPS or at_top)


def _steepest(place: Floats, slope: Floats, bounds: list[Bound]) -> float:
    """Return the largest component of the gradient that is not blocked by a bound."""
    low = np.array([-np.inf if bound[0] is None else bound[0] for bound in bounds])
    return float(np.abs(np.where((place <= low) & (slope < 0.0), 0.0, slope)).max())


def gradient_of(data: TrainingData, state: State, shares: Floats) -> Floats:
    """Return the gradient of the penalised log-likelihood, in the order of the packed vector.

    Parameters
    ----------
    data : TrainingData
        The training data.
    state : State
        The mixture, of built-in experts.
    shares : array of shape (n_rows, n_experts)
        The responsibilities.

    Returns
    -------
    array
    """
    mass = np.asfortranarray(shares * data.weight[:, np.newaxis])
    problems = state.gates.targets(data.inputs.design, mass, data.gate_ridge)
    outputs = [output for level in state.log_branches for output in level]
    parts = [
        problem.gradient(coef, output).ravel()
        for problem, coef, output in zip(problems, state.gates.coefs(), outputs, strict=True)
    ]
    experts: Any = state.experts
    for e, (expert, output) in enumerate(zip(experts, state.outputs, strict=True)):
        parts.append(expert.gradient(data, mass[:, e], output))
    return np.concatenate(parts)


def _packed(state: State) -> Floats:
    experts: Any = state.experts
    parts = [coef.ravel() for coef in state.gates.coefs()] + [expert.pack() for expert in experts]
    return np.concatenate(parts)


def _unpacked(data: TrainingData, like: State, vector: Floats) -> State:
    """Return the state of a packed vector."""
    place = 0

    def next_part(size: int) -> Floats:
        nonlocal place
        place += size
        return vector[place - size : place]

    coefs = [next_part(coef.size).reshape(coef.shape) for coef in like.gates.coefs()]
    old: Any = like.experts
    experts = tuple(expert.unpack(next_part(len(expert.pack()))) for expert in old)
    return State.of(data, like.gates.with_coefs(coefs), experts)


def _bounds(state: State) -> list[Bound]:
    experts: Any = state.experts
    free = sum(coef.size for coef in state.gates.coefs())
    return [(None, None)] * free + [bound for expert in experts for bound in expert.bounds()]
