"""The functions prune as the estimators do, and refuse what they cannot judge."""

import numpy as np
import pytest

from spinney import C45Classifier, CARTClassifier, CARTRegressor, datasets
from spinney.pruning import error_based, mdl


@pytest.fixture(scope="module")
def heart():
    return datasets.load("heart_disease")


@pytest.mark.parametrize("raising", [True, False])
def test_error_based_prunes_as_the_estimators_do(heart, raising):
    for make in (C45Classifier, CARTClassifier):
        settings = {"subtree_raising": raising, "cf": 0.1}
        criterion = "gini" if make is CARTClassifier else "entropy"
        grown = make(pruning=None).fit(heart.X, heart.y).tree_
        pruned = make(pruning="error_based", **settings).fit(heart.X, heart.y).tree_
        by_hand = error_based(grown, heart.X, heart.y, criterion=criterion, **settings)
        assert pruned.n_nodes < grown.n_nodes
        assert by_hand == pruned


def test_mdl_prunes_as_the_estimator_does(heart):
    grown = CARTClassifier().fit(heart.X, heart.y).tree_
    pruned = CARTClassifier(pruning="mdl").fit(heart.X, heart.y).tree_
    assert mdl(grown) == pruned
    assert pruned.description_length() < grown.description_length()


def test_trees_of_numbers_and_of_costs_are_refused():
    X = np.arange(20.0)[:, None]
    numbers = CARTRegressor().fit(X, X[:, 0]).tree_
    with pytest.raises(ValueError, match="predicts numbers"):
        error_based(numbers, X, X[:, 0])
    with pytest.raises(ValueError, match="predicts numbers"):
        mdl(numbers)
    with pytest.raises(ValueError, match="predicts numbers"):
        numbers.description_length()
    codes = (X[:, 0] > 9).astype(int)
    costly = CARTClassifier(cost_matrix=[[0, 2], [1, 0]]).fit(X, codes).tree_
    with pytest.raises(ValueError, match="costs"):
        error_based(costly, X, codes)
    plain = CARTClassifier().fit(X, codes).tree_
    with pytest.raises(ValueError, match=r"cf .*got 0\.7"):
        error_based(plain, X, codes, cf=0.7)


@pytest.mark.parametrize("make", [C45Classifier, CARTClassifier])
def test_the_length_for_the_training_rows_is_that_of_the_tree(heart, make):
    tree = make(max_depth=4).fit(heart.X, heart.y).tree_
    told = tree.description_length(heart.X, heart.y)
    assert told == pytest.approx(tree.description_length(), rel=1e-9)
    doubled = tree.description_length(heart.X, heart.y, np.full(len(heart.y), 2.0))
    assert told < doubled < 2 * told


def test_the_length_needs_rows_with_classes(heart):
    tree = CARTClassifier(max_depth=2).fit(heart.X, heart.y).tree_
    with pytest.raises(ValueError, match="both X and y"):
        tree.description_length(heart.X)
    with pytest.raises(ValueError, match="nobody"):
        tree.description_length(heart.X, ["nobody"] * len(heart.y))
