"""Tests of differences give what SciPy and published examples give."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from spinney.compare import corrected_t, friedman, nemenyi, paired_t, wilcoxon

# Demšar (2006), Table 6: AUC of C4.5, with the parameter m tuned, with cf tuned, and with both. In
# the row of voting the last two are equal in print but ranked 2 and 3.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        [0.972, 0.981, 0.975, 0.9749],  # voting
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)

few = st.floats(-1, 1).map(lambda x: round(x, 2))
tables = st.tuples(st.integers(3, 12), st.integers(3, 6)).flatmap(
    lambda shape: arrays(float, shape, elements=few)
)


def pairs(n: int = 12, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    return random.random(n), random.random(n) + 0.2


def test_friedman_gives_the_published_example():
    found = friedman(DEMSAR, higher_is_better=True, correct_ties=False)
    assert found.mean_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert round(found.statistic, 2) == 9.28
    assert round(found.iman_davenport, 2) == 3.69
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 3))
    assert found.iman_davenport_p == pytest.approx(stats.f.sf(found.iman_davenport, 3, 39))
    assert found.iman_davenport_p < 0.05  # the published critical value of F(3, 39) is 2.85


def test_nemenyi_gives_the_published_critical_differences():
    found = nemenyi(DEMSAR, higher_is_better=True)
    assert round(found.critical_difference, 2) == 1.25
    assert round(nemenyi(DEMSAR, alpha=0.1).critical_difference, 2) == 1.12
    # Published: at 0.10 plain C4.5 is worse than both variants with m; for cf alone it is open.
    at_10 = nemenyi(DEMSAR, alpha=0.1, higher_is_better=True)
    assert (at_10.p_values[0] < 0.1).tolist() == [False, True, False, True]
    assert at_10.groups() == [[3, 1, 2], [2, 0]]


@pytest.mark.parametrize(
    ("n_methods", "at_5", "at_10"),
    [
        (2, 1.960, 1.645),
        (3, 2.343, 2.052),
        (4, 2.569, 2.291),
        (7, 2.949, 2.693),
        (10, 3.164, 2.920),
    ],
)
def test_critical_values_are_those_of_the_published_table(
    n_methods: int, at_5: float, at_10: float
):
    scores = np.random.default_rng(0).random((6, n_methods))
    unit = (n_methods * (n_methods + 1) / 36) ** 0.5
    assert nemenyi(scores).critical_difference / unit == pytest.approx(at_5, abs=0.0011)
    assert nemenyi(scores, alpha=0.1).critical_difference / unit == pytest.approx(at_10, abs=0.0011)


def test_wilcoxon_gives_the_published_example():
    """Demšar's Table 2: the ranks of C4.5 and C4.5 with m tuned sum to 12 and 93."""
    found = wilcoxon(DEMSAR[:, 0].round(3), DEMSAR[:, 1].round(3))
    assert found.statistic == 12
    normal = (12 - 14 * 15 / 4) / (14 * 15 * 29 / 24) ** 0.5
    assert found.p_value == pytest.approx(2 * stats.norm.sf(-normal), rel=0.02)


@given(tables)
def test_friedman_equals_scipy(scores: Any):
    assume(np.ptp(scores, axis=1).any())
    expected = stats.friedmanchisquare(*scores.T)
    found = friedman(scores)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)


@given(tables)
def test_nemenyi_joins_exactly_the_pairs_that_do_not_differ(scores: Any):
    found = nemenyi(scores)
    joined = {pair for group in found.groups() for pair in itertools.permutations(group, 2)}
    apart = np.abs(found.mean_ranks[:, None] - found.mean_ranks)
    for a, b in itertools.permutations(range(scores.shape[1]), 2):
        assert ((a, b) in joined) == (apart[a, b] <= found.critical_difference)


def test_nemenyi_equals_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    for seed in range(3):
        scores = np.random.default_rng(seed).random((9, 5)).round(1)
        expected = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
        assert nemenyi(scores).p_values == pytest.approx(expected, abs=1e-6)


def test_paired_t_equals_scipy():
    a, b = pairs()
    expected = stats.ttest_rel(a, b)
    found = paired_t(a, b)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.difference == pytest.approx(np.mean(a) - np.mean(b))


def test_wilcoxon_equals_scipy():
    a, b = pairs()
    expected = stats.wilcoxon(a, b)
    assert wilcoxon(a, b).statistic == expected.statistic
    assert wilcoxon(a, b).p_value == expected.pvalue


def test_the_corrected_t_is_smaller_by_what_shared_rows_add_to_the_variance():
    """Ten times ten folds: the variance is 1/100 + 1/9 instead of 1/100."""
    a, b = pairs(100)
    plain, corrected = paired_t(a, b), corrected_t(a, b, 1 / 9)
    assert corrected.statistic == pytest.approx(plain.statistic * (0.01 / (0.01 + 1 / 9)) ** 0.5)
    assert corrected.p_value == pytest.approx(2 * stats.t.sf(abs(corrected.statistic), 99))
    assert corrected.p_value > plain.p_value


@pytest.mark.parametrize("test", [paired_t, wilcoxon, lambda a, b: corrected_t(a, b, 0.1)])
def test_swapping_the_methods_turns_the_difference_round(test: Any):
    a, b = pairs()
    assert test(a, b).difference == -test(b, a).difference
    assert test(a, b).p_value == pytest.approx(test(b, a).p_value)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, lambda a, b: corrected_t(a, b, 0.1)])
def test_equal_scores_do_not_differ(test: Any):
    assert test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]).p_value == 1.0


def test_a_difference_without_any_spread_is_sure():
    found = paired_t([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])
    assert (found.statistic, found.p_value) == (-np.inf, 0.0)


def test_methods_that_always_tie_do_not_differ():
    found = friedman(np.ones((5, 3)))
    assert (found.statistic, found.p_value, found.iman_davenport_p) == (0.0, 1.0, 1.0)


def test_the_same_order_on_every_data_set_is_the_largest_statistic():
    found = friedman(np.tile([0.1, 0.2, 0.3], (6, 1)))
    assert found.statistic == pytest.approx(12)  # n (k - 1)
    assert found.iman_davenport == np.inf
    assert found.iman_davenport_p == found.exact_p == pytest.approx(1 / 6**5)


def test_two_methods_may_be_compared_by_ranks():
    assert friedman([[0.1, 0.2], [0.3, 0.4], [0.2, 0.1]]).mean_ranks == pytest.approx(
        [4 / 3, 5 / 3]
    )


def test_findings_can_be_read():
    assert str(paired_t(*pairs())).startswith("paired t-test: difference -0.")
    text = str(friedman(DEMSAR, higher_is_better=True, correct_ties=False))
    assert "chi-squared 9.279 with 3 degrees of freedom, p = 0.0258" in text
    assert "F 3.686 with 3 and 39, p = 0.0198" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t([1, 2], [1, 2, 3]), r"same number of scores, .* \(2,\) and \(3,\)"),
        (lambda: paired_t([1], [2]), "two at least"),
        (lambda: wilcoxon([1, np.nan], [1, 2]), "pair 1 has"),
        (lambda: corrected_t([1, 2], [2, 1], 0), "test_train_ratio must be above 0, got 0"),
        (lambda: friedman([1, 2, 3]), r"got shape \(3,\)"),
        (lambda: friedman([[1, 2], [1, np.nan]]), "row 1, column 1 is NaN"),
        (lambda: nemenyi([[1, 2], [1, 3]], alpha=2), "alpha must be within 0 and 1, got 2"),
    ],
)
def test_scores_that_cannot_be_compared_are_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("n", "k"), [(2, 3), (3, 3), (5, 3), (2, 5), (3, 4)])
@pytest.mark.parametrize("levels", [3, 1000], ids=["ties", "no ties"])
def test_the_exact_p_of_few_data_sets_counts_all_orders(n, k, levels):
    scores = np.random.default_rng(n * k).integers(0, levels, (n, k)).astype(float)
    found = friedman(scores)
    ranks = stats.rankdata(scores, axis=1)
    unevenness = [
        np.var(np.sum(rows, axis=0))
        for rows in itertools.product(*(itertools.permutations(row) for row in ranks.tolist()))
    ]
    as_uneven = np.array(unevenness) >= np.var(ranks.sum(axis=0)) - 1e-9
    assert found.exact_p == pytest.approx(as_uneven.mean())


def test_two_data_sets_that_agree_prove_little():
    found = friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    assert found.exact_p == pytest.approx(1 / 6)
    assert "exact p = 0.1667" in str(found)
    assert "inf" not in str(found)


def test_many_data_sets_have_no_exact_p():
    found = friedman(np.random.default_rng(0).random((14, 4)))
    assert found.exact_p is None
    assert "Iman-Davenport" in str(found)
