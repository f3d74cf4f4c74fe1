"""`spinney datasets`: the list of bundled data sets, and the description of each."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._cli.errors import Refusal
from spinney._cli.output import Screen, check_output, print_result, write_text
from spinney._format import csv_text, did_you_mean
from spinney.datasets._registry import REGISTRY, list_datasets

if TYPE_CHECKING:
    from spinney._cli.data.columns import Column


def run(name: str | None, out: Path | None, as_json: bool) -> None:
    """List the bundled data sets, or describe one of them."""
    check_output("--out", out)
    if name is None:
        if out is not None:
            raise Refusal("--out: say which data set to write: spinney datasets NAME --out FILE.")
        facts = [_facts(known) for known in list_datasets()]
        print_result(facts, show_list, list, as_json=as_json)
        return
    if name not in list_datasets():
        raise Refusal(f"there is no data set {name!r}.{did_you_mean(name, list_datasets())}")
    if out is not None:
        write_csv(name, out)
    print_result(name, describe, as_dict, as_json=as_json, written={"The data set is in": out})


def show_list(facts: list[dict[str, Any]], screen: Screen) -> None:
    """Print the size and the target of every data set."""
    rows = [["name", "rows", "features", "target"]]
    for fact in facts:
        kinds = {"regression": "a number", "survival": "lifetimes"}
        kind = kinds.get(fact["task"], f"{fact['classes']} classes")
        target = f"{fact['target']}, {kind}"
        rows.append([fact["name"], str(fact["rows"]), str(fact["features"]), target])
    screen.table(rows, left=(0, 3))


def _facts(name: str) -> dict[str, Any]:
    entry = REGISTRY[name]
    rows, features, classes = entry.size
    return {
        "name": name,
        "rows": rows,
        "features": features,
        "target": entry.target,
        "task": entry.task,
        "classes": classes or None,
        "licence": entry.licence,
    }


def describe(name: str, screen: Screen) -> None:
    """Print the facts about one data set."""
    from spinney._cli.data.reading import read_data
    from spinney._cli.summary import show_reading
    from spinney.datasets import load

    data = load(name, as_="dict")
    show_reading(read_data(name), screen)
    screen.head("About")
    screen.wrapped(data.description)
    screen.pairs([("source", data.citation), ("licence", data.licence)])


def as_dict(name: str) -> dict[str, Any]:
    """Return the facts about one data set."""
    from spinney._cli.data.reading import read_data
    from spinney._cli.summary import reading_dict
    from spinney.datasets import load

    data = load(name, as_="dict")
    about = {key: getattr(data, key) for key in ("description", "citation", "licence")}
    return reading_dict(read_data(name)) | about


def write_csv(name: str, path: Path) -> None:
    """Write a data set as CSV with a header, the target last, missing values empty."""
    from spinney._cli.data.source import bundled_columns

    columns, _, _ = bundled_columns(name)
    names = [column.name for column in columns]
    write_text("--out", path, csv_text([names, *zip(*map(_cells, columns), strict=True)]))


def _cells(column: "Column") -> list[str]:
    from spinney._cli.data.text_cells import exact_text

    if column.kind != "numeric":
        return ["" if value is None else value for value in column.values.tolist()]
    return ["" if n != n else exact_text(n) for n in column.values.tolist()]
