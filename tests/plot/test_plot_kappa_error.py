"""The kappa-error diagram shows every pair, the plot of a selection every member."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from spinney.ensemble._diversity import Diversity
from spinney.ensemble._selection import SelectionReport, choose_members
from spinney.plot import plot_kappa_error, plot_selection


def a_diversity(n_members: int) -> Diversity:
    random = np.random.default_rng(1)
    half = np.triu(random.uniform(0, 1, (n_members, n_members)), 1)
    kappa = half + half.T + np.eye(n_members)
    errors = random.uniform(0.1, 0.3, n_members)
    return Diversity(np.arange(n_members), errors, 1 - kappa, kappa, kappa)


def a_report(selection: Any, errors: Any, **options: Any) -> SelectionReport:
    options = {"trim": 0.25, "data": "training", "unit": 1.0, **options}
    found = choose_members(selection, np.array(errors, float), **options)[1]
    assert found is not None
    return found


def legend_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def bars(ax: Any, label: str) -> list[tuple[float, float, float]]:
    """Return middle, foot and height of each bar."""
    (found,) = (group for group in ax.containers if group.get_label().startswith(label))
    return [(b.get_x() + b.get_width() / 2, b.get_y(), b.get_height()) for b in found]


def test_each_pair_is_a_point_at_its_kappa_and_mean_error():
    measured = a_diversity(4)
    ax = plot_kappa_error(measured)
    points, cross = ax.lines
    assert len(points.get_xdata()) == 6
    assert points.get_xdata()[0] == measured.kappa[0, 1]
    assert points.get_ydata()[5] == pytest.approx((measured.errors[2] + measured.errors[3]) / 2)
    assert cross.get_xdata()[0] == pytest.approx(points.get_xdata().mean())
    assert cross.get_ydata()[0] == pytest.approx(points.get_ydata().mean())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("kappa of a pair", "mean error of a pair")
    assert ax.get_legend() is None


def test_ensembles_are_compared_in_the_same_axes():
    _, ax = plt.subplots()
    plot_kappa_error(a_diversity(3), ax=ax, label="bagging")
    assert plot_kappa_error(a_diversity(80), ax, label="boosting", colour="#d55e00") is ax
    assert legend_of(ax) == ["bagging", "boosting"]
    assert ax.lines[2].get_color() == "#d55e00"
    assert ax.lines[2].get_markersize() < ax.lines[0].get_markersize()  # 3160 pairs
    ax.figure.canvas.draw()


def test_a_single_member_has_no_diagram():
    with pytest.raises(ValueError, match="there is only one member"):
        plot_kappa_error(a_diversity(1))
    assert plt.get_fignums() == []


def test_numbers_of_rows_stand_at_their_place_with_mode_and_limit():
    ax = plot_selection(a_report("mode", [3, 4, 4, 6, 7]))
    assert bars(ax, "kept") == [(3, 0, 1), (4, 0, 2), (6, 0, 0), (7, 0, 0)]
    assert bars(ax, "dropped") == [(3, 1, 0), (4, 2, 0), (6, 0, 1), (7, 0, 1)]
    assert legend_of(ax) == ["limit: 4", "kept: 3", "dropped: 2"]
    (mark,) = ax.texts
    assert (mark.get_text(), mark.xy) == ("mode", (4, 2))
    assert list(ax.lines[0].get_xdata()) == [4.5, 4.5]  # between the bars
    assert ax.get_ylim()[1] > 2
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("misclassified rows", "members")


def test_a_number_that_trimming_divides_is_filled_in_part():
    ax = plot_selection(a_report("trimmed", [4, 4, 4, 2], trim=0.5))
    assert bars(ax, "kept") == [(2, 0, 1), (4, 0, 1)]
    assert bars(ax, "dropped") == [(2, 1, 0), (4, 1, 2)]


def test_bins_of_continuous_errors_stand_in_their_middle():
    found = a_report("mode", [1.0, 1.5, 2.0, 5.0], unit=None)
    ax = plot_selection(found)
    np.testing.assert_allclose(bars(ax, "kept"), [(5 / 3, 0, 3), (13 / 3, 0, 0)])
    assert list(ax.lines[0].get_xdata()) == [2, 2]
    assert ax.get_xlabel() == "error"


@pytest.mark.parametrize("unit", [1.0, None])
@pytest.mark.parametrize("errors", [[0.0, 0.0], [3.0], [7.0] * 5])
def test_equal_errors_are_one_bar_and_nobody_is_dropped(errors, unit):
    _, ax = plt.subplots()
    assert plot_selection(a_report("mode", errors, unit=unit), ax) is ax
    ((middle, _, height),) = bars(ax, "kept")
    assert (middle, height) == (pytest.approx(errors[0]), len(errors))
    assert ax.containers[0][0].get_width() > 0
    assert len(ax.containers) == 1
    ax.figure.canvas.draw()
