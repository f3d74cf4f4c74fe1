"""`spinney distil`: one tree, or a few rules, distilled from a forest."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spinney._cli.data.match import read_answers
from spinney._cli.errors import Refusal, refusing
from spinney._cli.memory import memory_of, remember, text_format
from spinney._cli.models import load_model, save_model
from spinney._cli.output import Screen, check_output, leaves_text, print_result
from spinney.ensemble._distil import rules_like
from spinney.rules import RuleSet


@dataclass(frozen=True, eq=False)
class Found:
    """A tree distilled from a forest, and its rules if these were asked for."""

    source: str
    tree: Any
    rules: RuleSet | None


def run(
    model: Path,
    data: str,
    leaves: int,
    rules: bool,
    folds: int,
    target: str | None,
    seed: int,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Distil a forest, and show the tree or the rules, and how nearly they answer alike."""
    check_output("--out", out, data, model)
    forest = load_model(model)
    if not hasattr(forest, "distil"):
        raise Refusal(
            f"{str(model)!r} is no forest that can be distilled. Give a model of several trees, "
            "such as of spinney train --model forest."
        )
    answers = read_answers(data, forest, target, text_format(forest, options))
    rows = answers.rows.X
    with refusing():
        tree = forest.distil(
            rows, np.asarray(answers.y), max_leaves=leaves, cv=folds, random_state=seed
        )
        listed = rules_like(forest, tree, rows) if rules else None
    # The threshold was chosen for the probabilities of the forest.
    remember(tree, memory_of(forest), threshold=None, rules_differ=None)
    found = Found(str(model), tree, listed)
    save_model(tree if listed is None else listed, out)
    print_result(found, show, as_dict, as_json=as_json, written={"The model is in": out})


def show(found: Found, screen: Screen) -> None:
    """Print the tree or the rules, and what is told of them."""
    tree = found.tree.tree_
    screen.line(f"Distilled from {found.source}: {leaves_text(tree.n_leaves)}", bold=True)
    screen.tree(tree.to_text() if found.rules is None else str(found.rules))
    screen.head("The tree on rows held out")
    for line in str(found.tree.distillation_).splitlines():
        screen.wrapped(line)


def as_dict(found: Found) -> dict[str, Any]:
    """Return the tree or the rules, and what is told of them."""
    shown: dict[str, Any] = {"source": found.source, **asdict(found.tree.distillation_)}
    if found.rules is None:
        return {**shown, "tree": found.tree.tree_.to_dict()}
    return {**shown, "rules": str(found.rules).splitlines()}
