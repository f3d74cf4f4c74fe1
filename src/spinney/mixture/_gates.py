"""The tree of gates: the probability of each expert for a row.

`branching=(2, 3)` is one gate with two branches, each with a gate of three below it: six experts,
numbered from left to right. The probability of a branch is a softmax of a linear function of the
row; that of an expert is the product along its path.

`Gate` and `LinearPart` are the fitted gates and linear experts in the user's units.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from spinney._typing import Floats
from spinney.mixture._experts import LinearExpert, LogisticExpert
from spinney.mixture._softmax import SoftTargets, log_softmax, penalty
from spinney.mixture._training_data import Design, Scale

_START_SPREAD = 2.0  # of the logits of a random start: neither even shares nor hard borders


@dataclass(frozen=True)
class GateTree:
    """The gates by level, each level from left to right.

    Parameters
    ----------
    branching : tuple of int
        Number of branches of the gates of each level.
    levels : tuple of tuple of arrays of shape (n_columns, n_branches - 1)
        Coefficients of each gate; its first branch is the reference.
    """

    branching: tuple[int, ...]
    levels: tuple[tuple[Floats, ...], ...]

    @classmethod
    def even(cls, branching: tuple[int, ...], n_columns: int) -> "GateTree":
        """Return gates with uniform probabilities."""
        levels = []
        for level, n_branches in enumerate(branching):
            n_gates = prod(branching[:level])
            levels.append(tuple(np.zeros((n_columns, n_branches - 1)) for _ in range(n_gates)))
        return cls(branching, tuple(levels))

    @classmethod
    def random(
        cls, branching: tuple[int, ...], n_columns: int, rng: np.random.Generator
    ) -> "GateTree":
        """Return gates with random coefficients."""
        scale = _START_SPREAD / max(1.0, float(np.sqrt(n_columns - 1)))

        def drawn(coef: Floats) -> Floats:
            return np.asarray(scale * rng.standard_normal(coef.shape))

        even = cls.even(branching, n_columns)
        return cls(branching, tuple(tuple(map(drawn, level)) for level in even.levels))

    @property
    def n_experts(self) -> int:
        """Number of leaves of the tree."""
        return prod(self.branching)

    def coefs(self) -> Iterator[Floats]:
        """Yield the coefficients of every gate, level by level."""
        for level in self.levels:
            yield from level

    def with_coefs(self, coefs: list[Floats]) -> "GateTree":
        """Return gates with other coefficients, in the order of `coefs`."""
        rest = iter(coefs)
        return GateTree(
            self.branching, tuple(tuple(next(rest) for _ in level) for level in self.levels)
        )

    def log_branches(self, design: Floats) -> list[list[Floats]]:
        """Return the log-probabilities of each gate, one column per branch."""
        return [[log_softmax(design, coef) for coef in level] for level in self.levels]

    def penalty(self, ridge: Floats) -> float:
        """Return the ridge penalty of all gates."""
        return sum(penalty(coef, ridge) for coef in self.coefs())

    def targets(self, design: Floats, mass: Floats, ridge: Floats) -> Iterator[SoftTargets]:
        """Yield the regression problem of each gate.

        Parameters
        ----------
        design : array of shape (n_rows, n_columns)
            The design matrix; its first column is constant 1.
        mass : array of shape (n_rows, n_experts)
            Sample weight times responsibility.
        ridge : array of shape (n_columns,)
            Ridge penalty of each column.

        Yields
        ------
        SoftTargets
        """
        for level, n_branches in enumerate(self.branching):
            n_gates = len(self.levels[level])
            below = mass.reshape(len(mass), n_gates, n_branches, -1).sum(axis=3)
            for gate in range(n_gates):
                yield SoftTargets(design, np.asfortranarray(below[:, gate]), ridge)

    def improved(
        self, design: Floats, mass: Floats, ridge: Floats, before: list[list[Floats]]
    ) -> tuple["GateTree", list[list[Floats]]]:
        """Perform a Newton step for every gate; see `targets` and `SoftTargets.improved`."""
        problems = self.targets(design, mass, ridge)
        levels, outputs = [], []
        for level, log_probs in zip(self.levels, before, strict=True):
            pairs = [
                next(problems).improved(coef, log_prob)
                for coef, log_prob in zip(level, log_probs, strict=True)
            ]
            levels.append(tuple(coef for coef, _ in pairs))
            outputs.append([log_prob for _, log_prob in pairs])
        return GateTree(self.branching, tuple(levels)), outputs


def log_shares(log_branches: list[list[Floats]]) -> Floats:
    """Return the log-probability of each expert from those of the gates.

    Parameters
    ----------
    log_branches : list of list of arrays of shape (n_rows, n_branches)
        Log-probabilities, by level and gate.

    Returns
    -------
    array of shape (n_rows, n_experts)
    """
    shares = np.zeros((len(log_branches[0][0]), 1))
    for level in log_branches:
        shares = np.concatenate(
            [shares[:, [gate]] + branches for gate, branches in enumerate(level)], axis=1
        )
    return np.asfortranarray(shares)


@dataclass(frozen=True, eq=False)
class LinearPart:
    """A linear function of the columns with one or several outputs.

    Parameters
    ----------
    columns : tuple of str
        Names of the terms: numeric columns, and categories such as "purpose=car".
    intercept : array of shape (n_outputs,)
        The intercepts.
    coef : array of shape (n_outputs, n_columns)
        Coefficients in the units of the table.
    variance : float or None, default=None
        Error variance of a linear expert.
    """

    columns: tuple[str, ...]
    intercept: Floats
    coef: Floats
    variance: float | None = None


@dataclass(frozen=True, eq=False)
class Gate(LinearPart):
    """A gate: a linear score for each branch; the softmax of the scores are probabilities.

    Parameters
    ----------
    columns : tuple of str
        Names of the terms: numeric columns, and categories such as "purpose=car".
    intercept : array of shape (n_branches,)
        The intercepts, which sum to 0.
    coef : array of shape (n_branches, n_columns)
        Coefficients in the units of the table; each column sums to 0.
    variance : None
        Unused for gates.
    path : tuple of int
        The branches that lead to the gate; () for the root.
    experts : tuple of tuple of int
        The experts below each branch.
    shares : array of shape (n_branches,)
        Mean probability of each branch in the training rows.
    strength : array of shape (n_branches, n_columns)
        Coefficients times the standard deviation of their column.
    """

    path: tuple[int, ...] = ()
    experts: tuple[tuple[int, ...], ...] = ()
    shares: Floats | None = None
    strength: Floats | None = None


def gates_of(gates: GateTree, design: Design, shares: Floats) -> list[Gate]:
    """Return the gates in the user's units, by level and from left to right.

    Parameters
    ----------
    gates : GateTree
        The fitted gates.
    design : Design
        The columns of the design matrix.
    shares : array of shape (n_experts,)
        Mean probability of each expert in the training rows.

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
    """Return coefficients of all outputs, including the reference, that sum to 0."""
    full = np.column_stack([np.zeros(len(coef)), coef])
    return np.asarray(full - full.mean(axis=1, keepdims=True))


def expert_view(expert: Any, design: Design, scale: Scale | None) -> Any:
    """Return an expert in the user's units, or its estimator.

    Parameters
    ----------
    expert : Expert
        A fitted expert.
    design : Design
        The columns of the design matrix.
    scale : Scale or None
        Scale of the target; None for classification.

    Returns
    -------
    LinearPart or estimator
    """
    if isinstance(expert, LogisticExpert):  # as in scikit-learn: one output for two classes
        coef = expert.coef if expert.coef.shape[1] < 2 else symmetric(expert.coef)
        return LinearPart(design.names, *design.user_units(coef))
    if not isinstance(expert, LinearExpert):
        return expert.estimator
    assert scale is not None
    intercept, coef = design.user_units(expert.coef[:, np.newaxis])
    with np.errstate(over="ignore", under="ignore"):
        intercept = np.ldexp(intercept * scale.spread + scale.centre, scale.exponent)
        coef = np.ldexp(coef * scale.spread, scale.exponent)
        variance = np.ldexp(expert.variance * scale.spread**2, 2 * scale.exponent)
    return LinearPart(design.names, intercept, coef, float(variance))


def gate_text(gates: Sequence[Gate], max_terms: int) -> str:
    """Return the tree of gates as text, one line per branch.

    Parameters
    ----------
    gates : sequence of Gate
        The gates by level.
    max_terms : int
        Number of coefficients shown, largest effect first.

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
