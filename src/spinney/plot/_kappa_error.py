"""How members of an ensemble differ, and which of them stayed."""

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.plot._matplotlib import axes_or_new
from spinney.plot._palette import ACCENT, PAPER, class_colours, mix

if TYPE_CHECKING:
    from spinney.ensemble._diversity import Diversity
    from spinney.ensemble._selection import SelectionReport

_MANY = 2000  # pairs: from here on points are small


def plot_kappa_error(
    diversity: "Diversity", ax: Any = None, *, label: str | None = None, colour: str | None = None
) -> Any:
    """Draw the mean error of each pair of members against its kappa.

    Points to the left are pairs that differ much, points below are pairs that err little. A good
    ensemble lies far in both directions, which no ensemble does wholly. A cross marks the mean of
    the pairs. To compare ensembles, draw them in the same axes with a label and a colour each.

    Parameters
    ----------
    diversity : Diversity
        From `spinney.ensemble.diversity`, of two or more members.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    label : str, default=None
        Name of the ensemble in the legend; None draws no legend.
    colour : str, default=None
        Colour of the points.

    Returns
    -------
    matplotlib Axes
    """
    kappa, errors = diversity.pairs()
    if not len(kappa):
        raise ValueError("a kappa-error diagram shows pairs, but there is only one member.")
    ax = axes_or_new(ax, (5.6, 4.6))
    colour = class_colours(1)[0] if colour is None else colour
    many = len(kappa) > _MANY
    ax.plot(
        kappa,
        errors,
        "o",
        color=colour,
        mec="none",
        alpha=0.25 if many else 0.5,
        ms=3 if many else 5,
        label=label,
        rasterized=many,
    )
    cross = {"mec": mix(colour, "#000000", 0.4), "mew": 2.5, "ms": 11, "zorder": 5}
    ax.plot([diversity.mean_kappa], [errors.mean()], "+", **cross)
    ax.set(xlabel="kappa of a pair", ylabel="mean error of a pair")
    if label is not None:
        ax.legend(frameon=False)
    return ax


def plot_selection(report: "SelectionReport", ax: Any = None) -> Any:
    """Draw how many members make how many errors, and which of them stayed.

    Each bar is a number of misclassified rows or, in regression, a bin of errors. The part of those
    kept is filled, the part of those dropped is empty. The mode is marked above its bar, and the
    dotted line is the limit: the largest error of those kept.

    Parameters
    ----------
    report : SelectionReport
        `selection_report_` of an ensemble.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax, (7.0, 4.2))
    ends = np.array(list(report.frequencies))
    members = np.array(list(report.frequencies.values()))
    chosen = np.searchsorted(ends, report.values[report.kept])
    kept = np.bincount(chosen, minlength=len(ends))
    width = 1.0 if report.in_rows else report.width
    width = width or 0.1 * report.limit or 1.0  # a bin of equal errors has no width of its own
    middles = ends if report.in_rows else ends - report.width / 2.0
    colour = class_colours(1)[0]
    bar = {"width": 0.9 * width, "edgecolor": colour, "linewidth": 0.9}
    ax.bar(middles, kept, color=colour, label=f"kept: {len(report.kept)}", **bar)
    if len(report.dropped):
        rest = f"dropped: {len(report.dropped)}"
        ax.bar(middles, members - kept, bottom=kept, color="none", label=rest, **bar)
    _mark_mode(ax, middles[ends == report.mode][0], report.frequencies[report.mode])
    border = report.limit + 0.5 if report.in_rows else report.limit  # right of the limit's bar
    ax.axvline(border, color=ACCENT, ls=":", lw=1.4, label=f"limit: {report.limit:.4g}")
    ax.set(xlabel="misclassified rows" if report.in_rows else "error", ylabel="members")
    ax.yaxis.get_major_locator().set_params(integer=True)
    if report.in_rows:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(0, 1.12 * members.max())
    ax.legend(frameon=False)
    return ax


def _mark_mode(ax: Any, place: float, height: int) -> None:
    ax.annotate(
        "mode",
        (place, height),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=ACCENT,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5},  # the limit is close by
    )
