"""The object a loader returns."""

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["numeric", "ordered", "nominal"]
Task = Literal["classification", "regression"]
Format = Literal["pandas", "polars", "dict"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of features, a target, and what is known about them.

    Attributes
    ----------
    name : str
        The name that `load` knows it by.
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
        What the target calls for.
    description : str
        What a row is, what the codes mean, and what to watch for.
    citation : str
        The source to name in a publication.
    licence : str
        The terms of the data, or a note that none are stated.
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
        """The features: another name for `data`."""
        return self.data

    @property
    def y(self) -> Any:
        """The target: another name for `target`."""
        return self.target
