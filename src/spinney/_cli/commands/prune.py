"""`spinney prune`: the pruning sequence of a tree, and the subtree that is selected."""

import copy
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spinney import Tree
from spinney._cli.commands.train import costs_of, train
from spinney._cli.data.match import Named, read_answers
from spinney._cli.data.reading import Choices, Reading, read_data
from spinney._cli.decisions import with_threshold
from spinney._cli.errors import Refusal, refusing
from spinney._cli.memory import choose_positive, made_for, memory_of, remember, text_format
from spinney._cli.models import Settings, load_model, save_model
from spinney._cli.output import (
    Screen,
    check_output,
    check_plot_file,
    leaves_text,
    print_result,
    save_plot,
)
from spinney._cli.saved import Saved
from spinney._cli.summary import path_dict, show_path
from spinney.datasets import list_datasets
from spinney.plot import plot_pruning_path
from spinney.pruning import PruningPath, cost_complexity_path, select


def run(
    source: str,
    test: str | None,
    rule: str,
    leaves: int | None,
    alpha: float | None,
    at: tuple[int, ...],
    node_ids: bool,
    cv: int,
    costs: tuple[str, ...],
    seed: int,
    jobs: int,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Show the pruning sequence of a tree, and select a subtree."""
    is_model = source not in list_datasets() and source.lower().endswith(".spinney")
    check_output("--out", out, test, None if is_model else source)
    check_plot_file(plot)
    choices = Choices(**options)
    if is_model:
        found = from_model(Path(source), test, choices, rule)
    elif test is not None:
        raise Refusal("--test goes with a model file; a table is divided by --cv instead.")
    else:
        reading = read_data(source, choices)
        prices = costs_of(costs, reading)
        found = from_table(reading, Settings(cv=cv, rule=rule, seed=seed, jobs=jobs, costs=prices))
    if at and (leaves is not None or alpha is not None):
        raise Refusal("--at names the nodes: leave --leaves and --alpha out.")
    found = choose(found, leaves=leaves, alpha=alpha)
    as_it_is = node_ids and is_model and leaves is None and alpha is None and test is None
    if as_it_is:  # its numbers are those that --at takes
        found = replace(found, by_hand=found.estimator.tree_)
    found = replace(cut_at(found, at), node_ids=node_ids or bool(at))
    save_model(found.model(), out)  # files first: they are there even if printing fails
    save_plot(lambda: plot_pruning_path(found.path), plot)
    written = {"The model is in": out, "The picture is in": plot}
    print_result(found, show, as_dict, as_json=as_json, written=written)


@dataclass(frozen=True, eq=False)
class Choice:
    """A pruning sequence, and the subtree that is selected."""

    source: str
    estimator: Any  # fitted, with the tree as it was
    path: PruningPath
    chosen: int
    judged_by: str
    remarks: tuple[tuple[str, str], ...] = ()  # about the table
    by_hand: Tree | None = None  # cut at nodes that the user names
    node_ids: bool = False

    @property
    def tree(self) -> Tree:
        """The selected tree."""
        return self.path.trees[self.chosen] if self.by_hand is None else self.by_hand

    def model(self) -> Any:
        """Return the estimator with the selected tree."""
        if isinstance(self.estimator, Saved):
            return self.tree
        model = copy.copy(self.estimator)
        vars(model).pop("rules_", None)  # those of C4.5 were of the larger tree
        model.tree_ = self.tree
        memory = memory_of(model)
        if memory is not None and memory.threshold is not None:
            return with_threshold(model, memory.positive, memory.threshold)
        return model


def from_table(reading: Reading, settings: Settings) -> Choice:
    """Grow a tree, and evaluate its subtrees by cross-validation."""
    training = train(reading, settings)
    labels, counts = reading.class_counts
    classes: list[Any] = labels if reading.task == "classification" else []
    positive = choose_positive(None, classes, counts.tolist())
    remember(training.model, made_for(reading, training.model, settings.costs, positive))
    path: PruningPath = training.model.pruning_path_
    assert path.selected is not None
    judge = f"{training.n_folds}-fold cross-validation"
    remarks = tuple(reading.remarks)
    return Choice(reading.source, training.model, path, path.selected, judge, remarks)


def from_model(file: Path, test: str | None, choices: Choices, rule: str) -> Choice:
    """Take the tree of a model, and evaluate its subtrees on test rows if there are any."""
    model = load_model(file)
    if not hasattr(model, "tree_"):
        raise Refusal(f"{str(file)!r} is no single tree: only one tree can be pruned here.")
    own: PruningPath | None = getattr(model, "pruning_path_", None)
    if test is not None:
        path = cost_complexity_path(own.trees[0] if own is not None else model.tree_)
        text = text_format(model, vars(choices.text))
        named = Named(choices.target, choices.time, choices.event)
        answers = read_answers(test, model, named, text)
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
    """Select by number of leaves or penalty instead of by the rule."""
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


def cut_at(found: Choice, nodes: tuple[int, ...]) -> Choice:
    """Make leaves of nodes of the model's tree, or of the selected one of a table."""
    if not nodes:
        return found
    tree: Tree = found.estimator.tree_
    for node in nodes:
        if node >= tree.n_nodes or tree[node].is_leaf:
            inner = [own.id for own in tree if not own.is_leaf]
            what = "is a leaf" if node < tree.n_nodes else "is not in the tree"
            raise Refusal(f"--at: node {node} {what}. Nodes to cut at: {_numbers(inner)}.")
    return replace(found, by_hand=tree.prune_at(nodes))


def _numbers(nodes: list[int]) -> str:
    shown = ", ".join(map(str, nodes[:20]))
    return f"{shown} and {len(nodes) - 20} more" if len(nodes) > 20 else shown or "none"


def show(found: Choice, screen: Screen) -> None:
    """Print the sequence and the selected tree."""
    screen.line(f"Tree of {found.source}, judged by {found.judged_by}", bold=True)
    if found.remarks:
        screen.pairs(found.remarks)
    if found.by_hand is None:
        show_path(found.path, screen)
    tree = found.tree
    screen.head(f"Chosen: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
    depth = None if tree.n_leaves <= 60 else 4
    screen.tree(tree.to_text(max_depth=depth, node_ids=found.node_ids))


def as_dict(found: Choice) -> dict[str, Any]:
    """Return the sequence and the selected tree."""
    return {
        "source": found.source,
        "judged_by": found.judged_by,
        "remarks": [words for _, words in found.remarks],
        "pruning": path_dict(found.path) | {"selected": found.chosen},
        "tree": found.tree.to_dict(),
    }
