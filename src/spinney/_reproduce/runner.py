"""Run an experiment, or some of its parts, and write the results to a folder.

| file                          | content                                                   |
|-------------------------------|-----------------------------------------------------------|
| `page.md`                     | all tables and figures, ours beside the paper's           |
| `cells.csv`                   | every cell with all its digits                            |
| `table_3.csv`                 | one table as it is printed                                |
| `figure_1.png`, `.svg`        | one figure                                                |
| `journal.jsonl`, `results.csv`| the units, see `spinney.compare`; a killed run is resumed |
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from spinney._atomic import write_atomically
from spinney._format import csv_text
from spinney._reproduce.paper import Claim, Content, Options, Paper, Part, Results
from spinney._reproduce.verdicts import VERDICTS, Cell, Finding
from spinney._typing import Floats
from spinney.compare import run_units
from spinney.compare._folder import held_folder
from spinney.plot._matplotlib import class_colours, have_matplotlib, picture

PAPERS = {
    "igpa": "Martinez-Munoz and Suarez (2004): trees and forests by growing and pruning in turn",
    "gp": "Suchy and Kubalik: forests of trees whose tests are evolved",
    "mode": "Azam, Berzal and Pfeiffer: fewer members by the mode of their errors",
    "car": "a textbook's comparison of a tree, bagging and a random forest",
    "chapters": "problems of the textbook: 12.5, 12.6, 13.5 and 13.8",
    "small": "small forests beside forests of 500 trees, LightGBM, IGPA and bagging by the mode",
}

AnyCell = Cell | Finding

_BRACKETS = "Standard deviations over the runs are in brackets."
_KEY = (
    " Then come the difference from the paper in standard errors, and a verdict: *agrees* within "
    "two of them, else *better*, *worse* or, where a figure is to be met and not to be beaten, "
    "*differs*. Tests have the *same finding* if both show the same difference at 5 %, or both "
    "show none."
)
_STYLES = ("o-", "s--", "^-.", "v:", "D-", "x--")
_RECORD = ["part", "row", "column", "ours", "ours_sd", "ours_runs", "paper", "paper_sd"]
_RECORD += ["difference", "standard_error", "z", "verdict"]


def find_paper(name: str) -> Paper:
    """Return an experiment by its name."""
    if name not in PAPERS:
        raise ValueError(f"unknown experiment {name!r}. Choose from: {', '.join(PAPERS)}.")
    paper: Paper = import_module(f"spinney._reproduce.paper_{name}").PAPER
    return paper


@dataclass(frozen=True)
class Report:
    """The results of an experiment."""

    paper: Paper
    made: tuple[tuple[Part, Content], ...]
    folder: Path | None
    seconds: float

    @property
    def verdicts(self) -> dict[str, int]:
        """Number of cells by verdict."""
        return count_verdicts(content for _, content in self.made)


def reproduce(
    name: str,
    *,
    tables: Sequence[str] = (),
    figures: Sequence[str] = (),
    options: Options | None = None,
    folder: Path | None = None,
    n_jobs: int | None = None,
    progress: Any = True,
    command: str | None = None,
) -> Report:
    """Reproduce a published experiment.

    Parameters
    ----------
    name : str
        One of `spinney._reproduce.PAPERS`.
    tables, figures : sequence of str
        Numbers of the parts to run; none for all.
    options : Options or None
        Size of the run; None for that of the paper.
    folder : Path or None
        Folder for the results; None to write nothing.
    n_jobs : int or None
        Number of processes.
    progress : bool or callable
        Progress, as in `run_units`.
    command : str or None
        Command shown on the page.

    Returns
    -------
    Report
    """
    paper = find_paper(name)
    parts = paper.chosen(tables, figures)
    options = options if options is not None else Options()
    start = time.perf_counter()
    keys = list(dict.fromkeys(key for part in parts for key in part.units(options)))
    about = {"paper": paper.name, "version": paper.version, "quick": str(options.quick)}
    found = run_units(
        keys,
        paper.work(options),
        folder=folder,
        fingerprint={**about, "seed": str(options.seed)},
        key_names=paper.key_names,
        n_jobs=n_jobs,
        progress=progress,
    )
    results = Results(dict(zip(keys, found, strict=True)))
    made = tuple((part, part.make(results, options)) for part in parts)
    report = Report(paper, made, folder, time.perf_counter() - start)
    if folder is not None:
        with held_folder(folder) as path:
            _write(report, path, command or f"spinney reproduce {name}")
    return report


def _write(report: Report, folder: Path, command: str) -> None:
    pictures = {}
    for part, content in report.made:
        stem = part.name.lower().replace(" ", "_").replace(".", "_")
        if content.cells:
            write_atomically(folder / f"{stem}.csv", [csv_text(grid(content.cells)).encode()])
        if part.kind == "figure" and have_matplotlib():
            for ending, data in draw_part(content).items():
                write_atomically(folder / f"{stem}.{ending}", [data])
            pictures[part.name] = f"{stem}.png"
    write_atomically(folder / "cells.csv", [records(report.made).encode()])
    text_page = page(report.paper, report.made, pictures, command)
    write_atomically(folder / "page.md", [text_page.encode()])


def grid(cells: Sequence[AnyCell]) -> list[list[str]]:
    """Return a table as text cells, the header first: ours, the published one, and the verdict."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    place = {(cell.row, cell.column): cell.texts() for cell in cells}
    printed = {cell.column for cell in cells if cell.paper is not None}
    heads = [""]
    for column in columns:
        heads += [column, "paper", ""] if column in printed else [column]
    rows = [heads]
    for name in dict.fromkeys(cell.row for cell in cells):
        row = [name]
        for column in columns:
            texts = place.get((name, column), ("", "", ""))
            row += texts if column in printed else texts[:1]
        rows.append(row)
    return rows


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a Markdown table, its first column left-aligned."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---|" + "---:|" * (len(rows[0]) - 1))
    return "\n".join(lines)


def count_verdicts(contents: Iterable[Content]) -> dict[str, int]:
    """Return the number of cells by verdict."""
    counts = Counter(cell.verdict for content in contents for cell in content.cells if cell.verdict)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def records(made: Sequence[tuple[Part, Content]]) -> str:
    """Return every cell of every part as CSV, with all digits."""
    rows = [
        {"part": part.name, **cell.record()} for part, content in made for cell in content.cells
    ]
    return csv_text([_RECORD, *([row.get(name) for name in _RECORD] for row in rows)])


def as_data(made: Sequence[tuple[Part, Content]]) -> dict[str, Any]:
    """Return all parts as plain data, for JSON."""
    parts = [
        {
            "part": part.name,
            "title": part.title,
            "cells": [cell.record() for cell in content.cells],
            "claims": [asdict(claim) for claim in content.claims],
        }
        for part, content in made
    ]
    return {"parts": parts, "verdicts": count_verdicts(content for _, content in made)}


def part_page(part: Part, content: Content, picture: str | None) -> str:
    """Return one table or figure as Markdown."""
    blocks = [f"## {part.name}: {part.title}"]
    if picture is not None:
        blocks.append(f"![{part.name}]({picture})")
    if content.cells:
        blocks.append(markdown_table(grid(content.cells)))
    counts = count_verdicts([content])
    if counts:
        blocks.append("Cells: " + _counted(counts) + ".")
    if content.claims:
        blocks.append(markdown_table(claim_rows(content.claims)))
    blocks += content.notes
    return "\n\n".join(blocks)


def page(
    paper: Paper, made: Sequence[tuple[Part, Content]], pictures: dict[str, str], command: str
) -> str:
    """Return the whole experiment as Markdown."""
    contents = [content for _, content in made]
    judged = bool(count_verdicts(contents))
    blocks = [f"# {paper.title}", paper.source, f"```text\n{command}\n```", *paper.setting]
    if any(_shows_deviation(cell) for content in contents for cell in content.cells):
        blocks.append(_BRACKETS + (_KEY if judged else ""))
    if judged:
        blocks.append("**In all:** " + _counted(count_verdicts(contents)) + _claims(contents) + ".")
    blocks += [part_page(part, content, pictures.get(part.name)) for part, content in made]
    return "\n\n".join(blocks) + "\n"


def _shows_deviation(cell: AnyCell) -> bool:
    return not isinstance(cell, Cell) or cell.judged


def _claims(contents: Sequence[Content]) -> str:
    claims = [claim for content in contents for claim in content.claims]
    if not claims:
        return ""
    return f"; {sum(claim.holds for claim in claims)} of {len(claims)} claims hold"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no cells"


def claim_rows(claims: Sequence[Claim]) -> list[list[str]]:
    """Return claims as a table."""
    rows = [["claim", "paper", "here", ""]]
    for claim in claims:
        rows.append([claim.text, claim.paper, claim.ours, "holds" if claim.holds else "not shown"])
    return rows


# -- Figures


def draw_part(content: Content) -> dict[str, bytes]:
    """Return a figure by the suffix of its file; the same content gives the same bytes."""
    assert content.draw is not None, "only figures are drawn"
    from matplotlib.figure import Figure

    figure = Figure(figsize=content.size, layout="constrained")
    content.draw(figure.subplots(content.n_rows, content.n_axes))
    return {ending: picture(figure, ending, dpi=110, tight=False) for ending in ("png", "svg")}


def lines(
    axes: Any, x: Sequence[float], series: Mapping[str, Floats], *, markers: bool = True
) -> None:
    """Draw the mean of each series, with its standard error.

    Parameters
    ----------
    axes : matplotlib axes
        Axes to draw on.
    x : sequence of float
        Positions of the columns of a series.
    series : mapping of str to array of shape (n_runs, n_x)
        Runs by name.
    markers : bool
        Whether to mark each x.
    """
    for i, ((name, runs), colour) in enumerate(
        zip(series.items(), class_colours(len(series)), strict=True)
    ):
        mean = runs.mean(axis=0)
        style = _STYLES[i % len(_STYLES)] if markers else _STYLES[i % len(_STYLES)][1:]
        axes.plot(x, mean, style, color=colour, label=name, markersize=4)
        if len(runs) > 1:
            error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
            axes.fill_between(x, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    axes.legend()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
