"""Which members stay is what the definitions say, and the report tells why."""

import functools
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from spinney.ensemble._selection import SelectionReport, choose_members

whole = st.lists(st.integers(0, 12), min_size=1, max_size=40)
real = st.lists(st.integers(0, 4000).map(lambda k: k / 64), min_size=1, max_size=40)


def members(table: dict[int, int]) -> np.ndarray:
    """Return errors in a mixed order, from how many members make how many."""
    errors = np.repeat(list(table), list(table.values())).astype(float)
    return np.random.default_rng(len(errors)).permutation(errors)


def kept(selection: Any, errors: Any, *, unit: float | None = 1.0, trim: Any = 0.25) -> list[int]:
    return choose_members(selection, np.array(errors, float), trim, "training", unit=unit)[
        0
    ].tolist()


def report(selection: Any, errors: Any, **options: Any) -> SelectionReport:
    options = {"trim": 0.25, "data": "training", "unit": 1.0, **options}
    found = choose_members(selection, np.array(errors, float), **options)[1]
    assert found is not None
    return found


def test_without_a_selection_everyone_stays_and_nothing_is_checked():
    places, nothing = choose_members(None, np.array([1.0, math.nan]), None, "oob", unit=None)
    assert (places.tolist(), places.dtype, nothing) == ([0, 1], np.int64, None)


# Trimmed


@given(whole, st.integers(0, 99))
def test_trimmed_keeps_the_first_by_error_and_place(errors, percent):
    n_kept = math.floor((1 - Fraction(percent, 100)) * len(errors))
    order = sorted(range(len(errors)), key=lambda k: (errors[k], k))
    if n_kept:
        assert kept("trimmed", errors, trim=percent / 100) == sorted(order[:n_kept])


@given(st.integers(1, 3000), st.integers(0, 1000))
@example(10, 100)
@example(10, 900)
@example(50, 340)
def test_the_number_kept_is_that_of_exact_arithmetic(n_members, thousandth):
    n_kept = math.floor((1 - Fraction(thousandth, 1000)) * n_members)
    if n_kept:
        assert len(kept("trimmed", np.zeros(n_members), trim=thousandth / 1000)) == n_kept


def test_of_many_equal_members_the_first_stay():
    errors = np.arange(400) % 2
    assert kept("trimmed", errors, trim=0.25) == sorted([*range(0, 400, 2), *range(1, 200, 2)])


@pytest.mark.parametrize("trim", [5 / 6, 1 - 1 / 6, np.float32(5 / 6)])
def test_a_trim_that_was_computed_is_not_meant_to_the_last_digit(trim):
    assert kept("trimmed", range(6), trim=trim) == [0]


@pytest.mark.parametrize("unit", [1.0, None])
def test_nothing_is_trimmed_by_zero(unit):
    assert kept("trimmed", [3, 1, 2], trim=0, unit=unit) == [0, 1, 2]


@pytest.mark.parametrize(("n_members", "trim"), [(3, 0.75), (1, 0.25), (1000, 1.0)])
def test_a_trim_that_leaves_nobody_is_refused(n_members, trim):
    with pytest.raises(ValueError, match=rf"trim={trim} keeps none of {n_members} members. Use a"):
        kept("trimmed", np.zeros(n_members), trim=trim)


# Mode of numbers of rows


@given(whole)
def test_mode_keeps_members_up_to_the_smallest_mode(errors):
    mode = np.argmax(np.bincount(errors))
    assert kept("mode", errors) == np.flatnonzero(np.array(errors) <= mode).tolist()


@pytest.mark.parametrize(
    ("table", "mode", "share"),
    [
        ({3: 20, 4: 34, 5: 54, 6: 60, 7: 22, 8: 10}, 6, 84),
        ({3: 48, 4: 60, 5: 52, 6: 30, 7: 10}, 4, 54),  # the share of iris by Gini
        ({0: 20, 1: 30, 2: 150}, 2, 100),
        ({9: 150, 10: 50}, 9, 75),
    ],
)
def test_a_table_of_200_members_leaves_the_share_up_to_its_mode(table, mode, share):
    found = report("mode", members(table))
    assert (found.mode, found.limit, len(found.kept)) == (mode, mode, 2 * share)
    assert found.frequencies == table
    assert list(found.frequencies) == sorted(table)


def test_of_several_modes_the_smallest_counts():
    assert report("mode", members({2: 1, 5: 7, 6: 3, 8: 7})).limit == 5
    assert kept("mode", [4, 3, 2, 1]) == [3]  # all are modes


@given(whole, st.sampled_from([0.1, 1 / 3, 7.0, 1e-90]))
def test_the_mean_weight_of_a_row_changes_nothing(errors, weight):
    scaled = np.array(errors) * weight
    assert kept("mode", scaled, unit=weight) == kept("mode", errors)


@given(whole, st.integers(20, 400))
def test_rates_on_equally_many_rows_are_told_as_numbers_of_rows(errors, n_rows):
    rates = np.array(errors) / n_rows
    found = report("mode", rates, data="oob", unit=1 / n_rows)
    assert found.kept.tolist() == kept("mode", errors)
    assert found.values.tolist() == errors
    assert found.errors.tolist() == rates.tolist()


def test_rates_on_different_numbers_of_rows_are_rounded_to_rows_of_the_mean():
    wrong, left_out = np.array([7, 8, 9, 12, 4]), np.array([35, 38, 44, 43, 40])
    found = report("mode", wrong / left_out, data="oob", unit=1 / left_out.mean())
    assert found.values.tolist() == [8, 8, 8, 11, 4]  # of 40
    assert found.kept.tolist() == [0, 1, 2, 4]
    assert found.dropped.tolist() == [3]


@pytest.mark.parametrize("n_rows", [40, 100, 300, 1000])
def test_half_a_row_is_rounded_up(n_rows):
    halves = np.arange(0.5, 30)
    found = report("mode", halves / n_rows, unit=1 / n_rows)
    assert found.values.tolist() == (halves + 0.5).tolist()


# Mode of continuous errors


def by_bins(errors: list[float]) -> list[int]:
    """Return who is in a bin up to the first of the fullest."""
    n, spread, iqr = len(errors), np.ptp(errors), np.subtract(*np.percentile(errors, [75, 25]))
    sturges = np.log2(n) + 1
    wide = min(spread / iqr * n ** (1 / 3) / 2, 2 * n**0.5) if iqr > 0 else 0
    n_bins = int(np.ceil(max(sturges, wide)))
    bins = [min(int((error - min(errors)) / spread * n_bins), n_bins - 1) for error in errors]
    mode = max(range(n_bins), key=bins.count)
    return [k for k in range(n) if bins[k] <= mode]


@given(real)
@example([0.0, 0.0, 0.0, 0.0, 0.0, 1 / 64, 7 / 64])  # more bins than 2 sqrt(n) were wanted
def test_members_up_to_the_fullest_bin_stay(errors):
    if np.ptp(errors) > 0:
        assert kept("mode", errors, unit=None) == by_bins(errors)


@given(real, st.integers(-8, 8), st.integers(0, 1000))
def test_scale_and_shift_of_continuous_errors_change_nothing(errors, power, shift):
    moved = np.ldexp(np.array(errors) + shift, power)
    assert kept("mode", moved, unit=None) == kept("mode", errors, unit=None)


@given(real)
def test_the_limit_separates_continuous_errors(errors):
    found = report("mode", errors, unit=None)
    assert found.kept.tolist() == np.flatnonzero(np.array(errors) <= found.limit).tolist()
    assert sum(found.frequencies.values()) == len(errors)
    assert found.frequencies[found.mode] == max(found.frequencies.values())


@pytest.mark.parametrize(
    ("errors", "stay"),
    [
        ([5.0], [0]),
        ([5.0, 4.0], [1]),
        ([4.0, 4.0], [0, 1]),
        ([0.1, 9.0, 0.3], [0, 2]),
        ([1.0, 2.0, 3.0], [0]),
        ([8.0, 1.0, 1.2, 1.1], [1, 2, 3]),
        ([0.0] * 5, [0, 1, 2, 3, 4]),
        ([0.3, 0.1 + 0.2, 0.3], [0, 1, 2]),  # equal but for rounding
        ([1.0, 5.0, 5.1, 5.2, 9.0], [0, 1, 2, 3]),
        ([5e-324, 0.0, 0.0], [1, 2]),
        ([1.0, 1.0, 1.0, 1.0 + 1e-9, 1e300], [0, 1, 2, 3]),
    ],
)
def test_few_equal_and_extreme_errors_have_a_mode(errors, stay):
    assert kept("mode", errors, unit=None) == stay


def test_the_peak_of_many_continuous_errors_is_found():
    random = np.random.default_rng(3)
    errors = np.concatenate([random.normal(4, 0.2, 300), random.uniform(1, 20, 100)])
    found = report("mode", errors, unit=None)
    assert 3.8 < found.limit < 4.4
    assert found.mode - found.width <= found.limit <= found.mode


# A function


def test_a_function_gets_a_copy_and_names_places_or_a_mask():
    errors = np.array([3.0, 1.0, 2.0])

    def worst(given: np.ndarray) -> list[int]:
        given.sort()
        return [0, 0]

    assert kept(worst, errors) == [0]
    assert errors.tolist() == [3, 1, 2]
    assert kept(lambda e: e < 3, errors) == [1, 2]
    assert kept(lambda e: [2, 1], errors) == [1, 2]
    assert kept(lambda e: np.array([2], np.uint8), errors) == [2]
    assert report(worst, errors).method == "worst"
    assert report(worst, errors).errors.tolist() == [3, 1, 2]
    assert report(functools.partial(np.argsort), errors).method == "partial"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "keeps none of the members"),
        ([False] * 3, "keeps none of the members"),
        ([0, 3], "returned member 3, but there are members 0 to 2"),
        ([-1], "returned member -1, but"),
        ([True, False], "a mask of 2 entries for 3 members"),
        ([0.0, 1.0], "must return a list of places or a mask of members, got an array of shape"),
        (1, "must return a list of places"),
        ([[0, 1]], "must return a list of places"),
        (None, "must return a list of places"),
    ],
)
def test_other_answers_of_a_function_are_refused(answer, message):
    with pytest.raises(ValueError, match=message):
        kept(lambda e: answer, [1, 2, 3])


# What is refused


@pytest.mark.parametrize("selection", ["mode", "trimmed", lambda e: e > 0])
def test_a_member_without_an_error_is_named(selection):
    with pytest.raises(ValueError, match=r"2 of 4 have none \(members 1, 3\).*max_samples"):
        choose_members(selection, np.array([0.1, np.nan, 0, np.nan]), 0.25, "oob", unit=0.01)
    with pytest.raises(ValueError, match="the error of member 1 is infinite"):
        choose_members(selection, np.array([1.0, np.inf]), 0.25, "training", unit=None)


def test_an_ensemble_without_members_is_refused():
    with pytest.raises(ValueError, match="no members"):
        kept("mode", [])


# The report


@given(whole, st.sampled_from([1.0, None]), st.sampled_from(["trimmed", "mode"]))
def test_kept_and_dropped_are_all_members(errors, unit, selection):
    if len(errors) > 1:
        found = report(selection, errors, unit=unit)
        both = [*found.kept.tolist(), *found.dropped.tolist()]
        assert sorted(both) == list(range(len(errors)))
        assert found.limit == max(errors[k] for k in found.kept.tolist())


def welch(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return t and p by the textbook."""
    a, b = one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)
    t = (one.mean() - other.mean()) / (a + b) ** 0.5
    df = (a + b) ** 2 / (a**2 / (len(one) - 1) + b**2 / (len(other) - 1))
    return t, 2 * stats.t.sf(abs(t), df)


@given(whole.filter(lambda errors: len(errors) > 1), st.sampled_from(["trimmed", "mode"]))
def test_the_t_test_is_welchs(selection_errors, selection):
    errors = np.array(selection_errors, float)
    found = report(selection, errors)
    groups = errors[found.kept], errors[found.dropped]
    if min(map(len, groups)) > 1 and max(map(np.ptp, groups)) > 0:
        wanted = welch(*groups)
    else:
        wanted = (math.nan, math.nan)
    np.testing.assert_allclose((found.t_statistic, found.p_value), wanted, rtol=1e-7, atol=1e-12)


def test_the_t_test_agrees_with_scipy():
    errors = np.array([1.0, 2, 2, 3, 8, 9, 9, 12])
    found = report("trimmed", errors, trim=0.5)
    wanted = stats.ttest_ind(errors[:4], errors[4:], equal_var=False)
    np.testing.assert_allclose(
        (found.t_statistic, found.p_value), (wanted.statistic, wanted.pvalue), rtol=1e-9
    )


def test_the_t_test_does_not_depend_on_the_scale_of_errors():
    errors = np.array([1.0, 2, 2, 3, 8, 9, 9, 12])
    for scale in (1e-300, 1e300):
        found = report("trimmed", errors * scale, trim=0.5, unit=None)
        np.testing.assert_allclose(
            found.p_value, report("trimmed", errors, trim=0.5, unit=None).p_value, rtol=1e-9
        )


def test_the_report_is_a_table():
    found = report("mode", members({3: 2, 4: 5, 5: 2, 11: 1}))
    assert str(found) == (
        "mode on training rows: 7 of 10 members stay\n"
        "  misclassified rows  members  kept\n"
        "                   3        2     2\n"
        "                   4        5     5  mode\n"
        "                   5        2     0\n"
        "                  11        1     0\n"
        "mean error: 3.714 of those kept, 7 of those dropped\n"
        "t-test between the two: t = -1.636, p = 0.24"
    )


def test_the_table_shows_a_number_that_trimming_divides():
    found = report("trimmed", [3, 4, 4, 4], trim=0.5)
    assert "                   4        3     1  mode" in str(found)


def test_the_table_of_rates_tells_what_a_row_is():
    text = str(report("mode", [0.1, 0.2, 0.2], data="oob", unit=0.1))
    assert text.startswith("mode on rows left out: 3 of 3 members stay\n")
    assert "one row is an error rate of 0.1\n" in text
    assert text.endswith("mean error: 0.1667 of those kept")


def test_the_table_of_continuous_errors_names_the_upper_ends_of_bins():
    text = str(report("mode", [1.0, 1.5, 2.0, 5.0], unit=None))
    assert "  error up to  members  kept\n" in text
    assert "      2.33333        3     3  mode\n" in text
    assert "            5        1     0\n" in text


def test_a_long_table_is_cut_around_the_limit():
    found = report("trimmed", range(100), trim=0.5)
    lines = found.to_text(max_lines=4).splitlines()
    assert [line.split()[0] for line in lines[2:8]] == ["less", "47", "48", "49", "50", "more"]
    assert [line.split()[1:] for line in (lines[2], lines[7])] == [["47", "47"], ["49", "0"]]
    assert len(str(found).splitlines()) == 26


def test_a_report_cannot_be_changed_and_can_be_pickled():
    errors = np.array([1.0, 2, 2])
    places, found = choose_members("mode", errors, 0.25, "training", unit=1.0)
    assert found is not None
    errors[0] = 99
    places[0] = 7
    assert (found.errors.tolist(), found.kept.tolist()) == ([1, 2, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="read-only"):
        found.errors[0] = 5
    with pytest.raises(AttributeError):
        found.limit = 3  # type: ignore[misc]
    assert str(pickle.loads(pickle.dumps(found))) == str(found)
