"""How good predictions are: errors, costs, classes one by one, and calibration."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score

from spinney._cli._estimate import Costs, Estimate, of_predictions

Floats = NDArray[np.float64]
Bin = tuple[str, int, float, float]  # range, rows, mean predicted, observed


@dataclass(frozen=True, eq=False)
class ClassJudgement:
    """What a classifier does on rows whose class is known."""

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
        """Return the rows, recall, precision and F1 of each class; NaN where there is none."""
        rows = []
        for k, label in enumerate(self.classes):
            right = float(self.confusion[k, k])
            true, said = float(self.confusion[k].sum()), float(self.confusion[:, k].sum())
            recall = right / true if true else math.nan
            precision = right / said if said else math.nan
            f1 = 2 * right / (true + said) if true + said else math.nan
            rows.append((label, int(true), recall, precision, f1))
        return rows


@dataclass(frozen=True, eq=False)
class NumberJudgement:
    """What a regressor does on rows whose number is known."""

    estimate: Estimate  # of the RMSE
    mean_absolute_error: float
    r2: float | None
    bias: float  # mean of predicted less true


def judge_classes(
    classes: Sequence[Any],
    y: NDArray[Any],
    predicted: NDArray[Any],
    shares: Floats | None,
    costs: Costs,
    n_bins: int = 10,
) -> ClassJudgement:
    """Judge predicted classes, and their probabilities if there are any.

    Parameters
    ----------
    classes : sequence
        The labels of the model, in the order of the columns of `shares`.
    y, predicted : array of shape (n_rows,)
        True and predicted labels.
    shares : array of shape (n_rows, n_classes) or None
        Predicted probabilities.
    costs : mapping
        Of (true, predicted); others cost 1.
    n_bins : int
        Bins of the table of calibration.

    Returns
    -------
    ClassJudgement
    """
    labels = list(classes)
    place = {label: k for k, label in enumerate(labels)}
    codes = np.array([place[label] for label in y.tolist()])
    said = np.array([place[label] for label in predicted.tolist()])
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(confusion, (codes, said), 1)
    loss, brier, auc, gap = None, None, None, None
    table: list[Bin] = []
    if shares is not None:
        true = np.eye(len(labels))[codes]
        brier = float(((shares - true) ** 2).sum(axis=1).mean())
        loss = float(log_loss(codes, shares, labels=list(range(len(labels)))))
        if len(labels) == 2 and len(set(codes.tolist())) == 2:
            auc = float(roc_auc_score(codes, shares[:, 1]))
        table, gap = calibration(codes, shares, n_bins)
    cost = of_predictions(predicted, y, "classification", costs) if costs else None
    error = of_predictions(predicted, y, "classification", {})
    return ClassJudgement(labels, error, confusion, cost, loss, brier, auc, table, gap)


def calibration(codes: NDArray[np.intp], shares: Floats, n_bins: int) -> tuple[list[Bin], float]:
    """Return a table of predicted and observed shares by bin, and their mean difference.

    With two classes the share is that of the second one; with more it is that of the class that
    is likeliest, which is then right or wrong.
    """
    if shares.shape[1] == 2:
        predicted, happened = shares[:, 1], codes == 1
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


def judge_numbers(y: Floats, predicted: Floats) -> NumberJudgement:
    """Judge predicted numbers."""
    rest = predicted - y
    spread = float(np.var(y))
    return NumberJudgement(
        of_predictions(predicted, y, "regression", {}),
        float(np.abs(rest).mean()),
        1.0 - float((rest**2).mean()) / spread if spread > 0 else None,
        float(rest.mean()),
    )
