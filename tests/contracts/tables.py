"""Random mixed tables for the contracts: numbers, an ordered and a nominal column, gaps."""

from typing import Any

import numpy as np
import pandas as pd

GRADES = ["low", "mid", "top"]


def mixed_table(rng: np.random.Generator, n: int = 90) -> pd.DataFrame:
    """Return a table with ties, gaps and categories."""
    frame = pd.DataFrame(
        {
            "income": rng.normal(size=n).round(2),
            "age": rng.integers(18, 60, n).astype(float),
            "purpose": rng.choice(["car", "house", "other", "tool"], n).astype(object),
            "grade": pd.Categorical(rng.choice(GRADES, n), GRADES, ordered=True),
        }
    )
    for name in frame:
        frame.loc[rng.random(n) < 0.08, name] = None
    return frame


def codes_for(frame: pd.DataFrame, rng: np.random.Generator, n_classes: int = 3) -> np.ndarray:
    """Return codes that depend on the table, with noise."""
    high = (frame["income"] > 0).to_numpy(int) + (frame["purpose"] == "car").to_numpy(int)
    return (high + (rng.random(len(frame)) < 0.2)) % n_classes


def shape_of(tree: Any) -> list[tuple[str, tuple[int, ...]]]:
    """Return the tests of a tree, its surrogates included, and how its nodes hang together."""
    return [
        (
            f"{'' if node.is_leaf else node.test} {[str(s) for s in node.surrogates]}",
            tuple(child.id for child in node.children),
        )
        for node in tree
    ]
