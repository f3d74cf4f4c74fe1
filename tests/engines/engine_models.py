"""Random models of every kind that can be exported, and a table that is hard on engines."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    GPForestClassifier,
    GPTreeClassifier,
    ID3Classifier,
    IGPAForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomSurvivalForest,
    SmallForestClassifier,
    SmallForestRegressor,
    VotingCombiner,
)

WORDS = ["A40", "a40", "A41", "it's", 'say "x"', "back\\slash", "größe", "-- x", "", "a40 "]
NEW_WORDS = ["A42", "A40 ", "GRÖSSE", "%s", "a\tb"]
EXTREME = [1e300, -1e300, 1e-300, 0.0, -0.0, 36.0, 36.00000000000001, 2.0**53, 0.1, 1e15 + 0.5]


def hard_rows(n_rows: int, seed: int, new: bool) -> pd.DataFrame:
    """Rows with gaps, case variants, extreme numbers and, if new, unseen categories."""
    rng = np.random.default_rng(seed)
    words = np.array(WORDS + (NEW_WORDS if new else []), dtype=object)
    income = rng.normal(40, 20, n_rows).round(2)
    odd = rng.random(n_rows) < 0.05
    income[odd] = rng.choice(EXTREME, odd.sum())
    X = pd.DataFrame(
        {
            "income": income,
            "Age of\nperson": rng.integers(18, 70, n_rows).astype(float),
            "select": rng.choice(words, n_rows),
            "size": rng.exponential(0.1, n_rows),
            "code": rng.choice([1.0, 2.0, 2.5, 7.0] + ([9.0] if new else []), n_rows),
            "share": rng.random(n_rows),
        }
    )
    for column in X.columns:
        X.loc[rng.random(n_rows) < 0.12, column] = None
    return X


def mild(X: pd.DataFrame) -> pd.DataFrame:
    """The rows without numbers whose products a database refuses as too large."""
    return X.assign(income=X["income"].clip(-1e6, 1e6))


def score(X: pd.DataFrame, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    value = X["income"].clip(-100, 100).fillna(50) / 20 + X["select"].isin(["A40", "it's"]) * 2
    value += X["code"].fillna(3) / 2 + 5 * X["size"].fillna(0) + X["share"].fillna(0.5)
    return value.to_numpy() + rng.normal(0, 0.7, len(X))


def data(seed: int, n_classes: int) -> tuple[pd.DataFrame, Any]:
    X = hard_rows(400 + 100 * (seed % 5), seed, new=False)
    value = score(X, seed)
    if not n_classes:
        return X, value
    return X, np.array(["no", "it's", "yes", "z"])[pd.qcut(value, n_classes, labels=False)]


def fitted(make: Callable[[int], Any], seed: int, n_classes: int, **fit: Any) -> Any:
    X, y = data(seed, n_classes)
    if "exposure" in fit:
        rng = np.random.default_rng(seed)
        exposure = rng.uniform(0.1, 1.0, len(X))
        y = rng.poisson(exposure * np.exp(y / 8)).astype(float)
        return make(seed).fit(X, y, exposure=exposure)
    return make(seed).fit(X, y)


def lifetimes(seed: int) -> Any:
    X, value = data(seed, 0)
    rng = np.random.default_rng(seed)
    y = np.zeros(len(X), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = rng.random(len(X)) < 0.7, rng.exponential(np.exp(-value / 4)) + 0.01
    return RandomSurvivalForest(4, max_depth=4, random_state=seed, oob_score=False, **FLAG).fit(
        X, y
    )


FLAG = {"categorical_features": ["code"]}


def cart(seed: int) -> Any:
    return CARTClassifier(max_depth=2 + seed % 7, random_state=seed, **FLAG)


def votes(seed: int) -> Any:
    X, y = data(seed, 3)
    members = [
        cart(seed).fit(X, y),
        C45Classifier(min_samples_leaf=10, **FLAG).fit(X, y),
        CARTClassifier(max_depth=3, max_features=2, random_state=seed, **FLAG).fit(X[::2], y[::2]),
    ]
    rule = ["plurality", "majority", "unanimous", 0.6][seed % 4]
    weights = None if seed % 3 else [1.0, 2.0, 1.5]
    label = None if rule == "plurality" else "unsure"
    return VotingCombiner(members, rule=rule, weights=weights, abstain_label=label).fit(X, y)


def forest(seed: int) -> Any:
    combine = ["vote", "average"][seed % 2]
    costs = {("no", "it's"): 5.0} if seed % 4 == 3 else None
    return RandomForestClassifier(
        7, combine=combine, cost_matrix=costs, random_state=seed, oob_score=False, **FLAG
    )


def bagging(seed: int) -> Any:
    base = [
        CARTClassifier(max_depth=4),
        C45Classifier(min_samples_leaf=20),
        ID3Classifier(max_depth=2),
    ][seed % 3]
    targets = "regroup" if seed % 4 == 1 else None
    return BaggingClassifier(
        base, 5, combine=["vote", "average"][seed % 2], targets=targets, random_state=seed, **FLAG
    )


KINDS: dict[str, Callable[[int], Any]] = {
    "tree": lambda seed: fitted(cart, seed, 2 + seed % 3),
    "regression tree": lambda seed: fitted(
        lambda s: CARTRegressor(max_depth=7, random_state=s, **FLAG), seed, 0
    ),
    "C4.5": lambda seed: fitted(lambda s: C45Classifier(min_samples_leaf=15, **FLAG), seed, 3),
    "rules": lambda seed: fitted(
        lambda s: C45Classifier(min_samples_leaf=15, **FLAG), seed, 3
    ).rules_,
    "forest": lambda seed: fitted(forest, seed, 2 + seed % 3),
    "forest of numbers": lambda seed: fitted(
        lambda s: RandomForestRegressor(6, random_state=s, oob_score=False, **FLAG), seed, 0
    ),
    "counts": lambda seed: fitted(
        lambda s: RandomForestRegressor(
            4, criterion="poisson", max_depth=4, random_state=s, oob_score=False, **FLAG
        ),
        seed,
        0,
        exposure=True,
    ),
    "bagging": lambda seed: fitted(bagging, seed, 3),
    "bagging of numbers": lambda seed: fitted(
        lambda s: BaggingRegressor(
            None, 4 + s % 3, combine=["mean", "median"][s % 2], random_state=s, **FLAG
        ),
        seed,
        0,
    ),
    "AdaBoost": lambda seed: fitted(
        lambda s: AdaBoostClassifier(
            CARTClassifier(max_depth=1 + s % 3), 8, random_state=s, **FLAG
        ),
        seed,
        2 + seed % 3,
    ),
    "AdaBoost of numbers": lambda seed: fitted(
        lambda s: AdaBoostRegressor(None, 6, random_state=s, **FLAG), seed, 0
    ),
    "IGPA forest": lambda seed: fitted(
        lambda s: IGPAForestClassifier(5, random_state=s, **FLAG), seed, 3
    ),
    "small forest": lambda seed: fitted(
        lambda s: SmallForestClassifier(4, pool=12, max_depth=6, random_state=s, **FLAG),
        seed,
        2 + seed % 3,
    ),
    "small forest of numbers": lambda seed: fitted(
        lambda s: SmallForestRegressor(4, pool=12, max_depth=6, random_state=s, **FLAG), seed, 0
    ),
    "evolved tree": lambda seed: fitted(
        lambda s: GPTreeClassifier(
            population_size=30, generations=3, functions=["=", ">", "+", "-", "*", "and", "not"],
            random_state=s, **FLAG,
        ),
        seed,
        2,
    ),
    "evolved forest": lambda seed: fitted(
        lambda s: GPForestClassifier(
            3, population_size=20, generations=2, functions=["=", ">", "+", "-", "*", "or"],
            random_state=s, **FLAG,
        ),
        seed,
        3,
    ),
    "votes": votes,
    "survival forest": lifetimes,
}  # fmt: skip


@functools.cache
def random_model(kind: str, seed: int) -> Any:
    """A model of a kind, made once."""
    return KINDS[kind](seed)
