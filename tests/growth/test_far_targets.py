"""Numbers far from 0: what they have in common does not decide between columns."""

import numpy as np
import pytest

from spinney import CARTRegressor, RandomForestRegressor


@pytest.mark.parametrize("base", [0.0, 100.0, 1000.0, -1000.0, 1e9])
def test_of_two_columns_that_divide_alike_the_first_is_asked(base):
    rng = np.random.default_rng(0)
    for n in (3, 4, 7, 30):
        for _ in range(40):
            y = base + np.round(rng.random(n), 2)
            x = rng.permutation(n).astype(float)
            tree = CARTRegressor().fit(np.column_stack([x, -x]), y).tree_
            assert set(tree.feature[tree.feature >= 0].tolist()) <= {0}


def test_equal_numbers_far_from_0_are_predicted_exactly():
    y = np.repeat([1000.02, 1000.81, 1000.91], 5)
    X = np.repeat([0.0, 1.0, 2.0], 5)[:, None]
    assert CARTRegressor().fit(X, y).predict(X).tolist() == y.tolist()
    assert CARTRegressor("absolute_error").fit(X, y).predict(X).tolist() == y.tolist()
    assert CARTRegressor().fit(X, -y).predict(X).tolist() == (-y).tolist()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_shift_of_the_target_shifts_the_predictions(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = np.round(X[:, 0] + rng.normal(size=200), 3)
    plain = CARTRegressor(criterion, max_depth=4).fit(X, y)
    shifted = CARTRegressor(criterion, max_depth=4).fit(X, y + 4096.0)
    assert plain.tree_.feature.tolist() == shifted.tree_.feature.tolist()
    np.testing.assert_allclose(shifted.predict(X) - 4096.0, plain.predict(X), atol=1e-9)
    np.testing.assert_allclose(shifted.tree_.impurity, plain.tree_.impurity, atol=1e-9)


def test_forests_see_the_same_shift():
    rng = np.random.default_rng(2)
    X, noise = rng.normal(size=(150, 3)), rng.normal(size=150)
    options = {"n_estimators": 40, "random_state": 0}
    plain = RandomForestRegressor(**options).fit(X, noise)
    shifted = RandomForestRegressor(**options).fit(X, noise + 4096.0)
    np.testing.assert_allclose(shifted.predict(X) - 4096.0, plain.predict(X), atol=1e-9)
    np.testing.assert_allclose(shifted.oob_score_, plain.oob_score_, atol=1e-9)
