"""Categories without a table library: a column of a mapping whose labels are codes already."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table._cells import Codes


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """Labels as places in a list of categories.

    Parameters
    ----------
    codes : array of int
        One for each row; -1 is missing.
    categories : sequence of str
        What the codes stand for; lowest first, if they have an order.
    ordered : bool, default=False
        Whether they have one.
    """

    codes: NDArray[Any]
    categories: Sequence[str]
    ordered: bool = False

    @classmethod
    def of(cls, values: NDArray[Any], categories: Sequence[str]) -> "CodedLabels":
        """Return ordered labels by their texts; None, and what is no category, is missing."""
        places = {label: code for code, label in enumerate(categories)}
        codes = np.array([places.get(label, -1) for label in values.tolist()], dtype=np.int64)
        return cls(codes, categories, ordered=True)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "CodedLabels":
        return replace(self, codes=self.codes[rows])

    def tolist(self) -> list[str | None]:
        """Return the labels; None for a gap."""
        return [None if code < 0 else self.categories[code] for code in self.codes.tolist()]

    def cells(self) -> Codes:
        """Return the column as it is encoded."""
        return Codes(self.codes, list(self.categories), ordered=self.ordered)
