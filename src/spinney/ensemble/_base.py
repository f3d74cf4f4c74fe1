"""What all ensembles share: fit in named steps, members that answer together.

An ensemble is four choices: what each member sees of the data (`_sampling`), the learner
(`_lesson`), which members stay (`_selection`), and how their answers are combined (`_answers`).
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from spinney._callbacks import CallbackMixin
from spinney._choices import check_choice, check_flag, check_integer
from spinney._estimator import FitTarget, TableEstimator, remember_table, unchanged_on_failure
from spinney._params import check_parameters
from spinney._settings import thread_count
from spinney.ensemble._lesson import TreeLesson, tree_lesson
from spinney.ensemble._outside import OutsideLesson, Outsiders, outside_lesson
from spinney.ensemble._progress import progress
from spinney.ensemble._view import Forest
from spinney.tree._base import BaseTree

Floats = NDArray[np.float64]
_EQUAL = np.zeros(0)  # weights of members that all count the same


class BaseEnsemble(CallbackMixin, TableEstimator):
    """Members that answer together."""

    _committee: Any
    _lessons: list[tuple[int, list[Any]]]  # learners by the first member that they taught
    _words = "growing trees"
    _by_column = False  # whether members ask few columns of all rows

    @abstractmethod
    def _default_learner(self) -> BaseTree:
        """Return the learner for `estimator=None`."""

    @abstractmethod
    def _train(self, lesson: Any, finished: Any) -> None:
        """Train the members, and remember them."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the members, and choose those that answer.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays.
            Strings and categoricals are used as they are; NaN, None and NA are missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent.

        Returns
        -------
        self
        """
        check_parameters(self)
        with unchanged_on_failure(self):
            self._check_answering()
            n_members = self._n_members()
            start = len(self._committee) if self._goes_on() else 0
            lesson = self._lesson(X, y, sample_weight)
            words = self._words if isinstance(lesson, TreeLesson) else "training members"
            with progress(self, words, n_members, start=start, X=X, y=y) as finished:
                self._train(lesson, finished)
        return self

    # -- The steps of fit

    def _check_answering(self) -> None:
        """Check what predictions will need."""
        check_choice("unseen", self.unseen, ("missing", "error"))

    def _goes_on(self) -> bool:
        return check_flag("warm_start", self.warm_start) and "_committee" in vars(self)

    def _n_members(self) -> int:
        remedy = "An ensemble needs members."
        n_members = check_integer("n_estimators", self.n_estimators, low=1, remedy=remedy)
        if self._goes_on() and n_members < len(self._committee):
            raise ValueError(
                f"n_estimators={self.n_estimators!r} is less than the {len(self._committee)} "
                "members that warm_start goes on from. Use a larger one, or warm_start=False."
            )
        return n_members

    def _learners(self) -> list[Any]:
        """Return the learners that members take in turn."""
        given = self.estimator
        if given is None:
            return [self._default_learner()]
        learners = list(given) if isinstance(given, list | tuple) else [given]
        is_kind, kind = (
            (is_classifier, "classifier") if is_classifier(self) else (is_regressor, "regressor")
        )
        for learner in learners:
            if not isinstance(learner, BaseEstimator) or not is_kind(learner):
                raise ValueError(
                    f"estimator must be a {kind}, or a list of them, got {learner!r}. Give "
                    "instances, not classes, or None for a tree."
                )
            self._refuse_own_columns(learner)
        if not learners:
            raise ValueError("estimator must not be an empty list. Use None for a tree.")
        return learners

    def _refuse_own_columns(self, learner: Any) -> None:
        """Refuse settings of the table that a member has for itself: the table is encoded once."""
        if not isinstance(learner, TableEstimator):
            return
        for name, usual in (("categorical_features", "from_dtype"), ("unseen", "missing")):
            value = getattr(learner, name, usual)
            if repr(value) not in (repr(usual), repr(getattr(self, name))):
                raise ValueError(
                    f"estimator has {name}={value!r}, but members share one table. Give {name} to "
                    f"{type(self).__name__} instead."
                )
        if getattr(learner, "domains", None) is not None:
            raise ValueError(
                f"estimator has domains={learner.domains!r}, but members share one table. Give the "
                "columns equal categories, or use GPForestClassifier and GPForestRegressor."
            )

    def _lesson(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Encode table and target once for all members."""
        learners = self._learners()
        if not all(isinstance(learner, BaseTree) for learner in learners):
            lesson: Any = outside_lesson(self, learners, X, y, sample_weight)
        else:
            self._taught = learners
            values, schema, target = self._encode(X, y, sample_weight)
            if self._by_column:
                values = np.asfortranarray(values)
            targets = [target] + [one._encode_target(y, target.weight) for one in learners[1:]]
            lesson = tree_lesson(
                learners, values, schema, targets, getattr(self, "n_best_splits", 1)
            )
        if self._goes_on():
            self._check_continuation(lesson)
        return lesson

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        target: FitTarget = self._taught[0]._encode_target(y, weight)
        return target

    def _counts_weight(self) -> bool:
        return any(learner._counts_weight() for learner in self._taught)

    def _check_continuation(self, lesson: Any) -> None:
        classes = lesson.target.classes
        if classes is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start needs the classes of the first fit, {self.classes_.tolist()}, but y "
                f"has {classes.tolist()}. Use warm_start=False."
            )
        if isinstance(lesson, OutsideLesson) is isinstance(self._committee, Forest):
            raise ValueError("warm_start needs the estimator of the first fit, or one like it.")

    def _remember_members(self, lesson: Any, members: Any) -> None:
        """Forget the last fit, and keep the members."""
        first = len(self._committee) if self._goes_on() else 0
        before = self._lessons if first else []
        remember_table(self, lesson.schema, lesson.target.classes)
        self._taught = lesson.learners
        self._lessons = [*before, (first, lesson.learners)]
        self._committee = members
        if isinstance(members, Forest):
            self.forest_ = members

    # -- Members that answer

    @property
    def estimators_(self) -> list[Any]:
        """All members as fitted estimators, those that do not answer included."""
        check_is_fitted(self)
        if isinstance(self._committee, Outsiders):
            return list(self._committee.estimators)
        return [clone(self._learner_of(i))._adopt(tree) for i, tree in enumerate(self._committee)]

    def _learner_of(self, i: int) -> Any:
        """Return the learner of a member; a warm start may have brought others."""
        learners = next(own for first, own in reversed(self._lessons) if first <= i)
        return learners[i % len(learners)]

    @property
    def estimators_features_(self) -> list[NDArray[np.int64]]:
        """The columns that each of `estimators_` takes: all of them, but for foreign learners."""
        check_is_fitted(self)
        everything = np.arange(self.n_features_in_)
        if isinstance(self._committee, Outsiders):
            own = [self._committee.features(i) for i in range(len(self._committee))]
            return [features.astype(np.int64) for features in own]
        return [everything for _ in range(len(self._committee))]

    def _members(self) -> NDArray[np.int64]:
        """Return the places of the members that answer."""
        return np.arange(len(self._committee), dtype=np.int64)

    def _weights(self) -> Floats:
        """Return what the answers of these members count for; empty if all count the same."""
        return _EQUAL

    def _asked(self, X: Any) -> Any:
        """Check a table and return its rows as members take them."""
        if "_committee" not in vars(self):
            check_is_fitted(self)
        if isinstance(self._committee, Outsiders):
            return self._committee.rows(X, type(self).__name__)
        return self._rows(X)

    def _sums(self, X: Any, vote: bool) -> Floats:
        """Return the answers of the members, added up."""
        rows, n_threads = self._asked(X), thread_count(self.n_jobs)
        sums: Floats = self._committee.sums(rows, self._members(), self._weights(), vote, n_threads)
        return sums

    def _staged_sums(self, X: Any, vote: bool) -> Iterator[tuple[int, Floats]]:
        """Yield the number of members so far and the sum of their answers."""
        rows, n_threads = self._asked(X), thread_count(self.n_jobs)
        members, weights = self._members(), self._weights()
        total: Floats | None = None
        for n in range(len(members)):
            one = self._committee.sums(
                rows, members[n : n + 1], weights[n : n + 1], vote, n_threads
            )
            with np.errstate(over="ignore"):  # who cares looks at the sum
                total = one if total is None else total + one
            yield n + 1, total

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of every member that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_members)
        """
        rows = self._asked(X)
        if not isinstance(self._committee, Forest):
            raise TypeError("apply needs members that are trees of this package.")
        return self._committee._core.apply(rows, thread_count(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = getattr(self, "estimator", None)
        learners = given if isinstance(given, list | tuple) else [given]
        tags.input_tags.allow_nan = all(
            get_tags(one).input_tags.allow_nan for one in learners if isinstance(one, BaseEstimator)
        )
        return tags

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity that the members' tests remove, on average."""
        check_is_fitted(self)
        members, weights = self._members(), self._weights()
        if not len(weights):
            weights = np.ones(len(members))
        weighted = [
            weight * self._committee.importances(member)
            for member, weight in zip(members.tolist(), weights.tolist(), strict=True)
        ]
        total: Floats = np.sum(weighted, axis=0)
        return total / total.sum() if total.sum() > 0 else total
