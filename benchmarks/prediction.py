"""One row, and a million rows, through one tree."""

import timeit

from benchmarks._data import numeric
from benchmarks._measure import seconds, show
from benchmarks.peers import sklearn_fit, spinney_fit


def prediction(n_rows=1_000_000):
    X, y = numeric(100_000)
    ours, theirs = spinney_fit(X, y), sklearn_fit(X, y)
    many, _ = numeric(n_rows, seed=2)
    rows = []
    for name in ("predict", "predict_proba"):
        a, b = getattr(ours, name), getattr(theirs, name)
        one_a = min(timeit.repeat(lambda: a(X[:1]), number=200, repeat=5)) / 200  # noqa: B023
        one_b = min(timeit.repeat(lambda: b(X[:1]), number=200, repeat=5)) / 200  # noqa: B023
        all_a, _ = seconds(lambda: a(many))  # noqa: B023
        all_b, _ = seconds(lambda: b(many))  # noqa: B023
        rows.append(
            [
                name,
                f"{one_a * 1e6:.1f}",
                f"{one_b * 1e6:.1f}",
                f"{all_a:.3f}",
                f"{all_b:.3f}",
                f"{all_b / all_a:.1f}",
            ]
        )
    show(
        f"One row (microseconds) and {n_rows:,} rows (seconds)",
        ["", "one row", "sk", "all rows", "sk", "ratio"],
        rows,
    )
