"""Corners: what the user told an expert, and truths far from all that was seen."""

import numpy as np
import pytest

from spinney import CARTClassifier, MixtureOfExpertsClassifier, MixtureOfExpertsRegressor

pytestmark = pytest.mark.filterwarnings(r"ignore:MixtureOfExperts\w+ still climbs")


@pytest.mark.parametrize("named", [["k", "w"], np.array([True, True])], ids=["names", "mask"])
def test_an_expert_keeps_the_columns_that_it_was_told_to_be_nominal(named):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, 300)
    X = {"k": codes.astype(float), "w": np.array(["a", "b"])[rng.integers(0, 2, 300)]}
    y = np.isin(codes, (0, 2, 4))
    alone = CARTClassifier(max_depth=1, categorical_features=named)
    assert alone.fit(X, y).score(X, y) == 1.0
    mixture = MixtureOfExpertsClassifier(alone, branching=1, n_init=1, max_iter=3).fit(X, y)
    assert mixture.score(X, y) == 1.0


@pytest.mark.parametrize("far", [1e160, -1e160, 1e300])
def test_responsibilities_for_a_number_far_away_add_up_to_1(far):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    model = MixtureOfExpertsRegressor(branching=3, n_init=1, random_state=0).fit(X, X[:, 0])
    shares = model.responsibilities(X[:1], [far])
    np.testing.assert_allclose(shares.sum(), 1.0)
