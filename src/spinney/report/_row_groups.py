"""What the rows of data add up to in each cell, from which a page computes every measure.

A *cell* is a group of rows that a tree answers alike: the rows of one leaf, or, where rows with
gaps go down several branches, those with the same shares of the same leaves. Pruning joins cells
and never divides them, so measures of every subtree are exact.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._typing import Floats
from spinney.report._sample import Sample
from spinney.tree._tree import Tree

_MOST_MIXED = 4000  # cells of rows that go down several branches
_MOST_SCORES = 200  # distinct scores of an ensemble, and groups of them
_MOST_CLASSES = 12  # whose scores are shown


def cells_part(
    tree: Tree, samples: list[Sample], n_classes: int, centre: float = 0.0
) -> dict[str, Any]:
    """Return the cells of a tree, and the sums of each data set in them.

    Parameters
    ----------
    tree : Tree
        The largest tree of the slider.
    samples : list of Sample
        The data, and the hold-out if there is one.
    n_classes : int
        0 for numbers.
    centre : float, default=0.0
        About which sums of squares are taken.

    Returns
    -------
    dict
        `leaves` and `shares` of each cell, `sums` for each data set, and `lumped`, the number of
        rows in rare mixtures that count in their leaves by share.
    """
    leaves = np.flatnonzero(tree.first_child < 0)
    place = np.full(tree.n_nodes, -1)
    place[leaves] = np.arange(len(leaves))
    found = [_rows_of_leaves(tree, sample) for sample in samples]
    mixtures = _Mixtures(len(leaves))
    parts = [
        mixtures.places(place, *rows, sample.n_rows)
        for rows, sample in zip(found, samples, strict=True)
    ]
    n_cells = len(leaves) + len(mixtures.leaves)
    return {
        "leaves": [[int(leaf)] for leaf in leaves] + [leaves[m].tolist() for m in mixtures.leaves],
        "shares": [[1.0]] * len(leaves) + [share.tolist() for share in mixtures.shares],
        "sums": [
            _sums(sample, *part, n_cells, n_classes, centre)
            for sample, part in zip(samples, parts, strict=True)
        ],
        "lumped": mixtures.lumped,
    }


def _rows_of_leaves(tree: Tree, sample: Sample) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Return rows, leaves and shares; a row occurs once for each leaf that it reaches."""
    if tree.missing == "fractional":
        return _core.leaf_shares(tree._core, sample.values)
    leaf = tree.apply(sample.values, encoded=True)
    return np.arange(len(leaf)), leaf, np.ones(len(leaf))


class _Mixtures:
    """Cells of rows that reach several leaves, known by their leaves and shares."""

    def __init__(self, n_leaves: int) -> None:
        self.n_leaves = n_leaves
        self.leaves: list[NDArray[Any]] = []
        self.shares: list[Floats] = []
        self.lumped = 0
        self._known: dict[bytes, int] = {}

    def places(
        self, place: NDArray[Any], row: NDArray[Any], leaf: NDArray[Any], share: Floats, n_rows: int
    ) -> tuple[NDArray[Any], NDArray[Any], Floats]:
        """Return rows, cells and shares; a share is 1 unless a row is in no cell of its own."""
        cell = place[leaf]
        n_reached = np.bincount(row, minlength=n_rows)
        mixed = n_reached[row] > 1
        if not mixed.any():
            return row, cell, share
        order = np.argsort(row[mixed], kind="stable")
        rows, cells, parts = row[mixed][order], cell[mixed][order], share[mixed][order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        ends = np.append(starts[1:], len(rows))
        own: list[tuple[int, int]] = []
        lumped = np.zeros(len(rows), dtype=bool)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            number = self._number(cells[start:end], parts[start:end])
            if number is None:
                lumped[start:end] = True
                self.lumped += 1
            else:
                own.append((int(rows[start]), number))
        joined = np.array(own, dtype=np.int64).reshape(-1, 2)
        return (
            np.concatenate([row[~mixed], joined[:, 0], rows[lumped]]),
            np.concatenate([cell[~mixed], joined[:, 1], cells[lumped]]),
            np.concatenate([share[~mixed], np.ones(len(own)), parts[lumped]]),
        )

    def _number(self, cells: NDArray[Any], parts: Floats) -> int | None:
        key = cells.tobytes() + parts.tobytes()
        found = self._known.get(key)
        if found is None and len(self.leaves) < _MOST_MIXED:
            found = self._known[key] = self.n_leaves + len(self.leaves)
            self.leaves.append(cells)
            self.shares.append(parts)
        return found


def _sums(
    sample: Sample,
    row: NDArray[Any],
    cell: NDArray[Any],
    share: Floats,
    n_cells: int,
    n_classes: int,
    centre: float,
) -> list[list[float]]:
    """Return, for each cell, the weight of each class; of numbers see `number_sums`."""
    if n_classes:
        code = cell * n_classes + sample.truth[row]
        weight = share * sample.weight[row]
        counts: Floats = np.bincount(code, weight, n_cells * n_classes).astype(np.float64)
        return counts.reshape(n_cells, -1).tolist()
    return number_sums(
        cell,
        share * sample.time[row],
        sample.rates[row] - centre,
        share * sample.weight[row],
        n_cells,
    )


def number_sums(
    cell: NDArray[Any], time: Floats, rest: Floats, weight: Floats, n_cells: int
) -> list[list[float]]:
    """Return sums by cell: of exposed weight, times centred numbers and their squares; of weight.

    Parameters
    ----------
    cell : array of shape (n_rows,)
        The cell of each row.
    time : array of shape (n_rows,)
        Weights times exposures.
    rest : array of shape (n_rows,)
        Numbers per exposure, less their centre.
    weight : array of shape (n_rows,)
        Weights.
    n_cells : int
        Number of cells.

    Returns
    -------
    list of list
    """
    parts = (time, time * rest, time * rest * rest, weight)
    sums: list[list[float]] = np.stack(
        [np.bincount(cell, part, n_cells) for part in parts], axis=1
    ).tolist()
    return sums


# -- Ensembles, whose answers are as many as there are rows


def score_part(
    labels: list[NDArray[Any]], scores: list[Floats] | None, samples: list[Sample], n_classes: int
) -> dict[str, Any]:
    """Return confusion matrices, and for each class its scores in groups.

    Parameters
    ----------
    labels : list of array
        Predicted class codes in each data set.
    scores : list of array of shape (n_rows, n_classes) or None
        Probabilities; None if the model has none.
    samples : list of Sample
        The data sets.
    n_classes : int
        Number of classes.

    Returns
    -------
    dict
    """
    confusions = []
    for said, sample in zip(labels, samples, strict=True):
        code = sample.truth * n_classes + said
        counts = np.bincount(code, sample.weight, n_classes * n_classes)
        confusions.append(counts.reshape(n_classes, n_classes).tolist())
    if scores is None:
        return {"confusion": confusions, "scored": None}
    shown = range(min(n_classes, _MOST_CLASSES))
    return {
        "confusion": confusions,
        "scored": [_scored([score[:, k] for score in scores], samples, k) for k in shown],
    }


def _scored(scores: list[Floats], samples: list[Sample], k: int) -> dict[str, Any]:
    """Return distinct scores of a class, or means of groups, with the weight of it and others."""
    group, means = grouped(np.concatenate(scores))
    start, sums = 0, []
    for sample in samples:
        here = group[start : start + sample.n_rows]
        start += sample.n_rows
        is_class = sample.truth == k
        sums.append(
            [
                np.bincount(here, sample.weight * flag, len(means)).tolist()
                for flag in (is_class, ~is_class)
            ]
        )
    return {"score": means.tolist(), "sums": sums}


def grouped(numbers: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the group of each number and the means of the groups, ascending.

    Equal numbers are in one group; if there are few distinct ones, each has its own.
    """
    distinct, place, count = np.unique(numbers, return_inverse=True, return_counts=True)
    if len(distinct) <= _MOST_SCORES:
        return place, distinct
    middle = np.cumsum(count) - count / 2.0
    group = np.minimum((middle * _MOST_SCORES / len(numbers)).astype(np.intp), _MOST_SCORES - 1)
    _, group = np.unique(group, return_inverse=True)
    sums, sizes = np.bincount(group, distinct * count), np.bincount(group, count)
    return group[place], sums / sizes
