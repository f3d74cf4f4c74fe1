"""The oracle of ID3 on data small enough to do by hand, and its ways of cutting numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from .c45 import C45, predict_row
from .c45_gain import gain
from .id3 import cut_table, grow_id3, interval_of, mdl_cuts, parts_of, quantile_cuts

URGENT, NEAR, NONE = 0.0, 1.0, 2.0
YES, NO = 1.0, 0.0
PARTY, STUDY, PUB, TV = range(4)


@pytest.fixture
def evenings() -> C45:
    """Ten evenings: deadline, party, lazy; and what was done."""
    table = [
        (URGENT, YES, YES, PARTY),
        (URGENT, NO, YES, STUDY),
        (NEAR, YES, YES, PARTY),
        (NONE, YES, NO, PARTY),
        (NONE, NO, YES, PUB),
        (NONE, YES, NO, PARTY),
        (NEAR, NO, NO, STUDY),
        (NEAR, NO, YES, TV),
        (NEAR, YES, YES, PARTY),
        (URGENT, NO, NO, STUDY),
    ]
    values = np.array([row[:3] for row in table])
    y = [int(row[3]) for row in table]
    return C45(values, ["nominal"] * 3, [3, 2, 2], y, 4, np.ones(10))


def rows_of(problem: C45) -> list[tuple[int, float]]:
    return [(i, 1.0) for i in range(len(problem.y))]


def test_gains_of_the_evenings_are_those_of_the_textbook(evenings: C45) -> None:
    rows = rows_of(evenings)
    found = [gain(parts_of(rows, feature, evenings), 10.0, evenings) for feature in range(3)]
    assert found == pytest.approx([0.5345, 1.0, 0.21], abs=6e-4)


def test_tree_of_the_evenings_is_the_textbooks(evenings: C45) -> None:
    tree = grow_id3(evenings)
    assert tree.feature == 1
    at_home, party = tree.children
    assert party.children == []
    assert at_home.feature == 0
    assert [child.feature for child in at_home.children] == [-1, 2, -1]
    assert tree.n_leaves == 5


def test_test_without_gain_is_still_made() -> None:
    values = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    problem = C45(values, ["nominal"] * 2, [2, 2], [0, 1, 1, 0], 2, np.ones(4))
    tree = grow_id3(problem)
    assert (tree.feature, tree.n_leaves) == (0, 4)


def test_empty_branch_predicts_as_its_parent() -> None:
    values = np.array([[0.0], [0.0], [2.0]])
    problem = C45(values, ["nominal"], [3], [0, 0, 1], 2, np.ones(3))
    assert predict_row(grow_id3(problem), [1.0]) == pytest.approx([2 / 3, 1 / 3])


def test_gap_and_unseen_category_sum_over_the_branches() -> None:
    values = np.array([[0.0], [0.0], [1.0]])
    problem = C45(values, ["nominal"], [2], [0, 0, 1], 2, np.ones(3))
    tree = grow_id3(problem)
    assert predict_row(tree, [math.nan]) == pytest.approx([2 / 3, 1 / 3])
    assert predict_row(tree, [7.0]) == pytest.approx([2 / 3, 1 / 3])


def test_mdl_cuts_where_the_class_changes() -> None:
    x = list(range(60))
    y = [0] * 20 + [1] * 20 + [0] * 20
    assert mdl_cuts(x, y, [1.0] * 60, 2) == [19.5, 39.5]


def test_mdl_makes_one_cut_even_where_none_is_worth_it() -> None:
    assert mdl_cuts([1, 2, 3, 4], [0, 1, 0, 1], [1.0] * 4, 2) == [1.5]


def test_mdl_makes_no_cut_through_a_constant() -> None:
    assert mdl_cuts([3, 3, math.nan], [0, 1, 0], [1.0] * 3, 2) == []


def test_quantile_cuts_share_out_the_weight() -> None:
    assert quantile_cuts([1, 2, 3, 4], [1.0] * 4, 2) == [2.5]
    assert quantile_cuts([1, 2, 3, 4], [3.0, 1.0, 1.0, 1.0], 2) == [1.5]
    assert quantile_cuts([1, 1, 1, 1, 2], [1.0] * 5, 4) == [1.5]


def test_cut_belongs_to_the_interval_below_it() -> None:
    assert [interval_of(v, [1.0, 2.0]) for v in (0.0, 1.0, 1.5, 2.0, 9.0)] == [0, 0, 1, 1, 2]


def test_cut_table_leaves_categories_and_gaps_as_they_are() -> None:
    table = cut_table([[5.0, 1.0], [math.nan, math.nan]], ["numeric", "nominal"], [[3.0], []])
    np.testing.assert_array_equal(table, [[1.0, 1.0], [math.nan, math.nan]])
