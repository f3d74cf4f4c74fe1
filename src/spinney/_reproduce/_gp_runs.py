"""Cross-validated trees and forests of evolved tests, and what they are compared with.

A unit is `(what, dataset, method, run)`: one fold of "table" on a data set, or of "figure" on drawn
points. Run r is fold r % n_folds of repetition r // n_folds, the same for every method.
"""

from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from spinney import GPForestClassifier, GPTreeClassifier
from spinney._reproduce._parts import Key, Options, seed_of
from spinney._reproduce._tables import bundled
from spinney.datasets import make_gaussian_mixture
from spinney.ensemble import AdaBoostClassifier, BaggingClassifier
from spinney.tree import C45Classifier

__all__ = [
    "DATASETS",
    "FIGURE_FOLDS",
    "N_POINTS",
    "SIZES",
    "TABLE_FOLDS",
    "figure_methods",
    "sizes",
    "table_methods",
    "work_of",
]

DATASETS = {
    "pima": "pima_indians_diabetes",
    "heart": "heart_disease",
    "breast_cancer_wisconsin": "breast_cancer_wisconsin",
}
N_POINTS = 1000
TABLE_FOLDS, FIGURE_FOLDS = 10, 5
SIZES = (1, 3, 5, 11, 21)
_QUICK = {"population_size": 50, "generations": 5}


def sizes(options: Options) -> tuple[int, ...]:
    """Return the numbers of trees in the figure."""
    return SIZES[:3] if options.quick else SIZES


def table_methods(**parameters: Any) -> dict[str, Any]:
    """Return what Table 3 compares, by the names that it prints."""
    return {
        "GP single tree": GPTreeClassifier(**parameters),
        "GP forest of 11 trees": GPForestClassifier(11, **parameters),
        "C4.5": C45Classifier(),
        "C4.5 + AdaBoost.M2": AdaBoostClassifier(C45Classifier()),
    }


def figure_methods(n_trees: int, **parameters: Any) -> dict[str, Any]:
    """Return the four ways to make a forest, by name."""
    tree = GPTreeClassifier(**parameters)
    return {
        "plain gain": GPForestClassifier(n_trees, diversity=None, **parameters),
        "bagging": BaggingClassifier(tree, n_trees),
        "AdaBoost.M1": AdaBoostClassifier(tree, n_trees, algorithm="M1"),
        "diverse roots": GPForestClassifier(n_trees, diversity="roots", **parameters),
    }


def search(options: Options) -> dict[str, Any]:
    """Return the parameters of the search for tests."""
    return _QUICK if options.quick else {}


def work_of(options: Options) -> Any:
    """Return the function that does a unit."""
    return partial(_work, search(options), sizes(options), options.seed)


def _work(
    parameters: dict[str, Any], asked: tuple[int, ...], seed: int, key: Key
) -> dict[str, Any]:
    what, dataset, method, run = str(key[0]), str(key[1]), str(key[2]), int(key[3])
    if what == "table":
        return _table_fold(table_methods(**parameters)[method], dataset, seed, run)
    model = figure_methods(max(asked), **parameters)[method]
    return _figure_fold(model, asked, seed, run)


def _table_fold(model: Any, dataset: str, seed: int, run: int) -> dict[str, float]:
    rows = bundled(DATASETS[dataset])
    number = seed_of(seed, run)
    folds = StratifiedKFold(TABLE_FOLDS, shuffle=True, random_state=number // TABLE_FOLDS)
    train, test = list(folds.split(rows.y, rows.y))[run % TABLE_FOLDS]
    if "random_state" in model.get_params():
        model.set_params(random_state=number)
    part, other = rows.take(train), rows.take(test)
    guess = model.fit(part.X, part.y).predict(other.X)
    return {"error": 100.0 * float(np.mean(guess != other.y))}


def _figure_fold(model: Any, asked: tuple[int, ...], seed: int, run: int) -> dict[str, float]:
    """Return the accuracies; each repetition draws its own points."""
    number = seed_of(seed, run)
    repeat = number // FIGURE_FOLDS
    X, y = make_gaussian_mixture(N_POINTS, random_state=repeat)
    folds = StratifiedKFold(FIGURE_FOLDS, shuffle=True, random_state=repeat)
    train, test = list(folds.split(X, y))[run % FIGURE_FOLDS]
    model.set_params(random_state=number).fit(X[train], y[train])
    stages = [float(np.mean(guess == y[test])) for guess in model.staged_predict(X[test])]
    # Boosting may end early: then the larger forests are the last one.
    return {f"accuracy_{n}": 100.0 * stages[min(n, len(stages)) - 1] for n in asked}
