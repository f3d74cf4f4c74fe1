"""The numbers of a node: read from its entry in a dict, or worked out from its class weights."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class NodeNumbers:
    """What the core keeps for each node. `cost` is that of all its rows when it is a leaf."""

    value: NDArray[np.float64]
    n_samples: int
    weight: float
    impurity: float
    cost: float


def node_numbers(
    entry: Mapping[str, Any], n_classes: int | None, cost_matrix: NDArray[np.float64] | None
) -> NodeNumbers:
    """Return the numbers of a node; those that the entry lacks follow from the others.

    Parameters
    ----------
    entry : mapping
        With 'counts' for classes, with 'value', 'n_samples' and 'impurity' for regression.
    n_classes : int or None
        The number of classes, None for regression.
    cost_matrix : array or None
        What each label costs for rows of each class; None: 1 for every mistake.
    """
    if n_classes is None:
        value = np.array([_number(entry, "value")])
        n_samples = _number(entry, "n_samples")
        weight = _number(entry, "weight") if "weight" in entry else n_samples
        impurity = _number(entry, "impurity")
        cost = weight * impurity
    else:
        value = _counts(entry, n_classes)
        total = float(value.sum())
        weight = _number(entry, "weight") if "weight" in entry else total
        n_samples = _number(entry, "n_samples") if "n_samples" in entry else round(total)
        impurity = _number(entry, "impurity") if "impurity" in entry else gini(value)
        cost = least_cost(value, cost_matrix) if weight > 0 else 0.0
    if "cost" in entry:
        cost = _number(entry, "cost")
    if weight < 0 or n_samples < 0:
        raise ValueError("'weight' and 'n_samples' must not be negative.")
    return NodeNumbers(value, round(n_samples), weight, impurity, cost)


def gini(counts: NDArray[np.float64]) -> float:
    """Return the Gini impurity of class weights; 0 if there are none."""
    total = counts.sum()
    if total <= 0:
        return 0.0
    shares = counts / total
    return 1.0 - float((shares * shares).sum())


def least_cost(counts: NDArray[np.float64], cost_matrix: NDArray[np.float64] | None) -> float:
    """Return what the cheapest label costs for rows with the given class weights."""
    by_label = counts.sum() - counts if cost_matrix is None else counts @ cost_matrix
    return float(by_label.min())


def _counts(entry: Mapping[str, Any], n_classes: int) -> NDArray[np.float64]:
    given = entry.get("counts")
    if not isinstance(given, Sequence | np.ndarray) or len(given) != n_classes:
        raise ValueError(f"'counts' must be a list of {n_classes} numbers, got {given!r}.")
    counts = np.array([float(count) for count in given])
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(f"'counts' must be finite and not negative, got {given!r}.")
    return counts


def _number(entry: Mapping[str, Any], key: str) -> float:
    if key not in entry:
        raise ValueError(f"it needs {key!r}.")
    try:
        number = float(entry[key])
    except (TypeError, ValueError):
        raise ValueError(f"{key!r} must be a number, got {entry[key]!r}.") from None
    if math.isnan(number):
        raise ValueError(f"{key!r} must be a number, got {entry[key]!r}.")
    return number
