"""What gates and linear experts see of a table."""

import numpy as np
import pandas as pd
import pytest

from spinney._table import encode_table, encode_with
from spinney.mixture._training_data import Design


def learned(X, weight=None):
    values, schema = encode_table(X)
    weight = np.ones(len(values)) if weight is None else np.asarray(weight, float)
    return Design.of(values, schema, weight), values, schema


def test_columns_are_centred_and_scaled_by_the_weights():
    X = np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]])
    weight = np.array([1.0, 2.0, 1.0])
    design, values, _ = learned(X, weight)
    numbers = design.read(values)
    assert (numbers[:, 0] == 1.0).all()
    np.testing.assert_allclose(weight @ numbers[:, 1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(weight @ numbers[:, 1:] ** 2 / 4.0, 1.0)


def test_nominal_columns_are_one_number_a_category_and_ordered_ones_their_code():
    X = pd.DataFrame(
        {
            "city": ["B", "A", "A", "C"],
            "grade": pd.Categorical(["lo", "hi", "mid", "hi"], ["lo", "mid", "hi"], ordered=True),
        }
    )
    design, values, _ = learned(X)
    assert design.names == ("city=A", "city=B", "city=C", "grade")
    numbers = design.read(values)[:, 1:]
    np.testing.assert_allclose(numbers[:, 0] > 0, [False, True, True, False])
    np.testing.assert_allclose(np.argsort(numbers[:, 3], kind="stable"), [0, 2, 1, 3])


def test_a_gap_and_an_unseen_category_stand_at_the_centre():
    X = pd.DataFrame({"x": [1.0, None, 4.0, 1.0], "city": ["A", "B", None, "A"]})
    design, values, schema = learned(X)
    assert (design.read(values)[1, 1:2] == 0.0).all()
    assert (design.read(values)[2, 2:] == 0.0).all()
    other = encode_with(schema, pd.DataFrame({"x": [1.0], "city": ["Z"]}))
    assert (design.read(other)[0, 2:] == 0.0).all()


def test_columns_that_are_the_same_in_all_rows_are_left_out():
    X = pd.DataFrame(
        {"x": [1.0, 2.0], "same": [3.0, 3.0], "empty": [np.nan, np.nan], "word": ["a", "a"]}
    )
    assert learned(X)[0].names == ("x",)


def test_infinities_are_the_ends_of_what_fit_saw():
    X = np.array([[-np.inf], [1.0], [5.0], [np.inf], [3.0]])
    design, values, _ = learned(X)
    numbers = design.read(values)[:, 1]
    assert numbers[0] == numbers[1]
    assert numbers[3] == numbers[2]


@pytest.mark.parametrize("scale", [1e-310, 1e-40, 1.0, 1e150, 1e307])
def test_columns_of_any_size_have_the_same_numbers(scale):
    x = np.array([1.0, 2.0, 4.0, 9.0])
    plain, values, _ = learned(x[:, None])
    scaled, others, _ = learned((x * scale)[:, None])
    np.testing.assert_allclose(scaled.read(others), plain.read(values), rtol=1e-9)
    assert np.isfinite(scaled.ridge).all()
    assert np.isfinite(scaled.read(np.array([[1.7e308], [-1.7e308]]))).all()


def test_coefficients_in_the_users_units_give_the_same_function():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) * [1.0, 1e-6, 1e5] + [0.0, 1.0, -3e5]
    design, values, _ = learned(X, rng.random(20))
    coef = rng.normal(size=(4, 2))
    intercept, slopes = design.user_units(coef)
    np.testing.assert_allclose(intercept + X @ slopes.T, design.read(values) @ coef, rtol=1e-6)


def test_a_ridge_is_on_the_users_coefficients():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3)) * [1.0, 10.0, 0.1]
    design, _, _ = learned(X)
    coef = rng.normal(size=(4, 1))
    mine = float(np.sum(design.ridge[:, None] * coef**2))
    assert mine == pytest.approx(float(np.sum(design.user_units(coef)[1] ** 2)))
    assert design.ridge[0] == 0.0


def test_of_many_categories_the_heaviest_have_numbers():
    words = np.repeat([f"w{k:03d}" for k in range(150)], 1 + np.arange(150) // 100)
    design, values, _ = learned(pd.DataFrame({"word": words}))
    assert len(design.names) == 100
    assert {f"word=w{k:03d}" for k in range(100, 150)} <= set(design.names)
    assert np.unique(design.read(values[:50]), axis=0).shape[0] == 50
