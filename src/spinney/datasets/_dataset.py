"""The object that a loader returns, and the registry of data sets, `registry.toml`.

To add a set, put its CSV file (target last, empty cells for missing values) into `data/`, a table
into the registry, and a loader into `_loaders.py`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

Kind = Literal["numeric", "ordered", "nominal"]
Task = Literal["classification", "regression"]
Format = Literal["pandas", "polars", "dict"]

FOLDER = files("spinney.datasets")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of features, a target, and metadata.

    Attributes
    ----------
    name : str
        Name of the data set.
    data : pandas.DataFrame, polars.DataFrame or dict of str to ndarray
        The features, one column each.
    target : pandas.Series, polars.Series or ndarray
        Class labels (always strings) or numbers, one for each row of `data`.
    target_name : str
        Name of the target column.
    feature_names : tuple of str
        Names of the columns of `data`, in order.
    kinds : dict of str to {"numeric", "ordered", "nominal"}
        The kind of each feature.
    categories : dict of str to tuple of str
        The categories of each ordered and nominal feature: lowest first when ordered, in the
        order of the codes when nominal.
    task : {"classification", "regression"}
        Task of the target.
    description : str
        Meaning of rows and codes, and caveats.
    citation : str
        Reference to cite.
    licence : str
        Licence, or a note that none is stated.
    """

    name: str
    data: Any = field(repr=False)
    target: Any = field(repr=False)
    target_name: str
    feature_names: tuple[str, ...] = field(repr=False)
    kinds: dict[str, Kind] = field(repr=False)
    categories: dict[str, tuple[str, ...]] = field(repr=False)
    task: Task
    description: str = field(repr=False)
    citation: str = field(repr=False)
    licence: str

    @property
    def X(self) -> Any:  # noqa: N802 - scikit-learn's name
        """Alias of `data`."""
        return self.data

    @property
    def y(self) -> Any:
        """Alias of `target`."""
        return self.target


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
