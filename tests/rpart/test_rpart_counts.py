"""Trees of counts against rpart 4.1.19 with method "poisson": the same trees, tables and errors.

The expected results are in `counts/`, written by `make_counts.R`. `rpart_compare.py` explains the
differences that may occur; the tables below list where they do. Nothing else may differ.
"""

from typing import Any

import numpy as np
import pytest
from rpart_counts import NAMES, CountCase, fit, fitted_counts, new_estimator
from rpart_sequences import our_sequence, rpart_sequence
from test_rpart_cross_validation import folds

# Nodes where training rows part ways: rpart drops a surrogate that we keep, or no test decides on a
# row and both sides weigh the same, in which case rpart leaves it where it is.
KNOWN_STOPS = {
    "policies__gaps": {78: "scruple"},
    "policies__gaps_no_prior": {78: "scruple"},
    "solder__gaps": {44: "majority", 45: "majority", 66: "majority"},
    "solder_all__gaps": {66: "majority", 129: "majority"},
}
# Nominal surrogates that err on fewer than two rows, and that we alone keep.
SCRUPLES = {"insurance__gaps": 2, "policies__gaps": 2, "policies__gaps_no_prior": 2}
# Nominal surrogates that agree as well, with the sides of a category swapped.
SURROGATE_TIES = {
    "policies__gaps": 1,
    "policies__gaps_no_prior": 1,
    "policies__weights": 1,
    "visits__weights": 1,
}
SAME_TREES = [name for name in NAMES if name not in KNOWN_STOPS]
# In trees of the folds, rows that no test decides on go elsewhere, as in `UNDECIDED` of
# `test_rpart_parity.py`, or surrogates differ as above.
OTHER_FOLDS = {"insurance__claims", "insurance__gaps", "visits__one_surrogate", "visits__weights"}
# rpart tells two trees apart by rounding.
ONE_MORE_ROW = {"solder__no_prior"}
SAME_ERRORS = [name for name in SAME_TREES if name not in OTHER_FOLDS | ONE_MORE_ROW]


def test_the_reference_has_every_kind_of_case():
    cases = [CountCase(name).raw for name in NAMES]
    assert len(cases) == 24
    assert {case["shrink"] for case in cases} == {0, 0.2, 0.5, 1}
    assert {case["exposure"] for case in cases} == {False, True}
    for setting in ("cycle", "train_gaps"):
        assert any(case[setting] for case in cases), setting
    assert any(node["yval"] == 0 for case in cases for node in case["nodes"])


@pytest.mark.parametrize("name", NAMES)
def test_nodes_and_surrogates_are_those_of_rpart(name):
    _, _, comparison = fitted_counts(name)
    assert comparison.problems == []
    assert comparison.stops.items() <= KNOWN_STOPS.get(name, {}).items()
    assert comparison.differences["tie"] == 0
    assert comparison.differences["surrogate tie"] == SURROGATE_TIES.get(name, 0)
    assert comparison.differences["scruple"] == SCRUPLES.get(name, 0)


@pytest.mark.parametrize("name", NAMES)
def test_deviances_are_half_of_those_of_rpart(name):
    case, estimator, _ = fitted_counts(name)
    root = estimator.tree_.root
    assert 2.0 * root.impurity * root.weight == pytest.approx(case.nodes[1]["dev"], rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_training_rows_are_predicted_as_by_rpart(name):
    case, estimator, comparison = fitted_counts(name)
    check_rates(case, estimator, case.table, comparison.train_leaf, "train_node")


@pytest.mark.parametrize("name", NAMES)
def test_rows_with_gaps_are_predicted_as_by_rpart(name):
    case, estimator, comparison = fitted_counts(name)
    check_rates(case, estimator, case.table_gaps, comparison.gap_leaf, "gap_node")


def check_rates(case: CountCase, estimator: Any, X: Any, leaf: Any, key: str) -> None:
    rows, numbers = np.flatnonzero(leaf), np.array(case.raw[key])
    np.testing.assert_array_equal(leaf[rows], numbers[rows])
    expected = [case.nodes[number]["yval"] for number in numbers[rows]]
    np.testing.assert_allclose(estimator.predict(X)[rows], expected, 1e-9)


@pytest.mark.parametrize("name", SAME_TREES)
def test_the_pruning_path_is_rparts_table(name):
    case, estimator, _ = fitted_counts(name)
    ours = our_sequence(estimator.tree_, "rpart")
    np.testing.assert_allclose(ours, rpart_sequence(case), 1e-9, 1e-11)


@pytest.mark.parametrize("name", SAME_ERRORS)
def test_errors_of_given_folds_are_those_of_rpart(name):
    case = CountCase(name)
    path = fit(case, new_estimator(case, cv=folds(len(case.y))), case.table).pruning_path_
    theirs = np.array(case.raw["cross_validated"], dtype=float)[::-1]
    errors = np.where(np.isnan(theirs[:, 3]), np.inf, theirs[:, 3])
    np.testing.assert_allclose(path.errors / path.risks[-1], errors, 1e-9)
    finite = np.isfinite(errors)
    assert finite.any()
    if case.raw["cycle"] is None:  # with weights, rpart's deviations depend on their unit
        ours = path.standard_errors[finite] / path.risks[-1]
        np.testing.assert_allclose(ours, theirs[finite, 4], 1e-9)


@pytest.mark.parametrize("name", SAME_TREES)
def test_importances_with_surrogates_are_those_of_rpart(name):
    if name in SCRUPLES or name in SURROGATE_TIES:
        return
    case, estimator, _ = fitted_counts(name)
    ours = np.asarray(estimator.tree_.importances(surrogates=True))
    theirs = np.array([case.raw["importance"].get(name, 0.0) for name in case.levels])
    np.testing.assert_allclose(ours / ours.sum(), theirs / theirs.sum(), 1e-9, 1e-12)
