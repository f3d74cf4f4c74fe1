"""Expectation and maximisation, step by step, and the starts.

A step divides every row among the experts by how likely each makes its truth (these are the
responsibilities), then lets every gate and every expert learn from its share. No part may lose in
its own share, so the penalised log-likelihood of the whole never falls: generalised EM (Dempster,
Laird and Rubin 1977; Jordan and Jacobs 1994).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._experts import Expert
from spinney.mixture._gates import GateTree, log_shares
from spinney.mixture._lesson import Lesson

__all__ = ["Climb", "Limits", "State", "climb", "random_start", "started"]

Floats = NDArray[np.float64]
_FIRST_STEPS = 3  # of experts in the shares of random gates
_LAST_STEPS = 2  # this many steps in a row must bring nothing: starts may linger on a plain


@dataclass(frozen=True)
class Limits:
    """When a climb ends: after so many steps, or when a unit of weight gains less than `tol`."""

    max_iter: int
    tol: float


@dataclass(frozen=True)
class State:
    """A mixture in training: gates, experts, and what each makes of the rows."""

    gates: GateTree
    log_branches: list[list[Floats]]
    experts: tuple[Expert, ...]
    answers: tuple[Floats, ...]

    @classmethod
    def of(cls, lesson: Lesson, gates: GateTree, experts: tuple[Expert, ...]) -> "State":
        """Ask gates and experts for the rows."""
        answers = tuple(expert.answer(lesson.asked) for expert in experts)
        return cls(gates, gates.log_branches(lesson.asked.design), experts, answers)

    def evaluate(self, lesson: Lesson) -> tuple[float, Floats]:
        """Return the penalised log-likelihood, and the responsibilities of the experts."""
        joint = log_shares(self.log_branches)
        for e, (expert, answer) in enumerate(zip(self.experts, self.answers, strict=True)):
            joint[:, e] += expert.log_density(lesson, answer)
        top = joint.max(axis=1)
        joint -= top[:, np.newaxis]
        np.exp(joint, out=joint)
        total = joint.sum(axis=1)
        joint /= total[:, np.newaxis]
        value = float(np.sum(lesson.weight * (top + np.log(total))))
        return value - self.penalty(lesson), joint

    def penalty(self, lesson: Lesson) -> float:
        """Return what the ridges take."""
        gates = self.gates.penalty(lesson.gate_ridge)
        return gates + sum(expert.penalty(lesson) for expert in self.experts)

    def improved(self, lesson: Lesson, shares: Floats, *, gates: bool = True) -> "State":
        """Let every gate and expert learn from its share of every row."""
        mass = np.asfortranarray(shares * lesson.weight[:, np.newaxis])
        pairs = [
            expert.improved(lesson, mass[:, e], answer)
            for e, (expert, answer) in enumerate(zip(self.experts, self.answers, strict=True))
        ]
        tree, branches = self.gates, self.log_branches
        if gates:
            design, ridge = lesson.asked.design, lesson.gate_ridge
            tree, branches = tree.improved(design, mass, ridge, branches)
        experts = tuple(expert for expert, _ in pairs)
        return State(tree, branches, experts, tuple(answer for _, answer in pairs))


@dataclass(frozen=True)
class Climb:
    """Where a start has led, and the penalised log-likelihood after every step."""

    gates: GateTree
    experts: tuple[Expert, ...]
    shares: Floats  # of the experts in the rows, as the gates have them
    history: list[float]
    converged: bool


def climb(lesson: Lesson, start: State, limits: Limits) -> Climb:
    """Take steps until they bring nothing more, or there are enough of them.

    Parameters
    ----------
    lesson : Lesson
        What is learned.
    start : State
        Where to start.
    limits : Limits
        When to end.

    Returns
    -------
    Climb
    """
    state = start
    value, shares = state.evaluate(lesson)
    history: list[float] = []
    idle = 0
    while len(history) < limits.max_iter and idle < _LAST_STEPS:
        before = value
        state = state.improved(lesson, shares)
        value, shares = state.evaluate(lesson)
        history.append(value)
        idle = idle + 1 if value - before <= limits.tol * lesson.total else 0
    return finished(state, history, idle >= _LAST_STEPS)


def finished(state: State, history: list[float], converged: bool) -> Climb:
    """Return the end of a climb."""
    shares = np.exp(log_shares(state.log_branches))
    return Climb(state.gates, state.experts, shares, history, converged)


def random_start(
    lesson: Lesson,
    branching: tuple[int, ...],
    new_expert: Callable[[int], Expert],
    rng: np.random.Generator,
) -> State:
    """Draw gates, and let new experts learn from the shares that these give them.

    Parameters
    ----------
    lesson : Lesson
        What is learned.
    branching : tuple of int
        Of the gates.
    new_expert : callable
        From a seed to an expert that knows nothing.
    rng : Generator
        Draws coefficients and seeds, and nothing for any row.

    Returns
    -------
    State
    """
    gates = GateTree.random(branching, lesson.asked.design.shape[1], rng)
    seeds = rng.integers(2**31, size=gates.n_experts).tolist()
    state = State.of(lesson, gates, tuple(new_expert(seed) for seed in seeds))
    shares = np.exp(log_shares(state.log_branches))
    for _ in range(_FIRST_STEPS):
        state = state.improved(lesson, shares, gates=False)
    return state


def started(lesson: Lesson, branching: tuple[int, ...], experts: tuple[Expert, ...]) -> State:
    """Start from even gates: where experts differ from the first, gates need no luck."""
    gates = GateTree.even(branching, lesson.asked.design.shape[1])
    return State.of(lesson, gates, experts)
