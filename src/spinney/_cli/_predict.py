"""`spinney predict`."""

from pathlib import Path

import click

from spinney._cli._options import json_option, model_argument, out_option


@click.command("predict")
@model_argument
@click.argument("data")
@click.option("--proba", is_flag=True, help="Add the probability of each class.")
@click.option("--keep", metavar="NAME", multiple=True, help="Column to copy; may be repeated.")
@out_option("Write to this file instead of the screen.")
@json_option
def command(
    model: Path, data: str, proba: bool, keep: tuple[str, ...], out: Path | None, as_json: bool
) -> None:
    """Predict the rows of a table.

    MODEL is a file that `spinney train --out` wrote. DATA is a file with the columns of the model,
    in any order, or the name of a bundled set. The answer is CSV with a line for each row; with
    --json it is JSON lines.
    """
    from spinney._cli._model_files import load_model
    from spinney._cli._predictions import predictions, to_csv, to_json_lines
    from spinney._cli._rows import read_rows
    from spinney._cli._writing import check_output, write_text

    check_output("--out", out, data, model)
    fitted = load_model(model)
    rows = read_rows(data, fitted, keep, copied=True)
    table = predictions(fitted, rows, keep=keep, proba=proba)
    for note in rows.notes:
        click.echo(f"Note: {note}.", err=True)
    text = to_json_lines(table) if as_json else to_csv(table)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text("--out", out, text)
        click.echo(f"The predictions are in {out}.", err=True)
