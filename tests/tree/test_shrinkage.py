"""Hierarchical shrinkage against its definition, written out leaf by leaf."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from spinney import C45Classifier, CARTClassifier, CARTRegressor, Tree


def table(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(X[:, 0]) + rng.normal(size=150)


def by_definition(tree: Tree, leaf: Any, strength: float) -> Any:
    """The prediction of a leaf: the root's, and every step on the way down, divided."""
    path = [leaf]
    while path[0].parent is not None:
        path.insert(0, path[0].parent)

    def own(node: Any) -> Any:
        value = tree.value[node.id]
        return value / value.sum() if tree.classes is not None else value

    total = own(path[0])
    for above, node in pairwise(path):
        total = total + (own(node) - own(above)) / (1 + strength / above.weight)
    return total


@pytest.mark.parametrize("strength", [0, 0.5, 10, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_every_leaf_predicts_what_the_definition_says(seed: int, strength: float) -> None:
    X, y = table(seed)
    w = np.random.default_rng(seed).random(len(y))
    models = [
        CARTRegressor().fit(X, y, w),
        CARTClassifier(min_samples_leaf=3).fit(X, np.digitize(y, [-1, 1]), w),
        C45Classifier(pruning=None).fit(X, (y > 0).astype(int)),
    ]
    for model in models:
        shrunk = model.tree_.shrink(strength)
        for leaf in shrunk.leaves:
            wanted = by_definition(model.tree_, model.tree_[leaf.id], strength)
            np.testing.assert_allclose(shrunk.answer[leaf.id], wanted, rtol=1e-12, atol=1e-12)
        assert np.array_equal(shrunk.value, model.tree_.value)


def test_no_strength_changes_no_prediction_and_much_makes_all_alike() -> None:
    X, y = table(0)
    tree = CARTRegressor().fit(X, y).tree_
    np.testing.assert_allclose(tree.shrink(0).predict(X), tree.predict(X), rtol=1e-12)
    np.testing.assert_allclose(tree.shrink(1e12).predict(X), y.mean(), atol=1e-6)


def test_a_shrunken_tree_keeps_its_monotone_constraints() -> None:
    for seed in range(20):
        X, y = table(seed)
        signs = np.random.default_rng(seed).integers(-1, 2, 3)
        for tree in (
            CARTRegressor(monotonic_cst=signs).fit(X, y).tree_,
            CARTClassifier(monotonic_cst=signs).fit(X, (y > 0).astype(int)).tree_,
        ):
            shrunk = tree.shrink(7.5)
            assert shrunk.check_monotonic()


@pytest.mark.parametrize("strength", [-1, np.nan, "much", None, True])
def test_a_wrong_strength_is_refused(strength: Any) -> None:
    X, y = table(0)
    tree = CARTRegressor(max_depth=2).fit(X, y).tree_
    with pytest.raises((TypeError, ValueError), match="strength must be"):
        tree.shrink(strength)
