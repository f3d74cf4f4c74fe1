"""Options that several commands share, written once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spinney._cli._models import MODELS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

MODEL_CHOICE = click.Choice(list(MODELS))
_COLUMNS = max(map(len, MODELS))
MODEL_LIST = "\n".join(f"  {name:<{_COLUMNS}}  {model.words}" for name, model in MODELS.items())


def _checked_jobs(context: click.Context, option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 cannot work. Use 1 for one, -1 for all cores.")
    return value


target_option = click.option(
    "--target", metavar="NAME", help="Column to predict. A file needs it; a bundled set has one."
)
task_option = click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="Default: classification if the target is text, or whole numbers of at most ten values.",
)
answers_option = click.option(
    "--target",
    metavar="NAME",
    help="Column with the answers. Default: the only one that the model does not use.",
)
seed_option = click.option(
    "--seed",
    "--random-state",
    "seed",
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    default=0,
    show_default=True,
    help="For all that is drawn: the same number, the same output.",
)
rule_option = click.option(
    "--rule",
    type=click.Choice(["1se", "min"]),
    default="1se",
    show_default=True,
    help="The smallest tree within one standard error of the least error, or the least error.",
)
jobs_option = click.option(
    "--jobs",
    type=int,
    metavar="N",
    callback=_checked_jobs,
    default=-1,
    show_default=True,
    help="Threads or processes; -1 for all cores. They never change a result.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
set_option = click.option(
    "--set",
    "given",
    metavar="NAME=VALUE",
    multiple=True,
    help="Any parameter of the model, such as --set max_features=4; may be repeated.",
)
cost_option = click.option(
    "--cost",
    "costs",
    metavar="TRUE:PREDICTED=COST",
    multiple=True,
    help="What an error costs, such as bad:good=5; others cost 1. May be repeated.",
)
model_argument = click.argument("model", type=click.Path(path_type=Path))


def folds_option(name: str) -> Decorator:
    """Return the option that says how many parts the rows are divided into."""
    return click.option(
        name,
        type=click.IntRange(min=2),
        metavar="N",
        default=10,
        show_default=True,
        help="Folds of the cross-validation.",
    )


def out_option(words: str) -> Decorator:
    """Return the option that names the file to write."""
    return click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help=words)


def plot_option(words: str) -> Decorator:
    """Return the option that names a picture."""
    return click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help=words)


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file writes gaps, letters and numbers."""
    options = [
        click.option(
            "--na",
            metavar="TEXT",
            multiple=True,
            help="Text that marks a missing value, beside the usual ones; may be repeated.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="Character encoding of a text file, such as latin-1. Default: UTF-8.",
        ),
        click.option(
            "--numeric",
            metavar="NAME",
            multiple=True,
            help="Column to parse as numbers with signs, units and thousands separators, such as "
            "$2,573.12 or 12 kg; may be repeated.",
        ),
        click.option(
            "--decimal",
            type=click.Choice([".", ","]),
            help="Decimal mark. Default: a point; in files separated by semicolons also a comma.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how columns are to be taken."""
    options = [
        target_option,
        task_option,
        click.option(
            "--drop", metavar="NAME", multiple=True, help="Column to leave out; may be repeated."
        ),
        click.option(
            "--drop-ids",
            is_flag=True,
            help="Leave out columns that may be ids: text or whole numbers, different in each row.",
        ),
        click.option("--drop-unlabelled", is_flag=True, help="Leave out rows that have no target."),
        click.option(
            "--nominal",
            metavar="NAME",
            multiple=True,
            help="Column of codes whose order means nothing; may be repeated.",
        ),
        click.option(
            "--ordered",
            metavar="NAME=A,B,C",
            multiple=True,
            help="Column of categories in this order, lowest first; may be repeated.",
        ),
    ]
    command = file_options(command)
    for option in reversed(options):
        command = option(command)
    return command
