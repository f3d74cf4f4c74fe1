"""`spinney rules`: the rules of a model, and the forms they can be written in."""

from pathlib import Path
from typing import Any

import click

from spinney import Tree
from spinney._cli.data.columns import TextFormat
from spinney._cli.data.match import read_answers
from spinney._cli.decisions import decide
from spinney._cli.errors import Refusal, refusing
from spinney._cli.memory import JUDGE_RULES, difference_words, memory_of, text_format
from spinney._cli.models import load_model
from spinney._cli.output import check_output, print_or_write
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
    text = text_format(fitted, options)
    rules, note = rules_of(fitted, paths=paths, prune=prune, target=target, text=text)
    writers = {
        "text": lambda: str(rules.rules() if isinstance(rules, Tree) else rules),
        "sql": lambda: to_sql(rules, table_parts(table), keep=list(keep), probabilities=proba),
        "c": lambda: to_c(rules, prefix),
        "python": lambda: to_python(rules),
        "json": lambda: to_json(rules, indent=2),
    }
    with refusing():
        written = writers[format_]().rstrip("\n")
    if note is not None:
        click.echo(f"Note: {note}.", err=True)
    print_or_write(f"{written}\n", out, "rules")


def table_parts(name: str) -> str | list[str]:
    """Return schema and table of a name with points, such as sales.loans."""
    parts = name.split(".")
    if not all(parts):
        raise Refusal(f"--table: write NAME or SCHEMA.NAME, not {name!r}.")
    return parts if len(parts) > 1 else name


def rules_of(
    model: Any, *, paths: bool, prune: str | None, target: str | None, text: TextFormat
) -> tuple[Any, str | None]:
    """Return what is to be written, and whether it answers otherwise than the tree.

    That is the rules of C4.5, simplified rules, or the tree.
    """
    if not hasattr(model, "tree_"):
        raise Refusal(
            "this model is no single tree, so it has no rules. "
            "`spinney export` writes all of its trees; `spinney distil` makes one tree of them."
        )
    if prune is not None:
        answers = read_answers(prune, model, target, text)
        with refusing():
            simple = model.tree_.rules().prune(answers.rows.X, answers.y)
            differ = simple.predict(answers.rows.X) != decide(model, answers.rows.X)
        return simple, difference_words(float(differ.mean()), "these rows")
    rules = getattr(model, "rules_", None)
    if paths or rules is None:
        return model.tree_, None
    memory = memory_of(model)
    if memory is None or memory.rules_differ is None:
        return rules, f"the rules may answer otherwise than the tree; {JUDGE_RULES}"
    return rules, f"{difference_words(memory.rules_differ)}; {JUDGE_RULES}"
