"""Send one row at a time down a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from .criteria import half_deviance, pinball
from .missing import side_of_row
from .settings import Array, Settings
from .structure import Node


def reached(
    node: Node, row: Array, settings: Settings, collapsed: frozenset[int] = frozenset()
) -> list[tuple[Node, float]]:
    """The leaves a row ends in, with its share in each; ``collapsed`` nodes count as leaves."""
    if node.is_leaf or node.id in collapsed:
        return [(node, 1.0)]
    return [
        (leaf, share * below)
        for side, share in shares_of_row(node, row, settings)
        for leaf, below in reached(node.children[side], row, settings, collapsed)
    ]


def shares_of_row(node: Node, row: Array, settings: Settings) -> list[tuple[int, float]]:
    """The children a row goes to, with its share in each."""
    assert node.test is not None
    if settings.missing == "fractional" and node.test.side(row) is None:
        return list(enumerate(node.shares))
    used = node.surrogates if settings.missing == "surrogate" else []
    return [(side_of_row(row, node.test, used, node.majority), 1.0)]


def leaf_value(node: Node, settings: Settings) -> Array:
    """Class shares of a leaf, or its number in an array of length one."""
    return node.counts / node.counts.sum() if settings.is_classification else node.counts


def predict_row(
    root: Node, row: Array, settings: Settings, collapsed: frozenset[int] = frozenset()
) -> Array:
    """Class probabilities of a row, or its number in an array of length one."""
    leaves = reached(root, row, settings, collapsed)
    parts = np.array([share * leaf_value(leaf, settings) for leaf, share in leaves])
    return np.asarray(parts.sum(axis=0))


def label_of(p: Array, settings: Settings) -> float:
    """The class of least expected cost, the lowest in a tie; in regression the number itself."""
    if not settings.is_classification:
        return float(p[0])
    expected = p @ settings.costs
    return float(np.flatnonzero(expected <= expected.min() + 1e-12 * abs(expected).max())[0])


def predict(
    root: Node, values: Array, settings: Settings, collapsed: frozenset[int] = frozenset()
) -> Array:
    """Labels or numbers for many rows."""
    return np.array(
        [label_of(predict_row(root, row, settings, collapsed), settings) for row in values]
    )


def loss(truth: Any, predicted: float, settings: Settings) -> float:
    """Cost of one prediction: from the cost matrix, or the error that the criterion counts."""
    if settings.is_classification:
        return float(settings.costs[int(truth), int(predicted)])
    if settings.is_deviance:
        count, time = truth
        return time * half_deviance(count / time, predicted, settings)
    if settings.criterion == "quantile":
        return pinball(truth, predicted, settings.quantile)
    off = abs(truth - predicted)
    return off if settings.criterion == "absolute_error" else off**2
