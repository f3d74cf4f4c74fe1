"""How the error of a tree depends on its size."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._format import number_text, plural
from spinney._typing import Floats
from spinney.plot._matplotlib import ACCENT, QUIET, axes_or_new, class_colours, text_width

if TYPE_CHECKING:
    from spinney.pruning import PruningPath

_WIDE = 40  # times: from here on sizes are shown on a logarithmic scale


def plot_pruning_path(path: "PruningPath", ax: Any = None, *, max_leaves: int | None = None) -> Any:
    """Draw the error of each tree of a pruning path against its number of leaves.

    With errors from cross-validation or a test sample these are drawn with their standard errors,
    and the risk on the training rows as a thin line below; without them the risk alone. The axis
    above gives the penalty alpha at which each tree becomes the best. The selected tree is marked,
    and a dotted line shows the least error plus its standard error.

    Parameters
    ----------
    path : PruningPath
        From `spinney.pruning.cost_complexity_path`, or `pruning_path_` of an estimator.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.
    max_leaves : int, default=None
        Maximum number of leaves of the trees drawn; None for no limit.

    Returns
    -------
    matplotlib Axes
    """
    leaves = np.asarray(path.n_leaves)
    shown = leaves <= (leaves.max() if max_leaves is None else max_leaves)
    if not shown.any():
        raise ValueError(f"max_leaves must be at least {leaves.min()}, got {max_leaves}.")
    ax = axes_or_new(ax, (7.0, 4.6))
    colour = class_colours(1)[0]
    if path.errors is None:
        ax.plot(leaves[shown], path.risks[shown], "o-", color=colour, ms=4, label="training rows")
        heights = path.risks
    else:
        ax.plot(leaves[shown], path.risks[shown], "-", color=QUIET, lw=1, label="training rows")
        _errors(ax, path, shown, colour)
        heights = path.errors
    _selected(ax, path, shown, np.asarray(heights))
    if leaves[shown].max() > _WIDE * leaves[shown].min():
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda value, _: number_text(value, 4))
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="leaves", ylabel="cost per row")
    ax.margins(x=0.04)
    _alpha_axis(ax, path, shown)
    ax.legend(frameon=False)
    return ax


def _errors(ax: Any, path: "PruningPath", shown: NDArray[np.bool_], colour: str) -> None:
    errors, spread = np.asarray(path.errors), path.standard_errors
    bars = None if spread is None else np.asarray(spread)[shown]
    ax.errorbar(
        path.n_leaves[shown],
        errors[shown],
        yerr=bars,
        fmt="o-",
        color=colour,
        ms=4,
        elinewidth=0.9,
        capsize=2,
        label="other rows" if bars is None else "other rows, ± standard error",
    )
    if spread is not None:
        best = int(errors.argmin())
        limit = errors[best] + np.asarray(spread)[best]
        ax.axhline(limit, color=colour, ls=":", lw=1, label="least error + standard error")


def _selected(ax: Any, path: "PruningPath", shown: NDArray[np.bool_], heights: Floats) -> None:
    chosen = path.selected
    if chosen is None or not shown[chosen]:
        return
    count = int(path.n_leaves[chosen])
    words = f"selected: {plural(count, 'leaf', 'leaves')}"
    style = {"mfc": "none", "mec": ACCENT, "mew": 2, "ms": 12, "ls": "none", "zorder": 5}
    ax.plot([count], [heights[chosen]], "o", label=words, **style)


def _alpha_axis(ax: Any, path: "PruningPath", shown: NDArray[np.bool_]) -> None:
    """Write alphas along the top, as many as fit side by side."""
    top = ax.secondary_xaxis("top")
    inches = ax.get_window_extent().width / ax.figure.dpi
    ends = ax.transData
    origin = ax.transAxes.inverted()
    places: list[float] = []
    words: list[str] = []
    free = -np.inf
    order = np.flatnonzero(shown)[::-1]  # from the root, the smallest tree, to the right
    for k in order.tolist():
        text = f"{path.alphas[k]:.2g}"
        middle = origin.transform(ends.transform((path.n_leaves[k], 0)))[0] * inches
        half = text_width(text, 9) / 2 + 0.06
        if middle - half >= free:
            places.append(float(path.n_leaves[k]))
            words.append(text)
            free = middle + half
    top.set_xticks(places, words, fontsize=9)
    top.set_xticks([], minor=True)
    top.set_xlabel("alpha")
