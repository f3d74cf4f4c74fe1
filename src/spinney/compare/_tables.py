"""Tables to print, to read by machine, and to put into a page or a paper.

A cell is a text, a number, None, or a mean with its standard deviation. CSV has all digits and a
column for each number; the others are rounded for people, with the best of each row or column
marked.
"""

import csv
import io
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from spinney._atomic import write_atomically
from spinney._controls import without_controls

__all__ = ["Spread", "Table"]


class Spread(NamedTuple):
    """A mean and a standard deviation."""

    mean: float
    sd: float


Cell = str | int | float | Spread | None


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of cells under names.

    Attributes
    ----------
    title : str
        What it shows.
    columns : list of str
        Names.
    rows : list of list
        Texts, numbers, None, and means with standard deviations.
    digits : mapping of str to int
        Decimals of the numbers in a column; others have four significant digits.
    best : collection of (int, int)
        Cells to mark, by row and column.
    """

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    digits: Mapping[str, int] = field(default_factory=dict)
    best: Collection[tuple[int, int]] = frozenset()

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the table with aligned columns; a star marks the best."""
        cells = self._words(
            mark=lambda text: f"{text}*", plain=lambda text: f"{text} ", escape=without_controls
        )
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(self._aligned(row, widths)).rstrip() for row in cells]
        return "\n".join([without_controls(self.title), "", *lines]) + "\n"

    def to_markdown(self) -> str:
        """Return a table for Markdown; the best is bold."""
        cells = self._words(mark=lambda text: f"**{text}**", escape=for_markdown)
        widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
        left = self._is_left()
        rule = [
            "-" * width if is_left else "-" * (width - 1) + ":"
            for width, is_left in zip(widths, left, strict=True)
        ]
        lines = [self._aligned(cells[0], widths), rule]
        lines += [self._aligned(row, widths) for row in cells[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

    def to_latex(self) -> str:
        r"""Return a `tabular` for LaTeX, with the rules of booktabs; the best is bold."""
        cells = self._words(mark=lambda text: rf"\textbf{{{text}}}", escape=_for_latex)
        places = "".join("l" if is_left else "r" for is_left in self._is_left())
        head, *body = [" & ".join(row) + r" \\" for row in cells]
        lines = [rf"\begin{{tabular}}{{{places}}}", r"\toprule", head, r"\midrule", *body]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def to_csv(self) -> str:
        """Return comma-separated values with all digits; deviations have columns of their own."""
        has_sd = [any(isinstance(row[j], Spread) for row in self.rows) for j in self._places()]
        head: list[str] = []
        for name, spreads in zip(self.columns, has_sd, strict=True):
            head += [name, f"{name} sd"] if spreads else [name]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(head)
        for row in self.rows:
            values: list[Any] = []
            for cell, spreads in zip(row, has_sd, strict=True):
                pair = cell if isinstance(cell, Spread) else (cell, None)
                values += pair if spreads else [cell]
            writer.writerow([_number(value) for value in values])
        return text.getvalue()

    def save(self, path: str | Path) -> None:
        """Write the table: `.txt`, `.csv`, `.md` or `.tex`."""
        path = Path(path)
        makers = {
            ".txt": self.to_text,
            ".csv": self.to_csv,
            ".md": self.to_markdown,
            ".tex": self.to_latex,
        }
        if path.suffix not in makers:
            raise ValueError(f"path must end in {', '.join(makers)}, got {str(path)!r}.")
        write_atomically(path, [makers[path.suffix]().encode()])

    def _places(self) -> range:
        return range(len(self.columns))

    def _is_left(self) -> list[bool]:
        """Tell which columns hold texts only."""
        return [all(isinstance(row[j], str) for row in self.rows) for j in self._places()]

    def _aligned(self, cells: list[str], widths: list[int]) -> list[str]:
        return [
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(cells, widths, self._is_left(), strict=True)
        ]

    def _words(self, mark: Any, plain: Any = str, escape: Any = str) -> list[list[str]]:
        """Return the names and all cells as texts, the best of them marked."""
        rows = [[escape(name) for name in self.columns]]
        marked_columns = {j for _, j in self.best}
        if plain is not str:
            rows = [[plain(w) if j in marked_columns else w for j, w in enumerate(rows[0])]]
        for i, row in enumerate(self.rows):
            words = []
            for j, cell in enumerate(row):
                text = escape(_cell_text(cell, self.digits.get(self.columns[j])))
                if (i, j) in self.best:
                    text = mark(text)
                elif j in marked_columns:
                    text = plain(text)
                words.append(text)
            rows.append(words)
        return rows


def _cell_text(cell: Cell, digits: int | None) -> str:
    if isinstance(cell, Spread):
        if math.isnan(cell.sd):
            return _cell_text(cell.mean, digits)
        return f"{_cell_text(cell.mean, digits)} ± {_cell_text(cell.sd, digits)}"
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, str | int):
        return str(cell)
    if digits is None:
        return f"{cell:.0f}" if abs(cell) >= 1e4 else f"{cell:.4g}"
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if 0.0 < cell < least / 2 else f"{cell:.{digits}f}"


def _number(value: Any) -> Any:
    return "" if isinstance(value, float) and math.isnan(value) else value


_ENTITIES = re.compile(r"&(?=#?\w+;)")
_LINES = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


def for_markdown(text: str) -> str:
    r"""Return text on one line that is neither HTML nor the end of a cell to a reader of Markdown.

    Parameters
    ----------
    text : str
        Any, such as a name of the user's.
    """
    text = _ENTITIES.sub("&amp;", text)
    for sign, written in (("<", "&lt;"), (">", "&gt;"), ("|", "\\|")):
        text = text.replace(sign, written)
    return _LINES.sub(" ", text)


def _for_latex(text: str) -> str:
    text = text.replace("\\", r"\textbackslash ")
    for sign in "&%$#_{}":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("±", r"$\pm$").replace("~", r"\textasciitilde ").replace("^", r"\^{}")
