"""Lifetimes on a page: survival curves of every node, and how well risks are ordered."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._lifetimes import Lifetimes
from spinney._typing import Floats
from spinney.report._sample import Sample
from spinney.report._tree_part import Sizes
from spinney.tree._leaf_lifetimes import LeafLifetimes
from spinney.tree._tree import Tree

_MOST_TIMES = 40  # at which curves are given
_MOST_WORK = 20_000_000  # rows times sizes whose concordance is computed
_N_GROUPS = 5  # of rows of like risk, for ensembles


def lifetimes_part(sizes: Sizes, samples: list[Sample]) -> dict[str, Any] | None:
    """Return curves of the nodes, and the concordance of each size; None of other targets.

    Parameters
    ----------
    sizes : Sizes
        The trees of the slider.
    samples : list of Sample
        The data, and the hold-out if there is one.

    Returns
    -------
    dict or None
        `times`; for each data set the `curves` of its nodes; and the `concordance` of each place
        of the slider, None where that would take long.
    """
    if samples[0].lifetimes is None:
        return None
    times = _times(samples[0])
    return {
        "times": times.tolist(),
        "curves": [
            [_curve(sample, rows, times) for rows in _rows_of_nodes(sizes.tree, sample)]
            for sample in samples
        ],
        "concordance": [_by_size(sizes, sample) for sample in samples],
    }


def risk_groups_part(answers: list[Floats], samples: list[Sample]) -> dict[str, Any]:
    """Return concordance and curves of an ensemble, by groups of rows with like risks.

    Parameters
    ----------
    answers : list of array of shape (n_rows,)
        Risks in each data set.
    samples : list of Sample
        The data, and the hold-out if there is one.

    Returns
    -------
    dict
    """
    times = _times(samples[0])
    cuts = np.unique(np.quantile(answers[0], np.arange(1, _N_GROUPS) / _N_GROUPS))
    groups = [np.searchsorted(cuts, own, side="left") for own in answers]
    places = range(len(cuts) + 1)
    return {
        "cuts": cuts.tolist(),
        "curves": [
            [_curve(sample, np.flatnonzero(group == place), times) for place in places]
            for sample, group in zip(samples, groups, strict=True)
        ],
        "concordance": [
            _concordance(sample, own) for sample, own in zip(samples, answers, strict=True)
        ],
    }


def _times(sample: Sample) -> Floats:
    """Return times of events; of many some, close where events are, and nowhere far apart."""
    assert sample.lifetimes is not None
    seen = np.unique(sample.lifetimes.time[sample.lifetimes.event & (sample.weight > 0)])
    if len(seen) <= _MOST_TIMES:
        return seen
    half = _MOST_TIMES // 2
    by_rank = np.linspace(0, len(seen) - 1, half).astype(np.intp)
    by_time = np.searchsorted(seen, np.linspace(seen[0], seen[-1], half))
    return seen[np.unique(np.append(by_rank, by_time))]


def _rows_of_nodes(tree: Tree, sample: Sample) -> Iterator[NDArray[np.intp]]:
    """Yield the rows of each node, in the order of the nodes."""
    passed = tree.decision_path(sample.values, encoded=True).tocsc()
    for node in range(tree.n_nodes):
        yield passed.indices[passed.indptr[node] : passed.indptr[node + 1]].astype(np.intp)


def _curve(sample: Sample, rows: NDArray[np.intp], times: Floats) -> dict[str, Any]:
    """Return the Kaplan-Meier estimate of some rows at given times, and who is at risk then."""
    assert sample.lifetimes is not None
    rows = rows[sample.weight[rows] > 0]
    event, time = sample.lifetimes.event[rows], sample.lifetimes.time[rows]
    weight = sample.weight[rows]
    order = np.argsort(time, kind="stable")
    left = np.append(0.0, np.cumsum(weight[order]))
    at_risk = left[-1] - left[np.searchsorted(time[order], times, side="left")]
    seen = np.unique(time[event])
    stays, median = np.ones(len(times)), None
    if len(seen):
        leaf = np.zeros(len(rows), dtype=np.int64)
        counted = LeafLifetimes.of_rows(seen, 1, leaf, Lifetimes(event, time), weight)
        stays = counted.survival([0], times)[0]
        half = np.flatnonzero(counted.survival([0])[0] <= 0.5)
        median = float(seen[half[0]]) if len(half) else None
    return {
        "survival": np.round(stays, 4).tolist(),
        "risk": np.round(at_risk, 1).tolist(),
        "events": float(weight[event].sum()),
        "median": median,
    }


def _by_size(sizes: Sizes, sample: Sample) -> list[float | None]:
    """Return the concordance of the tree at each place of the slider."""
    tree, steps = sizes.tree, sizes.leaf_steps()
    leaf = tree.apply(sample.values, encoded=True)
    n_sizes = int(steps[0]) + 1
    found: list[float | None] = []
    for place in range(n_sizes):
        if sample.n_rows * n_sizes > _MOST_WORK and place != sizes.selected:
            found.append(None)
            continue
        shown = np.arange(tree.n_nodes)
        for node in range(1, tree.n_nodes):
            above = shown[tree.parent[node]]
            if steps[above] <= place:  # a leaf already
                shown[node] = above
        found.append(_concordance(sample, tree.value[shown[leaf], 0]))
    return found


def _concordance(sample: Sample, risk: Floats) -> float | None:
    """Return Harrell's index; None if no two rows can be compared."""
    assert sample.lifetimes is not None
    lifetimes = sample.lifetimes
    right, wrong, tied = _core.concordance(
        lifetimes.time, lifetimes.event, np.ascontiguousarray(risk), sample.weight
    )
    pairs = right + wrong + tied
    return float((right + tied / 2.0) / pairs) if pairs > 0 else None
