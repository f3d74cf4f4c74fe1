"""Parameters out of range and misspelt names are errors that name the way out."""

import inspect
import re

import numpy as np
import pytest
from contracts.estimators import CLASSES, LISTED, answers, every, every_class
from sklearn.exceptions import NotFittedError

from faults.outcomes import Raises, refused

X = np.arange(12.0)[:, None]
CODES = (np.arange(12) >= 5).astype(int)
CV = {"pruning": "cost_complexity"}
HOLD = {"pruning": "reduced_error"}
EARLY = {"early_stopping": True}

# parameter, value, words of the error, other parameters that make it matter
WRONG = [
    ("n_estimators", 0, "n_estimators .*>= 1.*got 0", {}),
    ("n_estimators", -5, "n_estimators .*>= 1.*got -5", {}),
    ("max_depth", 0, "max_depth .*>= 1, got 0.*max_depth=None", {}),
    ("max_depth", -1, "max_depth .*>= 1, got -1", {}),
    ("max_depth", 2.5, "max_depth .*integer.*got 2.5", {}),
    ("max_depth", "deep", "max_depth .*integer.*got 'deep'", {}),
    ("max_depth", True, "max_depth .*integer.*got True", {}),
    ("max_depth", np.nan, "max_depth .*integer.*got nan", {}),
    ("min_samples_split", 1, "min_samples_split .*>= 2.*got 1", {}),
    ("min_samples_split", 0.0, "min_samples_split .*got 0.0", {}),
    ("min_samples_split", 1.5, "min_samples_split .*got 1.5", {}),
    ("min_samples_split", None, "min_samples_split .*got None", {}),
    ("min_samples_leaf", 0, "min_samples_leaf .*>= 1.*got 0", {}),
    ("min_samples_leaf", -3, "min_samples_leaf .*got -3", {}),
    ("min_samples_leaf", 1.0, "min_samples_leaf .*got 1.0", {}),
    ("min_samples_leaf", np.nan, "min_samples_leaf .*got nan", {}),
    ("max_leaf_nodes", 1, "max_leaf_nodes .*>= 2, got 1", {}),
    ("max_leaf_nodes", 0, "max_leaf_nodes .*>= 2, got 0", {}),
    ("min_impurity_decrease", -0.1, "min_impurity_decrease .*>= 0.*got -0.1", {}),
    ("min_impurity_decrease", np.inf, "min_impurity_decrease .*got inf", {}),
    ("min_impurity_decrease", np.nan, "min_impurity_decrease .*got nan", {}),
    ("max_features", 0, "max_features .*>= 1.*got 0", {}),
    ("max_features", 1.5, "max_features .*got 1.5", {}),
    ("max_features", -0.5, "max_features .*got -0.5", {}),
    ("max_features", "sqr", "max_features .*'sqrt', 'log2'.*'sqr'.*mean 'sqrt'", {}),
    ("max_bins", 1, "max_bins .*>= 2, got 1", {}),
    ("max_bins", 0, "max_bins .*>= 2, got 0", {}),
    ("max_bins", 10**6, "max_bins .*at most 65535, got 1000000", {}),
    ("max_bins", 2.5, "max_bins .*integer.*got 2.5", {}),
    ("max_bins", 16, "max_bins .*fractional", {"missing": "fractional"}),
    ("max_surrogates", -1, "max_surrogates .*>= 0, got -1", {}),
    ("max_surrogates", 1.5, "max_surrogates .*integer.*got 1.5", {}),
    ("min_weight_fraction_leaf", -0.1, "min_weight_fraction_leaf .*got -0.1", {}),
    ("min_weight_fraction_leaf", 0.6, "min_weight_fraction_leaf .*0.5.*got 0.6", {}),
    ("criterion", "ginni", "criterion .*'gini', 'entropy'.*'ginni'.*mean 'gini'", {}),
    ("criterion", "squared_eror", "criterion .*'squared_error'.*mean 'squared_error'", {}),
    ("criterion", "Gini", "criterion .*'gini'.*got 'Gini'.*mean 'gini'", {}),
    ("criterion", None, "criterion .*got None", {}),
    ("criterion", 3, "criterion .*got 3", {}),
    ("criterion", "gain_ration", "criterion .*'gain_ratio', 'entropy'.*mean 'gain_ratio'", {}),
    ("criterion", "gain", "criterion .*'gain_ratio', 'entropy'.*got 'gain'", {}),
    ("nominal", "multi", "nominal .*'multiway', 'grouped', got 'multi'", {}),
    ("nominal", "group", "nominal .*mean 'grouped'", {}),
    ("max_intervals", 1, "max_intervals .*>= 2, got 1", {}),
    ("max_intervals", 2.5, "max_intervals .*integer.*got 2.5", {}),
    ("discretize", "mld", "discretize .*'mdl', 'quantile', None, got 'mld'.*mean 'mdl'", {}),
    ("discretize", None, "column 'x0' is numeric.*discretize='mdl'.*C45Classifier", {}),
    ("n_intervals", 1, "n_intervals .*>= 2, got 1", {}),
    ("cf", 0.0, "cf .*> 0 and <= 0.5, got 0.0", {"pruning": "error_based"}),
    ("cf", 0.6, "cf .*<= 0.5, got 0.6", {"pruning": "error_based"}),
    ("cf", "low", "cf .*got 'low'", {"pruning": "error_based"}),
    ("subtree_raising", 1, "subtree_raising .*True or False, got 1", {"pruning": "error_based"}),
    ("rules", "yes", "rules .*True or False, got 'yes'", {}),
    ("cost_method", "altered_prior", "cost_method .*mean 'altered_priors'", {}),
    ("missing", "surogate", "missing .*'surrogate', .*mean 'surrogate'", {}),
    ("missing", None, "missing .*got None", {}),
    ("unseen", "mising", "unseen .*'missing'.*'error'.*mean 'missing'", {}),
    ("unseen", "eror", "unseen .*mean 'error'", {}),
    ("pruning", "cost_complexty", "pruning .*None, 'cost_complexity'.*mean 'cost_complexity'", {}),
    ("pruning", "reduced-error", "pruning .*mean 'reduced_error'", {}),
    ("pruning", True, "pruning .*got True", {}),
    ("ccp_alpha", -0.5, "ccp_alpha .*>= 0, got -0.5", {}),
    ("ccp_alpha", np.nan, "ccp_alpha .*got nan", {}),
    ("ccp_alpha", "auto", "ccp_alpha .*got 'auto'", {}),
    ("cv", 1, "cv .*>= 2, got 1", CV),
    ("cv", 0, "cv .*>= 2, got 0", CV),
    ("cv", "ten", "cv .*got 'ten'", CV),
    ("cv", [], "cv gave no splits", CV),
    ("cv", [([0, 1], [99])], "cv .*outside 0 to 11", CV),
    ("cv", [([], [1])], "cv gave a split without rows", CV),
    ("rule", "1s", "rule .*'1se', 'min'.*mean '1se'", CV),
    ("rule", "minimum", "rule .*'1se', 'min'.*got 'minimum'", CV),
    ("validation_fraction", 0.0, "validation_fraction .*> 0 and < 1, got 0.0", HOLD),
    ("validation_fraction", 1.0, "validation_fraction .*got 1.0", HOLD),
    ("validation_fraction", "half", "validation_fraction .*got 'half'", HOLD),
    ("early_stopping", "yes", "early_stopping .*True or False, got 'yes'", {}),
    ("n_iter_no_change", 0, "n_iter_no_change .*>= 1, got 0", EARLY),
    ("warm_start", "no", "warm_start .*True or False, got 'no'", {}),
    ("random_state", "seed", "random_state|cannot be used to seed", {"max_features": 1} | CV),
    ("n_jobs", 0, "n_jobs .*other than 0, got 0.*n_jobs=-1", {}),
    ("n_jobs", 1.5, "n_jobs .*integer.*got 1.5", {}),
    ("verbose", "loud", "verbose .*got 'loud'", {}),
    ("categorical_features", "from_dtypes", "categorical_features .*'from_dtype'", {}),
    ("categorical_features", [7], r"categorical_features .*\[0, 0\], got 7", {}),
    ("categorical_features", ["x"], "categorical_features .*'x', but X has no column names", {}),
]


def _applies(cls, name, value):
    """Whether the class has the parameter; names of criteria are tried where they are nearest."""
    if name not in inspect.signature(cls).parameters:
        return False
    if name == "criterion" and isinstance(value, str):
        nearest = {"squared": "CARTRegressor", "gain": "C45Classifier"}
        return cls.__name__ == nearest.get(re.split("_", value)[0], "CARTClassifier")
    return True


CASES = [
    pytest.param(cls, *case, id=f"{cls.__name__} {case[0]}={case[1]!r}")
    for cls in CLASSES
    for case in WRONG
    if _applies(cls, case[0], case[1])
]


@pytest.mark.parametrize(("cls", "name", "value", "words", "others"), CASES)
def test_a_wrong_parameter_is_named_with_what_it_takes(cls, name, value, words, others):
    known = inspect.signature(cls).parameters
    estimator = cls(
        **({other: given for other, given in others.items() if other in known} | {name: value})
    )
    with refused(Raises(words), estimator):
        estimator.fit(X, CODES)


@every_class
def test_every_parameter_has_a_wrong_value_in_the_table(cls):
    """What no value can be wrong for, or is tested with weights, is listed here by name."""
    elsewhere = {"class_weight", "priors", "cost_matrix"}
    tested = {case[0] for case in WRONG}
    assert set(inspect.signature(cls).parameters) - tested == elsewhere & set(
        inspect.signature(cls).parameters
    )


@every_class
def test_a_wrong_parameter_leaves_a_fitted_estimator_as_it_was(cls):
    fitted = cls().fit(X, CODES)
    before = answers(fitted, X)
    fitted.set_params(max_depth=0)
    with pytest.raises(ValueError, match="max_depth"):
        fitted.fit(X[:4], [0, 1, 0, 1])
    assert answers(fitted, X) == before


LIMITS = [
    ("max_depth", 2**31 - 1),
    ("max_depth", 2**31),
    ("max_depth", 2**63 - 1),
    ("max_depth", 2**80),
    ("max_depth", np.int64(2**31 - 1)),
    ("max_depth", np.uint8(200)),
    ("max_leaf_nodes", 2**31 - 1),
    ("max_leaf_nodes", 2**63),
    ("max_leaf_nodes", 2**80),
    ("max_features", 2**31),
    ("max_features", 2**80),
    ("max_surrogates", 2**31),
    ("max_surrogates", 2**80),
    ("max_bins", 65_535),
    ("min_impurity_decrease", 0),
    ("random_state", 2**32 - 1),
    ("n_jobs", -1),
    ("n_jobs", -1000),
]


@every_class
@pytest.mark.parametrize(("name", "value"), LIMITS, ids=lambda one: str(one))
def test_the_largest_values_work_as_no_limit(cls, name, value):
    if name not in inspect.signature(cls).parameters:
        pytest.skip(f"{cls.__name__} has no {name}")
    plain, limited = cls().fit(X, CODES), cls(**{name: value}).fit(X, CODES)
    assert plain.tree_ == limited.tree_


@every_class
@pytest.mark.parametrize("name", ["min_samples_split", "min_samples_leaf"])
@pytest.mark.parametrize("value", [13, 2**31, 2**63, 2**80])
def test_more_rows_than_there_are_give_one_leaf(cls, name, value):
    if name not in inspect.signature(cls).parameters:
        pytest.skip(f"{cls.__name__} has no {name}")
    assert cls(**{name: value}).fit(X, CODES).get_n_leaves() == 1


METHODS = ["predict", "predict_proba", "predict_log_proba", "apply", "decision_path"]


@every
def test_methods_before_fit_raise_not_fitted(listed):
    estimator = listed.new()
    for method in METHODS:
        if hasattr(type(estimator), method):
            with pytest.raises(NotFittedError, match=type(estimator).__name__):
                getattr(estimator, method)(X)
    for method in ("get_depth", "get_n_leaves"):
        with pytest.raises(NotFittedError, match=type(estimator).__name__):
            getattr(estimator, method)()
    with pytest.raises(NotFittedError, match=type(estimator).__name__):
        _ = estimator.feature_importances_
    with pytest.raises(NotFittedError, match=type(estimator).__name__):
        estimator.score(X, listed.target(CODES))


@every
def test_predict_after_a_failed_fit_raises_not_fitted(listed):
    estimator = listed.new(max_depth=0)
    with pytest.raises(ValueError, match="max_depth"):
        estimator.fit(X, listed.target(CODES))
    with pytest.raises(NotFittedError):
        estimator.predict(X)


def test_the_list_of_estimators_names_no_setting_twice():
    assert len({repr(listed.estimator) for listed in LISTED}) == len(LISTED)
