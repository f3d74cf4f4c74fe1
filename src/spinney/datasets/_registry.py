"""The registry `registry.toml`: names, sizes and kinds of the data sets, without their rows.

Nothing here imports NumPy, so that a list of the data sets is shown at once.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Literal

Kind = Literal["numeric", "ordered", "nominal"]
Task = Literal["classification", "regression", "survival"]

FOLDER = files("spinney.datasets")
EVENT = "event"  # the column beside the time of lifetimes


@dataclass(frozen=True)
class Entry:
    """A registered set. Columns named in neither `ordered` nor `nominal` are of kind `others`."""

    name: str
    description: str
    citation: str
    licence: str = "CC BY 4.0"
    target: str = "class"
    task: Task = "classification"
    nominal: list[str] = field(default_factory=list)
    ordered: Mapping[str, list[str]] = field(default_factory=dict)  # lowest first
    others: Kind = "numeric"
    compressed: bool = False
    exposure: str | None = None  # column for whose amount the target was counted
    size: tuple[int, int, int] = (0, 0, 0)  # rows, features, classes; for lists, without reading

    @property
    def file(self) -> str:
        """Name of the file in `data/`."""
        return f"{self.name}.csv.gz" if self.compressed else f"{self.name}.csv"

    def kind_of(self, column: str) -> Kind:
        """Return the kind of a feature."""
        if column in self.ordered:
            return "ordered"
        return "nominal" if column in self.nominal else self.others


REGISTRY: Mapping[str, Entry] = {
    name: Entry(name, **facts)
    for name, facts in tomllib.loads((FOLDER / "registry.toml").read_text("utf-8")).items()
}


def list_datasets() -> list[str]:
    """Return the names of all data sets, in alphabetical order.

    Returns
    -------
    list of str
        Names for `load`.

    Examples
    --------
    >>> from spinney.datasets import list_datasets
    >>> "german_credit" in list_datasets()
    True
    """
    return sorted(REGISTRY)


def natural_key(code: str) -> list[str | int]:
    """Sort key that reads runs of digits as numbers, so that A49 comes before A410."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", code)]
