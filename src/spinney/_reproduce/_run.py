"""Runs an experiment, or some of its parts, and writes what came out to a folder.

| file                          | what it holds                                             |
|-------------------------------|-----------------------------------------------------------|
| `page.md`                     | all tables and figures, ours beside the paper's           |
| `cells.csv`                   | every cell with all its digits                            |
| `table_3.csv`                 | one table as it is printed                                |
| `figure_1.png`, `.svg`        | one figure                                                |
| `journal.jsonl`, `results.csv`| the units, see `spinney.compare`; a killed run goes on    |
"""

import csv
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinney._atomic import write_atomically
from spinney._reproduce._drawing import draw_part
from spinney._reproduce._page import count_verdicts, grid, page, records
from spinney._reproduce._papers import find_paper
from spinney._reproduce._parts import Content, Options, Paper, Part, Results
from spinney.compare import run_units
from spinney.compare._folder import held_folder
from spinney.plot._matplotlib import have_matplotlib

__all__ = ["Report", "reproduce"]


@dataclass(frozen=True)
class Report:
    """What an experiment gave."""

    paper: Paper
    made: tuple[tuple[Part, Content], ...]
    folder: Path | None
    seconds: float

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells have which verdict."""
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
    """Run a published experiment again.

    Parameters
    ----------
    name : str
        One of `spinney._reproduce.PAPERS`.
    tables, figures : sequence of str
        Parts to run, by their numbers; none for all.
    options : Options or None
        How much is run; None for as much as was published.
    folder : Path or None
        Where everything is written; None for nowhere.
    n_jobs : int or None
        Processes.
    progress : bool or callable
        As `run_units` takes it.
    command : str or None
        What the page gives as the command.

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
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(grid(content.cells))
            write_atomically(folder / f"{stem}.csv", [text.getvalue().encode()])
        if part.kind == "figure" and have_matplotlib():
            for ending, data in draw_part(content).items():
                write_atomically(folder / f"{stem}.{ending}", [data])
            pictures[part.name] = f"{stem}.png"
    write_atomically(folder / "cells.csv", [records(report.made).encode()])
    text_page = page(report.paper, report.made, pictures, command)
    write_atomically(folder / "page.md", [text_page.encode()])
