"""Which expert of a mixture is trusted where, over two features."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import encode_table
from spinney.plot._grid import RowMaker
from spinney.plot._matplotlib import axes_or_new, pyplot
from spinney.plot._palette import INK, PAPER, class_colours, mix
from spinney.plot._regions import _chosen, _range

_ROWS_AT_ONCE = 100_000
_MARKERS = "osD^vPX*<>hp"

Floats = NDArray[np.float64]


def plot_gates(
    model: Any,
    X: Any,
    y: Any = None,
    features: Sequence[int | str] | None = None,
    ax: Any = None,
    *,
    resolution: int = 200,
    colours: list[str] | None = None,
) -> Any:
    """Draw the regions in which the gates of a mixture trust each expert, with rows on top.

    A region is as strong in colour as its expert's share is above that of an even division, so
    soft borders are pale; a line shows where the largest share changes hands.

    Parameters
    ----------
    model : MixtureOfExpertsClassifier or MixtureOfExpertsRegressor
        A fitted mixture.
    X : table of shape (n_rows, n_features)
        The rows to show, as the mixture takes them.
    y : array of shape (n_rows,), default=None
        Their classes, shown by the shape of the marks, or numbers, shown by their lightness. None
        draws all rows alike.
    features : pair of int or str, default=None
        Two numeric columns, for the horizontal and the vertical axis. None takes the columns of a
        table that has only two. The other columns are held at their median, or at their most
        frequent value if they are no numbers.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    resolution : int, default=200
        Points in each direction at which the gates are asked.
    colours : list of str, default=None
        A colour for each expert; None takes colours that can be told apart without full colour
        vision.

    Returns
    -------
    matplotlib Axes
    """
    pyplot()
    values, schema = encode_table(X)
    pair = _chosen(features, schema.names)
    for column in (schema.columns[j] for j in pair):
        if column.kind != "numeric":
            raise ValueError(f"features must be numbers, but {column.name!r} is {column.kind}.")
    if y is not None and np.shape(y) != (len(values),):
        raise ValueError(f"y must have an entry for each of the {len(values)} rows of X.")
    edges = [_range(values[:, j]) for j in pair]
    shares = _ask(model, RowMaker(X, values, schema), pair, edges, resolution)
    n_experts = shares.shape[2]
    colours = class_colours(n_experts) if colours is None else colours

    ax = axes_or_new(ax, (6.4, 5.2))
    _paint(ax, shares, edges, colours)
    _scatter(ax, model, values[:, pair], y)
    _name_experts(ax, shares, colours)
    ax.set(xlim=edges[0], ylim=edges[1])
    ax.set_xlabel(schema.names[pair[0]], parse_math=False)
    ax.set_ylabel(schema.names[pair[1]], parse_math=False)
    return ax


def _ask(
    model: Any,
    maker: RowMaker,
    pair: list[int],
    edges: list[tuple[float, float]],
    resolution: int,
) -> Floats:
    """Return the shares of the experts at each point of a grid, rows from low to high."""
    steps = (np.arange(resolution) + 0.5) / resolution
    across, up = (low + steps * (high - low) for low, high in edges)
    across, up = np.tile(across, resolution), np.repeat(up, resolution)
    answers = []
    for start in range(0, len(up), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        rows = maker.rows({pair[0]: across[part], pair[1]: up[part]})
        answers.append(model.responsibilities(rows))
    return np.concatenate(answers).reshape(resolution, resolution, -1)


def _paint(ax: Any, shares: Floats, edges: list[tuple[float, float]], colours: list[str]) -> None:
    from matplotlib.colors import to_rgb

    n_experts = shares.shape[2]
    strongest = shares.argmax(axis=2)
    even = 1.0 / n_experts
    sure = (
        (shares.max(axis=2) - even) / (1.0 - even) if n_experts > 1 else np.ones(shares.shape[:2])
    )
    strength = (0.08 + 0.42 * sure)[:, :, np.newaxis]
    full = np.array([to_rgb(colour) for colour in colours])[strongest]
    image = np.array(to_rgb(PAPER)) * (1.0 - strength) + full * strength
    extent = (*edges[0], *edges[1])
    ax.imshow(
        image, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0
    )
    for expert in np.unique(strongest).tolist()[1:]:
        border = {"levels": [0.5], "colors": INK, "linewidths": 1.2, "zorder": 1}
        ax.contour(strongest == expert, extent=extent, origin="lower", **border)


def _scatter(ax: Any, model: Any, points: Floats, y: Any) -> None:
    size = float(np.clip(6000 / max(len(points), 1), 8, 36))
    style = {"edgecolors": INK, "linewidths": 0.7, "zorder": 2, "s": size}
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], color=INK, **style)
    elif hasattr(model, "classes_"):
        labels = np.asarray(y)
        classes = model.classes_.tolist()
        for code, label in enumerate(classes):
            mine = points[labels == label]
            marker, name = _MARKERS[code % len(_MARKERS)], str(label).replace("$", r"\$")
            face = mix(INK, PAPER, code / max(len(classes) - 1, 1))  # from dark to light
            ax.scatter(mine[:, 0], mine[:, 1], color=face, marker=marker, label=name, **style)
    else:
        ax.scatter(points[:, 0], points[:, 1], c=np.asarray(y, float), cmap="Greys", **style)


def _name_experts(ax: Any, shares: Floats, colours: list[str]) -> None:
    from matplotlib.patches import Patch

    seen = np.unique(shares.argmax(axis=2)).tolist()
    patches = [Patch(color=colours[expert], label=f"expert {expert}") for expert in seen]
    marks = ax.get_legend_handles_labels()[0]
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    ax.legend(handles=[*patches, *marks], **place)
