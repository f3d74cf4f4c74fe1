"""`spinney prune`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._options import (
    cost_option,
    folds_option,
    jobs_option,
    json_option,
    out_option,
    plot_option,
    reading_options,
    rule_option,
    seed_option,
)


@click.command("prune")
@click.argument("source")
@click.option("--test", metavar="DATA", help="Rows that judge each size of the tree of a model.")
@reading_options
@rule_option
@click.option(
    "--leaves", type=click.IntRange(min=1), metavar="N", help="The best tree of at most N leaves."
)
@click.option(
    "--alpha",
    type=click.FloatRange(min=0),
    metavar="PRICE",
    help="The tree that is best if each leaf costs this much.",
)
@folds_option("--cv")
@cost_option
@seed_option
@jobs_option
@out_option("Write the pruned model to this file.")
@plot_option("Draw the error of each size: .png, .svg or .pdf.")
@json_option
def command(
    source: str,
    test: str | None,
    rule: str,
    leaves: int | None,
    alpha: float | None,
    cv: int,
    costs: tuple[str, ...],
    seed: int,
    jobs: int,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Show every size a tree can have, and choose one.

    SOURCE is a table (a file, or the name of a bundled set) or the file of a model that is one
    tree. For a table a tree is grown and its sizes are judged by cross-validation. For a model they
    are judged by the rows of --test, or taken from its training.
    """
    from spinney._cli._costs import parse_costs
    from spinney._cli._model_files import save_model
    from spinney._cli._plot import check_plot_file, save_drawing
    from spinney._cli._pruning import choose, from_model, from_table, is_model_file, show, to_json
    from spinney._cli._reading import Choices, read_data
    from spinney._cli._refusal import Refusal
    from spinney._cli._text import make_console
    from spinney._cli._training import Settings
    from spinney._cli._writing import check_output
    from spinney._cli.data.columns import TextFormat

    check_output("--out", out, test, None if is_model_file(source) else source)
    if plot is not None:
        check_plot_file(plot)
    if is_model_file(source):
        text = TextFormat(**{key: options[key] for key in ("na", "encoding", "numeric", "decimal")})
        found = from_model(Path(source), test, options["target"], rule, text)
    elif test is not None:
        raise Refusal("--test goes with a model file; a table is divided by --cv instead.")
    else:
        reading = read_data(source, Choices(**options))
        priced = parse_costs(costs, sorted(set(reading.y.tolist()))) if costs else {}
        settings = Settings(cv=cv, rule=rule, seed=seed, jobs=jobs, costs=priced)
        found = from_table(reading, settings)
    found = choose(found, leaves=leaves, alpha=alpha)
    if out is not None:  # files first: whatever the screen takes, they are there
        save_model(found.model(), out)
    if plot is not None:
        save_drawing(found.draw, plot)
    if as_json:
        click.echo(to_json(found))
    else:
        show(found, make_console())
    if out is not None:
        click.echo(f"\nThe model is in {out}.", err=as_json)
    if plot is not None:
        click.echo(f"\nThe picture is in {plot}.", err=as_json)
