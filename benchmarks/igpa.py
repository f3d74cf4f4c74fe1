"""How fast forests of IGPA trees are made, and what other settings of them do.

`spinney reproduce igpa` runs the published experiments. Here: `python -m benchmarks.igpa` for the
times, `python -m benchmarks.igpa labels=renewed n_parts=3` for the errors with other parameters.
"""

import argparse
import ast
import time

import numpy as np

from benchmarks._measure import seconds, show
from spinney import BaggingClassifier, CARTClassifier, IGPAForestClassifier
from spinney._reproduce.igpa_runs import DATASETS, partition


def fitting_times(n_trees=101, repeat=9):
    """Print how long ensembles take on 300 rows of waveform, one thread, the best of some turns."""
    X, y, _, _ = partition("waveform", 0)
    tree = CARTClassifier(pruning="cost_complexity", cv=10, rule="min", max_surrogates=0)
    models = [
        IGPAForestClassifier(n_trees, random_state=0),
        BaggingClassifier(tree, n_trees, random_state=0),
    ]
    ours, bagging = (seconds(lambda: model.fit(X, y), repeat)[0] for model in models)  # noqa: B023
    show(
        f"IGPA: {n_trees} trees on {len(y)} rows of waveform, seconds",
        ["", "IGPA", "bagged CART", "ratio"],
        [["", f"{ours:.4f}", f"{bagging:.4f}", f"{bagging / ours:.1f}"]],
    )


def errors(n_runs, n_trees, parameters):
    """Print errors, leaves and iterations of forests with other parameters."""
    rows, start = [], time.perf_counter()
    for name in DATASETS:
        found = [_run(name, run, n_trees, parameters) for run in range(n_runs)]
        first, last, leaves, iterations, most = zip(*found, strict=True)
        means = [f"{np.mean(one):.2f}" for one in (first, last, leaves, iterations)]
        rows.append([name, *means, max(most)])
    show(
        f"IGPA with {parameters}: {n_runs} runs, {time.perf_counter() - start:.0f} s",
        ["", "1 tree, %", f"{n_trees} trees, %", "leaves", "iterations", "most"],
        rows,
    )


def _run(dataset, run, n_trees, parameters):
    X, y, X_test, y_test = partition(dataset, run)
    model = IGPAForestClassifier(n_trees, random_state=run, n_jobs=2, **parameters).fit(X, y)
    stages = [100.0 * np.mean(guess != y_test) for guess in model.staged_predict(X_test)]
    leaves = np.mean((model.forest_.n_nodes + 1) // 2)  # every test has two branches
    return stages[0], stages[-1], leaves, model.n_iterations_.mean(), model.n_iterations_.max()


def igpa():
    fitting_times()


def quick_igpa():
    fitting_times(11, 3)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.igpa")
    parser.add_argument("--quick", action="store_true", help="3 runs of 11 trees")
    parser.add_argument("settings", nargs="*", help="parameters of IGPA: labels=renewed n_parts=3")
    given = parser.parse_args()
    if not given.settings:
        (quick_igpa if given.quick else igpa)()
        return
    settings = dict(one.split("=", 1) for one in given.settings)
    parameters = {name: _value(word) for name, word in settings.items()}
    errors(*((3, 11) if given.quick else (50, 101)), parameters)


def _value(word):
    try:
        return ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return word


if __name__ == "__main__":
    main()
