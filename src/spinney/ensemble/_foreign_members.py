"""Fitted members of any origin: their input, and their combined predictions.

Our own trees among them predict from the encoded table; all others get rows of the user's table as
they are.
"""

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.dummy import DummyClassifier

from spinney._table import Schema, check_columns, encode_with, feature_names
from spinney._table._open import open_table
from spinney._table._take import as_frame, as_rows, take_columns, take_rows
from spinney._typing import Floats
from spinney.ensemble._routing import Metadata, metadata_for
from spinney.ensemble._voting_members import codes_of
from spinney.tree._estimator import is_own_tree

Places = NDArray[np.intp]
_NAMES = "X (does not have valid feature names|has feature names)"


@dataclass(frozen=True)
class TableRows:
    """TableRows of a table: as the user has them, and encoded if some member is a tree of ours."""

    table: Any
    values: Floats | None
    n_rows: int
    odd_names: bool = False  # names where fit had none, or none where it had some
    metadata: Metadata = ()

    def take(self, places: Places) -> "TableRows":
        """Return some of the rows, in the given order."""
        values = None if self.values is None else self.values[places]
        return TableRows(take_rows(self.table, places), values, len(places), self.odd_names)

    def of_member(self, i: int) -> "TableRows":
        """Return the rows with the metadata of one member only; members take learners in turn."""
        if not self.metadata:
            return self
        return replace(self, metadata=[self.metadata[i % len(self.metadata)]])

    def for_learner(self, learner: Any, features: NDArray[np.int32]) -> Any:
        """Return what a learner takes: some columns, or all if none are named."""
        if not is_own_tree(learner):
            return take_columns(self.table, features) if len(features) else self.table
        assert self.values is not None
        return self.values[:, features] if len(features) else self.values


def open_rows(schema: Schema, X: Any, *, encoded: bool, unseen: Any, owner: str) -> TableRows:
    """Check a table against the columns of fit.

    Parameters
    ----------
    schema : Schema
        The columns of fit.
    X : table
        Of any kind that `spinney._table.encode_table` takes.
    encoded : bool
        Whether some member needs the encoded table.
    unseen : {"missing", "error"}
        What to do with categories that fit did not see.
    owner : str
        The estimator to name in messages.

    Returns
    -------
    TableRows
    """
    n_rows = open_table(X, owner).shape[0]
    odd_names = (feature_names(X) is not None) != schema.has_names
    values = None
    if encoded:
        values = encode_with(schema, X, unseen=unseen, estimator_name=owner)
    else:
        check_columns(schema, as_rows(X), estimator_name=owner)
    return TableRows(as_frame(as_rows(X)), values, n_rows, odd_names)


@dataclass(frozen=True)
class Member:
    """A fitted learner, the columns that it uses, and the groups of classes that it separates.

    An empty list of columns means all, no groups mean the classes themselves.
    """

    estimator: Any
    features: NDArray[np.int32]
    groups: tuple[int, ...] = ()

    def numbers(self, rows: TableRows) -> Floats:
        """Return a number a row."""
        if is_own_tree(self.estimator):
            X = rows.for_learner(self.estimator, self.features)
            means: Floats = self.estimator.tree_._core.predict_values(X, 1)[:, 0]
            return means
        return self._one_a_row(self._predict("predict", rows).astype(np.float64), rows)

    def codes(self, rows: TableRows, classes: NDArray[Any]) -> Places:
        """Return a class a row, as its place among the classes, or a group."""
        known = np.arange(2) if self.groups else classes
        if is_own_tree(self.estimator):
            X = rows.for_learner(self.estimator, self.features)
            labels = self.estimator.tree_._core.predict_labels(X, 1)
            return np.asarray(np.searchsorted(known, self.estimator.classes_)[labels])
        labels = self._one_a_row(self._predict("predict", rows), rows)
        codes = codes_of(labels, _places(known))
        if len(codes) and codes.min() < 0:
            raise ValueError(
                f"{type(self.estimator).__name__} predicts {labels[int(codes.argmin())]!r}, which "
                "is none of the labels that it was trained on. A member must predict labels."
            )
        return codes

    def shares(self, rows: TableRows, classes: NDArray[Any]) -> Floats:
        """Return the probability of each class (or group) in each row."""
        known = np.arange(2) if self.groups else classes
        shares = np.zeros((rows.n_rows, len(known)))
        if is_own_tree(self.estimator):
            X = rows.for_learner(self.estimator, self.features)
            found = self.estimator.tree_._core.predict_values(X, 1)
        elif hasattr(self.estimator, "predict_proba"):
            found = self._predict("predict_proba", rows)
        else:
            shares[np.arange(rows.n_rows), self.codes(rows, classes)] = 1.0
            return shares
        places = codes_of(np.asarray(self.estimator.classes_), _places(known))
        shares[:, places[places >= 0]] = found[:, places >= 0]
        return shares

    def decisions(self, rows: TableRows, classes: NDArray[Any]) -> Floats:
        """Return the decision function: a column a class, or one number a row for two classes."""
        if self.groups or not np.array_equal(getattr(self.estimator, "classes_", ()), classes):
            raise ValueError(
                f"a {type(self.estimator).__name__} was trained on other classes than y has, so "
                "decision functions cannot be averaged. Use predict_proba."
            )
        return self._predict("decision_function", rows)

    def _predict(self, method: str, rows: TableRows) -> NDArray[Any]:
        """Return the result of a method of a learner from another package."""
        given = rows.metadata[0].get(method, {}) if rows.metadata else {}
        X = rows.for_learner(self.estimator, self.features)
        answer = getattr(self.estimator, method)(X, **metadata_for(self.estimator, given))
        return np.asarray(answer)

    def _one_a_row(self, answers: NDArray[Any], rows: TableRows) -> NDArray[Any]:
        if answers.size != rows.n_rows:
            raise ValueError(
                f"{type(self.estimator).__name__} predicts an array of shape {answers.shape} for "
                f"{rows.n_rows} rows. A member must predict one value a row."
            )
        return answers.reshape(-1)

    def answers(self, rows: TableRows, classes: NDArray[Any] | None) -> Floats:
        """Return a class code (or group), or a number, a row."""
        if classes is None:
            return self.numbers(rows)
        return self.codes(rows, classes).astype(np.float64)

    def counted(self, rows: TableRows, classes: NDArray[Any] | None, vote: bool) -> Floats:
        """Return the answers as they are added up: a column a class, or one of numbers."""
        if classes is None:
            return self.numbers(rows)[:, np.newaxis]
        if vote:
            counted: Floats = np.eye(2 if self.groups else len(classes))[self.codes(rows, classes)]
        else:
            counted = self.shares(rows, classes)
        if not self.groups:
            return counted
        group = np.array(self.groups)
        size = np.ones(2) if vote else np.bincount(group, minlength=2).astype(np.float64)
        return np.asarray((counted / size)[:, group])

    def importances(self, n_features: int) -> Floats:
        """Return the importance of each column; 0 for those that the member does not use."""
        spread = np.zeros(n_features)
        if isinstance(self.estimator, DummyClassifier):  # stands in where there is one class
            return spread
        try:
            own = np.asarray(self.estimator.feature_importances_, dtype=np.float64)
        except AttributeError:
            raise AttributeError(
                f"members that are a {type(self.estimator).__name__} have no feature_importances_. "
                "Use sklearn.inspection.permutation_importance."
            ) from None
        spread[self.features if len(self.features) else slice(None)] = own
        return spread


class ForeignMembers:
    """The members of a fitted ensemble, whatever package they are from.

    Parameters
    ----------
    members : list of Member
        The members.
    schema : Schema
        The columns of fit.
    classes : array of shape (n_classes,) or None
        The labels; None for regression.
    unseen : {"missing", "error"}
        What trees of ours do with categories that fit did not see.
    """

    def __init__(
        self, members: list[Member], schema: Schema, classes: NDArray[Any] | None, unseen: Any
    ) -> None:
        self.members = members
        self.schema = schema
        self.classes = classes
        self.unseen = unseen

    cost_matrix = None  # members have no cost matrix of their own

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"ForeignMembers({len(self)} members)"

    @property
    def estimators(self) -> list[Any]:
        """The members as fitted estimators."""
        return [member.estimator for member in self.members]

    def features(self, i: int) -> NDArray[np.int32]:
        """Return the places of the columns that a member uses."""
        known = self.members[i].features
        return known if len(known) else np.arange(len(self.schema.columns), dtype=np.int32)

    def groups(self, i: int) -> tuple[int, ...]:
        """Return which of two groups each class belongs to in a member; empty if classes are."""
        return self.members[i].groups

    def joined(self, other: "ForeignMembers") -> "ForeignMembers":
        """Return the members of both."""
        return ForeignMembers(self.members + other.members, self.schema, self.classes, self.unseen)

    # -- TableRows to answers

    def rows(self, X: Any, owner_name: str, metadata: Metadata = ()) -> TableRows:
        """Check a table and return its rows as members take them."""
        encoded = any(is_own_tree(member.estimator) for member in self.members)
        rows = open_rows(self.schema, X, encoded=encoded, unseen=self.unseen, owner=owner_name)
        return replace(rows, metadata=metadata)

    def sums(
        self, rows: TableRows, members: NDArray[Any], weights: Floats, vote: bool, n_threads: int
    ) -> Floats:
        """Return the weighted answers of some members, added up: votes, class shares or numbers."""
        total = np.zeros((rows.n_rows, 1 if self.classes is None else len(self.classes)))
        tasks = [(self.members[i], rows.of_member(i), self.classes, vote) for i in members.tolist()]
        n_threads = min(n_threads, max(1, len(tasks)))
        with _known_names(rows), closing(run_all(Member.counted, tasks, n_threads)) as results:
            for place, counted in enumerate(results):
                with np.errstate(over="ignore"):  # who cares looks at the sum
                    total += counted * (weights[place] if len(weights) else 1.0)
        return total

    def answers(self, rows: TableRows, members: NDArray[Any], n_threads: int) -> Floats:
        """Return the class codes (or groups), or the numbers, of some members: one row a member."""
        out = np.empty((len(members), rows.n_rows))
        tasks = [(self.members[i], rows.of_member(i), self.classes) for i in members.tolist()]
        with _known_names(rows), closing(run_all(Member.answers, tasks, n_threads)) as results:
            for place, answers in enumerate(results):
                out[place] = answers
        return out

    def decisions(self, rows: TableRows, members: NDArray[Any], n_threads: int) -> Floats:
        """Return the mean of the decision functions of some members."""
        tasks = [(self.members[i], rows.of_member(i), self.classes) for i in members.tolist()]
        with _known_names(rows), closing(run_all(Member.decisions, tasks, n_threads)) as results:
            return np.asarray(sum(results) / len(tasks))

    def importances(self, i: int) -> Floats:
        """Return a member's feature importances, by column of the table."""
        return self.members[i].importances(len(self.schema.columns))


def _places(labels: NDArray[Any]) -> dict[Any, int]:
    return {label: place for place, label in enumerate(labels.tolist())}


@contextmanager
def _known_names(rows: TableRows) -> Iterator[None]:
    """Keep members from saying again that the names of the columns are not those of fit."""
    if not rows.odd_names:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_NAMES)
        yield


def run_all(
    work: Callable[..., Any], tasks: Iterable[Any], n_threads: int
) -> Generator[Any, None, None]:
    """Run a function on each tuple of arguments, and yield what it returns, in their order.

    By threads, unless the user's `joblib.parallel_config` names another backend. Who does not wait
    for all results closes the generator.
    """
    # One thread is the default of both, so that the user's number of workers counts too.
    options = {"n_jobs": None if n_threads == 1 else n_threads, "prefer": "threads"}
    config = get_config()  # of the calling thread only
    jobs = (joblib.delayed(_configured)(config, work, *task) for task in tasks)
    try:
        workers = joblib.Parallel(return_as="generator", **options)
    except ValueError:  # a backend that gives all results at once
        yield from joblib.Parallel(**options)(jobs)
        return
    results = workers(jobs)
    try:
        for result in results:  # noqa: UP028 -- yield from would close them with a warning
            yield result
    except BaseException:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib tells of work that nobody waits for
            results.close()
        raise


def _configured(config: dict[str, Any], work: Callable[..., Any], *task: Any) -> Any:
    with config_context(**config):
        return work(*task)
