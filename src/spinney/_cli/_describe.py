"""What was understood of a table, as text."""

import numpy as np
from rich.console import Console

from spinney._cli._reading import Reading
from spinney._cli._text import (
    plural,
    print_head,
    print_line,
    print_pairs,
    print_table,
    print_wrapped,
)
from spinney._cli.data.columns import Column
from spinney.tree._words import number_text

_MOST_NAMES = 5  # of classes, columns with gaps
_MOST_COLUMNS = 40
_WIDEST = 44  # letters of categories


def show_reading(reading: Reading, console: Console, *, columns: bool = True) -> None:
    """Print the size of a table, its gaps, its target, and what each column is taken for."""
    print_line(console, f"Data: {reading.source}", bold=True)
    kinds = [column.kind for column in reading.features]
    by_kind = [
        f"{kinds.count(kind)} {kind}" for kind in ("numeric", "ordered", "nominal") if kind in kinds
    ]
    pairs = [
        ("rows", str(reading.n_rows)),
        ("features", f"{len(kinds)}: {', '.join(by_kind)}"),
        ("gaps", _gap_words(reading)),
        ("target", target_words(reading)),
    ]
    print_pairs(console, pairs + reading.remarks)
    if columns:
        _show_columns(reading, console)


def _show_columns(reading: Reading, console: Console) -> None:
    print_head(console, "Columns")
    gaps = reading.gaps
    rows = [["name", "kind", "gaps", "values"]]
    for column in reading.features[:_MOST_COLUMNS]:
        count = gaps.get(column.name, 0)
        rows.append([column.name, column.kind, str(count) if count else "", values_text(column)])
    print_table(console, rows, left=(0, 1, 3))
    more = len(reading.features) - _MOST_COLUMNS
    if more > 0:
        print_wrapped(console, f"and {plural(more, 'column')} more")


def values_text(column: Column) -> str:
    """Return the range of a numeric column, the categories of any other, as far as they fit."""
    if column.kind == "numeric":
        present = column.cells[~column.missing]
        if not len(present):
            return "none"
        low, high = (number_text(float(value), 4) for value in (present.min(), present.max()))
        return f"{low} to {high}" if low != high else f"always {low}"
    mark = " < " if column.kind == "ordered" else ", "
    pairs = zip(column.categories, column.counts.tolist(), strict=True)
    labels = [label for label, count in pairs if count]
    shown: list[str] = []
    for label in labels:
        if len(mark.join([*shown, label])) > _WIDEST:
            break
        shown.append(label)
    left = len(labels) - len(shown)
    words = mark.join(shown)
    if left:
        return f"{words} and {left} more" if shown else plural(left, "category", "categories")
    return words


def _gap_words(reading: Reading) -> str:
    gaps = reading.gaps
    if not gaps:
        return "none"
    most = sorted(gaps, key=lambda name: -gaps[name])
    named = [f"{name} {gaps[name]}" for name in most[:_MOST_NAMES]]
    if len(most) > _MOST_NAMES:
        named.append(f"{len(most) - _MOST_NAMES} more columns")
    return f"{plural(sum(gaps.values()), 'missing cell')}: {', '.join(named)}"


def target_words(reading: Reading) -> str:
    """Return the name of the target, and its range or its classes."""
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
