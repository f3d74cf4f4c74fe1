"""`spinney reproduce`: published experiments."""

from pathlib import Path

from spinney._cli.cluster import on_cluster
from spinney._cli.errors import refusing, refusing_folder
from spinney._cli.output import Screen, print_result
from spinney._reproduce import Options, Report, reproduce
from spinney._reproduce.runner import as_data, claim_rows, grid


def run(
    paper: str,
    tables: tuple[str, ...],
    figures: tuple[str, ...],
    runs: int | None,
    quick: bool,
    out: Path | None,
    seed: int,
    jobs: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Reproduce a published experiment."""
    folder = out if out is not None else Path("reproduced") / (f"{paper}-quick" if quick else paper)
    words = [f"spinney reproduce {paper}", *(f"--table {one}" for one in tables)]
    words += [f"--figure {one}" for one in figures]
    words += [f"--runs {runs}"] if runs else []
    words += ["--quick"] if quick else []
    words += [f"--seed {seed}"] if seed else []
    with on_cluster(dask), refusing_folder(folder), refusing():
        report = reproduce(
            paper,
            tables=tables,
            figures=figures,
            options=Options(runs=runs, quick=quick, seed=seed),
            folder=folder,
            n_jobs=jobs,
            command=" ".join(words),
        )
    print_result(report, show, lambda report: as_data(report.made), as_json=as_json)


def show(report: Report, screen: Screen) -> None:
    """Print all tables and figures, and the verdicts."""
    for part, content in report.made:
        screen.head(f"{part.name}: {part.title}")
        if content.cells:
            screen.table(grid(content.cells), left=(0,))
        if content.claims:
            screen.table(claim_rows(content.claims), left=(0, 1, 2, 3))
        for note in content.notes:
            for line in note.splitlines():
                screen.wrapped(line)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report.verdicts.items())
    screen.line()
    screen.line(f"{counts or 'No cells'}. {report.seconds:.0f} s.")
    screen.line(f"All of it is in {report.folder}, the page in page.md.")
