"""The description length of a tree, told bit by bit, and the prunings that it chooses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from growth.problems import Problem, classification
from hypothesis import assume, given, note
from hypothesis import strategies as st

from spinney import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, Tree

LEARNERS = {
    "cart": (CARTClassifier, {}),
    "cart by fractions": (CARTClassifier, {"missing": "fractional"}),
    "id3": (ID3Classifier, {}),
    "c45": (C45Classifier, {"rules": False, "min_samples_leaf": 1}),
    "c45 with intervals and groups": (
        C45Classifier,
        {"rules": False, "min_samples_leaf": 1, "nominal": "grouped", "max_intervals": 4},
    ),
}
learners = st.sampled_from(sorted(LEARNERS))
problems = classification(max_rows=25, max_columns=3, max_categories=5)


def fitted(name: str, problem: Problem, pruning: str | None) -> Tree:
    learner, parameters = LEARNERS[name]
    assume(problem.weights is None or problem.weights.sum() >= 2)
    model: Any = learner(pruning=pruning, **parameters)
    tree: Tree = model.fit(problem.table, problem.y, sample_weight=problem.weights).tree_
    return tree


# -- Plain Python


def log2_choices(n: float, k: int) -> float:
    """Ways to choose k of n places; n need not be whole."""
    if n <= k:
        return 0.0
    terms = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return terms / math.log(2)


def bits_of_test(node: Any, n_features: int) -> float:
    """What it takes to tell a test: its column, and its places, its set or its groups."""
    column, test, places = math.log2(n_features), node.test, node.weight - 1
    if test.kind == "subset":
        return column + max(len(test.categories) + len(test.other_categories) - 1, 0)
    if test.kind == "threshold":
        return column + math.log2(max(places, 1))
    if hasattr(test, "cuts"):
        n_cuts = len(test.cuts)
        return column + math.log2(n_cuts) + log2_choices(places, n_cuts)
    n_known, n_groups = sum(map(len, test.branches)), len(test.branches)
    return column + (n_known * math.log2(n_groups) if n_known > n_groups else 0.0)


def class_bits(counts: list[float]) -> float:
    """Classes one after the other, each as likely as it was so far, with one of each to begin.

    For whole numbers this is the product of (seen of c + 1) / (seen + k), in any order.
    """
    k, total = len(counts), math.fsum(counts)
    told = math.lgamma(total + k) - math.lgamma(k) - math.fsum(math.lgamma(c + 1) for c in counts)
    return max(0.0, told / math.log(2))


def length(tree: Tree, cut: frozenset[int] = frozenset()) -> float:
    """The message of a tree in which some nodes are made leaves."""

    def below(node: Any) -> float:
        if node.is_leaf or node.id in cut:
            counts = tree.value[node.id].tolist() if node.weight > 0 else []
            return 1 + (class_bits(counts) if counts else 0.0)
        return (
            1 + bits_of_test(node, len(tree.schema.columns)) + sum(below(c) for c in node.children)
        )

    return below(tree.root)


def prunings(tree: Tree) -> Iterator[frozenset[int]]:
    """Every set of inner nodes; those under others make no difference."""
    inner = [node.id for node in tree if not node.is_leaf]
    for size in range(len(inner) + 1):
        yield from map(frozenset, itertools.combinations(inner, size))


# -- Facts


@given(problem=problems, name=learners)
def test_the_message_is_as_long_as_its_parts(problem: Problem, name: str) -> None:
    tree = fitted(name, problem, None)
    assert tree.description_length() == pytest.approx(length(tree), rel=1e-9, abs=1e-9)


@pytest.mark.slow
@given(problem=problems, name=learners)
def test_no_pruning_of_the_tree_has_a_shorter_message(problem: Problem, name: str) -> None:
    whole, best = fitted(name, problem, None), fitted(name, problem, "mdl")
    assume(sum(not node.is_leaf for node in whole) <= 9)
    note(str(whole))
    least = min(length(whole, cut) for cut in prunings(whole))
    assert best.description_length() == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert best.n_nodes <= whole.n_nodes


@pytest.mark.parametrize("counts", [[3, 0], [2, 2], [1, 4, 2], [0, 0, 5]])
def test_the_classes_of_a_leaf_are_told_one_by_one(counts: list[int]) -> None:
    rows = [code for code, n in enumerate(counts) for _ in range(n)]
    seen, bits = [0] * len(counts), 0.0
    for code in rows:
        bits -= math.log2((seen[code] + 1) / (sum(seen) + len(counts)))
        seen[code] += 1
    nodes = [{"test": None, "children": [], "counts": counts}]
    data = {"classes": list(range(len(counts))), "features": ["x"], "nodes": nodes}
    assert Tree.from_dict(data).description_length() == pytest.approx(1 + bits)


def test_noise_is_pruned_away_and_a_pattern_stays() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    noise = rng.integers(0, 2, 300)
    for learner in (CARTClassifier, C45Classifier, ID3Classifier):
        assert learner(pruning="mdl").fit(x, noise).tree_.n_nodes == 1
        model = learner(pruning="mdl").fit(x, (x[:, 0] > 0) ^ (rng.random(300) < 0.05))
        assert model.tree_.root.test.feature == 0
        assert model.tree_.n_leaves <= 4


def test_a_tree_of_numbers_has_no_description_length() -> None:
    tree = CARTRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).tree_
    with pytest.raises(ValueError, match="trees of classes"):
        tree.description_length()
