"""Data sets with classes that are not bundled: of R, Weka and scikit-learn, and made ones.

Small forests were made on the bundled sets, so these tell what they are worth elsewhere. Needed are
R with the packages mlbench, MASS and caret (their folder in R_LIBS, if it is not R's own), and the
examples of Weka. `python -m benchmarks.other_sets` prints the rows, columns and classes of each.
"""

import subprocess
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import arff
from sklearn import datasets as made

from spinney.datasets import load

_EXAMPLES = Path("/usr/share/doc/weka/examples")
_TO_CSV = """
for (one in commandArgs(trailingOnly = TRUE)) {
  words <- strsplit(one, ":")[[1]]
  own <- new.env()
  data(list = words[2], package = words[1], envir = own)
  write.csv(own[[words[2]]], paste0(words[2], ".csv"), row.names = FALSE)
}
"""
# name: package, name of the data, column of classes, columns to drop
_OF_R: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "ionosphere": ("mlbench", "Ionosphere", "Class", ()),
    "vehicle": ("mlbench", "Vehicle", "Class", ()),
    "vowel": ("mlbench", "Vowel", "Class", ()),
    "zoo": ("mlbench", "Zoo", "type", ()),
    "votes": ("mlbench", "HouseVotes84", "Class", ()),
    "soybean": ("mlbench", "Soybean", "Class", ()),
    "satellite": ("mlbench", "Satellite", "classes", ()),
    "dna": ("mlbench", "DNA", "Class", ()),
    "crabs": ("MASS", "crabs", "sp", ("index",)),
    "birthwt": ("MASS", "birthwt", "low", ("bwt",)),
    "bacteria": ("MASS", "bacteria", "y", ("ID",)),
    "aids2": ("MASS", "Aids2", "status", ("death",)),
    "synth": ("MASS", "synth.tr", "yc", ()),
    "stagec": ("rpart", "stagec", "pgstat", ("pgtime",)),
    "kyphosis": ("rpart", "kyphosis", "Kyphosis", ()),
    "scat": ("caret", "scat", "Species", ()),
    "cells": ("caret", "segmentationData", "Class", ("Cell", "Case")),
    "musk": ("kernlab", "musk", "Class", ()),
    "promoter": ("kernlab", "promotergene", "Class", ()),
    "spam": ("kernlab", "spam", "type", ()),
}
_OF_WEKA = {"breast-cancer": "Class", "segment-test": "class", "labor": "class"}
_NOMINAL = ("soybean", "dna")  # codes of categories
_MOST = 1000  # rows, drawn at random of more

Rows = tuple[pd.DataFrame, np.ndarray]


@cache
def _tables() -> dict[str, pd.DataFrame]:
    """Return the tables of R's packages."""
    wanted = [f"{package}:{name}" for package, name, _, _ in _OF_R.values()]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["Rscript", "-e", _TO_CSV, *wanted], cwd=folder, check=True)
        return {
            key: pd.read_csv(Path(folder, f"{name}.csv")) for key, (_, name, _, _) in _OF_R.items()
        }


def _of_r(name: str) -> Rows:
    _, _, label, dropped = _OF_R[name]
    table = _tables()[name].drop(columns=list(dropped))
    return _prepared(table, label, nominal=name in _NOMINAL)


def _of_weka(name: str) -> Rows:
    table = pd.DataFrame(arff.loadarff(_EXAMPLES / f"{name}.arff")[0])
    for column in table.select_dtypes(object):
        table[column] = table[column].str.decode("utf8").replace("?", np.nan)
    return _prepared(table, _OF_WEKA[name], nominal=False)


def _prepared(table: pd.DataFrame, label: str, *, nominal: bool) -> Rows:
    table = table[table[label].notna()]
    table = table.sample(min(len(table), _MOST), random_state=0).reset_index(drop=True)
    X, y = table.drop(columns=label), table[label].astype(str).to_numpy()
    names = X.columns if nominal else X.select_dtypes(exclude="number").columns
    for column in names:
        X[column] = X[column].astype(str).where(X[column].notna()).astype("category")
    return X, y


def _bundled(name: str) -> Rows:
    data = load(name)
    order = np.random.default_rng(0).permutation(len(data.y))[:_MOST]
    return data.X.iloc[order].reset_index(drop=True), np.asarray(data.y)[order]


def _of_arrays(make: Callable[[], Any]) -> Rows:
    X, y = make()
    order = np.random.default_rng(0).permutation(len(y))[:_MOST]
    return pd.DataFrame(X[order]).add_prefix("x"), y[order].astype(str)


def _normal(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return two of Breiman's problems with normal columns, or his third."""
    rng, n, k = np.random.default_rng(0), 500, 20
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, k))
    first = y[:, None] == 0
    if kind == "twonorm":
        return X + np.where(first, 2, -2) / np.sqrt(k), y
    if kind == "ringnorm":
        return np.where(first, 2 * X, X + 1 / np.sqrt(k)), y
    side, alternate = rng.choice([-1, 1], (n, 1)), np.where(np.arange(k) % 2 == 0, 1, -1)
    return X + 2 / np.sqrt(k) * np.where(first, side, alternate), y


SETS: dict[str, Callable[[], Rows]] = {
    **{name: partial(_of_r, name) for name in _OF_R},
    **{name: partial(_of_weka, name) for name in _OF_WEKA},
    **{name: partial(_bundled, name) for name in ("mushroom", "adult")},
    "digits": partial(_of_arrays, partial(made.load_digits, return_X_y=True)),
    **{
        name: partial(_of_arrays, partial(_normal, name))
        for name in ("twonorm", "ringnorm", "threenorm")
    },
    "gauss": partial(
        _of_arrays,
        partial(made.make_gaussian_quantiles, n_samples=600, n_features=6, random_state=0),
    ),
    "hastie": partial(_of_arrays, partial(made.make_hastie_10_2, 600, random_state=0)),
    "moons": partial(_of_arrays, partial(made.make_moons, 300, noise=0.3, random_state=0)),
    "blobs": partial(
        _of_arrays,
        partial(
            made.make_classification,
            *(500, 20),
            n_informative=6,
            n_redundant=4,
            n_classes=3,
            flip_y=0.1,
            class_sep=0.8,
            random_state=0,
        ),
    ),
}


def main() -> None:
    """Print what there is."""
    for name, rows in SETS.items():
        X, y = rows()
        print(f"{name:16}{X.shape[0]:6}{X.shape[1]:6}{len(set(y)):4}")


if __name__ == "__main__":
    main()
