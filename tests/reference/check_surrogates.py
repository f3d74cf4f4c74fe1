"""Hold the surrogates of one node against its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from .missing import MIN_SURROGATE_ROWS, agreement, best_surrogate, majority_share
from .settings import Array, Settings
from .splits import threshold_tests
from .structure import Node, Surrogate, Test

NEAR = 1e-10  # agreements closer than this are equal


def surrogate_faults(
    node: Node, rows: Array, kinds: Sequence[str], settings: Settings, strict_ties: bool
) -> Iterator[str]:
    """List what is wrong with a node's surrogates; ``rows`` are the node's."""
    assert node.test is not None
    w, primary = node.row_weights, node.test.sides(rows)
    features = [s.test.feature for s in node.surrogates]
    if node.test.feature in features or len(set(features)) < len(features):
        yield f"surrogate features {features} repeat or name the test's own"
        return
    best = {
        feature: best_surrogate(rows, kinds, w, primary, feature)
        for feature in range(len(kinds))
        if feature != node.test.feature
    }
    sound = True
    for surrogate in node.surrogates:
        found = [*_one(surrogate, rows, kinds, w, primary, best, strict_ties)]
        sound = sound and not found
        yield from found
    if sound:
        yield from _ranking(node, best, rows, primary, settings)


def _one(
    surrogate: Surrogate,
    rows: Array,
    kinds: Sequence[str],
    w: Array,
    primary: np.ndarray,
    best: dict[int, Surrogate | None],
    strict_ties: bool,
) -> Iterator[str]:
    """One surrogate: its form, its agreement, and whether its column has a better one."""
    test, feature = surrogate.test, surrogate.test.feature
    if (test.kind == "subset") != (kinds[feature] == "nominal"):
        yield f"surrogate {test} is a {test.kind} test on a {kinds[feature]} column"
        return
    form = _subset_form if test.kind == "subset" else _threshold_form
    wrong = form(test, rows, primary)
    if wrong:
        yield f"surrogate {test}: {wrong}"
        return
    true = agreement(primary, test.sides(rows), w)
    if abs(true - surrogate.agreement) > NEAR:  # false for NaN, which means not given
        yield f"surrogate {test} says it agrees on {surrogate.agreement}, counted {true}"
    top = best[feature]
    if top is None:
        if true <= majority_share(primary, ~np.isnan(rows[:, feature]), w) + NEAR:
            yield f"surrogate {test} agrees on {true}, no better than the majority side"
    elif true < top.agreement - NEAR:
        yield f"surrogate {test} agrees on {true}, but {top.test} on {top.agreement}"
    elif strict_ties and test != top.test:
        yield f"surrogate {test} ties with {top.test}, which comes first"


def _threshold_form(test: Test, rows: Array, primary: np.ndarray) -> str:
    column = rows[:, test.feature]
    cuts = [t.threshold for t in threshold_tests(column[~np.isnan(column)], test.feature)]
    if test.threshold not in cuts:
        return "the threshold is not halfway between neighbours"
    sides = test.sides(rows)
    fewest = min(int(((primary >= 0) & (sides == side)).sum()) for side in (0, 1))
    if fewest < MIN_SURROGATE_ROWS:
        return f"only {fewest} rows on a side"
    return ""


def _subset_form(test: Test, rows: Array, primary: np.ndarray) -> str:
    column = rows[:, test.feature]
    held = sorted({int(v) for v in column[(primary >= 0) & ~np.isnan(column)]})
    both = sorted([*test.left_categories, *test.right_categories])
    return "" if both == held else f"categories {both}, but the rows hold {held}"


def _ranking(
    node: Node,
    best: dict[int, Surrogate | None],
    rows: Array,
    primary: np.ndarray,
    settings: Settings,
) -> Iterator[str]:
    """Order, number, and that no better column was left out.

    Equal agreements are in the order of the columns; where weights are not whole, rounding decides.
    """
    w = node.row_weights
    whole = bool((w == np.round(w)).all())
    ranked = [(agreement(primary, s.test.sides(rows), w), s.test.feature) for s in node.surrogates]
    for (a, first), (b, second) in pairwise(ranked):
        if a < b - NEAR or (whole and abs(a - b) <= NEAR and first > second):
            yield f"surrogates on columns {first} and {second} are in the wrong order"
    if len(ranked) > settings.max_surrogates:
        yield f"{len(ranked)} surrogates with max_surrogates={settings.max_surrogates}"
    for feature, top in best.items():
        if top is None or feature in [f for _, f in ranked]:
            continue
        margin = top.agreement - majority_share(primary, ~np.isnan(rows[:, feature]), w)
        if len(ranked) < settings.max_surrogates:
            absent = margin > NEAR
        elif ranked:
            lead = top.agreement - ranked[-1][0]
            absent = lead > NEAR or (whole and abs(lead) <= NEAR and feature < ranked[-1][1])
        else:
            absent = False
        if absent:
            yield f"surrogate {top.test}, which agrees on {top.agreement}, is absent"
