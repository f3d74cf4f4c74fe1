"""Plots of an experiment. They require Matplotlib; save them with `ax.figure.savefig`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney._checks import Choice
from spinney._typing import Floats
from spinney.compare._results import Results
from spinney.compare._statistics import joined
from spinney.compare._tables import label_of, unit_of
from spinney.plot._matplotlib import INK, QUIET, axes_or_new, class_colours, text_width

_STYLES = ("-", "--", "-.", ":")


def plot_critical_difference(
    mean_ranks: Sequence[float] | Floats,
    critical_difference: float,
    names: Sequence[str],
    ax: Any = None,
) -> Any:
    """Draw mean ranks on a line, and join methods that do not differ.

    The best method is on the left. A thick bar joins methods whose mean ranks are no further
    apart than the critical difference, which is drawn above.

    Parameters
    ----------
    mean_ranks : sequence of float
        Of each method, from `nemenyi` or `friedman`.
    critical_difference : float
        From `nemenyi`.
    names : sequence of str
        The methods.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ranks = np.asarray(mean_ranks, dtype=np.float64)
    n = len(ranks)
    if len(names) != n or n < 2:
        raise ValueError(f"names must be those of {n} methods, two at least, got {len(names)}.")
    order = np.argsort(ranks, kind="stable")
    bars = joined(ranks[order], critical_difference)
    n_left = (n + 1) // 2
    first_line = 0.9 + 0.28 * len(bars)  # of the names, below the axis and the bars
    depth = first_line + 0.55 * n_left
    margin = max(text_width(f"{name} 0.00", 10) for name in names) + 0.35
    ax = axes_or_new(ax, (3.6 + 2 * margin, 0.42 * (depth + 1.6)))
    _draw_axis(ax, n, critical_difference)
    for level, (low, high) in enumerate(bars):
        height = -0.45 - 0.28 * level
        ends = [ranks[order[low]] - 0.04, ranks[order[high]] + 0.04]
        ax.plot(ends, [height, height], color=INK, lw=4, solid_capstyle="butt", gid="group")
    for place, method in enumerate(order.tolist()):
        on_left = place < n_left
        line = place if on_left else n - 1 - place
        height = -first_line - 0.55 * line
        end = 0.9 if on_left else n + 0.1
        ax.plot([ranks[method], ranks[method], end], [0, height, height], color=INK, lw=0.9)
        words = f"{names[method]} {ranks[method]:.2f}"
        side = "right" if on_left else "left"
        shift = -0.04 if on_left else 0.04
        ax.text(end + shift, height, words, ha=side, va="center", fontsize=10)
    stretch = (n - 1) / 3.2 * margin
    ax.set_xlim(0.9 - stretch, n + 0.1 + stretch)
    ax.set_ylim(-depth, 1.6)
    ax.axis("off")
    return ax


def _draw_axis(ax: Any, n: int, critical_difference: float) -> None:
    ax.plot([1, n], [0, 0], color=INK, lw=1.2)
    for rank in range(1, n + 1):
        ax.plot([rank, rank], [0, 0.16], color=INK, lw=1.2)
        ax.text(rank, 0.28, str(rank), ha="center", va="bottom", fontsize=9)
    ax.plot([1, 1 + critical_difference], [1.0, 1.0], color=QUIET, lw=2, gid="width")
    ax.text(
        1 + critical_difference / 2,
        1.12,
        f"critical difference {critical_difference:.2f}",
        ha="center",
        va="bottom",
        fontsize=9,
        color=QUIET,
    )


def plot_size_curve(
    results: Results, dataset: str, ax: Any = None, *, methods: Sequence[str] | None = None
) -> Any:
    """Draw the error against the number of members, at the stages of the experiment.

    A method without stages is a level line.

    Parameters
    ----------
    results : Results
        Of an experiment with `stages`.
    dataset : str
        The data set.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    methods : sequence of str, default=None
        Which to draw; None draws all.

    Returns
    -------
    matplotlib Axes
    """
    shown = _shown(results, dataset, methods)
    curves = {name: results.size_curve(dataset, name) for name in shown}
    if not any(len(curve) for curve in curves.values()):
        raise ValueError("no method was judged by stages. Give the experiment stages=(1, 11, 101).")
    ax = axes_or_new(ax, (6.4, 4.4))
    unit, label = unit_of(results.measure), label_of(results.measure)
    means = results.mean()[results.datasets.index(dataset)]
    for place, (name, curve) in enumerate(curves.items()):
        if len(curve):
            _draw_curve(ax, curve, unit, **_look(name, place, len(shown)))
        else:
            level = unit * means[results.methods.index(name)]
            ax.axhline(level, lw=1, **_look(name, place, len(shown)))
    _integer_log_axis(ax, np.concatenate([curve[:, 0] for curve in curves.values()]))
    ax.set(xlabel="members", ylabel=label, title=dataset)
    ax.legend(frameon=False)
    return ax


def plot_training_size_curve(
    results: Results, dataset: str, ax: Any = None, *, methods: Sequence[str] | None = None
) -> Any:
    """Draw the error against the number of training rows, with standard deviations.

    Parameters
    ----------
    results : Results
        Of an experiment whose resampling is a `GrowingTrainingSet`.
    dataset : str
        The data set.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    methods : sequence of str, default=None
        Which to draw; None draws all.

    Returns
    -------
    matplotlib Axes
    """
    shown = _shown(results, dataset, methods)
    curves = {name: results.training_size_curve(dataset, name) for name in shown}
    ax = axes_or_new(ax, (6.4, 4.4))
    unit, label = unit_of(results.measure), label_of(results.measure)
    for place, (name, curve) in enumerate(curves.items()):
        _draw_curve(ax, curve, unit, **_look(name, place, len(shown)))
    ax.set(xlabel="training rows", ylabel=label, title=dataset)
    ax.legend(frameon=False)
    return ax


def plot_error_and_leaves(results: Results, dataset: str, ax: Any = None) -> Any:
    """Draw the mean error of each method against its mean number of leaves.

    A thin line joins the methods that no other beats in both.

    Parameters
    ----------
    results : Results
        Methods without trees are left out.
    dataset : str
        The data set.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    Choice(results.datasets).check("dataset", dataset)
    if "n_leaves" not in results.measures:
        raise ValueError("no method of this experiment has trees with leaves.")
    d = results.datasets.index(dataset)
    unit, label = unit_of(results.measure), label_of(results.measure)
    leaves, errors = results.mean("n_leaves")[d], unit * results.mean()[d]
    spreads = unit * results.sd()[d]
    known = np.flatnonzero(~np.isnan(leaves))
    ax = axes_or_new(ax, (6.4, 4.4))
    front = _front(leaves[known], results.losses()[d][known])
    ax.plot(leaves[known][front], errors[known][front], color=QUIET, lw=0.8, zorder=1)
    colours = class_colours(len(results.methods))
    for m in known.tolist():
        bar = None if np.isnan(spreads[m]) else spreads[m]
        ax.errorbar(leaves[m], errors[m], yerr=bar, fmt="o", color=colours[m], capsize=2)
        place = {"xytext": (6, 5), "textcoords": "offset points", "fontsize": 9}
        ax.annotate(results.methods[m], (leaves[m], errors[m]), **place)
    _integer_log_axis(ax, leaves[known])
    ax.margins(x=0.15)
    ax.set(xlabel="leaves of all trees", ylabel=label, title=dataset)
    return ax


def _front(sizes: Floats, errors: Floats) -> list[int]:
    """Return the places that none beats in both, the smallest first."""
    order = np.lexsort((errors, sizes)).tolist()
    front: list[int] = []
    for place in order:
        if not front or errors[place] < errors[front[-1]]:
            front.append(place)
    return front


def _draw_curve(ax: Any, curve: Floats, unit: float, **look: Any) -> None:
    """Draw rows of place, mean and deviation."""
    spread = None if np.isnan(curve[:, 2]).any() else unit * curve[:, 2]
    style = {"marker": "o", "ms": 4, "lw": 1.4, "elinewidth": 0.8, "capsize": 2}
    ax.errorbar(curve[:, 0], unit * curve[:, 1], yerr=spread, **style, **look)


def _shown(results: Results, dataset: str, methods: Sequence[str] | None) -> list[str]:
    Choice(results.datasets).check("dataset", dataset)
    if methods is None:
        return results.methods
    for name in methods:
        Choice(results.methods).check("methods", name)
    return list(methods)


def _look(name: str, place: int, n_methods: int) -> dict[str, Any]:
    """Return label, colour and dashes; dashes tell lines apart in print without colour."""
    style = _STYLES[place // 2 % len(_STYLES)]
    return {"label": name, "color": class_colours(n_methods)[place], "ls": style}


def _integer_log_axis(ax: Any, numbers: Floats) -> None:
    """Spread numbers of very different size; write them as whole numbers."""
    if numbers.max() > 20 * numbers.min() > 0:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
