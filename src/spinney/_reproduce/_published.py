"""Figures that others printed, to stand beside ours; the files are in `published`."""

import csv
from collections.abc import Callable
from importlib.resources import files
from typing import Any

__all__ = ["published"]

_KINDS: tuple[Callable[[str], Any], ...] = (int, float)


def published(table: str) -> list[dict[str, Any]]:
    """Return the rows of a printed table, with numbers where there are numbers.

    Parameters
    ----------
    table : str
        Name of the file, without its ending.

    Returns
    -------
    list of dict
        An empty cell is None.
    """
    file = files("spinney._reproduce") / "published" / f"{table}.csv"
    with file.open(encoding="utf-8") as lines:
        return [{name: _value(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]


def _value(cell: str) -> Any:
    if not cell:
        return None
    for kind in _KINDS:
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell
