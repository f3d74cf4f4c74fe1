"""Trees side by side: what a reader would see of them, without the numbering of their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from spinney import Node, Tree


def outline(node: Node) -> Any:
    """Tests, stand-ins, sides and counts, nested."""
    what = (node.n_samples, node.tree.value[node.id].tolist())
    if node.is_leaf:
        return what
    assert node.default_child is not None
    stand_ins = [str(surrogate) for surrogate in node.surrogates]
    below = [outline(child) for child in node.children]
    return what, str(node.test), stand_ins, node.default_child.branch, below


def paired(one: Node, other: Node) -> Iterator[tuple[Node, Node]]:
    """The nodes that two trees have in common; where one is divided, so is the first."""
    yield one, other
    if not other.is_leaf:
        assert str(one.test) == str(other.test)
        for a, b in zip(one.children, other.children, strict=True):
            yield from paired(a, b)


def assert_same_tests(one: Tree, other: Tree) -> None:
    """Equal structure and tests; counts up to rounding."""
    assert one.n_nodes == other.n_nodes
    for a, b in paired(one.root, other.root):
        assert a.is_leaf == b.is_leaf
        assert a.n_samples == b.n_samples
        values = (one.value[a.id], other.value[b.id])
        np.testing.assert_allclose(*values, rtol=1e-9, atol=1e-9)
