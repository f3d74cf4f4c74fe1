"""Fully grown trees on 20 numeric features, single thread, without surrogates and with them."""

import numpy as np

from benchmarks._data import numbers_target, numeric, one_column
from benchmarks._measure import seconds, show
from benchmarks.peers import (
    sklearn_fit,
    spinney_fit,
    spinney_regression,
    ydf_accuracy,
    ydf_fit,
)


def growth(sizes):
    rows = []
    for n_rows in sizes:
        X, y = numeric(n_rows)
        X_test, y_test = numeric(20_000, seed=1)
        repeat = 5 if n_rows <= 10_000 else 2 if n_rows <= 100_000 else 1
        ours, model = seconds(lambda: spinney_fit(X, y), repeat)  # noqa: B023
        stand_ins, _ = seconds(lambda: spinney_fit(X, y, max_surrogates=5), repeat)  # noqa: B023
        theirs, peer = seconds(lambda: sklearn_fit(X, y), repeat)  # noqa: B023
        ydf, ydf_model = seconds(lambda: ydf_fit(X, y), min(repeat, 2))  # noqa: B023
        there = ydf_model is not None
        rows.append(
            [
                f"{n_rows:,}",
                f"{ours:.3f}",
                f"{stand_ins / ours:.2f}",
                f"{theirs / ours:.1f}",
                f"{ydf / ours:.1f}" if there else "-",
                f"{model.score(X_test, y_test):.3f}",
                f"{peer.score(X_test, y_test):.3f}",
                f"{ydf_accuracy(ydf_model, X_test, y_test):.3f}" if there else "-",
            ]
        )
    show(
        "Fully grown, 20 numeric features: seconds, and how many times as long the others take",
        ["rows", "spinney s", "surrogates x", "scikit-learn x", "YDF x", "acc", "sk", "YDF"],
        rows,
    )


def constraints(n_rows=100_000):
    """Fully grown under monotone constraints; deeper trees visit more rows, so these count too."""
    rows = []
    for name, (X, y), fit in [
        ("two classes", numeric(n_rows), spinney_fit),
        ("numbers", numbers_target(n_rows), spinney_regression),
    ]:
        free, model = seconds(lambda: fit(X, y), 3)  # noqa: B023
        for n_signs in (1, 5, 20):
            signs = [1] * n_signs + [0] * (20 - n_signs)
            bound, other = seconds(lambda: fit(X, y, monotonic_cst=signs), 3)  # noqa: B023
            more = _visited(other.tree_) / _visited(model.tree_)
            ratios = [bound / free, more, bound / free / more]
            rows.append([name, str(n_signs), *(f"{ratio:.2f}" for ratio in ratios)])
    show(
        f"Monotone constraints, {n_rows:,} x 20: against none",
        ["", "columns", "seconds x", "rows visited x", "seconds a row x"],
        rows,
    )


def gaps(n_rows=100_000):
    """Fully grown with 10 % of the cells missing, by rules for missing values."""
    rows = []
    for name, (X, y), fit in [
        ("two classes", numeric(n_rows), spinney_fit),
        ("numbers", numbers_target(n_rows), spinney_regression),
    ]:
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
        majority, model = seconds(lambda: fit(X, y, missing="majority"), 3)  # noqa: B023
        for rule in ("learned", "category"):
            taken, other = seconds(lambda: fit(X, y, missing=rule), 3)  # noqa: B023
            more = _visited(other.tree_) / _visited(model.tree_)
            rows.append([name, rule, f"{taken / majority:.2f}", f"{more:.2f}"])
    show(
        f"10 % gaps, {n_rows:,} x 20: against sending them to the larger child",
        ["", "missing", "seconds x", "rows visited x"],
        rows,
    )


def _visited(tree):
    return tree.n_samples[tree.first_child >= 0].sum()


def bins(n_rows=1_000_000):
    """Histograms to depth 8, classes and numbers, with one thread and with two."""
    rows = []
    for name, (X, y), fit in [
        ("two classes", numeric(n_rows), spinney_fit),
        ("numbers", numbers_target(n_rows), spinney_regression),
    ]:
        exact, _ = seconds(lambda: fit(X, y, max_depth=8), 1)  # noqa: B023
        one, _ = seconds(lambda: fit(X, y, max_depth=8, max_bins=255), 3)  # noqa: B023
        two, _ = seconds(lambda: fit(X, y, max_depth=8, max_bins=255, n_jobs=2), 3)  # noqa: B023
        rows.append([name, f"{one:.3f}", f"{exact / one:.1f}", f"{one / two:.2f}"])
    show(
        f"max_bins=255 to depth 8, {n_rows:,} x 20",
        ["", "seconds", "exact x", "two threads x"],
        rows,
    )


def small():
    X, y = numeric(768, 8)
    ours, _ = seconds(lambda: spinney_fit(X, y, max_surrogates=5), 50)
    theirs, _ = seconds(lambda: sklearn_fit(X, y), 50)
    show(
        "One tree on 768 x 8, with surrogates",
        ["", "ms"],
        [["spinney", f"{ours * 1e3:.2f}"], ["scikit-learn", f"{theirs * 1e3:.2f}"]],
    )


def categories(n_rows=100_000):
    X, y = one_column(n_rows)
    number, _ = seconds(lambda: spinney_fit(X, y), 3)
    rows = [["numeric", f"{number:.3f}", "1.0"]]
    for n_categories in (10, 100, 1_000, 10_000):
        X, y = one_column(n_rows, n_categories)
        nominal, _ = seconds(lambda: spinney_fit(X, y, categorical_features=[0]), 3)  # noqa: B023
        rows.append([f"{n_categories:,} categories", f"{nominal:.3f}", f"{nominal / number:.2f}"])
    show(f"One column, {n_rows:,} rows, fully grown", ["", "seconds", "ratio"], rows)


def alternating(sizes=(10_000, 100_000, 1_000_000)):
    """One column whose classes, or numbers, take turns: the deepest tree that rows can have."""
    rows = []
    for name, fit in (
        ("gini", spinney_fit),
        ("entropy", lambda X, y: spinney_fit(X, y, criterion="entropy")),
        ("squared error", spinney_regression),
    ):
        spent = []
        for n_rows in sizes:
            X = np.arange(float(n_rows))[:, None]
            spent.append(seconds(lambda: fit(X, np.arange(n_rows) % 2), 1)[0])  # noqa: B023
        rows.append([name, *(f"{one:.3f}" for one in spent)])
    show("Alternating targets: seconds by rows", ["", *(f"{n:,}" for n in sizes)], rows)


def noise(n_seeds=10):
    """Test error over seeds, ours and scikit-learn's."""
    ours, theirs = [], []
    for seed in range(n_seeds):
        X, y = numeric(5_000, seed=seed)
        X_test, y_test = numeric(20_000, seed=1_000 + seed)
        ours.append(1 - spinney_fit(X, y).score(X_test, y_test))
        theirs.append(1 - sklearn_fit(X, y).score(X_test, y_test))
    mean = [sum(errors) / n_seeds for errors in (ours, theirs)]
    pairs = [a - b for a, b in zip(ours, theirs, strict=True)]
    spread = (sum((p - (mean[0] - mean[1])) ** 2 for p in pairs) / (n_seeds - 1) / n_seeds) ** 0.5
    show(
        f"Test error over {n_seeds} seeds, 5,000 rows",
        ["spinney", "scikit-learn", "difference", "its standard error"],
        [[*(f"{m:.4f}" for m in mean), f"{mean[0] - mean[1]:+.4f}", f"{spread:.4f}"]],
    )
