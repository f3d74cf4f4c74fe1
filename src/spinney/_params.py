"""Constructor parameters: what each may be, declared once, and checked before any data is read.

A parameter means the same in every estimator, so there is one table by name. A class whose
parameter differs declares it in `_parameters`; one with settings that exclude others, beyond those
of all trees, has a method `_check_combinations`.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from spinney import _core
from spinney._checks import (
    Check,
    Choice,
    Either,
    Flag,
    Integer,
    Number,
    Read,
    Share,
    Such,
    is_integer,
    optional,
)
from spinney._constraints import are_forced_tests, are_groups, are_signs
from spinney._lifetimes import LIFETIME_CRITERIA
from spinney._table._names import named_columns

CLASS_CRITERIA = tuple(_core.criteria(of_classes=True))
REGRESSION_CRITERIA = tuple(_core.criteria(of_classes=False))
CLASS_PRUNINGS = (None, "cost_complexity", "reduced_error", "error_based", "mdl")
SAMPLINGS = ("bootstrap", "subsample", "partition", "overlap", "wagging", None)
_MOST_RIVALS = 1_000_000  # of a tournament: more would keep the core from hearing an interrupt
_FUNCTION = Such("a function", callable)


class Learner(Check):
    """An estimator for members, unfitted, or a list of them; those of this package are checked too.

    Parameters
    ----------
    kind : {"classifier", "regressor"}
        What it must be.
    several : bool, default=True
        Whether a list will do.
    """

    remedy = "Give instances, not classes, or None for a tree."

    def __init__(self, kind: str, *, several: bool = True) -> None:
        self.kind, self.several = kind, several

    @property
    def accepts(self) -> str:
        """What it may be."""
        return (
            f"a {self.kind}, a list of them or None" if self.several else f"a {self.kind} or None"
        )

    def takes(self, value: Any) -> bool:
        """Return whether a value is such an estimator, or None."""
        if self.several and isinstance(value, list | tuple):
            return bool(value) and all(map(self._is_learner, value))
        return value is None or self._is_learner(value)

    def _is_learner(self, value: Any) -> bool:
        if not isinstance(value, BaseEstimator) or not hasattr(value, "predict"):
            return False
        return get_tags(value).estimator_type in (self.kind, None)  # None: it does not say

    def plain(self, value: Any) -> Any:
        """Check the parameters of our own estimators."""
        for learner in value if isinstance(value, list | tuple) else [value]:
            check_member(learner)
        return value


class NodeDrawer(Learner):
    """A tree of this package that can draw columns at each node."""

    accepts = "a CARTClassifier, an ID3Classifier, a C45Classifier or None"
    remedy = "Give an instance, not a class; BaggingClassifier takes any classifier."

    def __init__(self) -> None:
        super().__init__("classifier", several=False)

    def _is_learner(self, value: Any) -> bool:
        is_learner = super()._is_learner(value) and hasattr(value, "_learner")
        return is_learner and bool(value._learner().draws_columns)


def _is_splitter(value: Any) -> bool:
    return hasattr(value, "split") and not isinstance(value, str | bytes)


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _is_random_state(value: Any) -> bool:
    return isinstance(value, np.random.RandomState) or value is np.random  # as scikit-learn has it


def _is_list(value: Any) -> bool:
    return _is_iterable(value) and not isinstance(value, Iterator)


def _numbers(given: Any) -> Any:
    """Return the numbers of a mapping or an array; None if there are others."""
    if isinstance(given, str):
        return None
    try:
        values = list(given.values()) if isinstance(given, Mapping) else given
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _are_weights(given: Any) -> bool:
    numbers = _numbers(given)
    return numbers is not None and bool(np.isfinite(numbers).all() and (numbers >= 0).all())


def _are_priors(given: Any) -> bool:
    numbers = _numbers(given)
    if numbers is None or not (numbers > 0).all():
        return False
    return bool(np.isclose(numbers.sum(), 1.0, atol=1e-6))


def _are_costs(given: Any) -> bool:
    if not _are_weights(given):
        return False
    if isinstance(given, Mapping):
        pairs = [key for key in given if isinstance(key, tuple) and len(key) == 2]
        return len(pairs) == len(given) and not any(given[a, b] for a, b in pairs if a == b)
    costs = np.asarray(given, dtype=np.float64)
    is_square = costs.ndim == 2 and costs.shape[0] == costs.shape[1]
    return is_square and not np.diag(costs).any()


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2


_CLASS_WEIGHTS = Such("numbers for the classes that are finite and >= 0", _are_weights)
CF = Number(0.0, 0.5, open_low=True, remedy="Use cf=0.25 as C4.5 does; a lower one prunes more.")
COMBINE_CLASSES = Choice(("vote", "average"))
MISSING = Choice(("surrogate", "majority", "fractional", "learned", "category"))
N_JOBS = Either(
    [Choice([None]), Such("an integer other than 0", lambda n: is_integer(n) and n != 0)],
    remedy="Use n_jobs=-1 for all cores.",
)
RULE = Choice(("1se", "min"))
SURROGATE_STYLE = Choice(("agreement", "count"))
TIES = Choice(("lowest", "random"))
UNSEEN = Choice(("missing", "error"))
VERBOSE = Either([Flag(), Integer(0)])

PARAMETERS: Mapping[str, Check] = MappingProxyType(
    {
        # -- How a tree is grown
        "criterion": Either([Choice(CLASS_CRITERIA), _FUNCTION]),
        "splitter": Choice(("best", "random", "oblique")),
        "max_depth": optional(Integer(1, remedy="Use max_depth=None for an unlimited depth.")),
        "min_samples_split": Either([Integer(2), Share("rows", most=1.0)]),
        "min_samples_leaf": Either([Integer(1), Share("rows")]),
        "min_weight_fraction_leaf": Number(0.0, 0.5),
        "max_leaf_nodes": optional(Integer(2)),
        "min_impurity_decrease": Number(0.0),
        "max_features": Either(
            [Choice((None, "sqrt", "log2")), Integer(1), Share("features", most=1.0)]
        ),
        "max_bins": optional(Integer(2, 65_535)),
        "missing": MISSING,
        "max_surrogates": Integer(0),
        "surrogate_style": SURROGATE_STYLE,
        "all_missing": Choice(("keep", "drop")),
        "monotonic_cst": Either(
            [
                Choice([None]),
                Such("a mapping of columns to -1, 0 or 1", are_signs),
                Such("a list of -1, 0 or 1, one a column", are_signs),
            ]
        ),
        "interaction_cst": Either(
            [
                Choice((None, "no_interactions")),
                Such("a list of lists of columns, such as [['age', 'sex']]", are_groups),
            ]
        ),
        "forced_tests": optional(
            Such("a mapping of paths to tests, such as {'root': 'income <= 40'}", are_forced_tests)
        ),
        "nominal": Choice(("multiway", "grouped")),
        "max_intervals": Integer(2),
        "discretize": Choice(("mdl", "quantile", None)),
        "n_intervals": Integer(2),
        "early_stopping": Flag(),
        "n_iter_no_change": Integer(1),
        # -- How it is pruned
        "pruning": Choice(CLASS_PRUNINGS),
        "ccp_alpha": optional(Number(0.0)),
        "cf": CF,
        "subtree_raising": Flag(),
        "cv": Either(
            [
                Integer(2),
                Such("a splitter", _is_splitter),
                Such("an iterable of splits", _is_iterable),
            ]
        ),
        "rule": RULE,
        "validation_fraction": Number(0.0, 1.0, open_low=True, open_high=True),
        "rules": Flag(),
        # -- Growing and pruning in turn
        "n_parts": Integer(2),
        "labels": Choice(("kept", "renewed")),
        "prune_from": Choice(("leaves", "root")),
        "unjudged": Choice(("pruned", "kept")),
        "recount": Flag(),
        # -- Counts and amounts
        "tweedie_power": Number(
            1.0,
            2.0,
            open_low=True,
            open_high=True,
            remedy="Use criterion='poisson' for 1 and 'gamma' for 2.",
        ),
        "prior_cv": Number(0.0, remedy="Use 0 for rates without a prior, 1 as rpart does."),
        # -- What classes and errors count for
        "class_weight": Either([Choice(("balanced", None)), _CLASS_WEIGHTS]),
        "priors": optional(
            Such("numbers for the classes that are above 0 and add up to 1", _are_priors)
        ),
        "cost_matrix": optional(
            Such(
                "numbers that are finite and >= 0 with zeros on the diagonal, in a square or as a "
                "mapping with keys (true, predicted)",
                _are_costs,
            )
        ),
        "cost_method": Choice(("gini", "altered_priors")),
        # -- The table
        "categorical_features": Read(
            "'from_dtype', None or a list of names, positions or booleans", named_columns
        ),
        "unseen": UNSEEN,
        # -- Members, and what they see of the data
        "estimator": Learner("classifier"),
        "n_estimators": Integer(1, remedy="An ensemble needs members."),
        "sampling": Choice(SAMPLINGS),
        "bootstrap": Flag(),
        "bootstrap_features": Flag(),
        "max_samples": Either([Choice([None]), Integer(1), Share("rows", most=math.inf)]),
        "sample_size": Either([Choice([None]), Integer(1), Share("rows")]),
        "targets": Choice(("regroup", "flip", None)),
        "flip_rate": Number(0.0, 1.0),
        "n_best_splits": Integer(1),
        # -- Which members answer, and how
        "selection": Either([Choice(("trimmed", "mode", None)), _FUNCTION]),
        "selection_data": Either([Choice(("training", "oob")), Such("a tuple (X, y)", _is_pair)]),
        "trim": Number(0.0, 1.0),
        "combine": COMBINE_CLASSES,
        "ties": TIES,
        "oob_score": Either([Flag(), _FUNCTION]),
        # -- Boosting
        "algorithm": Choice(("SAMME", "M1", "arc-x4")),
        "loss": Choice(("exponential", "logistic")),
        "learning_rate": Number(0.0, open_low=True),
        "resample": Flag(),
        # -- Evolution
        "population_size": Integer(2),
        "generations": Integer(1),
        "max_size": Integer(1, _core.MAX_PROGRAM),
        "min_entropy": Number(0.0),
        "min_variance": Number(0.0, 1.0),
        "min_fraction": Number(0.0, 1.0),
        "terminals": Either([Such("a list of columns and Constants", _is_list), Choice([None])]),
        "domains": Either(
            [
                Such(
                    "a list of lists of columns, such as [['home', 'work']]",
                    lambda value: _is_list(value) and all(map(_is_list, value)),
                ),
                Choice([None]),
            ]
        ),
        "tournament_size": Integer(
            1,
            _MOST_RIVALS,
            remedy="Beyond the population_size, larger tournaments hardly choose differently.",
        ),
        "refine_constants": Flag(),
        "diversity": Choice(("roots", None)),
        "checkpoint": Either(
            [Such("a path", lambda value: isinstance(value, str | PathLike)), Choice([None])]
        ),
        "checkpoint_every": Integer(1),
        # -- Mixtures
        "C": Number(0.0, open_low=True),
        "gate_C": Number(0.0, open_low=True),
        "solver": Choice(("em", "gradient")),
        "n_init": Integer(1),
        "max_iter": Integer(1),
        "tol": Number(0.0),
        # -- What leaves answer
        "quantile": Number(0.0, 1.0, open_low=True, open_high=True),
        "shrinkage": Either(
            [Choice((None, "auto")), Number(0.0)], remedy="Use None for no shrinkage."
        ),
        "keep_targets": Flag(),
        # -- How a fit is run
        "warm_start": Flag(),
        "random_state": Either(
            [
                Choice([None]),
                Such("an integer", is_integer),
                Such("a RandomState of NumPy", _is_random_state),
            ]
        ),
        "n_jobs": N_JOBS,
        "verbose": VERBOSE,
    }
)

# What differs for numbers.
OF_NUMBERS: MappingProxyType[str, Check] = MappingProxyType(
    {
        "criterion": Choice(REGRESSION_CRITERIA),
        "pruning": Choice((None, "cost_complexity", "reduced_error")),
        "estimator": Learner("regressor"),
        "combine": Choice(("mean", "median")),
        "loss": Choice(("linear", "square", "exponential")),
    }
)

# What forests can do besides.
BALANCING: MappingProxyType[str, Check] = MappingProxyType(
    {
        "class_weight": Either(
            [Choice(("balanced", "balanced_subsample", None)), _CLASS_WEIGHTS],
        )
    }
)
NODE_DRAWER = NodeDrawer()

# What differs where cuts are drawn at random.
_NO_SIDE = "A cut that is drawn at random gains by chance, and so would the side of the gaps."
DRAWING_CUTS: MappingProxyType[str, Check] = MappingProxyType(
    {"missing": Choice(("surrogate", "majority", "fractional"), remedy=_NO_SIDE)}
)

# What differs where a tree grows on from its leaves.
GROWING_ON: MappingProxyType[str, Check] = MappingProxyType(
    {
        "missing": Choice(
            ("surrogate", "majority", "learned", "category"),
            remedy="Growth goes on from leaves, and these do not say which shares of a row they "
            "hold, as missing='fractional' would need.",
        )
    }
)


# What differs for lifetimes.
OF_LIFETIMES: MappingProxyType[str, Check] = MappingProxyType(
    {
        **OF_NUMBERS,
        "criterion": Choice(LIFETIME_CRITERIA),
        "missing": Choice(
            ("surrogate", "majority"),
            remedy="Curves are of whole rows, and missing='fractional' would part them.",
        ),
    }
)


@cache
def declared(kind: type) -> Mapping[str, Check]:
    """Return the checks of all constructor parameters of an estimator, in their order.

    Parameters
    ----------
    kind : type
        A class of estimators.

    Returns
    -------
    mapping of str to Check
        Without those that a class of the user's own may have added.
    """
    known = {**PARAMETERS, **getattr(kind, "_parameters", {})}
    names = inspect.signature(kind).parameters
    return {name: known[name] for name in names if name in known}


@cache
def _with_defaults(kind: type) -> list[tuple[str, Check, Any]]:
    """Return name, check and default of each parameter; a wrong default counts as none."""
    parameters, out = inspect.signature(kind).parameters, []
    for name, check in declared(kind).items():
        default = parameters[name].default
        try:
            check.check(name, default)
        except (TypeError, ValueError):
            default = inspect.Parameter.empty
        out.append((name, check, default))
    return out


def check_parameters(estimator: Any) -> None:
    """Check every constructor parameter, used or not, and then those that exclude each other.

    Parameters
    ----------
    estimator : estimator
        One of this package. It is not changed.
    """
    kind: type = type(estimator)
    values = {}
    for name, check, default in _with_defaults(kind):
        values[name] = value = getattr(estimator, name)
        if value is not default:  # defaults are right: most need no look
            check.check(name, value)
    for refuse in _COMBINATIONS:
        refuse(values)
    own = getattr(estimator, "_check_combinations", None)
    if own is not None:
        own()


def check_member(learner: Any) -> None:
    """Check the parameters of a learner if it is one of this package."""
    if hasattr(type(learner), "_parameters"):
        check_parameters(learner)


# -- Settings of trees, and of forests that have them too, that exclude each other


def _refuse_bins(values: Mapping[str, Any]) -> None:
    if values.get("max_bins") is None:
        return
    if values.get("missing") == "fractional":
        raise ValueError(
            "max_bins does not work with missing='fractional'. Use missing='surrogate' or "
            "'majority', or max_bins=None."
        )
    criterion = values.get("criterion")
    if criterion in (*REGRESSION_CRITERIA, "logrank") and _core.needs_rows(criterion):
        what = "who was at risk" if criterion == "logrank" else "medians or other quantiles"
        raise ValueError(
            f"max_bins does not work with criterion={criterion!r}: bins say nothing of {what}. "
            "Use max_bins=None."
        )
    if values.get("splitter") == "oblique":
        raise ValueError(
            "max_bins does not work with splitter='oblique': bins say nothing of sums of columns. "
            "Use max_bins=None."
        )


def _refuse_constraints(values: Mapping[str, Any]) -> None:
    if values.get("splitter") != "oblique":
        return
    for name in ("monotonic_cst", "interaction_cst"):
        if values.get(name) is not None:
            raise ValueError(
                f"{name} does not work with splitter='oblique', whose tests are sums of columns. "
                "Use splitter='best' or 'random'."
            )


def _refuse_drawn_gaps(values: Mapping[str, Any]) -> None:
    if values.get("splitter") == "random" and values.get("missing") in ("learned", "category"):
        raise ValueError(
            f"missing={values['missing']!r} does not work with splitter='random'. {_NO_SIDE} Use "
            "missing='surrogate', 'majority' or 'fractional'."
        )


def _refuse_forced(values: Mapping[str, Any]) -> None:
    if not values.get("forced_tests"):
        return
    if values.get("splitter") == "random":
        raise ValueError(
            "forced_tests does not work with splitter='random', which draws all tests. Use "
            "splitter='best'."
        )
    if values.get("max_bins") is not None:
        raise ValueError(
            "forced_tests does not work with max_bins: given tests are looked up among all values. "
            "Use max_bins=None."
        )
    if values.get("warm_start"):
        raise ValueError(
            "forced_tests does not work with warm_start, which keeps the tests of the tree that it "
            "continues. Use warm_start=False."
        )


def _refuse_growing_on(values: Mapping[str, Any]) -> None:
    grows_on = values.get("warm_start") and "n_estimators" not in values  # others add members
    if grows_on and values.get("missing") == "fractional":
        raise ValueError(
            "warm_start does not work with missing='fractional': leaves do not say which shares of "
            "a row they hold. Use missing='surrogate' or 'majority'."
        )


def _refuse_two_weights(values: Mapping[str, Any]) -> None:
    if values.get("class_weight") is not None and values.get("priors") is not None:
        raise ValueError("class_weight and priors both reweigh the classes: give one of them.")


def _refuse_costs(values: Mapping[str, Any]) -> None:
    if values.get("pruning") == "error_based" and values.get("cost_matrix") is not None:
        raise ValueError(
            "pruning='error_based' counts errors and knows no costs. Leave cost_matrix out, or use "
            "pruning='cost_complexity' or 'reduced_error'."
        )


_COMBINATIONS: tuple[Callable[[Mapping[str, Any]], None], ...] = (
    _refuse_bins,
    _refuse_constraints,
    _refuse_drawn_gaps,
    _refuse_forced,
    _refuse_growing_on,
    _refuse_two_weights,
    _refuse_costs,
)
