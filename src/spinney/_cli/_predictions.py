"""Predictions as a table: copied columns, the prediction, probabilities."""

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from spinney._cli._refusal import Refusal
from spinney._cli._rows import Rows
from spinney._cli._training import refusing


def predictions(
    model: Any, rows: Rows, *, keep: Sequence[str] = (), proba: bool = False
) -> dict[str, list[Any]]:
    """Return columns by name: those to keep, `prediction`, and `p_<class>` if asked for."""
    for name in keep:
        if name not in rows.columns:
            raise Refusal(f"--keep: no column {name!r}.{rows.hint(name)}")
    if proba and not hasattr(model, "predict_proba"):
        raise Refusal("--proba: this model has no probabilities.")
    table: dict[str, list[Any]] = {
        name: [None if v != v else _plain(v) for v in rows.columns[name].values.tolist()]
        for name in keep
    }
    with refusing():
        table["prediction"] = [_plain(value) for value in model.predict(rows.X).tolist()]
        if proba:
            shares = model.predict_proba(rows.X)
            for k, label in enumerate(model.classes_.tolist()):
                table[f"p_{label}"] = shares[:, k].tolist()
    return table


def to_csv(table: dict[str, list[Any]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue()


def to_json_lines(table: dict[str, list[Any]]) -> str:
    """Return a table as JSON lines; a copied cell that is just how a number is written is one."""
    kept = list(table).index("prediction")
    columns = list(table.values())
    typed = [[_number(cell) for cell in cells] for cells in columns[:kept]] + columns[kept:]
    rows = zip(*typed, strict=True)
    return "".join(json.dumps(dict(zip(table, row, strict=True))) + "\n" for row in rows)


def _number(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    for kind in (int, float):
        try:
            number = kind(cell)
        except ValueError:
            continue
        if str(number) == cell and math.isfinite(number):
            return number
    return cell


def _plain(value: Any) -> Any:
    """Return whole numbers without a point, as most tables write them."""
    if isinstance(value, float) and value == int(value) and abs(value) < 2**53:
        return int(value)
    return value
