"""Numbers to intervals before growth: cuts by description length and by quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import id3 as oracle

from spinney import ID3Classifier
from spinney.tree._discretize import interval_codes, mdl_cuts, quantile_cuts

values = st.one_of(st.integers(-3, 6).map(float), st.sampled_from([0.1, 0.3, 1e6, np.nan]))
rows = st.lists(
    st.tuples(values, st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0, 1.0, 1.0, 2.0])),
    min_size=1,
    max_size=60,
)


@given(rows=rows)
def test_mdl_cuts_are_the_oracles(rows: list[tuple[float, int, float]]) -> None:
    x, y, w = (np.array(column) for column in zip(*rows, strict=True))
    expected = oracle.mdl_cuts(x.tolist(), y.tolist(), w.tolist(), 3, slack=1e-12)
    assert mdl_cuts(x, y, w, 3).tolist() == pytest.approx(expected, rel=1e-15)


@given(
    lengths=st.lists(st.integers(4, 25), min_size=2, max_size=6),
    noise=st.integers(0, 60),
)
def test_mdl_cuts_of_long_runs_are_the_oracles(lengths: list[int], noise: int) -> None:
    y = np.repeat(np.arange(len(lengths)) % 3, lengths)
    y[noise % len(y)] = 1
    x, w = np.arange(len(y), dtype=float), np.ones(len(y))
    expected = oracle.mdl_cuts(x.tolist(), y.tolist(), w.tolist(), 3, slack=1e-12)
    assert mdl_cuts(x, y, w, 3).tolist() == expected


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 4), st.sampled_from([0.0, 0.3, 1.0, 2.0])),
        min_size=2,
        max_size=60,
    ),
    n_classes=st.integers(25, 60),
)
def test_mdl_cuts_of_many_classes_are_the_oracles(
    rows: list[tuple[int, int, float]], n_classes: int
) -> None:
    value, noise, w = (np.array(column) for column in zip(*rows, strict=True))
    x, y = value.astype(float), (value // 2 * 5 + noise) % n_classes
    expected = oracle.mdl_cuts(x.tolist(), y.tolist(), w.tolist(), n_classes, slack=1e-12)
    assert mdl_cuts(x, y, w, n_classes).tolist() == expected


def test_every_border_of_long_runs_is_a_cut() -> None:
    y = np.repeat([0, 1, 0, 2], 30)
    cuts = mdl_cuts(np.arange(120.0), y, np.ones(120), 3)
    assert cuts.tolist() == [29.5, 59.5, 89.5]


def test_a_column_without_news_is_cut_once() -> None:
    y = np.arange(40) % 2
    assert len(mdl_cuts(np.arange(40.0), y, np.ones(40), 2)) == 1


@given(rows=rows, n_intervals=st.integers(2, 7))
def test_quantile_cuts_are_the_oracles(
    rows: list[tuple[float, int, float]], n_intervals: int
) -> None:
    x, _, w = (np.array(column) for column in zip(*rows, strict=True))
    expected = oracle.quantile_cuts(x.tolist(), w.tolist(), n_intervals)
    assert quantile_cuts(x, w, n_intervals).tolist() == pytest.approx(expected, rel=1e-15)


@given(x=st.lists(st.floats(allow_nan=False), min_size=2, max_size=30, unique=True))
def test_cuts_lie_between_values_whatever_their_size(x: list[float]) -> None:
    """Infinities, neighbours and the largest numbers among them."""
    column, ones = np.array(x), np.ones(len(x))
    for cuts in (quantile_cuts(column, ones, 4), mdl_cuts(column, np.arange(len(x)), ones, len(x))):
        assert len(cuts) >= (len(set(x)) > 1)
        assert (np.diff(cuts) > 0).all()
        codes = interval_codes(column, cuts)
        assert sorted(set(codes)) == list(range(len(cuts) + 1))  # no interval is empty


def test_weights_count_as_rows_would() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0, 0, 1, 1, 1])
    w = np.array([3.0, 1.0, 2.0, 4.0, 1.0])
    repeated = [np.repeat(a, w.astype(int)) for a in (x, y)]
    ones = np.ones(int(w.sum()))
    np.testing.assert_array_equal(mdl_cuts(x, y, w, 2), mdl_cuts(*repeated, ones, 2))
    np.testing.assert_array_equal(quantile_cuts(x, w, 3), quantile_cuts(repeated[0], ones, 3))


def test_id3_refuses_numbers_that_it_may_not_cut() -> None:
    with pytest.raises(ValueError, match=r"column 'x0' is numeric.*C45Classifier"):
        ID3Classifier(discretize=None).fit([[0.0], [1.0]], [0, 1])
