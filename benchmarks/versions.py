"""The same work by two versions of spinney, in turns: what became faster or slower.

    python -m benchmarks.versions --other path/to/another/environment/bin/python [case ...]

Each version runs in a process of its own and keeps its tables. The two take turns run by run, so
that what else the machine does meets both; the clock is the processor time of the best run, on one
thread. Short work is run more often. What moved by more than 5 % is marked.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np

from benchmarks._data import mixed, numbers_target, numeric, one_column
from benchmarks._measure import show

_SECONDS = 2.0  # of runs of each version, about, and at least three of them
_MOVED = 0.05  # a share of the time


def _frame(n_rows, **options):
    import pandas as pd

    table, y = mixed(n_rows, **options)
    return pd.DataFrame(table), y


def _three_classes(n_rows):
    X, _ = numeric(n_rows)
    signal = X[:, 0] + np.random.default_rng(3).normal(size=n_rows)
    return X, np.digitize(signal, [-0.6, 0.6])


def _fit(model, table, **options):
    X, y = table
    return lambda: model.fit(X, y, **options)


def _cart(table, **options):
    from spinney import CARTClassifier

    return _fit(CARTClassifier(**{"max_surrogates": 0} | options), table)


def _cart_regression(table, **options):
    from spinney import CARTRegressor

    return _fit(CARTRegressor(**{"max_surrogates": 0} | options), table)


def _cart_weighted(table):
    from spinney import CARTClassifier

    weight = np.random.default_rng(4).random(len(table[1]))
    return _fit(CARTClassifier(max_surrogates=0), table, sample_weight=weight)


def _forest(table, n_trees, **options):
    from spinney import RandomForestClassifier

    return _fit(RandomForestClassifier(n_trees, random_state=0, **options), table)


def _forest_regression(table, n_trees, **options):
    from spinney import RandomForestRegressor

    return _fit(RandomForestRegressor(n_trees, random_state=0, **options), table)


def _other(name, table, **options):
    import spinney

    return _fit(getattr(spinney, name)(**options), table)


def _predicts(fit, rows, method="predict"):
    model = fit()
    return lambda: getattr(model, method)(rows)


def _save_and_load(fit):
    import tempfile
    from pathlib import Path

    import spinney

    model = fit()
    folder = tempfile.TemporaryDirectory()

    def work():
        path = Path(folder.name) / "model.spinney"
        spinney.save(model, path)
        spinney.load(path)

    return work


def _with_gaps(n_rows, seed=0):
    return _frame(n_rows, n_numeric=15, n_nominal=5, gaps=0.02, seed=seed)


CASES = {
    "cart 768 x 8, surrogates": lambda: _cart(numeric(768, 8), max_surrogates=5),
    "cart 10,000": lambda: _cart(numeric(10_000)),
    "cart 100,000": lambda: _cart(numeric(100_000)),
    "cart 1,000,000": lambda: _cart(numeric(1_000_000)),
    "cart 100,000, surrogates": lambda: _cart(numeric(100_000), max_surrogates=5),
    "cart 100,000, entropy": lambda: _cart(numeric(100_000), criterion="entropy"),
    "cart 100,000, three classes": lambda: _cart(_three_classes(100_000)),
    "cart 100,000, weights": lambda: _cart_weighted(numeric(100_000)),
    "cart 50,000, mixed with gaps": lambda: _cart(_frame(50_000), max_surrogates=5),
    "cart 100,000, 1,000 categories": lambda: _cart(
        one_column(100_000, 1_000), categorical_features=[0]
    ),
    "cart 20,000, pruned by 10 folds": lambda: _cart(numeric(20_000), pruning="cost_complexity"),
    "regression 100,000": lambda: _cart_regression(numbers_target(100_000)),
    "regression 3,000, absolute error": lambda: _cart_regression(
        numbers_target(3_000), criterion="absolute_error"
    ),
    "bins 1,000,000, depth 8": lambda: _cart(numeric(1_000_000), max_bins=255, max_depth=8),
    "bins 100,000, whole": lambda: _cart(numeric(100_000), max_bins=255),
    "bins 10,000, whole": lambda: _cart(numeric(10_000), max_bins=255),
    "bins 1,000,000, depth 8, regression": lambda: _cart_regression(
        numbers_target(1_000_000), max_bins=255, max_depth=8
    ),
    "forest 10,000 x 100 trees": lambda: _forest(numeric(10_000), 100),
    "forest 100,000 x 20 trees": lambda: _forest(numeric(100_000), 20),
    "forest 20,000 x 20 trees, mixed": lambda: _forest(_with_gaps(20_000), 20),
    "regression forest 20,000 x 20 trees": lambda: _forest_regression(
        numbers_target(20_000), 20, max_features=1 / 3
    ),
    "bagging 768 x 8": lambda: _other(
        "BaggingClassifier", numeric(768, 8), n_estimators=200, random_state=0
    ),
    "adaboost 200 stumps, 100,000": lambda: _other(
        "AdaBoostClassifier", numeric(100_000), n_estimators=200, random_state=0
    ),
    "igpa 5,000": lambda: _other("IGPAClassifier", numeric(5_000), random_state=0),
    "c45 20,000": lambda: _other("C45Classifier", numeric(20_000)),
    "evolved tree 768 x 8": lambda: _other(
        "GPTreeClassifier", numeric(768, 8), generations=20, random_state=0
    ),
    "tree, 1,000,000 rows": lambda: _predicts(
        _cart(numeric(100_000)), numeric(1_000_000, seed=2)[0]
    ),
    "tree, 1 row": lambda: _repeated(_predicts(_cart(numeric(10_000)), numeric(1, seed=2)[0])),
    "forest of 100, 1 row": lambda: _repeated(
        _predicts(_forest(numeric(10_000), 100), numeric(1, seed=2)[0])
    ),
    "forest of 100, 1,000,000 rows": lambda: _predicts(
        _forest(numeric(100_000), 100), numeric(1_000_000, seed=2)[0]
    ),
    "forest of 100, 1,000,000 rows, mixed": lambda: _predicts(
        _forest(_with_gaps(100_000), 100), _with_gaps(1_000_000, seed=2)[0]
    ),
    "save and load a forest": lambda: _save_and_load(_forest(numeric(50_000), 50)),
}


def _repeated(work, times=300):
    def many():
        for _ in range(times):
            work()

    return many


def serve():
    """Do as the lines say that are read: make a case, or run the last one; answer with a number."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the work prints is no answer
    work = None
    for line in sys.stdin:
        order, _, name = line.strip().partition(" ")
        if order == "make":
            work = CASES[name]()
            spent = 0.0
        else:
            start = time.process_time()
            work()
            spent = time.process_time() - start
        print(spent, file=out, flush=True)


class Version:
    """A process that runs the cases with one version."""

    def __init__(self, python, environment):
        self.process = subprocess.Popen(
            [python, "-m", "benchmarks.versions", "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, line):
        """Let it do something, and return the seconds that it took."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        """Let the process end."""
        self.process.stdin.close()
        self.process.wait()


def compare(other, names):
    inherited = dict(os.environ)
    alone = {key: value for key, value in inherited.items() if key != "PYTHONPATH"}
    rows = []
    for name in names:
        versions = [Version(other, alone), Version(sys.executable, inherited)]
        for version in versions:
            version.ask(f"make {name}")
        best = [version.ask("run") for version in versions]
        for _ in range(max(2, min(60, int(_SECONDS / max(best))))):
            for i, version in enumerate(versions):
                best[i] = min(best[i], version.ask("run"))
        for version in versions:
            version.end()
        times = best[0] / best[1]
        moved = "" if abs(best[1] / best[0] - 1) <= _MOVED else "faster" if times > 1 else "SLOWER"
        rows.append([name, *(f"{spent:.4f}" for spent in best), f"{times:.2f}", moved])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    show(
        "Processor seconds on one thread, and how many times as fast this version is",
        ["", "other", "this", "x", ""],
        rows,
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("cases", nargs="*", help="parts of names; all cases if there are none")
    parser.add_argument("--other", help="the Python that has the other version")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    if given.other is None:
        parser.error("--other is needed: the Python of an environment with another version")
    names = [n for n in CASES if not given.cases or any(part in n for part in given.cases)]
    compare(given.other, names)


if __name__ == "__main__":
    main()
