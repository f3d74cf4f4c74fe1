"""How far a figure is from a printed one, and the verdict."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._reproduce.verdicts import Cell, Finding, Measured

RUNS = Measured.of([1.0, 2.0, 3.0, 4.0])  # mean 2.5, standard error 0.6455


def test_runs_are_summed_up_by_mean_and_deviation() -> None:
    assert RUNS.mean == 2.5
    assert RUNS.sd == pytest.approx(np.std([1, 2, 3, 4], ddof=1))
    assert RUNS.error == pytest.approx(RUNS.sd / 2)


def test_one_run_has_no_deviation_and_gives_no_verdict() -> None:
    cell = Cell("a", "b", Measured.of([3.0]), 1.0)
    assert math.isnan(cell.ours.sd)
    assert cell.verdict == "too few runs"


def test_runs_that_differ_by_rounding_only_do_not_vary() -> None:
    assert Measured.of([0.1 + 0.2, 0.3]).sd == 0.0


def test_both_deviations_make_the_standard_error_where_the_paper_prints_one() -> None:
    cell = Cell("a", "b", RUNS, 2.0, paper_sd=1.0, paper_runs=25)
    assert cell.standard_error == pytest.approx(math.sqrt(RUNS.error**2 + 1 / 25))


def test_ours_alone_makes_it_where_the_paper_prints_none() -> None:
    assert Cell("a", "b", RUNS, 2.0).standard_error == RUNS.error


def test_a_printed_figure_of_one_run_varies_like_one_of_our_runs() -> None:
    cell = Cell("a", "b", RUNS, 2.0, paper_runs=1)
    assert cell.standard_error == pytest.approx(RUNS.sd * math.sqrt(1 + 1 / 4))


@pytest.mark.parametrize(
    ("paper", "good", "verdict"),
    [
        (2.0, "less", "agrees"),
        (9.0, "less", "better"),
        (-9.0, "less", "worse"),
        (9.0, "more", "worse"),
        (-9.0, "more", "better"),
        (9.0, None, "differs"),
    ],
)
def test_verdicts(paper: float, good: str | None, verdict: str) -> None:
    assert Cell("a", "b", RUNS, paper, good=good).verdict == verdict


def test_two_standard_errors_are_the_limit() -> None:
    inside, outside = 2.5 + 1.99 * RUNS.error, 2.5 + 2.01 * RUNS.error
    assert Cell("a", "b", RUNS, inside, digits=9).verdict == "agrees"
    assert Cell("a", "b", RUNS, outside, digits=9).verdict == "differs"


def test_what_printing_rounds_away_is_no_difference() -> None:
    exact = Measured(65.49, 0.0, 3)
    assert Cell("a", "b", exact, 65.0, digits=0).verdict == "agrees"
    assert Cell("a", "b", exact, 64.0, digits=0).verdict == "differs"


def test_a_fact_agrees_only_if_it_is_equal() -> None:
    assert Cell("a", "b", Measured(768.0, 0.0, 1), 768, digits=0, exact=True).verdict == "agrees"
    assert Cell("a", "b", Measured(767.0, 0.0, 1), 768, digits=0, exact=True).verdict == "differs"


def test_nothing_printed_nothing_judged() -> None:
    assert Cell("a", "b", RUNS, None).verdict == ""
    assert Cell("a", "b", RUNS, 9.0, judged=False).verdict == ""
    assert Cell("a", "b", RUNS, 9.0, judged=False).texts() == ("2.50", "9.00", "-6.50")


@given(st.floats(-100, 100), st.floats(0.1, 10))
def test_a_figure_agrees_as_often_from_above_as_from_below(off: float, sd: float) -> None:
    ours = Measured(0.0, sd, 10)
    above, below = (Cell("a", "b", ours, sign * off, digits=9) for sign in (1.0, -1.0))
    assert above.z == -below.z
    assert above.verdict == below.verdict


@pytest.mark.parametrize(
    ("ours", "paper", "sign", "verdict"),
    [
        (0.01, 0.02, 1.0, "same finding"),
        (0.3, 0.9, -1.0, "same finding"),  # neither shows a difference, whichever way it points
        (0.01, 0.02, -1.0, "other finding"),
        (0.01, 0.2, 1.0, "other finding"),
        (0.2, 0.01, 1.0, "other finding"),
        (math.nan, 0.01, 1.0, "too few runs"),
    ],
)
def test_findings(ours: float, paper: float, sign: float, verdict: str) -> None:
    assert Finding("a", "p", ours, paper, sign, 1.0).verdict == verdict
