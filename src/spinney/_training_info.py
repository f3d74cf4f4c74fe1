"""What a model was made for: the user's choices, the size and class shares of the data.

Files keep it beside the model, so that no choice has to be repeated. It holds no row of the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._table import CodedLabels, Schema
from spinney._typing import Floats

N_BINS = 10  # of a numeric column: tenths of the training rows


def _no_places() -> NDArray[np.int64]:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class MadeFor:
    """What a model was made for.

    Parameters
    ----------
    target : str
        Name of the target.
    task : {"classification", "regression", "survival"}
        Whether the target is a class, a number, or a lifetime.
    version : str
        Version of spinney that made the model.
    n_rows : int
        Number of training rows.
    class_shares : tuple of (label, float), default=()
        Share of each class among the training rows.
    positive : label or None, default=None
        The positive class of two.
    threshold : float or None, default=None
        Probability of the positive class from which it is predicted; None for the likeliest or
        cheapest class.
    costs : tuple of (label, label, float), default=()
        True class, predicted class, and what the mistake costs.
    priors : tuple of (label, float), default=()
        Prior probabilities that were given.
    dropped : tuple of str, default=()
        Columns that were left out.
    text : tuple of (str, str), default=()
        How the file was read, as options of the command line and their values.
    weight, exposure : str or None, default=None
        Columns with weights and exposures.
    event : str or None, default=None
        Column with the event indicator of survival data; `target` is that of the time.
    rules_differ : float or None, default=None
        Share of the training rows for which the model's shorter rules answer otherwise than its
        tree; None if it has no such rules.
    n_cuts : array of shape (n_features,)
        Number of cut points of each column; 0 if it has categories.
    cuts : array
        Cut points of the numeric columns, one column after another.
    shares : array
        Shares of the training rows: of the bins of each column, or its categories, and last of
        missing values.
    """

    target: str
    task: Literal["classification", "regression", "survival"]
    version: str
    n_rows: int
    class_shares: tuple[tuple[Any, float], ...] = ()
    positive: Any = None
    threshold: float | None = None
    costs: tuple[tuple[Any, Any, float], ...] = ()
    priors: tuple[tuple[Any, float], ...] = ()
    dropped: tuple[str, ...] = ()
    text: tuple[tuple[str, str], ...] = ()
    weight: str | None = None
    exposure: str | None = None
    event: str | None = None
    rules_differ: float | None = None
    n_cuts: NDArray[np.int64] = field(default_factory=_no_places)
    cuts: Floats = field(default_factory=partial(np.zeros, 0))
    shares: Floats = field(default_factory=partial(np.zeros, 0))

    @property
    def prices(self) -> dict[tuple[Any, Any], float]:
        """The costs by true and predicted class."""
        return {(true, predicted): cost for true, predicted, cost in self.costs}

    def sizes(self, schema: Schema) -> list[int]:
        """Return the number of shares of each column."""
        pairs = zip(schema.columns, self.n_cuts.tolist(), strict=True)
        return [
            (n_cuts + 1 if column.kind == "numeric" else len(column.categories)) + 1
            for column, n_cuts in pairs
        ]

    def fits(self, schema: Schema) -> bool:
        """Return whether the shares are those of some columns."""
        if not len(self.n_cuts):
            return not len(self.cuts) and not len(self.shares)
        if len(self.n_cuts) != len(schema.columns) or (self.n_cuts < 0).any():
            return False
        is_numeric = np.array([column.kind == "numeric" for column in schema.columns])
        return bool(
            not self.n_cuts[~is_numeric].any()
            and self.n_cuts.sum() == len(self.cuts)
            and sum(self.sizes(schema)) == len(self.shares)
            and ((self.shares >= 0) & (self.shares <= 1)).all()
        )

    def by_column(self, schema: Schema) -> list[tuple[Floats, Floats]]:
        """Return the cut points and the shares of each column."""
        if not len(self.n_cuts):
            return []
        cuts = np.split(self.cuts, np.cumsum(self.n_cuts)[:-1])
        shares = np.split(self.shares, np.cumsum(self.sizes(schema))[:-1])
        return list(zip(cuts, shares, strict=True))


def shares_of(cells: Any, cuts: Floats, n_categories: int) -> Floats:
    """Return the share of each bin or category of a column, and last of missing values.

    Parameters
    ----------
    cells : array or CodedLabels
        Numbers, or codes with -1 for a missing value.
    cuts : array
        Ascending; a number belongs to the first bin whose cut is not below it.
    n_categories : int
        Number of categories; 0 for numbers. Other codes count as missing.

    Returns
    -------
    array of shape (n_bins + 1,)
    """
    if n_categories:
        codes = np.asarray(cells)
        known = (codes >= 0) & (codes < n_categories)
        places, n_bins = np.where(known, codes, n_categories).astype(np.intp), n_categories
        counts = np.bincount(places, minlength=n_bins + 1)
        return np.asarray(counts / max(len(codes), 1), dtype=np.float64)
    return _shares_of_sorted(np.sort(np.asarray(cells, dtype=np.float64)), cuts)


def _shares_of_sorted(numbers: Floats, cuts: Floats) -> Floats:
    n_known = int(np.searchsorted(numbers, np.nan))  # missing values are the last
    ends = np.searchsorted(numbers[:n_known], cuts, side="right")
    counts = np.diff([0, *ends, n_known, len(numbers)])
    return np.asarray(counts / max(len(numbers), 1), dtype=np.float64)


def binned_shares(columns: Sequence[Any], schema: Schema) -> dict[str, Any]:
    """Return `n_cuts`, `cuts` and `shares` of training columns, which hold no value of a row.

    Parameters
    ----------
    columns : sequence of array or CodedLabels
        In the order of the schema.
    schema : Schema
        Kinds and categories of the columns.

    Returns
    -------
    dict
    """
    n_cuts, cuts, shares = [], [np.zeros(0)], [np.zeros(0)]
    for column, cells in zip(schema.columns, columns, strict=True):
        if column.kind == "numeric":
            ordered = np.sort(np.asarray(cells, dtype=np.float64))
            own = _tenths(ordered)
            found = _shares_of_sorted(ordered, own)
        else:
            own = np.zeros(0)
            found = shares_of(codes_in(cells, column), own, len(column.categories))
            found = found if column.categories else np.array([1.0])
        n_cuts.append(len(own))
        cuts.append(own)
        shares.append(found)
    return {
        "n_cuts": np.array(n_cuts, dtype=np.int64),
        "cuts": np.concatenate(cuts),
        "shares": np.concatenate(shares),
    }


def codes_in(cells: CodedLabels, column: Any) -> NDArray[np.int64]:
    """Return labels as codes of the categories of a model; -1 for others and missing ones."""
    known = [column.code_of(label) for label in cells.categories]
    table = np.array([*(-1 if code is None else code for code in known), -1], dtype=np.int64)
    return np.asarray(table[np.asarray(cells.codes)], dtype=np.int64)


def _tenths(ordered: Floats) -> Floats:
    """Return the cut points of tenths of the finite numbers, rounded so that they reveal no row."""
    first = np.searchsorted(ordered, -np.inf, side="right")
    known = ordered[first : np.searchsorted(ordered, np.inf)]
    if not len(known):
        return np.zeros(0)
    places = np.arange(1, N_BINS) / N_BINS * (len(known) - 1)
    below, above = known[np.floor(places).astype(int)], known[np.ceil(places).astype(int)]
    ends = below + (places % 1) * (above - below)
    rounded = [float(f"{end:.3g}") for end in ends.tolist()]
    return np.unique(np.array(rounded))
