"""Parameters out of range and misspelt names are errors that name the way out."""

import inspect
import re

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
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from faults.outcomes import Raises, refused
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BoostByFilteringClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
)

X = np.arange(12.0)[:, None]
CODES = (np.arange(12) >= 5).astype(int)
CV = {"pruning": "cost_complexity"}
HOLD = {"pruning": "reduced_error"}
EARLY = {"early_stopping": True}
CLASSIFIERS = ["CARTClassifier", "RandomForestClassifier"]
REGRESSORS = ["CARTRegressor", "RandomForestRegressor"]


def nobody(errors):
    """Keep no member."""
    return []


def strangers(errors):
    """Keep a member that there is not."""
    return [1000]


# parameter, value, words of the error, other parameters that make it matter
WRONG = [
    ("population_size", 1, "population_size .*>= 2, got 1", {}),
    ("population_size", 2.5, "population_size .*integer.*got 2.5", {}),
    ("generations", 0, "generations .*>= 1, got 0", {}),
    ("generations", None, "generations .*got None", {}),
    ("max_size", 1, "max_size=1 is too small.*2 symbols", {}),
    ("max_size", 61, "max_size .*at most 60, got 61", {}),
    ("max_size", "long", "max_size .*got 'long'", {}),
    ("tournament_size", 0, "tournament_size .*>= 1, got 0", {}),
    ("tournament_size", 10**8, "tournament_size .*at most 1000000, got 100000000", {}),
    ("min_entropy", -0.1, "min_entropy .*>= 0.*got -0.1", {}),
    ("min_entropy", np.nan, "min_entropy .*got nan", {}),
    ("min_variance", 1.5, "min_variance .*got 1.5", {}),
    ("min_variance", -1, "min_variance .*got -1", {}),
    ("min_fraction", -0.1, "min_fraction .*got -0.1", {}),
    ("min_fraction", 2, "min_fraction .*got 2", {}),
    ("refine_constants", "yes", "refine_constants .*True or False, got 'yes'", {}),
    ("splitter", "obliqe", "splitter .*'best', 'oblique', got 'obliqe'.*mean 'oblique'", {}),
    ("splitter", None, "splitter .*got None", {}),
    ("domains", "x0", r"domains .*list of lists.*got 'x0'", {}),
    ("domains", [["x0"]], "domains holds 'x0', which is numeric", {}),
    ("domains", [[7]], "domains holds 7, which is no column", {}),
    ("diversity", "root", "diversity .*'roots', None, got 'root'.*mean 'roots'", {}),
    ("functions", [], "functions must not be empty", {}),
    ("functions", ["div"], "functions has 'div'", {}),
    ("functions", ["+"], "no expression .*true or false", {}),
    ("terminals", ["income"], "terminals has 'income'", {}),
    ("terminals", 0, "terminals must be a list .*got 0", {}),
    ("checkpoint", 3.5, "checkpoint .*got 3.5", {}),
    ("checkpoint_every", 0, "checkpoint_every .*>= 1, got 0", {}),
    ("expert", "logistc", "expert .*got 'logistc'", {}),
    ("expert", None, "expert .*got None", {}),
    ("estimators", [], "estimators is empty.*fitted", {}),
    ("branching", 0, "branching .*integers >= 1.*got 0", {}),
    ("branching", (2, 0), r"branching .*integers >= 1.*got \(2, 0\)", {}),
    ("branching", "flat", "branching .*integers >= 1.*got 'flat'", {}),
    ("branching", (40, 40), "branching.* 1600 experts, the limit is 1000", {}),
    ("C", 0.0, "C .*> 0.*got 0.0", {}),
    ("C", np.inf, "C .*> 0.*got inf", {}),
    ("gate_C", -1, "gate_C .*> 0.*got -1", {}),
    ("solver", "gradients", "solver .*mean 'gradient'", {}),
    ("n_init", 0, "n_init .*>= 1.*got 0", {}),
    ("max_iter", 0, "max_iter .*>= 1.*got 0", {}),
    ("max_iter", 1.5, "max_iter .*integer.*got 1.5", {}),
    ("tol", -1e-3, "tol .*>= 0.*got -0.001", {}),
    ("tol", np.nan, "tol .*got nan", {}),
    ("n_folds", 1, "n_folds .*>= 2.*got 1", {}),
    ("n_folds", "two", "n_folds .*integer.*got 'two'", {}),
    ("max_iterations", 0, "max_iterations .*>= 1.*got 0", {}),
    ("max_iterations", 2.5, "max_iterations .*integer.*got 2.5", {}),
    ("labels", "keep", "labels .*mean 'kept'", {}),
    ("prune_from", "leaf", "prune_from .*'leaves', 'root'.*got 'leaf'", {}),
    ("unjudged", True, "unjudged .*'pruned', 'kept'.*got True", {}),
    ("recount", 1, "recount .*True or False.*got 1", {}),
    ("n_estimators", 0, "n_estimators .*>= 1.*got 0", {}),
    ("n_estimators", -5, "n_estimators .*>= 1.*got -5", {}),
    ("n_estimators", 1.5, "n_estimators .*integer.*got 1.5", {}),
    ("estimator", "tree", "estimator must be a (classifier|regressor).*got 'tree'.*instance", {}),
    ("estimator", CARTClassifier, "estimator must be a .*instance", {}),
    ("estimator", StandardScaler(), "estimator must be a .*got StandardScaler.*instance", {}),
    ("estimator", [], "estimator must (not be an empty list|be a classifier)", {}),
    ("sampling", "bootstap", "sampling .*'bootstrap', .*None, got 'bootstap'.*'bootstrap'", {}),
    ("sampling", True, "sampling .*got True", {}),
    ("bootstrap", "yes", "bootstrap .*True or False, got 'yes'", {}),
    ("max_samples", 0, "max_samples .*>= 1.*got 0", {}),
    ("max_samples", -0.5, "max_samples .*above 0.*got -0.5", {}),
    ("max_samples", 1.5, "max_samples .*at most 1, got 1.5", {}),
    ("max_samples", "half", "max_samples .*got 'half'", {}),
    ("max_samples", np.nan, "max_samples .*got nan", {}),
    ("targets", "regrup", "targets .*'regroup', 'flip', None, got 'regrup'.*mean 'regroup'", {}),
    ("targets", "flop", "targets .*mean 'flip'", {}),
    ("flip_rate", -0.1, "flip_rate .*>= 0 and <= 1, got -0.1", {"targets": "flip"}),
    ("flip_rate", 1.1, "flip_rate .*<= 1, got 1.1", {"targets": "flip"}),
    ("flip_rate", "often", "flip_rate .*got 'often'", {}),
    ("n_best_splits", 0, "n_best_splits .*>= 1, got 0", {}),
    ("n_best_splits", 1.5, "n_best_splits .*integer.*got 1.5", {}),
    ("selection", "trimed", "selection .*'trimmed', 'mode'.*'trimed'.*mean 'trimmed'", {}),
    ("selection", "model", "selection .*mean 'mode'", {}),
    ("selection", 3, "selection .*got 3", {}),
    ("selection", nobody, "selection keeps none of the members.*at least one", {}),
    ("selection", strangers, "selection returned member 1000, but there are members 0 to", {}),
    ("selection_data", "oop", "selection_data .*'training', 'oob'.*mean 'oob'", {}),
    ("selection_data", "train", "selection_data .*mean 'training'", {"selection": "mode"}),
    ("trim", -0.1, "trim .*>= 0.*got -0.1", {"selection": "trimmed"}),
    ("trim", 1.0, "trim=1.0 keeps none of 100 members.*smaller trim", {"selection": "trimmed"}),
    ("trim", 1.5, "trim .*<= 1, got 1.5", {"selection": "trimmed"}),
    ("trim", "some", "trim .*got 'some'", {"selection": "trimmed"}),
    ("combine", "votes", "combine .*'vote', 'average', got 'votes'.*mean 'vote'", {}),
    ("combine", "medan", "combine .*'mean', 'median', got 'medan'.*mean 'median'", {}),
    ("combine", None, "combine .*got None", {}),
    ("ties", "lows", "ties .*'lowest', 'random', got 'lows'", {}),
    ("ties", "randm", "ties .*mean 'random'", {}),
    ("oob_score", "yes", "oob_score .*True or False, got 'yes'", {}),
    ("stop", "obb", "stop .*'oob', None, got 'obb'.*mean 'oob'", {}),
    ("stop", True, "stop .*got True", {}),
    ("patience", 0, "patience .*>= 1, got 0", {"stop": "oob"}),
    ("patience", 1.5, "patience .*integer.*got 1.5", {"stop": "oob"}),
    ("tolerance", -0.1, "tolerance .*>= 0, got -0.1", {"stop": "oob"}),
    ("tolerance", np.nan, "tolerance .*got nan", {"stop": "oob"}),
    ("algorithm", "SAME", "algorithm .*'SAMME', 'M1', 'arc-x4', got 'SAME'.*mean 'SAMME'", {}),
    ("algorithm", None, "algorithm .*got None", {}),
    ("algorithm", "arc-x3", "algorithm .*mean 'arc-x4'", {}),
    ("loss", "exponental", "loss .*'exponential'.*got 'exponental'.*mean 'exponential'", {}),
    ("loss", None, "loss .*got None", {}),
    ("learning_rate", 0.0, "learning_rate .*> 0, got 0.0", {}),
    ("learning_rate", -1, "learning_rate .*> 0, got -1", {}),
    ("learning_rate", np.inf, "learning_rate .*got inf", {}),
    ("learning_rate", "slow", "learning_rate .*got 'slow'", {}),
    ("resample", "no", "resample .*True or False, got 'no'", {}),
    ("sample_size", 0, "sample_size .*>= 1.*got 0", {}),
    ("sample_size", 1.5, "sample_size .*got 1.5", {}),
    ("sample_size", 11, "sample_size=11 leaves no rows for learners 2 and 3", {}),
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
        nearest = {"squared": REGRESSORS, "gain": ["C45Classifier"]}
        return cls.__name__ in nearest.get(re.split("_", value)[0], CLASSIFIERS)
    if name == "combine" and isinstance(value, str):
        return is_regressor(cls()) == (value == "medan")
    return True


CASES = [
    pytest.param(
        cls, *case, id=f"{cls.__name__} {case[0]}={getattr(case[1], '__name__', repr(case[1]))}"
    )
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


MEMBERS = [
    (BaggingClassifier, CARTClassifier(max_depth=0), "max_depth .*>= 1, got 0"),
    (BaggingClassifier, C45Classifier(nominal="multi", rules=False), "nominal .*got 'multi'"),
    (BaggingRegressor, CARTRegressor(min_samples_leaf=0), "min_samples_leaf .*got 0"),
    (BaggingClassifier, CARTRegressor(), r"estimator must be a classifier.*CARTRegressor\(\)"),
    (BaggingRegressor, [CARTRegressor(), CARTClassifier()], "estimator must be a regressor"),
    (AdaBoostClassifier, CARTClassifier("ginni"), "criterion .*mean 'gini'"),
    (AdaBoostRegressor, CARTRegressor(max_bins=1), "max_bins .*>= 2, got 1"),
    (BoostByFilteringClassifier, CARTClassifier(max_depth=0), "max_depth .*>= 1, got 0"),
    (BoostByFilteringClassifier, CARTRegressor(), "estimator must be a classifier"),
]


@pytest.mark.parametrize(("cls", "member", "words"), MEMBERS)
def test_a_wrong_parameter_of_a_member_is_named_too(cls, member, words):
    estimator = cls(member)
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
    ("patience", 2**80),
    ("learning_rate", 1),
    ("n_jobs", -1),
    ("n_jobs", -1000),
]


@every_class
@pytest.mark.parametrize(("name", "value"), LIMITS, ids=lambda one: str(one))
def test_the_largest_values_work_as_no_limit(cls, name, value):
    if name not in inspect.signature(cls).parameters:
        pytest.skip(f"{cls.__name__} has no {name}")
    seed = {"random_state": 2**32 - 1}
    plain, limited = cls(**seed).fit(X, CODES), cls(**seed | {name: value}).fit(X, CODES)
    assert trees(plain) == trees(limited)


@every_class
@pytest.mark.parametrize("name", ["min_samples_split", "min_samples_leaf"])
@pytest.mark.parametrize("value", [13, 2**31, 2**63, 2**80])
def test_more_rows_than_there_are_give_one_leaf(cls, name, value):
    if name not in inspect.signature(cls).parameters:
        pytest.skip(f"{cls.__name__} has no {name}")
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
        if hasattr(type(estimator), method):
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
