"""Weights that mean nothing are refused with the index; weights of any size count the same."""

import numpy as np
import pytest
from contracts.estimators import every, every_classifier, every_scale_free, every_weigher, trees
from contracts.tables import shape_of

from faults.outcomes import Raises, refused, table
from spinney import CARTClassifier

N = 8
NO_COSTS = "error_based.*knows no costs"  # which comes first
X = np.arange(float(N))[:, None]
CODES = (np.arange(N) >= 3).astype(int)


def spoiled(value, at=5):
    weight = np.ones(N)
    weight[at] = value
    return weight


def shapes_of(fitted):
    return [shape_of(tree) for tree in trees(fitted)]


@every
@table(
    {
        "columns": ("weight", "outcome"),
        "all zero": (np.zeros(N), Raises("sample_weight is 0 for every row")),
        "one negative": (spoiled(-0.5), Raises("sample_weight .*-0.5 at index 5.*>= 0")),
        "all negative": (-np.ones(N), Raises("sample_weight .*-1.0 at index 0")),
        "negative and zero": (spoiled(-1.0) - 1.0, Raises("sample_weight .*index 5")),
        "NaN": (spoiled(np.nan), Raises("sample_weight .*nan at index 5.*finite")),
        "infinity": (spoiled(np.inf), Raises("sample_weight .*inf at index 5.*finite")),
        "minus infinity": (spoiled(-np.inf), Raises("sample_weight .*-inf at index 5")),
        "too short": (np.ones(N - 1), Raises("sample_weight .*7.* 8 rows.*one weight per row")),
        "too long": (np.ones(N + 1), Raises("sample_weight .*9.* 8 rows")),
        "empty": (np.ones(0), Raises("sample_weight .*0 entries for 8 rows")),
        "two columns": (np.ones((N, 2)), Raises("[Ss]ample.?weight.* 1-?D")),
        "text": (["heavy"] * N, Raises("heavy|sample_weight")),
        "complex": (np.ones(N) + 1j, Raises("sample_weight.*complex|[Cc]omplex.*sample_weight")),
        "a mask": (
            np.ma.masked_array(np.ones(N), np.arange(N) == 5),
            Raises("sample_weight .*index 5"),
        ),
    }
)
def test_weights_without_meaning_are_refused(listed, weight, outcome):
    estimator = listed.new()
    with refused(outcome, estimator):
        estimator.fit(X, listed.target(CODES), sample_weight=weight)


@every_scale_free
@pytest.mark.parametrize("power", [-1074, -1063, -1030, -1000, -133, 133, 1000, 1023])
def test_equal_weights_of_any_size_give_the_same_tree(listed, power, rng):
    """Powers of two, from 5e-324 to 9e307: no sum is rounded otherwise than that of ones."""
    table_x = rng.normal(size=(60, 2))
    y = listed.target((table_x[:, 0] > 0).astype(int) + (table_x[:, 1] > 1))
    plain = listed.new().fit(table_x, y)
    scaled = listed.new().fit(table_x, y, sample_weight=np.full(60, 2.0**power))
    assert shapes_of(plain) == shapes_of(scaled)
    np.testing.assert_array_equal(plain.predict(table_x), scaled.predict(table_x))
    for one, other in zip(trees(plain), trees(scaled), strict=True):
        np.testing.assert_allclose(one.risk, other.risk)
        np.testing.assert_allclose(one.impurity, other.impurity)


@every_scale_free
@pytest.mark.parametrize("size", [1e-320, 1e-310, 1e-40, 1e300, 1.7e308])
def test_weights_of_1e_320_and_others_leave_the_step_where_it_is(listed, size):
    table_x, codes = np.arange(60.0)[:, None], (np.arange(60) >= 25).astype(int)
    plain = listed.new().fit(table_x, listed.target(codes))
    scaled = listed.new().fit(table_x, listed.target(codes), sample_weight=np.full(60, size))
    assert shapes_of(plain) == shapes_of(scaled)


@every_scale_free
def test_one_number_weighs_every_row(listed):
    y = listed.target(CODES)
    plain, weighed = listed.new().fit(X, y), listed.new().fit(X, y, sample_weight=2.0)
    assert shapes_of(plain) == shapes_of(weighed)


@every_scale_free
def test_weights_that_differ_beyond_all_measure_are_no_trouble(listed):
    """Rows whose weight vanishes beside the others may count for nothing, but are not an error."""
    weight = np.array([1e-300, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e300])
    fitted = listed.new().fit(X, listed.target(CODES), sample_weight=weight)
    for tree in trees(fitted):
        assert np.isfinite(tree.value).all()
        assert np.isfinite(tree.impurity).all()
        assert (tree.impurity >= 0).all()


@every_weigher
@pytest.mark.parametrize("size", [1e-320, 1e-101, 1e101, 1.7e308])
def test_weights_far_from_one_are_refused_where_weight_is_counted(listed, size):
    estimator = listed.new()
    with refused(Raises("sample_weight holds weights of .*Scale the weights"), estimator):
        estimator.fit(X, listed.target(CODES), sample_weight=np.full(N, size))


@every
@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, ">f8", bool, object])
def test_weights_of_any_type_are_numbers(listed, dtype):
    weight = np.array([1, 1, 1, 0, 1, 1, 0, 1])
    y = listed.target(CODES)
    plain = listed.new().fit(X, y, sample_weight=weight.astype(float))
    other = listed.new().fit(X, y, sample_weight=weight.astype(dtype))
    assert trees(plain) == trees(other)


@every_classifier
@table(
    {
        "columns": ("settings", "outcome"),
        "an unknown class": (
            {"class_weight": {"class 7": 2.0}},
            Raises("class_weight .*'class 7'.*class 0"),
        ),
        "a negative class": ({"class_weight": {"class 0": -1.0}}, Raises("class_weight .*>= 0")),
        "NaN for a class": ({"class_weight": {"class 0": np.nan}}, Raises("class_weight .*finite")),
        "nothing left": (
            {"class_weight": {"class 0": 0.0, "class 1": 0.0}},
            Raises("class_weight leaves no row"),
        ),
        "a misspelt word": ({"class_weight": "balance"}, Raises("class_weight .*'balanced'")),
        "priors of one class": ({"priors": {"class 0": 1.0}}, Raises("priors .*'class 1'")),
        "priors that do not add up": (
            {"priors": {"class 0": 0.5, "class 1": 0.6}},
            Raises("priors .*add up to 1"),
        ),
        "a negative prior": (
            {"priors": {"class 0": -0.5, "class 1": 1.5}},
            Raises("priors .*above 0"),
        ),
        "too few priors": ({"priors": [1.0]}, Raises(r"priors .*2 numbers.*\(1,\)")),
        "priors and weights": (
            {"priors": [0.5, 0.5], "class_weight": "balanced"},
            Raises("class_weight and priors"),
        ),
        "costs of another shape": (
            {"cost_matrix": 1.0 - np.eye(3)},
            Raises(rf"cost_matrix .*\(2, 2\)|{NO_COSTS}"),
        ),
        "costs of a right answer": (
            {"cost_matrix": np.ones((2, 2))},
            Raises("cost_matrix .*diagonal"),
        ),
        "a negative cost": ({"cost_matrix": [[0, -1], [1, 0]]}, Raises("cost_matrix .*>= 0")),
        "a cost of NaN": ({"cost_matrix": [[0, np.nan], [1, 0]]}, Raises("cost_matrix .*finite")),
        "a cost of an unknown class": (
            {"cost_matrix": {("class 0", "class 9"): 2.0}},
            Raises(f"cost_matrix names 'class 9'|{NO_COSTS}"),
        ),
        "a cost without a pair": (
            {"cost_matrix": {"class 0": 2.0}},
            Raises(r"\(true, predicted\)"),
        ),
    }
)
def test_weights_of_classes_without_meaning_are_refused(listed, settings, outcome):
    if not listed.has(*settings):
        pytest.skip(f"{type(listed.estimator).__name__} has no {', '.join(settings)}")
    estimator = listed.new(**settings)
    with refused(outcome, estimator):
        estimator.fit(X, listed.target(CODES))


def test_costs_of_zero_everywhere_are_no_trouble():
    """Every label is free, so no label is better; the tree is sound all the same."""
    fitted = CARTClassifier(cost_matrix=np.zeros((2, 2))).fit(X, CODES)
    assert set(fitted.predict(X)) <= {0, 1}
    assert (fitted.tree_.risk == 0).all()
