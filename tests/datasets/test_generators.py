"""Points of Gaussian mixtures and exclusive or are what they are said to be."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from spinney import CARTClassifier
from spinney.datasets import make_gaussian_mixture, make_xor
from spinney.datasets._generators import CLASSES, best_rule

MAKERS = [make_gaussian_mixture, make_xor]


def test_parts_of_a_mixture_have_their_means_and_covariances():
    X, y = make_gaussian_mixture(30_000, random_state=0)
    for number, parts in enumerate(CLASSES):
        own = X[y == number]
        mean = sum(part.share * np.array(part.mean) for part in parts)
        second = sum(
            part.share * (np.array(part.covariance) + np.outer(part.mean, part.mean))
            for part in parts
        )
        assert np.abs(own.mean(axis=0) - mean).max() < 0.08  # 5 standard errors of a mean
        assert np.abs(own.T @ own / len(own) - second).max() < 0.2
    assert np.abs(np.bincount(y) / len(y) - 1 / 3).max() < 0.015


def test_the_best_rule_of_the_mixture_is_right_for_some_95_of_100():
    X, y = make_gaussian_mixture(20_000, random_state=1)
    assert 0.94 < (best_rule(X) == y).mean() < 0.97


def test_the_best_rule_is_bayes_own():
    X, _ = make_gaussian_mixture(50, random_state=2)
    for point, label in zip(X, best_rule(X), strict=True):
        densities = [
            sum(p.share * multivariate_normal(p.mean, p.covariance).pdf(point) for p in parts)
            for parts in CLASSES
        ]
        assert label == int(np.argmax(densities))


def test_no_column_of_xor_says_anything_but_a_tree_of_four_leaves_is_right():
    X, y = make_xor(4000, n_other=2, random_state=0)
    assert X.shape == (4000, 4)
    assert np.abs(X).max() <= 1
    assert max(abs(np.corrcoef(column, y)[0, 1]) for column in X.T) < 0.06
    parity = (X[:, :2] > 0).sum(axis=1) % 2
    assert np.array_equal(parity, y)
    exact = (X[:, :2] > 0).astype(float)
    assert CARTClassifier(max_depth=2).fit(exact, y).tree_.n_leaves == 4


def test_xor_of_three_columns_is_their_parity():
    X, y = make_xor(500, n_informative=3, random_state=0)
    signs = np.sign(X).prod(axis=1)  # negative if an odd number is below 0
    assert np.array_equal(signs > 0, y == 1)


def test_flipped_labels_are_as_many_as_asked():
    X, y = make_xor(20_000, flip=0.2, random_state=0)
    wrong = ((X > 0).sum(axis=1) % 2 != y).mean()
    assert abs(wrong - 0.2) < 0.012  # 4 standard errors


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_says_it_all_and_a_generator_goes_on(make):
    one, again, other = make(20, random_state=3), make(20, random_state=3), make(20, random_state=4)
    assert np.array_equal(one[0], again[0])
    assert np.array_equal(one[1], again[1])
    assert not np.array_equal(one[0], other[0])
    for random in (np.random.default_rng(3), np.random.RandomState(3)):
        first, second = make(20, random_state=random), make(20, random_state=random)
        assert not np.array_equal(first[0], second[0])


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("wrong", [0, -3, 2.5, "300", True, None])
def test_a_wrong_number_of_rows_is_refused(make, wrong):
    with pytest.raises(ValueError, match=r"n_samples must be an integer >= 1, got "):
        make(wrong)


@pytest.mark.parametrize("make", MAKERS)
def test_a_wrong_seed_is_refused(make):
    with pytest.raises(ValueError, match=r"random_state must be None, an integer seed"):
        make(3, random_state="seed 3")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_informative": 0}, "n_informative must be an integer >= 1"),
        ({"n_other": -1}, "n_other must be an integer >= 0"),
        ({"flip": 0.7}, "flip must be"),
    ],
)
def test_wrong_settings_of_xor_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        make_xor(10, **wrong)
