"""All that can be typed: the commands, their arguments and their options.

Nothing heavy is imported here, so that help is shown at once. A command calls the function `run` of
the module of its name in `commands`.
"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from spinney._cli.app import SUMMARIES
from spinney._cli.models import METRICS, MODELS

# -- Kinds of options


def _option(*names: str, **settings: Any) -> click.Option:
    settings.setdefault("show_default", settings.get("default") is not None)
    return click.Option(names, **settings)


def _flag(*names: str, help: str) -> click.Option:
    return click.Option(names, is_flag=True, help=help)


def _integer(*names: str, low: int = 1, default: int | None = None, help: str) -> click.Option:
    kind = click.IntRange(min=low)
    return _option(*names, type=kind, metavar="N", default=default, help=help)


def _repeated(*names: str, metavar: str = "NAME", help: str, **settings: Any) -> click.Option:
    """Return an option that may be given several times."""
    help += "; may be repeated."
    return _option(*names, metavar=metavar, multiple=True, help=help, **settings)


def _path(name: str, help: str, metavar: str = "FILE", **settings: Any) -> click.Option:
    kind = click.Path(path_type=Path, **settings)
    return _option(name, type=kind, metavar=metavar, help=help)


def _checked_jobs(context: click.Context, option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 cannot work. Use 1 for one, -1 for all cores.")
    return value


# -- Options of several commands

_MODEL = click.Choice(list(MODELS))
_DIALECTS = (
    *("ansi", "sqlite", "duckdb", "postgresql", "mysql"),
    *("sqlserver", "oracle", "snowflake", "bigquery", "spark"),
)
_JSON = _flag("--json", "as_json", help="Print JSON instead of text.")
_SEED = _option(
    *("--seed", "--random-state", "seed"),
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    default=0,
    help="Random seed.",
)
_JOBS = _option(
    "--jobs",
    type=int,
    metavar="N",
    callback=_checked_jobs,
    default=-1,
    help="Number of threads or processes, -1 for all cores; does not affect the result.",
)
_DASK = _option(
    "--dask",
    metavar="ADDRESS",
    help="Run on the workers of a Dask scheduler, such as tcp://127.0.0.1:8786, instead of the "
    "cores of this machine; does not affect the result.",
)
_FOLDS_HELP = "Number of cross-validation folds."
_CV = _integer("--cv", low=2, default=10, help=_FOLDS_HELP)
_RULE = _option(
    "--rule",
    type=click.Choice(["1se", "min"]),
    default="1se",
    help="Choose the smallest tree within one standard error of the least error, or the tree with "
    "the least error.",
)
_COSTS = _repeated(
    *("--cost", "costs"),
    metavar="TRUE:PREDICTED=COST",
    help="Misclassification cost, such as bad:good=5 (default: 1)",
)
_NODE_IDS = _flag("--node-ids", help="Show the number of each node, for prune --at.")
_POSITIVE = _option(
    "--positive",
    metavar="CLASS",
    help="Positive class of two. Default: the rarer one in training.",
)
_THRESHOLD = _option(
    "--threshold",
    metavar="SHARE|cost",
    help="Probability from which the positive class is predicted; cost: that of least cost.",
)
_ANSWERS = _option(
    "--target",
    metavar="NAME",
    help="Target column. Default: that of the training, else the only column that the model does "
    "not use.",
)
_EXPOSURE = _option(
    "--exposure",
    metavar="NAME",
    help="Column with the exposure of counts or amounts: for --criterion poisson, gamma, tweedie.",
)
_GROUP = _option(
    "--group",
    metavar="NAME",
    help="Column with groups of rows that are never split between folds.",
)
_CRITERION = _option("--criterion", metavar="NAME", help="Splitting criterion, such as entropy.")
_EVENT = _option(
    "--event",
    metavar="NAME[=CODE]",
    help="Column with the event indicator of survival data: 1, true or CODE where it was observed.",
)
_TIME = _option(
    "--time", metavar="NAME", help="Column with the time of the event, or of censoring."
)
_WEIGHT = _option("--weight", metavar="NAME", help="Column with the weights of the rows.")
_SAVED_MODEL = click.Argument(["model"], type=click.Path(path_type=Path))
_DATA = click.Argument(["data"])

_FILE_FORMAT = (
    _repeated(
        "--na", metavar="TEXT", help="Additional text that marks a missing value, such as -999"
    ),
    _option(
        "--encoding",
        metavar="NAME",
        help="Character encoding of a text file, such as latin-1. Default: UTF-8.",
    ),
    _repeated(
        "--numeric",
        help="Column to parse as numbers with signs, units and thousands separators, such as "
        "$2,573.12 or 12 kg",
    ),
    _option(
        "--decimal",
        type=click.Choice([".", ","]),
        help="Decimal mark. Default: a point; in files separated by semicolons also a comma.",
    ),
)
_TABLE = (
    _option(
        "--target",
        metavar="NAME",
        help="Column to predict; required for a file, except with --event and --time.",
    ),
    _EVENT,
    _TIME,
    _option(
        "--task",
        type=click.Choice(["classification", "regression"]),
        help="Default: classification if the target is text or has at most ten distinct integers.",
    ),
    _repeated("--drop", help="Column to ignore"),
    _flag("--drop-ids", help="Ignore columns that are named as ids, count up or are codes."),
    _flag("--drop-unlabelled", help="Ignore rows without a target value."),
    _repeated("--nominal", help="Numeric column to treat as nominal"),
    _repeated(
        "--ordered", metavar="NAME=A,B,C", help="Ordinal column: its categories, lowest first"
    ),
    *_FILE_FORMAT,
)

# -- The commands


COMMANDS: dict[str, click.Command] = {}


def _declare(name: str, details: str, *params: click.Parameter) -> None:
    """Add a command to the list; its help is the summary and the details."""

    def call(**options: Any) -> None:
        import_module(f"spinney._cli.commands.{name}").run(**options)

    help = f"{SUMMARIES[name]}\n\n{inspect.cleandoc(details)}"
    COMMANDS[name] = click.Command(name, params=[*params], help=help, callback=call)


_WIDTH = max(map(len, MODELS))
_MODEL_LIST = "\n".join(f"  {name:<{_WIDTH}}  {model.words}" for name, model in MODELS.items())

# \b keeps the lines of a list as they are.
_declare(
    "split",
    """
    Writes NAME_train and NAME_test into the current folder, in the format of DATA, with unchanged
    cells. Existing files are not overwritten.
    """,
    _DATA,
    _option(
        "--test",
        type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
        metavar="SHARE",
        default=0.3,
        help="Share of the rows in the test file.",
    ),
    _option("--stratify", metavar="NAME", help="Column to stratify by."),
    _option("--group", metavar="NAME", help="Column with groups of rows that are never split."),
    _SEED,
    _path("--train-out", "File for the training rows."),
    _path("--test-out", "File for the test rows."),
)

_declare(
    "train",
    f"""
DATA is the name of a bundled data set (see `spinney datasets`) or a file: CSV with column names in
the first line, JSON lines, Parquet or Arrow; - is standard input. Empty cells, NA, N/A, NaN, NULL,
? and a lone point are missing values. A column of numbers is numeric, any other nominal.

\b
Models:
{_MODEL_LIST}
""",
    _DATA,
    *_TABLE,
    _option(
        "--model", type=_MODEL, metavar="NAME", default="cart", help="One of the models above."
    ),
    _CRITERION,
    _EXPOSURE,
    _WEIGHT,
    _GROUP,
    _CV,
    _flag("--no-cv", help="Skip the cross-validation."),
    _RULE,
    _option("--max-depth", metavar="N", help="Maximum depth of a tree."),
    _option(
        "--min-samples-leaf", metavar="N", help="Minimum number of rows in a leaf, or their share."
    ),
    _option("--trees", metavar="N", help="Number of trees of an ensemble."),
    _COSTS,
    _POSITIVE,
    _THRESHOLD,
    _repeated(
        "--monotone",
        metavar="NAME:+|-",
        help="Column along which predictions may only rise (+) or fall (-), such as income:+. Of "
        "two classes it is the probability of the second",
    ),
    _repeated(
        "--interaction",
        metavar="A,B,C",
        help="Columns that may be tested together; all others form another group",
    ),
    _repeated(
        *("--set", "given"),
        metavar="NAME=VALUE",
        help="Any other parameter of the model, such as max_features=4",
    ),
    _SEED,
    _JOBS,
    _path("--out", "Save the model to this file."),
    _path("--plot", "Draw the tree to this file: .png, .svg or .pdf."),
    _flag(
        "--batches",
        help="DATA is a pattern of Parquet files, such as 'data/*.parquet', that are read in "
        "batches and never held in memory: grown by bins (max_bins=255), without --cv.",
    ),
    _JSON,
)

_declare(
    "predict",
    """
    MODEL is a file written by `spinney train --out`. DATA is a file with the columns of the model,
    in any order, - for standard input, or the name of a bundled data set. The output is CSV with a
    line for each row, or JSON lines with --json.
    """,
    _SAVED_MODEL,
    _DATA,
    _flag("--proba", help="Add the probability of each class."),
    _option(
        "--interval",
        type=float,
        metavar="SHARE",
        help="Add columns low and high: a prediction interval with this coverage, such as 0.9. "
        "Needs a forest trained with --set keep_targets=true.",
    ),
    _option(
        "--times",
        metavar="A,B,C",
        help="Add the survival probability at each of these times. Needs a survival model, whose "
        "prediction is the risk relative to the training rows.",
    ),
    _integer("--digits", default=6, help="Significant digits of numbers; 17 for all."),
    _repeated("--keep", help="Column to copy to the output"),
    _flag(
        "--safe-cells",
        help="CSV: put ' before text that spreadsheets take for a formula, such as =1+1.",
    ),
    *_FILE_FORMAT,
    _path("--out", "Write to this file instead of standard output."),
    _JSON,
)

_declare(
    "evaluate",
    """
    Shows the cost and the error with their confidence intervals, the confusion matrix, precision
    and recall of each class, thresholds, the calibration of the probabilities, and how the columns
    differ from the training data. Use rows that were not used for training. Target, costs, positive
    class and threshold are those of the training unless they are given.
    """,
    _SAVED_MODEL,
    _DATA,
    _ANSWERS,
    _EVENT,
    _TIME,
    _EXPOSURE,
    _WEIGHT,
    _COSTS,
    _POSITIVE,
    _THRESHOLD,
    _flag("--rules", help="Evaluate the rules of a C4.5 model instead of its tree."),
    *_FILE_FORMAT,
    _path(
        "--plot",
        "Draw ROC, gains, lift, precision and recall, calibration and scores of two classes; the "
        "calibration of more; true against predicted values; or survival by groups of risk: .png, "
        ".svg or .pdf.",
    ),
    _JSON,
)

_declare(
    "threshold",
    """
    Shows the rows that each threshold on the probability of the positive class selects, and its
    cost on labelled rows, and chooses one: that of least cost unless --threshold is given. With
    --out the model is saved with the threshold, which all commands then use.
    """,
    _SAVED_MODEL,
    _DATA,
    _ANSWERS,
    _COSTS,
    _POSITIVE,
    _THRESHOLD,
    *_FILE_FORMAT,
    _path("--out", "Save the model with the threshold to this file."),
    _JSON,
)

_declare(
    "prune",
    """
    SOURCE is a table (a file, or the name of a bundled data set) or the file of a single-tree
    model. For a table, a tree is grown and its subtrees are evaluated by cross-validation. For a
    model, they are evaluated on the rows of --test, or by the cross-validation of its training.
    """,
    click.Argument(["source"]),
    _option("--test", metavar="DATA", help="Labelled rows that evaluate the subtrees of a model."),
    *_TABLE,
    _RULE,
    _integer("--leaves", help="Select the best tree with at most N leaves."),
    _option(
        "--alpha",
        type=click.FloatRange(min=0),
        metavar="PENALTY",
        help="Select the best tree at this penalty per leaf.",
    ),
    _repeated(
        "--at",
        metavar="N",
        type=click.IntRange(min=0),
        help="Turn this node into a leaf, numbered as by --node-ids",
    ),
    _NODE_IDS,
    _CV,
    _COSTS,
    _SEED,
    _JOBS,
    _path("--out", "Save the pruned model to this file."),
    _path("--plot", "Draw the error of each subtree: .png, .svg or .pdf."),
    _JSON,
)

_declare(
    "plot",
    """
    A single tree is drawn with its tests and class shares; an ensemble by the importances of its
    columns, or one of its trees with --tree.
    """,
    _SAVED_MODEL,
    _path("--out", "Picture: .png, .svg or .pdf. Default: the model's name with .png."),
    _integer("--tree", help="Tree of an ensemble to draw, counted from 1."),
    _integer("--max-depth", low=0, help="Levels to draw. Default: as many as are readable."),
    _NODE_IDS,
)

_declare(
    "edit",
    """
    Applies edits that were recorded by `spinney.edit.TreeEditor` or proposed in a report: splits
    given by hand, branches cut or grown, nodes locked. Counts, surrogate splits and predictions are
    recomputed from DATA, on which each edit is also evaluated by 10-fold cross-validation.
    """,
    _SAVED_MODEL,
    _DATA,
    click.Option(
        ["--edits"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        required=True,
        help="JSON file with the edits.",
    ),
    _flag("--partly", help="Skip edits that do not fit the tree instead of refusing all."),
    _ANSWERS,
    _EXPOSURE,
    _WEIGHT,
    *_FILE_FORMAT,
    _path("--out", "Write the edited model to this file."),
    _path("--report", "Write the report of the edited model to this page, such as page.html."),
    _JSON,
)

_declare(
    "distil",
    """
    MODEL is a forest, saved by `spinney train --out`, DATA its training data. The tree is trained
    on the predictions of the forest for DATA and for synthetic rows near it. Agreement and error
    are cross-validated; the forest is trained again in each fold.
    """,
    _SAVED_MODEL,
    _DATA,
    _integer("--leaves", low=2, default=12, help="Maximum number of leaves."),
    _flag("--rules", "rules", help="Show a few ordered rules instead of the tree."),
    _integer("--folds", low=2, default=5, help="Number of cross-validation folds."),
    _ANSWERS,
    *_FILE_FORMAT,
    _SEED,
    _path("--out", "Write the tree, with --rules the rules, to this model file."),
    _JSON,
)

_declare(
    "rules",
    """
    MODEL is a file of a single tree, written by `spinney train --out`. Every format predicts as the
    model does, also for missing values and unknown categories. The rules of C4.5 are shorter than
    its tree and may predict differently; --paths writes the tree itself.
    """,
    _SAVED_MODEL,
    _option(
        *("--format", "format_"),
        type=click.Choice(["text", "sql", "c", "python", "json"]),
        default="text",
    ),
    _flag("--paths", help="Write all paths of the tree, also if the model has shorter rules."),
    _option("--prune", metavar="DATA", help="Simplify the rules on these rows, as C4.5rules does."),
    _ANSWERS,
    _option("--table", metavar="NAME", default="data", help="SQL: name of the table."),
    _repeated("--keep", help="SQL: column to select as well"),
    _flag("--proba", help="SQL: add the probability of each class."),
    _option("--prefix", default="model", help="C: prefix of the names."),
    *_FILE_FORMAT,
    _path("--out", "Write to this file instead of standard output."),
)

_declare(
    "export",
    """
    Writes a tree, rules or an ensemble of trees for other systems; each predicts as the model does,
    also for missing values and unknown categories. onnx and treelite need these packages.
    """,
    _SAVED_MODEL,
    click.Option(
        ["--format", "format_"],
        type=click.Choice(["pmml", "onnx", "sql", "c", "python", "json", "treelite"]),
        required=True,
        help="Format of the file.",
    ),
    click.Option(
        ["--out"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        required=True,
        help="File to write.",
    ),
    _option(
        "--dialect",
        type=click.Choice(_DIALECTS),
        default="ansi",
        help="SQL: database to write for.",
    ),
    _option("--table", metavar="NAME", default="data", help="SQL: name of the table."),
    _repeated("--keep", help="SQL: column to select as well"),
    _flag("--proba", help="SQL: add the probability of each class."),
    _flag("--strict", help="SQL: fail where a column has another type."),
    _option("--prefix", default="model", help="C: prefix of the names."),
)

_WORDS = _option(
    "--words",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="JSON file with the text of a reason by column; {value} is the value of the row.",
)

_declare(
    "explain",
    """
    For a tree: the decision path, and the nearest change of the row with another prediction. For a
    forest: the votes of its trees, and the columns that they tested. Without DATA, columns that
    --set does not name are missing. --reasons adds up to four columns that moved the prediction.
    """,
    _SAVED_MODEL,
    click.Argument(["data"], required=False),
    _repeated("--row", "rows", type=click.IntRange(min=1), metavar="N", help="Row of DATA"),
    _repeated("--where", metavar="NAME=VALUE", help="Rows of DATA with this value, such as id=404"),
    _option("--fixed", metavar="A,B", help="Columns that cannot change, such as age,sex."),
    _repeated(
        *("--set", "given"), metavar="NAME=VALUE", help="Value of a column, overriding that of DATA"
    ),
    _option("--reasons", is_flag=True, help="Add the columns that moved the prediction most."),
    _WORDS,
    *_FILE_FORMAT,
    _JSON,
)

_declare(
    "report",
    """
    MODEL is a file written by `spinney train --out`, DATA its training data: a file, or the name of
    a bundled data set. The page needs no network. It shows the tree, its size, its quality on DATA
    and --holdout, its rules and its columns, the columns that moved its predictions most, and
    traces rows through the model. It contains counts of the data, never rows.
    """,
    _SAVED_MODEL,
    _DATA,
    _option("--holdout", metavar="DATA", help="Labelled rows that were not used for training."),
    _option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="FILE",
        required=True,
        help="The page to write, such as page.html.",
    ),
    _ANSWERS,
    _EVENT,
    _TIME,
    _EXPOSURE,
    _WEIGHT,
    _WORDS,
    *_FILE_FORMAT,
)

_declare(
    "compare",
    """
    DATA is the name of a bundled data set or a file; several are compared over all of them. Every
    model is trained and tested on the same rows. The table shows the measures, the p value of the
    corrected t-test against the best model, the number of leaves, and the time.
    """,
    click.Argument(["data"], nargs=-1, required=True),
    *_TABLE,
    _repeated(
        *("--model", "models"),
        type=_MODEL,
        help="Model to compare, see `spinney train --help`. Default: some trees and forests",
    ),
    _integer("--folds", low=2, default=10, help=_FOLDS_HELP),
    _option(
        *("--repeat", "--repeats", "repeats"),
        type=click.IntRange(min=1),
        metavar="N",
        default=2,
        help="Number of repetitions, each with new partitions.",
    ),
    _option(
        "--holdout",
        type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
        metavar="SHARE",
        help="Use random test sets of this share of the rows instead of cross-validation.",
    ),
    _repeated(
        *("--metric", "metrics"),
        type=click.Choice(METRICS),
        help="Metric; models are ranked by the first: error (RMSE in regression), cost, auc, "
        "logloss, brier; in regression also r2, deviance, concordance. Default: cost with --cost, "
        "deviance with such a --criterion, else error",
    ),
    _COSTS,
    _CRITERION,
    _EXPOSURE,
    _WEIGHT,
    _GROUP,
    _SEED,
    _JOBS,
    _DASK,
    _path(
        "--out",
        "Write results and a report with figures to this folder. An interrupted run is resumed.",
        "FOLDER",
        file_okay=False,
    ),
    _option(
        *("--format", "format_"),
        type=click.Choice(["html", "md"]),
        default="html",
        help="Format of the report.",
    ),
    _JSON,
)

_declare(
    "reproduce",
    """
    \b
    igpa      iterative growing and pruning: Tables I to V, Figures 1 to 6
    gp        evolved trees and forests: Tables 2 and 3, Figures 3 to 5
    mode      mode-based bagging: Tables 1 to 6, tests and headlines
    car       a tree, bagging and a forest on the cars of a textbook
    chapters  its problems 12.5, 12.6, 13.5 and 13.8, as tables of these numbers
    small     small forests beside large ones: Tables 1 to 6, Figures 1 and 2

    Each result is shown beside the published one, if there is any, with their difference in
    standard errors and a verdict. An interrupted run is resumed.
    """,
    click.Argument(
        ["paper"], type=click.Choice(["igpa", "gp", "mode", "car", "chapters", "small"])
    ),
    _repeated("--table", "tables", metavar="N", help="Only this table"),
    _repeated("--figure", "figures", metavar="N", help="Only this figure"),
    _integer("--runs", help="Number of repetitions. Default: as published."),
    _flag("--quick", help="A few runs of small models, to try the command."),
    _path("--out", "Folder for tables, figures and a page. Default: reproduced/PAPER.", "FOLDER"),
    _SEED,
    _JOBS,
    _DASK,
    _JSON,
)

_declare(
    "datasets",
    "With NAME, describe one of them.",
    click.Argument(["name"], required=False),
    _path("--out", "Write the data set to this file, as CSV."),
    _JSON,
)
