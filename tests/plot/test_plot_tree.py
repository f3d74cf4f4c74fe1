import subprocess
import sys
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from sklearn.exceptions import NotFittedError

from spinney import CARTClassifier, CARTRegressor
from spinney.plot import plot_tree
from spinney.tree import Tree


def words_in(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def boxes_in(ax: Any) -> list[Rectangle]:
    return [patch for patch in ax.patches if patch.get_linewidth() > 0]


@pytest.mark.slow
@pytest.mark.parametrize("dpi", [50, 100, 200])
def test_no_text_overlaps_at_thirty_leaves(bushy: Tree, dpi: int) -> None:
    ax = plot_tree(bushy)
    ax.figure.set_dpi(dpi)
    ax.figure.canvas.draw()
    frames = [text.get_window_extent() for text in ax.texts]
    assert len(boxes_in(ax)) == bushy.n_nodes == 59
    for one, other in combinations(frames, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        down = min(one.y1, other.y1) - max(one.y0, other.y0)
        # Letters are a whole number of pixels high; a line may touch the next one by a pixel.
        assert across <= 0 or down <= 2
    whole = ax.figure.bbox
    assert all(f.x0 >= whole.x0 and f.x1 <= whole.x1 and f.y0 >= whole.y0 for f in frames)


def test_boxes_do_not_overlap(bushy: Tree) -> None:
    boxes = boxes_in(plot_tree(bushy))
    for one, other in combinations([box.get_bbox() for box in boxes], 2):
        assert min(one.x1, other.x1) <= max(one.x0, other.x0) or (
            min(one.y1, other.y1) <= max(one.y0, other.y0)
        )


@pytest.mark.slow
def test_text_stays_in_its_box_in_given_axes(bushy: Tree) -> None:
    figure, ax = plt.subplots(figsize=(6, 4), dpi=300)
    assert plot_tree(bushy, ax=ax) is ax
    figure.canvas.draw()
    boxes = [box.get_window_extent() for box in boxes_in(ax)]
    inside = 0
    for text in ax.texts:
        frame = text.get_window_extent()
        x, y = (frame.x0 + frame.x1) / 2, (frame.y0 + frame.y1) / 2
        for box in boxes:
            if box.contains(x, y):
                assert frame.x0 >= box.x0
                assert frame.x1 <= box.x1
                inside += 1
    assert inside >= 2 * bushy.n_nodes


@pytest.mark.slow
def test_the_figure_grows_with_the_tree(bushy: Tree) -> None:
    whole = plot_tree(bushy).figure.get_size_inches()
    part = plot_tree(bushy, max_depth=2).figure.get_size_inches()
    assert (whole > part).all()


def test_a_cut_tree_says_so(bushy: Tree) -> None:
    ax = plot_tree(bushy, max_depth=1)
    drawn = words_in(ax)
    assert "cut at depth 1: 3 of 59 nodes are drawn" in drawn
    below = [int(text.split()[0]) for text in drawn if text.endswith(" nodes")]
    assert sum(below) == 56
    assert len(boxes_in(ax)) == 5


def test_nothing_is_said_of_a_whole_tree(bushy: Tree) -> None:
    assert not any("cut at" in text for text in words_in(plot_tree(bushy, max_depth=None)))


def test_a_deep_tree_is_cut() -> None:
    nodes = []
    for level in range(3000):
        below = [2 * level + 1, 2 * level + 2]
        nodes.append({"test": f"x <= {level}", "children": below, "counts": [1, 1]})
        nodes.append({"test": None, "children": [], "counts": [1, 0]})
    nodes.append({"test": None, "children": [], "counts": [1, 0]})
    tree = Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes})
    assert "cut at depth 12: 25 of 6001 nodes are drawn" in words_in(plot_tree(tree))


def test_boxes_show_test_label_and_counts() -> None:
    tree = Tree.from_dict(
        {
            "classes": ["bad", "good"],
            "features": ["income", "deadline"],
            "nodes": [
                {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
                {"test": None, "children": [], "counts": [4, 1]},
                {
                    "test": "deadline",
                    "branches": ["none", ["near", "far"]],
                    "children": [3, 4],
                    "counts": [1, 4],
                },
                {"test": None, "children": [], "counts": [1, 0]},
                {"test": None, "children": [], "counts": [0, 4]},
            ],
        }
    )
    ax = plot_tree(tree, title="Credit", colours=["#ff0000", "#00ff00"])
    drawn = words_in(ax)
    for text in ["Credit", "bad", "good", "income <= 36", "deadline", "yes", "no", "none"]:
        assert text in drawn
    assert {"{near, far}", "bad, n = 5", "4 / 1", "good, n = 4"} <= set(drawn)
    bars = [p for p in ax.patches if p.get_linewidth() == 0 and p.get_height() == 0.1]
    reds = [bar.get_width() for bar in bars if bar.get_facecolor()[:3] == (1, 0, 0)]
    greens = [bar.get_width() for bar in bars if bar.get_facecolor()[:3] == (0, 1, 0)]
    assert len(reds) == 4
    assert len(greens) == 4
    assert reds[0] == pytest.approx(greens[0])
    assert reds[1] == pytest.approx(4 * greens[1])


def test_a_regression_tree_has_a_dot_where_its_mean_lies() -> None:
    x = np.arange(20.0)[:, None]
    model = CARTRegressor(max_depth=1).fit(x, (x[:, 0] > 9) * 10.0)
    ax = plot_tree(model)
    assert {"mean 5", "mean 0", "mean 10", "n = 20"} <= set(words_in(ax))
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    root, low, high = boxes_in(ax)
    assert dots[0] == pytest.approx(root.get_x() + root.get_width() / 2)
    assert dots[1] < low.get_x() + low.get_width() / 2
    assert dots[2] > high.get_x() + high.get_width() / 2


def test_names_are_never_read_as_formulas() -> None:
    tree = Tree.from_dict(
        {
            "classes": ["$a$", "b_{"],
            "features": ["price $x_$"],
            "nodes": [
                {"test": "price $x_$ <= 1", "children": [1, 2], "counts": [1, 1]},
                {"counts": [1, 0]},
                {"counts": [0, 1]},
            ],
        }
    )
    ax = plot_tree(tree, title="$")
    ax.figure.canvas.draw()
    assert "price $x_$ <= 1" in words_in(ax)


def test_long_class_names_are_cut_at_their_end() -> None:
    classes = ["building_windows_non_float", "other"]
    tree = Tree.from_dict({"classes": classes, "features": [], "nodes": [{"counts": [7, 1]}]})
    drawn = words_in(plot_tree(tree))
    assert "building_windows_non_..., n = 8" in drawn
    assert classes[0] in drawn


def test_many_classes_and_a_single_leaf() -> None:
    classes = [f"class {k}" for k in range(30)]
    tree = Tree.from_dict({"classes": classes, "features": [], "nodes": [{"counts": [1] * 30}]})
    drawn = words_in(plot_tree(tree))
    assert "... 6 more" in drawn
    assert "class 0, n = 30" in drawn


def test_estimators_are_drawn_by_their_tree(bushy: Tree) -> None:
    model = CARTClassifier()
    with pytest.raises(NotFittedError):
        plot_tree(model)
    model.fit([[0.0], [1.0]], [0, 1])
    assert "x0 <= 0.5" in words_in(plot_tree(model))
    assert words_in(bushy.plot()) == words_in(plot_tree(bushy))
    with pytest.raises(TypeError, match="estimators_"):
        plot_tree([1, 2])


def test_wrong_options_are_refused(bushy: Tree) -> None:
    with pytest.raises(ValueError, match="max_depth must be"):
        plot_tree(bushy, max_depth=-1)
    with pytest.raises(ValueError, match="colours must have 2 entries, got 1"):
        plot_tree(bushy, colours=["red"])


def test_without_matplotlib_the_remedy_is_told(
    bushy: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'spinney\[plot\]'"):
        plot_tree(bushy)


@pytest.mark.slow
def test_importing_spinney_does_not_import_matplotlib() -> None:
    code = "import sys, spinney.plot, spinney.export; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
