"""The oracle of C4.5 against numbers worked by hand and printed by Quinlan."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from .c45 import C45, grow, label, predict_row
from .c45_gain import candidates, entropy, gain_ratio, least_per_side, nominal_candidate
from .c45_prune import added_errors, collapse, fit, prune

SUNNY, OVERCAST, RAIN = 0.0, 1.0, 2.0


@pytest.fixture
def golf() -> C45:
    """Quinlan's fourteen days: outlook, temperature, humidity, windy; class 1 is play."""
    days = [
        (SUNNY, 75, 70, 1, 1),
        (SUNNY, 80, 90, 1, 0),
        (SUNNY, 85, 85, 0, 0),
        (SUNNY, 72, 95, 0, 0),
        (SUNNY, 69, 70, 0, 1),
        (OVERCAST, 72, 90, 1, 1),
        (OVERCAST, 83, 78, 0, 1),
        (OVERCAST, 64, 65, 1, 1),
        (OVERCAST, 81, 75, 0, 1),
        (RAIN, 71, 80, 1, 0),
        (RAIN, 65, 70, 1, 0),
        (RAIN, 75, 80, 0, 1),
        (RAIN, 68, 80, 0, 1),
        (RAIN, 70, 96, 0, 1),
    ]
    table = np.array(days, dtype=float)
    kinds = ["nominal", "numeric", "numeric", "nominal"]
    y = table[:, 4].astype(int).tolist()
    return C45(table[:, :4], kinds, [3, 0, 0, 2], y, 2, np.ones(14))


def with_a_gap(golf: C45) -> C45:
    """The same days; the outlook of the overcast and windy one is not known."""
    values = golf.values.copy()
    values[5, 0] = math.nan
    return replace(golf, values=values)


def all_rows(problem: C45) -> list[tuple[int, float]]:
    return [(i, 1.0) for i in range(len(problem.y))]


def test_gain_and_ratio_of_outlook_are_those_quinlan_prints(golf: C45) -> None:
    outlook = nominal_candidate(all_rows(golf), 0, golf)
    assert outlook is not None
    assert outlook.gain == pytest.approx(0.246, abs=1e-3)
    assert outlook.ratio == pytest.approx(0.156, abs=1e-3)


def test_gain_with_an_unknown_outlook_is_what_quinlan_prints(golf: C45) -> None:
    problem = with_a_gap(golf)
    outlook = nominal_candidate(all_rows(problem), 0, problem)
    assert outlook is not None
    assert outlook.gain == pytest.approx(0.199, abs=1e-3)
    assert outlook.gain / outlook.ratio == pytest.approx(1.809, abs=1e-3)


def test_tree_of_the_fourteen_days_is_quinlans(golf: C45) -> None:
    tree = grow(golf)
    assert tree.feature == 0
    sunny, overcast, rain = tree.children
    assert (sunny.feature, sunny.threshold) == (2, 75.0)
    assert overcast.children == []
    assert (rain.feature, rain.threshold) == (3, None)
    assert tree.n_leaves == 5


def test_row_with_a_gap_is_shared_out_by_known_weight(golf: C45) -> None:
    tree = grow(with_a_gap(golf))
    assert [child.weight for child in tree.children] == pytest.approx(
        [5 + 5 / 13, 3 + 3 / 13, 5 + 5 / 13]
    )


def test_prediction_with_a_gap_sums_over_the_branches(golf: C45) -> None:
    tree = grow(with_a_gap(golf))
    # Sunny at 70 % humidity, windiness asked of the rainy branch only.
    play = predict_row(tree, [SUNNY, 70, math.nan, 0])
    assert play[0] == pytest.approx(1 - play[1])
    humid = predict_row(tree.children[0].children[1], [])
    dry = predict_row(tree.children[0].children[0], [])
    shares = [child.weight / tree.children[0].weight for child in tree.children[0].children]
    assert play[1] == pytest.approx(shares[0] * dry[1] + shares[1] * humid[1])


def test_unknown_rows_are_a_part_of_the_split_information() -> None:
    parts = [[(0, 1.0)], [(1, 1.0)]]
    assert gain_ratio(1.0, parts, 2.0) == pytest.approx(1.0)
    assert gain_ratio(1.0, parts, 4.0) == pytest.approx(1 / 1.5)


def test_numeric_gain_pays_for_the_number_of_cuts() -> None:
    values = np.array([[1.0], [2.0], [3.0], [4.0]])
    problem = C45(values, ["numeric"], [0], [0, 0, 1, 1], 2, np.ones(4), min_leaf=1)
    (found,) = candidates(all_rows(problem), problem)
    assert found.gain == pytest.approx(1 - math.log2(3) / 4)


@pytest.mark.parametrize(("known", "least"), [(30, 2.0), (40, 2.0), (60, 3.0), (1_000, 25.0)])
def test_least_weight_of_a_side_grows_with_the_known_weight(
    golf: C45, known: float, least: float
) -> None:
    assert least_per_side(known, golf) == pytest.approx(least)


def test_entropy_is_in_bits() -> None:
    assert entropy([0.5, 0.125, 0.125, 0.125, 0.125]) == pytest.approx(2.0)


@pytest.mark.parametrize(("weight", "bound"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_bound_without_errors_is_what_quinlan_prints(weight: float, bound: float) -> None:
    assert added_errors(weight, 0, 0.25) / weight == pytest.approx(bound, abs=1e-3)


def test_bound_between_no_error_and_one_is_on_a_line() -> None:
    none, one = added_errors(10, 0, 0.25), added_errors(10, 1, 0.25)
    assert added_errors(10, 0.25, 0.25) == pytest.approx(0.75 * none + 0.25 * one)


def test_bound_is_never_above_all_the_weight() -> None:
    assert added_errors(4, 3.75, 0.25) == pytest.approx(0.25)


def test_collapse_drops_a_test_that_saves_no_errors() -> None:
    values = np.array([[0.0]] * 6 + [[1.0]] * 6)
    problem = C45(values, ["nominal"], [2], [0] * 6 + [0, 0, 0, 0, 1, 1], 2, np.ones(12))
    tree = grow(problem)
    assert tree.n_leaves == 2
    collapse(tree)
    assert tree.n_leaves == 1


def test_raising_puts_the_largest_branch_in_the_place_of_its_parent(golf: C45) -> None:
    # The first column cuts off two rows for nothing; the second tells the classes apart.
    values = np.array([[0.0, i % 2] for i in range(20)] + [[1.0, 0.0], [1.0, 1.0]])
    y = [i % 2 for i in range(20)] + [0, 1]
    problem = C45(values, ["nominal", "nominal"], [2, 2], y, 2, np.ones(22))
    tree = grow(problem)
    tree.feature, tree.threshold = 0, None
    halves = [[r for r in tree.rows if r[0] < 20], [r for r in tree.rows if r[0] >= 20]]
    big = grow(replace(problem, weights=np.array([1.0] * 20 + [0.0] * 2)))
    small = type(tree)(halves[1], [1.0, 1.0])
    tree.children = [big, small]
    prune(tree, problem)
    assert (tree.feature, tree.n_leaves) == (1, 2)
    assert [child.weight for child in tree.children] == [11.0, 11.0]


def test_labels_that_differ_by_rounding_go_to_the_first_class() -> None:
    assert label([0.5 - 1e-12, 0.5 + 1e-12]) == 0


def test_pruned_tree_of_noise_is_one_leaf() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (40, 2)).astype(float)
    y = [int(i % 5 == 0) for i in range(40)]
    problem = C45(values, ["nominal", "nominal"], [3, 3], y, 2, np.ones(40))
    assert fit(problem).n_nodes == 1
