"""Choose a tree of the pruning sequence, by a test sample or by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .grow import grow
from .predict import loss, predict
from .prune import PruningStep, weakest_link_sequence
from .settings import TOLERANCE, Array, Settings
from .structure import Node

Grower = Callable[[Array, Sequence[str], Array, Array, Settings], Node]


@dataclass(frozen=True)
class Selection:
    """Error and standard error of each step, and the index of the one chosen."""

    errors: Array
    standard_errors: Array
    selected: int


def betas(steps: Sequence[PruningStep]) -> list[float]:
    """A typical alpha for each step: sqrt(alpha_k alpha_k+1), the last infinite."""
    alphas = [step.alpha for step in steps]
    return [math.sqrt(a * b) for a, b in pairwise(alphas)] + [math.inf]


def step_at(steps: Sequence[PruningStep], alpha: float) -> PruningStep:
    """The smallest minimising tree at alpha."""
    return [s for s in steps if s.alpha <= alpha * (1 + TOLERANCE)][-1]


def losses(
    root: Node, collapsed: frozenset[int], values: Array, y: Array, settings: Settings
) -> Array:
    """The loss of each row under a pruned tree."""
    predicted = predict(root, values, settings, collapsed)
    return np.array([loss(t, p, settings) for t, p in zip(y, predicted, strict=True)])


def choose(row_losses: Array, w: Array, rule: str) -> Selection:
    """Choose from losses of shape (steps, rows); the steps run from large to small trees.

    The standard error is that of a mean over the rows of positive weight.
    """
    row_losses, w = row_losses[:, w > 0], w[w > 0]
    errors = row_losses @ w / w.sum()
    variances = (row_losses - errors[:, np.newaxis]) ** 2 @ w / w.sum()
    standard_errors = np.sqrt(variances / len(w))
    tiny = TOLERANCE * max(1.0, float(errors.max()))
    least = int(np.flatnonzero(errors <= errors.min() + tiny)[-1])
    limit = errors[least] + {"min": 0.0, "1se": standard_errors[least]}[rule]
    return Selection(errors, standard_errors, int(np.flatnonzero(errors <= limit + tiny)[-1]))


def select_by_test_sample(
    root: Node, values: Array, y: Array, weights: Array | None, settings: Settings, rule: str
) -> Selection:
    """Choose by the error on rows that the tree has not seen."""
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    steps = weakest_link_sequence(root, settings)
    table = [losses(root, step.collapsed, values, y, settings) for step in steps]
    return choose(np.array(table), w, rule)


def select_by_cv(
    root: Node,
    values: Array,
    kinds: Sequence[str],
    y: Array,
    weights: Array | None,
    settings: Settings,
    folds: Iterable[tuple[np.ndarray, np.ndarray]],
    rule: str = "1se",
    grower: Grower = grow,
) -> Selection:
    """Choose by v-fold cross-validation; ``folds`` are (training rows, test rows).

    ``root`` is the tree on all rows. Another ``grower`` removes differences due to ties.
    """
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    y = np.asarray(y, dtype=float)
    typical = betas(weakest_link_sequence(root, settings))
    table = np.zeros((len(typical), len(y)))
    tested = np.zeros(len(y), dtype=bool)
    for train, test in folds:
        tree = grower(values[train], kinds, y[train], w[train], settings)
        steps = weakest_link_sequence(tree, settings)
        for k, beta in enumerate(typical):
            collapsed = step_at(steps, beta).collapsed
            table[k, test] = losses(tree, collapsed, values[test], y[test], settings)
        tested[test] = True
    return choose(table[:, tested], w[tested], rule)
