"""Scores: equal to scikit-learn's, and to their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, roc_curve

from spinney._cli.metrics import class_metrics
from spinney._cli.scores import Scores, mean_interval
from spinney._cli.stability import index_by_chance, stability_index, verdict
from spinney._training_info import shares_of


@st.composite
def labelled(draw):
    """Return whether rows are positive, with both kinds, and scores with ties."""
    n = draw(st.integers(2, 60))
    happened = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    score = draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))
    happened[0], happened[1] = True, False
    return np.array(happened), np.array(score) / 20


@given(labelled())
def test_metrics_are_those_of_scikit_learn(rows):
    happened, score = rows
    found = Scores("yes", happened, score)
    assert found.auc == pytest.approx(roc_auc_score(happened, score), abs=1e-12)
    assert found.gini == pytest.approx(2 * roc_auc_score(happened, score) - 1, abs=1e-12)
    assert found.squares.mean() == pytest.approx(brier_score_loss(happened, score))
    assert found.log_losses.mean() == pytest.approx(log_loss(happened, score))
    false, true, _ = roc_curve(happened, score, drop_intermediate=False)
    np.testing.assert_allclose(found.roc(), (false, true))
    shares = np.column_stack([1 - score, score])
    metrics = class_metrics([False, True], happened, score > 0.5, shares, {})
    assert metrics.brier == pytest.approx(brier_score_loss(happened, score))


@given(labelled())
def test_ks_is_the_largest_difference_of_the_distributions(rows):
    happened, score = rows
    differences = [
        abs(np.mean(score[happened] <= x) - np.mean(score[~happened] <= x)) for x in score
    ]
    assert Scores("yes", happened, score).ks == pytest.approx(max(differences), abs=1e-12)


@given(labelled(), st.integers(0, 9), st.integers(1, 9))
def test_the_cut_of_least_cost_is_the_best_of_all(rows, missed, alarm):
    happened, score = rows
    found = Scores("yes", happened, score, missed, alarm)

    def cost(cut):
        chosen = score >= cut
        return (missed * (happened & ~chosen) + alarm * (~happened & chosen)).mean()

    least = found.least_cost()
    assert 0 <= least.cut <= 1
    assert least.cost == pytest.approx(cost(least.cut))
    assert least.cost == pytest.approx(min(cost(cut) for cut in [*score, 1.0]))
    for cut in found.cuts():
        chosen = score >= cut.cut
        assert (cut.selected, cut.found) == (chosen.sum(), (happened & chosen).sum())
        assert cut.recall == pytest.approx((happened & chosen).sum() / happened.sum())
        assert cut.lift == pytest.approx(happened[chosen].mean() / happened.mean())
        assert cut.cost == pytest.approx(cost(cut.cut))


@given(st.lists(st.integers(0, 50), min_size=2, max_size=8), st.data())
def test_the_stability_index_is_its_definition(counts, data):
    again = data.draw(st.lists(st.integers(0, 50), min_size=len(counts), max_size=len(counts)))
    if not sum(counts) or not sum(again):
        return
    expected, found = np.array(counts) / sum(counts), np.array(again) / sum(again)
    pairs = [(max(e, 1e-4), max(a, 1e-4)) for e, a in zip(expected, found, strict=True)]
    by_hand = sum((a - e) * math.log(a / e) for e, a in pairs)
    assert stability_index(expected, found) == pytest.approx(by_hand)
    assert stability_index(expected, expected) == 0


def test_verdicts_follow_the_rule_of_thumb():
    assert [verdict(x) for x in (0.05, 0.1, 0.3)] == ["stable", "shifted", "changed"]


@pytest.mark.parametrize("n_bins", [2, 5, 11])
def test_chance_exceeds_its_index_once_in_a_hundred(n_bins):
    random = np.random.default_rng(n_bins)
    limit = index_by_chance(n_bins, 700, 300)
    exceeded = 0
    for _ in range(2000):
        drawn = [
            np.bincount(random.integers(n_bins, size=n), minlength=n_bins) / n for n in (700, 300)
        ]
        exceeded += stability_index(*drawn) > limit
    assert 0.003 <= exceeded / 2000 <= 0.022


def test_what_chance_reaches_is_no_shift():
    assert verdict(0.11, index_by_chance(11, 630, 270)) == "within chance of so few rows"
    assert verdict(0.3, index_by_chance(11, 630, 270)) == "changed"
    assert verdict(0.11, index_by_chance(11, 63_000, 27_000)) == "shifted"
    assert index_by_chance(1, 10, 10) == 0.0


def test_shares_count_bins_categories_and_gaps():
    numbers = np.array([1.0, 2.0, 2.5, np.nan])
    assert shares_of(numbers, np.array([1.0, 2.0]), 0).tolist() == [0.25, 0.25, 0.25, 0.25]
    assert shares_of(np.array([0, 1, 1, -1]), np.zeros(0), 2).tolist() == [0.25, 0.5, 0.25]


def test_intervals_cover_the_truth_as_often_as_they_say():
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        happened = random.random(200) < 0.3
        score = 1 / (1 + np.exp(-random.normal(happened * 1.0)))
        low, high = Scores("yes", happened, score).auc_interval()
        covered += low <= 0.7602 <= high  # the area of two normals one standard deviation apart
    assert 0.91 <= covered / 300 <= 0.99


def test_the_interval_of_a_mean_holds_it():
    mean, low, high = mean_interval(np.array([0.0, 1.0, 1.0, 0.0]))
    assert mean == 0.5
    assert low == pytest.approx(0.5 - 1.959964 * 0.25)
    assert high == pytest.approx(0.5 + 1.959964 * 0.25)
