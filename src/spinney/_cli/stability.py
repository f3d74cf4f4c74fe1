"""Population stability: how far the rows of a table are from those of the training."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._cli.data.columns import Column
from spinney._cli.memory import memory_of
from spinney._table import CodedLabels
from spinney._training_info import codes_in, shares_of
from spinney._typing import Floats

_LEAST = 1e-4  # a share of 0 counts as this: its logarithm is infinite
_NOTHING = 1e-12
_SHIFTED, _CHANGED = 0.1, 0.25  # by the usual rule of thumb
_Z99 = 2.326348  # quantile of the normal distribution


def stability_index(expected: Floats, found: Floats) -> float:
    """Return the population stability index of shares against expected ones.

    It is the sum over bins of (found - expected) * ln(found / expected); a share below 0.0001
    counts as 0.0001.
    """
    e, a = np.maximum(expected, _LEAST), np.maximum(found, _LEAST)
    return float(np.sum((a - e) * np.log(a / e)))


def verdict(index: float, by_chance: float = 0.0) -> str:
    """Return what an index means, by the usual rule of thumb; small tables reach it by chance."""
    if _SHIFTED <= index < by_chance:
        return "within chance of so few rows"
    return "stable" if index < _SHIFTED else "shifted" if index < _CHANGED else "changed"


def index_by_chance(n_bins: int, n_training: int, n_rows: int) -> float:
    """Return the index that one of 100 tables of the same population exceeds.

    It is about chi-squared with `n_bins - 1` degrees of freedom, times the sum of both inverse
    sizes (Yurdakul 2018). The quantile is that of Wilson and Hilferty.
    """
    freedom = n_bins - 1
    if freedom < 1:
        return 0.0
    rest = 2 / (9 * freedom)
    quantile = freedom * (1 - rest + _Z99 * rest**0.5) ** 3
    return float(quantile * (1 / n_training + 1 / n_rows))


@dataclass(frozen=True)
class Population:
    """The stability index of each column, of the leaves and of the classes."""

    n_training: int
    columns: dict[str, float]
    leaves: float | None  # None of a model that is not one tree
    classes: list[tuple[Any, float, float]]  # label, share in training, share here
    by_chance: dict[str | None, float]  # index that chance reaches, of columns; None: of leaves

    def verdict(self, name: str | None) -> str:
        """Return what the index of a column means, or that of the leaves."""
        index = self.leaves if name is None else self.columns[name]
        assert index is not None
        return verdict(index, self.by_chance[name])

    def is_training(self, n_rows: int) -> bool:
        """Return whether so many rows have the shares of the training rows throughout."""
        moved = [*self.columns.values(), self.leaves or 0.0]
        moved += [abs(here - before) for _, before, here in self.classes]
        return n_rows == self.n_training and max(moved) < _NOTHING


def population(model: Any, rows: Any, y: Any) -> Population | None:
    """Compare rows with those of the training; None if the model does not remember these."""
    memory = memory_of(model)
    if memory is None:
        return None
    schema = model._schema
    found, chance = {}, {}
    sizes = memory.n_rows, len(y)
    for column, (cuts, expected) in zip(schema.columns, memory.by_column(schema), strict=False):
        if column.name not in rows.absent:
            here = _shares(rows.columns[column.name], column, cuts)
            found[column.name] = stability_index(expected, here)
            used = int(np.count_nonzero(np.maximum(expected, here)))
            chance[column.name] = index_by_chance(used, *sizes)
    classes = [
        (label, share, float(np.mean(np.asarray(y) == label)))
        for label, share in memory.class_shares
    ]
    leaves = _leaves(model.tree_, rows.X) if hasattr(model, "tree_") else None
    n_leaves = 0 if leaves is None else model.tree_.n_leaves
    by_chance = {**chance, None: index_by_chance(n_leaves, *sizes)}
    return Population(memory.n_rows, found, leaves, classes, by_chance)


def _shares(cells: Column, column: Any, cuts: Floats) -> Floats:
    if column.kind == "numeric":
        return shares_of(cells.cells, cuts, 0)
    if not column.categories:
        return np.array([1.0])
    codes = codes_in(CodedLabels(cells.cells, cells.categories), column)
    return shares_of(codes, cuts, len(column.categories))


def _leaves(tree: Any, X: Any) -> float:
    ends = np.flatnonzero(tree.first_child < 0)
    expected = tree.n_samples[ends] / max(int(tree.n_samples[0]), 1)
    here = np.bincount(tree.apply(X), minlength=tree.n_nodes)[ends]
    return stability_index(expected, here / max(int(here.sum()), 1))
