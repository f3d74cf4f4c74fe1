from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from spinney import CARTClassifier
from spinney.plot import plot_pruning_path
from spinney.pruning import cost_complexity_path


def a_path(**changes: Any) -> Any:
    """Return what the plot reads of a path, after a selection."""
    known = {
        "alphas": np.array([0, 0.001, 0.01, 0.1]),
        "n_leaves": np.array([20, 12, 5, 1]),
        "risks": np.array([0.02, 0.05, 0.12, 0.4]),
        "errors": np.array([0.3, 0.2, 0.22, 0.41]),
        "standard_errors": np.array([0.03, 0.03, 0.03, 0.04]),
        "selected": 2,
    }
    return SimpleNamespace(**{**known, **changes})


def legend_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line_named(ax: Any, name: str) -> Any:
    return next(line for line in ax.lines if line.get_label() == name)


def test_errors_are_drawn_with_their_standard_errors() -> None:
    ax = plot_pruning_path(a_path())
    (bars,) = ax.containers
    heights = [segment[:, 1].tolist() for segment in bars[2][0].get_segments()]
    np.testing.assert_allclose(heights[1], [0.17, 0.23])
    assert bars[0].get_xdata().tolist() == [20, 12, 5, 1]
    assert line_named(ax, "training rows").get_ydata().tolist() == [0.02, 0.05, 0.12, 0.4]
    limit = line_named(ax, "least error + standard error").get_ydata()
    np.testing.assert_allclose(limit, 0.23)
    assert ax.get_xlabel() == "leaves"


def test_the_selected_tree_is_marked() -> None:
    ax = plot_pruning_path(a_path())
    mark = line_named(ax, "selected: 5 leaves")
    assert (mark.get_xdata().tolist(), mark.get_ydata().tolist()) == ([5], [0.22])
    assert "selected: 1 leaf" in legend_of(plot_pruning_path(a_path(selected=3)))


def test_without_errors_the_risks_are_drawn() -> None:
    path = a_path(errors=None, standard_errors=None, selected=None)
    ax = plot_pruning_path(path)
    assert legend_of(ax) == ["training rows"]
    assert line_named(ax, "training rows").get_ydata().tolist() == [0.02, 0.05, 0.12, 0.4]


def test_errors_may_come_without_standard_errors() -> None:
    ax = plot_pruning_path(a_path(standard_errors=None))
    assert set(legend_of(ax)) == {"training rows", "other rows", "selected: 5 leaves"}


def test_alphas_stand_above_their_trees() -> None:
    ax = plot_pruning_path(a_path())
    (top,) = ax.child_axes
    ax.figure.canvas.draw()
    ticks = dict(zip(top.get_xticks(), (t.get_text() for t in top.get_xticklabels()), strict=True))
    assert ticks == {1: "0.1", 5: "0.01", 12: "0.001", 20: "0"}
    assert top.get_xlabel() == "alpha"


def test_alphas_never_overlap_and_large_trees_take_a_logarithmic_scale() -> None:
    leaves = np.arange(400, 0, -1)
    path = a_path(
        n_leaves=leaves,
        alphas=np.linspace(0, 0.1, 400),
        risks=np.linspace(0, 1, 400),
        errors=None,
        selected=None,
    )
    ax = plot_pruning_path(path)
    assert ax.get_xscale() == "log"
    (top,) = ax.child_axes
    ax.figure.canvas.draw()
    frames = [label.get_window_extent() for label in top.get_xticklabels()]
    assert len(frames) > 5
    assert all(a.x1 < b.x0 for a, b in pairwise(frames))


def test_large_trees_can_be_left_out() -> None:
    ax = plot_pruning_path(a_path(), max_leaves=12)
    assert line_named(ax, "training rows").get_xdata().tolist() == [12, 5, 1]
    assert "selected: 5 leaves" not in legend_of(plot_pruning_path(a_path(), max_leaves=3))
    with pytest.raises(ValueError, match="max_leaves must be at least 1, got 0"):
        plot_pruning_path(a_path(), max_leaves=0)


def test_a_real_path_is_drawn_in_given_axes() -> None:
    X = np.arange(40.0)[:, None]
    y = (X[:, 0] // 7 % 2).astype(int)
    path = cost_complexity_path(CARTClassifier().fit(X, y).tree_)
    _, ax = plt.subplots()
    assert plot_pruning_path(path, ax=ax) is ax
    assert line_named(ax, "training rows").get_xdata().tolist() == path.n_leaves.tolist()
    stump = cost_complexity_path(CARTClassifier().fit(X, [0] * 40).tree_)
    assert legend_of(plot_pruning_path(stump)) == ["training rows"]
