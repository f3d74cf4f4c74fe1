"""The table of speed: each row beside its peers in one run, with accuracy, memory and versions.

    python -m benchmarks table [--quick] [--rows forest cart ...] [--into results.json]

Runs of spinney and of its peers take turns. Seconds are those of the processor on one thread, the
best of the runs; `two threads` compares times on the wall. Results are added to the file, row by
row, so that a long table can be made in parts; `python -m benchmarks page results.json` writes
docs/benchmarks.md of them.
"""

import argparse
import functools
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks._data import mixed, numbers_target, numeric
from benchmarks._measure import peak_memory, show
from benchmarks._weka import j48
from benchmarks.multiway import mixed_with_gaps
from benchmarks.peers import (
    rpart_seconds,
    sklearn_fit,
    ydf_accuracy,
    ydf_fit,
    ydf_forest,
)

# Seconds that the runs of one contender may take, but for the first.
_BUDGET, _QUICK_BUDGET = 3.0, 0.5
_RUNS = 3
_budget = _BUDGET
_threads_too = True  # two threads can only be timed where nobody else is at work


def turns(contenders, clock=time.process_time):
    """Run each in turn; return the seconds of the best run of each, and its last result."""
    budget = _budget
    best = dict.fromkeys(contenders, float("inf"))
    spent, results = dict.fromkeys(contenders, 0.0), {}
    for _ in range(_RUNS):
        for name, work in contenders.items():
            if spent[name] + min(best[name], budget) > budget and name in results:
                continue
            start = clock()
            results[name] = work()
            took = clock() - start
            best[name], spent[name] = min(best[name], took), spent[name] + took
    return best, results


def compare(work, contenders, *, score=None, two=None, unit="s"):
    """Measure one row. The first contender is spinney; two: its work with one and two threads."""
    contenders = {name: one for name, one in contenders.items() if one is not None}
    best, models = turns(contenders)
    ours = best.pop("spinney")
    row = {"work": work, "seconds": ours, "unit": unit}
    row["peers"] = {name: seconds / ours for name, seconds in best.items()}
    if score is not None:
        row["scores"] = {name: score(model) for name, model in models.items()}
    if two is not None and _threads_too:
        wall, _ = turns(two, time.perf_counter)
        row["two_threads"] = wall["one"] / wall["two"]
    return row


def _accuracy(model, table):
    """Share of rows that a model gets right (classes), or R squared (numbers)."""
    X, y = table
    if hasattr(model, "score"):
        return float(model.score(X, y))
    return ydf_accuracy(model, X, y)


def _threads(model, X, y):
    """Fit with one thread and with two."""

    def fit(n_jobs):
        return lambda: model(n_jobs=n_jobs).fit(X, y)

    return {"one": fit(1), "two": fit(2)}


def _if_there(module):
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def _forest_row(n_rows, n_columns, n_trees):
    from sklearn.ensemble import RandomForestClassifier as Peer

    from spinney import RandomForestClassifier

    X, y = numeric(n_rows, n_columns)
    test = numeric(20_000, n_columns, seed=1)

    def ours(**options):
        return RandomForestClassifier(n_trees, random_state=0, oob_score=False, **options)

    return compare(
        f"forest {n_rows:,} x {n_columns}, {n_trees} trees",
        {
            "spinney": lambda: ours().fit(X, y),
            "scikit-learn": lambda: Peer(n_trees, random_state=0).fit(X, y),
            "YDF": (lambda: ydf_forest(X, y, n_trees)) if _if_there("ydf") else None,
        },
        score=lambda model: _accuracy(model, test),
        two=_threads(ours, X, y),
    )


def forest(quick):
    cases = ((2_000, 20, 50),) if quick else ((10_000, 20, 100), (100_000, 20, 20))
    return [_forest_row(*case) for case in cases]


def forest_wide(quick):
    return [_forest_row(500, 200, 20) if quick else _forest_row(2_000, 500, 100)]


def forest_regression(quick):
    from sklearn.ensemble import RandomForestRegressor as Peer

    from spinney import RandomForestRegressor

    n_rows, n_trees = (2_000, 10) if quick else (100_000, 10)
    X, y = numbers_target(n_rows)
    test = numbers_target(20_000, seed=1)
    rows = []
    for name, share in (("a third of", 1 / 3), ("all", 1.0)):
        ours = functools.partial(
            RandomForestRegressor, n_trees, max_features=share, random_state=0, oob_score=False
        )
        peer = Peer(n_trees, max_features=share, random_state=0)
        rows.append(
            compare(
                f"regression forest {n_rows:,} x 20, {n_trees} trees, {name} the columns",
                {
                    "spinney": lambda ours=ours: ours().fit(X, y),
                    "scikit-learn": lambda peer=peer: peer.fit(X, y),
                },
                score=lambda model: _accuracy(model, test),
                two=_threads(ours, X, y),
            )
        )
    return rows


def cart(quick):
    return _cart_rows((5_000,) if quick else (10_000, 100_000))


def cart_large(quick):
    return _cart_rows((20_000,) if quick else (1_000_000,))


def _cart_rows(sizes):
    from spinney import CARTClassifier

    rows = []
    for n_rows in sizes:
        X, y = numeric(n_rows)
        test = numeric(20_000, seed=1)
        ours = functools.partial(CARTClassifier, max_surrogates=0)
        rows.append(
            compare(
                f"CART {n_rows:,} x 20, fully grown",
                {
                    "spinney": lambda X=X, y=y, ours=ours: ours().fit(X, y),
                    "scikit-learn": lambda X=X, y=y: sklearn_fit(X, y),
                    "YDF": (lambda X=X, y=y: ydf_fit(X, y)) if _if_there("ydf") else None,
                },
                score=lambda model, test=test: _accuracy(model, test),
                two=_threads(ours, X, y),
            )
        )
    return rows


def pruning(quick):
    from spinney import CARTClassifier

    n_rows = 1_000 if quick else 20_000
    X, y = numeric(n_rows)
    test = numeric(20_000, seed=1)
    ours = functools.partial(
        CARTClassifier, pruning="cost_complexity", max_surrogates=0, random_state=0
    )
    row = compare(
        f"CART with 10-fold pruning {n_rows:,} x 20",
        {"spinney": lambda: ours().fit(X, y)},
        score=lambda model: _accuracy(model, test),
        two=_threads(ours, X, y),
    )
    theirs = rpart_seconds(X, y, 0)
    if theirs is not None:
        row["peers"]["rpart"] = theirs / row["seconds"]
    return [row]


def mixed_columns(quick):
    """Columns of 1,000 categories, and gaps. YDF takes ten seconds a tree."""
    import pandas as pd

    from spinney import CARTClassifier, RandomForestClassifier

    # Few trees: YDF takes ten seconds for each that it grows of a thousand categories.
    n_rows, n_trees, n_categories = (5_000, 2, 100) if quick else (100_000, 5, 1_000)
    # The same columns tell of the class in both; what a category means is drawn from the seed.
    whole, y_whole = mixed(n_rows + 20_000, n_categories=n_categories)
    table = {name: column[:n_rows] for name, column in whole.items()}
    other = {name: column[n_rows:] for name, column in whole.items()}
    y, y_test = y_whole[:n_rows], y_whole[n_rows:]
    frame, test = pd.DataFrame(table), pd.DataFrame(other)
    ydf = None
    if _if_there("ydf"):
        import ydf

        ydf.verbose(0)
        labelled = table | {"y": y}
        common = {
            "label": "y",
            "max_depth": -1,
            "min_examples": 1,
            "num_threads": 1,
            "max_vocab_count": -1,
            "min_vocab_frequency": 1,
        }

    def score(model):
        if hasattr(model, "score"):
            return float(model.score(test, y_test))
        return float(np.mean((model.predict(other) > 0.5) == y_test))

    tree = functools.partial(CARTClassifier, max_surrogates=0)
    woods = functools.partial(RandomForestClassifier, n_trees, random_state=0, oob_score=False)
    size = f"{n_rows:,} rows, 14 numbers with gaps, 6 columns of {n_categories:,} categories"
    return [
        compare(
            f"CART, {size}",
            {
                "spinney": lambda: tree().fit(frame, y),
                "YDF": ydf
                and (lambda: ydf.CartLearner(validation_ratio=0.0, **common).train(labelled)),
            },
            score=score,
            two=_threads(tree, frame, y),
        ),
        compare(
            f"forest of {n_trees} trees, {size}",
            {
                "spinney": lambda: woods().fit(frame, y),
                "YDF": ydf
                and (
                    lambda: ydf.RandomForestLearner(
                        num_trees=n_trees, compute_oob_performances=False, **common
                    ).train(labelled)
                ),
            },
            score=score,
            two=_threads(woods, frame, y),
        ),
    ]


def adaboost(quick):
    from sklearn.ensemble import AdaBoostClassifier as Peer

    from spinney import AdaBoostClassifier

    n_rows, n_stumps = (2_000, 50) if quick else (100_000, 200)
    X, y = numeric(n_rows)
    test = numeric(20_000, seed=1)
    contenders = {
        "spinney": lambda: AdaBoostClassifier(n_estimators=n_stumps).fit(X, y),
        "scikit-learn": lambda: Peer(n_estimators=n_stumps).fit(X, y),
    }
    if _if_there("lightgbm"):
        from lightgbm import LGBMClassifier

        contenders["LightGBM"] = lambda: LGBMClassifier(
            n_estimators=n_stumps, num_leaves=2, n_jobs=1, verbosity=-1
        ).fit(X, y)
    ours = functools.partial(AdaBoostClassifier, n_estimators=n_stumps)
    return [
        compare(
            f"AdaBoost, {n_stumps} stumps, {n_rows:,} x 20",
            contenders,
            score=lambda model: _accuracy(model, test),
            two=_threads(ours, X, y),
        )
    ]


def igpa(quick):
    from spinney import BaggingClassifier, CARTClassifier, IGPAForestClassifier
    from spinney._reproduce.igpa_runs import partition

    n_trees = 11 if quick else 101
    X, y, X_test, y_test = partition("waveform", 0)
    tree = CARTClassifier(pruning="cost_complexity", cv=10, rule="min", max_surrogates=0)
    ours = functools.partial(IGPAForestClassifier, n_trees, random_state=0)
    bagged = BaggingClassifier(tree, n_trees, random_state=0)
    return [
        compare(
            f"IGPA forest, {n_trees} trees on {len(y)} rows of waveform",
            {
                "spinney": lambda: ours().fit(X, y),
                "spinney's bagged pruned CART": lambda: bagged.fit(X, y),
            },
            score=lambda model: _accuracy(model, (X_test, y_test)),
            two=_threads(ours, X, y),
        )
    ]


@functools.cache
def _large_forests(n_rows, n_trees):
    from sklearn.ensemble import RandomForestClassifier as Peer

    from spinney import RandomForestClassifier

    X, y = numeric(n_rows)
    ours = RandomForestClassifier(n_trees, random_state=0, oob_score=False, n_jobs=2).fit(X, y)
    peer = Peer(n_trees, random_state=0, n_jobs=2).fit(X, y)
    peer.n_jobs = 1
    ours.n_jobs = 1
    return ours, peer


def prediction(quick):
    n_fit, n_trees, n_rows = (2_000, 20, 20_000) if quick else (100_000, 100, 1_000_000)
    ours, peer = _large_forests(n_fit, n_trees)
    X, y = numeric(n_rows, seed=2)

    def with_threads(n_jobs):
        ours.set_params(n_jobs=n_jobs)
        return ours.predict(X)

    size = f"{n_rows:,} rows through {n_trees} trees grown on {n_fit:,}"
    rows = [
        compare(
            size,
            {"spinney": lambda: ours.predict(X), "scikit-learn": lambda: peer.predict(X)},
            score=lambda guess: float(np.mean(guess == y)),
            two={"one": lambda: with_threads(1), "two": lambda: with_threads(2)},
        )
    ]
    ours.set_params(n_jobs=1)
    return rows


def prediction_mixed(quick):
    """20 categories in a fifth of the columns, and gaps."""
    from spinney import RandomForestClassifier

    n_fit, n_trees, n_rows = (2_000, 20, 20_000) if quick else (100_000, 100, 1_000_000)
    whole, y = mixed(n_fit + n_rows, n_numeric=16, n_nominal=4, gaps=0.02)
    codes = {
        name: column if column.dtype.kind == "f" else np.unique(column, return_inverse=True)[1]
        for name, column in whole.items()
    }
    X = np.column_stack(list(codes.values())).astype(np.float64)
    nominal = [j for j, name in enumerate(codes) if name.startswith("nominal")]
    model = RandomForestClassifier(
        n_trees, random_state=0, oob_score=False, n_jobs=2, categorical_features=nominal
    ).fit(X[:n_fit], y[:n_fit])
    model.set_params(n_jobs=1)
    many, truth = X[n_fit:], y[n_fit:]
    contenders = {"spinney": lambda: model.predict(many)}
    fit_rows = {name: column[:n_fit] for name, column in whole.items()}
    peer = ydf_forest(fit_rows, y[:n_fit], n_trees, num_threads=2)
    if peer is not None:
        table = {name: column[n_fit:] for name, column in whole.items()}
        contenders["YDF"] = lambda: peer.predict(table, num_threads=1) > 0.5

    def with_threads(n_jobs):
        model.set_params(n_jobs=n_jobs)
        return model.predict(many)

    return [
        compare(
            f"{n_rows:,} rows with categories and gaps through {n_trees} trees",
            contenders,
            score=lambda guess: float(np.mean(guess == truth)),
            two={"one": lambda: with_threads(1), "two": lambda: with_threads(2)},
        )
    ]


def evolved(quick):
    from benchmarks._gp_peers import our_rate

    X, y = numeric(768, 8)
    rates = [our_rate(X, y, 100 if quick else 500)[0] for _ in range(2 if quick else 5)]
    return [
        {
            "work": "tests evolved, 768 x 8 continuous, whole search",
            "seconds": max(rates) / 1e6,
            "unit": "million a second",
            "peers": {},
        }
    ]


def alternating(quick):
    """Time the deepest tree that rows can have."""
    from spinney import CARTClassifier, CARTRegressor

    n_rows = 20_000 if quick else 1_000_000
    X, y = np.arange(float(n_rows))[:, None], np.arange(n_rows) % 2
    return [
        compare(
            f"one column of alternating labels, {n_rows:,} rows, {name}",
            {"spinney": lambda model=model: model.fit(X, y)},
        )
        for name, model in (
            ("Gini", CARTClassifier(max_surrogates=0)),
            ("entropy", CARTClassifier(max_surrogates=0, criterion="entropy")),
            ("squared error", CARTRegressor(max_surrogates=0)),
        )
    ]


def c45(quick):
    import pandas as pd

    from spinney import C45Classifier

    n_rows = 2_000 if quick else 100_000
    table, y = mixed_with_gaps(n_rows)
    frame = pd.DataFrame(table)
    row = compare(
        f"C4.5 with rules, {n_rows:,} x 20",
        {"spinney": lambda: C45Classifier().fit(frame, y)},
        score=lambda model: float(model.score(frame, y)),
        two=_threads(C45Classifier, frame, y),
    )
    theirs = j48(table, y)
    if theirs is not None:
        row["peers"]["J48"] = theirs["seconds"] / row["seconds"]
        row["scores"]["J48"] = theirs["accuracy"]
    return [row]


def files(quick):
    import joblib

    import spinney

    n_rows, n_trees = (2_000, 20) if quick else (100_000, 100)
    ours, peer = _large_forests(n_rows, n_trees)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")

        def round_trip(model, save, load):
            def work():
                save(model, path)
                load(path)
                return os.path.getsize(path) / 1e6

            return work

        return [
            compare(
                f"save and load {n_trees} trees grown on {n_rows:,} rows",
                {
                    "spinney": round_trip(ours, spinney.save, spinney.load),
                    "scikit-learn by joblib": round_trip(peer, joblib.dump, joblib.load),
                },
                score=lambda megabytes: megabytes,
            )
        ]


def memory(quick):
    n_rows = 20_000 if quick else 1_000_000
    ours, theirs = (peak_memory("benchmarks.memory", who, n_rows) for who in ("spinney", "sklearn"))
    return [
        {
            "work": f"memory above the input, CART {n_rows:,} x 20",
            "seconds": ours["extra_mb"],
            "unit": "MB",
            "peers": {"scikit-learn": theirs["extra_mb"] / ours["extra_mb"]},
        }
    ]


ROWS = {
    one.__name__: one
    for one in (
        forest,
        forest_wide,
        forest_regression,
        cart,
        cart_large,
        pruning,
        mixed_columns,
        adaboost,
        igpa,
        prediction,
        prediction_mixed,
        evolved,
        alternating,
        c45,
        files,
        memory,
    )
}


def machine():
    """Name the machine and the versions of all who took part."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":", 1)[1].strip() for line in lines if "model name" in line), cpu)
    versions = {"Python": platform.python_version()}
    for name in ("spinney", "numpy", "scikit-learn", "ydf", "lightgbm"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    asked = {
        "rpart": ["Rscript", "-e", "cat(as.character(packageVersion('rpart')))"],
        "Weka": ["dpkg-query", "-W", "-f", "${Version}", "weka"],
    }
    for name, command in asked.items():
        if shutil.which(command[0]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                versions[name] = done.stdout.strip()
    return {"cpu": cpu, "cores": os.cpu_count(), "versions": versions}


def _cells(row):
    peers = ", ".join(f"{name} {ratio:.3g}" for name, ratio in row["peers"].items())
    scores = ", ".join(f"{score:.4g}" for score in row.get("scores", {}).values())
    two = f"{row['two_threads']:.2f}" if "two_threads" in row else ""
    return [row["work"], f"{row['seconds']:.3g} {row['unit']}", peers, two, scores]


def table(quick=False, names=None, into=None):
    found = {}
    if into and Path(into).exists():
        found = json.loads(Path(into).read_text())["rows"]
    for name in names or ROWS:
        start = time.perf_counter()
        rows = ROWS[name](quick)
        took = time.perf_counter() - start
        found[name] = {"took": took, "quick": quick, "results": rows}
        print(f"{name}: {took:.0f} s", *(" | ".join(_cells(row)) for row in rows), sep="\n  ")
        sys.stdout.flush()
        if into:
            Path(into).write_text(json.dumps({"machine": machine(), "rows": found}, indent=1))
    show(
        "One thread, and how many times as long the others take",
        ["", "spinney", "others x", "two threads x", "score: spinney, others"],
        [_cells(row) for name in names or ROWS for row in found[name]["results"]],
    )
    print(json.dumps(machine()))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks table", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("--rows", nargs="*", choices=list(ROWS), help="some of the rows")
    parser.add_argument("--into", help="a file for the results, which is added to")
    parser.add_argument("--one-thread", action="store_true", help="leave two threads out")
    given = parser.parse_args(arguments)
    global _threads_too, _budget
    _threads_too = not given.one_thread
    _budget = _QUICK_BUDGET if given.quick else _BUDGET
    table(given.quick, given.rows, given.into)
