"""Random trees to prune: written by hand, with any class weights, or grown."""

from __future__ import annotations

from typing import Any

import numpy as np
from growth.fitted import Fitted, fit_classifier, fit_regressor
from growth.problems import (
    Array,
    Problem,
    classification,
    cost_matrices,
    regression,
)
from hypothesis import strategies as st
from reference import Node, Settings, tree_from_dict

from spinney import Tree


@st.composite
def by_hand(draw: st.DrawFn, max_leaves: int = 9, with_costs: bool = False) -> dict[str, Any]:
    """A tree of classes as `Tree.from_dict` reads it; inner counts are sums of their leaves'."""
    n_classes = draw(st.integers(1, 3))
    cell = draw(st.sampled_from([st.integers(0, 6), st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7])]))
    nodes: list[dict[str, Any]] = []

    def build(n_leaves: int) -> int:
        place = len(nodes)
        nodes.append({"test": None, "children": []})
        if n_leaves == 1:
            counts = [float(draw(cell)) for _ in range(n_classes)]
            nodes[place]["counts"] = counts if any(counts) else [1.0] * n_classes
            return place
        left = draw(st.integers(1, n_leaves - 1))
        children = [build(left), build(n_leaves - left)]
        sums = np.sum([nodes[child]["counts"] for child in children], axis=0).tolist()
        nodes[place] |= {"test": f"x{place} <= 0.5", "children": children, "counts": sums}
        return place

    build(draw(st.integers(1, max_leaves)))
    features = [f"x{i}" for i in range(len(nodes))]
    tree = {"classes": list(range(n_classes)), "features": features, "nodes": nodes}
    if with_costs:
        tree["cost_matrix"] = draw(cost_matrices(n_classes)).tolist()
    return tree


def oracle_of(tree: Tree) -> Node:
    """The oracle's copy of a tree, with the same ids: it needs the counts alone."""

    def part(node_id: int) -> dict[str, Any]:
        node = tree[node_id]
        return {
            "id": node_id,
            "counts": tree.value[node_id].tolist(),
            "weight": node.weight,
            "impurity": node.impurity,
            "children": [part(child.id) for child in node.children],
        }

    return tree_from_dict(part(0))


def settings_of(tree: Tree) -> Settings:
    if tree.classes is None:
        criterion = tree.to_dict().get("objective", "squared_error")
        return Settings(n_classes=None, criterion=criterion)
    return Settings(n_classes=len(tree.classes), cost_matrix=tree.cost_matrix)


def grown(**size: Any) -> st.SearchStrategy[tuple[Problem, Fitted]]:
    """Grown trees: classes, classes with costs, numbers."""

    def fit(drawn: tuple[Any, Problem, Array | None]) -> tuple[Problem, Fitted]:
        criterion, problem, costs = drawn
        if criterion.endswith("error"):
            return problem, fit_regressor(problem, criterion)
        return problem, fit_classifier(problem, criterion, costs)

    names = st.sampled_from(["gini", "entropy"])
    return st.one_of(
        st.tuples(names, classification(**size), st.none()),
        st.tuples(names, classification(**size), cost_matrices()),
        st.tuples(
            st.sampled_from(["squared_error", "absolute_error"]), regression(**size), st.none()
        ),
    ).map(fit)


def kept_ids(full: Tree, pruned: Tree) -> frozenset[int]:
    """Ids, in the full tree, of its inner nodes that are leaves in the pruned one."""
    collapsed = set()

    def visit(a: int, b: int) -> None:
        whole, cut = full[a], pruned[b]
        if cut.is_leaf:
            if not whole.is_leaf:
                collapsed.add(a)
            return
        assert str(whole.test) == str(cut.test)
        for x, y in zip(whole.children, cut.children, strict=True):
            visit(x.id, y.id)

    visit(0, 0)
    return frozenset(collapsed)
