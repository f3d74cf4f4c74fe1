"""Hold any tree against the data it was grown from.

Ties make two correct trees differ, so trees are not compared with each other. Instead every
node is asked whether its own choice was a best one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from .check_surrogates import surrogate_faults
from .criteria import impurity_scale, is_pure, quantile_interval
from .grow import describe, is_worthwhile, parts_of, set_test
from .settings import TOLERANCE, Array, Settings
from .splits import Split, is_allowed, midpoint, required_splits, split_gain
from .structure import Node, tree_from_dict

NEAR = 1e-9  # relative difference allowed in reported sums


@dataclass(frozen=True)
class _Data:
    values: Array
    kinds: Sequence[str]
    y: Array
    total: float  # weight of all rows
    scale: float  # of impurities

    @property
    def tiny(self) -> float:
        return TOLERANCE * self.scale


def annotate(
    tree: Mapping[str, Any],
    values: Array,
    kinds: Sequence[str],
    y: Array,
    weights: Array | None,
    settings: Settings,
) -> Node:
    """Read a tree and send the training rows down it, by its own tests and surrogates.

    Counts, impurities, sides and shares are computed from the rows. A node without a
    ``"surrogates"`` entry gets the oracle's. Nodes that no row reaches have ``n_rows == 0``.
    """
    y = np.asarray(y, dtype=float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    root = tree_from_dict(tree)
    _fill(root, np.flatnonzero(w > 0), w[w > 0], values, kinds, y, settings)
    return root


def _fill(
    node: Node,
    rows: np.ndarray,
    w: Array,
    values: Array,
    kinds: Sequence[str],
    y: Array,
    settings: Settings,
) -> None:
    node.rows, node.row_weights, node.n_rows, node.weight = rows, w, len(rows), math.fsum(w)
    if len(rows) == 0:
        for child in node.children:
            _fill(child, rows, w, values, kinds, y, settings)
        return
    describe(node, y, settings)
    if node.is_leaf:
        return
    assert node.test is not None
    if settings.places_gaps and np.isnan(values[rows, node.test.feature]).any():
        node.test = replace(node.test, gaps=int(node.given["majority"]))
    split = split_gain(values[rows], y[rows], w, node.test, settings)
    given = node.surrogates if "surrogates" in node.given else None
    if split is None:  # nothing to measure: all rows follow the first child
        parts = [(rows, w), (rows[:0], w[:0])]
    else:
        node.gain = split.gain
        search = settings if given is None else settings.but(missing="majority")
        set_test(node, node.test, values, kinds, search)
        if node.given.get("majority") is not None and _is_even(node):
            node.majority = int(node.given["majority"])
        parts = parts_of(node, values, settings)
    for child, part in zip(node.children, parts, strict=True):
        _fill(child, *part, values, kinds, y, settings)


def _is_even(node: Node) -> bool:
    """Whether both sides weigh the same, so that the larger one is a matter of rounding."""
    return math.isclose(*node.shares, rel_tol=TOLERANCE)


def check_tree(
    tree: Mapping[str, Any],
    values: Array,
    kinds: Sequence[str],
    y: Array,
    weights: Array | None,
    settings: Settings,
    strict_ties: bool = False,
) -> list[str]:
    """List what is wrong with a tree; an empty list means that nothing is.

    With ``strict_ties`` a tied choice must also be the first: lowest feature, then lowest
    threshold. Use it where sums are exact, as with whole weights and two classes.
    """
    root = annotate(tree, values, kinds, y, weights, settings)
    y = np.asarray(y, dtype=float)
    scale = impurity_scale(y[root.rows], root.row_weights, settings)
    data = _Data(values, kinds, y, root.weight, scale)
    faults = []
    for node in root.walk():
        if node.n_rows == 0:
            found = ["no training row reaches it"]
        else:
            found = [*_value_faults(node, data, settings)]
            if node.is_leaf:
                found += _leaf_faults(node, data, settings)
            else:
                found += _split_faults(node, data, settings, strict_ties)
        faults += [f"node {node.id} (depth {node.depth}): {text}" for text in found]
    return faults


def _value_faults(node: Node, data: _Data, settings: Settings) -> Iterator[str]:
    """Compare the numbers that the tree reports of a node."""
    given = node.given
    if "n_samples" in given and given["n_samples"] != node.n_rows:
        yield f"n_samples is {given['n_samples']}, counted {node.n_rows}"
    if "weight" in given and abs(given["weight"] - node.weight) > NEAR * data.total:
        yield f"weight is {given['weight']}, counted {node.weight}"
    if (
        "impurity" in given
        and settings.criterion != "twoing"
        and abs(given["impurity"] - node.impurity) > NEAR * data.scale
    ):
        yield f"impurity is {given['impurity']}, computed {node.impurity}"
    if given.get("counts") is not None:
        yield from _count_faults(node, data, settings)


def _count_faults(node: Node, data: _Data, settings: Settings) -> Iterator[str]:
    reported = np.asarray(node.given["counts"], dtype=float)
    if reported.shape != node.counts.shape:
        yield f"counts are {reported.tolist()}, counted {node.counts.tolist()}"
        return
    if settings.is_classification:
        wrong = bool((abs(reported - node.counts) > NEAR * data.total).any())
    else:
        labels = data.y[node.rows]
        low = high = float(node.counts[0])
        if settings.share is not None:
            low, high = quantile_interval(labels, node.row_weights, settings.share)
        near = NEAR * float(np.ptp(data.y)) + 1e-15 * float(abs(labels).max())
        wrong = not low - near <= reported[0] <= high + near
    if wrong:
        yield f"counts are {reported.tolist()}, counted {node.counts.tolist()}"


def _candidates(node: Node, data: _Data, settings: Settings) -> list[Split]:
    rows = node.rows
    # A weight that reaches the limit only by rounding may count as too small.
    strict = settings.but(min_weight_leaf=settings.min_weight_leaf * (1 + TOLERANCE))
    return list(
        required_splits(data.values[rows], data.kinds, data.y[rows], node.row_weights, strict)
    )


def _leaf_faults(node: Node, data: _Data, settings: Settings) -> Iterator[str]:
    """A leaf needs a reason to be one."""
    if settings.max_depth is not None and node.depth >= settings.max_depth:
        return
    if node.n_rows < settings.min_samples_split or is_pure(data.y[node.rows]):
        return
    splits = _candidates(node, data, settings)
    if not splits:
        return
    best = max(splits, key=lambda split: split.gain)
    least = settings.min_impurity_decrease
    share = node.weight / data.total
    too_small = share * best.gain < least + data.tiny if least > 0 else best.gain < -data.tiny
    if not too_small:
        yield f"is a leaf, but {best.test} gains {best.gain}"


def _split_faults(node: Node, data: _Data, settings: Settings, strict_ties: bool) -> Iterator[str]:
    """An inner node must be allowed to split, and its test must be a best one."""
    if settings.max_depth is not None and node.depth >= settings.max_depth:
        yield f"is divided at max_depth={settings.max_depth}"
    if node.n_rows < settings.min_samples_split:
        yield f"is divided with {node.n_rows} rows"
    if is_pure(data.y[node.rows]):
        yield "is divided although pure"
    yield from _test_faults(node, data)
    assert node.test is not None
    rows = node.rows
    split = split_gain(data.values[rows], data.y[rows], node.row_weights, node.test, settings)
    if split is None:
        yield f"{node.test} leaves a side empty"
        return
    if not is_allowed(split, settings, slack=TOLERANCE):
        sizes = f"{split.n_left} and {split.n_right} rows with a value"
        yield f"sides hold {sizes}, the lighter one weighs {split.least_weight}"
    if not is_worthwhile(split.gain, node, data.total, data.scale, settings):
        yield f"gain {split.gain} is too small"
    yield from _optimality_faults(node, split, data, settings, strict_ties)
    yield from _routing_faults(node, data, settings, strict_ties)


def _test_faults(node: Node, data: _Data) -> Iterator[str]:
    """Thresholds lie halfway between values held here; subsets divide the categories held."""
    test = node.test
    assert test is not None
    column = data.values[node.rows, test.feature]
    held = np.unique(column[~np.isnan(column)])
    nominal = data.kinds[test.feature] == "nominal"
    if (test.kind == "subset") != nominal:
        yield f"a {test.kind} test on a {data.kinds[test.feature]} column"
    elif test.kind == "threshold":
        halfway = [midpoint(a, b) for a, b in pairwise(held)]
        halfway += [math.inf] * (test.gaps == 1)  # all values against the gaps
        if test.threshold not in halfway:
            yield f"threshold {test.threshold!r} is not halfway between neighbours"
    else:
        both = sorted([*test.left_categories, *test.right_categories])
        if both != sorted(int(c) for c in held):
            yield f"sides have categories {both}, the rows hold {held.astype(int).tolist()}"
        elif int(held[0]) not in test.left_categories:
            yield f"category {int(held[0])} is the first held, but on the second side"


def _optimality_faults(
    node: Node, split: Split, data: _Data, settings: Settings, strict_ties: bool
) -> Iterator[str]:
    splits = _candidates(node, data, settings)
    if not splits:
        return
    best = max(splits, key=lambda s: s.gain)
    if split.gain < best.gain - data.tiny:
        yield f"{split.test} gains {split.gain!r}, but {best.test} gains {best.gain!r}"
    elif strict_ties and split.gain <= best.gain + data.tiny:
        first = next(s for s in splits if s.gain >= best.gain - data.tiny)
        same_threshold = split.test.kind == "subset" or first.test == split.test
        if first.test.feature < split.test.feature or not same_threshold:
            yield f"{split.test} ties with {first.test}, which comes first"


def _routing_faults(
    node: Node, data: _Data, settings: Settings, strict_ties: bool
) -> Iterator[str]:
    """The side for missing values, and the stand-ins."""
    given = node.given
    larger = int(node.shares[1] > node.shares[0])
    assert node.test is not None
    free = node.test.gaps is not None or (_is_even(node) and not strict_ties)
    if given.get("majority") is not None and given["majority"] != larger and not free:
        yield f"majority side is {given['majority']}, found {larger}"
    if "surrogates" in given:
        if settings.missing == "surrogate":
            rows = data.values[node.rows]
            yield from surrogate_faults(node, rows, data.kinds, settings, strict_ties)
        elif given["surrogates"]:
            yield f"has surrogates with missing={settings.missing!r}"
