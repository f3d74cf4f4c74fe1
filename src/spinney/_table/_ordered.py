"""Ordered categories without a table library: a column of a mapping."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table._cells import Codes


@dataclass(frozen=True, eq=False)
class OrderedLabels:
    """Labels whose categories have an order.

    Parameters
    ----------
    values : array of str and None
        One label for each row; None, and what is no category, is missing.
    categories : sequence of str
        Lowest first.
    """

    values: NDArray[Any]
    categories: Sequence[str]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> "OrderedLabels":
        return OrderedLabels(self.values[rows], self.categories)

    def codes(self) -> Codes:
        """Return the column as it is encoded."""
        places = {label: code for code, label in enumerate(self.categories)}
        codes = np.array([places.get(label, -1) for label in self.values.tolist()], dtype=np.int64)
        return Codes(codes, list(self.categories), ordered=True)
