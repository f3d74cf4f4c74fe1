"""Loading by name: the registry row, the file and the format come together here."""

from spinney._nearest import did_you_mean

from ._convert import check_format, convert
from ._dataset import Dataset, Format
from ._read import read_columns
from ._registry import REGISTRY, Entry

__all__ = ["list_datasets", "load"]


def list_datasets() -> list[str]:
    """Return the names of all data sets, in alphabetical order.

    Returns
    -------
    list of str
        Names that `load` takes.

    Examples
    --------
    >>> from spinney.datasets import list_datasets
    >>> "german_credit" in list_datasets()
    True
    """
    return sorted(REGISTRY)


def load(name: str, as_: Format | None = None) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of the names that `list_datasets` gives.
    as_ : {"pandas", "polars", "dict"}, optional
        Format of the table: a pandas frame (ordered and nominal columns are categoricals), a
        polars frame (ordered columns are of type Enum, nominal ones plain strings), or a dict
        of one NumPy array for each column. Default: pandas if installed, else the dict.

    Returns
    -------
    Dataset
        The features, the target, and what is known about them.

    Raises
    ------
    ValueError
        If there is no such data set or format.
    ImportError
        If the library of the format is not installed.

    Examples
    --------
    >>> from spinney.datasets import load
    >>> credit = load("credit_example", as_="dict")
    >>> credit.X["income"][:3].tolist(), credit.y[:3].tolist()
    ([28.0, 32.0, 24.0], ['bad', 'bad', 'bad'])
    >>> credit.kinds["income"], credit.kinds["married"]
    ('numeric', 'nominal')
    """
    entry = _entry(name)
    format_ = check_format(as_)
    features, target = read_columns(entry)
    data, labels = convert(features, target, format_)
    return Dataset(
        name=entry.name,
        data=data,
        target=labels,
        target_name=entry.target,
        feature_names=tuple(column.name for column in features),
        kinds={column.name: column.kind for column in features},
        categories={
            column.name: column.categories for column in features if column.kind != "numeric"
        },
        task=entry.task,
        description=entry.description,
        citation=entry.citation,
        licence=entry.licence,
    )


def _entry(name: str) -> Entry:
    if name in REGISTRY:
        return REGISTRY[name]
    hint = did_you_mean(str(name), list_datasets())
    hint = hint or f" The names are: {', '.join(list_datasets())}."
    raise ValueError(f"there is no data set {name!r}.{hint}")
