"""`spinney report`: one offline page that shows a model on data."""

from pathlib import Path
from typing import Any

import click

from spinney._cli.data.columns import TextFormat
from spinney._cli.data.match import Answers, fit_options, read_answers
from spinney._cli.data.reading import numbers_of
from spinney._cli.errors import Refusal, refusing
from spinney._cli.models import load_model
from spinney._cli.output import check_output, write_text
from spinney._survival import SurvivalMixin

_LARGE = 5_000_000  # bytes, from which on a page is slow to send and to open


def run(
    model: Path,
    data: str,
    out: Path,
    holdout: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    exposure: str | None = None,
    event: str | None = None,
    **text: Any,
) -> None:
    """Write the report of a model; nothing is written if anything does not fit."""
    from spinney.report import Report

    check_output("--out", out, model, data, holdout)
    fitted = load_model(model)
    _check_event(fitted, event)
    told = (weight, exposure, event)
    answers = read_answers(data, fitted, target, TextFormat(**text), told)
    others = None
    if holdout is not None:
        kept = read_answers(holdout, fitted, target or answers.target, TextFormat(**text), told)
        others = (kept.rows.X, _target(kept, event), *fit_options(kept, weight, exposure).values())
    with refusing():
        page = Report(
            fitted,
            answers.rows.X,
            _target(answers, event),
            holdout=others,
            target=answers.target,
            **fit_options(answers, weight, exposure),
        ).to_html()
    write_text("--out", out, page)
    size = len(page.encode())
    click.echo(f"The report is in {out} ({size / 1000:,.0f} kB).")
    if size > _LARGE:
        click.echo("It is large: a smaller model makes a page that opens faster.", err=True)


def _check_event(model: Any, event: str | None) -> None:
    """Refuse lifetimes without their events, and events of other targets."""
    if isinstance(model, SurvivalMixin) != (event is not None):
        raise Refusal(
            "the model is one of lifetimes: --event names the column that is 1 where the event was "
            "seen, --target that of the times."
            if event is None
            else f"--event: {type(model).__name__} does not predict lifetimes. Leave it out."
        )


def _target(answers: Answers, event: str | None) -> Any:
    """Return what the model predicts: of lifetimes event and time."""
    if event is None:
        return answers.y
    seen = numbers_of(answers.rows.columns.values(), "--event", event)
    return {"event": seen, "time": answers.y}
