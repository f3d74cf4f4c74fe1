"""`spinney rules`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._options import answers_option, file_options, model_argument, out_option


@click.command("rules")
@model_argument
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "sql", "c", "python", "json"]),
    default="text",
    show_default=True,
)
@click.option("--paths", is_flag=True, help="All paths of the tree, also if it has shorter rules.")
@click.option("--prune", metavar="DATA", help="Shorten the rules by these rows, as C4.5rules does.")
@answers_option
@click.option("--table", metavar="NAME", default="data", show_default=True, help="SQL: the table.")
@click.option("--keep", metavar="NAME", multiple=True, help="SQL: column to select as well.")
@click.option("--proba", is_flag=True, help="SQL: add the probability of each class.")
@click.option("--prefix", default="model", show_default=True, help="C: how names begin.")
@file_options
@out_option("Write to this file instead of the screen.")
def command(
    model: Path,
    format_: str,
    paths: bool,
    prune: str | None,
    target: str | None,
    table: str,
    keep: tuple[str, ...],
    proba: bool,
    prefix: str,
    out: Path | None,
    **options: Any,
) -> None:
    """Write a model as rules, SQL, C, Python or JSON.

    MODEL is a file that `spinney train --out` wrote, of one tree. Each answers as the model does,
    gaps and unknown categories included. The rules of C4.5 are shorter than its tree and may answer
    differently; --paths gives the tree itself.
    """
    from spinney._cli._model_files import load_model
    from spinney._cli._ruling import rules_of, written
    from spinney._cli._writing import check_output, write_text
    from spinney._cli.data.columns import TextFormat

    check_output("--out", out, model, prune)
    fitted = load_model(model)
    rules = rules_of(fitted, paths=paths, prune=prune, target=target, text=TextFormat(**options))
    text = written(rules, format_, table=table, keep=list(keep), probabilities=proba, prefix=prefix)
    if out is None:
        click.echo(text, color=True)  # as it is, escape sequences and all
    else:
        write_text("--out", out, text + "\n")
        click.echo(f"The rules are in {out}.", err=True)
