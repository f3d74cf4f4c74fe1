"""From a CSV file to typed columns, with the standard library and NumPy only.

The first line holds the names. Cells are parted by commas, semicolons or tabs, whichever the first
line holds most of; beside semicolons, 1,5 is one and a half. A column of numbers is numeric, any
other nominal. Empty cells, NA, NaN and ? are missing.
"""

import csv
import gzip
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._cli._refusal import Refusal
from spinney._cli._text import plural
from spinney.datasets._read import Column, natural_key

MISSING = frozenset({"", "NA", "NaN", "nan", "?"})
_DELIMITERS = (",", ";", "\t")


def read_csv(path: Path) -> list[Column]:
    """Read the columns of a file.

    Parameters
    ----------
    path : Path
        A CSV file, or one compressed by gzip.

    Returns
    -------
    list of Column
        In the order of the file. The name may be empty, as for the row numbers that some programs
        write.
    """
    try:
        header, rows, delimiter = _read_rows(path)
    except (OSError, EOFError) as error:
        raise Refusal(f"cannot read {str(path)!r}: {error}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{str(path)!r} is not text in UTF-8. Save it as CSV in UTF-8.") from error
    except csv.Error as error:
        raise Refusal(f"{str(path)!r} is not a CSV file: {error}.") from error
    _check_header(header, path)
    if not rows:
        raise Refusal(f"{str(path)!r} has column names but no rows.")
    cells_by_column = zip(*rows, strict=True)
    return [
        _column(name, cells, decimal_comma=delimiter == ";")
        for name, cells in zip(header, cells_by_column, strict=True)
    ]


def _read_rows(path: Path) -> tuple[list[str], list[list[str]], str]:
    open_text: Any = gzip.open if path.suffix == ".gz" else open
    with open_text(path, "rt", encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        delimiter = max(_DELIMITERS, key=first.count)
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
        header = [cell.strip() for cell in next(reader, [])]
        rows = []
        for row in reader:
            if not row:  # a blank line
                continue
            if len(row) != len(header):
                raise Refusal(
                    f"{str(path)!r}, line {reader.line_num}: {plural(len(row), 'cell')}, but the "
                    f"first line names {plural(len(header), 'column')}."
                )
            rows.append([cell.strip() for cell in row])
    return header, rows, delimiter


def _check_header(header: Sequence[str], path: Path) -> None:
    if not any(header):
        raise Refusal(f"{str(path)!r} is empty. Its first line must hold the names of the columns.")
    seen: set[str] = set()
    for name in filter(None, header):
        if name in seen:
            raise Refusal(f"{str(path)!r}: two columns are called {name!r}. Rename one of them.")
        seen.add(name)
    if _numbers(header, decimal_comma=False) is not None:
        raise Refusal(
            f"{str(path)!r}: the first line holds numbers. It must hold the names of the columns."
        )


def _column(name: str, cells: Sequence[str], *, decimal_comma: bool) -> Column:
    numbers = _numbers(cells, decimal_comma=decimal_comma)
    if numbers is not None:
        return Column(name, "numeric", numbers)
    labels = np.array([None if cell in MISSING else cell for cell in cells], dtype=object)
    categories = sorted({cell for cell in cells if cell not in MISSING}, key=natural_key)
    return Column(name, "nominal", labels, tuple(categories))


def _numbers(cells: Sequence[str], *, decimal_comma: bool) -> NDArray[np.float64] | None:
    """Return the cells as numbers, None if any of them is something else."""
    if any("_" in cell for cell in cells):  # Python reads 1_000 as a number, other programs do not
        return None
    if decimal_comma:
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        return np.array([math.nan if cell in MISSING else float(cell) for cell in cells])
    except ValueError:
        return None
