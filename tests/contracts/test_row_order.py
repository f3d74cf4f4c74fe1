"""The order of the rows changes no classification tree."""

import numpy as np
import pytest

from contracts.estimators import LISTED, over, same_model
from contracts.tables import codes_for, mixed_table

every_unordered = over([listed for listed in LISTED if listed.ignores_row_order])
SETTINGS = {
    "plain": {},
    "class weights": {"class_weight": {"class 0": 0.3, "class 1": 1.7, "class 2": 2.9}},
    "balanced": {"class_weight": "balanced"},
    "priors": {"priors": {"class 0": 0.55, "class 1": 0.3, "class 2": 0.15}},
    "costs": {"cost_matrix": {("class 0", "class 1"): 3.7, ("class 2", "class 0"): 0.3}},
    "altered priors": {
        "cost_matrix": {("class 0", "class 1"): 3.7, ("class 2", "class 0"): 0.3},
        "cost_method": "altered_priors",
    },
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "integer weights"])
@every_unordered
def test_shuffled_rows_give_the_same_tree(listed, weighted, settings, rng):
    if not listed.has(*settings):
        pytest.skip("it has no such parameter")
    if "cost_matrix" in settings and getattr(listed.estimator, "pruning", None) == "error_based":
        pytest.skip("error-based pruning knows no costs")
    X = mixed_table(rng, 150)
    y = listed.target(codes_for(X, rng))
    weight = rng.integers(0, 5, len(X)) if weighted else np.ones(len(X))
    first = listed.new(**settings).fit(X, y, sample_weight=weight)
    for _ in range(3):
        order = rng.permutation(len(X))
        shuffled = X.iloc[order].reset_index(drop=True)
        again = listed.new(**settings).fit(shuffled, y[order], sample_weight=weight[order])
        assert same_model(first, again, X)


@every_unordered
def test_shuffled_rows_of_a_float_array_give_the_same_tree(listed, rng):
    """A table of floats takes another way through the encoder than a mixed one."""
    X = rng.normal(size=(200, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = listed.target(rng.integers(0, 3, 200))
    order = rng.permutation(200)
    assert same_model(listed.new().fit(X, y), listed.new().fit(X[order], y[order]), X)
