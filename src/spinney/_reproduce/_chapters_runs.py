"""Cross-validated methods on the data sets of a textbook's problems.

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

from spinney._reproduce._parts import Key, Options, seed_of
from spinney._reproduce._published import published
from spinney._reproduce._tables import Rows, bundled
from spinney.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    IGPAForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.tree import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    IGPARegressor,
)

__all__ = ["N_FOLDS", "PROBLEMS", "read", "work_of"]

N_FOLDS = 10
_N = 100  # members of ensembles
_GAP = "?"


class NaiveBayes:
    """Scikit-learn's naive Bayes of categories, for columns of texts.

    What fit did not see is one more category of each column, which no row has.
    """

    def fit(self, X: dict[str, NDArray[Any]], y: NDArray[Any]) -> Self:
        """Count."""
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
        """Train it."""
        self._model.fit(np.column_stack(list(X.values())), y)
        return self

    def predict(self, X: dict[str, NDArray[Any]]) -> NDArray[Any]:
        """Ask it."""
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


def work_of(options: Options) -> Any:
    """Return the function that does a unit."""
    return partial(_work, options.seed)


def _work(seed: int, key: Key) -> dict[str, Any]:
    problem, dataset, method, repeat = str(key[0]), str(key[1]), str(key[2]), int(key[3])
    number = seed_of(seed, repeat)
    rows = read(problem, dataset)
    losses = []
    for fold, (train, test) in enumerate(_partitions(problem, dataset, number, rows.y)):
        model = PROBLEMS[problem][method]()
        if "random_state" in getattr(model, "get_params", dict)():
            model.set_params(random_state=seed_of(number, fold))
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
    return 100.0 * float(np.mean(guess != y))
