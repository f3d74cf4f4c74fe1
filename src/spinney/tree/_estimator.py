"""Base classes of the estimators that learn one tree."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from spinney._base import TableEstimator, encode_training, remember_fit, unchanged_on_failure
from spinney._counts import DEVIANCES, judge_name, number_score, refuse_prior, with_exposure
from spinney._params import check_parameters
from spinney._settings import feature_count, thread_count
from spinney._state._kinds import STRENGTH, TEXT, Kind, named, need, one, perhaps, same_labels
from spinney._table import Schema
from spinney._target import FitTarget, class_target, real_target
from spinney._typing import Floats
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
from spinney.tree._learner import TreeLearner
from spinney.tree._shrinkage import is_fixed, shrink_fit
from spinney.tree._tree import Tree

if TYPE_CHECKING:
    from spinney.rules import Explanation

_COSTS = ("class_weight", "priors", "cost_matrix", "cost_method")


class TreeEstimator(TableEstimator):
    """Base class of estimators with one tree, in `tree_`."""

    tree_: Tree
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "tree_": one(Tree),
        "pruning_path_": perhaps(named("PruningPath")),
        "shrinkage_": perhaps(STRENGTH),
        "edits_": perhaps(TEXT),  # of spinney.edit, as JSON
        "distillation_": perhaps(named("Distillation")),
    }
    _made_again: ClassVar[tuple[str, ...]] = (EXPECTED,)
    # Groups of a search or a cross-validation are not those of the folds in `cv`, unless requested.
    __metadata_request__fit: ClassVar[Mapping[str, bool]] = {"groups": False}

    def _check_state(self) -> None:
        super()._check_state()
        self._check_columns(self.tree_.schema, "tree_")
        fits = same_labels(vars(self).get("classes_"), self.tree_.classes)
        need(fits, self, "tree_ has other classes")
        self._bind_path()

    def _html_repr(self) -> str:
        """Return scikit-learn's diagram and, once there is one, the tree below it."""
        diagram = str(super()._html_repr())
        return diagram + self.tree_._repr_html_() if hasattr(self, "tree_") else diagram

    def _learner(self) -> TreeLearner:
        """Return the method that learns the tree, with the parameters of this estimator."""
        raise NotImplementedError

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        raise NotImplementedError

    def _continues(self) -> bool:
        """Whether fit grows the present tree further."""
        return False

    def _start(self) -> Tree | None:
        """Return the tree that fit grows further, as it was grown; None to grow anew."""
        return self.tree_._unshrunk() if self._continues() else None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Grow a tree and cut it back.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A NumPy array, a pandas, polars or Arrow table, or a mapping of column names to arrays.
            Strings and categoricals need no encoding; NaN, None and NA are missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows. A row of weight 0 is as if absent.
        groups : array of shape (n_rows,), default=None
            Groups of rows that cross-validation must not divide, for a splitter given as `cv`.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            check_parameters(self)
            learner, start = self._learner(), self._start()
            values, schema, target = encode_training(
                self,
                X,
                y,
                sample_weight,
                encode_target=self._encode_target,
                counts_weight=counts_weight(self),
                drops_empty_rows=learner.drops_empty_rows,
                schema=None if start is None else self._schema,
            )
            values, schema = learner.share_columns(values, schema)
            self._fit_encoded(values, schema, target, start=start, groups=groups)
        return self

    def _fit_encoded(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        *,
        start: Tree | None = None,
        groups: Any = None,
    ) -> None:
        """Learn from an encoded table."""
        fitted = self._learner().learn(values, schema, target, start=start, groups=groups)
        if hasattr(self, "shrinkage"):
            fitted = shrink_fit(self, fitted, values, schema, target, groups)
        remember_fit(self, schema, target.classes, **fitted)
        self._bind_path()

    def _bind_path(self) -> None:
        """Let the pruning path make estimators like this one."""
        if "pruning_path_" in vars(self):
            self.pruning_path_._template = clone(self)
            self.pruning_path_._strength = vars(self).get("shrinkage_", 0.0)

    def _wrap(self, tree: Tree) -> Self:
        """Become the fitted estimator of an existing tree."""
        remember_fit(self, tree.schema, tree.classes, tree_=tree)
        return self

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the penalties at which a fully grown tree loses branches, as scikit-learn does.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            As for `fit`.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        Bunch
            `ccp_alphas`, ascending from 0; `impurities`, the risk of each subtree in the units of
            `Tree.risk`; and `path`, the `PruningPath` of these subtrees, which needs no refit.
        """
        from spinney.pruning import PruningPath  # it needs all of this package

        given = {
            name: None for name in ("pruning", "ccp_alpha", "shrinkage") if hasattr(self, name)
        }
        grown = clone(self).set_params(**given).fit(X, y, sample_weight)
        path = PruningPath(grown.tree_)
        path._template = clone(self)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks, path=path)

    # -- Rows through the tree

    def _explainer(self) -> Explainer:
        check_is_fitted(self)
        return explainer_of(self, self.tree_._additive())

    expected_value_ = ExpectedValue()
    shap_values = shap_values
    shap_interaction_values = shap_interaction_values
    shap_explanation = shap_explanation
    reasons = reasons

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        return self.tree_._core.apply(rows, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row passes, its leaf included.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
        """
        rows = self._rows(X)
        return self.tree_.decision_path(rows, encoded=True)

    def explain(self, row: Any) -> "Explanation":
        """Return why a row is predicted as it is, and what would have to change for another answer.

        Parameters
        ----------
        row : dict, Series, one-row table or 1-D array
            One row with the columns of fit.

        Returns
        -------
        Explanation
            `print` shows it as text.
        """
        from spinney.rules._explanation import encode_row  # rules are made of trees

        check_is_fitted(self)
        encode_row(self._schema, row, self.unseen)  # refuses what predict refuses
        return self.tree_.explain(row)

    def __str__(self) -> str:
        """Show the parameters and, once fitted, the tree; `repr` shows the parameters only."""
        if "tree_" not in vars(self):
            return repr(self)
        return f"{self!r}\n{self.tree_}"

    def get_depth(self) -> int:
        """Return the depth of the tree."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def max_features_(self) -> int:
        """Number of columns that are searched at a node, by `max_features`."""
        check_is_fitted(self)
        wanted = getattr(self, "max_features", None)
        return feature_count(wanted, self.n_features_in_) or self.n_features_in_

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity that the tests remove."""
        check_is_fitted(self)
        return self._base_importances(self.tree_.importances())


class TreeClassifier(ClassifierMixin, TreeEstimator):
    """Base class of classifiers with one tree."""

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        given = {name: getattr(self, name) for name in _COSTS if hasattr(self, name)}
        known = self.classes_ if self._continues() else None
        return class_target(y, weight, estimator_name=type(self).__name__, classes=known, **given)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of least expected cost for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        labels: NDArray[Any] = self.classes_[
            self.tree_._core.predict_labels(rows, thread_count(self.n_jobs))
        ]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes in the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        rows = self._rows(X)
        return self.tree_._core.predict_values(rows, thread_count(self.n_jobs))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


class TreeRegressor(RegressorMixin, TreeEstimator):
    """Base class of regressors with one tree."""

    criterion: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = getattr(self, "criterion", None) in DEVIANCES
        return tags

    def _judge_name(self) -> str:
        """Return the criterion by which predictions are judged."""
        return judge_name(self)

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        refuse_prior(self)
        name = type(self).__name__
        return real_target(y, weight, estimator_name=name, criterion=self._judge_name())

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        exposure: Any = None,
        groups: Any = None,
    ) -> Self:
        """Grow a tree and cut it back.

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
        groups : array of shape (n_rows,), default=None
            Groups of rows that cross-validation must not divide, for a splitter given as `cv`.

        Returns
        -------
        self
        """
        return super().fit(X, with_exposure(y, exposure), sample_weight, groups)

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None
    ) -> Bunch:
        """Return the penalties at which a fully grown tree loses branches, as scikit-learn does.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            As for `fit`.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.
        exposure : array of shape (n_rows,), default=None
            For how much of it y was counted.

        Returns
        -------
        Bunch
            `ccp_alphas`, ascending from 0; `impurities`, the risk of each subtree in the units of
            `Tree.risk`; and `path`, the `PruningPath` of these subtrees, which needs no refit.
        """
        exposed = with_exposure(y, exposure)
        return super().cost_complexity_pruning_path(X, exposed, sample_weight)

    def predict(self, X: Any) -> Floats:
        """Return the value of the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        values: Floats = self.tree_._core.predict_values(rows, thread_count(self.n_jobs))[:, 0]
        return values

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
        name = type(self).__name__
        return number_score(self.predict(X), y, sample_weight, exposure, self._judge_name(), name)


def counts_weight(estimator: TreeEstimator) -> bool:
    """Return whether the size of the weights matters to an estimator, not only their shares."""
    return estimator._learner().counts_weight or is_fixed(estimator)


def is_own_tree(estimator: Any) -> bool:
    """Return whether the core can train an estimator: a tree of this package.

    A subclass of the user's with a `fit` of its own is trained by calling that.
    """
    own = (TreeEstimator.fit, TreeRegressor.fit)
    return isinstance(estimator, TreeEstimator) and type(estimator).fit in own
