"""The result of `train` as text: readable at 80 columns, plain when it is piped."""

import re

import numpy as np
from rich.console import Console

from spinney._cli._reading import Reading
from spinney._cli._text import (
    leaves_text,
    plural,
    print_head,
    print_line,
    print_pairs,
    print_table,
    print_wrapped,
)
from spinney._cli._training import Training
from spinney.tree._expression import ExpressionTest
from spinney.tree._words import number_text

_MOST_ROWS = 16  # of the pruning table
_NEIGHBOURS = 4  # shown on each side of the selected tree in a longer one
_MOST_NAMES = 5  # of classes, columns with gaps, importances
_BAR = 20
_GUIDES = re.compile(r"^(?:[|` ](?:-- |   ))*")


def show(training: Training, console: Console) -> None:
    """Print what was read, the tree, its error, how its size was chosen, and what it uses."""
    _show_reading(training.reading, console)
    _show_tree(training, console)
    _show_error(training, console)
    _show_path(training, console)
    if not training.tree.root.is_leaf:
        _show_surrogates(training, console)
        _show_importances(training, console)


# -- What was read


def _show_reading(reading: Reading, console: Console) -> None:
    print_line(console, f"Data: {reading.source}", bold=True)
    kinds = [column.kind for column in reading.features]
    by_kind = [
        f"{kinds.count(kind)} {kind}" for kind in ("numeric", "ordered", "nominal") if kind in kinds
    ]
    pairs = [
        ("rows", str(reading.n_rows)),
        ("features", f"{len(kinds)}: {', '.join(by_kind)}"),
        ("gaps", _gap_words(reading)),
        ("target", _target_words(reading)),
    ]
    print_pairs(console, pairs + [("note", note) for note in reading.notes])


def _gap_words(reading: Reading) -> str:
    gaps = reading.gaps
    if not gaps:
        return "none"
    most = sorted(gaps, key=lambda name: -gaps[name])
    named = [f"{name} {gaps[name]}" for name in most[:_MOST_NAMES]]
    if len(most) > _MOST_NAMES:
        named.append(f"{len(most) - _MOST_NAMES} more columns")
    return f"{plural(sum(gaps.values()), 'missing cell')}: {', '.join(named)}"


def _target_words(reading: Reading) -> str:
    name, y = reading.target.name, reading.y
    if reading.task == "regression":
        low, mean, high = (number_text(v, 4) for v in (y.min(), y.mean(), y.max()))
        return f"{name}, a number from {low} to {high}, mean {mean}"
    labels, counts = np.unique(y, return_counts=True)
    shares = 100 * counts / len(y)
    order = np.argsort(-counts, kind="stable")[:_MOST_NAMES]
    shown = [f"{labels[k]} {counts[k]} ({shares[k]:.1f} %)" for k in order]
    if len(labels) > _MOST_NAMES:
        shown.append(f"{len(labels) - _MOST_NAMES} more")
    return f"{name}, {plural(len(labels), 'class', 'classes')}: {', '.join(shown)}"


# -- The tree


def _show_tree(training: Training, console: Console) -> None:
    tree, grown = training.tree, int(training.path.n_leaves[0])
    print_head(console, f"Tree: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
    print_wrapped(
        console,
        f"CART by {training.settings.criterion}, grown to {leaves_text(grown)}, then pruned",
    )
    for line in tree.to_text().splitlines():
        print_wrapped(console, line, carried=_carried(line))


def _carried(line: str) -> str:
    """Return what stands before the rest of a long line of a tree: the branches that go on."""
    guides = _GUIDES.match(line)
    lead = guides.group() if guides else ""
    own = "|   " if lead.endswith("|-- ") else " " * len(lead[-4:])
    return lead[:-4] + own + "    "


# -- Its error


def _show_error(training: Training, console: Console) -> None:
    found = training.estimate
    print_head(console, f"Error by {training.n_folds}-fold cross-validation")
    numbers = (found.value, found.low, found.high, found.baseline)
    always = f"always {found.baseline_name}"
    if found.measure == "RMSE":
        value, low, high, baseline = (number_text(number, 4) for number in numbers)
        this, other, what = f"RMSE {value}", f"RMSE {baseline}", "squared error"
        interval = f"{low} to {high}"
    else:
        value, low, high, baseline = (f"{100 * number:.1f}" for number in numbers)
        this, other, what = f"{value} % of rows", f"{baseline} % of rows", "error"
        interval = f"{low} to {high} %"
    pairs = [("this tree", f"{this}, 95 % interval {interval}"), (always, other)]
    if found.relative is not None:
        pairs.append(("relative", f"{found.relative:.3f} of the {what} of {always}"))
    print_pairs(console, pairs)
    print_wrapped(
        console, "The same folds chose the size of the tree: expect slightly more on new rows."
    )


# -- How its size was chosen


def _show_path(training: Training, console: Console) -> None:
    path, selected = training.path, training.selected
    print_head(console, f"Pruning: {plural(len(path), 'subtree')}, * marks the one selected")
    heads, rows = path.table()
    shown, bold, previous = [heads], [0], -1
    for place in shown_places(len(path), selected, path_least(training)):
        if place > previous + 1:
            shown.append(["", "...", *[""] * (len(heads) - 2)])
        if place == selected:
            bold.append(len(shown))
        shown.append(rows[place])
        previous = place
    print_table(console, shown, bold=bold)
    print_wrapped(console, _rule_words(training))


def shown_places(n: int, selected: int, least: int) -> list[int]:
    """Return the rows of a pruning table to show: all, or ends, least error and neighbours."""
    if n <= _MOST_ROWS:
        return list(range(n))
    near = range(max(0, selected - _NEIGHBOURS), min(n, selected + _NEIGHBOURS + 1))
    return sorted({0, n - 1, least, *near})


def path_least(training: Training) -> int:
    """Return the place of the smallest tree of least error."""
    errors = training.path.errors
    assert errors is not None
    return int(np.flatnonzero(errors == errors.min())[-1])


def _rule_words(training: Training) -> str:
    path, least = training.path, path_least(training)
    assert path.errors is not None
    assert path.standard_errors is not None
    error = path.errors[least]
    if training.settings.rule == "min":
        return f"Rule min: the least error, {error:.4f}."
    limit = error + path.standard_errors[least]
    return (
        f"Rule 1se: the smallest tree with an error up to {limit:.4f}, one standard "
        f"error above the least ({error:.4f} at {leaves_text(int(path.n_leaves[least]))})."
    )


# -- What it uses


def _show_surrogates(training: Training, console: Console) -> None:
    root = training.tree.root
    assert root.test is not None
    if isinstance(root.test, ExpressionTest):
        asked = [root.test.columns[feature].name for feature in root.test.features]
    else:
        asked = [root.test.feature_name]
    missing = " or ".join(f"{name} ({training.reading.gaps.get(name, 0)} here)" for name in asked)
    print_head(console, f"Surrogates at the root, for rows without {missing}")
    if not root.surrogates:
        print_wrapped(console, "none that beats sending every row the majority way")
    for surrogate in root.surrogates:
        turned = "not " if surrogate.reversed else ""
        line = f"{turned}{surrogate.test}: agrees in {100 * surrogate.agreement:.1f} % of rows"
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
