"""Mixtures of experts by their definition, one row at a time."""

import math
from typing import Any

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return shares in proportion to exp(score)."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return np.array([power / sum(powers) for power in powers])


def shares(gates: list[Any], row: np.ndarray) -> np.ndarray:
    """Return each expert's share: the product of the gates' shares along its path."""
    n_experts = max(expert for gate in gates for below in gate.experts for expert in below) + 1
    share = np.ones(n_experts)
    for gate in gates:
        of_branch = softmax(gate.intercept + gate.coef @ row)
        for branch, below in enumerate(gate.experts):
            for expert in below:
                share[expert] *= of_branch[branch]
    return share


def class_shares(expert: Any, row: np.ndarray) -> np.ndarray:
    """Return a logistic expert's probabilities; it has one output for two classes."""
    scores = expert.intercept + expert.coef @ row
    return softmax(np.append(0.0, scores) if len(scores) == 1 else scores)


def normal_density(expert: Any, row: np.ndarray, y: float) -> float:
    """Return a linear expert's density of y."""
    mean = float((expert.intercept + expert.coef @ row)[0])
    off = (y - mean) ** 2 / (2.0 * expert.variance)
    return math.exp(-off) / math.sqrt(2.0 * math.pi * expert.variance)


def log_likelihood(model: Any, X: np.ndarray, y: Any, weight: np.ndarray) -> float:
    """Return the log-likelihood of a fitted mixture less its ridges, for a table of numbers."""
    total = 0.0
    for row, truth, count in zip(X, y, weight, strict=True):
        likely = 0.0
        for share, expert in zip(shares(model.gates_, row), model.experts_, strict=True):
            if hasattr(model, "classes_"):
                place = model.classes_.tolist().index(truth)
                likely += share * class_shares(expert, row)[place]
            else:
                likely += share * normal_density(expert, row, float(truth))
        total += count * math.log(likely)
    return total - _ridges(model)


def _ridges(model: Any) -> float:
    total = 0.0
    for gate in model.gates_:
        # of two branches one vector is penalised, the difference
        size = (gate.coef[1] - gate.coef[0]) if len(gate.coef) == 2 else gate.coef
        total += 0.5 * float(np.sum(size**2)) / model.gate_C
    for expert in model.experts_:
        unit = 1.0 if expert.variance is None else expert.variance
        total += 0.5 * float(np.sum(expert.coef**2)) / (model.C * unit)
    return total
