"""A member of an ensemble is pruned as the tree alone, whatever `pruning` and `ccp_alpha`."""

import numpy as np
import pytest

from spinney import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    RandomForestClassifier,
)
from spinney.pruning import PruningPath

ALPHAS = [None, 0.0, 0.004, 0.02, 10.0]
KINDS = {
    CARTClassifier: [None, "cost_complexity", "reduced_error", "error_based", "mdl"],
    C45Classifier: [None, "cost_complexity", "reduced_error", "error_based", "mdl"],
    ID3Classifier: [None, "cost_complexity", "reduced_error", "error_based", "mdl"],
    CARTRegressor: [None, "cost_complexity", "reduced_error"],
}
CASES = [
    pytest.param(kind, pruning, alpha, id=f"{kind.__name__} {pruning} {alpha}")
    for kind, prunings in KINDS.items()
    for pruning in prunings
    for alpha in ALPHAS
]


def rows(kind):
    """Return a table with noise, so that every pruning has something to cut."""
    random = np.random.default_rng(7)
    X = random.integers(0, 8, (240, 4)).astype(float)
    signal = X[:, 0] + 2 * (X[:, 1] > 3) + random.normal(0, 2, len(X))
    if kind is ID3Classifier:  # its intervals of numbers are made before growth, and named after
        X = X.astype(int).astype(str).astype(object)
    return X, signal / 10 if kind is CARTRegressor else (signal > 5).astype(int)


def as_member(learner, X, y):
    """Return the tree of the only member of an ensemble that sees all rows."""
    bagging = BaggingRegressor if isinstance(learner, CARTRegressor) else BaggingClassifier
    return bagging(learner, 1, sampling=None, random_state=0).fit(X, y).forest_[0]


def learner_of(kind, pruning, alpha):
    """Return a tree that is pruned as asked."""
    more = {"rules": False} if kind is C45Classifier else {}
    return kind(pruning=pruning, ccp_alpha=alpha, random_state=0, **more)


@pytest.mark.parametrize(("kind", "pruning", "alpha"), CASES)
def test_a_member_is_pruned_as_the_tree_alone(kind, pruning, alpha):
    X, y = rows(kind)
    learner = learner_of(kind, pruning, alpha)
    alone, member = learner.fit(X, y).tree_, as_member(learner, X, y)
    draws = pruning == "reduced_error" or (pruning == "cost_complexity" and alpha is None)
    if not draws:
        assert member == alone
    elif alpha is not None:  # each has drawn its own rows to judge by; then alpha cuts what is left
        first = learner_of(kind, pruning, None)
        assert member == PruningPath(as_member(first, X, y)).at(alpha)
        assert alone == PruningPath(first.fit(X, y).tree_).at(alpha)


@pytest.mark.parametrize("kind", KINDS)
def test_alpha_cuts_more_than_the_other_pruning_alone(kind):
    X, y = rows(kind)
    without = as_member(learner_of(kind, "reduced_error", None), X, y)
    sizes = [as_member(learner_of(kind, "reduced_error", a), X, y).n_leaves for a in ALPHAS[1:]]
    assert sizes == sorted(sizes, reverse=True)
    assert without.n_leaves > sizes[-1] == 1


def test_a_forest_is_pruned_by_its_alpha():
    X, y = rows(CARTClassifier)
    settings = {"n_estimators": 3, "sampling": None, "max_features": None, "oob_score": False}
    forest = RandomForestClassifier(ccp_alpha=0.01, **settings).fit(X, y)
    alone = CARTClassifier(ccp_alpha=0.01, max_surrogates=0).fit(X, y).tree_
    assert all(tree == alone for tree in forest.forest_)
