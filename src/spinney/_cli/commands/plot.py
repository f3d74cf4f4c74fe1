"""`spinney plot`: a picture of any model."""

from pathlib import Path
from typing import Any

import click

from spinney._cli.errors import Refusal, refusing
from spinney._cli.models import load_model, trees_of
from spinney._cli.output import check_output, check_plot_file, save_plot
from spinney._format import plural
from spinney.plot import plot_tree

_MOST_BARS = 25


def run(
    model: Path, out: Path | None, tree: int | None, max_depth: int | None, node_ids: bool
) -> None:
    """Draw a model."""
    path = model.with_suffix(".png") if out is None else out
    check_output("--out", path, model)
    check_plot_file(path, "--out")
    fitted = load_model(model)
    with refusing():
        save_plot(lambda: draw(fitted, tree, max_depth, node_ids=node_ids), path, "--out")
    click.echo(f"The picture is in {path}.", err=True)


def draw(model: Any, number: int | None, max_depth: int | None, *, node_ids: bool) -> Any:
    """Draw one tree, or the importances of the columns in many; return the axes."""
    trees = trees_of(model)
    if number is not None and not 1 <= number <= len(trees):
        raise Refusal(f"--tree: {number}, but the model has {plural(len(trees), 'tree')}.")
    if len(trees) == 1 or number is not None:
        depth = "auto" if max_depth is None else max_depth
        return plot_tree(trees[(number or 1) - 1], max_depth=depth, node_ids=node_ids)
    if hasattr(model, "rules_"):
        return _draw_text(str(model.rules_))
    shares = _importances(model, trees)
    if shares is None:
        raise Refusal("this model has no trees to draw.")
    return _draw_importances(model._schema.names, shares, len(trees))


def _importances(model: Any, trees: list[Any]) -> Any:
    import numpy as np

    own = getattr(model, "feature_importances_", None)
    if own is not None or not trees:
        return own
    return np.mean([tree.importances() for tree in trees], axis=0)


def _draw_importances(names: Any, shares: Any, n_trees: int) -> Any:
    from matplotlib import pyplot

    ranked = sorted(zip(shares, names, strict=True), reverse=True)[:_MOST_BARS][::-1]
    _, ax = pyplot.subplots(figsize=(7, 1 + 0.3 * len(ranked)), layout="constrained")
    ax.barh([name for _, name in ranked], [share for share, _ in ranked])
    title = f"{plural(n_trees, 'tree')}: importances of the columns"
    ax.set(title=f"{title} (--tree N draws one tree)", xlabel="importance")
    return ax


def _draw_text(text: str) -> Any:
    from matplotlib import pyplot

    lines = text.splitlines()
    _, ax = pyplot.subplots(figsize=(max(map(len, lines)) * 0.09 + 0.4, 0.25 * len(lines) + 0.4))
    ax.text(0.0, 1.0, text, family="monospace", va="top", transform=ax.transAxes, parse_math=False)
    ax.axis("off")
    return ax
