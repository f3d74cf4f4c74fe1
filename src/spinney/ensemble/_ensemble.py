"""Base class of ensembles: one template of fit, and members that predict together.

An ensemble has base learners (`_base_learners`) and a trainer (`_trainer`, or `_foreign_trainer`
for learners of other packages), draws the training sets of its members, may select
members (`_selection`), and combines their predictions (`_combine`).
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from spinney._base import TableEstimator, encode_training, remember_fit, unchanged_on_failure
from spinney._params import check_parameters
from spinney._progress import CallbackMixin, progress
from spinney._settings import thread_count
from spinney._state._kinds import Kind, many, need, one, row, same_labels, whole
from spinney._typing import Floats
from spinney.ensemble._base_learners import is_by_member
from spinney.ensemble._foreign_members import ForeignMembers
from spinney.ensemble._foreign_trainer import ForeignTrainer, foreign_trainer
from spinney.ensemble._forest import Forest
from spinney.ensemble._routing import (
    Metadata,
    get_metadata_routing,
    learners_of,
    predict_of_member,
    route,
)
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
from spinney.tree._estimator import counts_weight, is_own_tree
from spinney.tree._shrinkage import is_fixed

Finished = Callable[[int], bool]
_EQUAL = np.zeros(0)  # weights of members that all count the same


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
                clone(self._learner_of(i)).set_params(**seed)._wrap(tree)
                for i, (tree, seed) in enumerate(zip(self._members, self._seeds(), strict=True))
            ]
        return list(self._estimators)

    def _seeds(self) -> list[dict[str, int]]:
        """Return the parameters by which each of `estimators_` grows the same tree alone."""
        return [{} for _ in range(len(self._members))]

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

    _callee = predict_of_member
    get_metadata_routing = get_metadata_routing

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
