"""`spinney train`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._models import parse_settings
from spinney._cli._options import (
    MODEL_CHOICE,
    MODEL_LIST,
    cost_option,
    folds_option,
    jobs_option,
    json_option,
    out_option,
    plot_option,
    reading_options,
    rule_option,
    seed_option,
    set_option,
)

# \b keeps the lines of the list as they are.
_HELP = f"""Learn a model, show it and its cross-validated error.

DATA is the name of a bundled set (`spinney datasets` lists them) or a file: CSV with column names
in its first line, JSON lines, Parquet or Arrow; - is standard input. Empty cells, NA, N/A, NaN,
NULL, ? and a lone point are missing; a column of numbers is numeric, any other nominal.

\b
Models:
{MODEL_LIST}
"""


@click.command("train", help=_HELP)
@click.argument("data")
@reading_options
@click.option(
    "--model",
    type=MODEL_CHOICE,
    metavar="NAME",
    default="cart",
    show_default=True,
    help="One of the models above.",
)
@click.option("--criterion", metavar="NAME", help="What tests are judged by, such as entropy.")
@folds_option("--cv")
@click.option("--no-cv", is_flag=True, help="Do not estimate the error.")
@rule_option
@click.option(
    "--max-depth", type=click.IntRange(min=1), metavar="N", help="Levels that a tree may have."
)
@click.option(
    "--min-samples-leaf",
    type=click.IntRange(min=1),
    metavar="N",
    help="Rows that a leaf must hold.",
)
@click.option("--trees", type=click.IntRange(min=1), metavar="N", help="Members of an ensemble.")
@cost_option
@set_option
@seed_option
@jobs_option
@out_option("Write the model to this file.")
@plot_option("Draw the tree: .png, .svg or .pdf.")
@json_option
def command(
    data: str,
    model: str,
    cv: int,
    no_cv: bool,
    rule: str,
    costs: tuple[str, ...],
    given: tuple[str, ...],
    seed: int,
    jobs: int,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a model, show it and its cross-validated error."""
    from spinney._cli._costs import parse_costs
    from spinney._cli._model_files import save_model
    from spinney._cli._plot import check_plot_file, save_plot
    from spinney._cli._progress import fold_progress
    from spinney._cli._reading import Choices, read_data
    from spinney._cli._report import show
    from spinney._cli._text import make_console
    from spinney._cli._training import Settings, train
    from spinney._cli._writing import check_output

    check_output("--out", out, data)
    if plot is not None:
        check_plot_file(plot)
    growth = {"criterion", "max_depth", "min_samples_leaf", "trees"}
    named = {"n_estimators" if key == "trees" else key: options.pop(key) for key in growth}
    changes = {key: value for key, value in named.items() if value is not None}
    reading = read_data(data, Choices(**options))
    settings = Settings(
        model=model,
        cv=0 if no_cv else cv,
        rule=rule,
        seed=seed,
        jobs=jobs,
        changes={**changes, **parse_settings(given)},
        costs=parse_costs(costs, sorted(set(reading.y.tolist()))) if costs else {},
    )
    with fold_progress(settings.cv) as on_fold:
        training = train(reading, settings, on_fold)
    if out is not None:  # files first: whatever the screen takes, they are there
        save_model(training.model, out)
    if plot is not None:
        save_plot(training.tree, plot)
    if as_json:
        from spinney._cli._json import to_json

        click.echo(to_json(training))
    else:
        show(training, make_console())
    if out is not None:
        click.echo(f"\nThe model is in {out}.", err=as_json)
    if plot is not None:
        click.echo(f"\nThe tree is drawn in {plot}.", err=as_json)
