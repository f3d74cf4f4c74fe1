"""`spinney explain`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._options import file_options, json_option, model_argument


@click.command("explain")
@model_argument
@click.argument("data", required=False)
@click.option(
    "--row",
    type=click.IntRange(min=1),
    help="Which row of DATA; the first is 1.",
)
@click.option(
    "--set",
    "given",
    metavar="NAME=VALUE",
    multiple=True,
    help="A cell of the row, instead of DATA or over it; may be repeated.",
)
@file_options
@json_option
def command(
    model: Path,
    data: str | None,
    row: int | None,
    given: tuple[str, ...],
    as_json: bool,
    **text: Any,
) -> None:
    """Tell why one row is predicted as it is.

    For a tree: its path in words, and what would have to change for another answer. For a forest:
    how its trees vote, and which columns they asked. Without DATA the cells that --set does not
    name are missing.
    """
    from spinney._cli._model_files import load_model
    from spinney._cli._why import explanation, one_row, to_json
    from spinney._cli.data.columns import TextFormat

    fitted = load_model(model)
    found = explanation(fitted, one_row(fitted, data, row, given, TextFormat(**text)))
    click.echo(to_json(found) if as_json else found.text)
