"""Cross-validations of evolved trees and forests: what their tables and pictures are made of.

Repetition r of a data set always has the same folds, whatever the method.
"""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks._gp_data import mixture
from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    GPForestClassifier,
    GPTreeClassifier,
)
from spinney.datasets import load

DATASETS = {
    "pima": "pima_indians_diabetes",
    "heart": "heart_disease",
    "breast_cancer_wisconsin": "breast_cancer_wisconsin",
}
N_POINTS = 1000


def table_errors(dataset, n_repeats, n_folds=10, n_trees=11, n_jobs=1, **parameters):
    """Return the errors of a tree and of a forest in %, each of shape (n_repeats, n_folds)."""
    data = load(DATASETS[dataset])
    X, y = data.X, np.asarray(data.y)
    tree = GPTreeClassifier(n_jobs=n_jobs, **parameters)
    forest = GPForestClassifier(n_trees, n_jobs=n_jobs, **parameters)
    errors = np.empty((2, n_repeats, n_folds))
    for repeat in range(n_repeats):
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=repeat)
        for fold, (train, test) in enumerate(folds.split(X, y)):
            for i, model in enumerate((tree, forest)):
                model.set_params(random_state=n_folds * repeat + fold)
                guess = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
                errors[i, repeat, fold] = 100.0 * np.mean(guess != y[test])
    return errors


def methods(n_trees, n_jobs=1, **parameters):
    """Return the four ways to make a forest, by name."""
    tree = GPTreeClassifier(**parameters)
    options = {"n_jobs": n_jobs}
    return {
        "plain gain": GPForestClassifier(n_trees, diversity=None, **options, **parameters),
        "bagging": BaggingClassifier(tree, n_trees, **options),
        "AdaBoost.M1": AdaBoostClassifier(tree, n_trees, algorithm="M1", **options),
        "diverse roots": GPForestClassifier(n_trees, diversity="roots", **options, **parameters),
    }


def figure_accuracies(sizes, repeats, n_folds=5, **parameters):
    """Return accuracies in %, of shape (n_repeats, n_folds, n_sizes), by the method.

    Each repetition draws its own points, so repetitions are independent of each other.
    """
    found = {name: np.empty((len(repeats), n_folds, len(sizes))) for name in methods(1)}
    for i, repeat in enumerate(repeats):
        X, y = mixture(N_POINTS, repeat)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=repeat)
        for fold, (train, test) in enumerate(folds.split(X, y)):
            for name, model in methods(max(sizes), **parameters).items():
                model.set_params(random_state=n_folds * repeat + fold).fit(X[train], y[train])
                stages = [np.mean(guess == y[test]) for guess in model.staged_predict(X[test])]
                # Boosting may end early: then the larger forests are the last one.
                ends = [min(size, len(stages)) for size in sizes]
                found[name][i, fold] = [100.0 * stages[end - 1] for end in ends]
    return found
