from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_rgb
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from spinney import CARTClassifier
from spinney.plot import plot_regions
from spinney.plot._matplotlib import PAPER, class_colours, mix


@pytest.fixture
def blocks() -> tuple[np.ndarray, np.ndarray]:
    """Points on a grid: class 'a' where x0 < 5, else 'b' where x1 < 5, else 'c'."""
    grid = np.array([[i, j] for i in range(10) for j in range(10)], dtype=float)
    y = np.where(grid[:, 0] < 5, "a", np.where(grid[:, 1] < 5, "b", "c"))
    return grid, y


def colour_at(ax: Any, x: float, y: float) -> tuple[float, ...]:
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    pixels = image.get_array()
    column = int((x - left) / (right - left) * pixels.shape[1])
    row = int((y - bottom) / (top - bottom) * pixels.shape[0])
    return tuple(pixels[row, column])


def pale(code: int, n_classes: int = 3) -> tuple[float, ...]:
    return to_rgb(mix(PAPER, class_colours(n_classes)[code], 0.3))


def bold_lines(ax: Any) -> list[tuple[list[float], list[float]]]:
    return [
        (list(line.get_xdata()), list(line.get_ydata()))
        for line in ax.lines
        if line.get_linewidth() >= 2
    ]


def test_regions_have_the_colour_of_the_predicted_class(
    blocks: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = blocks
    ax = plot_regions(CARTClassifier().fit(X, y), X, y)
    for point, code in [((2, 2), 0), ((2, 8), 0), ((8, 2), 1), ((8, 8), 2)]:
        assert colour_at(ax, *point) == pytest.approx(pale(code))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    assert [len(dots.get_offsets()) for dots in ax.collections] == [50, 25, 25]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")


def test_the_border_of_the_first_test_is_bold(blocks: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = blocks
    for model in (CARTClassifier(), DecisionTreeClassifier(max_depth=2)):
        assert bold_lines(plot_regions(model.fit(X, y), X, y)) == [([4.5, 4.5], [0, 1])]
    turned = X[:, ::-1].copy()
    ax = plot_regions(CARTClassifier().fit(turned, y), turned, y)
    assert bold_lines(ax) == [([0, 1], [4.5, 4.5])]
    ax = plot_regions(CARTClassifier().fit(X, y), X, y, features=(1, 0))
    assert bold_lines(ax) == [([0, 1], [4.5, 4.5])]


def test_classifiers_without_a_tree_have_no_line(blocks: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = blocks
    ax = plot_regions(LogisticRegression().fit(X, y), X, y, resolution=40)
    assert bold_lines(ax) == []
    assert ax.images[0].get_array().shape == (40, 40, 3)
    leaf = CARTClassifier().fit(X, ["a"] * 100)
    assert bold_lines(plot_regions(leaf, X, ["a"] * 100)) == []


def test_no_line_if_the_first_test_is_on_another_feature(
    blocks: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = blocks
    wide = np.column_stack([np.zeros(100), X[:, 1], X[:, 0]])
    ax = plot_regions(CARTClassifier().fit(wide, y), wide, y, features=(0, 1))
    assert bold_lines(ax) == []


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_other_columns_are_held_at_a_typical_value(library: Any) -> None:
    random = np.random.default_rng(0)
    n = 200
    columns = {
        "u": random.uniform(0, 10, n),
        "colour": np.array(["red"] * 150 + ["blue"] * 50, dtype=object),
        "v": random.uniform(0, 10, n),
        "size": np.repeat([1, 7, 9, 9], 50),
    }
    usual = (columns["colour"] == "red") & (columns["size"] == 7)
    y = np.where(usual & (columns["u"] > 5), "p", "q")
    X = library(columns)
    model = CARTClassifier().fit(X, y)
    ax = plot_regions(model, X, y, features=("u", "v"), resolution=50)
    assert colour_at(ax, 9, 5) == pytest.approx(pale(0, 2))
    assert colour_at(ax, 1, 5) == pytest.approx(pale(1, 2))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("u", "v")


def test_rows_with_gaps_and_dollars_do_not_disturb(blocks: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = blocks
    X = X.copy()
    X[3, 0] = np.nan
    table = pd.DataFrame(X, columns=["$x_$", "y"])
    labels = np.array([f"${label}_$" for label in y])
    ax = plot_regions(CARTClassifier().fit(table, labels), table, labels)
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == "$x_$"


def test_given_axes_and_colours_are_used(blocks: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = blocks
    _, ax = plt.subplots()
    model = CARTClassifier().fit(X, y)
    colours = ["#000000", "#888888", "#ffffff"]
    assert plot_regions(model, X, y, ax=ax, colours=colours) is ax
    assert colour_at(ax, 8, 8) == (1, 1, 1)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (None, "X has 3 columns: name two of them"),
        ((0,), "features must name two columns"),
        ("ab", "features must name two columns"),
        ((0, 5), "features names column 5, but X has 3"),
        (("a", "z"), "features names 'z'"),
        ((0, -3), "two different columns"),
        ((0, "c"), "'c' is nominal"),
    ],
)
def test_two_numeric_columns_must_be_named(features: Any, message: str) -> None:
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": ["p", "q"]})
    y = ["no", "yes"]
    with pytest.raises(ValueError, match=message):
        plot_regions(CARTClassifier().fit(X, y), X, y, features=features)


def test_a_class_unknown_to_the_classifier_is_refused(
    blocks: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = blocks
    model = CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="y holds 'd'"):
        plot_regions(model, X, np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match="y must have an entry for each of the 100 rows"):
        plot_regions(model, X, y[:-1])
