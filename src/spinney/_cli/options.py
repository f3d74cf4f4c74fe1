"""Kinds of options, and the arguments and options that several commands have."""

from pathlib import Path
from typing import Any

import click

from spinney._cli.models import MODELS

# -- Kinds of options


def option(*names: str, **settings: Any) -> click.Option:
    settings.setdefault("show_default", settings.get("default") is not None)
    return click.Option(names, **settings)


def flag(*names: str, help: str) -> click.Option:
    return click.Option(names, is_flag=True, help=help)


def integer(*names: str, low: int = 1, default: int | None = None, help: str) -> click.Option:
    kind = click.IntRange(min=low)
    return option(*names, type=kind, metavar="N", default=default, help=help)


def repeated(*names: str, metavar: str = "NAME", help: str, **settings: Any) -> click.Option:
    """Return an option that may be given several times."""
    help += "; may be repeated."
    return option(*names, metavar=metavar, multiple=True, help=help, **settings)


def path(name: str, help: str, metavar: str = "FILE", **settings: Any) -> click.Option:
    kind = click.Path(path_type=Path, **settings)
    return option(name, type=kind, metavar=metavar, help=help)


def _checked_jobs(context: click.Context, option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 cannot work. Use 1 for one, -1 for all cores.")
    return value


# -- Options of several commands

MODEL_NAME = click.Choice(list(MODELS))
DIALECTS = (
    *("ansi", "sqlite", "duckdb", "postgresql", "mysql"),
    *("sqlserver", "oracle", "snowflake", "bigquery", "spark"),
)
JSON = flag("--json", "as_json", help="Print JSON instead of text.")
SEED = option(
    *("--seed", "--random-state", "seed"),
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    default=0,
    help="Random seed.",
)
JOBS = option(
    "--jobs",
    type=int,
    metavar="N",
    callback=_checked_jobs,
    default=-1,
    help="Number of threads or processes, -1 for all cores; does not affect the result.",
)
DASK = option(
    "--dask",
    metavar="ADDRESS",
    help="Run on the workers of a Dask scheduler, such as tcp://127.0.0.1:8786, instead of the "
    "cores of this machine; does not affect the result.",
)
FOLDS_HELP = "Number of cross-validation folds."
CV = integer("--cv", "--folds", "cv", low=2, default=10, help=FOLDS_HELP)
RULE = option(
    "--rule",
    type=click.Choice(["1se", "min"]),
    default="1se",
    help="Choose the smallest tree within one standard error of the least error, or the tree with "
    "the least error.",
)
COSTS = repeated(
    *("--cost", "costs"),
    metavar="TRUE:PREDICTED=COST",
    help="Misclassification cost, such as bad:good=5 (default: 1)",
)
NODE_IDS = flag("--node-ids", help="Show the number of each node, for prune --at.")
POSITIVE = option(
    "--positive",
    metavar="CLASS",
    help="Positive class of two. Default: the rarer one in training; the second one of a model "
    "from Python.",
)
THRESHOLD = option(
    "--threshold",
    metavar="SHARE|cost",
    help="Probability from which the positive class is predicted; cost: that of least cost.",
)
ANSWERS = option(
    "--target",
    metavar="NAME",
    help="Target column. Default: that of the training, else the only column that the model does "
    "not use.",
)
EXPOSURE = option(
    "--exposure",
    metavar="NAME",
    help="Column with the exposure of counts or amounts: for --criterion poisson, gamma, tweedie.",
)
GROUP = option(
    "--group",
    metavar="NAME",
    help="Column with groups of rows that are never split between folds.",
)
CRITERION = option("--criterion", metavar="NAME", help="Splitting criterion, such as entropy.")
EVENT = option(
    "--event",
    metavar="NAME[=CODE]",
    help="Column with the event indicator of survival data: 1, true or CODE where it was observed.",
)
TIME = option("--time", metavar="NAME", help="Column with the time of the event, or of censoring.")
WEIGHT = option("--weight", metavar="NAME", help="Column with the weights of the rows.")
SAVED_MODEL = click.Argument(["model"], type=click.Path(path_type=Path))
DATA = click.Argument(["data"])

FILE_FORMAT = (
    repeated(
        "--na", metavar="TEXT", help="Additional text that marks a missing value, such as -999"
    ),
    option(
        "--encoding",
        metavar="NAME",
        help="Character encoding of a text file, such as latin-1. Default: UTF-8.",
    ),
    repeated(
        "--numeric",
        help="Column to parse as numbers with signs, units and thousands separators, such as "
        "$2,573.12 or 12 kg",
    ),
    option(
        "--decimal",
        type=click.Choice([".", ","]),
        help="Decimal mark. Default: a point; in files separated by semicolons also a comma.",
    ),
)
TABLE = (
    option(
        "--target",
        metavar="NAME",
        help="Column to predict; required for a file, except with --event and --time.",
    ),
    EVENT,
    TIME,
    option(
        "--task",
        type=click.Choice(["classification", "regression"]),
        help="Default: classification if the target is text or has at most ten distinct integers.",
    ),
    repeated("--drop", help="Column to ignore"),
    flag("--drop-ids", help="Ignore columns that are named as ids, count up or are codes."),
    flag("--drop-unlabelled", help="Ignore rows without a target value."),
    repeated("--nominal", help="Numeric column to treat as nominal"),
    repeated(
        "--ordered", metavar="NAME=A,B,C", help="Ordinal column: its categories, lowest first"
    ),
    *FILE_FORMAT,
)
