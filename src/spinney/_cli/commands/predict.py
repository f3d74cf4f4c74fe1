"""`spinney predict`: copied columns, the prediction, its interval, probabilities."""

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from spinney._cli.data.match import Rows, read_rows
from spinney._cli.data.text_cells import number_of
from spinney._cli.decisions import decide
from spinney._cli.errors import Refusal, no_column, refusing
from spinney._cli.lifetimes import parse_times, time_columns, time_names
from spinney._cli.memory import text_format
from spinney._cli.models import load_model
from spinney._cli.output import check_output, print_or_write
from spinney._format import LARGEST_EXACT, csv_text

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # beginnings of what spreadsheets take for a formula

COLUMNS = ("low", "high")


def run(
    model: Path,
    data: str,
    proba: bool,
    interval: float | None,
    times: str | None,
    keep: tuple[str, ...],
    safe_cells: bool,
    digits: int,
    out: Path | None,
    as_json: bool,
    **text: Any,
) -> None:
    """Predict the rows of a table."""
    check_output("--out", out, data, model)
    fitted = load_model(model)
    check_interval(fitted, interval)
    later = parse_times(fitted, times)
    others = [*(COLUMNS if interval is not None else ()), *time_names(later)]
    check_kept(fitted, keep, proba=proba, others=others)
    how = text_format(fitted, text)
    rows = read_rows(data, fitted, keep, copied=True, text=how, every=False)
    table = predictions(fitted, rows, keep=keep, proba=proba)
    table |= interval_columns(fitted, rows.X, interval)
    table |= time_columns(fitted, rows.X, later)
    table = rounded(table, digits, len(keep))
    for note in rows.notes:
        click.echo(f"Note: {note}.", err=True)
    written = to_json_lines(table) if as_json else to_csv(table, safe=safe_cells)
    print_or_write(written, out, "predictions")


def check_kept(model: Any, keep: Sequence[str], *, proba: bool, others: Sequence[str] = ()) -> None:
    """Refuse to keep a column with the name of an output column, before any work is done."""
    taken = {"prediction", *others}
    if proba:
        taken |= {
            f"probability_{label}" for label in getattr(model, "classes_", np.zeros(0)).tolist()
        }
    for place, name in enumerate(keep):
        if name in taken:
            raise Refusal(
                f"--keep: the predictions have a column {name!r} of their own. Rename that of the "
                "table."
            )
        if name in keep[:place]:
            raise Refusal(f"--keep: {name!r} is named twice.")


def predictions(
    model: Any, rows: Rows, *, keep: Sequence[str] = (), proba: bool = False
) -> dict[str, list[Any]]:
    """Return columns by name: those to keep, `prediction`, with `proba` `probability_<class>`."""
    for name in keep:
        if name not in rows.columns:
            read = [column for column in rows.columns if column not in rows.absent]
            raise no_column("--keep", name, [*read, *filter(None, rows.others)])
    if proba and not hasattr(model, "predict_proba"):
        raise Refusal("--proba: this model has no probabilities.")
    table: dict[str, list[Any]] = {
        name: _each(_kept, rows.columns[name].values.tolist()) for name in keep
    }
    with refusing():
        table["prediction"] = _each(_plain, decide(model, rows.X).tolist())
        if proba:
            shares = model.predict_proba(rows.X)
            for k, label in enumerate(model.classes_.tolist()):
                table[f"probability_{label}"] = shares[:, k].tolist()
    return table


def rounded(table: dict[str, list[Any]], digits: int, n_kept: int) -> dict[str, list[Any]]:
    """Return predictions and probabilities with so many significant digits."""
    return {
        name: cells if place < n_kept else _each(partial(_rounded, digits=digits), cells)
        for place, (name, cells) in enumerate(table.items())
    }


def _each(function: Callable[[Any], Any], cells: list[Any]) -> list[Any]:
    """Apply a function to every cell, once for equal ones: trees have few answers."""
    known = {cell: function(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


def _kept(value: Any) -> Any:
    return None if value != value else _plain(value)


def _rounded(cell: Any, digits: int) -> Any:
    if not isinstance(cell, float) or not math.isfinite(cell):
        return cell
    return _plain(float(f"{cell:.{digits}g}"))


def to_csv(table: dict[str, list[Any]], *, safe: bool = False) -> str:
    """Return a table as CSV, optionally without text that is a formula to a spreadsheet."""
    if safe:
        table = {_safe(name): list(map(_safe, cells)) for name, cells in table.items()}
    return csv_text([table, *zip(*table.values(), strict=True)])


def to_json_lines(table: dict[str, list[Any]]) -> str:
    """Return a table as JSON lines; copied cells that are numbers in canonical form are numbers."""
    kept = list(table).index("prediction")
    columns = list(table.values())
    typed = [[_number(cell) for cell in cells] for cells in columns[:kept]] + columns[kept:]
    rows = zip(*typed, strict=True)
    return "".join(json.dumps(dict(zip(table, row, strict=True))) + "\n" for row in rows)


def _safe(cell: Any) -> Any:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA) and number_of(cell) is None
    return f"'{cell}" if is_formula else cell


def _number(cell: Any) -> Any:
    if not isinstance(cell, str):
        return str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
    for kind in (int, float):
        try:
            number = kind(cell)
        except ValueError:
            continue
        if str(number) == cell and math.isfinite(number):
            return number
    return cell


def _plain(value: Any) -> Any:
    """Return an integer for an integral float, as most tables write it."""
    if isinstance(value, float) and abs(value) < LARGEST_EXACT and value.is_integer():
        return int(value)
    return value


def check_interval(model: Any, level: float | None) -> None:
    """Refuse a level outside 0 and 1, and models that keep no targets, before rows are read."""
    if level is None:
        return
    if not 0.0 < level < 1.0:
        raise Refusal(f"--interval must be above 0 and below 1, such as 0.9, not {level:g}.")
    if not hasattr(model, "leaf_targets_"):
        raise Refusal(
            "--interval: this model cannot tell intervals. Train a forest of numbers with --model "
            "forest --set keep_targets=true."
        )


def interval_columns(model: Any, X: Any, level: float | None) -> dict[str, list[float]]:
    """Return the ends of the interval that holds so much of the distribution, by column name."""
    if level is None:
        return {}
    rest = (1.0 - level) / 2.0
    with refusing():
        ends = model.predict_quantiles(X, (rest, 1.0 - rest))
    return {name: ends[:, k].tolist() for k, name in enumerate(COLUMNS)}
