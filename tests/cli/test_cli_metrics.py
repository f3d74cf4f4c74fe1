"""Metrics of classes, numbers and counts equal scikit-learn's on random data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as usual
from sklearn.calibration import calibration_curve

from spinney._cli.counts import Told
from spinney._cli.metrics import class_metrics, number_metrics
from spinney._cli.scores import Scores
from spinney.compare._metrics import MEASURES, Judged

SEEDS = st.integers(0, 2**32 - 1)


def classes_of(seed, n_classes):
    """Return random classes, probabilities of all, and predictions."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 60))
    y = np.append(random.integers(n_classes, size=n), np.arange(n_classes))
    shares = random.dirichlet(np.full(n_classes, 0.7), size=len(y))
    return y, shares, random.integers(n_classes, size=len(y))


@given(SEEDS, st.integers(2, 4))
def test_metrics_of_classes(seed, n_classes):
    y, shares, guess = classes_of(seed, n_classes)
    labels = list(range(n_classes))
    found = class_metrics(labels, y, guess, shares, {})
    assert found.estimate.value == pytest.approx(1 - usual.accuracy_score(y, guess))
    np.testing.assert_array_equal(found.confusion, usual.confusion_matrix(y, guess, labels=labels))
    assert found.log_loss == pytest.approx(usual.log_loss(y, shares, labels=labels))
    hits = (shares - np.eye(n_classes)[y]) ** 2
    brier = usual.brier_score_loss(y, shares[:, 1]) if n_classes == 2 else hits.sum(1).mean()
    assert found.brier == pytest.approx(brier)
    told = usual.precision_recall_fscore_support(y, guess, labels=labels, zero_division=math.nan)
    for (_, count, recall, precision, f1), *expected in zip(found.per_class(), *told, strict=True):
        np.testing.assert_allclose([precision, recall, f1, count], expected)


@given(SEEDS)
def test_curves_of_two_classes(seed):
    y, shares, _ = classes_of(seed, 2)
    scores = Scores(1, y == 1, shares[:, 1])
    recall, precision = scores.precision_recall()
    expected, at, _ = usual.precision_recall_curve(y, shares[:, 1])
    # scikit-learn's curve starts at no recall, and leaves nothing out but what comes after all
    kept = len(expected) - 1
    np.testing.assert_allclose(precision[:kept][::-1], expected[:-1])
    np.testing.assert_allclose(recall[:kept][::-1], at[:-1])
    table = class_metrics([0, 1], y, y, shares, {}).calibration
    observed, mean = calibration_curve(y, shares[:, 1], n_bins=10)
    np.testing.assert_allclose([row[2] for row in table], mean)
    np.testing.assert_allclose([row[3] for row in table], observed)


@given(SEEDS, st.integers(1, 9), st.integers(1, 9))
def test_costs_are_sums_over_the_confusion(seed, missed, alarm):
    y, shares, guess = classes_of(seed, 2)
    found = class_metrics([0, 1], y, guess, shares, {(1, 0): missed, (0, 1): alarm})
    (_, false), (lost, _) = usual.confusion_matrix(y, guess, labels=[0, 1])
    assert found.cost.value == pytest.approx((missed * lost + alarm * false) / len(y))


@given(SEEDS)
def test_metrics_of_numbers(seed):
    random = np.random.default_rng(seed)
    y, guess = random.normal(size=(2, int(random.integers(2, 60))))
    found = number_metrics(y, guess)
    assert found.estimate.value == pytest.approx(usual.root_mean_squared_error(y, guess))
    assert found.mean_absolute_error == pytest.approx(usual.mean_absolute_error(y, guess))
    assert found.r2 == pytest.approx(usual.r2_score(y, guess))
    assert found.bias == pytest.approx(guess.mean() - y.mean())


@given(SEEDS, st.sampled_from([("poisson", 1), ("gamma", 2)]))
def test_deviances(seed, criterion):
    name, power = criterion
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 60))
    y = random.poisson(2, n) + 0.0 if name == "poisson" else random.gamma(2, size=n)
    y[0] = y.max() + 1.0  # not all alike
    guess, weight = random.gamma(3, size=n) + 0.1, random.integers(1, 4, n) + 0.0
    found = Told(n, weight, None).estimate(name, y, guess)
    expected = usual.mean_tweedie_deviance(y, guess, sample_weight=weight, power=power)
    assert found.value == pytest.approx(expected)
    shown = usual.d2_tweedie_score(y, guess, sample_weight=weight, power=power)
    assert 1 - found.relative == pytest.approx(shown)


class Fitted:
    """A model that answers with given probabilities."""

    classes_ = np.array([0, 1])

    def __init__(self, shares):
        self.shares = shares

    def predict_proba(self, X):
        return self.shares


@given(SEEDS, st.booleans())
def test_measures_of_comparisons(seed, weighted):
    y, shares, guess = classes_of(seed, 2)
    weight = np.random.default_rng(seed).integers(1, 5, len(y)) + 0.0 if weighted else None
    rows = Judged(Fitted(shares), None, y, guess, weight, costs={(1, 0): 5.0}, classes=(0, 1))
    found = {name: MEASURES[name].of(rows) for name in ("error", "auc", "logloss", "brier", "cost")}
    priced = np.where(y == guess, 0.0, np.where(y == 1, 5.0, 1.0))
    assert found == pytest.approx(
        {
            "error": usual.zero_one_loss(y, guess, sample_weight=weight),
            "auc": usual.roc_auc_score(y, shares[:, 1], sample_weight=weight),
            "logloss": usual.log_loss(y, shares, sample_weight=weight),
            "brier": usual.brier_score_loss(y, shares[:, 1], sample_weight=weight),
            "cost": np.average(priced, weights=weight),
        }
    )


@given(SEEDS, st.booleans())
def test_measures_of_numbers_in_comparisons(seed, weighted):
    random = np.random.default_rng(seed)
    y, guess = random.normal(size=(2, int(random.integers(2, 60))))
    weight = random.integers(1, 5, len(y)) + 0.0 if weighted else None
    rows = Judged(None, None, y, guess, weight)
    assert MEASURES["r2"].of(rows) == pytest.approx(usual.r2_score(y, guess, sample_weight=weight))
    expected = usual.root_mean_squared_error(y, guess, sample_weight=weight)
    assert MEASURES["rmse"].of(rows) == pytest.approx(expected)
