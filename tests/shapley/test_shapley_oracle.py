"""Shapley values against their definition: all coalitions of at most ten columns."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from explained_problems import classes_of, gappy, raw_rows_of
from expression_trees import expression_tree, raw_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.shapley import (
    by_background,
    by_cover,
    interaction_values,
    players_in,
    shapley_values,
)

from spinney import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, SurvivalTree, Tree

SEEDS = st.integers(0, 10**6)
SMALL = {"max_depth": 4, "random_state": 0}
LEARNERS: dict[str, Any] = {
    "surrogates": CARTClassifier(**SMALL),
    "numbers with surrogates": CARTRegressor(**SMALL),
    "majority": CARTClassifier(missing="majority", **SMALL),
    "fractional": CARTRegressor(missing="fractional", **SMALL),
    "learned": CARTClassifier(missing="learned", **SMALL),
    "category": CARTRegressor(missing="category", **SMALL),
    "shrunken": CARTClassifier(shrinkage=3.0, **SMALL),
    "oblique": CARTRegressor(splitter="oblique", max_depth=3, random_state=0),
    "id3": ID3Classifier(),
    "c45": C45Classifier(min_samples_leaf=1, max_intervals=3),
    "c45 groups": C45Classifier(nominal="grouped", pruning=None),
}


def fitted(learner: Any, seed: int) -> tuple[Tree, Any, np.ndarray]:
    X, y = gappy(seed)
    target = classes_of(y) if hasattr(learner, "predict_proba") else y
    weight = np.random.default_rng(seed).integers(1, 4, len(y))
    return learner.fit(X, target, sample_weight=weight).tree_, X, target


def check(tree: Tree, X: Any, n_rows: int, background: Any) -> None:
    """Compare values and interactions of the first rows with the definition."""
    rows, asked = raw_rows_of(tree, X), X[:n_rows]
    others = None if background is None else raw_rows_of(tree, background)
    players, n_columns = players_in(tree), len(tree.schema.columns)
    values = tree.shap_values(asked, background)
    pairs = tree.shap_interaction_values(asked, background)
    if tree.classes is None:
        values, pairs = values[..., None], pairs[..., None]
    for i in range(n_rows):
        worth: Any = partial(by_cover, tree, rows[i])
        if others is not None:
            worth = partial(by_background, tree, rows[i], others)
        wanted = shapley_values(players, worth, n_columns)
        np.testing.assert_allclose(values[i], wanted, atol=1e-10)
        wanted = interaction_values(players, worth, n_columns)
        np.testing.assert_allclose(pairs[i], wanted, atol=1e-10)


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=2)
@given(SEEDS)
def test_values_by_cover_are_those_of_the_definition(name: str, seed: int) -> None:
    tree, X, _ = fitted(LEARNERS[name], seed)
    check(tree, X, 2, None)


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=2)
@given(SEEDS)
def test_values_by_background_are_those_of_the_definition(name: str, seed: int) -> None:
    tree, X, _ = fitted(LEARNERS[name], seed)
    check(tree, X, 2, X[20:24])


@pytest.mark.filterwarnings("ignore:.*not seen in fit")
@pytest.mark.parametrize("missing", ["majority", "fractional"])
@pytest.mark.parametrize("background", [False, True])
@settings(max_examples=3)
@given(SEEDS)
def test_an_expression_is_one_player_that_its_columns_share(
    missing: str, background: bool, seed: int
) -> None:
    tree = expression_tree(seed, n_tests=4, n_classes=seed % 4, missing=missing)
    X = raw_rows(seed, 8)
    check(tree, X, 2, X[4:] if background else None)


def test_lifetimes_are_explained_by_their_risk() -> None:
    X, y = gappy(3)
    target = {"event": np.arange(len(y)) % 3 > 0, "time": 10.0 - y + y.max()}
    tree = SurvivalTree(max_depth=3).fit(X, target).tree_
    check(tree, X, 2, None)
    check(tree, X, 2, X[20:23])


@pytest.mark.thorough
@settings(max_examples=30)
@given(SEEDS, st.sampled_from(sorted(LEARNERS)), st.booleans())
def test_many_trees_have_the_values_of_the_definition(
    seed: int, name: str, background: bool
) -> None:
    tree, X, _ = fitted(LEARNERS[name], seed)
    check(tree, X, 3, X[20:25] if background else None)


@pytest.mark.thorough
@settings(max_examples=2)
@given(SEEDS)
def test_ten_columns_have_the_values_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 10)), rng.normal(size=80)
    X[rng.random(X.shape) < 0.1] = np.nan
    check(CARTRegressor(min_samples_leaf=3).fit(X, y).tree_, X, 1, None)
    check(CARTRegressor(min_samples_leaf=8).fit(X, y).tree_, X, 1, X[:3])
