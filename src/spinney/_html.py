"""Objects as small pieces of HTML, for notebooks: escaped, with styles of their own, no scripts."""

import html
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spinney._format import number_text, without_controls

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._tree import Tree

_LONGEST = 300  # signs of a cell
_MOST_NODES = 120  # of a tree
_OPEN_LEVELS = 3
# Okabe and Ito's colours, which people who confuse red and green can tell apart.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8a8a", "#b8a800")
_CELL = "padding:2px 10px;text-align:{};border-bottom:1px solid rgba(128,128,128,.3)"


def escaped(text: Any) -> str:
    """Return text that is safe between tags and in attributes; long text is cut.

    Parameters
    ----------
    text : object
        Any; its `str` is shown.

    Returns
    -------
    str
    """
    shown = without_controls(str(text))
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    return html.escape(shown, quote=True)


def html_table(
    heads: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    left: Collection[int] = (0,),
    bold: Collection[int] = (),
    title: str = "",
) -> str:
    """Return a table.

    Parameters
    ----------
    heads : sequence
        Names of the columns.
    rows : iterable of sequence
        Cells.
    left : collection of int, default=(0,)
        Left-aligned columns; the others are right-aligned.
    bold : collection of int, default=()
        Rows to stress.
    title : str, default=""
        What stands above it.

    Returns
    -------
    str
    """

    def cells(tag: str, row: Sequence[Any], more: str = "") -> str:
        return "".join(
            f'<{tag} style="{_CELL.format("left" if j in left else "right")}{more}">'
            f"{escaped(cell)}</{tag}>"
            for j, cell in enumerate(row)
        )

    lines = [f"<tr>{cells('th', heads, ';font-weight:600')}</tr>"]
    for place, row in enumerate(rows):
        lines.append(f"<tr>{cells('td', row, ';font-weight:600' if place in bold else '')}</tr>")
    caption = f'<caption style="text-align:left">{escaped(title)}</caption>' if title else ""
    style = "border-collapse:collapse;font-variant-numeric:tabular-nums"
    return f'<table style="{style}">{caption}{"".join(lines)}</table>'


def html_text(head: str, lines: str) -> str:
    """Return a heading and preformatted text."""
    body = "\n".join(escaped(line) for line in lines.split("\n"))
    return f'<div><strong>{escaped(head)}</strong><pre style="margin:.3em 0">{body}</pre></div>'


# -- Trees, as lists that open and close


def tree_html(tree: "Tree") -> str:
    """Return a tree as nested lists that open and close.

    Parameters
    ----------
    tree : Tree
        Of any learner. Of a large one the first nodes are shown, level by level.

    Returns
    -------
    str
    """
    shown = _first_nodes(tree)
    parts: list[str] = []
    waiting: list[Any] = [tree.root]
    while waiting:  # a stack, since trees may be deep
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        below = [child for child in node.children if child.id in shown]
        if not below:
            cut = "" if node.is_leaf else " …"
            parts.append(f'<div style="margin-left:1.1em">{_node_html(node)}{cut}</div>')
            continue
        is_open = " open" if tree.depth[node.id] < _OPEN_LEVELS else ""
        parts.append(
            f'<details{is_open} style="margin-left:1.1em"><summary>{_node_html(node)}</summary>'
        )
        waiting += ["</details>", *reversed(below)]
    more = tree.n_nodes - len(shown)
    note = f"<div>… {more} nodes more</div>" if more else ""
    style = "font:13px/1.7 system-ui,sans-serif;max-width:60em"
    return f'<div style="{style}">{_key(tree)}{"".join(parts)}{note}</div>'


def _first_nodes(tree: "Tree") -> set[int]:
    """Return nodes from the root down, the children of a node all or none."""
    shown, level = {0}, [0]
    while level:
        following: list[int] = []
        for node in level:
            first, count = int(tree.first_child[node]), int(tree.n_children[node])
            if first >= 0 and len(shown) + count <= _MOST_NODES:
                shown.update(range(first, first + count))
                following += range(first, first + count)
        level = following
    return shown


def _key(tree: "Tree") -> str:
    if tree.classes is None:
        return ""
    swatch = '<span style="display:inline-block;width:.8em;height:.8em;background:{}"></span> {}'
    labels = tree.classes.tolist()[: len(_COLOURS)]
    names = [
        swatch.format(colour, escaped(label))
        for colour, label in zip(_COLOURS, labels, strict=False)
    ]
    return f"<div>{' &nbsp; '.join(names)}</div>"


def _node_html(node: "Node") -> str:
    from spinney.tree._node import answer_words

    parent = node.parent
    if parent is None or parent.test is None:
        condition = "all rows"
    else:
        place = node.id - parent.children[0].id
        condition = parent.test.branch_text(place, 6, 6) or answer_words(parent.test, place)
    prediction = node.prediction
    text = number_text(prediction, 6) if node.tree.classes is None else prediction
    return (
        f"<b>{escaped(condition)}</b> &rarr; {escaped(text)} "
        f'<span style="opacity:.75">({node.n_samples} rows)</span> {_bar(node)}'
    )


def _bar(node: "Node") -> str:
    """Return the shares of the classes as a strip; the text beside it gives the answer."""
    shares = None if node.tree.classes is None else node.probabilities
    if shares is None:
        return ""
    parts = "".join(
        f'<span style="display:inline-block;height:.7em;width:{100 * share:.1f}px;'
        f'background:{_COLOURS[k % len(_COLOURS)]}"></span>'
        for k, share in enumerate(shares.tolist())
        if share > 0
    )
    labels = node.tree.classes.tolist() if node.tree.classes is not None else []
    shares_text = ", ".join(
        f"{label} {share:.0%}" for label, share in zip(labels, shares, strict=True) if share > 0
    )
    return f'<span title="{escaped(shares_text)}">{parts}</span>'
