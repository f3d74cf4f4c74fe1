"""`spinney compare`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._options import (
    MODEL_CHOICE,
    folds_option,
    jobs_option,
    json_option,
    reading_options,
    seed_option,
)


@click.command("compare")
@click.argument("data", nargs=-1, required=True)
@reading_options
@click.option(
    "--model",
    "models",
    type=MODEL_CHOICE,
    metavar="NAME",
    multiple=True,
    help="A model to compare, of those that `spinney train --help` lists; may be repeated. "
    "Default: a choice of trees and forests.",
)
@folds_option("--folds")
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    metavar="N",
    default=2,
    show_default=True,
    help="How often the rows are dealt into folds.",
)
@click.option(
    "--holdout",
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Instead of folds: keep this share of the rows for testing, at random, --repeats times.",
)
@seed_option
@jobs_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the results and a report with pictures here. A run that was stopped goes on.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["html", "md"]),
    default="html",
    show_default=True,
    help="How the report is written.",
)
@json_option
def command(
    data: tuple[str, ...],
    models: tuple[str, ...],
    folds: int,
    repeats: int,
    holdout: float | None,
    seed: int,
    jobs: int,
    out: Path | None,
    format_: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare models on the same partitions, with statistics.

    DATA is the name of a bundled set or a file; several are compared over all of them. Every model
    is trained and tested on the same rows. The table gives the error, the p value of the corrected
    t-test against the best, the number of leaves, and the time.
    """
    from spinney._cli._comparison import Plan, compare, show, to_json
    from spinney._cli._comparison_page import write_page
    from spinney._cli._reading import Choices, read_data
    from spinney._cli._text import make_console

    readings = [read_data(name, Choices(**options)) for name in data]
    plan = Plan(models, folds=folds, repeats=repeats, holdout=holdout, seed=seed, jobs=jobs)
    found = compare(readings, plan, out)
    page = None if out is None else write_page(found, out, format_)  # files first
    if as_json:
        click.echo(to_json(found))
    else:
        show(found, make_console())
    if page is not None:
        click.echo(f"\nThe report is in {page}.", err=as_json)
