"""`spinney evaluate`."""

from pathlib import Path
from typing import Any

import click

from spinney._cli._options import (
    answers_option,
    cost_option,
    file_options,
    json_option,
    model_argument,
    plot_option,
)


@click.command("evaluate")
@model_argument
@click.argument("data")
@answers_option
@cost_option
@file_options
@plot_option("Draw the calibration (or predicted against true numbers): .png, .svg or .pdf.")
@json_option
def command(
    model: Path,
    data: str,
    target: str | None,
    costs: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    **text: Any,
) -> None:
    """Judge a model by rows whose answer is known.

    Shows the error with its interval, which classes are taken for which, recall and precision of
    each class, what errors cost, and whether probabilities can be taken at their word. The rows
    should be others than those that trained the model.
    """
    from spinney._cli._evaluation import draw, evaluate, show, to_json
    from spinney._cli._model_files import load_model
    from spinney._cli._plot import check_plot_file, save_drawing
    from spinney._cli._rows import read_answers
    from spinney._cli._text import make_console
    from spinney._cli.data.columns import TextFormat

    if plot is not None:
        check_plot_file(plot)
    fitted = load_model(model)
    answers = read_answers(data, fitted, target, TextFormat(**text))
    found = evaluate(fitted, answers, costs)
    if as_json:
        click.echo(to_json(found))
    else:
        show(found, make_console())
    if plot is not None:
        save_drawing(lambda: draw(found), plot)
        click.echo(f"\nThe picture is in {plot}.", err=as_json)
