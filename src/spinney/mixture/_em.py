"""The EM algorithm and its starting points.

The E-step computes the responsibilities: the posterior probability of each expert for each row. In
the M-step every gate and every expert is fitted to its weighted share. No part may lower the
likelihood of its share, so the penalised log-likelihood never falls: generalised EM (Dempster,
Laird and Rubin 1977; Jordan and Jacobs 1994).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._experts import Expert
from spinney.mixture._gates import GateTree, log_shares
from spinney.mixture._training_data import TrainingData

Floats = NDArray[np.float64]
_FIRST_STEPS = 3  # M-steps of the experts under random gates
_LAST_STEPS = 2  # consecutive steps without gain: training may linger on a plateau


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
