"""What a classifier decides over two features."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import encode_table
from spinney.plot._grid import RowMaker
from spinney.plot._matplotlib import axes_or_new, pyplot
from spinney.plot._palette import INK, PAPER, class_colours, mix

_MARKERS = "osD^vPX*<>hp"
_ROWS_AT_ONCE = 100_000

Floats = NDArray[np.float64]


def plot_regions(
    estimator: Any,
    X: Any,
    y: Any,
    features: Sequence[int | str] | None = None,
    ax: Any = None,
    *,
    resolution: int = 300,
    colours: list[str] | None = None,
) -> Any:
    """Draw the regions in which a classifier predicts each class, with rows on top.

    If the classifier is a tree whose first test is a threshold on one of the two features, that
    border is drawn as a bold line.

    Parameters
    ----------
    estimator : classifier
        Any fitted classifier of scikit-learn's kind.
    X : table of shape (n_rows, n_features)
        The rows to show, as the classifier takes them.
    y : array of shape (n_rows,)
        Their classes.
    features : pair of int or str, default=None
        Two numeric columns, for the horizontal and the vertical axis. None takes the columns of a
        table that has only two. The other columns are held at their median, or at their most
        frequent value if they are no numbers.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    resolution : int, default=300
        Points in each direction at which the classifier is asked.
    colours : list of str, default=None
        A colour for each class; None takes colours that can be told apart without full colour
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
    labels = np.asarray(y)
    if labels.shape != (len(values),):
        raise ValueError(f"y must have an entry for each of the {len(values)} rows of X.")
    classes = np.asarray(estimator.classes_).tolist()
    colours = class_colours(len(classes)) if colours is None else colours
    edges = [_range(values[:, j]) for j in pair]
    codes = _ask(estimator, RowMaker(X, values, schema), pair, edges, resolution)

    ax = axes_or_new(ax, (6.4, 5.2))
    _paint(ax, codes, edges, colours)
    _scatter(ax, values[:, pair], labels, classes, colours)
    _first_test(ax, estimator, pair)
    ax.set(xlim=edges[0], ylim=edges[1])
    ax.set_xlabel(schema.names[pair[0]], parse_math=False)
    ax.set_ylabel(schema.names[pair[1]], parse_math=False)
    return ax


def _chosen(features: Sequence[int | str] | None, names: Sequence[str]) -> list[int]:
    if features is None:
        if len(names) != 2:
            raise ValueError(
                f"X has {len(names)} columns: name two of them, as in "
                f"features=({names[0]!r}, {names[-1]!r})."
            )
        return [0, 1]
    if isinstance(features, str) or len(features) != 2:
        raise ValueError(f"features must name two columns, got {features!r}.")
    pair = []
    for feature in features:
        if isinstance(feature, str):
            if feature not in names:
                raise ValueError(f"features names {feature!r}, which is no column of X.")
            pair.append(list(names).index(feature))
        elif -len(names) <= feature < len(names):
            pair.append(int(feature) % len(names))
        else:
            raise ValueError(f"features names column {feature}, but X has {len(names)}.")
    if pair[0] == pair[1]:
        raise ValueError(f"features must name two different columns, got {features!r}.")
    return pair


def _range(column: Floats) -> tuple[float, float]:
    """Return the range of the finite values, a little widened."""
    finite = column[np.isfinite(column)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _ask(
    estimator: Any,
    maker: RowMaker,
    pair: list[int],
    edges: list[tuple[float, float]],
    resolution: int,
) -> NDArray[np.intp]:
    """Return the code of the class predicted at each point of a grid, rows from low to high."""
    steps = (np.arange(resolution) + 0.5) / resolution
    across, up = (low + steps * (high - low) for low, high in edges)
    across, up = np.tile(across, resolution), np.repeat(up, resolution)
    answers = []
    for start in range(0, len(up), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        rows = maker.rows({pair[0]: across[part], pair[1]: up[part]})
        answers.append(np.asarray(estimator.predict(rows)))
    places = {label: k for k, label in enumerate(np.asarray(estimator.classes_).tolist())}
    found, inverse = np.unique(np.concatenate(answers), return_inverse=True)
    codes = np.array([places[label] for label in found.tolist()], dtype=np.intp)
    return codes[inverse].reshape(resolution, resolution)


def _paint(
    ax: Any, codes: NDArray[np.intp], edges: list[tuple[float, float]], colours: list[str]
) -> None:
    from matplotlib.colors import to_rgb

    pale = np.array([to_rgb(mix(PAPER, colour, 0.3)) for colour in colours])
    ax.imshow(
        pale[codes],
        extent=(*edges[0], *edges[1]),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        zorder=0,
    )


def _scatter(
    ax: Any, points: Floats, labels: NDArray[Any], classes: list[Any], colours: list[str]
) -> None:
    known = set(classes)
    for label in dict.fromkeys(labels.tolist()):
        if label not in known:
            raise ValueError(f"y holds {label!r}, a class that the classifier does not know.")
    size = float(np.clip(6000 / max(len(points), 1), 8, 36))
    for code, (label, colour) in enumerate(zip(classes, colours, strict=False)):
        mine = points[labels == label]
        marker = _MARKERS[code % len(_MARKERS)]
        name = str(label).replace("$", r"\$")
        style = {"color": colour, "edgecolors": PAPER, "linewidths": 0.5, "zorder": 2}
        ax.scatter(mine[:, 0], mine[:, 1], s=size, marker=marker, label=name, **style)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _first_test(ax: Any, estimator: Any, pair: list[int]) -> None:
    """Draw the border of a tree's first test, if it lies in the picture."""
    tree = getattr(estimator, "tree_", None)
    if tree is None or not len(tree.feature):
        return
    feature, threshold = int(tree.feature[0]), float(tree.threshold[0])
    if feature in pair and np.isfinite(threshold):
        line = ax.axvline if feature == pair[0] else ax.axhline
        line(threshold, color=INK, linewidth=2.5, zorder=3)
