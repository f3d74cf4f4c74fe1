"""The base learners of an ensemble: trees with its own parameters, or estimators of any package."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.dummy import DummyClassifier

from spinney._base import TableEstimator
from spinney._settings import thread_count
from spinney._table import Column, Schema, encode_table, encode_with
from spinney._table._open import open_table
from spinney.ensemble._routing import metadata_for
from spinney.tree._estimator import TreeClassifier, TreeEstimator

T = TypeVar("T", bound=TreeEstimator)
# What a tree has for itself: the ensemble encodes the table, draws, runs threads, and stops.
OF_THE_ENSEMBLE = {
    "early_stopping",
    "n_iter_no_change",
    "categorical_features",
    "unseen",
    "warm_start",
    "random_state",
    "n_jobs",
    "verbose",
    "shrinkage",
}


def given_learners(ensemble: Any, default: TreeEstimator) -> list[Any]:
    """Return the learners that the parameter `estimator` names; a default tree for None."""
    given = ensemble.estimator
    if given is None:
        return [default]
    learners = list(given) if isinstance(given, list | tuple) else [given]
    for learner in learners:
        _refuse_own_columns(ensemble, learner)
    return learners


def own_tree(ensemble: Any, kind: type[T], **others: Any) -> T:
    """Return an unfitted tree with the parameters that it shares with its ensemble, and others."""
    own = set(vars(ensemble)) - OF_THE_ENSEMBLE
    names = [name for name in kind._get_param_names() if name in own]
    shared = {name: getattr(ensemble, name) for name in names}
    if is_by_member(shared.get("class_weight")):
        shared["class_weight"] = None  # the ensemble sees to it
    return kind(**shared, **others)


def is_by_member(class_weight: Any) -> bool:
    """Return whether classes are balanced within the rows of each member."""
    return isinstance(class_weight, str) and class_weight == "balanced_subsample"


def _refuse_own_columns(ensemble: Any, learner: Any) -> None:
    """Refuse settings of the table that a member has for itself: the table is encoded once."""
    if not isinstance(learner, TableEstimator):
        return
    for name, usual in (("categorical_features", "from_dtype"), ("unseen", "missing")):
        value = getattr(learner, name, usual)
        if repr(value) not in (repr(usual), repr(getattr(ensemble, name))):
            raise ValueError(
                f"estimator has {name}={value!r}, but members share one table. Give {name} to "
                f"{type(ensemble).__name__} instead."
            )
    if getattr(learner, "domains", None) is not None:
        raise ValueError(
            f"estimator has domains={learner.domains!r}, but members share one table. Give the "
            "columns equal categories, or use GPForestClassifier and GPForestRegressor."
        )


def is_class_learner(value: Any) -> bool:
    """Return whether a value is a classifier, and an instance of one."""
    return isinstance(value, BaseEstimator) and bool(is_classifier(value))


def schema_for(learner: Any, X: Any, used: NDArray[np.bool_], owner: str) -> Schema:
    """Return the columns of a table: with their kinds for our own trees, else by name only.

    Parameters
    ----------
    learner : estimator
        What will be trained on rows of the table.
    X : table
        The table of fit.
    used : array of bool of shape (n_rows,)
        Rows of weight above 0.
    owner : str
        The estimator to name in messages.

    Returns
    -------
    Schema
    """
    if isinstance(learner, TableEstimator):
        options = {"categorical_features": learner.categorical_features, "estimator_name": owner}
        return encode_table(X, used_rows=used, **options)[1]
    return schema_by_name(open_table(X, owner))


def schema_by_name(table: Any) -> Schema:
    """Return the columns of an opened table without their kinds, which its learners look at."""
    columns = tuple(Column(label, "numeric") for label in table.names())
    return Schema(columns, table.given_names is not None)


def with_nominal_columns(learner: Any, schema: Schema) -> Any:
    """Fix the nominal columns of our own trees: rows taken from a table may not show them.

    A column of strings of which a learner gets only gaps would count as numeric.
    """
    nominal = [j for j, column in enumerate(schema.columns) if column.kind == "nominal"]
    if not nominal or not isinstance(learner, TableEstimator):
        return learner
    return clone(learner).set_params(categorical_features=nominal)


def new_member(learner: Any, codes: NDArray[Any] | None, seed: int) -> Any:
    """Return an unfitted member for rows of these classes; None for numbers.

    Many classifiers refuse a single class, so `DummyClassifier` stands in for them there.
    """
    member = clone(learner)
    foreign = not isinstance(member, TableEstimator)
    if foreign and codes is not None and (codes == codes[0]).all():
        member = DummyClassifier(strategy="most_frequent")
    names = [name for name in member.get_params() if _is_seed(name)]
    return member.set_params(**dict.fromkeys(names, seed))


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def small_set(codes: NDArray[np.intp]) -> AbstractContextManager[None]:
    """Train on rows of these classes, which may be few of many classes."""
    return few_rows_expected(len(codes) <= 2 * len(np.unique(codes)))


@contextmanager
def few_rows_expected(expected: bool) -> Iterator[None]:
    """Train on few rows of many classes without a warning that y may be no classes at all.

    The whole y has been checked; a part of it may look different. The filter is set once for all
    threads, which share it.
    """
    if not expected:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes is greater")
        yield


def class_codes(
    member: Any, X: Any, classes: NDArray[Any], metadata: Mapping[str, Any]
) -> NDArray[np.intp]:
    """Return what a fitted member predicts for checked rows, as places in `classes`."""
    if isinstance(
        member, TreeClassifier
    ):  # without a second check, and warning, of the columns' names
        values = encode_with(member._schema, X, unseen=member.unseen)
        codes = member.tree_._core.predict_labels(values, thread_count(member.n_jobs))
        labels = member.classes_[codes]
    else:
        labels = member.predict(X, **metadata_for(member, metadata))
    return np.searchsorted(classes, labels)
