"""Random trees whose tests are expressions, thresholds and sets, and rows for them."""

from typing import Any

import numpy as np
import pandas as pd
from reference.expression import random_expression, random_rows

from spinney._expression.tokens import Token
from spinney._table import Column
from spinney.tree import ExpressionTest, Tree
from spinney.tree._to_dict import tokens_to_list

LABELS: dict[str, list[Any]] = {
    "sex": ["f", "m", "not known"],
    "size": ["small", "medium", "large"],
}
NAMES = ["x", "y", "sex", "size", "z (mm)"]
KINDS: list[Any] = ["numeric", "numeric", "nominal", "ordered", "numeric"]
N_CATEGORIES = [len(LABELS.get(name, ())) for name in NAMES]
COLUMNS = tuple(
    Column(name, kind, tuple(LABELS.get(name, ()))) for name, kind in zip(NAMES, KINDS, strict=True)
)


def expression_tree(
    seed: int, n_tests: int = 6, n_classes: int = 3, missing: str = "majority", depth: int = 2
) -> Tree:
    """Return a random tree; without classes a regression tree."""
    rng = np.random.default_rng(seed)
    nodes: list[dict[str, Any]] = [{"test": None, "children": []}]
    for _ in range(n_tests):
        leaf = rng.choice([i for i, node in enumerate(nodes) if node["test"] is None])
        nodes[leaf] |= _some_test(rng, depth)
        nodes[leaf]["children"] = [len(nodes), len(nodes) + 1]
        nodes += [{"test": None, "children": []}, {"test": None, "children": []}]
    for node in reversed(nodes):
        below = [nodes[child] for child in node["children"]]
        _fill(rng, node, below, n_classes)
    header = {"features": NAMES, "kinds": KINDS, "categories": LABELS, "missing": missing}
    classes = ["bad", "good", "ugly"][:n_classes] or None
    return Tree.from_dict({**header, "classes": classes, "nodes": nodes})


def _some_test(rng: np.random.Generator, depth: int) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.15:
        return {"test": f"x <= {rng.integers(-2, 3)}"}
    if kind < 0.25:
        return {"test": "sex in {f, m}"}
    tokens = tuple(Token(*t) for t in random_expression(rng, N_CATEGORIES, depth))
    return {"test": str(ExpressionTest(tokens, COLUMNS)), "tokens": tokens_to_list(tokens)}


def _fill(
    rng: np.random.Generator, node: dict[str, Any], below: list[dict[str, Any]], n_classes: int
) -> None:
    if n_classes:
        counts = rng.integers(1, 9, n_classes).tolist()
        node["counts"] = [sum(c) for c in zip(*(b["counts"] for b in below), strict=True)] or counts
        return
    node["n_samples"] = sum(b["n_samples"] for b in below) or int(rng.integers(1, 9))
    node["value"] = float(rng.normal())
    node["impurity"] = 9.0 ** len(below)


def encoded_rows(seed: int, n_rows: int = 200) -> Any:
    """Return encoded rows with gaps and infinities."""
    return random_rows(np.random.default_rng(seed), N_CATEGORIES, n_rows)


def raw_rows(seed: int, n_rows: int = 200, infinities: bool = True) -> pd.DataFrame:
    """Return a table with gaps, infinities and unseen categories."""
    values = encoded_rows(seed, n_rows)
    if not infinities:
        values[np.isinf(values) | (np.abs(values) > 1e6)] = 3.0
    frame = pd.DataFrame(values, columns=NAMES)
    for name, labels in LABELS.items():
        words = [*labels, "never seen"]
        codes = frame[name].fillna(len(labels)).astype(int)
        cells = pd.Series([words[code] for code in codes], dtype=object)
        cells[np.random.default_rng(seed).random(n_rows) < 0.1] = None
        frame[name] = cells
    return frame
