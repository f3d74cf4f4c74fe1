"""Plots are drawn without a screen and closed after each test."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

from spinney.tree import Tree

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def bushy() -> Tree:
    """A tree of 30 leaves and depth 8, with long names and sets of categories."""
    random = np.random.default_rng(5)
    names = ["checking_status", "duration_months", "purpose", "age", "other_installment_plans"]
    nodes: list[dict[str, Any]] = [{"test": None, "children": [], "counts": [300, 700], "depth": 0}]
    while sum(node["test"] is None for node in nodes) < 30:
        free = [i for i, n in enumerate(nodes) if n["test"] is None and n["depth"] < 8]
        node = nodes[random.choice(free)]
        feature = random.integers(5)
        if feature in (1, 3):
            node["test"] = f"{names[feature]} <= {random.integers(1, 999) / 2}"
        else:
            chosen = random.choice([f"A{k}" for k in range(10, 20)], random.integers(1, 9), False)
            node["test"] = f"{names[feature]} in {{{', '.join(chosen)}}}"
        node["children"] = [len(nodes), len(nodes) + 1]
        left = [int(random.integers(count + 1)) for count in node["counts"]]
        right = [a - b for a, b in zip(node["counts"], left, strict=True)]
        for counts in (left, right):
            depth = node["depth"] + 1
            nodes.append({"test": None, "children": [], "counts": counts, "depth": depth})
    return Tree.from_dict({"classes": ["bad", "good"], "features": names, "nodes": nodes})
