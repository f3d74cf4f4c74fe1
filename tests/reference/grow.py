"""Grow a tree by trying everything in every node."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count

import numpy as np

from .criteria import (
    class_weights,
    impurity,
    impurity_scale,
    is_pure,
    rate,
    weighted_mean,
    weighted_quantile,
)
from .missing import divide, observed_weights, surrogates
from .settings import TOLERANCE, Array, Settings
from .splits import best_split
from .structure import Node, Test


def node_counts(y: Array, w: Array, settings: Settings) -> Array:
    """Class weights, or the one number that a regression node predicts."""
    if settings.n_classes is not None:
        return class_weights(y, w, settings.n_classes)
    if settings.is_deviance:
        return np.array([rate(y, w, settings.prior)])
    share = settings.share
    return np.array([weighted_mean(y, w) if share is None else weighted_quantile(y, w, share)])


def describe(node: Node, y: Array, settings: Settings) -> None:
    """Fill in what a node knows of its rows."""
    labels, w = y[node.rows], node.row_weights
    node.counts = node_counts(labels, w, settings)
    node.n_rows = len(node.rows)
    node.weight = math.fsum(w)
    node.impurity = impurity(labels, w, settings)


def set_test(
    node: Node, test: Test, values: Array, kinds: Sequence[str], settings: Settings
) -> None:
    """Give a node its test, the sides' shares, and the stand-ins if they are wanted."""
    rows, w = values[node.rows], node.row_weights
    node.test = test
    left, right = observed_weights(test, rows, w)
    node.majority = 0 if left >= right else 1
    node.shares = (left / (left + right), right / (left + right))
    if settings.missing == "surrogate":
        node.surrogates = surrogates(rows, kinds, w, test, settings.max_surrogates)


def parts_of(node: Node, values: Array, settings: Settings) -> list[tuple[np.ndarray, Array]]:
    """The rows and weights that each child of a node gets."""
    assert node.test is not None
    rows, w = values[node.rows], node.row_weights
    weights = divide(rows, w, node.test, node.surrogates, settings.missing, node.majority)
    return [(node.rows[part > 0], part[part > 0]) for part in weights]


def must_stop(node: Node, y: Array, settings: Settings) -> bool:
    """Whether a node may not be divided, whatever the splits are worth."""
    deep = settings.max_depth is not None and node.depth >= settings.max_depth
    return deep or node.n_rows < settings.min_samples_split or is_pure(y[node.rows])


def is_worthwhile(gain: float, node: Node, total: float, scale: float, settings: Settings) -> bool:
    """Whether a gain reaches ``min_impurity_decrease``; zero reaches zero."""
    least = settings.min_impurity_decrease
    return node.weight / total * gain >= least - TOLERANCE * scale


def grow(
    values: Array, kinds: Sequence[str], y: Array, weights: Array | None, settings: Settings
) -> Node:
    """Grow a tree; ids count up with parents before children."""
    y = np.asarray(y, dtype=float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    present = np.flatnonzero(w > 0)
    total, scale = math.fsum(w), impurity_scale(y[present], w[present], settings)
    numbers = count()

    def build(rows: np.ndarray, row_weights: Array, depth: int) -> Node:
        node = Node(next(numbers), depth, rows=rows, row_weights=row_weights)
        describe(node, y, settings)
        if must_stop(node, y, settings):
            return node
        split = best_split(values[rows], kinds, y[rows], row_weights, settings, scale)
        if split is None or not is_worthwhile(split.gain, node, total, scale, settings):
            return node
        node.gain = split.gain
        set_test(node, split.test, values, kinds, settings)
        node.children = [build(*part, depth + 1) for part in parts_of(node, values, settings)]
        return node

    return build(present, w[present], 0)
