"""`spinney predict`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._options import file_options, json_option, model_argument, out_option


@click.command("predict")
@model_argument
@click.argument("data")
@click.option("--proba", is_flag=True, help="Add the probability of each class.")
@click.option("--keep", metavar="NAME", multiple=True, help="Column to copy; may be repeated.")
@click.option(
    "--safe-cells",
    is_flag=True,
    help="CSV: put ' before text that spreadsheets take for a formula, such as =1+1.",
)
@file_options
@out_option("Write to this file instead of the screen.")
@json_option
def command(
    model: Path,
    data: str,
    proba: bool,
    keep: tuple[str, ...],
    safe_cells: bool,
    out: Path | None,
    as_json: bool,
    **text: Any,
) -> None:
    """Predict the rows of a table.

    MODEL is a file that `spinney train --out` wrote. DATA is a file with the columns of the model,
    in any order, - for standard input, or the name of a bundled set. The answer is CSV with a line
    for each row; with --json it is JSON lines.
    """
    from spinney._cli._model_files import load_model
    from spinney._cli._predictions import check_kept, predictions, to_csv, to_json_lines
    from spinney._cli._rows import read_rows
    from spinney._cli._writing import check_output, write_text
    from spinney._cli.data.columns import TextFormat

    check_output("--out", out, data, model)
    fitted = load_model(model)
    check_kept(fitted, keep, proba=proba)
    rows = read_rows(data, fitted, keep, copied=True, text=TextFormat(**text))
    table = predictions(fitted, rows, keep=keep, proba=proba)
    for note in rows.notes:
        click.echo(f"Note: {note}.", err=True)
    written = to_json_lines(table) if as_json else to_csv(table, safe=safe_cells)
    if out is None:
        click.echo(written, nl=False, color=True)  # as it is, escape sequences and all
    else:
        write_text("--out", out, written)
        click.echo(f"The predictions are in {out}.", err=True)
