"""`spinney threshold`: what each cut would select and cost, and the one that the model keeps."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinney._cli.commands.evaluate import Evaluation, Judged, as_dict, evaluate
from spinney._cli.commands.evaluate_report import show_cuts
from spinney._cli.data.match import read_answers
from spinney._cli.decisions import need_two_classes, parse_threshold, with_threshold
from spinney._cli.memory import remember, text_format
from spinney._cli.models import load_model, save_model
from spinney._cli.output import Screen, check_output, print_result


def run(
    model: Path,
    data: str,
    target: str | None,
    costs: tuple[str, ...],
    positive: str | None,
    threshold: str | None,
    out: Path | None,
    as_json: bool,
    **text: Any,
) -> None:
    """Choose the probability from which a class is predicted."""
    check_output("--out", out, data)
    cut = parse_threshold(threshold or "cost")
    fitted = load_model(model)
    need_two_classes(fitted, "threshold")
    answers = read_answers(data, fitted, target, text_format(fitted, text))
    judged = Judged(fitted, costs, positive, cut)
    found = evaluate(judged, answers)
    chosen = Chosen(found, "least cost" if cut == "cost" else "as given", out is not None)
    if out is not None:
        assert found.scores is not None
        assert found.threshold is not None
        made = with_threshold(fitted, found.scores.positive, found.threshold)
        if costs:
            prices = tuple((a, b, float(c)) for (a, b), c in judged.prices().items())
            remember(made, made.made_for_, costs=prices)
        save_model(made, out)
    written = {"The model is in": out}
    print_result(chosen, show, lambda one: _as_dict(one), as_json=as_json, written=written)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The evaluation of a threshold, and how it was chosen."""

    found: Evaluation
    how: str
    kept: bool


def show(chosen: Chosen, screen: Screen) -> None:
    """Print the table of thresholds, and the one that is chosen."""
    found = chosen.found
    assert found.scores is not None
    screen.line(f"Data: {found.answers.rows.source}", bold=True)
    pairs = [("rows", str(len(found.answers.y))), ("target", found.answers.target)]
    pairs.append(("positive", str(found.scores.positive)))
    pairs.append(("threshold", f"{found.threshold:g}, {chosen.how}"))
    screen.pairs(pairs + [("note", note) for note in found.remarks])
    show_cuts(found.scores, found.threshold, screen)
    if not chosen.kept:
        screen.wrapped("The model is as it was: --out FILE saves it with this threshold.")


def _as_dict(chosen: Chosen) -> dict[str, Any]:
    data = as_dict(chosen.found)
    names = ("source", "rows", "target", "positive", "threshold", "thresholds", "least_cost")
    return {name: data[name] for name in names}
