"""What `spinney evaluate` shows: as text, and as a picture."""

import math
from typing import Any

import numpy as np

from spinney._cli.commands.evaluate import Evaluation
from spinney._cli.errors import Refusal
from spinney._cli.lifetimes import SurvivalMetrics, draw_curves
from spinney._cli.metrics import ClassMetrics, NumberMetrics
from spinney._cli.output import Screen
from spinney._cli.scores import Cut, Scores, mean_interval
from spinney._cli.stability import Population
from spinney._cli.summary import estimate_pairs
from spinney._format import category_text, number_text, plural

_MOST_COLUMNS = 5


def show(found: Evaluation, screen: Screen) -> None:
    """Print everything, for people; the cost first, where mistakes have costs."""
    answers, metrics = found.answers, found.metrics
    screen.line(f"Data: {answers.rows.source}", bold=True)
    pairs = [("rows", str(len(answers.y))), ("target", answers.target)]
    if found.scores is not None:
        pairs.append(("positive", str(found.scores.positive)))
    if found.threshold is not None:
        words = f"{found.threshold:g}: predicted from this probability on"
        pairs.append(("threshold", words))
    screen.pairs(pairs + [("note", note) for note in found.remarks])
    if isinstance(metrics, SurvivalMetrics):
        _show_lifetimes(metrics, screen)
    elif isinstance(metrics, NumberMetrics):
        screen.head("Error")
        screen.pairs(estimate_pairs(metrics.estimate) + _number_pairs(metrics))
    else:
        _show_classes(found, metrics, screen)
    if found.population is not None:
        _show_population(found.population, screen)


def _show_lifetimes(metrics: SurvivalMetrics, screen: Screen) -> None:
    screen.head("Concordance: pairs of rows whose risks are in the order of their events")
    screen.pairs(estimate_pairs(metrics.estimate))
    screen.head("Events")
    seen, expected = metrics.n_events, metrics.expected
    told = f"{expected:.1f}, by the hazards up to the time of each row"
    pairs = [("seen", f"{seen:g}"), ("expected", told)]
    if expected > 0:
        pairs.append(("ratio", f"{seen / expected:.3f}, above 1 where risks are underestimated"))
    screen.pairs(pairs)


def _show_classes(found: Evaluation, metrics: ClassMetrics, screen: Screen) -> None:
    if metrics.cost is not None:
        screen.head("Cost")
        screen.pairs(estimate_pairs(metrics.cost))
    screen.head("Error")
    screen.pairs(estimate_pairs(metrics.estimate))
    _show_confusion(metrics, screen)
    _show_rates(metrics, screen)
    if found.scores is not None:
        show_cuts(found.scores, found.threshold, screen)
        _show_scores(found.scores, screen)
    if metrics.calibration:
        _show_calibration(metrics, found.scores, screen)


def _number_pairs(metrics: NumberMetrics) -> list[tuple[str, str]]:
    pairs = [("mean absolute error", number_text(metrics.mean_absolute_error, 4))]
    if metrics.r2 is not None:
        name = "D squared" if metrics.is_deviance else "R squared"
        pairs.append((name, f"{round(metrics.r2, 3) + 0.0:.3f}"))  # never -0.000
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


def _show_rates(metrics: ClassMetrics, screen: Screen) -> None:
    screen.head("Classes")
    rows = [["class", "rows", "recall", "precision", "F1"]]
    for label, count, *shares in metrics.per_class():
        rows.append([str(label), str(count), *map(_share_text, shares)])
    screen.table(rows, left=(0,))


def _share_text(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.3f}"


# -- Thresholds


def show_cuts(scores: Scores, threshold: float | None, screen: Screen) -> None:
    """Print what each cut selects, finds and costs."""
    screen.head(f"Thresholds: rows whose probability of {scores.positive} is at least the cut")
    rows = [["cut", "selected", "recall", "precision", "lift", "gain", "cost"]]
    rows += [_cut_row(cut) for cut in scores.cuts()]
    screen.table(rows)
    costs = ""
    if (scores.missed, scores.alarm) != (1.0, 1.0):
        costs = f" (missed {scores.missed:g}, false alarm {scores.alarm:g})"
    pairs = [("gain", f"rows of {scores.positive} found so far; cost per row{costs}")]
    least = scores.least_cost()
    words = f"cut {least.cut:g}: {number_text(least.cost, 4)} per row"
    pairs.append(("least cost", f"{words}, {100 * least.share:.1f} % selected"))
    if threshold is not None:
        own = scores.at(threshold)
        words = f"cut {threshold:g}: {number_text(own.cost, 4)} per row"
        pairs.append(("threshold", f"{words}, {100 * own.share:.1f} % selected"))
    screen.pairs(pairs)


def _cut_row(cut: Cut) -> list[str]:
    return [
        f"{cut.cut:.3f}",
        f"{100 * cut.share:.1f} %",
        _share_text(cut.recall),
        _share_text(cut.precision),
        "-" if math.isnan(cut.lift) else f"{cut.lift:.2f}",
        str(cut.found),
        number_text(cut.cost, 4),
    ]


def _show_scores(scores: Scores, screen: Screen) -> None:
    screen.head(f"Scores: how the probability of {scores.positive} ranks and fits")
    pairs = []
    if scores.has_both:
        low, high = scores.auc_interval()
        pairs += [
            ("area under ROC", f"{scores.auc:.3f}, 95 % interval {low:.3f} to {high:.3f}"),
            ("Gini", f"{scores.gini:.3f}"),
            ("KS", f"{scores.ks:.3f}"),
        ]
    for name, each in (("Brier score", scores.squares), ("log loss", scores.log_losses)):
        mean, low, high = mean_interval(each)
        pairs.append((name, f"{mean:.3f}, 95 % interval {low:.3f} to {high:.3f}"))
    screen.pairs(pairs)


def _show_calibration(metrics: ClassMetrics, scores: Scores | None, screen: Screen) -> None:
    of = "the likeliest class" if scores is None else str(scores.positive)
    screen.head(f"Calibration: the probability of {of}, predicted and observed")
    rows = [["predicted", "rows", "mean", "observed"]]
    for words, count, mean, observed in metrics.calibration:
        rows.append([words, str(count), f"{mean:.3f}", f"{observed:.3f}"])
    screen.table(rows, left=(0,))
    pairs = [("calibration error", f"{metrics.calibration_error:.3f}, mean difference per row")]
    if scores is None:
        pairs += [("Brier score", f"{metrics.brier:.3f}"), ("log loss", f"{metrics.log_loss:.3f}")]
    screen.pairs(pairs)
    if metrics.log_loss is not None and metrics.log_loss > 2:
        screen.wrapped("A large log loss: some rows were given a probability near 0.")


def _show_population(found: Population, screen: Screen) -> None:
    rows_text = plural(found.n_training, "training row")
    screen.head(f"Population: compared with the {rows_text} (stability index)")
    pairs = []
    if found.classes and len(found.classes) <= _MOST_COLUMNS:
        shown = [
            f"{category_text(label)} {100 * here:.1f} % (training {100 * before:.1f} %)"
            for label, before, here in found.classes
        ]
        pairs.append(("classes", ", ".join(shown)))
    if found.leaves is not None:
        pairs.append(("leaves", f"{found.leaves:.3f}, {found.verdict(None)}"))
    ranked = sorted(found.columns.items(), key=lambda pair: -pair[1])
    for name, index in ranked[:_MOST_COLUMNS]:
        pairs.append((name, f"{index:.3f}, {found.verdict(name)}"))
    screen.pairs(pairs)
    left = ranked[_MOST_COLUMNS:]
    if left:
        most = left[0][1]
        screen.wrapped(f"and {plural(len(left), 'column')} more, up to {most:.3f}")


# -- As a picture


def draw(found: Evaluation) -> Any:
    """Draw observed against predicted; of two classes the curves of the score. Return axes."""
    from matplotlib import pyplot

    metrics = found.metrics
    if found.scores is not None:
        return _draw_scores(found, found.scores)
    _, ax = pyplot.subplots(figsize=(5, 5))
    if isinstance(metrics, SurvivalMetrics):
        return draw_curves(metrics, found.answers.target, ax)
    if isinstance(metrics, NumberMetrics):
        y, predicted = found.answers.y, found.predicted
        ends = [float(min(y.min(), predicted.min())), float(max(y.max(), predicted.max()))]
        ax.plot(ends, ends, color="grey", lw=1)
        ax.plot(predicted, y, "o", ms=3, alpha=0.5)
        ax.set(xlabel="predicted", ylabel=f"{found.answers.target}")
        return ax
    if not metrics.calibration:
        raise Refusal("--plot draws the calibration, and this model has no probabilities.")
    return _draw_calibration(metrics, ax)


def _draw_calibration(metrics: ClassMetrics, ax: Any) -> Any:
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


def _draw_scores(found: Evaluation, scores: Scores) -> Any:
    """Draw ROC, gains, lift, precision and recall, calibration and the scores of both classes."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(12, 8), layout="constrained")
    (roc, gains, lift), (precision, calibrated, spread) = axes
    false, true = scores.roc()
    share, recall = scores.gains()
    for ax, x, y in ((roc, false, true), (gains, share, recall)):
        ax.plot([0, 1], [0, 1], color="grey", lw=1)
        ax.plot(x, y)
    roc.set(title=f"ROC, area {scores.auc:.3f}", xlabel="false alarms", ylabel="recall")
    gains.set(title="Gains", xlabel="share selected", ylabel="recall")
    with np.errstate(invalid="ignore", divide="ignore"):
        lift.plot(share[1:], recall[1:] / share[1:])
    lift.axhline(1.0, color="grey", lw=1)
    lift.set(title="Lift", xlabel="share selected", ylabel="lift", xlim=(0, 1))
    precision.plot(*scores.precision_recall(), drawstyle="steps-pre")
    precision.axhline(scores.n_positive / scores.n_rows, color="grey", lw=1)
    precision.set(title="Precision and recall", xlabel="recall", ylabel="precision")
    precision.set(xlim=(0, 1), ylim=(0, 1))
    assert isinstance(found.metrics, ClassMetrics)
    _draw_calibration(found.metrics, calibrated).set_title("Calibration")
    bins = np.linspace(0, 1, 21)
    for happened, name in ((True, str(scores.positive)), (False, "the other class")):
        spread.hist(scores.score[scores.happened == happened], bins, alpha=0.5, label=name)
    if found.threshold is not None:
        spread.axvline(found.threshold, color="black", lw=1, ls="--", label="threshold")
    spread.legend()
    spread.set(title="Scores", xlabel=f"probability of {scores.positive}", ylabel="rows")
    figure.suptitle(f"{found.answers.target}: {scores.positive}")
    return roc
