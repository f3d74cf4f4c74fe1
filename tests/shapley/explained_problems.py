"""Small random tables with gaps and categories, and what models answer for them."""

from typing import Any

import numpy as np
import pandas as pd

from spinney.rules._counterfactual import raw_value


def gappy(seed: int, n: int = 60, share: float = 0.25) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table of numbers and categories with gaps, and a number that depends on it."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 8, (n, 3)).astype(float)
    numbers[:, 1] = numbers[:, 0] + rng.integers(0, 2, n)  # stands in for the first
    words = rng.choice(list("abcd"), (n, 2)).astype(object)
    words[:, 1] = np.where(numbers[:, 2] > 3, "p", words[:, 1])
    y = numbers[:, 0] + 2.0 * (words[:, 0] == "a") * (numbers[:, 2] > 3) + rng.normal(0, 0.5, n)
    numbers[rng.random(numbers.shape) < share] = np.nan
    words[rng.random(words.shape) < share] = None
    frame = pd.DataFrame(numbers, columns=["x", "z", "u"])
    frame["kind"], frame["place"] = words[:, 0], words[:, 1]
    return frame, y


def classes_of(y: np.ndarray) -> np.ndarray:
    """Return three classes by size."""
    return np.array(["low", "mid", "top"], dtype=object)[np.digitize(y, np.quantile(y, [0.3, 0.7]))]


def raw_rows_of(tree: Any, X: Any) -> list[list[Any]]:
    """Return rows as the tests of a tree read them."""
    rows = tree._encode(X, False).tolist()
    columns = range(len(tree.schema.columns))
    return [[raw_value(tree.schema, j, row[j]) for j in columns] for row in rows]


def answers(model: Any, X: Any) -> np.ndarray:
    """Return what Shapley values of a model add up to."""
    for name in ("decision_function", "predict_proba", "predict"):
        if hasattr(model, name) and getattr(model, "classes", 0) is not None:
            return np.asarray(getattr(model, name)(X))
    return np.asarray(model.predict(X))
