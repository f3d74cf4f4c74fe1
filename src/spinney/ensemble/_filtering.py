"""Boosting by filtering: three learners, the later two on rows that the earlier ones find hard.

The rows pass once, in random order, as a stream::

    [ learner 1 | half wrong, half right by learner 1 | where learners 1 and 2 disagree ]
      size        at most half of the rest               what is left

A row is taken at most once; one that a filter does not take is gone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from spinney._base import (
    TABLE_FIELDS,
    check_table,
    refuse_too_many_cells,
    remember_fit,
    unchanged_on_failure,
)
from spinney._checks import Check
from spinney._params import Learner, check_parameters
from spinney._progress import CallbackMixin, progress
from spinney._settings import random_numbers, row_count
from spinney._state import plain_state
from spinney._state._kinds import PLACES, TEXT, Kind, many, need, one
from spinney._table import check_columns
from spinney._table._open import open_table
from spinney._table._take import as_rows, take_rows
from spinney._target import check_weights, class_target
from spinney._typing import Floats
from spinney.ensemble._base_learners import (
    class_codes,
    is_class_learner,
    new_member,
    schema_for,
    small_set,
    with_nominal_columns,
)
from spinney.ensemble._routing import (
    FitMetadata,
    Metadata,
    get_metadata_routing,
    metadata_for,
    predict_of_member,
    route,
)
from spinney.ensemble._voting_members import check_member_classes
from spinney.tree import CARTClassifier

Codes = NDArray[np.intp]
Places = NDArray[np.intp]  # rows of the table of fit


@dataclass(frozen=True)
class Stream:
    """Checked input of a fit: the rows in the order in which they pass."""

    rows: Any
    codes: Codes
    weight: Floats | None  # None: learners get none
    metadata: FitMetadata
    order: Places
    coins: NDArray[np.bool_]  # heads: the next row of learner 2 is one that learner 1 gets wrong
    seeds: NDArray[np.int64]
    size: int  # of learner 1's sample, and the most that the others get


@plain_state
class BoostByFilteringClassifier(CallbackMixin, ClassifierMixin, BaseEstimator):
    """Schapire's boosting by filtering: three learners, trained on filtered rows, vote.

    Learner 1 is trained on a random sample. For learner 2 a coin is tossed: heads takes the next
    row that learner 1 gets wrong, tails the next that it gets right, so that learner 1 is of no use
    on them. Learner 3 is trained on rows where the first two disagree. The prediction is that of
    learners 1 and 2 if they agree, else that of learner 3.

    The rows pass once, in random order, and each is used at most once: the method needs many rows.
    Learner 2 may read half of what learner 1 left; learner 3 has the rest. A learner's set ends
    when it has `sample_size` rows, or when no row is left that it needs.

    If the rows do not last for three learners, learner 1 stands alone, since no second learner
    could outvote it, and `outcome_` gives the reason. More than two classes work in the same way,
    but only for two classes does theory promise that the vote is better than its learners.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner: any scikit-learn classifier or pipeline. It is given rows of the table as it
        is. None for a `CARTClassifier` without surrogates that is just deep enough to name every
        class: for two classes a stump. A classifier of another package that would get rows of a
        single class is replaced by scikit-learn's `DummyClassifier`.
    sample_size : int, float or None, default=None
        Rows of learner 1, and the most that the other two get; a float is a share of the rows. None
        for a third of the rows.
    random_state : int, RandomState or None, default=None
        Random seed of the order of the rows, of the coin, and of learners that are random.
    verbose : int, default=0
        1 shows progress: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    estimators_ : list of classifiers
        The three learners, or learner 1 alone.
    sample_indices_ : list of arrays
        For each learner the rows that it was trained on, in the order in which they passed.
    outcome_ : str
        "boosted": three learners vote. Otherwise learner 1 stands alone, because of "no_errors" (it
        got all rows right that learner 2 could have had), "no_disagreement" (learners 1 and 2 agree
        on all that was left) or "too_few_rows" (none were left).

    References
    ----------
    Schapire (1990). The strength of weak learnability. Machine Learning 5, 197-227.

    Examples
    --------
    >>> from spinney import BoostByFilteringClassifier
    >>> from spinney.datasets import load_german_credit
    >>> data = load_german_credit()
    >>> model = BoostByFilteringClassifier(random_state=0).fit(data.X, data.y)
    >>> [len(rows) for rows in model.sample_indices_]
    [333, 216, 188]
    """

    _parameters: ClassVar[Mapping[str, Check]] = {"estimator": Learner("classifier", several=False)}
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        **TABLE_FIELDS,
        "outcome_": TEXT,
        "estimators_": many(one(BaseEstimator)),
        "sample_indices_": many(PLACES),
    }

    def _check_state(self) -> None:
        """Refuse attributes, of a model file, that do not fit together."""
        check_table(self)
        n = len(self.estimators_)
        need(n in (1, 3) and len(self.sample_indices_) == n, self, "it must have 1 or 3 members")
        check_member_classes(self, self.estimators_)

    def __init__(
        self,
        estimator: Any = None,
        *,
        sample_size: int | float | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.sample_size = sample_size
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Train the three learners.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays,
            as far as the learner takes them.
        y : array of shape (n_rows,)
            The classes.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent. A learner that takes no weights
            is given rows that were drawn instead: each stays in the stream with a chance
            proportional to its weight.
        **params : dict
            Metadata for the fit of learners from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        self
        """
        check_parameters(self)
        with unchanged_on_failure(self):
            refuse_too_many_cells(X)
            shape = open_table(X, type(self).__name__).shape
            weight = check_weights(sample_weight, shape[0])
            target = class_target(y, weight, estimator_name=type(self).__name__)
            learner = self._learner(len(target.classes))
            schema = schema_for(learner, X, weight > 0, type(self).__name__)
            given = None if sample_weight is None else weight
            own = [one.get("fit", {}) for one in route(self, "fit", params)]
            metadata = FitMetadata(own[0] if own else {}, len(weight), np.arange(len(weight)))
            stream = self._stream(as_rows(X), target.truth, weight > 0, given, learner, metadata)
            remember_fit(self, schema, target.classes)
            with progress(self, "boosting by filtering", 3, X=X, y=y) as finished:
                self._boost(with_nominal_columns(learner, schema), stream, finished)
        return self

    # -- The steps of fit

    def _learner(self, n_classes: int) -> Any:
        """Return the learner, unfitted."""
        if self.estimator is None:
            depth = max(1, int(np.ceil(np.log2(n_classes))))
            return CARTClassifier(max_depth=depth, max_surrogates=0)
        if not is_class_learner(self.estimator):
            raise ValueError(
                f"estimator must be a classifier, got {self.estimator!r}. Give an instance such as "
                "CARTClassifier(max_depth=2), or None for a small tree."
            )
        return self.estimator

    def _stream(
        self,
        rows: Any,
        codes: Codes,
        used: NDArray[np.bool_],
        weight: Floats | None,
        learner: Any,
        metadata: FitMetadata,
    ) -> Stream:
        """Draw everything that is random."""
        random = random_numbers(self.random_state)
        places = np.flatnonzero(used)
        order = places[random.permutation(len(places))]
        coins = random.random_sample(len(places)) < 0.5
        seeds = random.randint(np.iinfo(np.int32).max, size=3)
        if weight is not None:
            weight = weight / weight.max()
            if not has_fit_parameter(learner, "sample_weight"):
                order = order[random.random_sample(len(order)) < weight[order]]
                weight = None
        size = self._size(len(order))
        return Stream(rows, codes, weight, metadata, order, coins, seeds, size)

    def _size(self, n_rows: int) -> int:
        if self.sample_size is None:
            return max(1, n_rows // 3)
        size = row_count(self.sample_size, 1, n_rows)
        if n_rows >= 3 and size > n_rows - 2:  # fewer are too few in any case
            raise ValueError(
                f"sample_size={self.sample_size!r} leaves no rows for learners 2 and 3: there "
                f"are {n_rows} rows. Use sample_size=None for a third of them."
            )
        return size

    def _boost(self, learner: Any, stream: Stream, finished: Any) -> None:
        """Let the rows pass, and train a learner on what each filter takes."""
        taken = [stream.order[: stream.size]]
        members = [self._train(learner, stream, 0, taken[0])]
        finished(1)
        self.outcome_ = self._filter(learner, stream, members, taken, finished)
        n_members = 3 if self.outcome_ == "boosted" else 1
        self.estimators_, self.sample_indices_ = members[:n_members], taken[:n_members]

    def _filter(
        self, learner: Any, stream: Stream, members: list[Any], taken: list[Places], finished: Any
    ) -> str:
        """Add learners 2 and 3, as far as there are rows for them; return how it ended."""
        order, size = stream.order, stream.size
        part = order[size : size + (len(order) - size) // 2]
        if not len(part):
            return "too_few_rows"
        wrong = self._codes(members[0], take_rows(stream.rows, part)) != stream.codes[part]
        if not wrong.any():
            return "no_errors"
        chosen, n_read = half_wrong(wrong, stream.coins, size)
        taken.append(part[chosen])
        members.append(self._train(learner, stream, 1, part[chosen], wrong[chosen]))
        finished(2)
        rest = order[size + n_read :]
        table = take_rows(stream.rows, rest)
        differ = self._codes(members[0], table) != self._codes(members[1], table)
        if not differ.any():
            return "no_disagreement"
        taken.append(rest[differ][:size])
        members.append(self._train(learner, stream, 2, taken[2]))
        finished(3)
        return "boosted"

    def _train(
        self,
        learner: Any,
        stream: Stream,
        number: int,
        places: Places,
        wrong: NDArray[np.bool_] | None = None,
    ) -> Any:
        """Train one learner on some rows."""
        codes = stream.codes[places]
        member = new_member(learner, codes, int(stream.seeds[number]))
        extra = dict(metadata_for(member, stream.metadata.take(places)))
        if stream.weight is not None:
            extra["sample_weight"] = balanced(stream.weight[places], wrong)
        with small_set(codes):
            member.fit(take_rows(stream.rows, places), self.classes_[codes], **extra)
        return member

    # -- Answers

    _callee = predict_of_member
    get_metadata_routing = get_metadata_routing

    def _codes(self, member: Any, X: Any, metadata: Metadata = ()) -> Codes:
        given = metadata[0].get("predict", {}) if metadata else {}
        return class_codes(member, X, self.classes_, given)

    def _answers(self, X: Any, metadata: Metadata = ()) -> list[Codes]:
        """Check a table and return the predictions of each learner."""
        check_is_fitted(self)
        open_table(X, type(self).__name__)
        rows = as_rows(X)
        check_columns(self._schema, rows, estimator_name=type(self).__name__)
        return [self._codes(member, rows, metadata) for member in self.estimators_]

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the class on which learners 1 and 2 agree, else that of learner 3.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for learners from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows,)
        """
        decision = decided(self._answers(X, route(self, "predict", params)))
        labels: NDArray[Any] = self.classes_[decision]
        return labels

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """Return the shares of the votes.

        Where all three predict different classes, learner 3 decides: its vote counts twice.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for learners from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        return self._shares(self._answers(X, route(self, "predict_proba", params)))

    def _shares(self, answers: list[Codes]) -> Floats:
        votes: Floats = np.eye(len(self.classes_))[np.array(answers)].sum(axis=0)
        if len(answers) == 3:
            tied = np.flatnonzero(votes.max(axis=1) == 1.0)
            votes[tied, answers[2][tied]] += 1.0
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Return predictions of the first learner, the first two, and all three.

        Two learners predict as learner 1 alone: learner 2 cannot outvote it.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows,)
        """
        answers = self._answers(X)
        for n_members in range(1, len(answers) + 1):
            yield self.classes_[decided(answers[:n_members])]

    def predict_log_proba(self, X: Any, **params: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for learners from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        answers = self._answers(X, route(self, "predict_log_proba", params))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._shares(answers)))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            The true classes.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Yields
        ------
        float
        """
        from sklearn.metrics import accuracy_score  # here: it takes long to import

        for labels in self.staged_predict(X):
            yield float(accuracy_score(y, labels, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learner = CARTClassifier() if self.estimator is None else self.estimator
        tags.input_tags.allow_nan = (
            is_class_learner(learner) and get_tags(learner).input_tags.allow_nan
        )
        return tags


def decided(answers: list[Codes]) -> Codes:
    """Return the decision of one, two or three learners."""
    if len(answers) < 3:
        return answers[0]
    first, second, third = answers
    return np.where(first == second, first, third)


def half_wrong(wrong: NDArray[np.bool_], coins: NDArray[np.bool_], most: int) -> tuple[Places, int]:
    """Toss a coin for each row of learner 2: take the next that is wrong, or the next right one.

    A row that is passed over waits for a coin of its side. The set ends when it has `most`
    rows, or when the rows of a coin's side are used up. If none is right, all rows are taken.

    Parameters
    ----------
    wrong : array of bool
        What learner 1 gets wrong, in the order of the stream; at least one.
    coins : array of bool
        Heads; at least as many as rows.
    most : int
        Rows to take at most.

    Returns
    -------
    chosen : array of int
        Places in `wrong`, ascending.
    n_read : int
        How far the stream has been read.
    """
    heads = coins[: min(most, len(wrong))]
    if wrong.all():
        return np.arange(len(heads)), len(heads)
    kinds = np.flatnonzero(~wrong), np.flatnonzero(wrong)
    wanted = np.where(
        heads, np.cumsum(heads), np.cumsum(~heads)
    )  # the first, second, ... of a kind
    used_up = wanted > np.where(heads, len(kinds[1]), len(kinds[0]))
    ended = bool(used_up.any())
    heads = heads[: np.argmax(used_up)] if ended else heads
    n_heads = int(heads.sum())
    chosen = np.sort(np.r_[kinds[1][:n_heads], kinds[0][: len(heads) - n_heads]])
    return chosen, len(wrong) if ended else int(chosen[-1]) + 1


def balanced(weight: Floats, wrong: NDArray[np.bool_] | None) -> Floats:
    """Return weights that add up to the number of rows, among wrong rows as among right ones.

    The coin has made them halves already; weights only differ within a half.
    """
    groups = [np.ones(len(weight), bool)] if wrong is None else [wrong, ~wrong]
    balanced = weight.copy()
    for group in groups:
        if group.any():
            balanced[group] = weight[group] / weight[group].mean()
    return balanced
