"""The rules of a model, and the forms they can be written in."""

from typing import Any

from spinney._cli._refusal import Refusal
from spinney._cli._rows import read_answers
from spinney._cli._training import refusing
from spinney._cli.data.columns import TextFormat
from spinney.export import to_c, to_json, to_python, to_sql


def rules_of(
    model: Any, *, paths: bool, prune: str | None, target: str | None, text: TextFormat
) -> Any:
    """Return what is to be written: the rules of C4.5, rules shortened by rows, or the tree."""
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


def written(
    rules: Any, format_: str, *, table: str, keep: list[str], probabilities: bool, prefix: str
) -> str:
    """Return rules, or a tree, in a format."""
    with refusing():
        if format_ == "sql":
            return to_sql(rules, table, keep=keep, probabilities=probabilities).rstrip("\n")
        if format_ == "c":
            return to_c(rules, prefix).rstrip("\n")
        if format_ == "python":
            return to_python(rules).rstrip("\n")
        if format_ == "json":
            return to_json(rules, indent=2)
        return str(rules.rules() if hasattr(rules, "rules") and callable(rules.rules) else rules)
