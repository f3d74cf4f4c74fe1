"""What only data can tell about parameters, members with wrong ones, and the largest values.

`test_declarations` has everything that is refused before any data is read.
"""

import inspect

import numpy as np
import pytest
from contracts.estimators import (
    CLASSES,
    LISTED,
    answers,
    every,
    every_class,
    most_leaves,
    size_of,
    trees,
)
from sklearn.exceptions import NotFittedError

from faults.outcomes import Raises, Untouchable, refused
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BoostByFilteringClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    MixtureOfExpertsClassifier,
)

X = np.arange(12.0)[:, None]
CODES = (np.arange(12) >= 5).astype(int)
CV = {"pruning": "cost_complexity"}


def nobody(errors):
    """Keep no member."""
    return []


def strangers(errors):
    """Keep a member that there is not."""
    return [1000]


# parameter, value, words of the error, other parameters that make it matter
WITH_DATA = [
    ("max_size", 1, "max_size=1 is too small.*2 symbols", {}),
    ("domains", [["x0"]], "domains holds 'x0', which is numeric", {}),
    ("domains", [[7]], "domains holds 7, which is no column", {}),
    ("functions", ["+"], "no expression .*true or false", {}),
    ("terminals", ["income"], "terminals has 'income'", {}),
    ("selection", nobody, "selection keeps none of the members.*at least one", {}),
    ("selection", strangers, "selection returned member 1000, but there are members 0 to", {}),
    ("sample_size", 11, "sample_size=11 leaves no rows for learners 2 and 3", {}),
    ("max_samples", 10**9, "max_samples must be at most 10000000 rows, got 1000000000", {}),
    ("discretize", None, "column 'x0' is numeric.*discretize='mdl'.*C45Classifier", {}),
    ("cv", [], "cv gave no splits", CV),
    ("cv", [([0, 1], [99])], "cv .*outside 0 to 11", CV),
    ("cv", [([], [1])], "cv gave a split without rows", CV),
    ("categorical_features", [7], r"categorical_features .*\[0, 0\], got 7", {}),
    ("categorical_features", ["x"], "categorical_features .*'x', but X has no column names", {}),
]


def with_parameter(cases):
    """Return cases that begin with a parameter for every class that has it."""
    return [
        pytest.param(
            cls, *case, id=f"{cls.__name__} {case[0]}={getattr(case[1], '__name__', case[1])}"
        )
        for cls in CLASSES
        for case in cases
        if case[0] in inspect.signature(cls).parameters
    ]


@pytest.mark.parametrize(("cls", "name", "value", "words", "others"), with_parameter(WITH_DATA))
def test_what_only_data_can_tell_is_told_by_name(cls, name, value, words, others):
    known = inspect.signature(cls).parameters
    estimator = cls(
        **({other: given for other, given in others.items() if other in known} | {name: value})
    )
    with refused(Raises(words), estimator):
        estimator.fit(X, CODES)


MEMBERS = [
    (BaggingClassifier, CARTClassifier(max_depth=0), "max_depth .*>= 1, got 0"),
    (BaggingClassifier, C45Classifier(nominal="multi", rules=False), "nominal .*got 'multi'"),
    (BaggingClassifier, C45Classifier(cf=7), "cf .*got 7"),
    (BaggingRegressor, CARTRegressor(min_samples_leaf=0), "min_samples_leaf .*got 0"),
    (BaggingClassifier, CARTRegressor(), r"estimator must be a classifier.*CARTRegressor\(\)"),
    (BaggingRegressor, [CARTRegressor(), CARTClassifier()], "estimator must be a regressor"),
    (AdaBoostClassifier, CARTClassifier("ginni"), "criterion .*mean 'gini'"),
    (AdaBoostRegressor, CARTRegressor(max_bins=1), "max_bins .*>= 2 .*got 1"),
    (AdaBoostRegressor, CARTRegressor("absolute_error", max_bins=9), "max_bins does not work"),
    (BoostByFilteringClassifier, CARTClassifier(max_depth=0), "max_depth .*>= 1, got 0"),
    (BoostByFilteringClassifier, CARTRegressor(), "estimator must be a classifier"),
    (MixtureOfExpertsClassifier, CARTClassifier(max_depth=0), "max_depth .*>= 1, got 0"),
]


@pytest.mark.parametrize(("cls", "member", "words"), MEMBERS)
def test_a_wrong_parameter_of_a_member_is_named_too(cls, member, words):
    estimator = cls(member)
    with refused(Raises(words), estimator):
        estimator.fit(Untouchable(), Untouchable())


@every_class
def test_a_wrong_parameter_leaves_a_fitted_estimator_as_it_was(cls):
    fitted = cls().fit(X, CODES)
    before = answers(fitted, X)
    name = size_of(cls)[0]
    fitted.set_params(**{name: 0})
    with pytest.raises(ValueError, match=name):
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
    ("n_best_splits", 1),
    ("n_iter_no_change", 2**80),
    ("learning_rate", 1),
    ("n_jobs", -1),
    ("n_jobs", -1000),
]


@pytest.mark.parametrize(("cls", "name", "value"), with_parameter(LIMITS))
def test_the_largest_values_work_as_no_limit(cls, name, value):
    seed = {"random_state": 2**32 - 1}
    plain, limited = cls(**seed).fit(X, CODES), cls(**seed | {name: value}).fit(X, CODES)
    assert trees(plain) == trees(limited)


MORE_ROWS = [
    (name, value)
    for name in ("min_samples_split", "min_samples_leaf")
    for value in (13, 2**31, 2**63, 2**80)
]


@pytest.mark.parametrize(("cls", "name", "value"), with_parameter(MORE_ROWS))
def test_more_rows_than_there_are_give_one_leaf(cls, name, value):
    assert most_leaves(cls(**{name: value}).fit(X, CODES)) == 1


METHODS = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "apply",
    "decision_path",
    "proximities",
]
STAGES = ["staged_predict", "staged_predict_proba", "staged_decision_function"]
FACTS = ["feature_importances_", "estimators_"]


@every
def test_methods_before_fit_raise_not_fitted(listed):
    estimator = listed.new()
    for method in METHODS:
        if hasattr(estimator, method):
            with pytest.raises(NotFittedError, match=type(estimator).__name__):
                getattr(estimator, method)(X)
    for method in STAGES:
        if hasattr(type(estimator), method):
            with pytest.raises(NotFittedError, match=type(estimator).__name__):
                next(getattr(estimator, method)(X))
    for method in ("get_depth", "get_n_leaves"):
        if hasattr(type(estimator), method):
            with pytest.raises(NotFittedError, match=type(estimator).__name__):
                getattr(estimator, method)()
    for name in FACTS:
        if hasattr(type(estimator), name):
            with pytest.raises(NotFittedError, match=type(estimator).__name__):
                getattr(estimator, name)
    with pytest.raises(NotFittedError, match=type(estimator).__name__):
        estimator.score(X, listed.target(CODES))


@every
def test_predict_after_a_failed_fit_raises_not_fitted(listed):
    name = listed.size[0]
    estimator = listed.new(**{name: 0})
    with pytest.raises(ValueError, match=name):
        estimator.fit(X, listed.target(CODES))
    with pytest.raises(NotFittedError):
        estimator.predict(X)


def test_the_list_of_estimators_names_no_setting_twice():
    assert len({repr(listed.estimator) for listed in LISTED}) == len(LISTED)
