"""Random tables with every kind of column, gaps and unseen categories, and models of every test."""

from typing import Any

import numpy as np
import pandas as pd
from expression_trees import expression_tree

from spinney import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    GPTreeClassifier,
    ID3Classifier,
    IGPAClassifier,
    RandomForestClassifier,
    SurvivalTree,
)

SIZES = ["small", "medium", "large"]


def random_table(rng: Any, n_rows: int, unseen: bool = False) -> pd.DataFrame:
    """Return rows with gaps; with categories that no training table has if asked."""
    words = ["a", "b", "c", 'd "quoted"', "é"] + (["unseen", "</b>"] if unseen else [])
    numbers = [1, 2, 30] + ([99] if unseen else [])
    frame = pd.DataFrame(
        {
            "amount": np.round(rng.normal(size=n_rows) * 100, 3),
            "age": rng.integers(18, 80, n_rows).astype(float),
            "word": rng.choice(np.array(words, dtype=object), n_rows),
            "code": pd.Series(rng.choice(numbers, n_rows)).astype("category"),
            "size": pd.Categorical(rng.choice(SIZES, n_rows), categories=SIZES, ordered=True),
            "flag": rng.choice(np.array(["yes", "no"], dtype=object), n_rows),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.15)


def random_classes(rng: Any, frame: pd.DataFrame, n_classes: int) -> Any:
    """Return labels that depend on several columns."""
    score = (
        frame["amount"].fillna(0.0) / 100
        + (frame["word"] == "b")
        - (frame["size"] == "large")
        + rng.normal(size=len(frame)) / 2
    )
    return np.array(["bad", "good", "so-so", "odd"])[
        pd.qcut(score, n_classes, labels=False).to_numpy()
    ]


def _learners(seed: int) -> list[Any]:
    """Return a learner of each kind, some of their settings by the seed."""
    costs = {("bad", "good"): 4.0, ("good", "bad"): 1.5}
    return [
        CARTClassifier(pruning="cost_complexity", cv=3, random_state=seed),
        CARTClassifier(max_depth=6, cost_matrix=costs, max_surrogates=seed % 3),
        CARTClassifier(missing="majority", min_samples_leaf=5, priors={"bad": 0.7, "good": 0.3}),
        CARTClassifier(missing="fractional", max_depth=5),
        CARTClassifier(splitter="oblique", max_depth=4, random_state=seed),
        CARTRegressor(pruning="cost_complexity", cv=3, random_state=seed),
        CARTRegressor(missing="fractional", max_depth=4),
        C45Classifier(max_intervals=3, min_samples_leaf=3 + seed),
        C45Classifier(nominal="grouped", pruning=None, max_depth=4 + seed % 2),
        ID3Classifier(max_depth=4),
        GPTreeClassifier(population_size=30, generations=3, random_state=seed),
        IGPAClassifier(random_state=seed),
    ]


def random_model(kind: int, seed: int) -> tuple[Any, pd.DataFrame, Any]:
    """Return a fitted model with its rows; kinds from 0 to 13, the last two hold expressions."""
    rng = np.random.default_rng(1000 * kind + seed)
    frame = random_table(rng, 240)
    if kind >= 12:
        tree = expression_tree(seed, n_tests=7, n_classes=3 if kind == 12 else 0)
        model = CARTClassifier() if kind == 12 else CARTRegressor()
        rows = expression_rows(rng, 200)
        wrapped = model._wrap(tree)
        return wrapped, rows, wrapped.predict(rows)
    learner = _learners(seed)[kind]
    if isinstance(learner, CARTRegressor):
        y = frame["amount"].fillna(7.0).to_numpy() + 50 * (frame["word"] == "c").to_numpy()
    else:
        y = random_classes(rng, frame, 2 if getattr(learner, "priors", None) else 2 + kind % 2)
    return learner.fit(frame, y), frame, y


def expression_rows(rng: Any, n_rows: int) -> pd.DataFrame:
    """Return rows for the trees of `expression_trees`, with gaps and unseen categories."""
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n_rows) * 3,
            "y": rng.integers(-3, 4, n_rows).astype(float),
            "sex": rng.choice(np.array(["f", "m", "not known", "?"], dtype=object), n_rows),
            "size": pd.Categorical(rng.choice(SIZES, n_rows), categories=SIZES, ordered=True),
            "z (mm)": rng.normal(size=n_rows),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.1)


def as_cells(frame: pd.DataFrame) -> list[list[Any]]:
    """Return raw rows as JSON holds them; gaps are None."""
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return [[cell.item() if isinstance(cell, np.generic) else cell for cell in row] for row in rows]


def credit_model(seed: int = 0, **settings: Any) -> tuple[Any, Any, Any, Any]:
    """Return a pruned classifier of two classes, its rows, and a hold-out."""
    rng = np.random.default_rng(seed)
    frame, other = random_table(rng, 600), random_table(rng, 300)
    y, y2 = random_classes(rng, frame, 2), random_classes(rng, other, 2)
    model = CARTClassifier(pruning="cost_complexity", cv=5, random_state=0, **settings)
    return model.fit(frame, y), frame, y, (other, y2)


def random_lifetimes(rng: Any, frame: pd.DataFrame) -> dict[str, Any]:
    """Return lifetimes whose hazard depends on two columns, some of them censored."""
    hazard = np.exp(frame["amount"].fillna(0.0) / 100 + (frame["word"] == "b")).to_numpy()
    time = np.round(rng.exponential(1.0 / hazard), 2) + 0.01
    end = np.round(rng.exponential(2.0, len(frame)), 2) + 0.01
    return {"event": time <= end, "time": np.minimum(time, end)}


def lifetimes_model() -> tuple[Any, Any, Any, Any]:
    """Return a pruned survival tree, its rows, and a hold-out."""
    rng = np.random.default_rng(0)
    frame, other = random_table(rng, 400), random_table(rng, 250)
    y, y2 = random_lifetimes(rng, frame), random_lifetimes(rng, other)
    model = SurvivalTree(pruning="cost_complexity", cv=5, rule="min", random_state=0)
    return model.fit(frame, y), frame, y, (other, y2)


def small_forest() -> tuple[Any, Any, Any, Any]:
    """Return a forest, its rows, and a hold-out."""
    _, frame, y, holdout = credit_model(1)
    return RandomForestClassifier(n_estimators=30, random_state=0).fit(frame, y), frame, y, holdout
