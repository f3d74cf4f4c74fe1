"""Export to the DOT language of Graphviz."""

from typing import TYPE_CHECKING

from spinney._format import SHORT_DIGITS, without_controls
from spinney.plot._matplotlib import PAPER, class_colours, mix
from spinney.tree._node import (
    answer_name,
    answer_text,
    answer_words,
    below_counts,
    class_words,
    question_words,
)

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._tree import Tree

_MOST_CATEGORIES = 6


def to_graphviz(
    tree: "Tree",
    *,
    max_depth: int | None = 10,
    digits: int = SHORT_DIGITS,
    filled: bool = True,
) -> str:
    """Return a tree as DOT source, with a box for each node and the outcome of its test on edges.

    Write it to a file and run ``dot -Tsvg tree.dot -o tree.svg``, or paste it into any viewer.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=10
        Deeper nodes are left out, with their number in a dashed box. None for no limit.
    digits : int, default=6
        Significant digits of numbers.
    filled : bool, default=True
        Whether to fill boxes with the colour of the predicted class, paler for mixed nodes.

    Returns
    -------
    str
    """
    below = below_counts(tree)
    colours = class_colours(0 if tree.classes is None else len(tree.classes))
    lines = [
        "digraph tree {",
        '  graph [ranksep="0.4", nodesep="0.25"];',
        '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    stack = [tree.root]
    while stack:
        node = stack.pop()
        fill = f', fillcolor="{_fill(node, colours)}"' if filled and colours else ""
        lines.append(f"  n{node.id} [label={_quoted(_label(node, digits))}{fill}];")
        test = node.test
        if test is None:
            continue
        if max_depth is not None and node.depth >= max_depth:
            more = f"{below[node.id]} nodes below depth {max_depth}"
            lines.append(f'  m{node.id} [label={_quoted(more)}, style="rounded,dashed"];')
            lines.append(f"  n{node.id} -> m{node.id} [style=dashed];")
            continue
        for branch, child in enumerate(node.children):
            answer = _quoted(answer_words(test, branch, _MOST_CATEGORIES))
            lines.append(f"  n{node.id} -> n{child.id} [label={answer}];")
        stack.extend(reversed(node.children))
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: "Node", digits: int) -> str:
    """Return the lines of a box: test, prediction, number of rows, class weights."""
    test = node.test
    lines = [] if test is None else [question_words(test, digits, _MOST_CATEGORIES)]
    if node.tree.classes is None:
        lines.append(f"{answer_name(node)} {answer_text(node, digits)}")
    else:
        lines.append(str(node.prediction))
    lines.append(f"{node.n_samples} rows")
    shares = class_words(node, digits)
    return "\n".join([*lines, shares] if shares else lines)


def _fill(node: "Node", colours: list[str]) -> str:
    shares = node.probabilities
    assert shares is not None
    label = int(node.tree.labels[node.id])
    return mix(PAPER, colours[label], 0.15 + 0.55 * float(shares[label]))


def _quoted(text: str) -> str:
    """Quote text as a DOT string."""
    lines = [without_controls(line).replace("\\", "\\\\") for line in text.split("\n")]
    return '"' + "\\n".join(lines).replace('"', '\\"') + '"'
