"""Runs of small forests and of what stands beside them: errors, log losses, R squared, sizes.

A unit is `(what, dataset, method, run)`: "classes" or "numbers". Run r is fold r % 5 of repetition
r // 5, with the same rows for every method. What a forest has after fewer trees is told too; a
small forest is fitted anew for each size.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.model_selection import KFold, StratifiedKFold

from spinney._reproduce.paper import Key, Options, Rows, bundled, error_percent, seed_of
from spinney._table import CodedLabels
from spinney._typing import Floats
from spinney.ensemble import (
    BaggingClassifier,
    IGPAForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    SmallForestClassifier,
    SmallForestRegressor,
)

FOLDS = 5
SETS = (
    *("balance_scale", "breast_cancer_wdbc", "breast_cancer_wisconsin", "bupa_liver"),
    *("car_evaluation", "german_credit", "glass", "haberman", "heart_disease", "iris"),
    *("lymphography", "pima_indians_diabetes", "sonar", "waveform", "wine", "yeast"),
)
NUMBERS = (
    *("friedman1", "friedman2", "friedman3", "sines", "steps"),
    *("diabetes", "boston_housing", "cpu_performance", "solder"),
)
SIZES = (1, 2, 3, 5, 7, 11, 16, 25, 50)
LARGER = (100, 200, 500)
FOREST, IGPA, MODE, LIGHTGBM = "forest", "IGPA forest", "mode-based bagging", "LightGBM"
_N_IGPA, _N_MODE = 100, 200
_QUICK = 10  # how many times smaller the models of a quick run are
_LEAST = 1e-3  # a probability below counts as this in the log loss


def small(size: int) -> str:
    """Return the name of a small forest."""
    return f"{size} chosen"


def has_lightgbm() -> bool:
    """Return whether LightGBM is installed."""
    return find_spec("lightgbm") is not None


def work_of(options: Options) -> Any:
    """Return the function that does a unit."""
    return partial(_work, _QUICK if options.quick else 1, options.seed)


def _work(share: int, seed: int, key: Key) -> dict[str, Any]:
    what, dataset, method, run = str(key[0]), str(key[1]), str(key[2]), int(key[3])
    number = seed_of(seed, run)
    rows, classes = (bundled(dataset), True) if what == "classes" else (numbers(dataset), False)
    train, test = _fold(rows, seed_of(seed, run // FOLDS), run % FOLDS, classes=classes)
    model = _model(method, share, classes=classes).set_params(random_state=number)
    if method == LIGHTGBM:
        rows = _as_codes(rows)
        nominal = [i for i, one in enumerate(rows.X.values()) if one.dtype == np.int64]
        model.fit = partial(model.fit, categorical_feature=nominal)
    X, y = _table(rows, train, method), rows.y[train]
    start = time.thread_time()
    model.fit(X, y)
    found: dict[str, Any] = {"fit_seconds": time.thread_time() - start}
    X, y = _table(rows, test, method), rows.y[test]
    if not classes:
        return found | _staged_scores(model, X, y) | _size(model)
    staged = method in (FOREST, IGPA)
    answers = model.staged_predict_proba(X) if staged else [model.predict_proba(X)]
    guesses = model.staged_predict(X) if staged else [model.predict(X)]
    for place, (shares, guess) in enumerate(zip(answers, guesses, strict=True), start=1):
        size = f"_{place}" if staged else ""
        if staged and place not in (*SIZES, *LARGER):
            continue
        found[f"error{size}"] = error_percent(guess, y)
        found[f"log_loss{size}"] = _log_loss(shares, np.searchsorted(model.classes_, y))
    if staged:
        found |= {"error": found[f"error_{place}"], "log_loss": found[f"log_loss_{place}"]}
    return found | _size(model)


def _model(method: str, share: int, *, classes: bool) -> Any:
    """Return an unfitted model, so many times smaller than it should be."""
    if method == FOREST:
        n_trees = LARGER[-1] // share
        if not classes:
            return RandomForestRegressor(n_trees, oob_score=False)
        return RandomForestClassifier(n_trees, combine="average", oob_score=False)
    if method == IGPA:
        return IGPAForestClassifier(_N_IGPA // share, combine="average")
    if method == MODE:
        return BaggingClassifier(n_estimators=_N_MODE // share, selection="mode")
    if method == LIGHTGBM:
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=100 // share, n_jobs=1, verbose=-1)
    size = int(method.split()[0])
    kind = SmallForestClassifier if classes else SmallForestRegressor
    return kind(size, pool=max(200 // share, size))


def _fold(rows: Rows, seed: int, fold: int, *, classes: bool) -> Any:
    """Return the places of the rows to train on, and of those to test on."""
    kind: Callable[..., Any] = StratifiedKFold if classes else KFold
    with warnings.catch_warnings():  # of classes with fewer rows than folds
        warnings.simplefilter("ignore", UserWarning)
        return list(kind(FOLDS, shuffle=True, random_state=seed).split(rows.y, rows.y))[fold]


def _table(rows: Rows, places: NDArray[np.intp], method: str) -> Any:
    """Return rows as the method takes them."""
    X = rows.take(places).X
    return np.column_stack(list(X.values())) if method == LIGHTGBM else X


def _as_codes(rows: Rows) -> Rows:
    """Return rows with numbers for names, as integers; numbers and ordered names are floats."""
    return Rows({name: _codes(column) for name, column in rows.X.items()}, rows.y)


def _codes(column: Any) -> NDArray[Any]:
    if isinstance(column, CodedLabels):
        codes = np.asarray(column.codes, dtype=np.float64)
        return np.where(codes < 0, np.nan, codes)
    values = np.asarray(column)
    if values.dtype.kind in "fiu":
        return values.astype(np.float64)
    return np.unique([str(one) for one in values], return_inverse=True)[1].astype(np.int64)


def _log_loss(shares: Floats, codes: NDArray[np.intp]) -> float:
    clipped = np.clip(shares, _LEAST, None)
    own = clipped[np.arange(len(codes)), codes] / clipped.sum(axis=1)
    return float(-np.log(own).mean())


def _staged_scores(model: Any, X: Any, y: Floats) -> dict[str, float]:
    found = {"r2": float(model.score(X, y))}
    if isinstance(model, RandomForestRegressor):
        staged = enumerate(model.staged_score(X, y), start=1)
        found |= {f"r2_{n}": float(one) for n, one in staged if n in (*SIZES, *LARGER)}
    return found


def _size(model: Any) -> dict[str, float]:
    """Return the number of trees that answer, and of their leaves."""
    if not hasattr(model, "forest_"):  # LightGBM has a tree for each round, and class but for two
        trees = model.booster_.trees_to_dataframe()
        leaves = trees["split_feature"].isna().groupby(trees["tree_index"]).sum()
        return {"trees": float(len(leaves)), "leaves": float(leaves.sum())}
    leaves_of, own = [tree.n_leaves for tree in model.forest_], model._voters().tolist()
    return {"trees": float(len(own)), "leaves": float(sum(leaves_of[i] for i in own))}


@cache
def numbers(name: str) -> Rows:
    """Return rows with numbers to predict: six functions with noise, or real data."""
    made: dict[str, Callable[[], Any]] = {
        "friedman1": lambda: make_friedman1(500, noise=1, random_state=0),
        "friedman2": lambda: make_friedman2(500, noise=100, random_state=0),
        "friedman3": lambda: make_friedman3(500, noise=0.1, random_state=0),
        "diabetes": lambda: load_diabetes(return_X_y=True),
        "sines": _sines,
        "steps": _steps,
    }
    if name not in made:
        rows = bundled(name)
        return Rows(rows.X, np.asarray(rows.y, dtype=np.float64))
    X, y = made[name]()
    return Rows({f"x{i}": column for i, column in enumerate(X.T)}, y)


def _sines() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (600, 6))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.5 * X[:, 2] ** 2 * (X[:, 3] > 0)
    return X, y + rng.normal(0, 0.5, 600)


def _steps() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    y = 2.0 * (X[:, 0] > 0) + 3.0 * (X[:, 1] > 0.5) * (X[:, 2] < 0) + X[:, 3]
    return X, y + rng.normal(0, 0.7, 600)


def methods_of(what: str) -> Iterator[str]:
    """Yield the methods that are run on data sets of a kind."""
    yield FOREST
    if what == "classes":
        yield from (IGPA, MODE)
        if has_lightgbm():
            yield LIGHTGBM
        yield from map(small, SIZES)
    else:
        yield from map(small, (11, 25))
