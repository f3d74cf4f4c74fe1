"""Survival trees against rpart 4.1.19 with method "exp": the same trees, tables and errors.

The expected results are in `lifetimes/`, written by `make_lifetimes.R`. `rpart_compare.py` explains
the differences that may occur; the tables below list where they do. Nothing else may differ.
"""

import numpy as np
import pytest
from rpart_lifetimes import NAMES, LifetimeCase, fitted_lifetimes, new_tree
from rpart_sequences import our_sequence, rpart_sequence
from test_rpart_counts import check_rates
from test_rpart_cross_validation import folds

from spinney._lifetimes import hazard_scale

# Nodes where training rows part ways: rpart drops a surrogate that we keep, or no test decides on a
# row and both sides weigh the same, in which case rpart leaves it where it is.
KNOWN_STOPS = {
    "machines__gaps": {144: "majority"},
    "stagec": {12: "scruple"},
    "stagec__count": {12: "scruple"},
    "stagec__no_prior": {12: "scruple"},
    "stays": {142675: "majority"},
    "stays__no_prior": {142675: "majority", 4117: "majority"},
    "stays__one_surrogate": {48: "majority", 1781: "majority"},
    "stays__strong": {},
}
# Nodes that we prune, as nothing is gained: in rpart's trees rows that are left where they are cost
# nothing, there or further down.
PRUNED = {
    "machines__gaps": 232,
    "stays": 4117,
    "stays__one_surrogate": 4117,
    "stays__strong": 35668,
}
SCRUPLES = {
    "pbc__small": 1,
    "pbc_whole__small": 1,
    "stagec": 1,
    "stagec__count": 1,
    "stagec__no_prior": 1,
}
# Nominal surrogates that agree as well, with the sides of a category swapped.
SURROGATE_TIES = {
    "machines__gaps": 1,
    "stays": 1,
    "stays__no_prior": 1,
    "stays__one_surrogate": 1,
    "stays__strong": 1,
    "stays_whole": 1,
    "stays_whole__no_prior": 1,
    "stays_whole__strong": 1,
}
TIES = {"pbc__small": 1, "pbc_whole__small": 2}
SAME_TREES = [name for name in NAMES if name not in KNOWN_STOPS]
# Cross-validated errors that differ, and by how much at most, of the error of the root: in trees of
# folds, as above in those of all rows, rpart drops a surrogate, or leaves a row with gaps where it
# is. Of those in `OTHER_ROWS` the tables have other rows, as the trees of all rows differ too.
# Nothing but gaps does this: of the sets `*_whole`, the same rows but for those with gaps, all
# errors agree, but for one with tests that gain the same, in nodes of a few rows.
OTHER_ERRORS = {
    "pbc__gaps": 0.0151,
    "pbc__small": 0.0036,
    "pbc_whole__small": 0.0153,
    "stagec": 0.0114,
    "stagec__count": 0.0114,
    "stagec__gaps": 0.0094,
    "stays__strong": 0.0009,
}
OTHER_ROWS = {"machines__gaps", "stays", "stays__no_prior", "stays__one_surrogate"}
BY_TIES = {"pbc_whole__small"}


def test_the_reference_has_every_kind_of_case():
    cases = [LifetimeCase(name).raw for name in NAMES]
    assert len(cases) == 31
    assert {case["shrink"] for case in cases} == {0, 0.2, 0.5, 1}
    assert any(case["train_gaps"] for case in cases)
    kinds = {column["kind"] for case in cases for column in case["columns"]}
    assert kinds == {"numeric", "nominal", "ordered"}
    assert any(node["yval"] == 0 for case in cases for node in case["nodes"])


@pytest.mark.parametrize("name", NAMES)
def test_time_is_on_the_scale_of_rpart(name):
    case = LifetimeCase(name)
    time = case.lifetimes["time"].to_numpy()
    ours = hazard_scale(case.y > 0, time, np.ones(len(time)))
    np.testing.assert_allclose(ours, case.exposure, 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_nodes_and_surrogates_are_those_of_rpart(name):
    _, _, comparison = fitted_lifetimes(name)
    pruned = [f"node {PRUNED[name]}: only one of the trees splits"] if name in PRUNED else []
    assert comparison.problems == pruned
    assert comparison.stops.items() <= KNOWN_STOPS.get(name, {}).items()
    assert comparison.differences["tie"] == TIES.get(name, 0)
    assert comparison.differences["surrogate tie"] == SURROGATE_TIES.get(name, 0)
    assert comparison.differences["scruple"] == SCRUPLES.get(name, 0)


@pytest.mark.parametrize("name", NAMES)
def test_deviances_are_half_of_those_of_rpart(name):
    case, tree, _ = fitted_lifetimes(name)
    root = tree.tree_.root
    assert 2.0 * root.impurity * root.weight == pytest.approx(case.nodes[1]["dev"], rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_training_rows_are_predicted_as_by_rpart(name):
    case, tree, comparison = fitted_lifetimes(name)
    if name in PRUNED:
        return
    check_rates(case, tree, case.table, comparison.train_leaf, "train_node")


@pytest.mark.parametrize("name", NAMES)
def test_rows_with_gaps_are_predicted_as_by_rpart(name):
    case, tree, comparison = fitted_lifetimes(name)
    if name in PRUNED:
        return
    check_rates(case, tree, case.table_gaps, comparison.gap_leaf, "gap_node")


@pytest.mark.parametrize("name", SAME_TREES)
def test_the_pruning_path_is_rparts_table(name):
    case, tree, _ = fitted_lifetimes(name)
    ours = our_sequence(tree.tree_, "rpart")
    np.testing.assert_allclose(ours, rpart_sequence(case), 1e-9, 1e-11)


def test_only_gaps_and_ties_make_errors_differ():
    for name in {*OTHER_ERRORS, *OTHER_ROWS} - BY_TIES:
        assert LifetimeCase(name).table.isna().to_numpy().any()
    whole = {name for name in NAMES if "_whole" in name}
    assert len(whole) == 9
    assert whole & {*OTHER_ERRORS, *OTHER_ROWS} == BY_TIES
    assert not any(LifetimeCase(name).table.isna().to_numpy().any() for name in whole)


def uneven(X):
    """The columns as `make_lifetimes.R` gives them to rpart, without values between two others."""
    return X.assign(
        **{name: np.sqrt(X[name] - X[name].min() + 1) for name in X.select_dtypes(float)}
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OTHER_ROWS])
def test_errors_of_given_folds_are_those_of_rpart(name):
    case = LifetimeCase(name)
    X = uneven(case.table)
    tree = new_tree(case, cv=folds(len(case.y))).fit(X, case.lifetimes)
    path, theirs = tree.pruning_path_, np.array(case.raw["cross_validated"], dtype=float)[::-1]
    errors = np.where(np.isnan(theirs[:, 3]), np.inf, theirs[:, 3])
    within = OTHER_ERRORS.get(name, 0.0)
    np.testing.assert_allclose(path.errors / path.risks[-1], errors, 1e-9, within)
    if within:
        assert np.abs(path.errors / path.risks[-1] - errors).max() > within - 2e-4
        return
    finite = np.isfinite(errors)
    ours = path.standard_errors[finite] / path.risks[-1]
    np.testing.assert_allclose(ours, theirs[finite, 4], 1e-9)


@pytest.mark.parametrize("name", SAME_TREES)
def test_importances_with_surrogates_are_those_of_rpart(name):
    if name in SCRUPLES or name in SURROGATE_TIES:
        return
    case, tree, _ = fitted_lifetimes(name)
    ours = np.asarray(tree.tree_.importances(surrogates=True))
    theirs = np.array([case.raw["importance"].get(name, 0.0) for name in case.levels])
    np.testing.assert_allclose(ours / ours.sum(), theirs / theirs.sum(), 1e-9, 1e-12)
