"""`spinney reproduce`: published experiments, run again."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spinney._cli._options import jobs_option, json_option, seed_option

if TYPE_CHECKING:
    from spinney._reproduce import Report

_NAMES = ("igpa", "gp", "mode", "car", "chapters")

# \b keeps the lines of the list as they are.
_HELP = """Run a published experiment again, and compare with what is printed.

\b
igpa      iterative growing and pruning: Tables I to V, Figures 1 to 6
gp        evolved trees and forests: Tables 2 and 3, Figures 3 to 5
mode      mode-based bagging: Tables 1 to 6, tests and headlines
car       a tree, bagging and a forest on the cars of a textbook
chapters  its problems 12.5, 12.6, 13.5 and 13.8, as tables of these numbers

Each figure of ours stands beside the paper's, with the difference in standard errors and a
verdict. A run that was stopped goes on where it stopped.
"""


@click.command("reproduce", help=_HELP)
@click.argument("paper", type=click.Choice(_NAMES))
@click.option("--table", "tables", metavar="N", multiple=True, help="Only this table.")
@click.option("--figure", "figures", metavar="N", multiple=True, help="Only this figure.")
@click.option(
    "--runs", type=click.IntRange(min=1), metavar="N", help="Repetitions. Default: the paper's."
)
@click.option("--quick", is_flag=True, help="Few runs of small models: does it work?")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where tables, figures and a page are written. Default: reproduced/PAPER.",
)
@seed_option
@jobs_option
@json_option
def command(
    paper: str,
    tables: tuple[str, ...],
    figures: tuple[str, ...],
    runs: int | None,
    quick: bool,
    out: Path | None,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Run a published experiment again, and compare with what is printed."""
    from spinney._cli._refusal import Refusal
    from spinney._cli._writing import refusing_folder
    from spinney._reproduce import Options, reproduce
    from spinney.compare import UnitFailedError

    folder = out if out is not None else Path("reproduced") / (f"{paper}-quick" if quick else paper)
    try:
        with refusing_folder(folder):
            report = reproduce(
                paper,
                tables=tables,
                figures=figures,
                options=Options(runs=runs, quick=quick, seed=seed),
                folder=folder,
                n_jobs=jobs,
                command=_spelled(paper, tables, figures, runs, quick, seed),
            )
    except (ValueError, UnitFailedError) as problem:
        raise Refusal(str(problem)) from problem
    _show_json(report) if as_json else _show(report)


def _spelled(
    paper: str, tables: Any, figures: Any, runs: int | None, quick: bool, seed: int
) -> str:
    words = [f"spinney reproduce {paper}", *(f"--table {one}" for one in tables)]
    words += [f"--figure {one}" for one in figures]
    words += [f"--runs {runs}"] if runs else []
    words += ["--quick"] if quick else []
    words += [f"--seed {seed}"] if seed else []
    return " ".join(words)


def _show(report: "Report") -> None:
    from spinney._cli._text import make_console, print_head, print_line, print_table, print_wrapped
    from spinney._reproduce._page import claim_rows, grid

    console = make_console()
    for part, content in report.made:
        print_head(console, f"{part.name}: {part.title}")
        if content.cells:
            print_table(console, grid(content.cells), left=(0,))
        if content.claims:
            print_table(console, claim_rows(content.claims), left=(0, 1, 2, 3))
        for note in content.notes:
            for line in note.splitlines():
                print_wrapped(console, line)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report.verdicts.items())
    print_line(console, "")
    print_line(console, f"{counts or 'No cells'}. {report.seconds:.0f} s.")
    print_line(console, f"All of it is in {report.folder}, the page in page.md.")


def _show_json(report: "Report") -> None:
    import json

    from spinney._reproduce._page import as_data

    click.echo(json.dumps(as_data(report.made), indent=2))
