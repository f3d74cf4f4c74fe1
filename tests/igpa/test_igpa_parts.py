"""How the rows are dealt into parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor, _core

from .problems import Array

N_PARTS = [2, 3, 5]
seeds = st.integers(0, 2**32)


def deal(
    y: Any, n_parts: int, seed: int, weights: Any = None, regression: bool = False
) -> np.ndarray:
    """The part of each row."""
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    learner = CARTRegressor() if regression else CARTClassifier()
    target = learner._encode_target(np.asarray(y), w).core()
    return np.asarray(_core.deal_parts(target, n_parts, seed))


def spread(sizes: np.ndarray) -> int:
    return int(sizes.max() - sizes.min())


def sizes_of(parts: np.ndarray, n_parts: int) -> np.ndarray:
    return np.bincount(parts[parts >= 0], minlength=n_parts)


@st.composite
def labelled_rows(draw: st.DrawFn) -> tuple[Array, Array]:
    """Labels and weights; some row always counts."""
    labels = draw(st.lists(st.integers(0, 4), min_size=1, max_size=40))
    cell = st.sampled_from([0.0, 1.0, 0.5, 3.0])
    weights = draw(st.lists(cell, min_size=len(labels), max_size=len(labels)))
    weights[0] = 1.0
    return np.array(labels, dtype=float), np.array(weights)


@given(rows=labelled_rows(), n_parts=st.sampled_from(N_PARTS), seed=seeds)
def test_parts_and_the_classes_in_them_differ_by_one_row_at_most(
    rows: tuple[Array, Array], n_parts: int, seed: int
) -> None:
    y, w = rows
    parts = deal(y, n_parts, seed, w)
    assert spread(sizes_of(parts, n_parts)) <= 1
    for label in np.unique(y):
        assert spread(sizes_of(parts[y == label], n_parts)) <= 1


@given(rows=labelled_rows(), n_parts=st.sampled_from(N_PARTS), seed=seeds)
def test_parts_of_numbers_differ_by_one_row_at_most(
    rows: tuple[Array, Array], n_parts: int, seed: int
) -> None:
    y, w = rows
    parts = deal(y, n_parts, seed, w, regression=True)
    assert spread(sizes_of(parts, n_parts)) <= 1


@pytest.mark.parametrize("regression", [False, True])
@given(rows=labelled_rows(), n_parts=st.sampled_from(N_PARTS), seed=seeds)
def test_rows_that_count_are_in_one_part_and_others_in_none(
    regression: bool, rows: tuple[Array, Array], n_parts: int, seed: int
) -> None:
    y, w = rows
    parts = deal(y, n_parts, seed, w, regression)
    assert parts.shape == y.shape
    assert ((parts == -1) == (w == 0)).all()
    assert ((parts[w > 0] >= 0) & (parts[w > 0] < n_parts)).all()


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("n_parts", N_PARTS)
def test_each_seed_has_its_own_division(n_parts: int, regression: bool) -> None:
    y = np.arange(60) % 3
    divisions = [deal(y, n_parts, seed, regression=regression).tolist() for seed in range(20)]
    assert divisions[7] == deal(y, n_parts, 7, regression=regression).tolist()
    assert len({tuple(division) for division in divisions}) == 20


@pytest.mark.parametrize("regression", [False, True])
def test_each_pair_of_rows_can_be_parted_and_stay_together(regression: bool) -> None:
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    dealt = np.array([deal(y, 2, seed, regression=regression) for seed in range(200)])
    for i in range(len(y)):
        for j in range(i):
            together = (dealt[:, i] == dealt[:, j]).mean()
            assert 0.05 < together < 0.95


@pytest.mark.parametrize("regression", [False, True])
def test_with_more_parts_than_rows_each_row_has_its_own(regression: bool) -> None:
    parts = deal([0, 1, 0], 5, 3, regression=regression)
    assert len(set(parts.tolist())) == 3
    assert deal([0], 2, 3, regression=regression).tolist() in ([0], [1])
