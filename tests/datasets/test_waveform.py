"""The waveform problem, drawn afresh: what its definition says of the rows."""

import numpy as np
import pytest

from spinney.datasets import load_waveform, make_waveform

N_ROWS = 30_000
T = np.arange(1, 22)
H1, H2, H3 = (np.maximum(6 - abs(T - top), 0) for top in (11, 15, 7))
MIXED = {0: (H2, H3), 1: (H1, H3), 2: (H1, H2)}
every_class = pytest.mark.parametrize("label", MIXED)


@pytest.fixture(scope="module")
def drawn():
    return make_waveform(N_ROWS, random_state=1984)


def bayes_rule(X, n_shares=100):
    """Return the class of the greatest density, with the shares summed over a fine grid."""
    shares = (np.arange(n_shares)[:, None] + 0.5) / n_shares
    densities = []
    for one, other in MIXED.values():
        means = shares * one + (1 - shares) * other
        distance = (X**2).sum(axis=1)[:, None] - 2 * X @ means.T + (means**2).sum(axis=1)
        densities.append(np.exp(-distance / 2).sum(axis=1))
    return np.argmax(densities, axis=0)


def test_rows_are_21_numbers_and_classes_three_integers(drawn):
    X, y = drawn
    assert X.shape == (N_ROWS, 21)
    assert X.dtype == np.float64
    assert y.shape == (N_ROWS,)
    assert y.dtype == np.int64
    assert set(y.tolist()) == {0, 1, 2}


def test_5000_rows_are_drawn_if_nothing_is_said():
    assert len(make_waveform(random_state=0)[0]) == 5000


def test_classes_are_equally_likely(drawn):
    shares = np.bincount(drawn[1]) / N_ROWS
    assert np.abs(shares - 1 / 3).max() < 0.01  # 3.7 standard errors


@every_class
def test_the_mean_of_a_class_is_the_half_sum_of_its_two_waves(drawn, label):
    X, y = drawn
    one, other = MIXED[label]
    mean = X[y == label].mean(axis=0)
    assert (
        np.abs(mean - (one + other) / 2).max() < 0.09
    )  # sd of a value at most 2, of its mean 0.02


@every_class
def test_noise_has_variance_1_and_shares_are_even_between_0_and_1(drawn, label):
    X, y = drawn
    one, other = MIXED[label]
    way = (one - other) / np.linalg.norm(one - other)
    rest = X[y == label] - other
    along = rest @ way
    across = rest - along[:, None] * way
    assert (across**2).sum() / (20 * len(rest)) == pytest.approx(1, abs=0.015)
    length = np.linalg.norm(one - other)
    assert along.mean() / length == pytest.approx(1 / 2, abs=0.015)
    assert along.var() == pytest.approx(length**2 / 12 + 1, rel=0.05)


def test_noise_of_different_values_has_nothing_in_common(drawn):
    X, y = drawn
    silent = X[y == 2][:, :5]  # neither h1 nor h2 has begun
    correlation = np.corrcoef(silent.T) - np.eye(5)
    assert np.abs(correlation).max() < 0.05


def test_the_best_rule_errs_on_13_to_14_percent(drawn):
    X, y = drawn
    error = np.mean(bayes_rule(X) != y)
    assert 0.125 < error < 0.14


@every_class
def test_classes_are_those_of_the_data_set_that_ships(drawn, label):
    X, y = drawn
    shipped = load_waveform(as_="dict")
    values = np.column_stack(list(shipped.X.values()))
    theirs = values[shipped.y == str(label)].mean(axis=0)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    assert np.abs(means - theirs).max(axis=1).argmin() == label
    assert np.abs(means[label] - theirs).max() < 0.2


def test_a_seed_says_it_all():
    first, again = (make_waveform(20, random_state=3) for _ in range(2))
    other = make_waveform(20, random_state=4)
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


def test_a_generator_goes_on():
    random = np.random.RandomState(3)
    first, second = (make_waveform(20, random_state=random) for _ in range(2))
    assert np.array_equal(first[0], make_waveform(20, random_state=3)[0])
    assert not np.array_equal(first[0], second[0])


def test_one_row_is_enough():
    X, y = make_waveform(1, random_state=0)
    assert X.shape == (1, 21)
    assert y.shape == (1,)


@pytest.mark.parametrize("wrong", [0, -3, 2.5, "300", True, None])
def test_a_wrong_number_of_rows_is_refused(wrong):
    with pytest.raises(ValueError, match=r"n_samples must be an integer >= 1, got "):
        make_waveform(wrong)


def test_a_wrong_seed_is_refused():
    with pytest.raises(ValueError, match="seed"):
        make_waveform(3, random_state="seed 3")
