"""The registry of data sets, `registry.toml`: the facts about each.

To add a set, put its CSV file (target last, empty cells for missing values) into `data/`, a table
into the registry, and a loader into `_loaders.py`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from ._dataset import Kind, Task

FOLDER = files("spinney.datasets")


@dataclass(frozen=True)
class Entry:
    """One data set. Columns named in neither `ordered` nor `nominal` are of kind `others`."""

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
