"""Pruning sequences against rpart 4.1.19: its table by default, and the definition on demand."""

import numpy as np
import pytest
from rpart_fits import fitted
from rpart_reference import NAMES, Case
from rpart_sequences import (
    our_sequence,
    rpart_sequence,
    smallest_minimising_trees,
    tree_with_risks_of,
)

from spinney import Tree
from spinney.pruning import cost_complexity_path

# One training row goes elsewhere than in rpart's tree, by a surrogate that rpart drops (see
# `test_rpart_parity.py`), and one more row is right: the sequences part at the seventh tree.
LEADING_TREES = {"german_credit__one_surrogate": 6}

# In the table of these, rpart's trees are not the smallest minimising ones.
OTHER_TREES = {
    "adult",
    "german_credit",
    "german_credit__count",
    "german_credit__entropy",
    "german_credit__loss",
    "german_credit__one_surrogate",
    "heart_disease__entropy",
    "heart_disease__loss",
    "pima_indians_diabetes",
    "yeast",
}
# In the table of these, the trees are, but some of their penalties are not.
OTHER_PENALTIES = {
    "german_credit__depth3",
    "glass__grown",
    "heart_disease",
    "heart_disease__priors",
    "heart_disease__weights",
    "pima_indians_diabetes__count",
    "pima_indians_diabetes__gaps",
    "pima_indians_diabetes__loss_priors",
}


def are_equal(one, other):
    return one.shape == other.shape and np.allclose(one, other, 1e-9, 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_the_path_is_rparts_table(name):
    case, estimator, _ = fitted(name)
    ours, theirs = our_sequence(estimator.tree_, "rpart"), rpart_sequence(case)
    n = LEADING_TREES.get(name)
    np.testing.assert_allclose(ours[:n], theirs[:n], 1e-9, 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_the_path_of_rparts_own_tree_is_rparts_table(name):
    case = Case(name)
    ours = our_sequence(tree_with_risks_of(case), "rpart")
    np.testing.assert_allclose(ours, rpart_sequence(case), 1e-9, 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_the_exact_path_has_the_smallest_minimising_trees(name):
    case = Case(name)
    ours = our_sequence(tree_with_risks_of(case), "exact")
    np.testing.assert_allclose(ours, smallest_minimising_trees(case), 1e-9, 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_no_tree_of_rparts_table_costs_less_than_an_exact_one(name):
    case = Case(name)
    for alpha, splits, error in our_sequence(tree_with_risks_of(case), "exact"):
        costs = [e + alpha * s for _, s, e in case.raw["cptable"]]
        assert error + alpha * splits <= min(costs) + 1e-9


def test_the_two_methods_differ_in_these_cases():
    trees = {name: tree_with_risks_of(Case(name)) for name in NAMES}
    sequences = {
        name: (our_sequence(tree, "rpart"), our_sequence(tree, "exact"))
        for name, tree in trees.items()
    }
    differ = {name for name, (one, other) in sequences.items() if not are_equal(one, other)}
    same_trees = {
        name for name, (one, other) in sequences.items() if are_equal(one[:, 1:], other[:, 1:])
    }
    assert differ - same_trees == OTHER_TREES
    assert differ & same_trees == OTHER_PENALTIES


def test_only_one_table_of_rpart_has_rows_that_rounding_tells_apart():
    cases = [Case(name) for name in NAMES]
    found = {c.raw["case"] for c in cases if len(rpart_sequence(c)) < len(c.raw["cptable"])}
    assert found == {"cpu_performance__grown"}


@pytest.fixture
def tree_with_a_tie():
    # The branches at a and b are both worth 1 a leaf; the root's own test gains nothing.
    counts = [[8, 2], [4, 0], [4, 2], [0, 1], [4, 1], [4, 0], [0, 1]]
    children = [[1, 2], [], [3, 4], [], [5, 6], [], []]
    tests = ["x <= 0", None, "a <= 0", None, "b <= 0", None, None]
    return Tree.from_dict({
        "classes": [0, 1],
        "features": ["x", "a", "b"],
        "nodes": [
            {"test": test, "children": below, "counts": count}
            for test, below, count in zip(tests, children, counts, strict=True)
        ],
    })  # fmt: skip


@pytest.mark.parametrize("method", ["rpart", "exact"])
def test_a_branch_stands_until_its_parent_collapses_at_the_same_penalty(tree_with_a_tie, method):
    path = cost_complexity_path(tree_with_a_tie, method=method)
    np.testing.assert_allclose(path.alphas * 10, [0, 2 / 3])  # two errors, three splits
    assert path.n_leaves.tolist() == [4, 1]
