"""The result of `train` as text: readable at 80 columns, plain when it is piped."""

import numpy as np
from rich.console import Console

from spinney import Tree
from spinney._cli._describe import show_reading
from spinney._cli._estimate import Estimate
from spinney._cli._models import MODELS
from spinney._cli._text import (
    leaves_text,
    plural,
    print_head,
    print_pairs,
    print_table,
    print_tree,
    print_wrapped,
)
from spinney._cli._training import Training
from spinney.pruning import PruningPath
from spinney.tree._expression import ExpressionTest
from spinney.tree._words import number_text

_MOST_ROWS = 16  # of the pruning table
_MOST_CATEGORIES = 12  # of a surrogate
_NEIGHBOURS = 4  # shown on each side of the selected tree in a longer one
_MOST_NAMES = 5  # of importances
_MOST_LEAVES = 60  # of a tree that is shown in full
_BAR = 20


def show(training: Training, console: Console) -> None:
    """Print what was read, the model, its error, how its size was chosen, and what it uses."""
    show_reading(training.reading, console)
    if training.tree is not None:
        _show_tree(training, training.tree, console)
    else:
        _show_members(training, console)
    for note in training.notes:
        print_wrapped(console, f"Note: {note}")
    if training.estimate is not None:
        _show_error(training, training.estimate, console)
    if training.path is not None:
        _show_path(training, console)
    if training.tree is not None and training.tree.root.surrogates:
        _show_surrogates(training, training.tree, console)
    if training.importances():
        _show_importances(training, console)


# -- The model


def _show_tree(training: Training, tree: Tree, console: Console) -> None:
    print_head(console, f"Tree: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
    print_wrapped(console, _how(training))
    depth = None if tree.n_leaves <= _MOST_LEAVES else _fitting_depth(tree)
    print_tree(console, tree.to_text(max_depth=depth))


def _how(training: Training) -> str:
    if training.path is None:
        return MODELS[training.settings.model].words
    criterion, grown = training.model.criterion, int(training.path.n_leaves[0])
    return f"CART by {criterion}, grown to {leaves_text(grown)}, then pruned"


def _fitting_depth(tree: Tree) -> int:
    """Return how many levels of a large tree can be shown."""
    levels = np.zeros(tree.n_nodes, dtype=int)
    for node in range(1, tree.n_nodes):
        levels[node] = levels[tree.parent[node]] + 1
    counts = np.cumsum(np.bincount(levels))
    return max(1, int(np.searchsorted(counts, 2 * _MOST_LEAVES)) - 1)


def _show_members(training: Training, console: Console) -> None:
    trees = training.trees
    if not trees:
        print_head(console, f"Model: {MODELS[training.settings.model].words}")
        print_pairs(console, [("experts", str(len(training.model.experts_)))])
        return
    print_head(console, f"Model: {plural(len(trees), 'tree')}")
    leaves = np.array([tree.n_leaves for tree in trees])
    depths = [tree.max_depth for tree in trees]
    spread = f"{leaves.mean():.1f} on average, {leaves.min()} to {leaves.max()}"
    pairs = [("kind", MODELS[training.settings.model].words), ("leaves", spread)]
    pairs.append(("depth", f"{min(depths)} to {max(depths)}"))
    kept = getattr(training.model, "selected_", None)
    if kept is not None and len(kept) < len(trees):
        pairs.append(("voting", f"{len(kept)} of {len(trees)}"))
    oob = getattr(training.model, "oob_score_", None)
    if oob is not None and training.reading.task == "classification":
        pairs.append(("out of bag", f"{100 * (1 - oob):.1f} % of rows wrong"))
    print_pairs(console, pairs)


# -- Its error


def estimate_texts(found: Estimate) -> tuple[str, str, str]:
    """Return the error, its interval, and the error of the baseline as text."""
    numbers = (found.value, found.low, found.high, found.baseline)
    if found.measure == "error rate":
        value, low, high, baseline = (f"{100 * number:.1f}" for number in numbers)
        return f"{value} % of rows", f"{low} to {high} %", f"{baseline} % of rows"
    value, low, high, baseline = (number_text(number, 4) for number in numbers)
    if found.measure == "RMSE":
        return f"RMSE {value}", f"{low} to {high}", f"RMSE {baseline}"
    return f"{value} per row", f"{low} to {high}", f"{baseline} per row"


def _show_error(training: Training, found: Estimate, console: Console) -> None:
    what = "Cost" if found.measure == "cost per row" else "Error"
    print_head(console, f"{what} by {training.n_folds}-fold cross-validation")
    this, interval, other = estimate_texts(found)
    always = f"always {found.baseline_name}"
    name = "this tree" if training.tree is not None else "this model"
    pairs = [(name, f"{this}, 95 % interval {interval}"), (always, other)]
    if found.relative is not None:
        squared = "squared error" if found.measure == "RMSE" else what.lower()
        pairs.append(("relative", f"{found.relative:.3f} of the {squared} of {always}"))
    print_pairs(console, pairs)
    if training.path is not None:
        words = "The same folds chose the size of the tree: expect slightly more on new rows."
        print_wrapped(console, words)


# -- How its size was chosen


def _show_path(training: Training, console: Console) -> None:
    assert training.path is not None
    show_path(training.path, console)


def show_path(path: PruningPath, console: Console) -> None:
    """Print the table of a pruning path, and the rule that chose a tree if one did."""
    selected = path.selected if path.selected is not None else 0
    marked = ", * marks the one selected" if path.selected is not None else ""
    print_head(console, f"Pruning: {plural(len(path), 'subtree')}{marked}")
    heads, rows = path.table()
    shown, bold, previous = [heads], [0], -1
    for place in shown_places(len(path), selected, path_least(path)):
        if place > previous + 1:
            shown.append(["", "...", *[""] * (len(heads) - 2)])
        if place == path.selected:
            bold.append(len(shown))
        shown.append(rows[place])
        previous = place
    print_table(console, shown, bold=bold)
    if path.errors is not None and path.rule is not None:
        print_wrapped(console, _rule_words(path))


def shown_places(n: int, selected: int, least: int) -> list[int]:
    """Return the rows of a pruning table to show: all, or ends, least error and neighbours."""
    if n <= _MOST_ROWS:
        return list(range(n))
    near = range(max(0, selected - _NEIGHBOURS), min(n, selected + _NEIGHBOURS + 1))
    return sorted({0, n - 1, least, *near})


def path_least(path: PruningPath) -> int:
    """Return the place of the smallest tree of least error; the last without errors."""
    if path.errors is None:
        return len(path) - 1
    return int(np.flatnonzero(path.errors == path.errors.min())[-1])


def _rule_words(path: PruningPath) -> str:
    assert path.errors is not None
    assert path.standard_errors is not None
    least = path_least(path)
    error = path.loss_text(path.errors[least])
    if path.rule == "min":
        return f"Rule min: the least error, {error}."
    limit = path.loss_text(path.errors[least] + path.standard_errors[least])
    return (
        f"Rule 1se: the smallest tree with an error up to {limit}, one standard "
        f"error above the least ({error} at {leaves_text(int(path.n_leaves[least]))})."
    )


# -- What it uses


def _show_surrogates(training: Training, tree: Tree, console: Console) -> None:
    root = tree.root
    assert root.test is not None
    if isinstance(root.test, ExpressionTest):
        asked = [root.test.columns[feature].name for feature in root.test.features]
    else:
        asked = [root.test.feature_name]
    missing = " or ".join(f"{name} ({training.reading.gaps.get(name, 0)} here)" for name in asked)
    print_head(console, f"Surrogates at the root, for rows without {missing}")
    for surrogate in root.surrogates:
        turned = "not " if surrogate.reversed else ""
        test = surrogate.test.branch_text(0, max_categories=_MOST_CATEGORIES)
        line = f"{turned}{test}: agrees in {100 * surrogate.agreement:.1f} % of rows"
        print_wrapped(console, line, carried="    ")


def _show_importances(training: Training, console: Console) -> None:
    ranked = training.importances()
    used = plural(len(ranked), "feature")
    print_head(console, f"Importances: {used} used of {len(training.reading.features)}")
    print_pairs(
        console,
        [
            (name, f"{share:.3f}  {'#' * max(1, round(_BAR * share))}")
            for name, share in ranked[:_MOST_NAMES]
        ],
    )
    if len(ranked) > _MOST_NAMES:
        print_wrapped(console, f"and {plural(len(ranked) - _MOST_NAMES, 'feature')} more")
