"""Trees with expressions can be drawn, and so can what they decide."""

from typing import Any

import numpy as np
import pytest
from expression_trees import expression_tree

from spinney import CARTClassifier
from spinney.plot import plot_regions, plot_tree
from spinney.plot._tree_boxes import make_boxes
from spinney.tree import Tree

LONG = "0.25 * checking_status + 1.5 * duration_months - 0.125 * age > 36.5 and purpose = A40"


def stump(test: str, features: tuple[str, ...]) -> Tree:
    nodes = [
        {"test": test, "children": [1, 2], "counts": [5, 5]},
        {"counts": [4, 1]},
        {"counts": [1, 4]},
    ]
    return Tree.from_dict({"classes": ["bad", "good"], "features": list(features), "nodes": nodes})


def words_in(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.texts)


def test_a_drawn_tree_shows_its_expressions() -> None:
    ax = plot_tree(stump("sin(x) + y > 3", ("x", "y")))
    assert "sin(x) + y > 3" in words_in(ax)
    assert "yes" in words_in(ax)


def test_a_long_expression_takes_several_lines_between_its_words() -> None:
    features = ("checking_status", "duration_months", "age", "purpose")
    root = make_boxes(stump(LONG, features), None, 8)[0]
    assert 1 < len(root.lines) <= 4
    assert all(len(line) <= 24 for line in root.lines)
    assert LONG.startswith(" ".join(root.lines).removesuffix(" ..."))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_expressions_are_drawn(seed: int) -> None:
    tree = expression_tree(seed, n_tests=6, n_classes=2 * (seed % 2), depth=3)
    ax = plot_tree(tree)
    ax.figure.canvas.draw()
    assert len(make_boxes(tree, None, 8)) == tree.n_nodes


def test_regions_of_a_slanted_border_are_drawn_without_a_line_of_the_first_test() -> None:
    X = np.random.default_rng(0).uniform(0, 10, (60, 2))
    y = np.where(X.sum(axis=1) > 10, "bad", "good")
    model = CARTClassifier(max_depth=1).fit(X, y)
    n_lines = len(plot_regions(model, X, y, resolution=40).lines)
    model.tree_ = stump("x0 + x1 > 10", ("x0", "x1"))
    ax = plot_regions(model, X, y, resolution=40)
    assert n_lines == 1
    assert len(ax.lines) == 0
    pixels = np.asarray(ax.images[0].get_array())
    good = (pixels == pixels[0, 0]).all(axis=2).sum(axis=1)  # of each row, from low to high
    assert good[0] > 30
    assert good[-1] < 10
    assert (np.diff(good) <= 0).all()
