"""What a fitted mixture shows of its gates and of its own experts, in the user's units."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._design import Design
from spinney.mixture._experts import LinearExpert, LogisticExpert
from spinney.mixture._gates import GateTree
from spinney.mixture._lesson import Scale

__all__ = ["Gate", "LinearPart", "gate_text", "gates_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearPart:
    """A linear function of the columns, of one or several outputs.

    Parameters
    ----------
    columns : tuple of str
        What the coefficients belong to: numeric columns, and categories such as "purpose=car".
    intercept : array of shape (n_outputs,)
        What is added.
    coef : array of shape (n_outputs, n_columns)
        In the units of the table.
    variance : float or None, default=None
        Of the errors, for an expert that predicts numbers.
    """

    columns: tuple[str, ...]
    intercept: Floats
    coef: Floats
    variance: float | None = None


@dataclass(frozen=True, eq=False)
class Gate(LinearPart):
    """A gate: a linear score for each branch, whose softmax is the share that the branch gets.

    Parameters
    ----------
    columns : tuple of str
        What the coefficients belong to: numeric columns, and categories such as "purpose=car".
    intercept : array of shape (n_branches,)
        They add up to 0, as only differences matter.
    coef : array of shape (n_branches, n_columns)
        In the units of the table; each column adds up to 0.
    variance : None
        Not of a gate.
    path : tuple of int
        The branches that lead to the gate; () for the first.
    experts : tuple of tuple of int
        The experts below each branch.
    shares : array of shape (n_branches,)
        What the branches get of the training rows, of all weight.
    strength : array of shape (n_branches, n_columns)
        Coefficients times the spread of their column: what makes a difference in these rows.
    """

    path: tuple[int, ...] = ()
    experts: tuple[tuple[int, ...], ...] = ()
    shares: Floats | None = None
    strength: Floats | None = None


def gates_of(gates: GateTree, design: Design, shares: Floats) -> list[Gate]:
    """Return the gates, level by level and from left to right.

    Parameters
    ----------
    gates : GateTree
        In scaled columns.
    design : Design
        What the columns are.
    shares : array of shape (n_experts,)
        What the experts get of the training rows, of all weight.

    Returns
    -------
    list of Gate
    """
    found = []
    for level, coefs in enumerate(gates.levels):
        n_branches = gates.branching[level]
        below = np.arange(gates.n_experts).reshape(len(coefs), n_branches, -1)
        for number, coef in enumerate(coefs):
            full = symmetric(coef)
            intercept, slopes = design.user_units(full)
            path = np.unravel_index(number, gates.branching[:level]) if level else ()
            experts = tuple(tuple(branch) for branch in below[number].tolist())
            found.append(
                Gate(
                    design.names,
                    intercept,
                    slopes,
                    path=tuple(int(step) for step in path),
                    experts=experts,
                    shares=np.array([shares[list(branch)].sum() for branch in experts]),
                    strength=full[1:].T.copy(),
                )
            )
    return found


def symmetric(coef: Floats) -> Floats:
    """Return coefficients of every output, the first one's included, that add up to 0."""
    full = np.column_stack([np.zeros(len(coef)), coef])
    return np.asarray(full - full.mean(axis=1, keepdims=True))


def logistic_part(expert: LogisticExpert, design: Design) -> LinearPart:
    """Return a logistic expert as scikit-learn writes one: one output for two classes."""
    coef = expert.coef if expert.coef.shape[1] < 2 else symmetric(expert.coef)
    return LinearPart(design.names, *design.user_units(coef))


def linear_part(expert: LinearExpert, design: Design, scale: Scale) -> LinearPart:
    """Return a linear expert."""
    intercept, coef = design.user_units(expert.coef[:, np.newaxis])
    with np.errstate(over="ignore", under="ignore"):
        intercept = np.ldexp(intercept * scale.spread + scale.centre, scale.exponent)
        coef = np.ldexp(coef * scale.spread, scale.exponent)
        variance = np.ldexp(expert.variance * scale.spread**2, 2 * scale.exponent)
    return LinearPart(design.names, intercept, coef, float(variance))


def gate_text(gates: Sequence[Gate], max_terms: int) -> str:
    """Write the tree of gates, one line a branch.

    Parameters
    ----------
    gates : sequence of Gate
        Level by level.
    max_terms : int
        Coefficients shown, those that make most difference first.

    Returns
    -------
    str
    """
    by_path = {gate.path: gate for gate in gates}
    lines: list[str] = []
    todo: list[tuple[int, ...]] = [()]
    while todo:
        path = todo.pop()
        if path:
            lines.append(_branch_line(by_path[path[:-1]], path[-1], len(path), max_terms))
        if path in by_path:
            todo += [(*path, branch) for branch in reversed(range(len(by_path[path].intercept)))]
    return "\n".join(lines)


def _branch_line(gate: Gate, branch: int, depth: int, max_terms: int) -> str:
    assert gate.shares is not None
    assert gate.strength is not None
    experts = gate.experts[branch]
    name = f"expert {experts[0]}" if len(experts) == 1 else f"experts {experts[0]}-{experts[-1]}"
    order = np.argsort(-np.abs(gate.strength[branch]), kind="stable")[:max_terms].tolist()
    terms = [(gate.coef[branch, j], f" {gate.columns[j]}") for j in order if gate.coef[branch, j]]
    left_out = np.count_nonzero(gate.coef[branch]) - len(terms)
    score = _sum_text([(gate.intercept[branch], ""), *terms]) + (" + ..." if left_out > 0 else "")
    return f"{'|   ' * (depth - 1)}|-- {name} ({gate.shares[branch]:.0%} of the rows): {score}"


def _sum_text(terms: list[tuple[float, str]]) -> str:
    first, *rest = terms
    text = f"{first[0]:.4g}{first[1]}"
    for number, name in rest:
        text += f" {'-' if number < 0 else '+'} {abs(number):.4g}{name}"
    return text
