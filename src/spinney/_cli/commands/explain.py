"""`spinney explain`: for a tree the decision path of a row, for a forest its votes."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from spinney._cli.data.columns import TextFormat
from spinney._cli.data.match import read_rows
from spinney._cli.errors import Refusal, refusing
from spinney._cli.models import columns_of, is_classifier, load_model, trees_of
from spinney._format import number_text
from spinney._nearest import did_you_mean
from spinney._text import plural

_MOST_COLUMNS = 8


def run(
    model: Path,
    data: str | None,
    row: int | None,
    given: tuple[str, ...],
    as_json: bool,
    **text: Any,
) -> None:
    """Explain the prediction of one row."""
    fitted = load_model(model)
    found = explanation(fitted, one_row(fitted, data, row, given, TextFormat(**text)))
    click.echo(json.dumps(found, indent=2) if as_json else found["text"])


def one_row(
    model: Any, data: str | None, number: int | None, given: Sequence[str], text: TextFormat
) -> dict[str, Any]:
    """Return the row to explain: of a table, of values that were given, or of both."""
    columns = {column.name: column for column in columns_of(model)}
    row: dict[str, Any] = dict.fromkeys(columns)
    if data is not None:
        rows = read_rows(data, model, (), text=text)
        if number is None:
            raise Refusal(f"--row: say which of the {rows.n_rows} rows; the first is 1.")
        if number > rows.n_rows:
            raise Refusal(f"--row: {number}, but {data!r} has {plural(rows.n_rows, 'row')}.")
        row = rows.one(number - 1)
    elif number is not None:
        raise Refusal("--row goes with a table: spinney explain MODEL DATA --row N.")
    elif not given:
        raise Refusal("say which row to explain: DATA --row N, or --set NAME=VALUE for its cells.")
    for words in given:
        name, sign, value = words.partition("=")
        if not sign or name not in columns:
            raise Refusal(f"--set: no column {name!r} in the model.{did_you_mean(name, columns)}")
        row[name] = _cell(columns[name], value.strip())
    return row


def _cell(column: Any, text: str) -> Any:
    if not text:
        return None
    if column.kind != "numeric":
        if column.code_of(text) is None:
            known = ", ".join(map(str, column.categories[:10]))
            raise Refusal(f"--set: {column.name!r} knows {known}, not {text!r}.")
        return text
    try:
        return float(text)
    except ValueError as error:
        raise Refusal(f"--set: {column.name!r} is a number, not {text!r}.") from error


def explanation(model: Any, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row, its prediction, the probabilities of the classes, and the reasons as text."""
    table = {name: _one_cell(value) for name, value in row.items()}
    with refusing():
        prediction = model.predict(table).tolist()[0]
        shares = None
        if is_classifier(model) and hasattr(model, "predict_proba"):
            found = model.predict_proba(table)[0].tolist()
            shares = dict(zip(map(str, model.classes_.tolist()), found, strict=True))
        is_tree = hasattr(model, "tree_")
        text = str(model.explain(row)) if is_tree else _votes(model, table, prediction, shares)
    return {"row": row, "prediction": prediction, "probabilities": shares, "text": text}


def _one_cell(value: Any) -> Any:
    if isinstance(value, int | float) or value is None:
        return np.array([np.nan if value is None else value], dtype=np.float64)
    return np.array([value], dtype=object)


def _votes(
    model: Any, table: dict[str, Any], prediction: Any, shares: dict[str, float] | None
) -> str:
    if shares is None:
        lines = [f"predicted {number_text(prediction, 6)}"]
    else:
        lines = [f"predicted {prediction} ({shares[str(prediction)]:.2f})"]
        lines += [f"  {label}: {share:.3f}" for label, share in shares.items()]
    trees = trees_of(model)
    if not trees:
        return "\n".join(lines)
    tested: Counter[str] = Counter()
    for tree in trees:
        tested.update(_tested_columns(tree, table))
    lines.append(f"columns that its {plural(len(trees), 'tree')} tested for this row:")
    for name, count in tested.most_common(_MOST_COLUMNS):
        cell = table[name].tolist()[0]
        value = "missing" if cell is None or cell != cell else cell
        held = number_text(value) if isinstance(value, float) else value
        lines.append(f"  {name} (is {held}): in {plural(count, 'tree')}")
    return "\n".join(lines)


def _tested_columns(tree: Any, table: dict[str, Any]) -> set[str]:
    """Return the columns on the path of a row through one tree."""
    nodes = tree.decision_path(table).indices
    names = tree.schema.names
    tested: set[str] = set()
    for node in nodes.tolist():
        test = tree[node].test
        if test is None:
            continue
        features = test.features if hasattr(test, "features") else [test.feature]
        tested.update(names[feature] for feature in features)
    return tested
