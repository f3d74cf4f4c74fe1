"""`spinney report`: one offline page that shows a model on data."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spinney._cli.commands.explain import read_words
from spinney._cli.data.match import Named, fit_options, read_answers
from spinney._cli.errors import refusing
from spinney._cli.memory import text_format
from spinney._cli.models import load_model
from spinney._cli.output import check_output, write_text
from spinney._cli.saved import held_by

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
    time: str | None = None,
    words: Path | None = None,
    **text: Any,
) -> None:
    """Write the report of a model; nothing is written if anything does not fit."""
    from spinney.report import Report

    check_output("--out", out, model, data, holdout)
    fitted = load_model(model)
    named, told, how = Named(target, time, event), (weight, exposure), text_format(fitted, text)
    answers = read_answers(data, fitted, named, how, told)
    others = None
    if holdout is not None:
        if named.time is None:
            named = replace(named, target=target or answers.target)
        kept = read_answers(holdout, fitted, named, how, told)
        others = (kept.rows.X, kept.y, *fit_options(kept, weight, exposure).values())
    with refusing():
        page = Report(
            held_by(fitted),
            answers.rows.X,
            answers.y,
            holdout=others,
            target=answers.target,
            words=read_words(words),
            **fit_options(answers, weight, exposure),
        ).to_html()
    write_text("--out", out, page)
    size = len(page.encode())
    click.echo(f"The report is in {out} ({size / 1000:,.0f} kB).")
    if size > _LARGE:
        click.echo("It is large: a smaller model makes a page that opens faster.", err=True)
