from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.plot._tree_boxes import tidy_positions


@st.composite
def forms(draw: st.DrawFn) -> tuple[list[list[int]], list[float]]:
    """A tree as lists of children, numbered level by level, and widths of its boxes."""
    children: list[list[int]] = [[]]
    for _ in range(draw(st.integers(0, 12))):
        box = draw(st.sampled_from([i for i, below in enumerate(children) if not below]))
        count = draw(st.integers(1, 4))
        children[box] = list(range(len(children), len(children) + count))
        children += [[] for _ in range(count)]
    widths = [draw(st.floats(0.1, 5)) for _ in children]
    return children, widths


def levels_of(children: list[list[int]]) -> list[int]:
    levels = [0] * len(children)
    for box, below in enumerate(children):
        for child in below:
            levels[child] = levels[box] + 1
    return levels


@settings(deadline=None)
@given(forms())
def test_boxes_of_a_level_keep_their_distance(form: tuple[list[list[int]], list[float]]) -> None:
    children, widths = form
    places = tidy_positions(children, widths, gap=0.25)
    levels = levels_of(children)
    for level in set(levels):
        mine = sorted((i for i, at in enumerate(levels) if at == level), key=places.__getitem__)
        for left, right in pairwise(mine):
            distance = places[right] - places[left] - (widths[left] + widths[right]) / 2
            assert distance >= 0.25 - 1e-9


@settings(deadline=None)
@given(forms())
def test_parents_stand_over_the_middle_of_their_children(
    form: tuple[list[list[int]], list[float]],
) -> None:
    children, widths = form
    places = tidy_positions(children, widths, gap=0.25)
    for box, below in enumerate(children):
        if below:
            assert places[box] == pytest.approx((places[below[0]] + places[below[-1]]) / 2)
            assert [places[child] for child in below] == sorted(places[child] for child in below)
    edges = [place - width / 2 for place, width in zip(places, widths, strict=True)]
    assert min(edges) == pytest.approx(0, abs=1e-9)


def test_a_small_subtree_moves_under_its_taller_neighbour() -> None:
    #   0        level 0
    #  1 2       level 1: box 1 has a wide child, box 2 has none
    #  3
    places = tidy_positions([[1, 2], [3], [], []], [1.0, 1.0, 1.0, 9.0], gap=0.5)
    assert places[2] - places[1] == pytest.approx(1.5)
