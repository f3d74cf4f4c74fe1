"""Infinities, the largest, the smallest and the closest numbers, as features."""

import numpy as np
import pandas as pd
import pytest
from contracts.estimators import LISTED, every, every_ensemble, every_learner, over, trees

from faults.outcomes import table

INF = np.inf
HUGE, TINY = np.finfo(float).max, np.nextafter(0.0, 1.0)


def steps_from(start, n, towards):
    """Return n neighbouring doubles."""
    values = [start]
    while len(values) < n:
        values.append(np.nextafter(values[-1], towards))
    return np.array(values)


@every_learner
@table(
    {
        "columns": ("values",),
        "infinities at both ends": ([-INF, -1.0, 0.0, 1.0, INF],),
        "the two infinities": ([-INF, INF],),
        "minus infinity and zero": ([-INF, 0.0],),
        "zero and infinity": ([0.0, INF],),
        "the largest double and infinity": ([HUGE, INF],),
        "minus infinity and the smallest double": ([-INF, -HUGE],),
        "around 1e300": ([1e300, 2e300, 3e300, 4e300],),
        "around 1e-40": ([1e-40, 2e-40, 3e-40, 4e-40],),
        "around 1e-310": ([1e-310, 2e-310, 3e-310, 4e-310],),
        "the smallest there are": ([0.0, TINY, 2 * TINY, 3 * TINY],),
        "both sides of zero": ([-TINY, 0.0, TINY],),
        "1.7e308 and 1.79e308": ([1.7e308, 1.79e308],),
        "their negatives": ([-1.79e308, -1.7e308],),
        "the ends of the range": ([-HUGE, HUGE],),
        "very different sizes": ([-1e300, -1e-300, 0.0, 1e-300, 1.0, 1e300],),
    }
)
def test_values_are_told_apart_with_sound_thresholds(listed, values):
    X = np.array(values)[:, None]
    y = listed.target(np.arange(len(X)))
    for rows in (slice(None), slice(None, None, -1)):
        fitted = listed.new().fit(X[rows], y[rows])
        np.testing.assert_array_equal(fitted.predict(X), y)
        cuts = np.sort(fitted.tree_.threshold[fitted.tree_.feature >= 0])
        assert not np.isnan(cuts).any()
        lower, upper = X[:-1, 0], X[1:, 0]
        assert ((lower <= cuts) & (cuts < upper)).all()
        assert np.isfinite(cuts[np.isfinite(lower) & np.isfinite(upper)]).all()


@every_learner
def test_infinities_in_predict_are_beyond_all_that_fit_saw(listed):
    X = np.arange(6.0)[:, None]
    y = listed.target(np.arange(6))
    fitted = listed.new().fit(X, y)
    np.testing.assert_array_equal(fitted.predict([[-INF], [INF], [-HUGE], [HUGE]]), y[[0, 5, 0, 5]])


@every
def test_infinities_do_not_stop_the_other_estimators(listed, rng):
    X = rng.choice([-INF, -1.0, 1.0, INF, np.nan], size=(60, 3))
    fitted = listed.new().fit(X, listed.target(X[:, 0] > 0))
    assert not pd.isna(fitted.predict(X)).any()


STARTS = {
    "above one": (1.0, 2.0),
    "below one": (1.0, 0.0),
    "below minus one": (-1.0, -2.0),
    "above zero": (0.0, 1.0),
    "below zero": (0.0, -1.0),
    "at the lower end": (-HUGE, 0.0),
    "at the upper end": (HUGE, 0.0),
    "at a random place": (None, 2.0),
}


@every_learner
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_64_neighbouring_doubles_are_all_told_apart(listed, start, rng):
    first, towards = start
    x = steps_from(rng.random() if first is None else first, 64, towards)
    for codes in (np.arange(64) % 2, np.arange(64) * 13 % 31, rng.permutation(64) % 31):
        y = listed.target(codes)
        fitted = listed.new().fit(x[:, None], y)
        assert (fitted.predict(x[:, None]) == y).sum() == 64


@every_learner
@pytest.mark.parametrize("scale", [1e300, 1e-40, 1e-300, 2.0**-1050, 2.0**1000])
def test_the_scale_of_a_column_changes_no_partition(listed, scale, rng):
    if listed.adds_up and scale != 2.0**1000:
        pytest.skip("sums of numbers that were rounded, or are next to nothing, are rounded again")
    _assert_same_partitions(listed, scale, rng)


@every_ensemble
@pytest.mark.parametrize("scale", [2.0**-1050, 2.0**-130, 2.0**1000])
def test_the_scale_of_a_column_changes_no_partition_of_members(listed, scale, rng):
    """Powers of two only: a row that was not drawn may lie just where a threshold is rounded."""
    if listed.evolves:
        pytest.skip("sums, products and sines of columns depend on their scale")
    _assert_same_partitions(listed, scale, rng)


def _assert_same_partitions(listed, scale, rng):
    X = rng.integers(-50, 50, size=(80, 2)).astype(float)
    y = listed.target((X[:, 0] * X[:, 1] > 100).astype(int))
    plain, scaled = listed.new().fit(X, y), listed.new().fit(X * scale, y)
    for one, other in zip(trees(plain), trees(scaled), strict=True):
        assert one.feature.tolist() == other.feature.tolist()
        assert one.apply(X).tolist() == other.apply(X * scale).tolist()


PRECISION = r"column '{}' holds 64 integer\(s\) beyond 2\*\*53 that lose precision"


READERS = [one for one in LISTED if one.has("categorical_features")]  # not their members
every_reader = over([one for one in READERS if one.learns_all or not one.is_tree])


@every_reader
def test_large_integers_are_exact_or_named_in_a_warning(listed):
    ids = 2**60 + 1 + 2 * np.arange(64)  # odd: not one of them is a double
    y = listed.target(np.arange(64) % 3 > 0)
    with pytest.warns(UserWarning, match=PRECISION.format("x0")):
        listed.new().fit(ids[:, None], y)
    with pytest.warns(UserWarning, match=PRECISION.format("id")):
        listed.new().fit(pd.DataFrame({"id": ids}), y)
    with pytest.warns(UserWarning, match=PRECISION.format("id")):
        listed.new().fit(pd.DataFrame({"id": ids.astype(object)}), y)
    fitted = listed.new().fit(np.arange(64.0)[:, None], y)
    with pytest.warns(UserWarning, match=PRECISION.format("x0")):
        fitted.predict(ids[:, None])


@every_learner
def test_large_integers_that_are_doubles_are_told_apart_without_a_warning(listed):
    ids = 2**60 + 2**9 * np.arange(64)
    y = listed.target(np.arange(64) % 2)
    for X in (ids[:, None], pd.DataFrame({"id": ids}), ids[:, None].astype(np.uint64)):
        np.testing.assert_array_equal(listed.new().fit(X, y).predict(X), y)


@every_learner
def test_large_integers_named_as_a_category_are_exact(listed):
    ids = 2**60 + np.arange(12)
    y = listed.target(np.arange(12) % 2)
    X = pd.DataFrame({"id": ids})
    fitted = listed.new(categorical_features=["id"]).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
