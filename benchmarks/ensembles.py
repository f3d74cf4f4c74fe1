"""Forests, bagging and boosting against the peers, one thread, with the accuracy beside."""

import math
import timeit

import numpy as np

from benchmarks._data import numbers_target, numeric
from benchmarks._measure import seconds, show
from benchmarks.memory import forest_memory
from benchmarks.peers import ranger_seconds, ydf_forest, ydf_table
from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

_PIMA = (768, 8, 200)  # rows, columns, trees: the size of the data set that bagging is told of most


def forests(cases=((10_000, 20, 100), (100_000, 20, 20), (2_000, 500, 100))):
    rows = []
    for n_rows, n_columns, n_trees in cases:
        X, y = numeric(n_rows, n_columns)
        X_test, y_test = numeric(20_000, n_columns, seed=1)
        repeat = 3 if n_rows <= 10_000 else 2
        models, times = _forests(X, y, n_trees, repeat)
        ranger = ranger_seconds(X, y, n_trees, mtry=math.isqrt(n_columns))
        ours = times["spinney"]
        rows.append(
            [
                f"{n_rows:,} x {n_columns}, {n_trees}",
                f"{ours:.2f}",
                f"{times['without oob']:.2f}",
                f"{ours / times['two threads']:.2f}",
                *[_ratio(times[peer], ours) for peer in ("scikit-learn", "YDF")],
                _ratio(ranger, ours),
                *[f"{_accuracy(models[who], X_test, y_test):.4f}" for who in models],
            ]
        )
    show(
        "Random forests, rows x columns, trees: seconds, and how many times as long others take",
        ["", "s", "no oob", "2 threads x", "sk x", "YDF x", "ranger x", "acc", "sk", "YDF"],
        rows,
    )


def _forests(X, y, n_trees, repeat):
    from sklearn.ensemble import RandomForestClassifier as Peer

    def ours(**options):
        return RandomForestClassifier(n_trees, random_state=0, **options).fit(X, y)

    times, models = {}, {}
    times["spinney"], models["spinney"] = seconds(ours, repeat)
    times["without oob"], _ = seconds(lambda: ours(oob_score=False), repeat)
    times["two threads"], _ = seconds(lambda: ours(n_jobs=2), repeat)
    peer = Peer(n_trees, random_state=0)
    times["scikit-learn"], models["scikit-learn"] = seconds(lambda: peer.fit(X, y), min(repeat, 2))
    times["YDF"], ydf = seconds(lambda: ydf_forest(X, y, n_trees), min(repeat, 2))
    if ydf is None:
        times["YDF"] = None
    models["YDF"] = ydf
    return models, times


def regression_forest(n_rows=100_000, n_trees=10):
    from sklearn.ensemble import RandomForestRegressor as Peer

    X, y = numbers_target(n_rows)
    X_test, y_test = numbers_target(20_000, seed=1)
    rows = []
    for share in (1 / 3, 1.0):
        forest = RandomForestRegressor(n_trees, max_features=share, random_state=0)
        peer = Peer(n_trees, max_features=share, random_state=0)
        ours, _ = seconds(lambda: forest.fit(X, y), 2)  # noqa: B023
        theirs, _ = seconds(lambda: peer.fit(X, y), 1)  # noqa: B023
        scores = [f"{one.score(X_test, y_test):.4f}" for one in (forest, peer)]
        rows.append([f"{share:.2f} of the columns", f"{ours:.2f}", _ratio(theirs, ours), *scores])
    show(
        f"Regression forest, {n_rows:,} x {n_trees} trees",
        ["", "s", "sk x", "R squared", "sk"],
        rows,
    )


def extra_trees(cases=((10_000, 100), (100_000, 20))):
    from sklearn import ensemble

    rows = []
    for n_rows, n_trees in cases:
        for ours, table in ((ExtraTreesClassifier, numeric), (ExtraTreesRegressor, numbers_target)):
            X, y = table(n_rows)
            X_test, y_test = table(20_000, seed=1)
            model = ours(n_trees, random_state=0)
            peer = getattr(ensemble, ours.__name__)(n_trees, random_state=0)
            own, _ = seconds(lambda: model.fit(X, y), 3)  # noqa: B023
            theirs, _ = seconds(lambda: peer.fit(X, y), 1)  # noqa: B023
            scores = [f"{one.score(X_test, y_test):.4f}" for one in (model, peer)]
            name = f"{ours.__name__}, {n_rows:,} x {n_trees}"
            rows.append([name, f"{own:.2f}", _ratio(theirs, own), *scores])
    show("Extremely randomized trees, rows x trees", ["", "s", "sk x", "score", "sk"], rows)


def bagging():
    from sklearn.ensemble import BaggingClassifier as Peer
    from sklearn.tree import DecisionTreeClassifier

    n_rows, n_columns, n_trees = _PIMA
    X, y = numeric(n_rows, n_columns)
    X_test, y_test = numeric(20_000, n_columns, seed=1)
    model = BaggingClassifier(n_estimators=n_trees, random_state=0)
    peer = Peer(DecisionTreeClassifier(), n_trees, random_state=0)
    ours, _ = seconds(lambda: model.fit(X, y), 20)
    theirs, _ = seconds(lambda: peer.fit(X, y), 3)
    ydf, _ = seconds(lambda: ydf_forest(X, y, n_trees, num_candidate_attributes=n_columns), 3)
    ranger = ranger_seconds(X, y, n_trees, mtry=n_columns)
    show(
        f"{n_trees} bagged trees on {n_rows} x {n_columns}",
        ["ms", "sk x", "YDF x", "ranger x", "acc", "sk"],
        [
            [
                f"{ours * 1e3:.0f}",
                _ratio(theirs, ours),
                _ratio(ydf, ours),
                _ratio(ranger, ours),
                *[f"{_accuracy(one, X_test, y_test):.4f}" for one in (model, peer)],
            ]
        ],
    )


def boosting(sizes=(1_000, 100_000), n_stumps=200):
    from sklearn.ensemble import AdaBoostClassifier as Peer

    rows = []
    for n_rows in sizes:
        X, y = numeric(n_rows)
        X_test, y_test = numeric(20_000, seed=1)
        model, peer = AdaBoostClassifier(n_estimators=n_stumps), Peer(n_estimators=n_stumps)
        ours, _ = seconds(lambda: model.fit(X, y), 5 if n_rows <= 10_000 else 2)  # noqa: B023
        theirs, _ = seconds(lambda: peer.fit(X, y), 1)  # noqa: B023
        accuracy = [f"{_accuracy(one, X_test, y_test):.4f}" for one in (model, peer)]
        rows.append([f"{n_rows:,}", f"{ours:.3f}", _ratio(theirs, ours), *accuracy])
    show(f"AdaBoost, {n_stumps} stumps", ["rows", "s", "sk x", "acc", "sk"], rows)


def forest_prediction(n_rows=1_000_000, n_trees=100):
    from sklearn.ensemble import RandomForestClassifier as Peer

    X, y = numeric(10_000)
    many, _ = numeric(n_rows, seed=2)
    ours = RandomForestClassifier(n_trees, random_state=0).fit(X, y)
    peer = Peer(n_trees, random_state=0).fit(X, y)
    ydf = ydf_forest(X, y, n_trees)
    whole, _ = seconds(lambda: ours.predict(many), 2)
    theirs, _ = seconds(lambda: peer.predict(many), 1)
    one = min(timeit.repeat(lambda: ours.predict(X[:1]), number=200, repeat=5)) / 200
    one_peer = min(timeit.repeat(lambda: peer.predict(X[:1]), number=5, repeat=3)) / 5
    times = {"YDF": None, "one YDF": None}
    if ydf is not None:
        table, first = ydf_table(many), ydf_table(X[:1])
        times["YDF"], _ = seconds(lambda: ydf.predict(table, num_threads=1), 2)
        times["one YDF"] = min(timeit.repeat(lambda: ydf.predict(first), number=20, repeat=3)) / 20
    show(
        f"{n_rows:,} rows and one row through {n_trees} trees",
        ["", "spinney", "sk x", "YDF x"],
        [
            ["all, s", f"{whole:.2f}", _ratio(theirs, whole), _ratio(times["YDF"], whole)],
            ["one, us", f"{one * 1e6:.1f}", _ratio(one_peer, one), _ratio(times["one YDF"], one)],
        ],
    )


def _ratio(theirs, ours):
    return "-" if theirs is None else f"{theirs / ours:.1f}"


def _accuracy(model, X, y):
    if model is None:
        return float("nan")
    if hasattr(model, "score"):
        return model.score(X, y)
    return float(np.mean((model.predict(ydf_table(X)) > 0.5) == y))


def ensembles():
    forests()
    regression_forest()
    extra_trees()
    bagging()
    boosting()
    forest_prediction()
    forest_memory()


def quick_ensembles():
    forests(((10_000, 20, 20),))
    extra_trees(((10_000, 20),))
    bagging()
    boosting((1_000,))
    forest_prediction(20_000)
