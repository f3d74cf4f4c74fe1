"""`spinney evaluate`: predictions of labelled rows, their errors and calibration."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.data.columns import TextFormat
from spinney._cli.data.match import Answers, read_answers
from spinney._cli.errors import Refusal, refusing
from spinney._cli.metrics import (
    ClassMetrics,
    NumberMetrics,
    class_metrics,
    number_metrics,
    parse_costs,
)
from spinney._cli.models import is_classifier, load_model
from spinney._cli.output import check_plot_file, save_plot
from spinney._cli.render import Screen, print_result
from spinney._cli.summary import estimate_pairs
from spinney._format import number_text


def run(
    model: Path,
    data: str,
    target: str | None,
    costs: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    **text: Any,
) -> None:
    """Evaluate a model on labelled data."""
    check_plot_file(plot)
    fitted = load_model(model)
    answers = read_answers(data, fitted, target, TextFormat(**text))
    found = evaluate(fitted, answers, costs)
    save_plot(lambda: draw(found), plot)
    print_result(
        lambda screen: show(found, screen),
        lambda: to_json(found),
        as_json=as_json,
        written={"The picture is in": plot},
    )


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Labelled rows, their predictions, and the metrics of these."""

    answers: Answers
    predicted: NDArray[Any]
    metrics: ClassMetrics | NumberMetrics


def evaluate(model: Any, answers: Answers, costs: Sequence[str] = ()) -> Evaluation:
    """Predict labelled rows, and compute the metrics."""
    with refusing():
        predicted = model.predict(answers.rows.X)
        if not is_classifier(model):
            if costs:
                raise Refusal("--cost: this model predicts numbers; errors of classes have costs.")
            return Evaluation(answers, predicted, number_metrics(answers.y, predicted))
        shares = None
        if hasattr(model, "predict_proba"):
            shares = model.predict_proba(answers.rows.X)
        classes = model.classes_.tolist()
        prices = parse_costs(costs, classes)
        metrics = class_metrics(classes, answers.y, predicted, shares, prices)
    return Evaluation(answers, predicted, metrics)


# -- As text


def show(found: Evaluation, screen: Screen) -> None:
    """Print everything, for people."""
    answers, metrics = found.answers, found.metrics
    screen.line(f"Data: {answers.rows.source}", bold=True)
    pairs = [("rows", str(len(answers.y))), ("target", answers.target)]
    screen.pairs(pairs + [("note", note) for note in answers.notes])
    screen.head("Error")
    pairs = estimate_pairs(metrics.estimate)
    if isinstance(metrics, NumberMetrics):
        screen.pairs(pairs + _number_pairs(metrics))
        return
    screen.pairs(pairs)
    _show_confusion(metrics, screen)
    _show_classes(metrics, screen)
    if metrics.cost is not None:
        screen.head("Costs")
        screen.pairs(estimate_pairs(metrics.cost))
    if metrics.calibration:
        _show_calibration(metrics, screen)


def _number_pairs(metrics: NumberMetrics) -> list[tuple[str, str]]:
    pairs = [("mean absolute error", number_text(metrics.mean_absolute_error, 4))]
    if metrics.r2 is not None:
        pairs.append(("R squared", f"{round(metrics.r2, 3) + 0.0:.3f}"))  # never -0.000
    is_rounding = abs(metrics.bias) < 1e-9 * metrics.mean_absolute_error
    bias = number_text(0.0 if is_rounding else metrics.bias, 4)
    return [*pairs, ("bias", f"{bias}, mean of predicted less true")]


def _show_confusion(metrics: ClassMetrics, screen: Screen) -> None:
    screen.head("Confusion: true classes down, predicted across")
    names = list(map(str, metrics.classes))
    rows = [["", *names]]
    for name, counts in zip(names, metrics.confusion.tolist(), strict=True):
        rows.append([name, *map(str, counts)])
    screen.table(rows, left=(0,))


def _show_classes(metrics: ClassMetrics, screen: Screen) -> None:
    screen.head("Classes")
    rows = [["class", "rows", "recall", "precision", "F1"]]
    for label, count, *shares in metrics.per_class():
        rows.append([str(label), str(count), *map(_share_text, shares)])
    screen.table(rows, left=(0,))


def _share_text(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.3f}"


def _show_calibration(metrics: ClassMetrics, screen: Screen) -> None:
    two = len(metrics.classes) == 2
    of = str(metrics.classes[1]) if two else "the likeliest class"
    screen.head(f"Calibration: the probability of {of}, predicted and observed")
    rows = [["predicted", "rows", "mean", "observed"]]
    for words, count, mean, observed in metrics.calibration:
        rows.append([words, str(count), f"{mean:.3f}", f"{observed:.3f}"])
    screen.table(rows, left=(0,))
    pairs = [
        ("calibration error", f"{metrics.calibration_error:.3f}, mean difference per row"),
        ("Brier score", f"{metrics.brier:.3f}"),
        ("log loss", f"{metrics.log_loss:.3f}"),
    ]
    if metrics.auc is not None:
        pairs.append(("area under ROC", f"{metrics.auc:.3f}"))
    screen.pairs(pairs)
    if metrics.log_loss is not None and metrics.log_loss > 2:
        screen.wrapped("A large log loss: some rows were given a probability near 0.")


# -- As JSON


def to_json(found: Evaluation) -> str:
    """Return everything, for other programs."""
    metrics = found.metrics
    result: dict[str, Any] = {
        "source": found.answers.rows.source,
        "rows": len(found.answers.y),
        "target": found.answers.target,
        "notes": list(found.answers.notes),
        "error": vars(metrics.estimate),
    }
    if isinstance(metrics, NumberMetrics):
        names = ("mean_absolute_error", "r2", "bias")
        return json.dumps(result | {name: getattr(metrics, name) for name in names}, indent=2)
    result |= {
        "classes": metrics.classes,
        "confusion": metrics.confusion.tolist(),
        "per_class": [_class_dict(*row) for row in metrics.per_class()],
        "cost": None if metrics.cost is None else vars(metrics.cost),
        "calibration": [
            {"predicted": words, "rows": count, "mean": mean, "observed": observed}
            for words, count, mean, observed in metrics.calibration
        ],
        "calibration_error": metrics.calibration_error,
        "brier": metrics.brier,
        "log_loss": metrics.log_loss,
        "auc": metrics.auc,
    }
    return json.dumps(result, indent=2)


def _class_dict(label: Any, count: int, recall: float, precision: float, f1: float) -> Any:
    shares = {"recall": recall, "precision": precision, "f1": f1}
    known = {name: None if math.isnan(share) else share for name, share in shares.items()}
    return {"class": label, "rows": count} | known


# -- As a picture


def draw(found: Evaluation) -> Any:
    """Draw observed against predicted; return the axes."""
    from matplotlib import pyplot

    metrics = found.metrics
    _, ax = pyplot.subplots(figsize=(5, 5))
    if isinstance(metrics, NumberMetrics):
        y, predicted = found.answers.y, found.predicted
        ends = [float(min(y.min(), predicted.min())), float(max(y.max(), predicted.max()))]
        ax.plot(ends, ends, color="grey", lw=1)
        ax.plot(predicted, y, "o", ms=3, alpha=0.5)
        ax.set(xlabel="predicted", ylabel=f"{found.answers.target}")
        return ax
    if not metrics.calibration:
        raise Refusal("--plot draws the calibration, and this model has no probabilities.")
    ax.plot([0, 1], [0, 1], color="grey", lw=1)
    counts = np.array([row[1] for row in metrics.calibration])
    ax.scatter(
        [row[2] for row in metrics.calibration],
        [row[3] for row in metrics.calibration],
        s=20 + 200 * counts / counts.max(),
        alpha=0.7,
    )
    ax.set(xlabel="predicted probability", ylabel="observed share", xlim=(0, 1), ylim=(0, 1))
    return ax
