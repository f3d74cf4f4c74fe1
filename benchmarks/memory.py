"""Peak memory of one fit above its input: python -m benchmarks.memory spinney 1000000."""

import json
import sys
import time

from benchmarks._data import mixed, numeric
from benchmarks._measure import peak_mb, peak_memory, show
from benchmarks.peers import sklearn_fit, spinney_fit


def _run(who, n_rows):
    X, y = mixed(n_rows) if who.startswith("mixed") else numeric(n_rows)
    before, start = peak_mb(), time.perf_counter()
    if who == "sklearn":
        model = sklearn_fit(X, y)
        leaves = model.get_n_leaves()
    else:
        options = {"max_bins": 255, "max_depth": 12} if who.endswith("bins") else {}
        model = spinney_fit(X, y, **options)
        leaves = model.tree_.n_leaves
    took = time.perf_counter() - start
    print(json.dumps({"extra_mb": peak_mb() - before, "seconds": took, "leaves": int(leaves)}))


def _run_forest(who, n_rows, n_trees):
    if who == "sklearn":
        from sklearn.ensemble import RandomForestClassifier
    else:
        from spinney import RandomForestClassifier
    X, y = numeric(n_rows)
    options = {} if who == "sklearn" else {"oob_score": who == "oob"}
    RandomForestClassifier(1, **options).fit(X[:100], y[:100])  # what is loaded once
    before = peak_mb()
    RandomForestClassifier(n_trees, random_state=0, **options).fit(X, y)
    print(json.dumps({"extra_mb": peak_mb() - before}))


def forest_memory(cases=((10_000, 100), (100_000, 20))):
    rows = []
    for n_rows, n_trees in cases:
        got = [
            peak_memory("benchmarks.memory", who, n_rows, n_trees)["extra_mb"]
            for who in ("spinney", "oob", "sklearn")
        ]
        rows.append([f"{n_rows:,} x {n_trees}", *(f"{mb:.0f}" for mb in got)])
    show(
        "Peak memory of random forests above the input, rows x trees, MB",
        ["", "spinney", "with out-of-bag", "scikit-learn"],
        rows,
    )


def memory(n_rows=1_000_000):
    ours, theirs = (peak_memory("benchmarks.memory", who, n_rows) for who in ("spinney", "sklearn"))
    ratio = ours["extra_mb"] / theirs["extra_mb"]
    show(
        f"Peak memory above the input, {n_rows:,} x 20",
        ["", "MB"],
        [
            ["spinney", f"{ours['extra_mb']:.0f}"],
            ["scikit-learn", f"{theirs['extra_mb']:.0f}"],
            ["ratio", f"{ratio:.2f}"],
        ],
    )


def large(n_rows=5_000_000):
    rows = []
    for who, title in (("mixed", "exact"), ("mixed-bins", "max_bins=255, max_depth=12")):
        got = peak_memory("benchmarks.memory", who, n_rows)
        rows.append(
            [title, f"{got['seconds']:.0f}", f"{got['extra_mb'] / 1024:.1f}", got["leaves"]]
        )
    show(
        f"{n_rows:,} rows of 14 numbers and 6 categories with gaps",
        ["", "seconds", "GB above the input", "leaves"],
        rows,
    )


if __name__ == "__main__":
    if len(sys.argv) > 3:
        _run_forest(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        _run(sys.argv[1], int(sys.argv[2]))
