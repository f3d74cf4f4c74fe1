"""Base classes of ensembles: one template of fit, and members that answer together.

An ensemble has a trainer (`_trainer`, or `_foreign_trainer` for members of other packages), draws
what each member sees (`_sampling`), may select members (`_selection`), and combines their answers
(`_combine`).
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    clone,
)
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from spinney._base import TableEstimator, encode_training, remember_fit, unchanged_on_failure
from spinney._counts import DEVIANCES, judge_name, number_score, with_exposure
from spinney._params import check_parameters
from spinney._progress import CallbackMixin, progress
from spinney._settings import thread_count
from spinney._state._kinds import Kind, many, need, one, row, same_labels, whole
from spinney._typing import Floats
from spinney.ensemble._combine import ClassCombiner, weighted_median
from spinney.ensemble._distil import distil, distil_rules
from spinney.ensemble._foreign_members import ForeignMembers
from spinney.ensemble._foreign_trainer import ForeignTrainer, foreign_trainer
from spinney.ensemble._forest import Forest
from spinney.ensemble._routing import Metadata, learners_of, route, routing_of
from spinney.ensemble._trainer import TreeTrainer, tree_trainer
from spinney.shapley._additive import Additive, Shown
from spinney.shapley._explained import (
    EXPECTED,
    ExpectedValue,
    Explainer,
    explainer_of,
    reasons,
    shap_explanation,
    shap_interaction_values,
    shap_values,
)
from spinney.tree._estimator import TreeEstimator, counts_weight, is_own_tree
from spinney.tree._shrinkage import is_fixed

Finished = Callable[[int], bool]
T = TypeVar("T", bound=TreeEstimator)
_EQUAL = np.zeros(0)  # weights of members that all count the same
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


class BaseEnsemble(CallbackMixin, TableEstimator):
    """Base class of ensembles."""

    n_best_splits, warm_start = 1, False  # of ensembles without the parameter
    _members: Forest | ForeignMembers
    _learner_runs: list[tuple[int, list[Any]]]  # learners by the first member that they trained
    _task = "growing trees"
    _by_column = False  # whether members read few columns of all rows

    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_learner_runs": many(row(whole(), many(one(BaseEstimator)))),
        "_members": one(Forest, ForeignMembers),
    }
    _made_again: ClassVar[tuple[str, ...]] = ("forest_", "_estimators", EXPECTED)

    def _check_state(self) -> None:
        super()._check_state()
        self._check_columns(self._members.schema, "the ensemble")
        fits = same_labels(vars(self).get("classes_"), self._members.classes)
        need(fits, self, "the members have other classes")
        firsts = [first for first, _ in self._learner_runs]
        rising = firsts[:1] == [0] and firsts == sorted(set(firsts))
        need(rising and firsts[-1] < len(self._members), self, "_learner_runs are not in order")
        need(all(own for _, own in self._learner_runs), self, "members have no learner")
        if isinstance(self._members, Forest):
            self.forest_ = self._members

    def _make_learners(self) -> list[Any]:
        """Return the unfitted estimators that members are made of, in turn."""
        raise NotImplementedError

    def _train(self, trainer: Any, finished: Finished) -> None:
        """Train the members, and keep them."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Train the members, and select those that vote.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays.
            Strings and categoricals need no encoding; NaN, None and NA are missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent.
        **params : dict
            Metadata for the fit of members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`. Those with an entry for each row
            are cut to the rows of each member.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            check_parameters(self)
            n_members = self._n_members()
            start = len(self._members) if self._continues() else 0
            if start == n_members:
                message = (
                    "Warm-start fitting without increasing n_estimators does not fit new trees."
                )
                warnings.warn(message, UserWarning, stacklevel=2)
            trainer = self._trainer(X, y, sample_weight, route(self, "fit", params))
            task = self._task if isinstance(trainer, TreeTrainer) else "training members"
            with progress(self, task, n_members, start=start, X=X, y=y) as finished:
                self._train(trainer, finished)
        return self

    # -- The steps of fit

    def _continues(self) -> bool:
        """Whether fit adds members to those that are there."""
        return bool(self.warm_start) and "_members" in vars(self)

    def _n_members(self) -> int:
        n_members = int(self.n_estimators)
        if self._continues() and n_members < len(self._members):
            raise ValueError(
                f"n_estimators={self.n_estimators!r} is less than the {len(self._members)} "
                "members that warm_start goes on from. Use a larger one, or warm_start=False."
            )
        return n_members

    def _trainer(self, X: Any, y: Any, sample_weight: Any, metadata: Metadata) -> Any:
        """Encode table and target once for all members."""
        learners = self._make_learners()
        if all(is_own_tree(learner) for learner in learners):
            trainer: Any = self._tree_trainer(learners, X, y, sample_weight)
        else:
            schema = self._schema if self._continues() else None
            trainer = foreign_trainer(self, learners, X, y, sample_weight, schema, metadata)
        if self._continues():
            self._check_continuation(trainer)
        return trainer

    def _tree_trainer(self, learners: list[Any], X: Any, y: Any, sample_weight: Any) -> TreeTrainer:
        values, schema, target = encode_training(
            self,
            X,
            y,
            sample_weight,
            encode_target=learners[0]._encode_target,
            counts_weight=is_fixed(self) or any(map(counts_weight, learners)),
            drops_empty_rows=all(learner._learner().drops_empty_rows for learner in learners),
            schema=self._schema if self._continues() else None,
        )
        if self._by_column:
            values = np.asfortranarray(values)
        targets = [target] + [one._encode_target(y, target.weight) for one in learners[1:]]
        settings = self._member_settings(len(schema.columns))
        return tree_trainer(learners, values, schema, targets, settings)

    def _member_settings(self, n_columns: int) -> dict[str, Any]:
        """Return the settings of members beside the parameters of their learners."""
        return {
            "n_best_splits": min(int(self.n_best_splits), 2**31),
            "balanced": is_by_member(vars(self).get("class_weight")),
        }

    def _check_continuation(self, trainer: Any) -> None:
        classes = trainer.target.classes
        if classes is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start needs the classes of the first fit, {self.classes_.tolist()}, but y "
                f"has {classes.tolist()}. Use warm_start=False."
            )
        if isinstance(trainer, ForeignTrainer) is isinstance(self._members, Forest):
            raise ValueError("warm_start needs the estimator of the first fit, or one like it.")

    def _keep_members(self, trainer: Any, members: Any) -> None:
        """Replace the attributes of the last fit by those of new members."""
        first = len(self._members) if self._continues() else 0
        before = self._learner_runs if first else []
        remember_fit(self, trainer.schema, trainer.target.classes)
        self._learner_runs = [*before, (first, trainer.learners)]
        self._members = members
        self.__dict__.pop("_estimators", None)
        if isinstance(members, Forest):
            self.forest_ = members

    # -- Members

    @property
    def estimators_(self) -> list[Any]:
        """All members as fitted estimators, those that do not vote included."""
        check_is_fitted(self)
        if isinstance(self._members, ForeignMembers):
            return list(self._members.estimators)
        if "_estimators" not in vars(self):
            self._estimators = [
                clone(self._learner_of(i))._wrap(tree) for i, tree in enumerate(self._members)
            ]
        return list(self._estimators)

    def __len__(self) -> int:
        check_is_fitted(self)
        return len(self._members)

    def __bool__(self) -> bool:
        return True  # also before there are members

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _learner_of(self, i: int) -> Any:
        """Return the learner of a member; a warm start may have brought others."""
        learners = next(own for first, own in reversed(self._learner_runs) if first <= i)
        return learners[i % len(learners)]

    @property
    def estimator_(self) -> Any:
        """The unfitted estimator that members are copies of; the first, if there are several."""
        check_is_fitted(self)
        return self._learner_runs[-1][1][0]

    @property
    def estimators_features_(self) -> list[NDArray[np.int64]]:
        """The columns that each of `estimators_` takes: all of them, but for foreign learners."""
        check_is_fitted(self)
        if isinstance(self._members, ForeignMembers):
            return [self._members.features(i).astype(np.int64) for i in range(len(self))]
        return [np.arange(self.n_features_in_) for _ in range(len(self))]

    def _voters(self) -> NDArray[np.int64]:
        """Return the places of the members that answer."""
        return np.arange(len(self._members), dtype=np.int64)

    def _vote_weights(self) -> Floats:
        """Return the weights of these members; empty if all count the same."""
        return _EQUAL

    def _callee(self, caller: str, learner: Any) -> str:
        """Return the method of a member from another package that one of the ensemble calls."""
        return "predict"

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the ensemble and its members request of metadata.

        Returns
        -------
        MetadataRouter
        """
        return routing_of(self)

    def _member_rows(self, X: Any, metadata: Metadata = ()) -> Any:
        """Check a table and return its rows as members take them, with metadata for them."""
        if "_members" not in vars(self):
            check_is_fitted(self)
        if isinstance(self._members, ForeignMembers):
            return self._members.rows(X, type(self).__name__, metadata)
        return self._rows(X)

    def _sums(self, X: Any, vote: bool, metadata: Metadata = ()) -> Floats:
        """Return the answers of the members, added up."""
        rows, n_threads = self._member_rows(X, metadata), thread_count(self.n_jobs)
        sums: Floats = self._members.sums(
            rows, self._voters(), self._vote_weights(), vote, n_threads
        )
        return sums

    def _staged_sums(self, X: Any, vote: bool) -> Iterator[tuple[int, Floats]]:
        """Yield the number of members so far and the sum of their answers."""
        rows, n_threads = self._member_rows(X), thread_count(self.n_jobs)
        members, weights = self._voters(), self._vote_weights()
        total: Floats | None = None
        for n in range(len(members)):
            one = self._members.sums(rows, members[n : n + 1], weights[n : n + 1], vote, n_threads)
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
        rows = self._member_rows(X)
        return self._trees("apply")._core.apply(rows, thread_count(self.n_jobs))

    expected_value_ = ExpectedValue()
    shap_values = shap_values
    shap_interaction_values = shap_interaction_values
    shap_explanation = shap_explanation
    reasons = reasons

    def _explainer(self) -> Explainer:
        return explainer_of(self, self._additive())

    def _additive(self) -> Additive:
        """Return the members as trees whose weighted answers add up to the mean."""
        return self._weighted_trees("number", False)

    def _weighted_trees(self, shown: Shown, votes: bool) -> Additive:
        check_is_fitted(self)
        forest, members, weights = self._trees("shap_values"), self._voters(), self._vote_weights()
        shares = (
            weights / weights.sum() if len(weights) else np.full(len(members), 1 / len(members))
        )
        return Additive(forest._core, shown, members, shares, votes)

    def _trees(self, method: str) -> Forest:
        if not isinstance(self._members, Forest):
            raise TypeError(f"{method} needs members that are trees of this package.")
        return self._members

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Return which nodes of every member each row passes, its leaves included.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        indicator : sparse matrix of shape (n_rows, n_nodes)
            1 where a row passes a node. The nodes of all members stand side by side.
        n_nodes_ptr : array of shape (n_members + 1,)
            The nodes of member i are the columns from `n_nodes_ptr[i]` to `n_nodes_ptr[i + 1]`.
        """
        rows = self._member_rows(X)
        trees = self._trees("decision_path")
        paths = [tree.decision_path(rows, encoded=True) for tree in trees]
        begins = np.cumsum([0, *(path.shape[1] for path in paths)])
        return hstack(paths, format="csr"), begins

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learners = [one for one in learners_of(self).values() if isinstance(one, BaseEstimator)]
        tags.input_tags.allow_nan = all(get_tags(one).input_tags.allow_nan for one in learners)
        return tags

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity that the members' tests remove, on average."""
        check_is_fitted(self)
        members, weights = self._voters(), self._vote_weights()
        if not len(weights):
            weights = np.ones(len(members))
        weighted = [
            weight * self._members.importances(member)
            for member, weight in zip(members.tolist(), weights.tolist(), strict=True)
        ]
        total: Floats = np.sum(weighted, axis=0)
        shares = total / total.sum() if total.sum() > 0 else total
        return self._base_importances(shares)


class ClassifierEnsemble(ClassifierMixin, BaseEnsemble):
    """Base class of ensembles that predict classes."""

    ties = "lowest"  # of ensembles without the parameter
    distil = distil
    distil_rules = distil_rules

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def _combiner(self) -> ClassCombiner:
        """Return how the answers of members become one."""
        if "_members" not in vars(self):
            check_is_fitted(self)
        return ClassCombiner.of(self)

    def _member_codes(self, X: Any, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the class codes that some members predict, one row per member."""
        if any(len(self._members.groups(i)) for i in members.tolist()):
            raise ValueError(
                "members with targets='regroup' tell groups of classes apart, not classes, so "
                "their answers cannot be compared."
            )
        answers = self._members.answers(self._member_rows(X), members, thread_count(self.n_jobs))
        return np.asarray(answers, dtype=np.int64)

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the class that the members together choose for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows,)
        """
        combiner = self._combiner()
        sums = self._sums(X, combiner.votes, route(self, "predict", params))
        codes = combiner.choose(sums)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """Return class probabilities: shares of the votes, or means over the members.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        return self._shares(X, route(self, "predict_proba", params))

    def predict_log_proba(self, X: Any, **params: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._shares(X, route(self, "predict_log_proba", params))))

    def _additive(self) -> Additive:
        """Return the members as trees whose weighted votes, or class shares, add up."""
        combiner = self._combiner()
        additive = self._weighted_trees(combiner.explained, combiner.votes)
        members = self._voters().tolist()
        if combiner.votes and any(len(self._members.groups(i)) for i in members):
            raise ValueError(
                "members with targets='regroup' vote for groups of classes, whose number differs "
                "from row to row, so the shares of their votes are no sums. Use combine='average'."
            )
        return additive

    def _shares(self, X: Any, metadata: Metadata) -> Floats:
        combiner = self._combiner()
        return combiner.probabilities(self._sums(X, combiner.votes, metadata))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield `predict` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows,)
        """
        combiner = self._combiner()
        for _, sums in self._staged_sums(X, combiner.votes):
            yield self.classes_[combiner.choose(sums)]

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield `predict_proba` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows, n_classes)
        """
        combiner = self._combiner()
        for _, sums in self._staged_sums(X, combiner.votes):
            yield combiner.probabilities(sums)

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


class RegressorEnsemble(RegressorMixin, BaseEnsemble):
    """Base class of ensembles that predict numbers."""

    distil = distil
    distil_rules = distil_rules

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = getattr(self, "criterion", None) in DEVIANCES
        return tags

    def _check_exposed(self) -> None:
        """Refuse an exposure that members cannot use."""
        if not all(map(is_own_tree, self._make_learners())):
            raise ValueError("exposure needs members that are trees of this package.")

    def _judge_name(self) -> str:
        """Return the criterion that all members have; squared error if they differ."""
        names = {judge_name(learner) for learner in self._make_learners()}
        return names.pop() if len(names) == 1 else "squared_error"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None, **params: Any
    ) -> Self:
        """Train the members, and select those that vote.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays.
            Strings and categoricals need no encoding; NaN, None and NA are missing.
        y : array of shape (n_rows,)
            The target: numbers, or what was counted or paid in all.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent.
        exposure : array of shape (n_rows,), default=None
            For how much of it y was counted, such as years insured; predictions are per unit of
            exposure. For "poisson", "gamma" and "tweedie".
        **params : dict
            Metadata for the fit of members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        self
        """
        if exposure is not None:
            self._check_exposed()
        return super().fit(X, with_exposure(y, exposure), sample_weight, **params)

    def _uses_median(self) -> bool:
        """Whether the median of the members is predicted, not their mean."""
        return bool(self.combine == "median")

    def _additive(self) -> Additive:
        if self._uses_median():
            raise ValueError(
                f"{type(self).__name__} predicts the median of its members, which is no sum of "
                "what they say, so columns have no shares in it. Explain a model of means, such as "
                "combine='mean' or RandomForestRegressor, or single members: "
                "estimators_[0].shap_values(X)."
            )
        return super()._additive()

    def predict(self, X: Any, **params: Any) -> Floats:
        """Return what the members together predict for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows,)
        """
        metadata = route(self, "predict", params)
        if self._uses_median():
            rows, members = self._member_rows(X, metadata), self._voters()
            answers = self._members.answers(rows, members, thread_count(self.n_jobs))
            return weighted_median(answers, self._vote_weights())
        sums = self._sums(X, False, metadata)[:, 0] / len(self._voters())
        if np.isfinite(sums).all():
            return np.asarray(sums)
        return self._mean_of(X, len(self._voters()), metadata)

    def _mean_of(self, X: Any, n: int, metadata: Metadata = ()) -> Floats:
        """Return the mean of the first members, whose sum is too large for a number."""
        rows, shares = self._member_rows(X, metadata), np.full(n, 1.0 / n)
        sums = self._members.sums(rows, self._voters()[:n], shares, False, 1)
        return np.asarray(sums[:, 0])

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield `predict` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows,)
        """
        if not self._uses_median():
            for n, sums in self._staged_sums(X, False):
                means = sums[:, 0] / n
                yield means if np.isfinite(means).all() else self._mean_of(X, n)
            return
        rows, members, weights = self._member_rows(X), self._voters(), self._vote_weights()
        answers = self._members.answers(rows, members, thread_count(self.n_jobs))
        for n in range(1, len(members) + 1):
            yield weighted_median(answers[:n], weights[:n])

    def score(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> float:
        """Return R squared, or D squared where the criterion is a deviance or a quantile.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            The true numbers, or what was counted or paid in all.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.
        exposure : array of shape (n_rows,), default=None
            For how much of it y was counted.

        Returns
        -------
        float
            The share of the squared error about the mean, of the deviance about the overall rate,
            or of the pinball loss about the overall quantile, that is explained; at most 1.
        """
        return self._score_of(self.predict(X), y, sample_weight, exposure)

    def _score_of(self, predicted: Floats, y: Any, sample_weight: Any, exposure: Any) -> float:
        name = type(self).__name__
        return number_score(predicted, y, sample_weight, exposure, self._judge_name(), name)

    def staged_score(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None
    ) -> Iterator[float]:
        """Yield `score` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            The true numbers, or what was counted or paid in all.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.
        exposure : array of shape (n_rows,), default=None
            For how much of it y was counted.

        Yields
        ------
        float
        """
        for numbers in self.staged_predict(X):
            yield self._score_of(numbers, y, sample_weight, exposure)


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
    """Refuse settings of the table that a member has for itensemble: the table is encoded once."""
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
