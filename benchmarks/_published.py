"""Figures that others printed, to stand beside ours; the files are in `published`."""

import csv
from pathlib import Path

_FOLDER = Path(__file__).parent / "published"


def published(table):
    """Return the rows of a printed table as dicts, with numbers where there are numbers."""
    with open(_FOLDER / f"{table}.csv", encoding="utf-8", newline="") as lines:
        return [
            {name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(lines)
        ]


def _number(cell):
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell
