"""A tree, bagging and a random forest on the cars, as a textbook's chapter on ensembles has them.

A unit is `(reading, "car_evaluation", method, run)`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spinney._reproduce.paper import (
    Content,
    Key,
    Options,
    Paper,
    Part,
    Results,
    bundled,
    published,
    seed_of,
    seeded,
    units,
)
from spinney._reproduce.verdicts import Cell, Measured
from spinney.ensemble import BaggingClassifier, RandomForestClassifier
from spinney.tree import CARTClassifier, ID3Classifier

_RUNS = 50
_DATA = "car_evaluation"
_NAMES = {"decision tree": "tree", "bagging": "bagging", "random forest": "forest"}
_PRINTED = {
    label: row
    for row in published("forest_chapter_car")
    for name, label in _NAMES.items()
    if row["method"].startswith(name)
}


class SilentID3:
    """ID3 as the chapter's listing has it: it has no answer where no training row went."""

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree."""
        self._model = ID3Classifier().fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes, and None for rows that end in a branch without training rows."""
        answers = np.asarray(self._model.predict(X), dtype=object)
        reached = np.asarray(self._model.tree_.n_samples)[self._model.apply(X)]
        answers[reached == 0] = None
        return answers


class SilentForest(RandomForestClassifier):
    """A forest of such trees: where most of them have no answer, it has none either."""

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the class with most votes, and None for rows that most trees do not answer."""
        leaves, codes = self.apply(X), np.arange(len(self.classes_))
        votes = np.zeros((len(leaves), len(codes) + 1))
        for tree, reached in zip(self.forest_, leaves.T, strict=True):
            silent = np.asarray(tree.n_samples)[reached] == 0
            labels = np.asarray(tree.value)[reached].argmax(axis=1)
            votes[np.arange(len(leaves)), np.where(silent, len(codes), labels)] += 1
        answers = np.array([*self.classes_, None], dtype=object)
        return np.asarray(answers[votes.argmax(axis=1)])


def _bag(tree: Any, rows: int | None = None) -> BaggingClassifier:
    return BaggingClassifier(tree, 50, max_samples=rows)


def _forest(depth: int | None, rows: int | None) -> RandomForestClassifier:
    return RandomForestClassifier(50, max_depth=depth, max_samples=rows, max_features=2)


def _id3_forest(
    depth: int | None, rows: int | None, columns: int = 2, *, silent: bool = False
) -> RandomForestClassifier:
    make = SilentForest if silent else RandomForestClassifier
    tree = ID3Classifier(max_depth=depth)
    return make(50, estimator=tree, max_samples=rows, max_features=columns, oob_score=False)


def _cart(depth: int | None) -> CARTClassifier:
    return CARTClassifier(max_depth=depth, max_surrogates=0)


# Two readings of what the chapter did, and what else was tried.
MODELS: dict[str, dict[str, Callable[[], Any]]] = {
    "stated": {
        "tree": ID3Classifier,
        "bagging": lambda: _bag(ID3Classifier(max_depth=5), 100),
        "forest": lambda: _id3_forest(5, 100),
    },
    "listing": {
        "tree": SilentID3,
        "bagging": lambda: _bag(ID3Classifier(max_depth=2)),
        "forest": lambda: _id3_forest(5, None, silent=True),
    },
    "tried": {
        "CART": lambda: _cart(None),
        "bagged ID3, depth 1, all rows": lambda: _bag(ID3Classifier(max_depth=1)),
        "bagged ID3, depth 2, 100 rows": lambda: _bag(ID3Classifier(max_depth=2), 100),
        "bagged ID3, depth 3, all rows": lambda: _bag(ID3Classifier(max_depth=3)),
        "bagged ID3, depth 5, all rows": lambda: _bag(ID3Classifier(max_depth=5)),
        "bagged CART, depth 2, 100 rows": lambda: _bag(_cart(2), 100),
        "bagged CART, depth 5, 100 rows": lambda: _bag(_cart(5), 100),
        "bagged CART, all rows": lambda: _bag(_cart(None)),
        "forest of ID3, depth 4, all rows": lambda: _id3_forest(4, None),
        "forest of ID3, depth 5, all rows": lambda: _id3_forest(5, None),
        "silent ID3, depth 5, all rows, 4 columns": lambda: _id3_forest(5, None, 4, silent=True),
        "silent ID3, depth 5, all rows, 6 columns": lambda: _id3_forest(5, None, 6, silent=True),
        "silent ID3, all rows, 2 columns": lambda: _id3_forest(None, None, 2, silent=True),
        "silent ID3, all rows, 3 columns": lambda: _id3_forest(None, None, 3, silent=True),
        "silent ID3, all rows, 4 columns": lambda: _id3_forest(None, None, 4, silent=True),
        "silent ID3, all rows, 6 columns": lambda: _id3_forest(None, None, 6, silent=True),
        "forest of CART, depth 5, 100 rows": lambda: _forest(5, 100),
        "forest of CART, depth 5, all rows": lambda: _forest(5, None),
        "forest of CART, 100 rows": lambda: _forest(None, 100),
        "forest of CART, all rows": lambda: _forest(None, None),
    },
}


def _work(seed: int, key: Key) -> dict[str, Any]:
    reading, _, method, run = key
    rows = bundled(_DATA)
    train, test = rows.take(slice(0, None, 2)), rows.take(slice(1, None, 2))
    model = seeded(MODELS[str(reading)][str(method)](), seed_of(seed, int(run)))
    right = model.fit(train.X, train.y).predict(test.X) == test.y
    return {
        "correct": int(right.sum()),
        "good": int(right[test.y == "good"].sum()),
        "vgood": int(right[test.y == "vgood"].sum()),
    }


def _compared(reading: str) -> Callable[[Results, Options], Content]:
    def make(results: Results, options: Options) -> Content:
        cells = []
        for method, row in _PRINTED.items():
            for column, name, printed in (
                ("right, of 864", "correct", row["correct"]),
                ("good found, of 39", "good", row["identified"]),
                ("very good found, of 30", "vgood", None),
            ):
                ours = Measured.of(results.values(name, reading, _DATA, method))
                cells.append(
                    Cell(method, column, ours, printed, paper_runs=1, good="more", digits=1)
                )
        return Content(cells)

    return make


def _tried(results: Results, options: Options) -> Content:
    cells = [
        Cell(method, column, Measured.of(results.values(name, "tried", _DATA, method)), None)
        for method in MODELS["tried"]
        for column, name in (("right", "correct"), ("good", "good"), ("very good", "vgood"))
    ]
    return Content(cells)


def _split_facts() -> str:
    y = bundled(_DATA).y
    test = y[1::2]
    counts = {label: int(np.sum(test == label)) for label in ("good", "vgood")}
    return (
        f"Trained on the even rows of the file, tested on the odd ones: {len(test)} cars, of which "
        f"{counts['good']} are good and {counts['vgood']} very good. The chapter prints 39 *good "
        "or very good* cars, so it counts the good ones only."
    )


def _part(number: str, title: str, reading: str, make: Callable[..., Content]) -> Part:
    return Part("table", number, title, units(reading, [_DATA], MODELS[reading], _RUNS), make)


PAPER = Paper(
    name="car",
    title="Cars: a tree, bagging and a random forest",
    source="From a textbook's chapter on ensembles. What it prints is of one run.",
    setting=(
        _split_facts(),
        "The chapter's trees have a branch for each category, as ID3 makes them. Its text says 50 "
        "trees, each based on 100 samples, with a depth of at most five. Its listings, however, "
        "draw samples as large as the training set, and make no branch for a category that no "
        "training row of the node has, so that some cars get no answer, which is wrong; and what "
        "it prints of bagging, 678 right and no good car found, is what trees of two levels give. "
        "Both readings are shown. A forest draws two of the six columns at each node, the square "
        "root of their number, which the chapter calls common.",
    ),
    parts=(
        _part("1", "as the text says", "stated", _compared("stated")),
        _part("2", "as the listings do", "listing", _compared("listing")),
        _part("3", "what else was tried", "tried", _tried),
    ),
    work=lambda options: partial(_work, options.seed),
)
