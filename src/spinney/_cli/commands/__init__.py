"""All that can be typed: the commands, with their arguments and options.

A command calls the function `run` of the module of its name in this folder. Nothing heavy is
imported before, so that help is shown at once.
"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from spinney._cli.app import SUMMARIES
from spinney._cli.models import METRICS, MODELS
from spinney._cli.options import (
    ANSWERS,
    COSTS,
    CRITERION,
    CV,
    DASK,
    DATA,
    DIALECTS,
    EVENT,
    EXPOSURE,
    FILE_FORMAT,
    FOLDS_HELP,
    GROUP,
    JOBS,
    JSON,
    MODEL_NAME,
    NODE_IDS,
    POSITIVE,
    RULE,
    SAVED_MODEL,
    SEED,
    TABLE,
    THRESHOLD,
    TIME,
    WEIGHT,
    flag,
    integer,
    option,
    path,
    repeated,
)

COMMANDS: dict[str, click.Command] = {}


def _declare(name: str, details: str, *params: click.Parameter) -> None:
    """Add a command to the list; its help is the summary and the details."""

    def call(**options: Any) -> None:
        import_module(f"spinney._cli.commands.{name}").run(**options)

    help = f"{SUMMARIES[name]}\n\n{inspect.cleandoc(details)}"
    COMMANDS[name] = click.Command(name, params=[*params], help=help, callback=call)


_WIDTH = max(map(len, MODELS))
_MODEL_LIST = "\n".join(f"  {name:<{_WIDTH}}  {model.help}" for name, model in MODELS.items())

# \b keeps the lines of a list as they are.
_declare(
    "split",
    """
    Writes NAME_train and NAME_test into the current folder, in the format of DATA, with unchanged
    cells. Existing files are not overwritten.
    """,
    DATA,
    option(
        "--test",
        type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
        metavar="SHARE",
        default=0.3,
        help="Share of the rows in the test file.",
    ),
    option("--stratify", metavar="NAME", help="Column to stratify by."),
    option("--group", metavar="NAME", help="Column with groups of rows that are never split."),
    SEED,
    path("--train-out", "File for the training rows."),
    path("--test-out", "File for the test rows."),
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
    DATA,
    *TABLE,
    option(
        "--model", type=MODEL_NAME, metavar="NAME", default="cart", help="One of the models above."
    ),
    CRITERION,
    EXPOSURE,
    WEIGHT,
    GROUP,
    CV,
    flag("--no-cv", help="Skip the cross-validation."),
    RULE,
    option("--max-depth", metavar="N", help="Maximum depth of a tree."),
    option(
        "--min-samples-leaf", metavar="N", help="Minimum number of rows in a leaf, or their share."
    ),
    option("--trees", metavar="N", help="Number of trees of an ensemble."),
    COSTS,
    POSITIVE,
    THRESHOLD,
    repeated(
        "--monotone",
        metavar="NAME:+|-",
        help="Column along which predictions may only rise (+) or fall (-), such as income:+. Of "
        "two classes it is the probability of the second",
    ),
    repeated(
        "--interaction",
        metavar="A,B,C",
        help="Columns that may be tested together; all others form another group",
    ),
    repeated(
        *("--set", "given"),
        metavar="NAME=VALUE",
        help="Any other parameter of the model, such as max_features=4",
    ),
    SEED,
    JOBS,
    path("--out", "Save the model to this file."),
    path("--plot", "Draw the tree to this file: .png, .svg or .pdf."),
    flag(
        "--batches",
        help="DATA is a pattern of Parquet files, such as 'data/*.parquet', that are read in "
        "batches and never held in memory: grown by bins (max_bins=255), without --cv.",
    ),
    JSON,
)

_declare(
    "predict",
    """
    MODEL is a file written by `spinney train --out`. DATA is a file with the columns of the model,
    in any order, - for standard input, or the name of a bundled data set. The output is CSV with a
    line for each row, or JSON lines with --json.
    """,
    SAVED_MODEL,
    DATA,
    flag("--proba", help="Add the probability of each class."),
    option(
        "--interval",
        type=float,
        metavar="SHARE",
        help="Add columns low and high: a prediction interval with this coverage, such as 0.9. "
        "Needs a forest trained with --set keep_targets=true.",
    ),
    option(
        "--times",
        metavar="A,B,C",
        help="Add the survival probability at each of these times. Needs a survival model, whose "
        "prediction is the risk relative to the training rows.",
    ),
    integer("--digits", default=6, help="Significant digits of numbers; 17 for all."),
    repeated("--keep", help="Column to copy to the output"),
    flag(
        "--safe-cells",
        help="CSV: put ' before text that spreadsheets take for a formula, such as =1+1.",
    ),
    *FILE_FORMAT,
    path("--out", "Write to this file instead of standard output."),
    JSON,
)

_declare(
    "evaluate",
    """
    Shows the cost and the error with their confidence intervals, the confusion matrix, precision
    and recall of each class, thresholds, the calibration of the probabilities, and how the columns
    differ from the training data. Use rows that were not used for training. Target, costs, positive
    class and threshold are those of the training unless they are given.
    """,
    SAVED_MODEL,
    DATA,
    ANSWERS,
    EVENT,
    TIME,
    EXPOSURE,
    WEIGHT,
    COSTS,
    POSITIVE,
    THRESHOLD,
    flag("--rules", help="Evaluate the rules of a C4.5 model instead of its tree."),
    *FILE_FORMAT,
    path(
        "--plot",
        "Draw ROC, gains, lift, precision and recall, calibration and scores of two classes; the "
        "calibration of more; true against predicted values; or survival by groups of risk: .png, "
        ".svg or .pdf.",
    ),
    JSON,
)

_declare(
    "threshold",
    """
    Shows the rows that each threshold on the probability of the positive class selects, and its
    cost on labelled rows, and chooses one: that of least cost unless --threshold is given. With
    --out the model is saved with the threshold, which all commands then use.
    """,
    SAVED_MODEL,
    DATA,
    ANSWERS,
    COSTS,
    POSITIVE,
    THRESHOLD,
    *FILE_FORMAT,
    path("--out", "Save the model with the threshold to this file."),
    JSON,
)

_declare(
    "prune",
    """
    SOURCE is a table (a file, or the name of a bundled data set) or the file of a single-tree
    model. For a table, a tree is grown and its subtrees are evaluated by cross-validation. For a
    model, they are evaluated on the rows of --test, or by the cross-validation of its training.
    """,
    click.Argument(["source"]),
    option("--test", metavar="DATA", help="Labelled rows that evaluate the subtrees of a model."),
    *TABLE,
    RULE,
    integer("--leaves", help="Select the best tree with at most N leaves."),
    option(
        "--alpha",
        type=click.FloatRange(min=0),
        metavar="PENALTY",
        help="Select the best tree at this penalty per leaf.",
    ),
    repeated(
        "--at",
        metavar="N",
        type=click.IntRange(min=0),
        help="Turn this node into a leaf, numbered as by --node-ids",
    ),
    NODE_IDS,
    CV,
    COSTS,
    SEED,
    JOBS,
    path("--out", "Save the pruned model to this file."),
    path("--plot", "Draw the error of each subtree: .png, .svg or .pdf."),
    JSON,
)

_declare(
    "plot",
    """
    A single tree is drawn with its tests and class shares; an ensemble by the importances of its
    columns, or one of its trees with --tree.
    """,
    SAVED_MODEL,
    path("--out", "Picture: .png, .svg or .pdf. Default: the model's name with .png."),
    integer("--tree", help="Tree of an ensemble to draw, counted from 1."),
    integer("--max-depth", low=0, help="Levels to draw. Default: as many as are readable."),
    NODE_IDS,
)

_declare(
    "edit",
    """
    Applies edits that were recorded by `spinney.edit.TreeEditor` or proposed in a report: splits
    given by hand, branches cut or grown, nodes locked. Counts, surrogate splits and predictions are
    recomputed from DATA, on which each edit is also evaluated by 10-fold cross-validation.
    """,
    SAVED_MODEL,
    DATA,
    click.Option(
        ["--edits"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        required=True,
        help="JSON file with the edits.",
    ),
    flag("--partly", help="Skip edits that do not fit the tree instead of refusing all."),
    ANSWERS,
    EXPOSURE,
    WEIGHT,
    *FILE_FORMAT,
    path("--out", "Write the edited model to this file."),
    path("--report", "Write the report of the edited model to this page, such as page.html."),
    JSON,
)

_declare(
    "distil",
    """
    MODEL is a forest, saved by `spinney train --out`, DATA its training data. The tree is trained
    on the predictions of the forest for DATA and for synthetic rows near it. Agreement and error
    are cross-validated; the forest is trained again in each fold.
    """,
    SAVED_MODEL,
    DATA,
    integer("--leaves", low=2, default=12, help="Maximum number of leaves."),
    flag("--rules", "rules", help="Show a few ordered rules instead of the tree."),
    integer("--folds", "--cv", "folds", low=2, default=5, help=FOLDS_HELP),
    ANSWERS,
    *FILE_FORMAT,
    SEED,
    path("--out", "Write the tree, with --rules the rules, to this model file."),
    JSON,
)

_declare(
    "rules",
    """
    MODEL is a file of a single tree, written by `spinney train --out`. Every format predicts as the
    model does, also for missing values and unknown categories. The rules of C4.5 are shorter than
    its tree and may predict differently; --paths writes the tree itself.
    """,
    SAVED_MODEL,
    option(
        *("--format", "format_"),
        type=click.Choice(["text", "sql", "c", "python", "json"]),
        default="text",
    ),
    flag("--paths", help="Write all paths of the tree, also if the model has shorter rules."),
    option("--prune", metavar="DATA", help="Simplify the rules on these rows, as C4.5rules does."),
    ANSWERS,
    option("--table", metavar="NAME", default="data", help="SQL: name of the table."),
    repeated("--keep", help="SQL: column to select as well"),
    flag("--proba", help="SQL: add the probability of each class."),
    option("--prefix", default="model", help="C: prefix of the names."),
    *FILE_FORMAT,
    path("--out", "Write to this file instead of standard output."),
)

_declare(
    "export",
    """
    Writes a tree, rules or an ensemble of trees for other systems; each predicts as the model does,
    also for missing values and unknown categories. onnx and treelite need these packages.
    """,
    SAVED_MODEL,
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
    option(
        "--dialect",
        type=click.Choice(DIALECTS),
        default="ansi",
        help="SQL: database to write for.",
    ),
    option("--table", metavar="NAME", default="data", help="SQL: name of the table."),
    repeated("--keep", help="SQL: column to select as well"),
    flag("--proba", help="SQL: add the probability of each class."),
    flag("--strict", help="SQL: fail where a column has another type."),
    option("--prefix", default="model", help="C: prefix of the names."),
)

_WORDS = option(
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
    SAVED_MODEL,
    click.Argument(["data"], required=False),
    repeated("--row", "rows", type=click.IntRange(min=1), metavar="N", help="Row of DATA"),
    repeated("--where", metavar="NAME=VALUE", help="Rows of DATA with this value, such as id=404"),
    repeated("--fixed", metavar="A,B", help="Columns that cannot change, such as age,sex"),
    repeated(
        *("--set", "given"), metavar="NAME=VALUE", help="Value of a column, overriding that of DATA"
    ),
    option("--reasons", is_flag=True, help="Add the columns that moved the prediction most."),
    _WORDS,
    *FILE_FORMAT,
    JSON,
)

_declare(
    "report",
    """
    MODEL is a file written by `spinney train --out`, DATA its training data: a file, or the name of
    a bundled data set. The page needs no network. It shows the tree, its size, its quality on DATA
    and --holdout, its rules and its columns, the columns that moved its predictions most, and
    traces rows through the model. It contains counts of the data, never rows.
    """,
    SAVED_MODEL,
    DATA,
    option("--holdout", metavar="DATA", help="Labelled rows that were not used for training."),
    option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="FILE",
        required=True,
        help="The page to write, such as page.html.",
    ),
    ANSWERS,
    EVENT,
    TIME,
    EXPOSURE,
    WEIGHT,
    _WORDS,
    *FILE_FORMAT,
)

_declare(
    "compare",
    """
    DATA is the name of a bundled data set or a file; several are compared over all of them. Every
    model is trained and tested on the same rows. The table shows the measures, the p value of the
    corrected t-test against the best model, the number of leaves, and the time.
    """,
    click.Argument(["data"], nargs=-1, required=True),
    *TABLE,
    repeated(
        *("--model", "models"),
        type=MODEL_NAME,
        help="Model to compare, see `spinney train --help`. Default: some trees and forests",
    ),
    integer("--folds", "--cv", "folds", low=2, default=10, help=FOLDS_HELP),
    option(
        *("--repeat", "--repeats", "repeats"),
        type=click.IntRange(min=1),
        metavar="N",
        default=2,
        help="Number of repetitions, each with new partitions.",
    ),
    option(
        "--holdout",
        type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
        metavar="SHARE",
        help="Use random test sets of this share of the rows instead of cross-validation.",
    ),
    repeated(
        *("--metric", "metrics"),
        type=click.Choice(METRICS),
        help="Metric; models are ranked by the first: error (RMSE in regression), cost, auc, "
        "logloss, brier; in regression also r2, deviance, concordance. Default: cost with --cost, "
        "deviance with such a --criterion, else error",
    ),
    COSTS,
    CRITERION,
    EXPOSURE,
    WEIGHT,
    GROUP,
    SEED,
    JOBS,
    DASK,
    path(
        "--out",
        "Write results and a report with figures to this folder. An interrupted run is resumed.",
        "FOLDER",
        file_okay=False,
    ),
    option(
        *("--format", "format_"),
        type=click.Choice(["html", "md"]),
        default="html",
        help="Format of the report.",
    ),
    JSON,
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
    repeated("--table", "tables", metavar="N", help="Only this table"),
    repeated("--figure", "figures", metavar="N", help="Only this figure"),
    integer("--runs", help="Number of repetitions. Default: as published."),
    flag("--quick", help="A few runs of small models, to try the command."),
    path("--out", "Folder for tables, figures and a page. Default: reproduced/PAPER.", "FOLDER"),
    SEED,
    JOBS,
    DASK,
    JSON,
)

_declare(
    "datasets",
    "With NAME, describe one of them.",
    click.Argument(["name"], required=False),
    path("--out", "Write the data set to this file, as CSV."),
    JSON,
)
