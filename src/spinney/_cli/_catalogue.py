"""The bundled data sets: a list, and what is known about each."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from spinney._cli._describe import show_reading
from spinney._cli._json import reading_dict
from spinney._cli._reading import bundled_columns, read_data
from spinney._cli._text import print_head, print_pairs, print_table, print_wrapped
from spinney._cli._writing import write_text
from spinney._cli.data.cells import exact_text
from spinney._cli.data.columns import Column
from spinney.datasets import list_datasets, load


def list_all(console: Console, *, as_json: bool) -> None:
    """Print every set with its size, target and licence."""
    facts = [_facts(name) for name in list_datasets()]
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    rows = [["name", "rows", "features", "target"]]
    for fact in facts:
        kind = "a number" if fact["classes"] is None else f"{fact['classes']} classes"
        target = f"{fact['target']}, {kind}"
        rows.append([fact["name"], str(fact["rows"]), str(fact["features"]), target])
    print_table(console, rows, left=(0, 3))


def _facts(name: str) -> dict[str, Any]:
    data = load(name, as_="dict")
    return {
        "name": name,
        "rows": len(data.target),
        "features": len(data.feature_names),
        "target": data.target_name,
        "task": data.task,
        "classes": None if data.task == "regression" else len(set(data.target)),
        "licence": data.licence,
    }


def describe(name: str, console: Console, *, as_json: bool) -> None:
    """Print what is known about one set."""
    data, reading = load(name, as_="dict"), read_data(name)
    if as_json:
        about = {"description": data.description, "citation": data.citation}
        facts = reading_dict(reading) | about | {"licence": data.licence}
        click.echo(json.dumps(facts, indent=2))
        return
    show_reading(reading, console)
    print_head(console, "About")
    print_wrapped(console, data.description)
    print_pairs(console, [("source", data.citation), ("licence", data.licence)])


def write_csv(name: str, path: Path) -> None:
    """Write a set as CSV: names in the first line, the target last, an empty cell for a gap."""
    columns, _, _ = bundled_columns(name)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*map(_cells, columns), strict=True))
    write_text("--out", path, text.getvalue())


def _cells(column: Column) -> list[str]:
    if column.kind != "numeric":
        return ["" if value is None else value for value in column.values.tolist()]
    return ["" if n != n else exact_text(n) for n in column.values.tolist()]
