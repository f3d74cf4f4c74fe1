"""The models that mutants are made of: small, and together of every class that a file can hold."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from answering import answering, answering_forest
from contracts.estimators import LISTED
from contracts.tables import codes_for, mixed_table
from sklearn.model_selection import KFold, RepeatedStratifiedKFold

import spinney
from fuzz.mutants import Seed
from spinney import (
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    GPForestClassifier,
    GPTreeClassifier,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    RandomForestClassifier,
    VotingCombiner,
)
from spinney._file._container import read
from spinney.evolve import Bool, Function, Numeric, compose


def far(a: Any, b: Any) -> Any:
    """Return whether two numbers are far from each other."""
    return np.abs(a - b) > 1.0


FUNCTIONS = {"far": far}  # what files hold by name


def make_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Return the table that all models are fitted on."""
    rng = np.random.default_rng(7)
    table = mixed_table(rng, 30)
    return table, codes_for(table, rng)


def make_seeds(folder: Path, every: int = 1) -> list[Seed]:
    """Fit and save the listed estimators, their trees alone, and special models."""
    X, codes = make_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [one.new().fit(X, one.target(codes)) for one in LISTED[::every]]
        tree = next(model.tree_ for model in models if hasattr(model, "tree_"))
        forest = next((model.forest_ for model in models if hasattr(model, "forest_")), tree)
        models += [LISTED[0].new(), tree, tree.rules(), forest]
        models += special_models(X, LISTED[0].target(codes)) if every == 1 else []
    return [
        seed_of(f"{place} {type(one).__name__}", one, folder) for place, one in enumerate(models)
    ]


def seed_of(name: str, model: Any, folder: Path) -> Seed:
    """Return the file of a model, taken apart."""
    path = folder / "seed.spinney"
    spinney.save(model, path)
    return Seed(name, path.read_bytes(), read(path))


def special_models(X: pd.DataFrame, y: np.ndarray) -> list[Any]:
    """Return models with what the listed ones lack: members, functions, parameters, costs."""
    few: dict[str, Any] = {"n_estimators": 2, "random_state": 0}
    brief: dict[str, Any] = {"population_size": 20, "generations": 3, "random_state": 0}
    once: dict[str, Any] = {"branching": 2, "n_init": 1, "max_iter": 2, "random_state": 0}
    cart = CARTClassifier(max_depth=2).fit(X, y)
    costs = np.asfortranarray(1.0 - np.eye(3) + np.arange(9.0).reshape(3, 3) * (1 - np.eye(3)))
    own = Function("far", far, takes=(Numeric, Numeric), returns=Bool)
    between = compose(
        "between", lambda x, a, b: (x > a) & (b > x), takes=(Numeric,) * 3, returns=Bool
    )
    forest = RandomForestClassifier(2, oob_score=False, max_depth=2)
    models = [
        VotingCombiner([("a", cart), ("b", cart)], rule="majority", abstain_label="unsure"),
        BaggingClassifier(forest, max_features=2, targets="regroup", **few),
        BaggingClassifier(CARTClassifier(max_depth=2), targets="regroup", **few),
        BaggingClassifier(CARTClassifier(max_depth=2), selection="trimmed", oob_score=True, **few),
        CARTClassifier(max_depth=2, cost_matrix=costs, missing="fractional"),
        CARTClassifier(max_depth=3, pruning="cost_complexity", cv=KFold(3)),
        GPTreeClassifier(functions=[own, ">", "and"], **brief),
        GPForestClassifier(2, functions=[between], **brief),
        MixtureOfExpertsClassifier(CARTClassifier(max_depth=2), **once),
        MixtureOfExpertsClassifier(estimators=[("cart", cart)], max_iter=2),
    ]
    numbers = np.arange(len(y)) * 1.25
    regressors = [
        MixtureOfExpertsRegressor(CARTRegressor(max_depth=2), **once),
        CARTRegressor(max_depth=2, monotonic_cst={"age": -1}, interaction_cst=[["age"]]),
        BaggingRegressor(BaggingRegressor(CARTRegressor(max_depth=1), n_estimators=2), **few),
    ]
    odd = CARTClassifier(
        cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1),
        random_state=np.random.RandomState(5),
        min_samples_leaf=np.float32(0.5),
        class_weight={"class 0": 2, "class 1": -float("inf")},
        categorical_features=np.array([True, False, True, False]),
        max_depth=np.int64(3),
    )
    texts = CARTClassifier(max_depth=1).fit(X, y.astype("<U7"))
    fitted = [one.fit(X, y) for one in models] + [one.fit(X, numbers) for one in regressors]
    own_answers = [answering(cart.tree_), answering_forest(fitted[2].forest_)]
    own_answers += [
        own_answers[0].rules(),
        answering(CARTRegressor(max_depth=1).fit(X, numbers).tree_),
    ]
    return [*fitted, texts, texts.tree_, odd, fitted[6].tree_.rules(), *own_answers]
