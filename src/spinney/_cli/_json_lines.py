"""From JSON lines, an object for each row, to typed columns."""

import gzip
import json
from array import array
from pathlib import Path
from typing import Any

from spinney._cli._cells import (
    MISSING,
    Sheet,
    Wanted,
    check_order,
    label_column,
    numbers_of,
    refuse_text,
)
from spinney._cli._refusal import Refusal
from spinney.datasets._read import Column


def read_json_lines(path: Path, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file.

    Parameters
    ----------
    path : Path
        A file with a JSON object in each line, or one compressed by gzip. A key that a line lacks
        is missing there, as is null.
    wanted : Wanted, optional
        Kinds that columns must have. Default: the cells decide.

    Returns
    -------
    Sheet
    """
    wanted = wanted or Wanted()
    try:
        cells, texts, lines, others = _read_cells(path, wanted)
    except (OSError, EOFError) as error:
        raise Refusal(f"cannot read {str(path)!r}: {error}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{str(path)!r} is not text in UTF-8.") from error
    if not lines or not cells:
        raise Refusal(f"{str(path)!r} holds no rows.")
    columns = [
        _column(path, name, found, name in texts, lines, wanted) for name, found in cells.items()
    ]
    return Sheet(columns, others=others)


def _read_cells(
    path: Path, wanted: Wanted
) -> tuple[dict[str, list[str]], set[str], "array[int]", tuple[str, ...]]:
    """Return cells by column, the columns that hold text, the line of each row, other names."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    cells: dict[str, list[str]] = {}
    texts: set[str] = set()
    lines = array("q")
    others: dict[str, None] = {}
    with opener(path, "rt", encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            for name, value in _object(path, number, line).items():
                if not wanted.wants(name):
                    others[name] = None
                    continue
                column = cells.setdefault(name, [])
                column.extend([""] * (len(lines) - len(column)))
                column.append(_cell(path, number, name, value))
                if isinstance(value, str) and value not in MISSING:
                    texts.add(name)
            lines.append(number)
    for column in cells.values():
        column.extend([""] * (len(lines) - len(column)))
    return cells, texts, lines, tuple(others)


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise Refusal(
            f"{str(path)!r}, line {number}, letter {error.pos + 1}: not JSON ({error.msg})."
        ) from error
    except (ValueError, RecursionError) as error:  # too many digits, too many brackets
        raise Refusal(f"{str(path)!r}, line {number}: {error}.") from error
    if not isinstance(found, dict):
        raise Refusal(
            f"{str(path)!r}, line {number}: a {type(found).__name__}, but each line must be an "
            'object such as {"income": 28, "married": "yes"}.'
        )
    return found


def _cell(path: Path, number: int, name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float):
        return repr(value)
    raise Refusal(
        f"{str(path)!r}, line {number}, column {name!r}: a {type(value).__name__}. Cells must be "
        "numbers, text, true, false or null."
    )


def _column(
    path: Path, name: str, cells: list[str], is_text: bool, lines: "array[int]", wanted: Wanted
) -> Column:
    where, kind = repr(str(path)), wanted.kind_of(name)
    if kind == "numeric":
        refuse_text(where, name, cells, lines.__getitem__, decimal_comma=False)
    numbers = None if is_text and kind is None else numbers_of(cells, decimal_comma=False)
    if numbers is not None and kind in (None, "numeric"):
        return Column(name, "numeric", numbers)
    column = label_column(name, cells, wanted.orders.get(name))
    if kind == "ordered":
        check_order(where, column, lines.__getitem__)
    return column
