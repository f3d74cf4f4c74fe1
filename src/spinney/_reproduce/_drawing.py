"""Figures as PNG and SVG, and the few kinds of lines that they are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._reproduce._parts import Content, Drawing
from spinney.plot._matplotlib import picture
from spinney.plot._palette import class_colours

__all__ = ["draw_part", "lines"]

Floats = NDArray[np.float64]
_STYLES = ("o-", "s--", "^-.", "v:", "D-", "x--")


def draw_part(content: Content) -> dict[str, bytes]:
    """Return a figure by the ending of its file; the same content gives the same bytes."""
    if not isinstance(content, Drawing):
        raise TypeError("only figures are drawn.")
    from matplotlib.figure import Figure

    figure = Figure(figsize=content.size, layout="constrained")
    content.draw(figure.subplots(content.n_rows, content.n_axes))
    return {ending: picture(figure, ending, dpi=110, tight=False) for ending in ("png", "svg")}


def lines(
    axes: Any,
    x: Sequence[float],
    series: Mapping[str, Floats],
    *,
    errors: bool = True,
    markers: bool = True,
) -> None:
    """Draw the mean of each series, with its standard error.

    Parameters
    ----------
    axes : matplotlib axes
        Where.
    x : sequence of float
        Where the columns of a series stand.
    series : mapping of str to array of shape (n_runs, n_x)
        The runs, by their names.
    errors, markers : bool
        Whether to show standard errors, and a mark at each x.
    """
    for i, ((name, runs), colour) in enumerate(
        zip(series.items(), class_colours(len(series)), strict=True)
    ):
        mean = runs.mean(axis=0)
        style = _STYLES[i % len(_STYLES)] if markers else _STYLES[i % len(_STYLES)][1:]
        axes.plot(x, mean, style, color=colour, label=name, markersize=4)
        if errors and len(runs) > 1:
            error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
            axes.fill_between(x, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    axes.legend()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
