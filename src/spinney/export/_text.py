"""Export to indented text, for terminals and reports."""

from typing import TYPE_CHECKING

from spinney._format import SHORT_DIGITS, without_controls
from spinney.tree._node import answer_text, below_counts, class_words

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._tree import Tree

_MOST_CATEGORIES = 12


def to_text(
    tree: "Tree",
    *,
    max_depth: int | None = 10,
    digits: int = SHORT_DIGITS,
    surrogates: bool = False,
    node_ids: bool = False,
) -> str:
    """Return a tree as indented text, one line per node.

    A line has the condition of the branch, the prediction, the number of training rows, and the
    class weights.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=10
        Deeper nodes are left out, with their number in a line. None for no limit; the length of
        lines grows with the depth.
    digits : int, default=6
        Significant digits of numbers.
    surrogates : bool, default=False
        Whether to list the surrogates of each node.
    node_ids : bool, default=False
        Whether to write the number of each node, as `Tree.prune_at` takes it.

    Returns
    -------
    str

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.export import to_text
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> print(to_text(tree))
    all rows: bad, n=10 (5 bad, 5 good)
    |-- income <= 36: bad, n=5 (4 bad, 1 good)
    `-- income > 36: good, n=5 (1 bad, 4 good)
    """
    below = below_counts(tree)
    lines = []
    stack: list[tuple[Node, str, str]] = [(tree.root, "all rows", "")]
    while stack:
        node, words, indent = stack.pop()
        number = f"[{node.id}] " if node_ids else ""
        lines.append(f"{words}: {number}{_summary(node, digits)}")
        if node.is_leaf:
            continue
        if max_depth is not None and node.depth >= max_depth:
            lines.append(f"{indent}`-- ... {below[node.id]} nodes below depth {max_depth}")
            continue
        if surrogates:
            lines += [f"{indent}|   else {surrogate}" for surrogate in node.surrogates]
        test, children = node.test, node.children
        assert test is not None  # no leaf
        for branch in range(len(children) - 1, -1, -1):
            last = branch == len(children) - 1
            words = test.branch_text(branch, digits, _MOST_CATEGORIES)
            deeper = indent + ("    " if last else "|   ")
            stack.append((children[branch], f"{indent}{'`' if last else '|'}-- {words}", deeper))
    return "\n".join(map(without_controls, lines))


def _summary(node: "Node", digits: int) -> str:
    words, prediction = class_words(node, digits), node.prediction
    if node.tree.classes is None:
        prediction = answer_text(node, digits)
    return f"{prediction}, n={node.n_samples}" + (f" ({words})" if words else "")
