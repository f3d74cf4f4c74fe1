"""Validation of the data sets and methods of an experiment."""

import hashlib
import re
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils import _safe_indexing

from spinney._checks import Choice
from spinney._lifetimes import lifetime_array
from spinney._table._cells import CodedLabels, as_label
from spinney._target import check_weights
from spinney.compare._resampling import Part, Resampling
from spinney.datasets import Dataset, load
from spinney.datasets._registry import Task

_METHODS = {
    "classification": "classifier",
    "regression": "regressor",
    "survival": "estimator of lifetime",
}

ROW_FACTS = ("sample_weight", "exposure", "groups")  # that a data set may have beside X and y


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set in an experiment."""

    name: str
    X: Any
    y: NDArray[Any]
    task: Task
    facts: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # by the names in ROW_FACTS

    @property
    def strata(self) -> NDArray[Any]:
        """The class code of each row, or whether it had an event, for stratification."""
        if self.task == "regression":
            return np.zeros(len(self.y), dtype=np.intp)
        if self.task == "survival":
            return np.asarray(self.y["event"], dtype=np.intp)
        codes: NDArray[Any] = np.unique(self.y, return_inverse=True)[1]
        return codes

    @property
    def classes(self) -> tuple[Any, ...]:
        """The distinct labels, sorted; empty for regression and survival."""
        return tuple(np.unique(self.y).tolist()) if self.task == "classification" else ()

    def parts(self, resampling: Resampling, random: np.random.Generator) -> list[Part]:
        """Return training and test rows; those of one group are never in both."""
        groups = self.facts.get("groups")
        if groups is None:
            return resampling.parts(self.strata, random)
        names, of_row = np.unique(groups, return_inverse=True)
        needed = getattr(resampling, "n_splits", 2)
        if len(names) < needed:
            raise ValueError(
                f"the rows of data set {self.name!r} belong to {len(names)} groups, too few for "
                f"{needed} parts. Use fewer folds, or other groups."
            )
        counts = np.zeros((len(names), int(self.strata.max()) + 1), dtype=np.intp)
        np.add.at(counts, (of_row, self.strata), 1)
        rows_of = np.split(np.argsort(of_row, kind="stable"), np.cumsum(counts.sum(axis=1))[:-1])
        return [
            (_joined(rows_of, train), _joined(rows_of, test))
            for train, test in resampling.parts(counts.argmax(axis=1), random)
        ]

    def fit_options(self, model: Any, rows: NDArray[np.intp]) -> dict[str, Any]:
        """Return what `fit` of a model takes besides the table and the target, of some rows."""
        by_groups = hasattr(getattr(model, "cv", None), "split")  # the only use that fit has
        return {
            name: values[rows]
            for name, values in self.facts.items()
            if name != "groups" or by_groups
        }

    def digest(self) -> str:
        """Return a digest of the data."""
        parts = (self.X, self.y, dict(self.facts)) if self.facts else (self.X, self.y)
        return str(joblib.hash(parts, hash_name="sha1"))


def _joined(rows_of: list[NDArray[np.intp]], groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows of some groups, in order; of a group that is there twice, twice."""
    return np.sort(np.concatenate([rows_of[group] for group in groups.tolist()]))


def task_of(method: Any) -> Task:
    """Return the task that an estimator is for."""
    if hasattr(method, "predict_survival_function"):
        return "survival"
    return "regression" if is_regressor(method) else "classification"


def check_problems(datasets: Any, task: Task) -> dict[str, Problem]:
    """Return the data sets by name, after checking them.

    Parameters
    ----------
    datasets : str, Dataset, iterable of these, or mapping
        The data sets of the experiment; a mapping is from a name to (X, y), (X, y, facts) or these.
    task : {"classification", "regression", "survival"}
        What the methods are for.

    Returns
    -------
    dict of str to Problem
    """
    if isinstance(datasets, str | Dataset):
        datasets = [datasets]
    if isinstance(datasets, Mapping):
        pairs = list(datasets.items())
    elif isinstance(datasets, Iterable):
        pairs = [(getattr(given, "name", given), given) for given in datasets]
    else:
        raise ValueError(
            "datasets must be names of bundled sets, Dataset objects or a dict of name to (X, y), "
            f"got {datasets!r}."
        )
    if not pairs:
        raise ValueError("datasets must hold at least one data set, got none.")
    problems: dict[str, Problem] = {}
    for name, given in pairs:
        if not isinstance(name, str) or name in problems:
            raise ValueError(f"datasets must have texts as names, each once, got {name!r}.")
        problems[name] = _problem(name, given, task)
    return problems


def _problem(name: str, given: Any, task: Task) -> Problem:
    if isinstance(given, str):
        given = load(given)
    if isinstance(given, Dataset):
        if given.task != task:
            raise ValueError(
                f"data set {name!r} is for {given.task}, but the methods are {_METHODS[task]}s. "
                "Compare them apart."
            )
        given = given.X, given.y
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise ValueError(
            f"data set {name!r} must be a name, a Dataset, (X, y) or (X, y, facts), got {given!r}."
        )
    X, y = given[0], lifetime_array(given[1]) if task == "survival" else np.asarray(given[1])
    n_rows = _length(next(iter(X.values())) if isinstance(X, Mapping) else X)
    if y.ndim != 1 or len(y) != n_rows:
        raise ValueError(
            f"data set {name!r} has {n_rows} rows but a target of shape {y.shape}. "
            "There must be one value for each row."
        )
    missing = [row for row, value in enumerate(y.tolist()) if as_label(value) is None]
    if missing and task != "survival":
        raise ValueError(f"the target of data set {name!r} is missing in rows {missing[:5]}.")
    facts = _row_facts(name, given[2], n_rows) if len(given) == 3 else {}
    return Problem(name, X, y, task, facts)


def _row_facts(name: str, given: Any, n_rows: int) -> dict[str, NDArray[Any]]:
    """Return weights, exposures and groups, after checking them."""
    if not isinstance(given, Mapping):
        raise ValueError(f"the facts of data set {name!r} must be a dict, got {given!r}.")
    found = {}
    for key, values in given.items():
        Choice(ROW_FACTS).check(f"a fact of data set {name!r}", key)
        found[key] = np.asarray(values)
        if found[key].shape != (n_rows,):
            raise ValueError(
                f"{key} of data set {name!r} must have one value for each of {n_rows} rows, got "
                f"shape {found[key].shape}."
            )
    if "sample_weight" in found:
        found["sample_weight"] = check_weights(found["sample_weight"], n_rows)
    if "groups" in found and any(as_label(value) is None for value in found["groups"].tolist()):
        raise ValueError(f"groups of data set {name!r} must have no missing values.")
    return found


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table of any kind."""
    if isinstance(X, Mapping):
        return {name: _taken(column, rows) for name, column in X.items()}
    if hasattr(X, "column_names") and hasattr(X, "take"):  # of Arrow
        return X.take(rows)
    return _safe_indexing(X, rows)


def _taken(column: Any, rows: NDArray[np.intp]) -> Any:
    return column[rows] if isinstance(column, CodedLabels) else _safe_indexing(column, rows)


def check_methods(methods: Any) -> dict[str, Any]:
    """Return clones of the methods by name; all must be for one task."""
    if not isinstance(methods, Mapping) or not methods:
        raise ValueError(f"methods must be a dict of name to estimator, got {methods!r}.")
    found = {}
    for name, estimator in methods.items():
        if not isinstance(name, str):
            raise ValueError(f"methods must have texts as names, got {name!r}.")
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise ValueError(
                f"method {name!r} must be an estimator such as CARTClassifier(), got {estimator!r}."
            )
        found[name] = clone(estimator)
    tasks = {name: task_of(estimator) for name, estimator in found.items()}
    if len(set(tasks.values())) > 1:
        words = [f"{name!r} ({_METHODS[task]})" for name, task in tasks.items()]
        raise ValueError(f"methods must be all classifiers or all regressors, got {words}.")
    return found


def described(value: Any) -> str:
    """Describe a parameter: equal values have equal texts in every process."""
    if isinstance(value, BaseEstimator):
        pairs = sorted(value.get_params(deep=False).items())
        inner = ", ".join(f"{name}={described(given)}" for name, given in pairs)
        return f"{type(value).__module__}.{type(value).__qualname__}({inner})"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{described(k)}: {described(v)}" for k, v in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, set | frozenset):
        return f"set {sorted(map(described, value))}"
    if isinstance(value, np.ndarray | np.random.RandomState):
        return f"{type(value).__name__} {joblib.hash(value)}"
    if isinstance(value, types.FunctionType):
        digest = hashlib.sha256(repr(_body(value.__code__)).encode()).hexdigest()[:12]
        return f"{value.__module__}.{value.__qualname__} {digest}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def _body(code: types.CodeType) -> tuple[Any, ...]:
    """Return the code of a function, without its location."""
    inner = [_body(c) if isinstance(c, types.CodeType) else described(c) for c in code.co_consts]
    return code.co_code, code.co_names, inner
