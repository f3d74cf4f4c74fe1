"""A tree of one column, about as deep as it has rows, is that of a scan of every node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor

from .problems import Array

CRITERIA = ["gini", "entropy", "squared_error"]
few_examples = settings(max_examples=max(1, settings.default.max_examples // 10), deadline=None)


@st.composite
def chains(draw: st.DrawFn) -> Array:
    """Labels in pieces, most of which a tree takes apart row by row."""
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    pieces = [
        lambda n: np.arange(n) % 2,
        lambda n: np.arange(n) % draw(st.integers(2, 5)) == 0,
        lambda n: np.arange(n) // draw(st.integers(1, 9)) % 2,
        lambda n: random.random(n) < 0.3,
        lambda n: np.full(n, draw(st.integers(0, 1))),
    ]
    n = draw(st.integers(1_100, 1_500))
    labels = [np.arange(n) % 2 ^ draw(st.integers(0, 1))]
    for piece in draw(st.lists(st.sampled_from(pieces), max_size=3)):
        labels.insert(draw(st.integers(0, len(labels))), piece(draw(st.integers(1, 300))))
    return np.concatenate(labels).astype(np.int64)


@st.composite
def settings_of_growth(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2, 3])),
        "min_impurity_decrease": draw(st.sampled_from([0.0, 0.0, 1e-6])),
        "max_surrogates": draw(st.sampled_from([0, 5])),
        "n_jobs": draw(st.sampled_from([1, 2])),
    }


def estimator(criterion: str, **parameters: Any) -> Any:
    kind = CARTRegressor if criterion == "squared_error" else CARTClassifier
    return kind(criterion=criterion, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@few_examples
@given(y=chains(), parameters=settings_of_growth(), tied=st.integers(1, 3), weighs=st.booleans())
def test_the_tree_is_that_of_a_scan_of_every_node(
    criterion: str, y: Array, parameters: dict[str, Any], tied: int, weighs: bool
) -> None:
    X = np.column_stack([np.arange(len(y)) // tied, np.full(len(y), 3.0)]).astype(float)
    weight = np.arange(len(y)) % 7 // 6 + 1.0 if weighs else None
    found = estimator(criterion, **parameters).fit(X, y, weight).tree_
    # All columns may go together, as they may anyhow; only the general way of growing takes this.
    expected = estimator(criterion, **parameters, interaction_cst=[[0, 1]]).fit(X, y, weight).tree_
    if criterion != "squared_error":
        assert found == expected
    assert found.to_text(max_depth=None) == expected.to_text(max_depth=None)
    np.testing.assert_array_equal(found.threshold, expected.threshold)
    np.testing.assert_array_equal(found.value, expected.value)
    np.testing.assert_allclose(found.impurity, expected.impurity, rtol=1e-9, atol=1e-12)


def impurity(criterion: str, ones: Array, weight: Array) -> Array:
    """Loss of a group of so many rows, of which so many are of the second class."""
    share = ones / weight
    if criterion == "entropy":
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = [np.where(p > 0, -p * np.log2(p), 0.0) for p in (share, 1 - share)]
        return weight * (bits[0] + bits[1])
    scale = 2.0 if criterion == "gini" else 1.0  # of numbers the variance, p (1 - p)
    return weight * scale * share * (1 - share)


@pytest.mark.parametrize("criterion", CRITERIA)
@few_examples
@given(y=chains())
def test_every_test_takes_most_off_the_loss(criterion: str, y: Array) -> None:
    n = len(y)
    order = np.random.default_rng(n).permutation(n)
    tree = estimator(criterion).fit(order[:, None].astype(float), y[order]).tree_
    begin = np.zeros(tree.n_nodes, dtype=int)
    for node in np.flatnonzero(tree.first_child >= 0):  # parents come before their children
        left = tree.first_child[node]
        begin[left], begin[left + 1] = begin[node], begin[node] + tree.n_samples[left]
        if node % 41:
            continue
        labels = y[begin[node] : begin[node] + tree.n_samples[node]]
        ones, rows = np.cumsum(labels)[:-1], np.arange(1.0, len(labels))
        loss = impurity(criterion, ones, rows)
        loss += impurity(criterion, labels.sum() - ones, len(labels) - rows)
        chosen = tree.n_samples[left] - 1
        near = 1e-10 * len(labels)
        assert loss[chosen] <= loss.min() + near
        assert (loss[:chosen] > loss[chosen] + 1e-4 * near).all()  # the first of equals
        assert tree.threshold[node] == begin[node] + chosen + 0.5
