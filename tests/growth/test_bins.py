"""`max_bins`: a column with no more values than bins gives the tests of exact search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spinney import CARTClassifier, CARTRegressor

from .comparison import assert_same_tests
from .problems import Array, make_table

KINDS = ("numeric", "nominal", "ordered", "numeric", "numeric")


def make_data(seed: int) -> tuple[Any, Array, Array]:
    """More rows than a small node has, few values a column, some gaps, whole weights."""
    rng = np.random.default_rng(seed)
    n = 6000
    cells = rng.integers(0, [40, 8, 5, 60, 3], (n, 5)).astype(float)
    signal = cells[:, 0] + 10 * (cells[:, 1] % 3) - cells[:, 3] / 2 + rng.normal(scale=9, size=n)
    cells[rng.random(cells.shape) < 0.04] = np.nan
    return make_table(cells, KINDS), signal, rng.integers(0, 4, n).astype(float)


LIMITS: list[dict[str, Any]] = [
    {"max_depth": 6},
    {"min_samples_leaf": 40},
    {"max_leaf_nodes": 25},
    {"max_depth": 5, "missing": "majority"},
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "twoing"])
def test_classes_are_divided_as_by_exact_search(
    criterion: str, limits: dict[str, Any], weighted: bool
) -> None:
    table, signal, w = make_data(1)
    y = np.searchsorted(np.quantile(signal, [0.3, 0.7]), signal)
    exact, binned = (
        CARTClassifier(criterion, max_bins=bins, **limits)
        .fit(table, y, sample_weight=w if weighted else None)
        .tree_
        for bins in (None, 64)
    )
    assert exact.n_leaves > 8
    assert_same_tests(exact, binned)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_numbers_are_divided_as_by_exact_search(limits: dict[str, Any], weighted: bool) -> None:
    table, signal, w = make_data(2)
    exact, binned = (
        CARTRegressor(max_bins=bins, **limits)
        .fit(table, np.round(signal), sample_weight=w if weighted else None)
        .tree_
        for bins in (None, 64)
    )
    assert exact.n_leaves > 8
    assert_same_tests(exact, binned)


def test_few_bins_give_a_tree_nearly_as_good() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 4))
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
    exact, binned = (
        CARTClassifier(max_bins=bins, max_depth=6).fit(X[:6000], y[:6000]) for bins in (None, 32)
    )
    assert binned.score(X[6000:], y[6000:]) > exact.score(X[6000:], y[6000:]) - 0.02
