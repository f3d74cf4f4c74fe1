"""`spinney rules`: the rules of a model, and the forms they can be written in."""

from pathlib import Path
from typing import Any

import click

from spinney import Tree
from spinney._cli.data.columns import TextFormat
from spinney._cli.data.match import read_answers
from spinney._cli.errors import Refusal, refusing
from spinney._cli.models import load_model
from spinney._cli.output import check_output, write_text
from spinney.export import to_c, to_json, to_python, to_sql


def run(
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
    """Write the rules of a model."""
    check_output("--out", out, model, prune)
    fitted = load_model(model)
    rules = rules_of(fitted, paths=paths, prune=prune, target=target, text=TextFormat(**options))
    writers = {
        "text": lambda: str(rules.rules() if isinstance(rules, Tree) else rules),
        "sql": lambda: to_sql(rules, table, keep=list(keep), probabilities=proba),
        "c": lambda: to_c(rules, prefix),
        "python": lambda: to_python(rules),
        "json": lambda: to_json(rules, indent=2),
    }
    with refusing():
        text = writers[format_]().rstrip("\n")
    if out is None:
        click.echo(text, color=True)  # escape sequences in names are kept
    else:
        write_text("--out", out, text + "\n")
        click.echo(f"The rules are in {out}.", err=True)


def rules_of(
    model: Any, *, paths: bool, prune: str | None, target: str | None, text: TextFormat
) -> Any:
    """Return what is to be written: the rules of C4.5, simplified rules, or the tree."""
    if not hasattr(model, "tree_"):
        raise Refusal(
            "this model is no single tree, so it has no rules. "
            "Train one: spinney train --model cart, c45, igpa or gp."
        )
    if prune is not None:
        answers = read_answers(prune, model, target, text)
        with refusing():
            return model.tree_.rules().prune(answers.rows.X, answers.y)
    rules = getattr(model, "rules_", None)
    return model.tree_ if paths or rules is None else rules
