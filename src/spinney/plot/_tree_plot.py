"""A tree drawn with Matplotlib.

Everything is laid out in inches first; the axes then show those inches, in a figure of that size
or, where the given axes are smaller, shrunk with the text.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney._format import without_controls
from spinney.plot._matplotlib import INK, PAPER, QUIET, class_colours, mix, pyplot, text_width
from spinney.plot._tree_boxes import (
    BAR,
    PAD,
    Box,
    comfortable_depth,
    line_height,
    make_boxes,
    tidy_positions,
)
from spinney.tree._node import Node
from spinney.tree._tree import Tree

_GAP = 0.14  # between boxes, in inches
_RISE = 0.52  # between levels
_MARGIN = 0.15
_LARGEST = (80.0, 60.0)  # inches of a figure; a larger tree is shrunk
_MOST_KEYS = 24  # classes in the legend


def plot_tree(
    tree: Any,
    ax: Any = None,
    *,
    max_depth: int | str | None = "auto",
    font_size: float = 9.0,
    colours: list[str] | None = None,
    title: str | None = None,
    node_ids: bool = False,
) -> Any:
    """Draw a tree: a box for each node, with its test, number of rows and class proportions.

    The first child, where the test is true, is on the left. The width of a line shows the share of
    the rows. For regression, a dot shows the mean on the scale from the least to the largest leaf.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted estimator that has one.
    ax : matplotlib Axes, default=None
        Axes to draw on; None makes a figure as large as the tree needs.
    max_depth : int, "auto" or None, default="auto"
        Maximum depth of the nodes drawn; boxes with a dashed border show the number of nodes below.
        "auto" draws as many levels as are readable, at most 12 and about 80 nodes; None draws all.
    font_size : float, default=9
        Font size in points, reduced if the tree does not fit into the axes.
    colours : list of str, default=None
        Colour of each class; None for a palette that is safe for colour-blind readers.
    title : str, default=None
        Title above the tree.
    node_ids : bool, default=False
        Whether to write the number of each node, as `Tree.prune_at` takes it.

    Returns
    -------
    matplotlib Axes
    """
    tree = as_tree(tree)
    pyplot()
    depth = _checked_depth(tree, max_depth)
    picture = _Picture.arrange(tree, depth, font_size, colours, title, node_ids=node_ids)
    ax, scale = picture.open_axes(ax)
    pen = _Pen(ax, picture, font_size, scale)
    pen.header(title)
    for place, box in enumerate(picture.boxes):
        for child in box.children:
            pen.edge(place, child)
    for place in range(len(picture.boxes)):
        pen.box(place)
    pen.footer(depth)
    return ax


def _checked_depth(tree: Tree, max_depth: int | str | None) -> int | None:
    if max_depth == "auto":
        return comfortable_depth(tree)
    if max_depth is None or (isinstance(max_depth, int) and max_depth >= 0):
        return max_depth
    raise ValueError(f"max_depth must be a depth, 'auto' or None, got {max_depth!r}.")


def as_tree(model: Any) -> Tree:
    """Return the tree itself, or that of a fitted estimator."""
    if isinstance(model, Tree):
        return model
    if hasattr(model, "fit"):
        check_is_fitted(model)
        if isinstance(getattr(model, "tree_", None), Tree):
            return as_tree(model.tree_)
    raise TypeError(
        f"plot_tree draws a Tree or an estimator with tree_, got {type(model).__name__}. Of an "
        "ensemble, draw one of estimators_."
    )


@dataclass
class _Picture:
    """Boxes and their places, in inches from the upper left corner, downwards negative."""

    tree: Tree
    boxes: list[Box]
    x: list[float]
    top: list[float]
    keys: list[tuple[float, float, str, str]]  # legend: x, y, text, colour
    colours: list[str]
    width: float
    height: float

    @classmethod
    def arrange(
        cls,
        tree: Tree,
        max_depth: int | None,
        font_size: float,
        colours: list[str] | None,
        title: str | None,
        *,
        node_ids: bool = False,
    ) -> "_Picture":
        boxes = make_boxes(tree, max_depth, font_size, node_ids=node_ids)
        x = tidy_positions([b.children for b in boxes], [b.width for b in boxes], _GAP)
        span = max(place + box.width / 2 for place, box in zip(x, boxes, strict=True))
        width = max(span + 2 * _MARGIN, 3.0)
        x = [place + (width - span) / 2 for place in x]
        n_classes = 0 if tree.classes is None else len(tree.classes)
        colours = class_colours(n_classes) if colours is None else colours
        if len(colours) < n_classes:
            raise ValueError(f"colours must have {n_classes} entries, got {len(colours)}.")
        start = -_MARGIN - (0.0 if title is None else 1.6 * line_height(font_size))
        keys, start = _legend(tree, colours, font_size, width, start)
        tops, depth = [start], start
        for level in range(max(box.level for box in boxes) + 1):
            tallest = max(box.height for box in boxes if box.level == level)
            depth -= tallest + _RISE
            tops.append(depth)
        top = [tops[box.level] for box in boxes]
        is_cut = any(box.node is None for box in boxes)
        height = -depth - _RISE + _MARGIN + (1.5 * line_height(font_size) if is_cut else 0.0)
        return cls(tree, boxes, x, top, keys, colours, width, height)

    def open_axes(self, ax: Any) -> tuple[Any, float]:
        """Return axes that show the picture, and how much it is shrunk."""
        if ax is None:
            shrink = min(1.0, _LARGEST[0] / self.width, _LARGEST[1] / self.height)
            figure = pyplot().figure(figsize=(self.width * shrink, self.height * shrink))
            ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(inches.width / self.width, inches.height / self.height)
        # Room that is left over stays at the sides and below: the picture keeps its proportions.
        ax.set_xlim(
            (self.width - inches.width / scale) / 2, (self.width + inches.width / scale) / 2
        )
        ax.set_ylim(-inches.height / scale, 0)
        ax.axis("off")
        return ax, min(scale, 1.0)


def _legend(
    tree: Tree, colours: list[str], font_size: float, width: float, start: float
) -> tuple[list[tuple[float, float, str, str]], float]:
    """Return the places of the legend's keys, and where the tree can start below them."""
    if tree.classes is None:
        return [], start
    names = [str(label) for label in tree.classes[:_MOST_KEYS]]
    if len(tree.classes) > _MOST_KEYS:
        names.append(f"... {len(tree.classes) - _MOST_KEYS} more")
    keys, x, y = [], _MARGIN, start
    for name, colour in zip(names, [*colours[:_MOST_KEYS], PAPER], strict=False):
        needed = 0.25 + text_width(name, font_size) + 0.2
        if x > _MARGIN and x + needed > width:
            x, y = _MARGIN, y - line_height(font_size)
        keys.append((x, y, name, colour))
        x += needed
    return keys, y - line_height(font_size) - 0.1


class _Pen:
    """Draws the parts of a picture."""

    def __init__(self, ax: Any, picture: _Picture, font_size: float, scale: float) -> None:
        self.ax, self.picture, self.scale = ax, picture, scale
        self.size, self.line = font_size, line_height(font_size)
        tree = picture.tree
        drawn = [b.node for b in picture.boxes if b.node is not None and not b.children]
        means = [node.prediction for node in drawn] if tree.classes is None else [0.0]
        self.least, self.largest = min(means, default=0.0), max(means, default=0.0)

    def text(self, x: float, y: float, text: str, size: float, **style: Any) -> None:
        style = {"ha": "center", "va": "center", "color": INK, "parse_math": False, **style}
        self.ax.text(x, y, without_controls(text), fontsize=size * self.scale, **style)

    def rectangle(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        from matplotlib.patches import Rectangle

        style.setdefault("linewidth", 0)
        self.ax.add_patch(Rectangle((x, y), width, height, **style))

    def header(self, title: str | None) -> None:
        if title is not None:
            middle = self.picture.width / 2
            y = -_MARGIN - self.line / 2
            self.text(middle, y, title, self.size + 2, weight="bold")
        for x, y, name, colour in self.picture.keys:
            side = 0.8 * self.line
            self.rectangle(x, y - side, side, side, facecolor=colour)
            self.text(x + 0.25, y - side / 2, name, self.size, ha="left")

    def edge(self, place: int, child: int) -> None:
        picture = self.picture
        above, below = picture.boxes[place], picture.boxes[child]
        start, end = picture.top[place] - above.height, picture.top[child]
        turn = end + 0.62 * _RISE
        x, to = picture.x[place], picture.x[child]
        total = picture.tree.root.weight
        share = below.node.weight / total if below.node is not None and total > 0 else 0.0
        self.ax.plot(
            [x, x, to, to],
            [start, turn, turn, end],
            color=mix(QUIET, PAPER, 0.35),
            linewidth=(0.8 + 3.2 * share) * self.scale,
            linestyle="-" if below.node is not None else ":",
            solid_joinstyle="round",
            zorder=1,
        )
        if below.answer:
            self.text(
                to,
                end + 0.26 * _RISE,
                below.answer,
                self.size - 1,
                color=QUIET,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.8 * self.scale},
            )

    def box(self, place: int) -> None:
        picture = self.picture
        box, x, top = picture.boxes[place], picture.x[place], picture.top[place]
        node = box.node
        fill, border = PAPER, QUIET
        if node is not None and node.is_leaf and picture.colours:
            border = picture.colours[int(picture.tree.labels[node.id])]
            fill = mix(PAPER, border, 0.16)
        self.rectangle(
            x - box.width / 2,
            top - box.height,
            box.width,
            box.height,
            facecolor=fill,
            edgecolor=border,
            linewidth=1.0 * self.scale,
            linestyle="-" if node is not None else "--",
            zorder=2,
        )
        y = top - PAD
        for line in box.lines:
            quiet = {} if node is not None else {"color": QUIET}
            self.text(x, y - self.line / 2, line, self.size, zorder=4, **quiet)
            y -= self.line
        if node is None:
            return
        y -= PAD / 2
        if box.bar > BAR:
            self.curve(node, x, y - box.bar, box.width - 2 * PAD, box.bar)
        else:
            self.shares(node, x, y - BAR, box.width - 2 * PAD)
        y -= box.bar + PAD / 2
        for note in box.notes:
            leaf_label = node.is_leaf and note is box.notes[0]
            style = {} if leaf_label else {"color": QUIET}
            self.text(x, y - self.line / 2, note, self.size - 1, zorder=4, **style)
            y -= self.line

    def curve(self, node: Node, x: float, y: float, width: float, height: float) -> None:
        """Draw the Kaplan-Meier curve of a leaf, from time 0 to the last event of the tree."""
        lifetimes = node.tree.lifetimes
        assert lifetimes is not None
        times = np.concatenate([[0.0], lifetimes.times])
        survival = np.concatenate([[1.0], lifetimes.survival([node.id])[0]])
        left = x - width / 2
        self.rectangle(left, y, width, height, facecolor=mix(QUIET, PAPER, 0.92), zorder=3)
        self.ax.step(
            left + width * times / times[-1],
            y + height * survival,
            where="post",
            color=class_colours(1)[0],
            linewidth=1.2 * self.scale,
            zorder=4,
        )

    def shares(self, node: Node, x: float, y: float, width: float) -> None:
        """Draw the bar of class shares, or the dot that shows the mean."""
        left = x - width / 2
        shares = node.probabilities
        if shares is None:
            spread = self.largest - self.least
            place = (node.prediction - self.least) / spread if spread > 0 else 0.5
            middle = y + BAR / 2
            ends = [left, left + width]
            self.ax.plot(ends, [middle] * 2, color=mix(QUIET, PAPER, 0.5), lw=self.scale, zorder=3)
            dot = 6 * self.scale
            at = left + width * min(max(place, 0.0), 1.0)
            colour = class_colours(1)[0]
            self.ax.plot([at], [middle], "o", color=colour, markersize=dot, zorder=4)
            return
        for share, colour in zip(shares.tolist(), self.picture.colours, strict=False):
            if share > 0:
                self.rectangle(left, y, width * share, BAR, facecolor=colour, zorder=3)
            left += width * share

    def footer(self, max_depth: int | None) -> None:
        drawn = sum(box.node is not None for box in self.picture.boxes)
        total = self.picture.tree.n_nodes
        if drawn < total:
            note = f"cut at depth {max_depth}: {drawn} of {total} nodes are drawn"
            y = -self.picture.height + 0.8 * self.line
            self.text(_MARGIN, y, note, self.size - 1, ha="left", color=QUIET, style="italic")
