"""Trees that several tests read."""

from typing import Any

import pytest

from spinney.tree import Tree


@pytest.fixture
def credit_dict() -> dict[str, Any]:
    """A hand-written tree with a threshold, a subset and a multiway test."""
    return {
        "classes": ["bad", "good"],
        "features": ["income", "purpose", "deadline"],
        "nodes": [
            {"test": "income <= 36", "children": [1, 2], "counts": [50, 50]},
            {"test": "purpose in {A40, A43}", "children": [3, 4], "counts": [40, 10]},
            {
                "test": "deadline",
                "branches": ["none", "near", ["far", "lazy"]],
                "children": [5, 6, 7],
                "counts": [10, 40],
            },
            {"test": None, "children": [], "counts": [30, 0]},
            {"test": None, "children": [], "counts": [10, 10]},
            {"test": None, "children": [], "counts": [0, 30]},
            {"test": None, "children": [], "counts": [6, 4]},
            {"test": None, "children": [], "counts": [4, 6]},
        ],
    }


@pytest.fixture
def credit(credit_dict: dict[str, Any]) -> Tree:
    return Tree.from_dict(credit_dict)


@pytest.fixture
def prices() -> Tree:
    """A regression tree whose leaves are 10 (four rows) and 30 (six rows)."""
    return Tree.from_dict(
        {
            "classes": None,
            "features": ["area"],
            "nodes": [
                {
                    "test": "area <= 55.5",
                    "children": [1, 2],
                    "value": 22,
                    "n_samples": 10,
                    "impurity": 98,
                },
                {"test": None, "children": [], "value": 10, "n_samples": 4, "impurity": 2},
                {"test": None, "children": [], "value": 30, "n_samples": 6, "impurity": 2},
            ],
        }
    )


@pytest.fixture(scope="session")
def comb() -> Tree:
    """A tree of depth 20,000: at each level the first child is a leaf and the second goes on."""
    depth = 20_000
    nodes: list[dict[str, Any]] = []
    for level in range(depth):
        rows = depth + 1 - level
        children = [2 * level + 1, 2 * level + 2]
        nodes.append(
            {"test": f"x <= {level}", "children": children, "counts": [rows // 2, rows - rows // 2]}
        )
        nodes.append({"test": None, "children": [], "counts": [level % 2, 1 - level % 2]})
    nodes.append({"test": None, "children": [], "counts": [1, 0]})
    return Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes})
