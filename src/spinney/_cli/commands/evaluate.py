"""`spinney evaluate`: predictions of labelled rows, their errors and calibration."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli.counts import Told, deviance_of
from spinney._cli.data.match import Answers, Named, read_answers
from spinney._cli.data.reading import numbers_of
from spinney._cli.decisions import (
    decide,
    need_two_classes,
    parse_threshold,
    threshold_of,
    two_costs,
)
from spinney._cli.errors import Refusal, refusing
from spinney._cli.lifetimes import SurvivalMetrics, survival_metrics
from spinney._cli.memory import difference_words, memory_of, positive_of, text_format
from spinney._cli.metrics import (
    ClassMetrics,
    Costs,
    NumberMetrics,
    class_metrics,
    number_metrics,
    parse_costs,
)
from spinney._cli.models import is_classifier, is_survival, load_model
from spinney._cli.output import check_plot_file, print_result, save_plot
from spinney._cli.scores import Cut, Scores, mean_interval
from spinney._cli.stability import Population, population
from spinney._counts import check_counts, check_exposure
from spinney._target import check_weights

_TRAINING = (
    "these look like the training rows, on which every model seems better than it is: use others "
    "for an honest estimate"
)


def run(
    model: Path,
    data: str,
    target: str | None,
    costs: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    exposure: str | None = None,
    weight: str | None = None,
    event: str | None = None,
    time: str | None = None,
    positive: str | None = None,
    threshold: str | None = None,
    rules: bool = False,
    **text: Any,
) -> None:
    """Evaluate a model on labelled data."""
    from spinney._cli.commands.evaluate_report import draw, show

    check_plot_file(plot)
    fitted = load_model(model)
    cut = parse_threshold(threshold)
    memory = memory_of(fitted)
    if exposure is None and memory is not None and deviance_of(fitted) is not None:
        exposure = memory.exposure
    named = Named(target, time, event)
    answers = read_answers(data, fitted, named, text_format(fitted, text), (weight, exposure))
    judged = Judged(fitted, costs, positive, cut)
    if rules:
        found = evaluate_rules(judged, answers)
    else:
        found = evaluate(judged, answers, weight, exposure)
    save_plot(lambda: draw(found), plot)
    print_result(found, show, as_dict, as_json=as_json, written={"The picture is in": plot})


@dataclass(frozen=True)
class Judged:
    """A model, and what a user says about its decisions."""

    model: Any
    costs: Sequence[str] = ()
    positive: str | None = None
    threshold: float | str | None = None  # "cost" for the one of least cost

    def prices(self) -> Costs:
        """Return the costs that are given, else those of the training."""
        memory = memory_of(self.model)
        if not self.costs:
            return {} if memory is None else memory.prices
        if not is_classifier(self.model):
            raise Refusal("--cost: this model predicts numbers; errors of classes have costs.")
        return parse_costs(self.costs, self.model.classes_.tolist())


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Labelled rows, their predictions, and the metrics of these."""

    answers: Answers
    predicted: NDArray[Any]
    metrics: ClassMetrics | NumberMetrics | SurvivalMetrics
    scores: Scores | None = None  # of two classes
    threshold: float | None = None  # by which rows are decided
    population: Population | None = None
    notes: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """All notes, also that rows look like those that trained the model."""
        around, notes = self.population, (*self.answers.notes, *self.notes)
        if around is None or not around.is_training(len(self.answers.y)):
            return notes
        return (*notes, _TRAINING)


def evaluate(
    judged: Judged, answers: Answers, weight: str | None = None, exposure: str | None = None
) -> Evaluation:
    """Predict labelled rows, and compute the metrics."""
    model = judged.model
    criterion = deviance_of(model)
    untold = weight is None or is_survival(model)
    if criterion is None and not (untold and exposure is None):
        option = "--exposure" if untold else "--weight"
        raise Refusal(f"{option}: it is for models of counts and amounts.")
    with refusing():
        if is_classifier(model):
            return _classes(judged, answers)
        if judged.threshold is not None or judged.positive is not None:
            option = "--threshold" if judged.threshold is not None else "--positive"
            raise Refusal(f"{option}: this model predicts numbers, no classes.")
        judged.prices()
        if is_survival(model):
            return _lifetimes(model, answers, weight)
        predicted = model.predict(answers.rows.X)
        metrics: Any = number_metrics(answers.y, predicted)
        if criterion is not None:
            metrics = _count_metrics(criterion, answers, predicted, weight, exposure)
        around = population(model, answers.rows, answers.y)
        return Evaluation(answers, predicted, metrics, population=around)


def _lifetimes(model: Any, answers: Answers, weight: str | None) -> Evaluation:
    """Return the evaluation of a model of lifetimes."""
    X, y = answers.rows.X, answers.y
    weights = numbers_of(answers.rows.columns.values(), "--weight", weight)
    metrics = survival_metrics(model, X, y, weights)
    around = population(model, answers.rows, y)
    return Evaluation(answers, model.predict(X), metrics, population=around)


def _classes(judged: Judged, answers: Answers) -> Evaluation:
    """Return the evaluation of a classifier."""
    model, prices, X = judged.model, judged.prices(), answers.rows.X
    classes = model.classes_.tolist()
    shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    if judged.threshold is not None:
        need_two_classes(model)
    positive, cut = positive_of(model, judged.positive), threshold_of(model)
    scores = _scores(classes, answers.y, shares, positive, prices)
    if scores is not None and judged.threshold is not None:
        given = judged.threshold
        cut = scores.least_cost().cut if given == "cost" else float(given)
    place = 1 if positive is None else classes.index(positive)
    if scores is not None and cut is not None:
        predicted = model.classes_[np.where(scores.score >= cut, place, 1 - place)]
    else:
        predicted = decide(model, X)
    metrics = class_metrics(classes, answers.y, predicted, shares, prices, place=place)
    around = population(model, answers.rows, answers.y)
    return Evaluation(answers, predicted, metrics, scores, cut, around)


def _scores(
    classes: Sequence[Any], y: NDArray[Any], shares: Any, positive: Any, prices: Costs
) -> Scores | None:
    """Return the scores of the positive class of two; None if there are none."""
    if shares is None or positive is None:
        return None
    place = classes.index(positive)
    both = two_costs(prices, positive, classes[1 - place])
    return Scores(positive, y == positive, shares[:, place], *both)


def evaluate_rules(judged: Judged, answers: Answers) -> Evaluation:
    """Evaluate the rules of C4.5 instead of its tree, and say how often they differ."""
    model = judged.model
    rules = getattr(model, "rules_", None)
    if rules is None:
        raise Refusal("--rules: this model has no rules of its own. C4.5 has: --model c45.")
    if judged.threshold is not None:
        raise Refusal("--threshold: rules predict by the first that fires. Leave out one option.")
    classes, prices = model.classes_.tolist(), judged.prices()
    positive = positive_of(model, judged.positive)
    with refusing():
        predicted = rules.predict(answers.rows.X)
        shares = rules.predict_proba(answers.rows.X)
        place = 1 if positive is None else classes.index(positive)
        metrics = class_metrics(classes, answers.y, predicted, shares, prices, place=place)
    scores = _scores(classes, answers.y, shares, positive, prices)
    notes: tuple[str, ...] = ()
    if hasattr(model, "tree_"):
        differ = float(np.mean(predicted != decide(model, answers.rows.X)))
        notes = (difference_words(differ, "these rows"),)
    return Evaluation(answers, predicted, metrics, scores, notes=notes)


def _count_metrics(
    criterion: str,
    answers: Answers,
    predicted: NDArray[Any],
    weight: str | None,
    exposure: str | None,
) -> NumberMetrics:
    """Return the deviance of predicted rates, and how far they are off."""
    columns = answers.rows.columns.values()
    weights = numbers_of(columns, "--weight", weight)
    exposures = numbers_of(columns, "--exposure", exposure)
    y = np.asarray(answers.y, dtype=np.float64)
    told = Told(len(y), weights, exposures)
    check_weights(told.weight, len(y))
    exposed = check_exposure(exposures, told.weight, criterion)
    check_counts(y, told.weight, exposed, criterion)
    found = told.estimate(criterion, y, predicted)
    rest = predicted - (y / exposed if len(exposed) else y)
    return NumberMetrics(
        found,
        float(np.average(np.abs(rest), weights=told.time)),
        None if found.relative is None else 1.0 - found.relative,
        float(np.average(rest, weights=told.time)),
        is_deviance=True,
    )


# -- As JSON


def as_dict(found: Evaluation) -> dict[str, Any]:
    """Return everything, for other programs."""
    metrics = found.metrics
    result: dict[str, Any] = {
        "source": found.answers.rows.source,
        "rows": len(found.answers.y),
        "target": found.answers.target,
        "notes": list(found.remarks),
        "error": vars(metrics.estimate),
        "population": _population_dict(found.population),
    }
    if isinstance(metrics, SurvivalMetrics):
        return result | {"events": metrics.n_events, "expected_events": metrics.expected}
    if isinstance(metrics, NumberMetrics):
        names = {"mean_absolute_error": "mean_absolute_error", "r2": "r2", "bias": "bias"}
        if metrics.is_deviance:
            names["r2"] = "d2"
        return result | {told: getattr(metrics, name) for name, told in names.items()}
    return result | {
        "classes": metrics.classes,
        "confusion": metrics.confusion.tolist(),
        "per_class": [
            {"class": label, "rows": count, "recall": recall, "precision": precision, "f1": f1}
            for label, count, recall, precision, f1 in metrics.per_class()
        ],
        "cost": None if metrics.cost is None else vars(metrics.cost),
        "calibration": [
            {"predicted": words, "rows": count, "mean": mean, "observed": observed}
            for words, count, mean, observed in metrics.calibration
        ],
        "calibration_error": metrics.calibration_error,
        "brier": metrics.brier,
        "log_loss": metrics.log_loss,
        "auc": metrics.auc,
        **(_score_dict(found, found.scores) if found.scores is not None else {}),
    }


def _score_dict(found: Evaluation, scores: Scores) -> dict[str, Any]:
    data: dict[str, Any] = {
        "positive": scores.positive,
        "threshold": found.threshold,
        "thresholds": [_cut_dict(cut) for cut in scores.cuts()],
        "least_cost": _cut_dict(scores.least_cost()),
        "brier_interval": list(mean_interval(scores.squares)[1:]),
        "log_loss_interval": list(mean_interval(scores.log_losses)[1:]),
    }
    if scores.has_both:
        interval = list(scores.auc_interval())
        data |= {"gini": scores.gini, "ks": scores.ks, "auc_interval": interval}
    return data


def _cut_dict(cut: Cut) -> dict[str, Any]:
    return vars(cut) | {"cumulative_gain": cut.recall}


def _population_dict(found: Population | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "training_rows": found.n_training,
        "classes": [
            {"class": label, "training": before, "here": here}
            for label, before, here in found.classes
        ],
        "columns": {
            name: {"stability_index": index, "verdict": found.verdict(name)}
            for name, index in found.columns.items()
        },
        "leaves": found.leaves,
    }
