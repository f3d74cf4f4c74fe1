"""Random models under monotone constraints: no pair of rows is predicted against them."""

from typing import Any, NamedTuple

import numpy as np

import spinney

LIFETIMES = "lifetimes"  # in place of the end of a name
_SMALL = {"n_estimators": 5, "oob_score": False}
KINDS: list[tuple[str, str, dict[str, Any]]] = [
    ("CART", "", {}),
    ("CART", "", {"max_bins": 8}),
    ("CART", "", {"missing": "fractional"}),
    ("CART", "", {"missing": "majority", "max_features": 1}),
    ("CART", "", {"splitter": "random"}),
    ("CART", "", {"splitter": "random", "missing": "fractional"}),
    ("CART", "Regressor", {"splitter": "random", "criterion": "absolute_error"}),
    ("CART", "", {"pruning": "cost_complexity", "cv": 3}),
    ("CART", "", {"pruning": "reduced_error"}),
    ("CART", "", {"early_stopping": True}),
    ("CART", "", {"interaction_cst": [[0, 1], [1, 2, 3]]}),
    ("CART", "Classifier", {"pruning": "error_based"}),
    ("CART", "Classifier", {"criterion": "entropy", "class_weight": "balanced"}),
    ("CART", "Classifier", {"cost_matrix": [[0, 5], [1, 0]], "cost_method": "altered_priors"}),
    ("CART", "Regressor", {"criterion": "absolute_error"}),
    ("IGPA", "", {}),
    ("IGPA", "", {"labels": "renewed", "recount": False}),
    ("RandomForest", "", _SMALL),
    ("RandomForest", "Classifier", {**_SMALL, "combine": "average"}),
    ("ExtraTrees", "", _SMALL),
    ("ExtraTrees", "", {**_SMALL, "bootstrap": True, "max_features": 1}),
    ("IGPAForest", "", _SMALL),
    ("Bagging", "", _SMALL),
    ("AdaBoost", "", {"n_estimators": 5}),
    ("CART", "", {"shrinkage": 10.0}),
    ("CART", "", {"shrinkage": "auto", "cv": 3}),
    ("CART", "", {"shrinkage": 3.0, "pruning": "cost_complexity", "cv": 3}),
    ("CART", "", {"shrinkage": 3.0, "missing": "fractional"}),
    ("CART", "", {"missing": "learned"}),
    ("CART", "", {"missing": "category"}),
    ("CART", "", {"surrogate_style": "count"}),
    ("CART", "Regressor", {"criterion": "poisson", "prior_cv": 1.0}),
    ("CART", "Regressor", {"criterion": "poisson", "shrinkage": 10.0}),
    ("CART", "Regressor", {"criterion": "quantile", "quantile": 0.8}),
    ("IGPA", "", {"shrinkage": 10.0}),
    ("RandomForest", "", {**_SMALL, "shrinkage": 10.0}),
    ("RandomForest", "", {"n_estimators": 15, "shrinkage": "auto"}),
    ("RandomForest", "Regressor", {**_SMALL, "criterion": "poisson"}),
    ("ExtraTrees", "", {**_SMALL, "shrinkage": 10.0}),
    ("Bagging", "", {**_SMALL, "shrinkage": 10.0}),
    ("SurvivalTree", LIFETIMES, {}),
    ("SurvivalTree", LIFETIMES, {"criterion": "logrank", "pruning": "cost_complexity", "cv": 3}),
    ("RandomSurvivalForest", LIFETIMES, _SMALL),
]


class Trial(NamedTuple):
    """A model, and how many of the pairs of rows were predicted against a constraint."""

    name: str
    n_pairs: int
    n_against: int


def make_model(rng: np.random.Generator, signs: Any) -> Any:
    """Return a random unfitted model under the constraints."""
    name, end, settings = KINDS[rng.integers(len(KINDS))]
    end = end or ("Classifier" if rng.random() < 0.5 else "Regressor")
    cls = getattr(spinney, name if end == LIFETIMES else name + end)
    seeded = {**settings, "random_state": int(rng.integers(2**31))}
    if "monotonic_cst" in cls().get_params():
        return cls(**seeded, monotonic_cst=signs)
    tree = getattr(spinney, f"CART{end}")
    return cls(tree(max_depth=int(rng.integers(1, 6)), monotonic_cst=signs), **seeded)


def _answers(model: Any, rows: Any) -> Any:
    return model.predict_proba(rows)[:, 1] if hasattr(model, "classes_") else model.predict(rows)


def _target(model: Any, y: Any, rng: np.random.Generator) -> Any:
    """Return numbers as the target of a model: classes, counts or lifetimes where it wants them."""
    name, criterion = type(model).__name__, getattr(model, "criterion", None)
    if "Survival" in name:
        seen = rng.random(len(y)) < 0.7
        seen[:2] = True
        return {"event": seen, "time": np.exp(-y)}
    if name.endswith("Classifier"):
        return (y > np.median(y)).astype(int)
    return rng.poisson(np.exp(np.clip(y, -3, 3))) if criterion == "poisson" else y


def try_model(seed: int) -> Trial:
    """Fit one random model, and compare rows with others that are higher in one column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(10, 150)), 4))
    if rng.random() < 0.5:
        X = np.round(X, 1)
    y = X @ rng.normal(size=4) + rng.normal(size=len(X))
    gaps = rng.choice([0.0, 0.0, 0.1, 0.4])
    X[rng.random(X.shape) < gaps] = np.nan
    signs = rng.integers(-1, 2, 4)
    model = make_model(rng, signs)
    model.fit(X, _target(model, y, rng))
    rows = rng.normal(size=(100, 4))
    rows[rng.random(rows.shape) < gaps] = np.nan
    n_pairs = n_against = 0
    # Shares of a row with gaps are added up, and differ in the last bit; so do averages of trees.
    slack = 1e-12 if gaps and getattr(model, "missing", "") == "fractional" else 0.0
    if hasattr(model, "estimators_") and hasattr(model, "classes_"):
        slack = max(slack, 1e-15)
    for column in np.flatnonzero(signs):
        higher = rows.copy()
        higher[:, column] += rng.exponential(1.0, len(rows))  # a gap stays one
        step = _answers(model, higher) - _answers(model, rows)
        n_pairs += len(rows)
        n_against += int((signs[column] * step < -slack).sum())
    for tree in [model, *getattr(model, "estimators_", [])]:
        n_against += hasattr(tree, "tree_") and not tree.tree_.check_monotonic()
    return Trial(type(model).__name__, n_pairs, n_against)
