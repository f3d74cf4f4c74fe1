"""The commands and their options."""

from pathlib import Path
from typing import Any

import click

from spinney import __version__
from spinney._cli._json import to_json
from spinney._cli._plot import check_plot_file, save_plot
from spinney._cli._reading import read_data
from spinney._cli._report import show
from spinney._cli._text import make_console, print_table
from spinney._cli._training import Settings, train
from spinney._settings import CLASS_CRITERIA, REGRESSION_CRITERIA
from spinney.datasets import list_datasets, load

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 90}


@click.group(context_settings=_HELP)
@click.version_option(__version__, prog_name="spinney")
def main() -> None:
    """Decision trees that people can read, defend and ship."""


@main.command("train")
@click.argument("data")
@click.option("--target", metavar="NAME", help="Column to predict. A file needs it.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="Default: classes if the target is text or takes at most ten whole numbers.",
)
@click.option("--drop", metavar="NAME", multiple=True, help="Column to leave out; may be repeated.")
@click.option("--model", type=click.Choice(["cart"]), default="cart", show_default=True)
@click.option(
    "--criterion",
    type=click.Choice([*CLASS_CRITERIA, *REGRESSION_CRITERIA]),
    help="Default: gini, or squared_error in regression.",
)
@click.option(
    "--cv",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="Folds of the cross-validation that chooses the size of the tree.",
)
@click.option(
    "--rule",
    type=click.Choice(["1se", "min"]),
    default="1se",
    show_default=True,
    help="The smallest tree within one standard error of the least error, or the least error.",
)
@click.option(
    "--min-samples-leaf",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Rows that every leaf must hold.",
)
@click.option(
    "--random-state",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Seed of the folds: the same number, the same output.",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the tree: .png, .svg or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def train_command(
    data: str,
    target: str | None,
    task: Any,
    drop: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Grow one tree, prune it by cross-validation, and show it.

    DATA is the name of a bundled set (`spinney datasets` lists them) or a CSV file with column
    names in its first line. Empty cells, NA, NaN and ? are missing; a column of numbers is
    numeric, any other nominal. Rows without a target are dropped.
    """
    if plot is not None:
        check_plot_file(plot)
    reading = read_data(data, target=target, task=task, drop=drop)
    training = train(reading, Settings(**settings))
    if as_json:
        click.echo(to_json(training))
    else:
        show(training, make_console())
    if plot is not None:
        save_plot(training.tree, plot)
        click.echo(f"\nThe tree is drawn in {plot}.", err=as_json)


@main.command("datasets")
def datasets_command() -> None:
    """List the data sets that ship with spinney."""
    rows = [["name", "rows", "features", "target"]]
    for name in list_datasets():
        data = load(name, as_="dict")
        n_classes = len(set(data.target))
        kind = "a number" if data.task == "regression" else f"{n_classes} classes"
        size = [str(len(data.target)), str(len(data.feature_names))]
        rows.append([name, *size, f"{data.target_name}, {kind}"])
    print_table(make_console(), rows, left=(0, 3))
