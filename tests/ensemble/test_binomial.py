"""The binomial law of voting, against sums by hand and in plain Python."""

from fractions import Fraction
from math import ceil, comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.ensemble._diversity import binomial_accuracy


def plain(n: int, p: Fraction, enough: Any) -> Fraction:
    """Add up the chances of every number of right votes that is enough."""
    terms = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if enough(k)]
    return sum(terms, Fraction(0))


chances = st.integers(0, 20).map(lambda k: Fraction(k, 20))
sizes = st.integers(1, 25)


@given(sizes, chances)
def test_a_majority_is_more_than_half(n: int, p: Fraction) -> None:
    expected = plain(n, p, lambda k: 2 * k > n)
    assert binomial_accuracy(n, float(p)) == pytest.approx(float(expected), abs=1e-12)


@given(sizes, chances, st.integers(1, 12))
def test_a_quorum_is_at_least_its_share(n: int, p: Fraction, twelfths: int) -> None:
    share = Fraction(twelfths, 12)
    expected = plain(n, p, lambda k: k >= ceil(share * n))
    found = binomial_accuracy(n, float(p), twelfths / 12)
    assert found == pytest.approx(float(expected), abs=1e-12)


@given(sizes, chances)
def test_unanimity_is_a_power(n: int, p: Fraction) -> None:
    found = binomial_accuracy(n, float(p), "unanimous")
    assert found == pytest.approx(float(p**n), rel=1e-9, abs=1e-300)
    assert found == binomial_accuracy(n, float(p), 1.0)


@pytest.mark.parametrize(
    ("n", "p", "quorum", "by_hand"),
    [
        (1, 0.6, "majority", 0.6),
        (3, 0.6, "majority", 0.648),  # 3 * 0.36 * 0.4 + 0.216
        (5, 0.6, "majority", 0.68256),  # 10 * 0.03456 + 5 * 0.05184 + 0.07776
        (2, 0.6, "majority", 0.36),  # one of two is a tie
        (4, 0.6, "majority", 0.4752),  # 4 * 0.216 * 0.4 + 0.1296
        (4, 0.6, 0.5, 0.8208),  # and 6 * 0.36 * 0.16
        (3, 0.6, 2 / 3, 0.648),
        (3, 0.6, "unanimous", 0.216),
        (3, 0.5, "majority", 0.5),
        (3, 0.4, "majority", 0.352),
        (7, 0.0, "majority", 0.0),
        (7, 1.0, "majority", 1.0),
    ],
)
def test_numbers_worked_by_hand(n: int, p: float, quorum: Any, by_hand: float) -> None:
    assert binomial_accuracy(n, p, quorum) == pytest.approx(by_hand, abs=1e-12)


def test_members_better_than_a_coin_come_close_to_certainty() -> None:
    odd = np.arange(1, 2002, 2)
    good, fair, bad = (binomial_accuracy(odd, p) for p in (0.6, 0.5, 0.4))
    assert (np.diff(good) > 0)[: len(odd) // 4].all()
    assert good[-1] > 1 - 1e-15
    np.testing.assert_allclose(fair, 0.5)
    assert bad[-1] < 1e-15
    np.testing.assert_allclose(good + bad, 1.0)


def test_a_hundred_members_just_above_a_coin_are_not_yet_certain() -> None:
    assert binomial_accuracy(101, 0.55) == pytest.approx(0.8438, abs=1e-4)
    assert binomial_accuracy(101, 0.6) == pytest.approx(0.9791, abs=1e-4)


@given(st.integers(1, 12), chances)
def test_a_coin_for_ties_makes_an_even_number_as_good_as_one_fewer(m: int, p: Fraction) -> None:
    even = binomial_accuracy(2 * m, float(p), ties=0.5)
    assert even == pytest.approx(binomial_accuracy(2 * m - 1, float(p)), abs=1e-12)
    assert binomial_accuracy(2 * m - 1, float(p), ties=0.5) == binomial_accuracy(
        2 * m - 1, float(p)
    )


def test_ties_matter_to_a_majority_only() -> None:
    assert binomial_accuracy(4, 0.6, "unanimous", ties=0.5) == pytest.approx(0.1296)
    assert binomial_accuracy(4, 0.6, 0.75, ties=0.5) == pytest.approx(0.4752)
    assert binomial_accuracy(4, 0.6, ties=1.0) == pytest.approx(0.8208)


def test_arrays_are_broadcast() -> None:
    found = binomial_accuracy([[1], [3]], [0.5, 0.6])
    np.testing.assert_allclose(found, [[0.5, 0.6], [0.5, 0.648]])
    assert isinstance(binomial_accuracy(np.int32(3), 1), float)
    assert binomial_accuracy([3], 0.6).shape == (1,)


@pytest.mark.parametrize("n", [0, -1, 2.5, [3, 0], True, "3", None])
def test_a_number_of_members_is_a_positive_integer(n: Any) -> None:
    with pytest.raises(ValueError, match="n_members must hold integers >= 1"):
        binomial_accuracy(n, 0.6)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan"), [0.5, 2], "0.5", None, True])
def test_a_probability_is_between_zero_and_one(p: Any) -> None:
    with pytest.raises(ValueError, match="p must hold probabilities between 0 and 1"):
        binomial_accuracy(3, p)


@pytest.mark.parametrize("quorum", ["plurality", "most", None])
def test_an_unknown_quorum_is_refused(quorum: Any) -> None:
    with pytest.raises(ValueError, match="quorum must be one of 'majority', 'unanimous'"):
        binomial_accuracy(3, 0.6, quorum)


@pytest.mark.parametrize("quorum", [0.0, 1.5, -1])
def test_a_quorum_outside_zero_to_one_is_refused(quorum: float) -> None:
    with pytest.raises(ValueError, match="quorum must be a number > 0 and <= 1"):
        binomial_accuracy(3, 0.6, quorum)


@pytest.mark.parametrize("ties", [-0.1, 1.5, "coin"])
def test_a_share_of_ties_is_between_zero_and_one(ties: Any) -> None:
    with pytest.raises(ValueError, match="ties must be a number"):
        binomial_accuracy(4, 0.6, ties=ties)
