"""Predictions of a classifier, or gates of a mixture, over the plane of two features."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema, encode_table
from spinney._typing import Floats
from spinney.plot._matplotlib import INK, PAPER, axes_or_new, class_colours, mix, pyplot

_MARKERS = "osD^vPX*<>hp"
_ROWS_AT_ONCE = 100_000


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

    If the classifier is a tree that splits its root by a threshold on one of the two features, the
    threshold is drawn as a bold line.

    Parameters
    ----------
    estimator : classifier
        Any fitted classifier with the interface of scikit-learn.
    X : table of shape (n_rows, n_features)
        Rows to show, with the columns of the classifier.
    y : array of shape (n_rows,)
        Classes of the rows.
    features : pair of int or str, default=None
        Two numeric columns, for the horizontal and the vertical axis; None if the table has only
        two. The other columns are held at their median, or at their mode if they are not numeric.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.
    resolution : int, default=300
        Number of grid points in each direction.
    colours : list of str, default=None
        Colour of each class; None for a palette that is safe for colour-blind readers.

    Returns
    -------
    matplotlib Axes
    """
    plane = _Plane.of(X, y, features)
    classes = np.asarray(estimator.classes_).tolist()
    colours = class_colours(len(classes)) if colours is None else colours
    codes = {label: code for code, label in enumerate(classes)}
    labels, inverse = np.unique(plane.on_grid(estimator.predict, resolution), return_inverse=True)
    found = np.array([codes[label] for label in labels.tolist()], dtype=np.intp)[inverse]

    ax = plane.axes(ax)
    pale = np.array([_rgb(mix(PAPER, colour, 0.3)) for colour in colours])
    plane.paint(ax, pale[found.reshape(resolution, resolution)])
    _scatter_classes(ax, plane.points, np.asarray(y), classes, colours)
    _first_test(ax, estimator, plane.pair)
    return ax


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
    """Draw the regions in which each expert of a mixture has the largest gate, with rows on top.

    Colours are stronger where the gate of the expert is larger, so soft borders are pale; lines
    separate the regions.

    Parameters
    ----------
    model : MixtureOfExpertsClassifier or MixtureOfExpertsRegressor
        A fitted mixture.
    X : table of shape (n_rows, n_features)
        Rows to show, with the columns of the mixture.
    y : array of shape (n_rows,), default=None
        Classes, shown by markers, or numbers, shown by lightness; None draws all rows alike.
    features : pair of int or str, default=None
        Two numeric columns, for the horizontal and the vertical axis; None if the table has only
        two. The other columns are held at their median, or at their mode if they are not numeric.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.
    resolution : int, default=200
        Number of grid points in each direction.
    colours : list of str, default=None
        Colour of each expert; None for a palette that is safe for colour-blind readers.

    Returns
    -------
    matplotlib Axes
    """
    plane = _Plane.of(X, y, features)
    shares = plane.on_grid(model.responsibilities, resolution)
    shares = shares.reshape(resolution, resolution, -1)
    colours = class_colours(shares.shape[2]) if colours is None else colours

    ax = plane.axes(ax)
    _paint_gates(ax, plane, shares, colours)
    _scatter(ax, model, plane.points, y)
    _name_experts(ax, shares, colours)
    return ax


# -- The plane of two columns


@dataclass(frozen=True, eq=False)
class _Plane:
    """Two columns of a table, and tables that vary in these only."""

    maker: "_RowMaker"
    pair: list[int]
    names: list[str]
    points: Floats  # of shape (n_rows, 2)
    edges: list[tuple[float, float]]

    @classmethod
    def of(cls, X: Any, y: Any, features: Sequence[int | str] | None) -> "_Plane":
        """Check and encode a table."""
        pyplot()  # raises an error if Matplotlib is not installed
        values, schema = encode_table(X)
        pair = _chosen(features, schema.names)
        for column in (schema.columns[j] for j in pair):
            if column.kind != "numeric":
                raise ValueError(f"features must be numbers, but {column.name!r} is {column.kind}.")
        if y is not None and np.shape(y) != (len(values),):
            raise ValueError(f"y must have an entry for each of the {len(values)} rows of X.")
        names, edges = [schema.names[j] for j in pair], [_range(values[:, j]) for j in pair]
        return cls(_RowMaker(X, values, schema), pair, names, values[:, pair], edges)

    def on_grid(self, function: Callable[[Any], Any], resolution: int) -> NDArray[Any]:
        """Return the values of a function at the points of a grid, rows from low to high."""
        steps = (np.arange(resolution) + 0.5) / resolution
        across, up = (low + steps * (high - low) for low, high in self.edges)
        across, up = np.tile(across, resolution), np.repeat(up, resolution)
        found = []
        for start in range(0, len(up), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            rows = self.maker.rows({self.pair[0]: across[part], self.pair[1]: up[part]})
            found.append(np.asarray(function(rows)))
        return np.concatenate(found)

    def axes(self, ax: Any) -> Any:
        """Return axes with the range and the names of the columns."""
        ax = axes_or_new(ax, (6.4, 5.2))
        ax.set(xlim=self.edges[0], ylim=self.edges[1])
        ax.set_xlabel(self.names[0], parse_math=False)
        ax.set_ylabel(self.names[1], parse_math=False)
        return ax

    def paint(self, ax: Any, image: Floats) -> None:
        """Draw an image over the range of the columns."""
        extent = (*self.edges[0], *self.edges[1])
        style = {"origin": "lower", "aspect": "auto", "interpolation": "nearest", "zorder": 0}
        ax.imshow(image, extent=extent, **style)


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    rgb: tuple[float, float, float] = to_rgb(colour)
    return rgb


class _RowMaker:
    """Makes tables of the same type and columns as a given one.

    Parameters
    ----------
    X : table
        The table whose form and columns are copied.
    values : array of shape (n_rows, n_columns)
        The same table, encoded.
    schema : Schema
        The kinds of its columns.
    """

    def __init__(self, X: Any, values: Floats, schema: Schema) -> None:
        self._X = X
        kinds = [column.kind for column in schema.columns]
        self._typical = [_typical_row(values[:, j], kind) for j, kind in enumerate(kinds)]

    def rows(self, columns: dict[int, Floats]) -> Any:
        """Return a table with the given columns, and the typical value in the others."""
        n_rows = len(next(iter(columns.values())))
        frame = nw.from_native(self._X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return self._frame(frame, columns, n_rows)
        if isinstance(self._X, Mapping):
            made = {}
            for j, (name, column) in enumerate(self._X.items()):
                cell = np.asarray(column)[[self._typical[j]]]
                made[name] = columns[j] if j in columns else np.repeat(cell, n_rows)
            return made
        table = np.asarray(self._X)
        row = table[self._typical, np.arange(table.shape[1])]
        array = np.tile(row, (n_rows, 1)).astype(object if table.dtype.kind == "O" else float)
        for j, numbers in columns.items():
            array[:, j] = numbers
        return array

    def _frame(self, frame: Any, columns: dict[int, Floats], n_rows: int) -> Any:
        parts = []
        for j, name in enumerate(frame.columns):
            if j in columns:
                part = nw.new_series(name, columns[j], backend=frame.implementation)
            else:
                part = frame[name][[self._typical[j]] * n_rows]
                if frame.implementation.is_pandas():  # the index would be that of one row
                    part = nw.maybe_reset_index(part)
            parts.append(part.to_frame())
        return nw.concat(parts, how="horizontal").to_native()


def _typical_row(column: Floats, kind: str) -> int:
    """Return a row with the median of a numeric column, or with the mode of any other."""
    known = np.flatnonzero(np.isfinite(column))
    if not len(known):
        return 0
    if kind == "numeric":
        return int(known[np.argsort(column[known], kind="stable")[(len(known) - 1) // 2]])
    _, first, counts = np.unique(column[known], return_index=True, return_counts=True)
    return int(known[first[counts.argmax()]])


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
    """Return the range of the finite values with a margin."""
    finite = column[np.isfinite(column)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


# -- What is drawn on it


def _marker_size(points: Floats) -> float:
    return float(np.clip(6000 / max(len(points), 1), 8, 36))


def _plain(label: Any) -> str:
    """Return a label in which a dollar sign does not start a formula."""
    return str(label).replace("$", r"\$")


def _scatter_classes(
    ax: Any, points: Floats, labels: NDArray[Any], classes: list[Any], colours: list[str]
) -> None:
    known = set(classes)
    for label in dict.fromkeys(labels.tolist()):
        if label not in known:
            raise ValueError(f"y holds {label!r}, a class that the classifier does not know.")
    for code, (label, colour) in enumerate(zip(classes, colours, strict=False)):
        mine = points[labels == label]
        marker = _MARKERS[code % len(_MARKERS)]
        style = {"color": colour, "edgecolors": PAPER, "linewidths": 0.5, "zorder": 2}
        ax.scatter(
            mine[:, 0],
            mine[:, 1],
            s=_marker_size(points),
            marker=marker,
            label=_plain(label),
            **style,
        )
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _first_test(ax: Any, estimator: Any, pair: list[int]) -> None:
    """Draw the threshold of a tree's root, if it is on one of the two columns."""
    tree = getattr(estimator, "tree_", None)
    if tree is None or not len(tree.feature):
        return
    feature, threshold = int(tree.feature[0]), float(tree.threshold[0])
    if feature in pair and np.isfinite(threshold):
        line = ax.axvline if feature == pair[0] else ax.axhline
        line(threshold, color=INK, linewidth=2.5, zorder=3)


def _paint_gates(ax: Any, plane: _Plane, shares: Floats, colours: list[str]) -> None:
    n_experts = shares.shape[2]
    strongest = shares.argmax(axis=2)
    even = 1.0 / n_experts
    sure = (
        (shares.max(axis=2) - even) / (1.0 - even) if n_experts > 1 else np.ones(shares.shape[:2])
    )
    strength = (0.08 + 0.42 * sure)[:, :, np.newaxis]
    full = np.array([_rgb(colour) for colour in colours])[strongest]
    image = np.array(_rgb(PAPER)) * (1.0 - strength) + full * strength
    plane.paint(ax, image)
    extent = (*plane.edges[0], *plane.edges[1])
    for expert in np.unique(strongest).tolist()[1:]:
        border = {"levels": [0.5], "colors": INK, "linewidths": 1.2, "zorder": 1}
        ax.contour(strongest == expert, extent=extent, origin="lower", **border)


def _scatter(ax: Any, model: Any, points: Floats, y: Any) -> None:
    style = {"edgecolors": INK, "linewidths": 0.7, "zorder": 2, "s": _marker_size(points)}
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], color=INK, **style)
    elif hasattr(model, "classes_"):
        labels = np.asarray(y)
        classes = model.classes_.tolist()
        for code, label in enumerate(classes):
            mine = points[labels == label]
            marker = _MARKERS[code % len(_MARKERS)]
            face = mix(INK, PAPER, code / max(len(classes) - 1, 1))  # from dark to light
            ax.scatter(
                mine[:, 0], mine[:, 1], color=face, marker=marker, label=_plain(label), **style
            )
    else:
        ax.scatter(points[:, 0], points[:, 1], c=np.asarray(y, float), cmap="Greys", **style)


def _name_experts(ax: Any, shares: Floats, colours: list[str]) -> None:
    from matplotlib.patches import Patch

    seen = np.unique(shares.argmax(axis=2)).tolist()
    patches = [Patch(color=colours[expert], label=f"expert {expert}") for expert in seen]
    marks = ax.get_legend_handles_labels()[0]
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    ax.legend(handles=[*patches, *marks], **place)
