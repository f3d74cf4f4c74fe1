"""One row, and a million rows, through one tree and through forests."""

import timeit

import numpy as np

from benchmarks._data import numeric
from benchmarks._measure import seconds, show
from benchmarks.peers import sklearn_fit, spinney_fit
from spinney import RandomForestClassifier

NOMINAL = [15, 16, 17, 18, 19]


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
    forests(n_rows)


def forests(n_rows, n_fit=100_000):
    """Compare forests of large trees, one thread each: nanoseconds a row and tree."""
    from sklearn.ensemble import RandomForestClassifier as TheirForest

    X, y = numeric(n_fit)
    many, _ = numeric(n_rows, seed=2)
    theirs = TheirForest(100, random_state=0, n_jobs=1).fit(X, y)
    ours = _forest(100, X, y)
    rows = []
    for name in ("predict", "predict_proba"):
        ask_ours, ask_theirs = getattr(ours, name), getattr(theirs, name)
        a, _ = seconds(lambda: ask_ours(many))  # noqa: B023
        b, _ = seconds(lambda: ask_theirs(many))  # noqa: B023
        per_way = 1e9 / (100 * n_rows)
        rows.append([name, f"{a * per_way:.1f}", f"{b * per_way:.1f}", f"{b / a:.1f}"])
    show(
        f"{n_rows:,} rows through 100 trees (ns a row and tree)",
        ["", "spinney", "sk", "ratio"],
        rows,
    )
    _forests_alone(X, y, many)


def _forests_alone(X, y, many):
    """Time more trees, and nominal columns with gaps, which the peer does not take."""
    mixed, mixed_many = _mixed(X, 0), _mixed(many, 2)
    cases = {
        **{f"{n} trees": (_forest(n, X, y), many) for n in (20, 70, 110)},
        "100 trees, 5 of 20 nominal, 2 % gaps": (
            _forest(100, mixed, y, categorical_features=NOMINAL),
            mixed_many,
        ),
    }
    rows = []
    for name, (forest, table) in cases.items():
        took, _ = seconds(lambda: forest.predict(table))  # noqa: B023
        rows.append([name, f"{took * 1e9 / len(table) / len(forest.forest_):.1f}"])
    show(f"{len(many):,} rows through forests (ns a row and tree)", ["", "spinney"], rows)


def _forest(n_trees, X, y, **options):
    return RandomForestClassifier(
        n_trees, random_state=0, oob_score=False, n_jobs=1, **options
    ).fit(X, y)


def _mixed(X, seed):
    """Turn five columns into categories, one of which tells something, and make gaps."""
    rng = np.random.default_rng([seed, 1])
    X = X.copy()
    for j in NOMINAL:
        X[:, j] = rng.integers(0, 20, len(X))
    X[:, 15] = np.clip(np.floor(X[:, 0] * 3 + 10), 0, 19)
    X[rng.random(X.shape) < 0.02] = np.nan
    return X
