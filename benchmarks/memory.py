"""Peak memory of one fit above its input: python -m benchmarks.memory spinney 1000000."""

import json
import resource
import sys
import time

from benchmarks._data import mixed, numeric
from benchmarks._measure import peak_memory, show
from benchmarks.peers import sklearn_fit, spinney_fit


def _peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run(who, n_rows):
    X, y = mixed(n_rows) if who.startswith("mixed") else numeric(n_rows)
    before, start = _peak_mb(), time.perf_counter()
    if who == "sklearn":
        model = sklearn_fit(X, y)
        leaves = model.get_n_leaves()
    else:
        options = {"max_bins": 255, "max_depth": 12} if who.endswith("bins") else {}
        model = spinney_fit(X, y, **options)
        leaves = model.tree_.n_leaves
    took = time.perf_counter() - start
    print(json.dumps({"extra_mb": _peak_mb() - before, "seconds": took, "leaves": int(leaves)}))


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
    _run(sys.argv[1], int(sys.argv[2]))
