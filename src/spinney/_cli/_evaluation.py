"""The result of `evaluate`: made, shown, drawn."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from spinney._cli._costs import parse_costs
from spinney._cli._judging import ClassJudgement, NumberJudgement, judge_classes, judge_numbers
from spinney._cli._model_files import is_classifier
from spinney._cli._refusal import Refusal
from spinney._cli._report import estimate_texts
from spinney._cli._rows import Answers
from spinney._cli._text import print_head, print_line, print_pairs, print_table, print_wrapped
from spinney._cli._training import refusing
from spinney.tree._words import number_text


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Rows, what was predicted for them, and how good that is."""

    answers: Answers
    predicted: NDArray[Any]
    judgement: ClassJudgement | NumberJudgement


def evaluate(model: Any, answers: Answers, costs: Sequence[str] = ()) -> Evaluation:
    """Predict rows whose answer is known, and judge the predictions."""
    with refusing():
        predicted = model.predict(answers.rows.X)
        if not is_classifier(model):
            if costs:
                raise Refusal("--cost: this model predicts numbers; errors of classes have costs.")
            return Evaluation(answers, predicted, judge_numbers(answers.y, predicted))
        shares = None
        if hasattr(model, "predict_proba"):
            shares = model.predict_proba(answers.rows.X)
        classes = model.classes_.tolist()
        judged = judge_classes(classes, answers.y, predicted, shares, parse_costs(costs, classes))
    return Evaluation(answers, predicted, judged)


# -- As text


def show(found: Evaluation, console: Console) -> None:
    """Print everything, for people."""
    answers, judged = found.answers, found.judgement
    print_line(console, f"Data: {answers.rows.source}", bold=True)
    pairs = [("rows", str(len(answers.y))), ("target", answers.target)]
    print_pairs(console, pairs + [("note", note) for note in answers.notes])
    print_head(console, "Error")
    this, interval, other = estimate_texts(judged.estimate)
    pairs = [("this model", f"{this}, 95 % interval {interval}")]
    pairs.append((f"always {judged.estimate.baseline_name}", other))
    if isinstance(judged, NumberJudgement):
        print_pairs(console, pairs + _number_pairs(judged))
        return
    print_pairs(console, pairs)
    _show_confusion(judged, console)
    _show_classes(judged, console)
    if judged.cost is not None:
        print_head(console, "Costs")
        cost, interval, other = estimate_texts(judged.cost)
        print_pairs(
            console,
            [
                ("this model", f"{cost}, 95 % interval {interval}"),
                (f"always {judged.cost.baseline_name}", other),
            ],
        )
    if judged.calibration:
        _show_calibration(judged, console)


def _number_pairs(judged: NumberJudgement) -> list[tuple[str, str]]:
    pairs = [("mean absolute error", number_text(judged.mean_absolute_error, 4))]
    if judged.r2 is not None:
        pairs.append(("R squared", f"{round(judged.r2, 3) + 0.0:.3f}"))  # never -0.000
    is_rounding = abs(judged.bias) < 1e-9 * judged.mean_absolute_error
    bias = number_text(0.0 if is_rounding else judged.bias, 4)
    return [*pairs, ("bias", f"{bias}, mean of predicted less true")]


def _show_confusion(judged: ClassJudgement, console: Console) -> None:
    print_head(console, "Confusion: true classes down, predicted across")
    names = list(map(str, judged.classes))
    rows = [["", *names]]
    for name, counts in zip(names, judged.confusion.tolist(), strict=True):
        rows.append([name, *map(str, counts)])
    print_table(console, rows, left=(0,))


def _show_classes(judged: ClassJudgement, console: Console) -> None:
    print_head(console, "Classes")
    rows = [["class", "rows", "recall", "precision", "F1"]]
    for label, count, *shares in judged.per_class():
        rows.append([str(label), str(count), *map(_share_text, shares)])
    print_table(console, rows, left=(0,))


def _share_text(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.3f}"


def _show_calibration(judged: ClassJudgement, console: Console) -> None:
    two = len(judged.classes) == 2
    of = str(judged.classes[1]) if two else "the likeliest class"
    print_head(console, f"Calibration: the probability of {of}, predicted and observed")
    rows = [["predicted", "rows", "mean", "observed"]]
    for words, count, mean, observed in judged.calibration:
        rows.append([words, str(count), f"{mean:.3f}", f"{observed:.3f}"])
    print_table(console, rows, left=(0,))
    pairs = [
        ("calibration error", f"{judged.calibration_error:.3f}, mean difference per row"),
        ("Brier score", f"{judged.brier:.3f}"),
        ("log loss", f"{judged.log_loss:.3f}"),
    ]
    if judged.auc is not None:
        pairs.append(("area under ROC", f"{judged.auc:.3f}"))
    print_pairs(console, pairs)
    if judged.log_loss is not None and judged.log_loss > 2:
        print_wrapped(console, "A large log loss: some rows were given a probability near 0.")


# -- As JSON


def to_json(found: Evaluation) -> str:
    """Return everything, for other programs."""
    judged = found.judgement
    result: dict[str, Any] = {
        "source": found.answers.rows.source,
        "rows": len(found.answers.y),
        "target": found.answers.target,
        "notes": list(found.answers.notes),
        "error": vars(judged.estimate),
    }
    if isinstance(judged, NumberJudgement):
        result |= {
            "mean_absolute_error": judged.mean_absolute_error,
            "r2": judged.r2,
            "bias": judged.bias,
        }
        return json.dumps(result, indent=2)
    result |= {
        "classes": judged.classes,
        "confusion": judged.confusion.tolist(),
        "per_class": [_class_dict(*row) for row in judged.per_class()],
        "cost": None if judged.cost is None else vars(judged.cost),
        "calibration": [
            {"predicted": words, "rows": count, "mean": mean, "observed": observed}
            for words, count, mean, observed in judged.calibration
        ],
        "calibration_error": judged.calibration_error,
        "brier": judged.brier,
        "log_loss": judged.log_loss,
        "auc": judged.auc,
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

    judged = found.judgement
    _, ax = pyplot.subplots(figsize=(5, 5))
    if isinstance(judged, NumberJudgement):
        y, predicted = found.answers.y, found.predicted
        ends = [float(min(y.min(), predicted.min())), float(max(y.max(), predicted.max()))]
        ax.plot(ends, ends, color="grey", lw=1)
        ax.plot(predicted, y, "o", ms=3, alpha=0.5)
        ax.set(xlabel="predicted", ylabel=f"{found.answers.target}")
        return ax
    if not judged.calibration:
        raise Refusal("--plot draws the calibration, and this model has no probabilities.")
    ax.plot([0, 1], [0, 1], color="grey", lw=1)
    counts = np.array([row[1] for row in judged.calibration])
    ax.scatter(
        [row[2] for row in judged.calibration],
        [row[3] for row in judged.calibration],
        s=20 + 200 * counts / counts.max(),
        alpha=0.7,
    )
    ax.set(xlabel="predicted probability", ylabel="observed share", xlim=(0, 1), ylim=(0, 1))
    return ax
