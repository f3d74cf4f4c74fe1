"""Training from a starting point: the EM algorithm, or gradient ascent.

In EM, the E-step computes the responsibilities: the posterior probability of each expert for each
row. In the M-step every gate and every expert is fitted to its weighted share. No part may lower
the likelihood of its share, so the penalised log-likelihood never falls: generalised EM (Dempster,
Laird and Rubin 1977; Jordan and Jacobs 1994).

Gradient ascent moves gates and experts together. By Fisher's identity the gradient of the
log-likelihood is the sum of the gradients of the parts, each weighted by its responsibilities, so
one pass over the experts yields value and gradient.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from spinney._typing import Floats
from spinney.mixture._experts import Expert
from spinney.mixture._gates import GateTree, log_shares
from spinney.mixture._training_data import TrainingData

_FIRST_STEPS = 3  # M-steps of the experts under random gates
_LAST_STEPS = 2  # consecutive steps without gain: training may linger on a plateau
Bound = tuple[float | None, float | None]
_IDLE_STEPS = 5  # in a row must bring nothing: the gains of quasi-Newton steps are uneven
_NO_STEP = 2  # what L-BFGS-B says when its line search finds nothing higher
_FLAT = 1e-5  # slope for a unit of weight at a top, as far as rounding lets it be seen


@dataclass(frozen=True)
class Limits:
    """Stopping: the number of iterations, and the least gain per unit of weight."""

    max_iter: int
    tol: float


@dataclass(frozen=True)
class State:
    """A mixture in training: gates and experts with their outputs for the training rows."""

    gates: GateTree
    log_branches: list[list[Floats]]
    experts: tuple[Expert, ...]
    outputs: tuple[Floats, ...]

    @classmethod
    def of(cls, data: TrainingData, gates: GateTree, experts: tuple[Expert, ...]) -> "State":
        """Evaluate gates and experts on the training rows."""
        outputs = tuple(expert.output(data.inputs) for expert in experts)
        return cls(gates, gates.log_branches(data.inputs.design), experts, outputs)

    def evaluate(self, data: TrainingData) -> tuple[float, Floats]:
        """Return the penalised log-likelihood, and the responsibilities of the experts."""
        joint = log_shares(self.log_branches)
        for e, (expert, output) in enumerate(zip(self.experts, self.outputs, strict=True)):
            joint[:, e] += expert.log_density(data, output)
        top = joint.max(axis=1)
        joint -= top[:, np.newaxis]
        np.exp(joint, out=joint)
        total = joint.sum(axis=1)
        joint /= total[:, np.newaxis]
        value = float(np.sum(data.weight * (top + np.log(total))))
        return value - self.penalty(data), joint

    def penalty(self, data: TrainingData) -> float:
        """Return the ridge penalty."""
        gates = self.gates.penalty(data.gate_ridge)
        return gates + sum(expert.penalty(data) for expert in self.experts)

    def improved(self, data: TrainingData, shares: Floats, *, gates: bool = True) -> "State":
        """Perform the M-step: fit every gate and expert to its weighted rows."""
        mass = np.asfortranarray(shares * data.weight[:, np.newaxis])
        pairs = [
            expert.improved(data, mass[:, e], output)
            for e, (expert, output) in enumerate(zip(self.experts, self.outputs, strict=True))
        ]
        tree, branches = self.gates, self.log_branches
        if gates:
            design, ridge = data.inputs.design, data.gate_ridge
            tree, branches = tree.improved(design, mass, ridge, branches)
        experts = tuple(expert for expert, _ in pairs)
        return State(tree, branches, experts, tuple(output for _, output in pairs))


@dataclass(frozen=True)
class TrainingResult:
    """The result of one initialisation, with the penalised log-likelihood after each step."""

    gates: GateTree
    experts: tuple[Expert, ...]
    shares: Floats  # of the experts in the rows, as the gates have them
    history: list[float]
    converged: bool


def run_em(data: TrainingData, start: State, limits: Limits) -> TrainingResult:
    """Iterate EM until convergence or the maximum number of iterations.

    Parameters
    ----------
    data : TrainingData
        The training data.
    start : State
        The initial mixture.
    limits : Limits
        Stopping criteria.

    Returns
    -------
    TrainingResult
    """
    state = start
    value, shares = state.evaluate(data)
    history: list[float] = []
    idle = 0
    while len(history) < limits.max_iter and idle < _LAST_STEPS:
        before = value
        state = state.improved(data, shares)
        value, shares = state.evaluate(data)
        history.append(value)
        idle = idle + 1 if value - before <= limits.tol * data.total else 0
    return finished(state, history, idle >= _LAST_STEPS)


def finished(state: State, history: list[float], converged: bool) -> TrainingResult:
    """Return the result of the final state."""
    shares = np.exp(log_shares(state.log_branches))
    return TrainingResult(state.gates, state.experts, shares, history, converged)


def random_start(
    data: TrainingData,
    branching: tuple[int, ...],
    new_expert: Callable[[int], Expert],
    rng: np.random.Generator,
) -> State:
    """Initialise with random gates, and experts fitted to their gate probabilities.

    Parameters
    ----------
    data : TrainingData
        The training data.
    branching : tuple of int
        Number of branches of the gates of each level.
    new_expert : callable
        Returns an untrained expert, given a seed.
    rng : Generator
        Draws coefficients and seeds, nothing by row.

    Returns
    -------
    State
    """
    gates = GateTree.random(branching, data.inputs.design.shape[1], rng)
    seeds = rng.integers(2**31, size=gates.n_experts).tolist()
    state = State.of(data, gates, tuple(new_expert(seed) for seed in seeds))
    shares = np.exp(log_shares(state.log_branches))
    for _ in range(_FIRST_STEPS):
        state = state.improved(data, shares, gates=False)
    return state


def even_start(
    data: TrainingData, branching: tuple[int, ...], experts: tuple[Expert, ...]
) -> State:
    """Initialise with uniform gates, which suffice where the experts differ already."""
    gates = GateTree.even(branching, data.inputs.design.shape[1])
    return State.of(data, gates, experts)


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
