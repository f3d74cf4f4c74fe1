"""Random tables with gaps and categories, trees grown from them, and rows to predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor, Tree

SIZES = ["small", "medium", "large", "huge"]
PURPOSES = ["car", "house", "other", "travel", "work"]


@dataclass(frozen=True)
class Case:
    tree: Tree
    table: pd.DataFrame
    y: Any
    weight: Any
    new: pd.DataFrame


def make_table(rng: np.random.Generator, n: int, gaps: float, unseen: bool = False) -> pd.DataFrame:
    """Two numeric columns, an ordered and a nominal one."""
    words = [*PURPOSES, "never seen"] if unseen else PURPOSES
    frame = pd.DataFrame(
        {
            "income": rng.integers(0, 12, n).astype(float),
            "age": np.round(rng.normal(size=n), 1),
            "size": pd.Categorical(rng.choice(SIZES, n), categories=SIZES, ordered=True),
            "purpose": pd.Series(rng.choice(words, n), dtype=object),
        }
    )
    return frame.mask(rng.random(frame.shape) < gaps) if gaps else frame


def make_y(rng: np.random.Generator, frame: pd.DataFrame, n_classes: int) -> np.ndarray:
    """Classes that depend on all columns, and on chance."""
    score = (frame["income"].fillna(4) > 5).to_numpy(int)
    score += (frame["purpose"].isin(["car", "work"]) ^ (frame["age"].fillna(0) > 0.3)).to_numpy(int)
    score += rng.integers(0, 2, len(frame))
    return np.array(["bad", "good", "so-so"])[score % n_classes]


@st.composite
def cases(
    draw: st.DrawFn,
    missing: str | None = None,
    gaps: bool | None = None,
    regression: bool | None = False,
) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_classes = draw(st.integers(5, 90)), draw(st.integers(2, 3))
    share = draw(st.sampled_from([0.0, 0.2])) if gaps is None else 0.2 * gaps
    table = make_table(rng, n, share)
    settings: dict[str, Any] = {
        "missing": missing or draw(st.sampled_from(["surrogate", "majority", "fractional"])),
        "max_depth": draw(st.sampled_from([0, 1, 3, None])) or None,
        "min_samples_leaf": draw(st.sampled_from([1, 4])),
    }
    weight = draw(st.sampled_from([None, "whole", "any"]))
    weights = None if weight is None else rng.integers(0, 4, n) + (weight == "any") * rng.random(n)
    if weights is not None:
        weights[0] = 1.0
    y: Any = make_y(rng, table, n_classes)
    if regression or (regression is None and draw(st.booleans())):
        y = rng.normal(size=n)
        model = CARTRegressor(**settings)
    else:
        if draw(st.booleans()):
            settings["cost_matrix"] = {("bad", "good"): 3.0}
            y[:2] = ["bad", "good"]
            if weights is not None:
                weights[:2] = 1.0
        model = CARTClassifier(**settings)
    model.fit(table, y, sample_weight=weights)
    new = make_table(rng, 40, share, unseen=share > 0)
    return Case(model.tree_, table, y, weights, new)


def multiway_tree(missing: str = "fractional") -> Tree:
    """A node by intervals, one by categories with an empty child, one by a threshold."""
    return Tree.from_dict(
        {
            "classes": ["bad", "good"],
            "features": ["age", "purpose"],
            "categories": {"purpose": ["car", "house", "work"]},
            "missing": missing,
            "nodes": [
                {"test": "age", "cuts": [30, 45], "children": [1, 2, 3], "counts": [10, 10]},
                {
                    "test": "purpose",
                    "branches": [["car"], ["house"], ["work"]],
                    "children": [4, 5, 6],
                    "counts": [5, 3],
                },
                {"test": None, "children": [], "counts": [4, 1]},
                {"test": "age <= 60", "children": [7, 8], "counts": [1, 6]},
                {"test": None, "children": [], "counts": [5, 0]},
                {"test": None, "children": [], "counts": [0, 3]},
                {"test": None, "children": [], "counts": [0, 0]},
                {"test": None, "children": [], "counts": [0, 6]},
                {"test": None, "children": [], "counts": [1, 0]},
            ],
        }
    )
