"""Partitions have the sizes that were asked for, keep classes even, and never overlap."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.compare import (
    GrowingTrainingSet,
    OutOfBag,
    RepeatedHoldout,
    RepeatedKFold,
    Resubstitution,
)

strata_of = st.lists(st.integers(0, 3), min_size=12, max_size=80).map(np.array)
seeds = st.integers(0, 1000)


def drawn(resampling: Any, strata: Any, seed: int = 0) -> Any:
    return resampling.parts(strata, np.random.default_rng(seed))


@given(strata_of, seeds, st.booleans())
def test_holdout_has_the_sizes_that_were_asked_for(strata: Any, seed: int, stratify: bool):
    ((train, test),) = drawn(RepeatedHoldout(1, 5, 4, stratify), strata, seed)
    assert (len(train), len(test)) == (5, 4)
    assert len(set(train) | set(test)) == 9


@given(strata_of, seeds, st.floats(0.2, 0.8))
def test_a_stratified_holdout_keeps_the_share_of_every_class(strata: Any, seed: int, share: float):
    ((train, test),) = drawn(RepeatedHoldout(1, test_size=share), strata, seed)
    assert sorted([*train, *test]) == list(range(len(strata)))
    for code in np.unique(strata):
        wanted = len(test) * np.mean(strata == code)
        assert abs(np.sum(strata[test] == code) - wanted) < 1


@given(strata_of, seeds, st.booleans())
def test_every_row_is_tested_once_by_k_folds(strata: Any, seed: int, stratify: bool):
    folds = drawn(RepeatedKFold(5, stratify=stratify), strata, seed)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(strata)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(strata)))
        assert abs(len(test) - len(strata) / 5) < 1
        for code in np.unique(strata) if stratify else ():
            assert abs(np.sum(strata[test] == code) - np.mean(strata == code) * len(test)) < 2


@given(strata_of, seeds)
def test_out_of_bag_rows_are_those_not_drawn(strata: Any, seed: int):
    ((train, test),) = drawn(OutOfBag(), strata, seed)
    assert len(train) == len(strata)
    assert set(train) | set(test) == set(range(len(strata)))
    assert not set(train) & set(test)


def test_about_37_percent_are_out_of_bag():
    shares = [len(drawn(OutOfBag(), np.zeros(500), seed)[0][1]) / 500 for seed in range(40)]
    assert np.mean(shares) == pytest.approx(np.exp(-1), abs=0.01)


def test_resubstitution_tests_the_rows_it_trains_on():
    ((train, test),) = drawn(Resubstitution(), np.zeros(7))
    assert train.tolist() == test.tolist() == list(range(7))
    assert not Resubstitution().is_honest
    assert RepeatedKFold().is_honest


@given(strata_of, seeds)
def test_training_sets_grow_while_the_test_rows_stay(strata: Any, seed: int):
    parts = drawn(GrowingTrainingSet([2, 4, 9], test_size=3), strata, seed)
    assert [len(train) for train, _ in parts] == [2, 4, 9]
    assert {tuple(test) for _, test in parts} == {tuple(parts[0][1])}
    for (smaller, _), (larger, test) in pairwise(parts):
        assert set(smaller) < set(larger)
        assert not set(larger) & set(test)


def test_draws_follow_the_generator():
    strata = np.arange(30) % 3
    for resampling in (RepeatedHoldout(), RepeatedKFold(), OutOfBag()):
        first, again, other = (drawn(resampling, strata, seed)[0][0] for seed in (1, 1, 2))
        assert first.tolist() == again.tolist() != other.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RepeatedHoldout(0), "n_repeats must be an integer >= 1, got 0"),
        (lambda: RepeatedHoldout(test_size=1.5), "test_size must be a number of rows, or a share"),
        (lambda: RepeatedHoldout(test_size=None), "train_size and test_size must not both be None"),
        (lambda: RepeatedKFold(1), "n_splits must be an integer >= 2, got 1"),
        (lambda: GrowingTrainingSet([5, 3]), "train_sizes must ascend, got"),
        (lambda: GrowingTrainingSet([]), "train_sizes must ascend, got"),
        (lambda: drawn(RepeatedKFold(5), np.zeros(4)), "at most the number of rows, which is 4"),
        (lambda: drawn(RepeatedHoldout(1, 8, 4), np.zeros(10)), "ask for 8 training and 4 test"),
        (lambda: drawn(OutOfBag(), np.zeros(1)), "at least two rows"),
    ],
)
def test_sizes_that_cannot_be_are_refused(make: Any, message: str):
    with pytest.raises(ValueError, match=message):
        make()
