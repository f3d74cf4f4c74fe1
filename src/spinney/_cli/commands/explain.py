"""`spinney explain`: for a tree the decision path of a row, for a forest its votes."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from spinney._cli.data.columns import Column, TextFormat
from spinney._cli.data.match import Rows, read_rows
from spinney._cli.data.text_cells import Meaning
from spinney._cli.decisions import decide, threshold_of
from spinney._cli.errors import Refusal, refusing
from spinney._cli.memory import positive_of, text_format
from spinney._cli.models import columns_of, is_classifier, load_model, trees_of
from spinney._format import did_you_mean, number_text, plural
from spinney.rules._explanation import Explanation, explain

_MOST_COLUMNS = 8
_MOST_ROWS = 20


def run(
    model: Path,
    data: str | None,
    rows: tuple[int, ...],
    where: tuple[str, ...],
    fixed: tuple[str, ...],
    given: tuple[str, ...],
    reasons: bool,
    words: Path | None,
    as_json: bool,
    **text: Any,
) -> None:
    """Explain the prediction of one row, or of several."""
    fitted = load_model(model)
    held = _fixed(fitted, fixed)
    told = read_words(words) if reasons or words is not None else None
    asked = Asked(data, rows, where, given)
    found = [
        explanation(fitted, row, held, told)
        for row in chosen_rows(fitted, asked, text_format(fitted, text))
    ]
    if as_json:
        click.echo(json.dumps(found[0] if len(found) == 1 else found, indent=2))
    else:
        click.echo("\n\n".join(one["text"] for one in found))


class Asked(NamedTuple):
    """Which rows are to be explained."""

    data: str | None
    rows: Sequence[int]
    where: Sequence[str]
    given: Sequence[str]


def chosen_rows(model: Any, asked: Asked, text: TextFormat) -> list[dict[str, Any]]:
    """Return the rows to explain: of a table, of values that were given, or of both."""
    columns = {column.name: column for column in columns_of(model)}
    rows: list[dict[str, Any]] = [dict.fromkeys(columns)]
    if asked.data is not None:
        table = read_rows(asked.data, model, _named(asked.where), copied=True, text=text)
        text = replace(text, decimal=text.decimal or ("," if table.decimal_comma else None))
        rows = [table.one(place) for place in _places(table, asked, text)]
    elif asked.rows or asked.where:
        option = "--row" if asked.rows else "--where"
        raise Refusal(f"{option} goes with a table: spinney explain MODEL DATA {option} ...")
    elif not asked.given:
        raise Refusal("say which row to explain: DATA --row N, or --set NAME=VALUE for its cells.")
    for words in asked.given:
        name, sign, value = words.partition("=")
        if not sign or name not in columns:
            raise Refusal(f"--set: no column {name!r} in the model.{did_you_mean(name, columns)}")
        for row in rows:
            row[name] = _cell(columns[name], value.strip(), text)
    return rows


def _named(where: Sequence[str]) -> list[str]:
    for words in where:
        if "=" not in words:
            raise Refusal(f"--where: write NAME=VALUE, such as id=404, not {words!r}.")
    return [words.partition("=")[0] for words in where]


def _places(table: Rows, asked: Asked, text: TextFormat) -> list[int]:
    """Return the places of the rows that are asked for."""
    if not asked.rows and not asked.where:
        raise Refusal(
            f"say which of the {table.n_rows} rows: --row N, where the first is 1, or "
            "--where NAME=VALUE."
        )
    for number in asked.rows:
        if number > table.n_rows:
            rows = plural(table.n_rows, "row")
            raise Refusal(f"--row: {number}, but {asked.data!r} has {rows}.")
    chosen = [number - 1 for number in asked.rows]
    if asked.where:
        holds = np.ones(table.n_rows, dtype=bool)
        for words in asked.where:
            name, _, value = words.partition("=")
            if name not in table.columns:
                raise Refusal(f"--where: no column {name!r}.{table.hint(name)}")
            holds &= _equals(table.columns[name], value.strip(), text)
        found = np.flatnonzero(holds).tolist()
        if not found:
            raise Refusal(f"--where: no row has {' and '.join(asked.where)}.")
        if len(found) > _MOST_ROWS:
            raise Refusal(
                f"--where: {len(found)} rows; at most {_MOST_ROWS} are explained at once. Add "
                "another --where, or choose some with --row."
            )
        chosen += [place for place in found if place not in chosen]
    return chosen


def _equals(column: Column, value: str, text: TextFormat) -> Any:
    if column.kind != "numeric":
        texts = np.array([*column.categories, None], dtype=object)[column.cells]
        return texts == value
    number = _number(column.name, value, text)
    if number is None:
        raise Refusal(f"--where: {column.name!r} is a number, not {value!r}.")
    return np.isnan(column.cells) if math.isnan(number) else column.cells == number


def _number(name: str, value: str, text: TextFormat) -> float | None:
    """Return a number as the column writes it; NaN if it is missing, None if it is none."""
    meaning = Meaning(text)
    return meaning.formatted(value)[0] if name in text.numeric else meaning.number(value)


def _fixed(model: Any, given: Sequence[str]) -> list[str]:
    names = [column.name for column in columns_of(model)]
    lists = [[words] if words in names else words.split(",") for words in given]
    fixed = [name.strip() for some in lists for name in some]
    for name in fixed:
        if name not in names:
            raise Refusal(f"--fixed: no column {name!r} in the model.{did_you_mean(name, names)}")
    return fixed


def _cell(column: Any, value: str, text: TextFormat) -> Any:
    if not value:
        return None
    if column.kind != "numeric":
        if column.code_of(value) is None:
            known = ", ".join(map(str, column.categories[:10]))
            raise Refusal(f"--set: {column.name!r} knows {known}, not {value!r}.")
        return value
    number = _number(column.name, value, text)
    if number is None:
        raise Refusal(f"--set: {column.name!r} is a number, not {value!r}.")
    return None if math.isnan(number) else number


def read_words(path: Path | None) -> dict[str, str]:
    """Return the words of reasons by column, of a file or none."""
    if path is None:
        return {}
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refusal(f"--words: {path} is no JSON: {error}") from None
    if not isinstance(words, dict):
        raise Refusal(f'--words: {path} must hold an object such as {{"income": "low income"}}.')
    return words


def explanation(
    model: Any, row: dict[str, Any], fixed: Sequence[str] = (), words: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return a row, its prediction, the probabilities, why, and all of it as text.

    With words, if only none of them, the columns that moved the answer most are added.
    """
    table = {name: _one_cell(value) for name, value in row.items()}
    with refusing():
        prediction = decide(model, table).tolist()[0]
        shares = None
        if is_classifier(model) and hasattr(model, "predict_proba"):
            known = model.predict_proba(table)[0].tolist()
            shares = dict(zip(map(str, model.classes_.tolist()), known, strict=True))
        result = {"row": row, "prediction": prediction, "probabilities": shares}
        why = _cause(model, prediction, shares)
        rules = _rules(model)
        if rules is None:
            text = _votes(model, table, prediction, shares)
        else:
            found = explain(rules, row, fixed)
            barred = _barred(found, rules, row, fixed)
            text = "\n".join([str(found), *barred])
            result |= _ways(found) | {"not_without_fixed": list(barred.values())}
        moved = [] if words is None else _reasons(model, table, prediction, words)
    if why is not None:
        head, _, rest = text.partition("\n")
        text = f"{head}: {why}\n{rest}".rstrip("\n")
    if words is not None:
        lines = [f"  {place}. {one['words']}" for place, one in enumerate(moved, start=1)]
        text = "\n".join([text, "reasons:", *(lines or ["  none"])])
        result["reasons"] = moved
    return result | {"decided_by": why, "text": text}


def _barred(
    found: Explanation, rules: Any, row: dict[str, Any], fixed: Sequence[str]
) -> dict[str, Any]:
    """Return the answers that only a change of fixed columns leads to, by a sentence on each."""
    if not fixed:
        return {}
    reached = {way.prediction for way in found.alternatives}
    free = {way.prediction for way in explain(rules, row).alternatives}
    held = " or ".join(fixed)
    return {
        f"for {label} instead: no way without a change of {held}": label
        for label in sorted(free - reached, key=str)
    }


def _reasons(
    model: Any, table: dict[str, Any], prediction: Any, words: dict[str, str]
) -> list[dict[str, Any]]:
    """Return the columns that moved a row most towards its prediction."""
    if not hasattr(model, "reasons"):
        raise Refusal(
            f"--reasons: the answers of {type(model).__name__} are no sums over leaves of trees, "
            "so columns have no shares in them."
        )
    toward = prediction if is_classifier(model) else None
    return [asdict(reason) for reason in model.reasons(table, toward=toward, words=words)[0]]


def _rules(model: Any) -> Any:
    if hasattr(model, "tree_"):
        return model.tree_.rules()
    return getattr(model, "rules_", None)


def _cause(model: Any, prediction: Any, shares: dict[str, float] | None) -> str | None:
    """Return what made a class win that is not the likeliest; None if it is."""
    if shares is None or shares[str(prediction)] >= max(shares.values()):
        return None
    likeliest = max(shares, key=lambda label: shares[label])
    cut = threshold_of(model)
    if cut is not None:
        what = f"the threshold {cut:g} on the probability of {positive_of(model)} decides"
    else:
        what = "the costs of mistakes decide"
    return f"{likeliest} is likelier, but {what}"


def _ways(found: Explanation) -> dict[str, Any]:
    """Return the rules that decided, their surrogates, and the ways to other classes."""
    return {
        "rules": [
            {
                "rule": fired.index + 1,
                "conditions": [str(condition) for condition in fired.rule.conditions],
                "values": list(fired.values),
                "share": fired.share,
                "surrogates": list(fired.detours),
            }
            for fired in found.fired
        ],
        "alternatives": [
            {
                "prediction": way.prediction,
                "rule": None if way.rule is None else way.index + 1,
                "confidence": None if way.rule is None else way.rule.confidence,
                "changes": [
                    {"column": c.name, "from": c.current, "to": c.value, "text": str(c)}
                    for c in way.changes
                ],
            }
            for way in found.alternatives
        ],
    }


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
