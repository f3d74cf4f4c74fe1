"""Errors and probabilities of shrunken forests on 16 bundled data sets, five folds each.

Run it as `python -m benchmarks.shrinkage [--repeats N]`. It prints the table of
`docs/guide/shrinkage.md`: mean error, Brier score and log loss of each method over the data sets,
and how many data sets each of them is better on than the plain forest.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from spinney import CARTClassifier, RandomForestClassifier
from spinney._reproduce.small_runs import SETS
from spinney.datasets import load

_FOREST = RandomForestClassifier(200, oob_score=False, n_jobs=-1)
METHODS = {
    "500 trees, votes": clone(_FOREST).set_params(n_estimators=500),
    "500 trees, averages": clone(_FOREST).set_params(n_estimators=500, combine="average"),
    "200 trees, votes": _FOREST,
    "200 trees, averages": clone(_FOREST).set_params(combine="average"),
    "200 trees, votes, auto": clone(_FOREST).set_params(shrinkage="auto"),
    "200 trees, averages, auto": clone(_FOREST).set_params(combine="average", shrinkage="auto"),
    "one tree": CARTClassifier(),
    "one tree, auto": CARTClassifier(shrinkage="auto"),
    "one tree, pruned": CARTClassifier(pruning="cost_complexity"),
    "one tree, pruned, auto": CARTClassifier(pruning="cost_complexity", shrinkage="auto"),
}
_LEAST = 1e-3  # a probability of 0 counts as this in the log loss


def scores(model: Any, X: Any, y: Any) -> tuple[float, float, float]:
    """Return error rate, Brier score and log loss."""
    shares = model.predict_proba(X)
    codes = np.searchsorted(model.classes_, y)
    truth = np.eye(len(model.classes_))[codes]
    clipped = np.clip(shares, _LEAST, None)
    own = clipped[np.arange(len(y)), codes] / clipped.sum(axis=1)
    error = float(np.mean(model.predict(X) != y))
    return error, float(((shares - truth) ** 2).sum(axis=1).mean()), float(-np.log(own).mean())


def folds_of(name: str, repeat: int, rows: Any = None) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield training and test rows of five folds, of bundled data or of rows that are given."""
    X, y = (load(name).X, np.asarray(load(name).y)) if rows is None else rows
    for train, test in StratifiedKFold(5, shuffle=True, random_state=repeat).split(y, y):
        yield X.iloc[train], y[train], X.iloc[test], y[test]


def measure(name: str, repeats: int) -> dict[str, Any]:
    """Return the mean scores of every method on a data set."""
    found: dict[str, list[Any]] = {method: [] for method in METHODS}
    for repeat in range(repeats):
        for X, y, X_test, y_test in folds_of(name, repeat):
            for method, model in METHODS.items():
                fitted = clone(model).set_params(random_state=repeat).fit(X, y)
                strength = getattr(fitted, "shrinkage_", 0.0)
                found[method].append((*scores(fitted, X_test, y_test), strength))
    return {method: np.mean(rows, axis=0) for method, rows in found.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--sets", nargs="*", default=SETS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    results = []
    for name in given.sets:
        results.append(measure(name, given.repeats))
        shown = "  ".join(f"{100 * one[0]:5.2f}" for one in results[-1].values())
        print(f"{name:24} {shown}", flush=True)
    print(f"{'':26}{'error %':>8}{'Brier':>8}{'log loss':>10}{'strength':>10}{'better on':>14}")
    for method in METHODS:
        table = np.array([one[method] for one in results])
        first = np.array([one["500 trees, averages"] for one in results])
        better = "/".join(str(int(n)) for n in (table < first - 1e-12).sum(axis=0)[:3])
        error, brier, loss, strength = table.mean(axis=0)
        print(f"{method:26}{100 * error:8.2f}{brier:8.4f}{loss:10.4f}{strength:10.1f}{better:>14}")


if __name__ == "__main__":
    main()
