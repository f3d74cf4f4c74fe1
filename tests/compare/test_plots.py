"""Plots show the numbers of the results, and can be written as PNG and SVG."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_results import made_results

from spinney import BaggingClassifier, CARTClassifier
from spinney.compare import (
    Experiment,
    GrowingTrainingSet,
    RepeatedHoldout,
    Results,
    nemenyi,
    plot_critical_difference,
    plot_error_and_leaves,
    plot_size_curve,
    plot_training_size_curve,
)
from spinney.compare._statistics import joined

RANKS = [3.143, 2.000, 2.893, 1.964]
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]


def lines(ax: Any, gid: str) -> list[Any]:
    return [line.get_xdata().tolist() for line in ax.lines if line.get_gid() == gid]


def test_a_diagram_has_every_method_and_joins_those_that_do_not_differ():
    ax = plot_critical_difference(RANKS, 1.12, NAMES)
    words = [text.get_text() for text in ax.texts]
    for name, rank in zip(NAMES, RANKS, strict=True):
        assert f"{name} {rank:.2f}" in words
    assert "critical difference 1.12" in words
    assert lines(ax, "width") == [[1, pytest.approx(2.12)]]
    expected = [[1.964 - 0.04, 2.893 + 0.04], [2.893 - 0.04, 3.143 + 0.04]]
    # From 2.000 it is 1.143 to the last, from 2.893 it is 0.25.
    assert lines(ax, "group") == [pytest.approx(bar) for bar in expected]


def test_names_do_not_overlap_each_other_or_the_axis():
    names = [f"a method with a long name {k}" for k in range(9)]
    ax = plot_critical_difference(np.linspace(2, 8, 9), 2.0, names)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if "name" in text.get_text()]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    whole = ax.figure.bbox
    assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 for box in boxes)
    left, right = (ax.transData.transform((x, 0))[0] for x in (1, 9))
    assert all(box.x1 < left or box.x0 > right for box in boxes)


def test_the_names_must_be_those_of_the_ranks():
    with pytest.raises(ValueError, match="names must be those of 4 methods"):
        plot_critical_difference(RANKS, 1.0, NAMES[:3])


@given(st.integers(2, 7), st.integers(0, 100))
def test_bars_and_groups_of_nemenyi_agree(n_methods: int, seed: int):
    found = nemenyi(np.random.default_rng(seed).random((25, n_methods)))
    order = np.argsort(found.mean_ranks, kind="stable")
    bars = joined(found.mean_ranks[order], found.critical_difference)
    assert [order[low : high + 1].tolist() for low, high in bars] == found.groups()


def test_error_against_members_and_single_trees_as_levels():
    methods = {"tree": CARTClassifier(), "bagging": BaggingClassifier(n_estimators=31)}
    found = Experiment("glass", methods, RepeatedHoldout(2), stages=(1, 5, 31)).run(progress=False)
    ax = plot_size_curve(found, "glass")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["tree", "bagging"]
    curve = ax.containers[0].lines[0]
    assert curve.get_xdata().tolist() == [1, 5, 31]
    assert curve.get_ydata() == pytest.approx(100 * found.size_curve("glass", "bagging")[:, 1])
    level = next(line for line in ax.lines if line.get_label() == "tree")
    assert level.get_ydata()[0] == pytest.approx(100 * found.mean()[0, 0])
    assert ax.get_xscale() == "log"
    with pytest.raises(ValueError, match="no method was judged by stages"):
        plot_size_curve(found, "glass", methods=["tree"])


def test_error_against_training_rows():
    resampling = GrowingTrainingSet([20, 60, 110], n_repeats=2)
    found = Experiment("wine", {"tree": CARTClassifier()}, resampling).run(progress=False)
    ax = plot_training_size_curve(found, "wine")
    curve = ax.containers[0].lines[0]
    assert curve.get_xdata().tolist() == [20, 60, 110]
    assert curve.get_ydata() == pytest.approx(100 * found.training_size_curve("wine", "tree")[:, 1])


def test_error_against_leaves_joins_the_methods_that_none_beats(results: Results):
    ax = plot_error_and_leaves(results, "set 1")
    front = ax.lines[0]
    assert front.get_xdata().tolist() == [6.5, 41.5]  # the large one is beaten by the middle one
    assert [text.get_text() for text in ax.texts] == results.methods


def test_plots_name_what_is_not_there(results: Results):
    with pytest.raises(ValueError, match="dataset must be one of 'set 0'"):
        plot_error_and_leaves(results, "set 5")
    with pytest.raises(ValueError, match=r"methods must be one of .* Did you mean 'small'"):
        plot_size_curve(results, "set 0", methods=["smalls"])
    bare = [{k: v for k, v in each.items() if k != "n_leaves"} for each in results.records]
    with pytest.raises(ValueError, match="no method of this experiment has trees"):
        plot_error_and_leaves(Results(bare, "error"), "set 0")


@pytest.mark.parametrize(("name", "start"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml")])
def test_plots_are_written_as_png_and_svg(tmp_path: Path, name: str, start: bytes):
    found = made_results([[[0.1, 0.2], [0.3, 0.2]], [[0.1, 0.1], [0.2, 0.3]]])
    ax = plot_critical_difference(found.mean_ranks(), 0.5, found.methods)
    ax.figure.savefig(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
