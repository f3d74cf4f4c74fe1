"""Tables for terminals, CSV, Markdown and LaTeX, and the tables of an experiment.

A cell is a string, a number, None, or a mean with its standard deviation. CSV has all digits and
one column for each number; the other formats round, and mark the best of each row or column. Errors
of classifiers are shown in percent.
"""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spinney._atomic import write_atomically
from spinney._format import aligned, csv_text, plural, without_controls
from spinney._html import html_table

if TYPE_CHECKING:
    from spinney.compare._results import Results

_ENTITIES = re.compile(r"&(?=#?\w+;)")
_LINES = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


class Spread(NamedTuple):
    """A mean and a standard deviation."""

    mean: float
    sd: float


Cell = str | int | float | Spread | None


@dataclass(frozen=True, eq=False)
class Table:
    """A table of named columns.

    Attributes
    ----------
    title : str
        Title.
    columns : list of str
        Column names.
    rows : list of list
        Strings, numbers, None, and means with standard deviations.
    digits : mapping of str to int
        Decimal places by column; other columns have four significant digits.
    best : collection of (int, int)
        Row and column of the cells to mark.
    """

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    digits: Mapping[str, int] = field(default_factory=dict)
    best: Collection[tuple[int, int]] = frozenset()

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        heads, *rows = self._words(mark=lambda text: f"{text} *")
        left = [j for j, is_left in enumerate(self._is_left()) if is_left]
        return html_table(heads, rows, left=left, title=self.title)

    def to_text(self) -> str:
        """Return the table as aligned text; a star marks the best.

        Returns
        -------
        str
        """
        cells = self._words(
            mark=lambda text: f"{text}*", plain=lambda text: f"{text} ", escape=without_controls
        )
        left = [j for j, is_left in enumerate(self._is_left()) if is_left]
        return "\n".join([without_controls(self.title), "", *aligned(cells, left)]) + "\n"

    def to_markdown(self) -> str:
        """Return the table as Markdown; the best is bold.

        Returns
        -------
        str
        """
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
        r"""Return a `tabular` for LaTeX, with the rules of booktabs; the best is bold.

        Returns
        -------
        str
        """
        cells = self._words(mark=lambda text: rf"\textbf{{{text}}}", escape=_for_latex)
        places = "".join("l" if is_left else "r" for is_left in self._is_left())
        head, *body = [" & ".join(row) + r" \\" for row in cells]
        lines = [rf"\begin{{tabular}}{{{places}}}", r"\toprule", head, r"\midrule", *body]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def to_csv(self) -> str:
        """Return CSV with all digits; standard deviations have separate columns.

        Returns
        -------
        str
        """
        has_sd = [any(isinstance(row[j], Spread) for row in self.rows) for j in self._places()]
        head: list[str] = []
        for name, spreads in zip(self.columns, has_sd, strict=True):
            head += [name, f"{name} sd"] if spreads else [name]
        rows: list[list[Any]] = [head]
        for row in self.rows:
            values: list[Any] = []
            for cell, spreads in zip(row, has_sd, strict=True):
                pair = cell if isinstance(cell, Spread) else (cell, None)
                values += pair if spreads else [cell]
            rows.append([_number(value) for value in values])
        return csv_text(rows)

    def save(self, path: str | Path) -> None:
        """Write the table: `.txt`, `.csv`, `.md` or `.tex`.

        Parameters
        ----------
        path : str or path
            The file.
        """
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
        """Return which columns contain strings only."""
        return [all(isinstance(row[j], str) for row in self.rows) for j in self._places()]

    def _aligned(self, cells: list[str], widths: list[int]) -> list[str]:
        return [
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(cells, widths, self._is_left(), strict=True)
        ]

    def _words(self, mark: Any, plain: Any = str, escape: Any = str) -> list[list[str]]:
        """Return names and cells as strings, with the best marked."""
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


def for_markdown(text: str) -> str:
    r"""Return text on one line that is neither HTML nor the end of a cell to a reader of Markdown.

    Parameters
    ----------
    text : str
        Any text, such as a name.

    Returns
    -------
    str
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


def score_table(results: "Results", measure: str) -> Table:
    """Mean and standard deviation of each method on each data set, and the mean over sets."""
    unit = unit_of(measure)
    means, spreads = unit * results.mean(measure), unit * results.sd(measure)
    rows: list[list[Cell]] = [
        [name, *map(Spread, means[d].tolist(), spreads[d].tolist())]
        for d, name in enumerate(results.datasets)
    ]
    best = {(d, 1 + m) for d, m in _best(results, measure)}
    if len(rows) > 1:
        rows.append(["mean", *means.mean(axis=0).tolist()])
    columns = ["data set", *results.methods]
    title = f"Mean {label_of(measure)} ± standard deviation over {_partitions(results)}"
    return Table(title, columns, rows, _digits(measure, results.methods), best)


def rank_table(results: "Results", measure: str) -> Table:
    """Rank of each method on each data set, and the mean over sets."""
    rows: list[list[Cell]] = [
        [name, *ranks.tolist()]
        for name, ranks in zip(results.datasets, results.ranks(measure), strict=True)
    ]
    mean_ranks = results.mean_ranks(measure)
    rows.append(["mean rank", *mean_ranks.tolist()])
    best = {(len(rows) - 1, 1 + m) for m in np.flatnonzero(mean_ranks == mean_ranks.min()).tolist()}
    columns = ["data set", *results.methods]
    digits = dict.fromkeys(results.methods, 2)
    return Table(f"Ranks by mean {label_of(measure)}: 1 is the best", columns, rows, digits, best)


def size_table(results: "Results", measure: str) -> Table:
    """Mean leaves, nodes and members of each method on each data set."""
    return _facts_table(
        results,
        "Sizes: means of all trees that vote",
        {"leaves": "n_leaves", "nodes": "n_nodes", "members": "n_members"},
        1,
    )


def time_table(results: "Results", measure: str) -> Table:
    """Mean seconds to fit and to predict."""
    return _facts_table(
        results,
        "Seconds: means of one fit, and of one prediction of all test rows",
        {"fit": "fit_seconds", "predict": "predict_seconds"},
        4,
    )


def _facts_table(results: "Results", title: str, facts: dict[str, str], digits: int) -> Table:
    means = {word: results.mean(name) for word, name in facts.items() if name in results.measures}
    rows: list[list[Cell]] = [
        [dataset, method, *(float(each[d, m]) for each in means.values())]
        for d, dataset in enumerate(results.datasets)
        for m, method in enumerate(results.methods)
    ]
    return Table(title, ["data set", "method", *means], rows, dict.fromkeys(means, digits))


def pair_table(results: "Results", measure: str) -> Table:
    """Wins, draws and losses of each pair of methods, and Wilcoxon's test over the data sets."""
    counts = results.win_draw_loss(measure)
    columns = ["method", "against", "wins", "draws", "losses"]
    many = len(results.datasets) > 1
    rows: list[list[Cell]] = []
    for i, a in enumerate(results.methods):
        for j, b in enumerate(results.methods[i + 1 :], start=i + 1):
            row: list[Cell] = [a, b, *counts[i, j].tolist()]
            if many:
                row.append(results.compare(a, b, test="wilcoxon", measure=measure).p_value)
            rows.append(row)
    columns += ["Wilcoxon p"] if many else []
    title = f"Pairs of methods by mean {label_of(measure)} on {len(results.datasets)} data sets"
    return Table(title, columns, rows, {"Wilcoxon p": 4})


def dataset_table(results: "Results", dataset: str, measure: str) -> Table:
    """Methods on one data set, the best first, each tested against the best."""
    d = results.datasets.index(dataset)
    unit = unit_of(measure)
    means, spreads = results.mean(measure)[d], results.sd(measure)[d]
    order = np.argsort(results.losses(measure)[d], kind="stable").tolist()
    facts = {
        "leaves": "n_leaves",
        "members": "n_members",
        "fit s": "fit_seconds",
        "predict s": "predict_seconds",
    }
    kept = {word: results.mean(name)[d] for word, name in facts.items() if name in results.measures}
    tested = results.is_honest and results.values(measure).shape[2] > 1
    name = label_of(measure)
    others = [other for other in results.shown if other != measure]
    rows: list[list[Cell]] = []
    for m in order:
        row: list[Cell] = [results.methods[m], Spread(unit * means[m], unit * spreads[m])]
        if tested:
            best_and_own = results.methods[order[0]], results.methods[m]
            found = results.compare(*best_and_own, dataset, measure=measure)
            row.append(None if m == order[0] else found.p_value)
        row += [unit_of(other) * float(results.mean(other)[d, m]) for other in others]
        rows.append([*row, *(float(each[m]) for each in kept.values())])
    columns = ["method", name, *(["p"] if tested else []), *map(label_of, others), *kept]
    digits = {**_digits(measure, [name]), "p": 4, "leaves": 1, "members": 1}
    for other in others:
        digits |= _digits(other, [label_of(other)])
    digits |= {"fit s": 3, "predict s": 4}
    title = f"{dataset}: {_partitions(results)}"
    if tested:
        title += "; p is of the corrected t-test against the first"
    best = {(i, 1) for i, m in enumerate(order) if means[m] == means[order[0]]}
    return Table(title, columns, rows, digits, best)


def rank_tests(results: "Results") -> list[str]:
    """Return what the tests over several data sets find, as sentences; none for two methods."""
    if len(results.datasets) < 2 or len(results.methods) < 3:
        return []
    nemenyi = results.nemenyi()
    return [
        f"{results.friedman()}.",
        f"Nemenyi: mean ranks that differ by more than {nemenyi.critical_difference:.2f} "
        f"differ at the level {nemenyi.alpha:g}.",
    ]


def _best(results: "Results", measure: str) -> list[tuple[int, int]]:
    least = results.losses(measure).copy()
    least[np.isnan(least)] = np.inf
    found: list[tuple[int, int]] = []
    for d in range(len(least)):
        found += [(d, m) for m in np.flatnonzero(least[d] == least[d].min()).tolist()]
    return found


def unit_of(measure: str) -> float:
    """Return the factor of a measure in tables and plots: errors are in percent."""
    return 100.0 if _is_share(measure) else 1.0


def _is_share(measure: str) -> bool:
    return measure == "error" or measure.startswith("error_at_")


def label_of(measure: str) -> str:
    """Return a measure with its unit."""
    return f"{measure} in %" if _is_share(measure) else measure


def _digits(measure: str, columns: list[str]) -> dict[str, int]:
    return dict.fromkeys(columns, 2) if _is_share(measure) else {}


def _partitions(results: "Results") -> str:
    return plural(results.values().shape[2], "partition")
