"""The figures of the paper on IGPA."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._reproduce._drawing import lines
from spinney._reproduce._igpa_runs import n_trees
from spinney._reproduce._parts import Drawing, Options, Results
from spinney._reproduce._published import published

__all__ = ["curve_drawing", "sizes_drawing"]

_METHODS = {"cart min": ("bagged CART", "cart_bagging"), "igpa": ("IGPA", "igpa")}


def curve_drawing(dataset: str) -> Callable[[Results, Options], Drawing]:
    """Return what draws the error against the number of trees."""

    def make(results: Results, options: Options) -> Drawing:
        sizes = range(1, n_trees(options) + 1)
        series = {
            label: np.column_stack(
                [results.values(f"error_{size}", "forest", dataset, method) for size in sizes]
            )
            for method, (label, _) in _METHODS.items()
        }
        printed = [row for row in published("igpa_table3_ensembles") if row["dataset"] == dataset]

        def draw(axes: Any) -> None:
            lines(axes, sizes, series, markers=False)
            _add_printed(axes, [row["n_trees"] for row in printed], printed)
            axes.set_xlabel("trees")
            axes.set_ylabel("error in %")
            axes.set_title(dataset)

        return Drawing(draw)

    return make


def sizes_drawing(results: Results, options: Options) -> Drawing:
    """Return what draws the error against the number of training rows."""
    printed = published("igpa_table4_training_size")
    sizes = [row["train"] for row in printed]
    last = f"error_{n_trees(options)}"
    series = {
        label: np.column_stack(
            [results.values(last, f"rows {size}", "waveform", method) for size in sizes]
        )
        for method, (label, _) in _METHODS.items()
    }

    def draw(axes: Any) -> None:
        lines(axes, sizes, series)
        _add_printed(axes, sizes, printed)
        axes.set_xlabel("training rows of waveform")
        axes.set_ylabel("error in %")

    return Drawing(draw)


def _add_printed(axes: Any, x: list[int], rows: list[dict[str, Any]]) -> None:
    """Mark what the paper's tables print, in the colours of the lines that are there."""
    for line, (label, prefix) in zip(list(axes.lines), _METHODS.values(), strict=True):
        errors = [row[f"{prefix}_error"] for row in rows]
        axes.plot(x, errors, "*", color=line.get_color(), label=f"{label}, paper", markersize=9)
    axes.legend()
