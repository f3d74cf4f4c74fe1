"""Errors of predictions: estimates with confidence intervals, costs, classes and calibration."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney._cli.data.reading import Reading
from spinney._cli.errors import Refusal
from spinney._folds import make_folds
from spinney._target import CodedClasses
from spinney._typing import Floats
from spinney.pruning import PruningPath

Z = 1.959964  # of a 95 % interval
Costs = Mapping[tuple[Any, Any], float]
Bin = tuple[str, int, float, float]  # range, rows, mean predicted, observed


@dataclass(frozen=True, eq=False)
class GroupFolds:
    """A splitter whose folds are of whole groups: as many as asked for, or one for each group."""

    n_splits: int
    seed: int

    def split(
        self, X: Any, y: NDArray[Any], groups: NDArray[Any]
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return training and held-out rows of each fold."""
        from spinney.compare._inputs import Problem
        from spinney.compare._resampling import RepeatedKFold

        n_splits = min(self.n_splits, len(np.unique(groups)))
        problem = Problem("", X, y, "classification", {"groups": groups})
        return problem.parts(RepeatedKFold(n_splits), np.random.default_rng(self.seed))


# -- Misclassification costs, as people write them: bad:good=5


def parse_costs(given: Iterable[str], classes: Sequence[Any]) -> dict[tuple[Any, Any], float]:
    """Return costs by (true class, predicted class).

    Parameters
    ----------
    given : iterable of str
        Costs written as TRUE:PREDICTED=COST.
    classes : sequence
        The labels, which may contain colons.

    Returns
    -------
    dict
    """
    by_text = {str(label): label for label in classes}
    costs = {}
    for text in given:
        words, _, number = text.rpartition("=")
        pair = _pair(words, by_text)
        if pair is None:
            raise Refusal(
                f"--cost: write TRUE:PREDICTED=COST with the classes {', '.join(by_text)}, not "
                f"{text!r}."
            )
        costs[pair] = _price(text, number)
    return costs


def _pair(words: str, by_text: dict[str, Any]) -> tuple[Any, Any] | None:
    places = [k for k, sign in enumerate(words) if sign == ":"]
    for place in places:
        true, predicted = words[:place].strip(), words[place + 1 :].strip()
        if true in by_text and predicted in by_text and true != predicted:
            return by_text[true], by_text[predicted]
    return None


def _price(text: str, number: str) -> float:
    try:
        price = float(number)
    except ValueError:
        price = -1.0
    if not 0.0 <= price < float("inf"):
        raise Refusal(f"--cost: a cost is a number from 0 up, not {number!r} (in {text!r}).")
    return price


# -- Estimates


@dataclass(frozen=True)
class Estimate:
    """An error with its 95 % confidence interval, and the error of the best constant prediction.

    Classification: the error rate, or the cost per row; by weight where priors or weights were
    given. Regression: the root mean squared error; of counts and amounts the deviance per unit of
    exposure. Lifetimes: the concordance of risks, which is no error: more is better.
    `relative` is the error (squared, in regression) divided by that of the baseline.
    """

    measure: str
    value: float
    low: float
    high: float
    baseline: float
    baseline_name: str
    relative: float | None


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a share of n rows; it is within 0 and 1."""
    z2 = Z * Z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def of_path(reading: Reading, model: Any, costs: Costs) -> Estimate:
    """Return the cross-validated error of the tree that a model selected from its pruning path."""
    path: PruningPath = model.pruning_path_
    assert path.errors is not None
    assert path.standard_errors is not None
    assert path.selected is not None
    error, spread = float(path.errors[path.selected]), float(path.standard_errors[path.selected])
    alone = float(path.errors[-1])  # the root by itself
    if reading.task == "regression":
        return _rmse(error, spread, alone)
    if reading.weight is not None or model.priors is not None or model.class_weight is not None:
        low, high = max(0.0, error - Z * spread), error + Z * spread
        always, relative = str(model.tree_.root.prediction), error / alone if alone > 0 else None
        measure = "cost by weight" if costs else "error rate by weight"
        return Estimate(measure, error, low, high, alone, always, relative)
    if costs:
        return _cost(error, spread, reading.y, costs)
    return class_error(error, reading.y)


def of_predictions(predicted: NDArray[Any], y: NDArray[Any], task: str, costs: Costs) -> Estimate:
    """Return the error of predictions of rows that were not used for training."""
    n = len(y)
    if task == "regression":
        squares = (predicted.astype(np.float64) - y) ** 2
        spread = float(squares.std() / math.sqrt(n))
        return _rmse(float(squares.mean()), spread, float(np.var(y)))
    if costs:
        each = row_costs(y, predicted, costs)
        return _cost(float(each.mean()), float(each.std() / math.sqrt(n)), y, costs)
    return class_error(float(np.mean(predicted != y)), y)


def cross_validate(
    model: Any,
    reading: Reading,
    cv: int,
    seed: int,
    on_fold: Callable[[], None],
    answer: Callable[[Any, Any], NDArray[Any]] | None = None,
) -> NDArray[Any]:
    """Return the cross-validated predictions of all rows.

    Parameters
    ----------
    model : estimator
        Unfitted; clones of it are fitted.
    reading : Reading
        The data.
    cv : int
        Number of folds, stratified by class or event; of whole groups if there are any.
    seed : int
        Random seed of the folds.
    on_fold : callable
        Called after each fold.
    answer : callable, optional
        From a fitted model and rows to numbers, instead of predictions: one or more for each row.

    Returns
    -------
    array of shape (n_rows,), or that of the answers
    """
    X, y = reading.X, reading.y
    strata: NDArray[Any] = np.zeros(len(y)) if reading.event is None else reading.event
    if reading.task == "classification":
        strata = CodedClasses.of(y).codes
    predicted: NDArray[Any] | None = None
    folds = cv if reading.group is None else GroupFolds(cv, seed)
    used = np.ones(len(y), dtype=bool)
    for train, test in make_folds(folds, X, strata, used, seed, reading.group):
        part = {name: column[train] for name, column in X.items()}
        fitted = clone(model).fit(part, y[train], **reading.fit_options(train, model))
        rows = {name: column[test] for name, column in X.items()}
        found = fitted.predict(rows) if answer is None else answer(fitted, rows)
        if predicted is None:
            labels = answer is None and reading.task == "classification"
            kind = y.dtype if labels else np.float64
            predicted = np.empty((len(y), *found.shape[1:]), dtype=kind)
        predicted[test] = found
        on_fold()
    assert predicted is not None
    return predicted


def row_costs(y: NDArray[Any], predicted: NDArray[Any], costs: Costs) -> Floats:
    """Return the cost of each row: 0 if it is correct, 1 by default."""
    pairs = zip(y.tolist(), predicted.tolist(), strict=True)
    return np.array([0.0 if a == b else costs.get((a, b), 1.0) for a, b in pairs])


def best_constant(y: NDArray[Any], costs: Costs) -> tuple[Any, float]:
    """Return the constant prediction of least cost, and its cost per row."""
    labels = CodedClasses.of(y).labels
    prices = [float(row_costs(y, np.full(len(y), label), costs).mean()) for label in labels]
    least = int(np.argmin(prices))
    return labels[least], prices[least]


def class_error(error: float, y: NDArray[Any]) -> Estimate:
    """Return the estimate of an error rate."""
    coded = CodedClasses.of(y)
    labels, counts = coded.labels, np.bincount(coded.codes)
    low, high = wilson_interval(error, len(y))
    most = int(counts.argmax())
    baseline = 1.0 - float(counts[most]) / len(y)
    relative = error / baseline if baseline > 0 else None
    return Estimate("error rate", error, low, high, baseline, str(labels[most]), relative)


def _cost(cost: float, spread: float, y: NDArray[Any], costs: Costs) -> Estimate:
    label, baseline = best_constant(y, costs)
    low, high = max(0.0, cost - Z * spread), cost + Z * spread
    relative = cost / baseline if baseline > 0 else None
    return Estimate("cost per row", cost, low, high, baseline, str(label), relative)


def _rmse(error: float, spread: float, alone: float) -> Estimate:
    low, high = max(0.0, error - Z * spread), error + Z * spread
    ends = math.sqrt(low), math.sqrt(high)
    relative = error / alone if alone > 0 else None
    return Estimate("RMSE", math.sqrt(error), *ends, math.sqrt(alone), "the mean", relative)


# -- Evaluation on labelled rows


@dataclass(frozen=True, eq=False)
class ClassMetrics:
    """Metrics of a classifier on labelled rows."""

    classes: list[Any]
    estimate: Estimate  # of the error rate
    confusion: NDArray[np.int64]  # rows true, columns predicted
    cost: Estimate | None
    log_loss: float | None
    brier: float | None
    auc: float | None  # of two classes
    calibration: list[Bin]
    calibration_error: float | None

    def per_class(self) -> list[tuple[Any, int, float, float, float]]:
        """Return the count, recall, precision and F1 of each class; NaN where undefined."""
        rows = []
        for k, label in enumerate(self.classes):
            correct = float(self.confusion[k, k])
            true, predicted = float(self.confusion[k].sum()), float(self.confusion[:, k].sum())
            recall = correct / true if true else math.nan
            precision = correct / predicted if predicted else math.nan
            f1 = 2 * correct / (true + predicted) if true + predicted else math.nan
            rows.append((label, int(true), recall, precision, f1))
        return rows


@dataclass(frozen=True, eq=False)
class NumberMetrics:
    """Metrics of a regressor on labelled rows."""

    estimate: Estimate  # of the RMSE
    mean_absolute_error: float
    r2: float | None  # of counts and amounts: D squared
    bias: float  # mean of predicted less true
    is_deviance: bool = False


def class_metrics(
    classes: Sequence[Any],
    y: NDArray[Any],
    predicted: NDArray[Any],
    shares: Floats | None,
    costs: Costs,
    n_bins: int = 10,
    place: int = 1,
) -> ClassMetrics:
    """Return the metrics of predicted classes, and of their probabilities if there are any.

    Parameters
    ----------
    classes : sequence
        Labels of the model, in the order of the columns of `shares`.
    y, predicted : array of shape (n_rows,)
        True and predicted labels.
    shares : array of shape (n_rows, n_classes) or None
        Predicted probabilities.
    costs : mapping
        Cost by (true, predicted) class; the default is 1.
    n_bins : int
        Number of bins of the calibration table.
    place : int, default=1
        Of two classes, the place of the positive one.

    Returns
    -------
    ClassMetrics
    """
    from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score  # here: seldom needed

    labels = list(classes)
    known = {label: k for k, label in enumerate(labels)}
    codes, guesses = (np.array([known[label] for label in one.tolist()]) for one in (y, predicted))
    confusion = confusion_matrix(codes, guesses, labels=range(len(labels)))
    loss, brier, auc, gap = None, None, None, None
    table: list[Bin] = []
    if shares is not None:
        true = np.eye(len(labels))[codes]
        brier = float(((shares - true) ** 2).sum(axis=1).mean()) / (2 if len(labels) == 2 else 1)
        loss = float(log_loss(codes, shares, labels=list(range(len(labels)))))
        if len(labels) == 2 and len(set(codes.tolist())) == 2:
            auc = float(roc_auc_score(codes, shares[:, 1]))
        table, gap = calibration(codes, shares, n_bins, place)
    cost = of_predictions(predicted, y, "classification", costs) if costs else None
    error = of_predictions(predicted, y, "classification", {})
    return ClassMetrics(labels, error, confusion, cost, loss, brier, auc, table, gap)


def calibration(
    codes: NDArray[np.intp], shares: Floats, n_bins: int, place: int = 1
) -> tuple[list[Bin], float]:
    """Return a table of predicted and observed shares by bin, and the expected calibration error.

    With two classes the shares are those of the one at `place`; with more they are those of the
    predicted class.
    """
    if shares.shape[1] == 2:
        predicted, happened = shares[:, place], codes == place
    else:
        predicted, happened = shares.max(axis=1), shares.argmax(axis=1) == codes
    bins = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
    table, gap = [], 0.0
    for k in range(n_bins):
        rows = bins == k
        if not rows.any():
            continue
        mean, observed = float(predicted[rows].mean()), float(happened[rows].mean())
        table.append(
            (f"{k / n_bins:.1f} to {(k + 1) / n_bins:.1f}", int(rows.sum()), mean, observed)
        )
        gap += abs(mean - observed) * rows.mean()
    return table, float(gap)


def number_metrics(y: Floats, predicted: Floats) -> NumberMetrics:
    """Return the metrics of predicted numbers."""
    rest = predicted - y
    spread = float(np.var(y))
    return NumberMetrics(
        of_predictions(predicted, y, "regression", {}),
        float(np.abs(rest).mean()),
        1.0 - float((rest**2).mean()) / spread if spread > 0 else None,
        float(rest.mean()),
    )
