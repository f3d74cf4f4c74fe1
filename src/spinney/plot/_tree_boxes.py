r"""The boxes of a drawn tree: their text, their sizes and their positions.

Boxes of one level must not overlap, children are in order, a parent is centred over its children,
and subtrees are as close together as their contours allow. The contour of a subtree is kept as its
leftmost and rightmost edge on each level::

         [  a  ]              level 0: from -3 to 3
        /       \
     [ b ]     [ c ]          level 1: from -8 to 8
       |
      [d]                     level 2: from -6 to -4
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spinney._expression.expression_test import ExpressionTest
from spinney._format import number_text
from spinney.plot._matplotlib import text_width
from spinney.tree._node import (
    Node,
    answer_name,
    answer_text,
    answer_words,
    below_counts,
    question_words,
)
from spinney.tree._tests import Test
from spinney.tree._tree import Tree

PAD = 0.07  # inches between a box and what it holds
BAR = 0.10  # height of the bar of class shares
CURVE = 0.45  # height of the curve of lifetimes in a leaf
_DIGITS = 4  # of means and counts
_TEST_DIGITS = 5  # of thresholds
_WRAP = 24  # characters in a line of a test
_MOST_CATEGORIES = 5
_MOST_COUNTS = 4  # with more classes the bar has to do
_LEAST_WIDTH = 0.75
_SLACK = 1.05  # at few dots per inch letters come out wider than they are
_MOST_BOXES = 80  # of a depth that is chosen here
_MOST_LEVELS = 12


@dataclass
class Box:
    """A node, or a placeholder for the nodes below the depth that is drawn."""

    node: Node | None
    answer: str = ""  # to the parent's test
    lines: list[str] = field(default_factory=list)  # above the bar
    notes: list[str] = field(default_factory=list)  # below it, less prominent
    children: list[int] = field(default_factory=list)
    level: int = 0
    width: float = 0.0
    height: float = 0.0
    bar: float = BAR  # height of what is drawn between lines and notes


def comfortable_depth(tree: Tree) -> int:
    """Return the maximum depth of a readable picture."""
    upto = np.cumsum(np.bincount(tree.depth))[: _MOST_LEVELS + 1]  # nodes down to each depth
    return max(1, int(np.flatnonzero(upto <= _MOST_BOXES)[-1]))


def make_boxes(
    tree: Tree, max_depth: int | None, font_size: float, *, node_ids: bool = False
) -> list[Box]:
    """Return a box for each node down to a depth, parents before children, root first."""
    below = below_counts(tree)
    boxes = [Box(tree.root)]
    for place, box in enumerate(boxes):  # grows while it is walked
        node = box.node
        if node is None or (test := node.test) is None:
            continue
        if max_depth is not None and node.depth >= max_depth:
            box.children = [len(boxes)]
            boxes.append(Box(None, lines=[f"{below[node.id]} nodes", "below"], level=box.level + 1))
            continue
        for branch, child in enumerate(node.children):
            boxes[place].children.append(len(boxes))
            answer = _shortened(answer_words(test, branch, _MOST_CATEGORIES))
            boxes.append(Box(child, answer, level=box.level + 1))
    for box in boxes:
        if box.node is not None:
            _fill(box, box.node)
            box.notes += [f"node {box.node.id}"] if node_ids else []
        _measure(box, font_size)
    return boxes


def _fill(box: Box, node: Node) -> None:
    test = node.test
    if test is not None:
        box.lines = _wrapped(test)
    if node.tree.classes is None:
        box.notes = [f"{answer_name(node)} {answer_text(node, _DIGITS)}", f"n = {node.n_samples}"]
        if node.n_events is not None:
            box.notes[1] += f", {number_text(node.n_events, _DIGITS)} events"
            box.bar = CURVE if node.is_leaf else BAR
        return
    box.notes = [f"{_shortened(str(node.prediction))}, n = {node.n_samples}"]
    counts = node.counts
    if counts is not None and len(counts) <= _MOST_COUNTS and node.weight > 0:
        box.notes.append(" / ".join(number_text(count, _DIGITS) for count in counts.tolist()))


def _wrapped(test: Test) -> list[str]:
    """Return the lines of a test, wrapped after the name of its feature, and shortened."""
    words = question_words(test, _TEST_DIGITS, _MOST_CATEGORIES)
    if len(words) <= _WRAP:
        return [words]
    if isinstance(test, ExpressionTest):
        return textwrap.wrap(words, _WRAP, max_lines=4, placeholder=" ...")
    name = test.feature_name
    rest = words[len(name) :].strip()
    if rest.startswith("in ") and len(name) + 3 <= _WRAP:
        name, rest = f"{name} in", rest[3:]
    lines = textwrap.wrap(name, _WRAP, max_lines=2, placeholder=" ...")
    return lines + textwrap.wrap(rest, _WRAP, max_lines=2, placeholder=" ...")


def _measure(box: Box, font_size: float) -> None:
    texts = [text_width(line, font_size) for line in box.lines]
    texts += [text_width(note, font_size - 1) for note in box.notes]
    widest = _SLACK * max(texts) + 2 * PAD
    answer = _SLACK * text_width(box.answer, font_size - 1)
    box.width = max(_LEAST_WIDTH, widest, answer)
    bar = 0.0 if box.node is None else box.bar + PAD
    n_lines = len(box.lines) + len(box.notes)
    box.height = 2 * PAD + n_lines * line_height(font_size) + bar


def line_height(font_size: float) -> float:
    """Return the distance between lines of text, in inches."""
    return 1.3 * font_size / 72


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WRAP else text[: _WRAP - 3] + "..."


def tidy_positions(
    children: Sequence[Sequence[int]], widths: Sequence[float], gap: float
) -> list[float]:
    """Return the middle of each box; the leftmost edge of all is at 0.

    Parameters
    ----------
    children : sequence of sequence of int
        The children of each box, from left to right. They are numbered after their parent; box 0
        is the root.
    widths : sequence of float
        The width of each box.
    gap : float
        The least distance between neighbours.

    Returns
    -------
    list of float
    """
    n_boxes = len(children)
    offset = [0.0] * n_boxes  # from the parent
    contours: list[tuple[list[float], list[float]]] = [([], [])] * n_boxes
    for box in range(n_boxes - 1, -1, -1):
        left: list[float] = []
        right: list[float] = []
        for child in children[box]:
            child_left, child_right = contours[child]
            clearances = zip(right, child_left, strict=False)
            shift = max((edge + gap - other for edge, other in clearances), default=0.0)
            offset[child] = shift
            left += [edge + shift for edge in child_left[len(left) :]]
            right[: len(child_right)] = [edge + shift for edge in child_right]
            contours[child] = ([], [])  # no longer needed
        ends = [offset[child] for child in children[box]] or [0.0]
        middle = (ends[0] + ends[-1]) / 2
        for child in children[box]:
            offset[child] -= middle
        half = widths[box] / 2
        contours[box] = (
            [-half, *(edge - middle for edge in left)],
            [half, *(edge - middle for edge in right)],
        )
    position = [0.0] * n_boxes
    position[0] = -min(contours[0][0])
    for box in range(n_boxes):
        for child in children[box]:
            position[child] = position[box] + offset[child]
    return position
