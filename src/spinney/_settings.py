"""Checked parameters to the core's settings; `_params` has the checks."""

import math
import os
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from spinney import _core
from spinney._checks import is_integer
from spinney._counts import core_name
from spinney._params import MISSING, N_JOBS, SURROGATE_STYLE

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
    params.set_criterion(core_name(estimator.criterion))
    params.set_missing(MISSING.names.index(estimator.missing))
    params.max_depth = max_depth_limit(estimator.max_depth)
    params.min_samples_split = row_count(estimator.min_samples_split, 2, n_rows)
    params.min_samples_leaf = row_count(estimator.min_samples_leaf, 1, n_rows)
    params.min_weight_fraction_leaf = float(estimator.min_weight_fraction_leaf)
    params.min_impurity_decrease = float(estimator.min_impurity_decrease)
    if estimator.max_leaf_nodes is not None:
        params.max_leaf_nodes = min(int(estimator.max_leaf_nodes), _NO_LIMIT)
    params.max_surrogates = min(int(estimator.max_surrogates), _NO_LIMIT)
    params.set_surrogate_style(SURROGATE_STYLE.names.index(estimator.surrogate_style))
    params.max_features = feature_count(estimator.max_features, n_features)
    if params.max_features:
        params.seed = random_seed(estimator.random_state)
    if estimator.max_bins is not None:
        params.max_bins = int(estimator.max_bins)
    return params


def max_depth_limit(value: Any) -> int:
    """Return the largest depth that `max_depth` allows."""
    return _NO_LIMIT if value is None else min(int(value), _NO_LIMIT)


def row_count(value: Any, low: int, n_rows: int) -> int:
    """Return a number of rows: given as such, or as a share of all rows."""
    if is_integer(value):
        return min(int(value), _NO_LIMIT)
    return max(low, math.ceil(float(value) * n_rows))


def feature_count(value: Any, n_features: int) -> int:
    """Return how many features are drawn at a node; 0 means all of them."""
    if value is None:
        return 0
    if isinstance(value, str):
        return max(1, int(math.sqrt(n_features) if value == "sqrt" else math.log2(n_features)))
    count = int(value) if is_integer(value) else max(1, int(float(value) * n_features))
    return 0 if count >= n_features else count


def random_seed(random_state: Any) -> int:
    """Return a seed for the core's own random streams."""
    if is_integer(random_state):
        return int(random_state) % 2**64
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def random_numbers(random_state: Any) -> np.random.RandomState:
    """Return a NumPy generator, whose seeds have 32 bits; of larger seeds these bits count."""
    if is_integer(random_state):
        random_state = int(random_state) % 2**32
    numbers: np.random.RandomState = check_random_state(random_state)
    return numbers


def thread_count(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` means, as scikit-learn counts them."""
    if n_jobs is None:
        return 1
    N_JOBS.check("n_jobs", n_jobs)  # predictions come without a check of all parameters
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    wanted = int(n_jobs)
    threads = wanted if wanted > 0 else max(1, (n_cores or 1) + 1 + wanted)
    return min(threads, _MAX_THREADS)
