"""Constructor parameters to the core's settings: every check of a parameter of growth is here."""

import math
import os
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from spinney import _core
from spinney._choices import (
    check_choice,
    check_integer,
    check_number,
    check_verbose,
    is_integer,
    is_number,
)

CLASS_CRITERIA = tuple(_core.criteria(of_classes=True))
CLASS_PRUNINGS = (None, "cost_complexity", "reduced_error", "error_based", "mdl")
REGRESSION_CRITERIA = tuple(_core.criteria(of_classes=False))
SPLITTERS = ("best", "oblique")
MISSING_RULES = ("surrogate", "majority", "fractional")
_NO_LIMIT = 2**62
_MAX_THREADS = 256  # more would only wait; their number never changes a result


def growth_params(estimator: Any, n_rows: int, n_features: int) -> _core.GrowParams:
    """Return an estimator's parameters of binary growth for the core.

    Parameters
    ----------
    estimator : estimator
        Whose attributes are read.
    n_rows, n_features : int
        Of the training table, for parameters given as shares; rows that weigh something.

    Returns
    -------
    spinney._core.GrowParams
    """
    params = _core.GrowParams()
    params.set_criterion(estimator.criterion)
    check_choice("missing", estimator.missing, MISSING_RULES)
    check_choice("unseen", estimator.unseen, ("missing", "error"))
    params.set_missing(MISSING_RULES.index(estimator.missing))
    params.max_depth = max_depth_limit(estimator.max_depth)
    params.min_samples_split = row_count(
        "min_samples_split", estimator.min_samples_split, 2, n_rows
    )
    params.min_samples_leaf = row_count("min_samples_leaf", estimator.min_samples_leaf, 1, n_rows)
    params.min_weight_fraction_leaf = check_number(
        "min_weight_fraction_leaf", estimator.min_weight_fraction_leaf, low=0.0, high=0.5
    )
    params.min_impurity_decrease = check_number(
        "min_impurity_decrease", estimator.min_impurity_decrease, low=0.0
    )
    if estimator.max_leaf_nodes is not None:
        params.max_leaf_nodes = min(
            check_integer("max_leaf_nodes", estimator.max_leaf_nodes, low=2), _NO_LIMIT
        )
    params.max_surrogates = min(
        check_integer("max_surrogates", estimator.max_surrogates, low=0), _NO_LIMIT
    )
    check_verbose(estimator.verbose)
    params.max_features = feature_count(estimator.max_features, n_features)
    if params.max_features:
        params.seed = random_seed(estimator.random_state)
    if estimator.max_bins is not None:
        params.max_bins = check_integer("max_bins", estimator.max_bins, low=2)
        if params.max_bins > 65_535:
            raise ValueError(f"max_bins must be at most 65535, got {estimator.max_bins!r}.")
        if estimator.missing == "fractional":
            raise ValueError(
                "max_bins does not work with missing='fractional'. "
                "Use missing='surrogate' or 'majority', or max_bins=None."
            )
        if estimator.criterion in REGRESSION_CRITERIA and _core.needs_rows(estimator.criterion):
            raise ValueError(
                f"max_bins does not work with criterion={estimator.criterion!r}: bins say nothing "
                "of medians. Use max_bins=None."
            )
    return params


def max_depth_limit(value: Any) -> int:
    """Return the largest depth that `max_depth` allows."""
    if value is None:
        return _NO_LIMIT
    remedy = "Use max_depth=None for an unlimited depth."
    return min(check_integer("max_depth", value, low=1, remedy=remedy), _NO_LIMIT)


def row_count(name: str, value: Any, low: int, n_rows: int) -> int:
    """Return a number of rows: given as such, or as a share of all rows."""
    if is_integer(value):
        return min(check_integer(name, value, low=low), _NO_LIMIT)
    if is_number(value) and 0.0 < float(value) < 1.0:
        return max(low, math.ceil(float(value) * n_rows))
    raise ValueError(
        f"{name} must be an integer >= {low} or a share of the rows between 0 and 1, got {value!r}."
    )


def feature_count(value: Any, n_features: int) -> int:
    """Return how many features are drawn at a node; 0 stands for all of them."""
    if value is None:
        return 0
    if isinstance(value, str):
        check_choice("max_features", value, ("sqrt", "log2", None))
        return max(1, int(math.sqrt(n_features) if value == "sqrt" else math.log2(n_features)))
    if is_integer(value) and int(value) >= 1:
        return 0 if int(value) >= n_features else int(value)
    if is_number(value) and not is_integer(value) and 0.0 < float(value) <= 1.0:
        count = max(1, int(float(value) * n_features))
        return 0 if count >= n_features else count
    raise ValueError(
        "max_features must be None, 'sqrt', 'log2', an integer >= 1 or a share of the features "
        f"between 0 and 1, got {value!r}."
    )


def random_seed(random_state: Any) -> int:
    """Return a seed for the core's own random streams."""
    if is_integer(random_state):
        return int(random_state) % 2**64
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def check_cf(cf: Any) -> float:
    """Return the confidence of limits on errors."""
    return check_number("cf", cf, low=0.0, high=0.5, open_low=True)


def thread_count(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` asks for, as scikit-learn counts them."""
    if n_jobs is None:
        return 1
    if not is_integer(n_jobs) or int(n_jobs) == 0:
        raise ValueError(
            f"n_jobs must be None or an integer other than 0, got {n_jobs!r}. "
            "Use n_jobs=-1 for all cores."
        )
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    wanted = int(n_jobs)
    threads = wanted if wanted > 0 else max(1, (n_cores or 1) + 1 + wanted)
    return min(threads, _MAX_THREADS)
