"""Sections that several commands show: the table that was read, errors, pruning paths."""

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney._cli.data.columns import Column
from spinney._cli.data.reading import Reading
from spinney._cli.output import Screen, leaves_text
from spinney._format import number_text, plural

if TYPE_CHECKING:
    from spinney._cli.metrics import Estimate
    from spinney.pruning import PruningPath

MOST_NAMES = 5  # of classes, columns with gaps, importances
_MOST_COLUMNS = 40
_WIDEST = 44  # letters of categories
_MOST_ROWS = 16  # of the pruning table
_NEIGHBOURS = 4  # shown on each side of the selected tree in a longer one

# -- The table


def show_reading(reading: Reading, screen: Screen, *, columns: bool = True) -> None:
    """Print the size of a table, its missing values, its target, and the kind of each column."""
    screen.line(f"Data: {reading.source}", bold=True)
    kinds = [column.kind for column in reading.features]
    counts = {kind: kinds.count(kind) for kind in ("numeric", "ordered", "nominal")}
    by_kind = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    pairs = [("rows", str(reading.n_rows)), ("features", f"{len(kinds)}: {by_kind}")]
    pairs += [("gaps", _gap_words(reading)), ("target", target_words(reading))]
    screen.pairs(pairs + reading.remarks)
    if columns:
        _show_columns(reading, screen)


def _show_columns(reading: Reading, screen: Screen) -> None:
    screen.head("Columns")
    gaps = reading.gaps
    rows = [["name", "kind", "gaps", "values"]]
    for column in reading.features[:_MOST_COLUMNS]:
        count = gaps.get(column.name, 0)
        rows.append([column.name, column.kind, str(count) if count else "", values_text(column)])
    screen.table(rows, left=(0, 1, 3))
    more = len(reading.features) - _MOST_COLUMNS
    if more > 0:
        screen.wrapped(f"and {plural(more, 'column')} more")


def values_text(column: Column) -> str:
    """Return the range of a numeric column, or the first categories of any other."""
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
    named = [f"{name} {gaps[name]}" for name in most[:MOST_NAMES]]
    if len(most) > MOST_NAMES:
        named.append(f"{len(most) - MOST_NAMES} more columns")
    return f"{plural(sum(gaps.values()), 'missing cell')}: {', '.join(named)}"


def target_words(reading: Reading) -> str:
    """Return the name of the target, and its range or its classes."""
    name, y = reading.target.name, reading.y
    if reading.event is not None:
        low, high = (number_text(v, 4) for v in (y["time"].min(), y["time"].max()))
        n_events = int(reading.event.sum())
        seen = f"{plural(n_events, 'event')}, {len(y) - n_events} censored"
        return f"{name}, lifetimes from {low} to {high}: {seen}"
    if reading.task == "regression":
        low, mean, high = (number_text(v, 4) for v in (y.min(), y.mean(), y.max()))
        return f"{name}, a number from {low} to {high}, mean {mean}"
    labels, counts = reading.class_counts
    shares = 100 * counts / len(y)
    order = range(min(MOST_NAMES, len(labels)))  # that of the classes everywhere
    shown = [f"{labels[k]} {counts[k]} ({shares[k]:.1f} %)" for k in order]
    if len(labels) > MOST_NAMES:
        shown.append(f"{len(labels) - MOST_NAMES} more")
    return f"{name}, {plural(len(labels), 'class', 'classes')}: {', '.join(shown)}"


def reading_dict(reading: Reading) -> dict[str, Any]:
    """Return the facts about a table, for JSON."""
    return {
        "source": reading.source,
        "rows": reading.n_rows,
        "features": {column.name: column.kind for column in reading.features},
        "gaps": reading.gaps,
        "target": reading.target.name,
        "task": reading.task,
        "events": None if reading.event is None else int(reading.event.sum()),
        "notes": list(reading.notes),
        "warnings": list(reading.warnings),
    }


# -- Errors


def estimate_pairs(found: "Estimate", name: str = "this model") -> list[tuple[str, str]]:
    """Return names and values: an error with its confidence interval, and that of the baseline."""
    numbers = (found.value, found.low, found.high, found.baseline)
    if found.measure == "concordance":
        value, low, high, baseline = (f"{number:.3f}" for number in numbers)
        told = f"concordance {value}, 95 % interval {low} to {high}"
        return [(name, told), ("by chance", f"concordance {baseline}")]
    if found.measure in ("error rate", "error rate by weight"):
        value, low, high, baseline = (f"{100 * number:.1f}" for number in numbers)
        counted = "of rows" if found.measure == "error rate" else "by weight"
        before, after, unit = "", f" % {counted}", " %"
    else:
        value, low, high, baseline = (number_text(number, 4) for number in numbers)
        words = {"RMSE": ("RMSE ", ""), "deviance": ("", " per unit of exposure")}
        words["cost by weight"] = ("", " per unit of weight")
        before, after = words.get(found.measure, ("", " per row"))
        unit = ""
    return [
        (name, f"{before}{value}{after}, 95 % interval {low} to {high}{unit}"),
        (f"always {found.baseline_name}", f"{before}{baseline}{after}"),
    ]


# -- Pruning paths


def show_path(path: "PruningPath", screen: Screen) -> None:
    """Print the table of a pruning path, and the selection rule if one was applied."""
    selected = path.selected or 0
    marked = ", * marks the one selected" if path.selected is not None else ""
    screen.head(f"Pruning: {plural(len(path), 'subtree')}{marked}")
    heads, rows = path.table()
    shown, bold, previous = [heads], [0], -1
    for place in shown_places(len(path), selected, path_least(path)):
        if place > previous + 1:
            shown.append(["", "...", *[""] * (len(heads) - 2)])
        if place == path.selected:
            bold.append(len(shown))
        shown.append(rows[place])
        previous = place
    screen.table(shown, bold=bold)
    if path.errors is not None and path.rule is not None:
        screen.wrapped(_rule_words(path))


def shown_places(n: int, selected: int, least: int) -> list[int]:
    """Return the rows of a pruning table to show: all, or the ends, the best and the selected."""
    if n <= _MOST_ROWS:
        return list(range(n))
    near = range(max(0, selected - _NEIGHBOURS), min(n, selected + _NEIGHBOURS + 1))
    return sorted({0, n - 1, least, *near})


def path_least(path: "PruningPath") -> int:
    """Return the index of the smallest tree with the least error; the last without errors."""
    if path.errors is None:
        return len(path) - 1
    return int(np.flatnonzero(path.errors == path.errors.min())[-1])


def _rule_words(path: "PruningPath") -> str:
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


def path_dict(path: "PruningPath") -> dict[str, Any]:
    """Return a pruning path as lists, for JSON."""
    errors, spread = path.errors, path.standard_errors
    return {
        "selected": path.selected,
        "alphas": path.alphas.tolist(),
        "leaves": path.n_leaves.tolist(),
        "risks": path.risks.tolist(),
        "errors": None if errors is None else errors.tolist(),
        "standard_errors": None if spread is None else spread.tolist(),
    }
