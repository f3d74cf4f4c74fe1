"""Models of every kind with 10,000 rows and their own answers, for readers of other formats."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))

from engine_models import KINDS, data, hard_rows, mild, random_model
from export_cases import N_ROWS, fitted, rows, target
from export_models import NAMES, make_case

from spinney import (
    CARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    SurvivalTree,
)


class Handed(NamedTuple):
    """A model, new rows, and what it says of them; shares is None for numbers."""

    model: Any
    X: pd.DataFrame
    said: Any
    shares: Any

    def check(self, said: Any, shares: Any = None) -> None:
        """Compare answers: labels are equal, numbers to 1e-12."""
        if self.shares is None:
            np.testing.assert_allclose(np.asarray(said, float), self.said, rtol=1e-12)
            return
        assert len(said) == len(self.said)
        differ = [i for i, (a, b) in enumerate(zip(said, self.said, strict=True)) if a != b]
        assert not differ, f"{len(differ)} labels differ, first that of row {differ[0]}"
        np.testing.assert_allclose(np.asarray(shares, float), self.shares, rtol=0, atol=1e-12)


def lifetimes(estimator: Any) -> Any:
    X = rows(600, 1)
    rng = np.random.default_rng(1)
    y = np.zeros(len(X), dtype=[("event", bool), ("time", float)])
    y["event"] = rng.random(len(X)) < 0.7
    y["time"] = rng.exponential(np.where(X["age"].fillna(40) > 45, 1.0, 3.0)) + 0.01
    return estimator.fit(X, y)


def truths() -> Any:
    """Columns and labels that are true or false."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": rng.random(400) < 0.5, "b": rng.random(400), "c": rng.random(400) < 0.2})
    y = (X["a"] & (X["b"] > 0.3)) | X["c"]
    return CARTClassifier(categorical_features=["a", "c"]).fit(X, y.to_numpy())


def truth_rows() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    kinds = np.array([True, False, None], dtype=object)
    b = pd.Series(rng.random(N_ROWS)).mask(rng.random(N_ROWS) < 0.1)
    return pd.DataFrame({"a": rng.choice(kinds, N_ROWS), "b": b, "c": rng.choice(kinds, N_ROWS)})


def oblique() -> Any:
    X = rows(600, 1).assign(income=lambda t: t["income"].clip(-500, 500))
    return CARTClassifier(max_depth=4, splitter="oblique", random_state=0).fit(X, target(X, 3))


def hard(make: Callable[[], Any], n_classes: int) -> Any:
    X, y = data(2, n_classes)
    return make().fit(X, y)


MORE: dict[str, Callable[[], Any]] = {
    "learned gaps": lambda: fitted("learned", max_depth=7),
    "gaps as a category": lambda: fitted("category", max_depth=7),
    "oblique": oblique,
    "survival tree": lambda: lifetimes(SurvivalTree(max_depth=4)),
    "truths": truths,
    "forest, learned gaps": lambda: hard(
        lambda: RandomForestClassifier(5, missing="learned", random_state=0, oob_score=False), 3
    ),
    "forest, fractional": lambda: hard(
        lambda: RandomForestRegressor(
            3, missing="fractional", max_depth=5, random_state=0, oob_score=False
        ),
        0,
    ),
}
HANDED = [*NAMES, *(f"{kind} {seed}" for kind in KINDS for seed in (0, 1)), *MORE]
# One of each way to decide; others are for thorough runs.
FIRST = [
    "surrogate, odd names",
    "grown out, costs",
    "fractional, costs",
    "regression",
    "multiway",
    "intervals, fractional",
    "3,000 categories",
    "own answers, regression",
    "rules, odd names",
    "rules by hand",
    "forest 0",
    "forest 1",
    "bagging 1",
    "bagging of numbers 1",
    "AdaBoost 0",
    "AdaBoost of numbers 0",
    "evolved tree 0",
    "votes 1",
    *MORE,
]


@functools.lru_cache(maxsize=4)
def handed(name: str) -> Handed:
    """A model by its name."""
    if name in NAMES:
        case = make_case(name)
        return Handed(case.model, case.X, case.predicted, case.probabilities)
    if name in MORE:
        model = MORE[name]()
        schema = model._schema
        X = rows(N_ROWS, 2, new=True) if "grade" in schema.names else hard_rows(N_ROWS, 77, True)
        X = truth_rows() if name == "truths" else X
        X = X.assign(income=X["income"].clip(-500, 500)) if name == "oblique" else X
    else:
        kind, seed = name.rsplit(" ", 1)
        model, X = random_model(kind, int(seed)), hard_rows(N_ROWS, 77, new=True)
        X = mild(X) if "evolved" in kind else X
    classes = getattr(model, "classes_", getattr(model, "classes", None))
    shares = None if classes is None else model.predict_proba(X)
    return Handed(model, X, model.predict(X).tolist(), shares)


def plain(X: pd.DataFrame) -> pd.DataFrame:
    """The rows as plain values, None where one is missing."""
    return X.astype(object).where(X.notna(), None)
