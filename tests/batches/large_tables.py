"""Tables of more rows than exact search takes, with everything that batches could get wrong."""

from typing import Any

import numpy as np
import pyarrow as pa

from spinney import (
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

N_ROWS = 6000  # nodes of up to 2048 rows are searched exactly


def table(task: str, n_rows: int = N_ROWS, seed: int = 0) -> pa.Table:
    """Return numbers, ties, categories, gaps, an empty column, weights and a target.

    The category "rare" is in one row, and "weightless" in rows of weight zero only.
    """
    random = np.random.default_rng(seed)
    a, b = random.normal(size=n_rows), random.integers(0, 9, n_rows)
    text = random.choice(["blue", "green", "red"], n_rows).astype(object)
    weight = random.integers(0, 4, n_rows) * 0.37
    text[np.flatnonzero(weight == 0)[:3]] = "weightless"
    text[n_rows // 2] = "rare"
    weight[n_rows // 2] = 0.74
    signal = a + 0.3 * b + 1.5 * (text == "red") + random.normal(size=n_rows)
    targets = {
        "two": np.where(signal > 1.5, "yes", "no").astype(object),
        "ten": np.clip(np.floor(signal + 3), 0, 9).astype(np.int64),
        "number": signal + 100.0,
        "count": random.poisson(np.exp(np.clip(signal / 3, -2, 2))).astype(float),
    }
    gaps = random.random(n_rows) < 0.1
    return pa.table(
        {
            "a": pa.array(np.where(gaps, np.nan, a), from_pandas=True),
            "b": b,
            "text": pa.array([None if i % 11 == 0 else t for i, t in enumerate(text)]),
            "empty": pa.array([None] * n_rows, pa.float64()),
            "flag": b > 4,
            "c": random.random(n_rows).round(2),
            "weight": weight,
            "exposure": random.random(n_rows) + 0.5,
            "y": targets[task],
        }
    )


def model(name: str) -> Any:
    """Return an unfitted model by a short name."""
    models: dict[str, Any] = {
        "two": CARTClassifier(max_bins=40),
        "two pruned": CARTClassifier(max_bins=40, pruning="cost_complexity", cv=3, random_state=1),
        "two reduced": CARTClassifier(max_bins=40, pruning="reduced_error", random_state=1),
        "ten": CARTClassifier(max_bins=255, max_depth=6, class_weight="balanced"),
        "number": CARTRegressor(max_bins=64, missing="majority"),
        "number pruned": CARTRegressor(
            max_bins=64, pruning="cost_complexity", cv=3, random_state=2, min_samples_leaf=20
        ),
        "number leaves": CARTRegressor(max_bins=64, max_leaf_nodes=25),
        "count": CARTRegressor(max_bins=100, criterion="poisson", min_samples_leaf=5),
        "two forest": RandomForestClassifier(
            20, max_bins=50, random_state=3, oob_score=True, max_depth=8
        ),
        "ten forest": RandomForestClassifier(20, max_bins=50, random_state=3, max_depth=5),
        "number forest": RandomForestRegressor(20, max_bins=30, random_state=4, max_depth=6),
        "two extra": ExtraTreesClassifier(6, max_bins=50, random_state=3, max_depth=8),
        "number extra": ExtraTreesRegressor(
            6, max_bins=30, bootstrap=True, random_state=4, max_depth=6
        ),
        "number bagging": BaggingRegressor(
            CARTRegressor(max_bins=64, max_depth=5), 6, max_features=0.7, random_state=5
        ),
    }
    return models[name]


WITH_ALL_ROWS = ("two reduced",)  # what no planner does
NAMES = (
    *("two", "two pruned", "ten", "number", "number pruned", "number leaves", "count"),
    *("two forest", "ten forest", "number forest", "number bagging"),
    *("two extra", "number extra"),
)


def task_of(name: str) -> str:
    """Return the target that a model learns."""
    return name.split()[0]


def features(data: Any) -> Any:
    """Return the table without target, weight and exposure."""
    return data.drop_columns(["weight", "exposure", "y"])


def cut(data: pa.Table, size: int) -> list[pa.Table]:
    """Return batches of so many rows."""
    return [data.slice(begin, size) for begin in range(0, data.num_rows, size)]
