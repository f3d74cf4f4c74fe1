"""Saving and loading a forest: model files against joblib, and their sizes."""

import os
import tempfile

import joblib
import numpy as np
from sklearn.ensemble import RandomForestClassifier as TheirForest

import spinney
from benchmarks._data import numeric
from benchmarks._measure import seconds, show


def files(n_rows=100_000, n_trees=100):
    X, y = numeric(n_rows)
    settings = {"n_estimators": n_trees, "random_state": 0, "n_jobs": -1}
    ours = spinney.RandomForestClassifier(oob_score=False, **settings).fit(X, y)
    theirs = TheirForest(**settings).fit(X, y)
    ways = {
        "spinney.save, load": (ours, spinney.save, spinney.load),
        "spinney by joblib": (ours, joblib.dump, joblib.load),
        "scikit-learn by joblib": (theirs, joblib.dump, joblib.load),
    }
    rows, loaded = [], {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        for name, (model, save, load) in ways.items():
            out, _ = seconds(lambda save=save, model=model: save(model, path))
            back, loaded[name] = seconds(lambda load=load: load(path))
            size = os.path.getsize(path) / 1e6
            rows.append([name, f"{out:.2f}", f"{back:.2f}", f"{out + back:.2f}", f"{size:.1f}"])
    show(
        f"A forest of {n_trees} trees at {n_rows:,} x {X.shape[1]}: seconds, and the file",
        ["", "save", "load", "both", "MB"],
        rows,
    )
    again = loaded["spinney.save, load"]
    same = np.array_equal(again.predict_proba(X[:10_000]), ours.predict_proba(X[:10_000]))
    print(f"predictions after loading are bit-equal: {same}")


def quick_files():
    files(10_000, 20)
