"""Problems of a textbook's chapters on trees and on ensembles, answered by cross-validation.

A unit is `(problem, dataset, method, repeat)`: one ten-fold cross-validation, the same folds for
every method.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OrdinalEncoder

from spinney._reproduce.paper import (
    Content,
    Key,
    Options,
    Paper,
    Part,
    Results,
    Rows,
    bundled,
    error_percent,
    published,
    seed_of,
    seeded,
    units,
)
from spinney._reproduce.verdicts import Cell, Measured
from spinney._typing import Floats
from spinney.compare import corrected_t
from spinney.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    IGPAForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.tree import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, IGPARegressor

N_FOLDS = 10
_N = 100  # members of ensembles
_GAP = "?"


# -- Methods


class NaiveBayes:
    """Scikit-learn's naive Bayes of categories, for columns of texts.

    What fit did not see is one more category of each column, which no row has.
    """

    def fit(self, X: dict[str, NDArray[Any]], y: NDArray[Any]) -> Self:
        """Fit the model."""
        table = self._stacked(X)
        self._codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        codes = self._codes.fit_transform(table).astype(np.int64) + 1  # 0 is what fit did not see
        self._model = CategoricalNB(min_categories=codes.max(axis=0) + 1).fit(codes, y)
        return self

    def predict(self, X: dict[str, NDArray[Any]]) -> NDArray[Any]:
        """Return the likeliest class of each row."""
        codes = self._codes.transform(self._stacked(X)).astype(np.int64) + 1
        return np.asarray(self._model.predict(codes))

    @staticmethod
    def _stacked(X: dict[str, NDArray[Any]]) -> NDArray[Any]:
        return np.column_stack(list(X.values()))


class OfNumbers:
    """A scikit-learn regressor, for columns of numbers."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: dict[str, NDArray[Any]], y: NDArray[Any]) -> Self:
        """Fit the model."""
        self._model.fit(np.column_stack(list(X.values())), y)
        return self

    def predict(self, X: dict[str, NDArray[Any]]) -> NDArray[Any]:
        """Return the predictions."""
        return np.asarray(self._model.predict(np.column_stack(list(X.values()))))


def _pruned(**options: Any) -> CARTClassifier:
    return CARTClassifier(pruning="cost_complexity", rule="min", **options)


def _deep(depth: int | None) -> CARTClassifier:
    return CARTClassifier(max_depth=depth, max_surrogates=0)


Makers = dict[str, Callable[[], Any]]
PROBLEMS: dict[str, Makers] = {
    "12.5": {
        "naive Bayes": NaiveBayes,
        "ID3": ID3Classifier,
        "C4.5": C45Classifier,
        "CART, pruned": _pruned,
    },
    "12.6": {
        "mean": lambda: OfNumbers(DummyRegressor()),
        "linear regression": lambda: OfNumbers(LinearRegression()),
        "regression tree": CARTRegressor,
        "tree, pruned": lambda: CARTRegressor(pruning="cost_complexity", rule="min"),
        "IGPA tree": IGPARegressor,
        "bagged trees": lambda: BaggingRegressor(n_estimators=_N),
        "random forest": lambda: RandomForestRegressor(_N),
        "boosted trees": lambda: AdaBoostRegressor(CARTRegressor(max_depth=4), _N),
        "IGPA forest": lambda: IGPAForestRegressor(_N),
    },
    "13.5": {
        "stump": lambda: _deep(1),
        "tree": lambda: _deep(None),
        "tree, pruned": _pruned,
        "bagged stumps": lambda: BaggingClassifier(_deep(1), _N),
        "bagged trees": lambda: BaggingClassifier(_deep(None), _N),
        "boosted stumps": lambda: AdaBoostClassifier(_deep(1), _N),
        "boosted trees of depth 3": lambda: AdaBoostClassifier(_deep(3), _N),
        "random forest": lambda: RandomForestClassifier(_N),
    },
    "13.8": {
        "tree": lambda: _deep(None),
        "boosted stumps, by samples": lambda: _sampled(1),
        "boosted trees of depth 5, by samples": lambda: _sampled(5),
        "boosted trees of depth 5, by weights": lambda: AdaBoostClassifier(_deep(5), _N),
        "random forest": lambda: RandomForestClassifier(_N),
        "random forest, 4 columns a node": lambda: RandomForestClassifier(_N, max_features=4),
    },
}


def _sampled(depth: int) -> AdaBoostClassifier:
    return AdaBoostClassifier(_deep(depth), _N, resample=True)


def read(problem: str, dataset: str) -> Rows:
    """Return a data set as a problem takes it."""
    if dataset == "party":
        given = published("chapter_party")
        names = ("deadline", "party", "lazy")
        X = {name: np.array([row[name] for row in given], dtype=object) for name in names}
        return Rows(X, np.array([row["activity"] for row in given], dtype=object))
    rows = bundled(dataset)
    if problem == "12.5":  # naive Bayes counts categories, and a gap is one of them
        return Rows({name: _as_text(column) for name, column in rows.X.items()}, rows.y)
    if problem == "12.6":
        numbers = {name: values for name, values in rows.X.items() if name != "vendor_name"}
        return Rows(numbers, rows.y.astype(np.float64))
    return rows


def _as_text(column: Any) -> NDArray[Any]:
    values = getattr(column, "values", column)
    missing = [value is None or value != value for value in values.tolist()]
    texts = [
        _GAP if gap else str(value) for gap, value in zip(missing, values.tolist(), strict=True)
    ]
    return np.array(texts, dtype=object)


def _work(seed: int, key: Key) -> dict[str, Any]:
    problem, dataset, method, repeat = str(key[0]), str(key[1]), str(key[2]), int(key[3])
    number = seed_of(seed, repeat)
    rows = read(problem, dataset)
    losses = []
    for fold, (train, test) in enumerate(_partitions(problem, dataset, number, rows.y)):
        model = seeded(PROBLEMS[problem][method](), seed_of(number, fold))
        part, other = rows.take(train), rows.take(test)
        guess = model.fit(part.X, part.y).predict(other.X)
        losses.append(_loss(problem, guess, other.y))
    return {f"loss_{fold}": loss for fold, loss in enumerate(losses)}


def _partitions(problem: str, dataset: str, seed: int, y: NDArray[Any]) -> list[Any]:
    whole = problem == "12.6" or dataset == "party"
    splitter = (KFold if whole else StratifiedKFold)(N_FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():  # lymphography has two rows of one class: as told
        warnings.simplefilter("ignore", UserWarning)
        return list(splitter.split(y, y))


def _loss(problem: str, guess: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the error in %, or the mean squared error."""
    if problem == "12.6":
        return float(np.mean((guess - y) ** 2))
    return error_percent(guess, y)


# -- Tables

_REPEATS = 10
_LEVEL = 0.05
DATASETS = {
    "12.5": (
        "party",
        "car_evaluation",
        "lymphography",
        "balance_scale",
        "breast_cancer_wisconsin",
        "mushroom",
    ),
    "12.6": ("cpu_performance",),
    "13.5": ("breast_cancer_wisconsin",),
    "13.8": ("car_evaluation",),
}
_TITLES = {
    "12.5": "naive Bayes beside trees, error in %",
    "12.6": "the CPU data by regression trees",
    "13.5": "breast cancer by stumps, trees, boosted and bagged, error in %",
    "13.8": "cars by boosting and by a random forest, error in %",
}
# What is compared: the first is asked whether it errs less than the second.
_QUESTIONS = {
    "12.5": (("C4.5", "naive Bayes"),),
    "12.6": (
        ("tree, pruned", "linear regression"),
        ("random forest", "tree, pruned"),
        ("bagged trees", "random forest"),
    ),
    "13.5": (
        ("tree, pruned", "stump"),
        ("bagged stumps", "stump"),
        ("boosted stumps", "tree, pruned"),
        ("bagged trees", "tree, pruned"),
        ("boosted trees of depth 3", "bagged trees"),
        ("random forest", "boosted trees of depth 3"),
    ),
    "13.8": (
        ("boosted trees of depth 5, by samples", "tree"),
        ("boosted trees of depth 5, by samples", "random forest"),
        ("boosted trees of depth 5, by samples", "random forest, 4 columns a node"),
    ),
}


def _folds(results: Results, problem: str, dataset: str, method: str) -> Floats:
    """Return the losses, of shape (n_repeats, n_folds)."""
    return np.column_stack(
        [results.values(f"loss_{fold}", problem, dataset, method) for fold in range(N_FOLDS)]
    )


def _make(problem: str) -> Callable[[Results, Options], Content]:
    def make(results: Results, options: Options) -> Content:
        cells: list[Cell] = []
        answers: list[str] = []
        for dataset in DATASETS[problem]:
            found = {m: _folds(results, problem, dataset, m) for m in PROBLEMS[problem]}
            if problem == "12.6":
                cells += _squared(found)
            else:
                cells += [
                    Cell(method, dataset, Measured.of(losses.mean(axis=1)), None)
                    for method, losses in found.items()
                ]
            for first, second in _QUESTIONS[problem]:
                answers.append(_answer(dataset, first, second, found[first], found[second]))
        return Content(cells, notes=("\n".join(answers),))

    return make


def _squared(found: dict[str, Floats]) -> list[Cell]:
    """Return the root of the mean squared error, and the share of the variance explained."""
    base, cells = found["mean"].mean(axis=1), []
    for method, losses in found.items():
        mean = losses.mean(axis=1)
        cells.append(Cell(method, "root mean squared error", Measured.of(np.sqrt(mean)), None))
        cells.append(Cell(method, "R squared", Measured.of(1.0 - mean / base), None))
    return cells


def _answer(dataset: str, first: str, second: str, ours: Floats, others: Floats) -> str:
    """Return a sentence on which of two methods has the lower error."""
    test = corrected_t(ours.ravel(), others.ravel(), 1.0 / (N_FOLDS - 1))
    p = test.p_value
    if p >= _LEVEL:
        return f"- {dataset}: no difference shown between {first} and {second} (p = {p:.2g})."
    words = "errs less" if test.difference < 0.0 else "errs more"
    return f"- {dataset}: {first} {words} than {second} (p = {p:.2g})."


PAPER = Paper(
    name="chapters",
    title="Problems of two textbook chapters",
    source=(
        "From a textbook's chapters on trees (12.5, 12.6) and on ensembles (13.5, 13.8). They ask "
        "for a comparison and print no figures, so there is nothing to judge ours by."
    ),
    setting=(
        "Ten-fold cross-validation, repeated ten times with the same folds for every method; "
        "deviations are those over the repetitions. Ensembles have 100 members. Differences are "
        "tested by the corrected t-test of Nadeau and Bengio.",
        "For 12.5 all columns are taken as categories, and a gap as one more. For 12.6 the name "
        "of the vendor is left out.",
    ),
    parts=tuple(
        Part(
            "table",
            problem,
            _TITLES[problem],
            units(problem, DATASETS[problem], PROBLEMS[problem], _REPEATS),
            _make(problem),
        )
        for problem in PROBLEMS
    ),
    work=lambda options: partial(_work, options.seed),
)
