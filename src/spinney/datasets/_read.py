"""From a shipped CSV file to typed columns, with the standard library and NumPy only.

The files share one layout: UTF-8, a header row, the target in the last column, and an empty
cell where a value is missing. Turning the columns into a table is left to `_convert`.
"""

import csv
import gzip
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._dataset import Kind
from ._registry import Entry

__all__ = ["Column", "natural_key", "read_columns"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: float64 with NaN when numeric, else an object array of str and None."""

    name: str
    kind: Kind
    values: NDArray[Any]
    categories: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the column holds whole numbers only, without gaps."""
        if self.kind != "numeric":
            return False
        return bool(np.all(np.isfinite(self.values) & (self.values == np.floor(self.values))))


def natural_key(code: str) -> list[str | int]:
    """Sort key that reads runs of digits as numbers, so that A49 comes before A410."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", code)]


def read_columns(entry: Entry) -> tuple[list[Column], Column]:
    """Read the features and the target of one registered set."""
    header, *rows = csv.reader(io.StringIO(_file_text(entry.file), newline=""))
    cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    target_cells = cells.pop(entry.target)
    target_kind: Kind = "numeric" if entry.task == "regression" else "nominal"
    features = [
        _column(name, entry.kind_of(name), texts, entry.ordered.get(name))
        for name, texts in cells.items()
    ]
    return features, _column(entry.target, target_kind, target_cells)


def _file_text(file: str) -> str:
    content = (files("spinney.datasets") / "data" / file).read_bytes()
    if file.endswith(".gz"):
        content = gzip.decompress(content)
    return content.decode("utf-8")


def _column(
    name: str, kind: Kind, texts: Sequence[str], order: tuple[str, ...] | None = None
) -> Column:
    if kind == "numeric":
        numbers = np.array([float(text) if text else np.nan for text in texts], dtype=np.float64)
        return Column(name, kind, numbers)
    labels = np.array([text or None for text in texts], dtype=object)
    categories = order or tuple(sorted({text for text in texts if text}, key=natural_key))
    return Column(name, kind, labels, categories)
