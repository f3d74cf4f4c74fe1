"""Means, ranks, counts and tests of results that are known."""

from typing import Any

import numpy as np
import pytest
from known_results import made_results
from scipy import stats

from spinney.compare import Results, corrected_t


def test_means_and_deviations_are_over_partitions(results: Results):
    assert results.mean()[0] == pytest.approx([0.33, 0.215, 0.215])
    assert results.sd()[1, 0] == pytest.approx(np.std([0.40, 0.41, 0.42, 0.44], ddof=1))
    assert results.mean("n_leaves")[2].tolist() == [6.5, 41.5, 901.5]


def test_the_same_errors_in_another_order_share_a_rank(results: Results):
    sums = results.values()[0].sum(axis=1)
    assert results.ranks()[0].tolist() == [3.0, 1.5, 1.5], sums
    assert results.ranks().tolist()[1:] == [[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]]
    assert results.mean_ranks() == pytest.approx([7 / 3, 1.5, 6.5 / 3])


def test_equal_shares_are_a_draw_however_they_are_summed():
    random = np.random.default_rng(0)
    for _ in range(20):
        counts = random.integers(0, 45, 30) / 45
        found = made_results([[counts, random.permutation(counts)]])
        assert found.ranks().tolist() == [[1.5, 1.5]]


def test_the_highest_ranks_first_where_higher_is_better(results: Results):
    assert results.ranks("auc").tolist() == results.ranks().tolist()


def test_one_partition_has_no_deviation():
    assert np.isnan(made_results([[[0.1], [0.2]]]).sd()).all()


def test_wins_draws_and_losses(results: Results):
    counts = results.win_draw_loss()
    assert counts[1, 0].tolist() == [2, 0, 1]
    assert counts[0, 1].tolist() == [1, 0, 2]
    assert counts[1, 2].tolist() == [2, 1, 0]
    assert counts[1, 1].tolist() == [0, 3, 0]
    assert results.win_draw_loss("auc").tolist() == counts.tolist()


def test_a_difference_that_a_test_does_not_find_is_a_draw(results: Results):
    assert results.win_draw_loss(test="corrected_t")[1, 0].tolist() == [2, 1, 0]
    assert results.win_draw_loss(test="corrected_t", alpha=1e-9)[1, 0].tolist() == [0, 3, 0]


def test_methods_are_compared_on_the_partitions_of_a_data_set(results: Results):
    small, middle, _ = results.values()[2]
    found = results.compare("small", "middle", "set 2")
    assert found == corrected_t(small, middle, 10 / 90)
    plain = results.compare("small", "middle", "set 2", test="paired_t")
    assert plain.p_value == pytest.approx(stats.ttest_rel(small, middle).pvalue)


def test_methods_are_compared_by_their_means_over_data_sets(results: Results):
    means = results.mean()
    found = results.compare("small", "large", test="wilcoxon")
    assert (found.n, found.p_value) == (3, stats.wilcoxon(means[:, 0], means[:, 2]).pvalue)
    assert results.compare("small", "large", test="paired_t").n == 3


def test_friedman_and_nemenyi_are_of_the_means(results: Results):
    assert results.friedman().mean_ranks == pytest.approx(results.mean_ranks())
    assert results.friedman("auc").statistic == pytest.approx(results.friedman().statistic)
    assert results.nemenyi(alpha=0.1).critical_difference < results.nemenyi().critical_difference


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.compare("small", "middle"), "test='corrected_t' compares on one data set"),
        (lambda r: r.compare("smalls", "large"), "method must be one of .* Did you mean 'small'"),
        (lambda r: r.compare("small", "large", "set 9"), "dataset must be one of"),
        (lambda r: r.compare("small", "large", test="t"), "test must be one of 'corrected_t'"),
        (lambda r: r.mean("eror"), "measure must be one of .* Did you mean 'error'"),
        (lambda r: r.table("set"), "what must be one of 'scores'"),
        (lambda r: r.training_size_curve("set 0", "small"), "all training sets have one size"),
    ],
)
def test_what_is_not_there_is_named(results: Results, call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call(results)


def test_resubstitution_has_no_corrected_test():
    found = made_results([[[0.1, 0.2], [0.2, 0.2]]], is_honest=False)
    with pytest.raises(ValueError, match="resubstitution has none"):
        found.compare("small", "middle")
    assert found.compare("small", "middle", test="paired_t").difference == pytest.approx(-0.05)
    assert "p" not in found.table("set 0").columns


def test_the_report_of_many_data_sets_has_ranks_and_tests(results: Results):
    text = str(results)
    for words in ("Mean error in %", "mean rank", "Wilcoxon p", "Friedman: chi-squared", "Nemenyi"):
        assert words in text


def test_the_report_of_one_data_set_has_the_best_method_first():
    found = made_results([[[0.3, 0.2], [0.1, 0.1], [0.2, 0.3]]])
    lines = str(found).splitlines()
    assert lines[0] == "set 0: 2 partitions; p is of the corrected t-test against the first"
    assert [line.split()[0] for line in lines[3:]] == ["middle", "small", "large"]
    assert repr(found) == "Results(1 data sets, 3 methods, 6 units)"
