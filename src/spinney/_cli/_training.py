"""A pruned tree and how well it does on rows that did not grow it."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import CARTClassifier, CARTRegressor, Tree
from spinney._cli._reading import Reading, occurring
from spinney._cli._refusal import Refusal
from spinney._table import Schema
from spinney.pruning import PruningPath

_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True)
class Settings:
    """How the tree is grown and pruned."""

    model: str = "cart"
    criterion: str | None = None
    cv: int = 10
    rule: str = "1se"
    min_samples_leaf: int = 1
    random_state: int = 0


@dataclass(frozen=True)
class Estimate:
    """An error with its 95 % interval, and what answering without a tree would give.

    Classification: the share of rows predicted wrongly. Regression: the root of the mean squared
    error. `relative` is the error (squared, in regression) over that of the baseline.
    """

    measure: str
    value: float
    low: float
    high: float
    baseline: float
    baseline_name: str
    relative: float | None


@dataclass(frozen=True, eq=False)
class Training:
    """The result of `train`."""

    reading: Reading
    settings: Settings
    tree: Tree
    path: PruningPath
    estimate: Estimate

    @property
    def selected(self) -> int:
        """The place of the tree in the pruning sequence."""
        assert self.path.selected is not None
        return self.path.selected

    @property
    def n_folds(self) -> int:
        """The number of folds that were made; no more than there are rows."""
        return min(self.settings.cv, self.reading.n_rows)

    def importances(self) -> list[tuple[str, float]]:
        """Return the features that the tree uses, the most important first."""
        pairs = zip(self.tree.schema.names, self.tree.importances().tolist(), strict=True)
        return sorted((pair for pair in pairs if pair[1] > 0), key=lambda pair: -pair[1])


def train(reading: Reading, settings: Settings) -> Training:
    """Grow a tree, prune it by cross-validation, and estimate its error.

    Parameters
    ----------
    reading : Reading
        The data.
    settings : Settings
        How.

    Returns
    -------
    Training
    """
    classes = reading.task == "classification"
    estimator: Any = CARTClassifier if classes else CARTRegressor
    usual = "gini" if classes else "squared_error"
    settings = replace(settings, criterion=settings.criterion or usual)
    model = estimator(
        criterion=settings.criterion,
        min_samples_leaf=settings.min_samples_leaf,
        pruning="cost_complexity",
        cv=settings.cv,
        rule=settings.rule,
        random_state=settings.random_state,
        n_jobs=-1,
    )
    try:
        model.fit(reading.X, reading.y)
    except ValueError as error:
        raise Refusal(str(error)) from error
    path: PruningPath = model.pruning_path_
    estimate = _class_error(reading.y, path) if classes else _real_error(path)
    return Training(reading, settings, _with_order(model.tree_, reading), path, estimate)


def _with_order(tree: Tree, reading: Reading) -> Tree:
    """Return the tree with the names of ordered categories in place of their codes."""
    columns = tuple(
        replace(column, kind="ordered", categories=occurring(read))
        if read.kind == "ordered"
        else column
        for column, read in zip(tree.schema.columns, reading.features, strict=True)
    )
    return Tree(tree._core, Schema(columns, has_names=True), tree.classes)


def _class_error(y: NDArray[Any], path: PruningPath) -> Estimate:
    labels, counts = np.unique(y, return_counts=True)
    error, _ = _chosen(path)
    low, high = wilson_interval(error, len(y))
    most = int(counts.argmax())
    baseline = 1.0 - float(counts[most]) / len(y)
    relative = error / baseline if baseline > 0 else None
    return Estimate("error rate", error, low, high, baseline, str(labels[most]), relative)


def _real_error(path: PruningPath) -> Estimate:
    error, standard_error = _chosen(path)
    assert path.errors is not None
    alone = float(path.errors[-1])  # the root by itself: always the mean
    low, high = max(0.0, error - _Z * standard_error), error + _Z * standard_error
    ends = math.sqrt(low), math.sqrt(high)
    relative = error / alone if alone > 0 else None
    return Estimate("RMSE", math.sqrt(error), *ends, math.sqrt(alone), "the mean", relative)


def _chosen(path: PruningPath) -> tuple[float, float]:
    assert path.errors is not None
    assert path.standard_errors is not None
    assert path.selected is not None
    return float(path.errors[path.selected]), float(path.standard_errors[path.selected])


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of n rows; it never leaves 0 to 1."""
    z2 = _Z * _Z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
