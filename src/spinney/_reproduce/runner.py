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
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from spinney._atomic import write_atomically
from spinney._format import csv_text
from spinney._reproduce.page import count_verdicts, draw_part, grid, page, records
from spinney._reproduce.paper import Content, Options, Paper, Part, Results
from spinney.compare import run_units
from spinney.compare._folder import held_folder
from spinney.plot._matplotlib import have_matplotlib

PAPERS = {
    "igpa": "Martinez-Munoz and Suarez (2004): trees and forests by growing and pruning in turn",
    "gp": "Suchy and Kubalik: forests of trees whose tests are evolved",
    "mode": "Azam, Berzal and Pfeiffer: fewer members by the mode of their errors",
    "car": "a textbook's comparison of a tree, bagging and a random forest",
    "chapters": "problems of the textbook: 12.5, 12.6, 13.5 and 13.8",
    "small": "small forests beside forests of 500 trees, LightGBM, IGPA and bagging by the mode",
}


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
