"""The result of `prune`: the sizes a tree can have, and the one that is chosen."""

import copy
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from spinney import Tree
from spinney._cli._json import path_dict
from spinney._cli._model_files import load_model
from spinney._cli._reading import Reading
from spinney._cli._refusal import Refusal
from spinney._cli._report import show_path
from spinney._cli._rows import read_answers
from spinney._cli._text import leaves_text, print_head, print_line, print_pairs, print_tree
from spinney._cli._training import Settings, refusing, train
from spinney._cli.data.columns import TextFormat
from spinney.datasets import list_datasets
from spinney.pruning import PruningPath, cost_complexity_path, select


@dataclass(frozen=True, eq=False)
class Choice:
    """A sequence of subtrees, and one of them."""

    source: str
    estimator: Any  # fitted, with the tree as it was
    path: PruningPath
    chosen: int
    judged_by: str
    remarks: tuple[tuple[str, str], ...] = ()  # about the table

    @property
    def tree(self) -> Tree:
        """The tree that was chosen."""
        return self.path.trees[self.chosen]

    def model(self) -> Any:
        """Return the estimator with that tree."""
        model = copy.copy(self.estimator)
        vars(model).pop("rules_", None)  # those of C4.5 were of the larger tree
        model.tree_ = self.tree
        return model

    def draw(self) -> Any:
        """Draw the error of each size; return the axes."""
        from spinney.plot import plot_pruning_path

        return plot_pruning_path(self.path)


def is_model_file(source: str) -> bool:
    """Say whether a source names a model rather than a table."""
    return source not in list_datasets() and source.lower().endswith(".spinney")


def from_table(reading: Reading, settings: Settings) -> Choice:
    """Grow a tree, and judge its subtrees by cross-validation."""
    training = train(reading, settings)
    path: PruningPath = training.model.pruning_path_
    assert path.selected is not None
    judge = f"{training.n_folds}-fold cross-validation"
    remarks = tuple(reading.remarks)
    return Choice(reading.source, training.model, path, path.selected, judge, remarks)


def from_model(
    file: Path, test: str | None, target: str | None, rule: str, text: TextFormat
) -> Choice:
    """Take the tree of a model; judge its subtrees by rows, if any are given."""
    model = load_model(file)
    if not hasattr(model, "tree_"):
        raise Refusal(f"{str(file)!r} is no single tree: only one tree can be pruned here.")
    own: PruningPath | None = getattr(model, "pruning_path_", None)
    if test is not None:
        path = cost_complexity_path(own.trees[0] if own is not None else model.tree_)
        answers = read_answers(test, model, target, text)
        with refusing():
            select(path, answers.rows.X, answers.y, rule)
        assert path.selected is not None
        return Choice(str(file), model, path, path.selected, f"{len(answers.y)} rows of {test}")
    if own is not None and own.errors is not None and own.standard_errors is not None:
        own.choose(own.errors, own.standard_errors, rule)
        assert own.selected is not None
        return Choice(str(file), model, own, own.selected, "the cross-validation of its training")
    return Choice(str(file), model, cost_complexity_path(model.tree_), 0, "nothing but training")


def choose(found: Choice, *, leaves: int | None, alpha: float | None) -> Choice:
    """Choose by a number of leaves or a price instead of by the rule."""
    if leaves is not None and alpha is not None:
        raise Refusal("--leaves and --alpha both choose a size: give one of them.")
    if alpha is not None and math.isnan(alpha):
        raise Refusal("--alpha must be a number, got nan.")
    path, place = found.path, found.chosen
    if leaves is not None:
        place = int(np.flatnonzero(path.n_leaves <= leaves)[0])
    elif alpha is not None:
        place = int(np.flatnonzero(path.alphas <= alpha * (1 + 1e-10))[-1])
    else:
        return found
    path.selected, path.rule = place, None
    return replace(found, chosen=place)


def show(found: Choice, console: Console) -> None:
    """Print the sequence and the tree that was chosen."""
    print_line(console, f"Tree of {found.source}, judged by {found.judged_by}", bold=True)
    if found.remarks:
        print_pairs(console, found.remarks)
    show_path(found.path, console)
    tree = found.tree
    print_head(console, f"Chosen: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
    print_tree(console, tree.to_text(max_depth=None if tree.n_leaves <= 60 else 4))


def to_json(found: Choice) -> str:
    """Return the sequence and the tree, for other programs."""
    path = path_dict(found.path) | {"selected": found.chosen}
    about: dict[str, Any] = {"source": found.source, "judged_by": found.judged_by}
    about["remarks"] = [words for _, words in found.remarks]
    return json.dumps(about | {"pruning": path, "tree": found.tree.to_dict()}, indent=2)
