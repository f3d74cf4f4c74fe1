"""The tree of gates: which expert answers for a row, as shares that add up to 1.

`branching=(2, 3)` is one gate of two branches, each with a gate of three below it: six experts, in
the order in which they hang from left to right. A gate's share of a branch is a softmax of a linear
function of the row; an expert's share is the product along its path.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._softmax import SoftTargets, log_softmax, penalty

__all__ = ["GateTree"]

Floats = NDArray[np.float64]
_START_SPREAD = 2.0  # of the logits of a random start: neither even shares nor hard borders


@dataclass(frozen=True)
class GateTree:
    """Gates, level by level, each level from left to right.

    Parameters
    ----------
    branching : tuple of int
        Branches of the gates of each level.
    levels : tuple of tuple of arrays of shape (n_columns, n_branches - 1)
        Coefficients of each gate; its first branch is the reference.
    """

    branching: tuple[int, ...]
    levels: tuple[tuple[Floats, ...], ...]

    @classmethod
    def even(cls, branching: tuple[int, ...], n_columns: int) -> "GateTree":
        """Return gates that give every branch the same share."""
        levels = []
        for level, n_branches in enumerate(branching):
            n_gates = prod(branching[:level])
            levels.append(tuple(np.zeros((n_columns, n_branches - 1)) for _ in range(n_gates)))
        return cls(branching, tuple(levels))

    @classmethod
    def random(
        cls, branching: tuple[int, ...], n_columns: int, rng: np.random.Generator
    ) -> "GateTree":
        """Draw coefficients, and nothing for any row."""
        scale = _START_SPREAD / max(1.0, float(np.sqrt(n_columns - 1)))

        def drawn(coef: Floats) -> Floats:
            return np.asarray(scale * rng.standard_normal(coef.shape))

        even = cls.even(branching, n_columns)
        return cls(branching, tuple(tuple(map(drawn, level)) for level in even.levels))

    @property
    def n_experts(self) -> int:
        """Leaves of the tree."""
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
        """Return what each gate makes of each row: logarithms, one column a branch."""
        return [[log_softmax(design, coef) for coef in level] for level in self.levels]

    def penalty(self, ridge: Floats) -> float:
        """Return what the ridge on all gates takes from the log-likelihood."""
        return sum(penalty(coef, ridge) for coef in self.coefs())

    def targets(self, design: Floats, mass: Floats, ridge: Floats) -> Iterator[SoftTargets]:
        """Yield what each gate is to learn from the mass of every expert in every row.

        Parameters
        ----------
        design : array of shape (n_rows, n_columns)
            The first column holds ones.
        mass : array of shape (n_rows, n_experts)
            Weight of each row times each expert's responsibility.
        ridge : array of shape (n_columns,)
            Of each column.

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
        """Take a step with every gate; see `targets`, and `SoftTargets.improved`."""
        problems = self.targets(design, mass, ridge)
        levels, answers = [], []
        for level, log_probs in zip(self.levels, before, strict=True):
            pairs = [
                next(problems).improved(coef, log_prob)
                for coef, log_prob in zip(level, log_probs, strict=True)
            ]
            levels.append(tuple(coef for coef, _ in pairs))
            answers.append([log_prob for _, log_prob in pairs])
        return GateTree(self.branching, tuple(levels)), answers


def log_shares(log_branches: list[list[Floats]]) -> Floats:
    """Return the logarithm of every expert's share from what each gate makes of each row.

    Parameters
    ----------
    log_branches : list of list of arrays of shape (n_rows, n_branches)
        By level and gate.

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
