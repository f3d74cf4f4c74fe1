"""Random forests: columns drawn anew at each node."""

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.base import clone

from spinney._checks import Check
from spinney._params import BALANCING, NODE_DRAWER, OF_NUMBERS
from spinney._settings import feature_count
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._base_learners import OF_THE_ENSEMBLE, given_learners, is_by_member, own_tree
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._leaf_targets import predict_quantiles
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.tree import CARTClassifier, CARTRegressor
from spinney.tree._estimator import is_own_tree


def _passed_on(forest: Any) -> dict[str, Any]:
    """Return settings of trees that were given to a forest, for the estimator of its members.

    One that the estimator does not have, or has a value of its own for, is refused.
    """
    name, own = type(forest.estimator).__name__, forest.estimator.get_params(deep=False)
    if not is_own_tree(forest.estimator):
        raise ValueError(f"estimator={name} has a fit of its own. Use BaggingClassifier.")
    of_trees = set(CARTClassifier._get_param_names()) - OF_THE_ENSEMBLE - {"max_features"}
    given = {key: value for key, value in _unusual(forest).items() if key in of_trees}
    for key, value in given.items():
        if key not in own:
            raise ValueError(
                f"{key}={value!r} is a setting of CART, but the trees are those of estimator, and "
                f"{name} has no such parameter. Leave it out."
            )
        if key in _unusual(forest.estimator):
            raise ValueError(
                f"{key}={value!r} is given to the forest, and {own[key]!r} to its estimator. Give "
                "one of them."
            )
    return given


def _unusual(estimator: Any) -> dict[str, Any]:
    """Return the parameters that are not at their defaults."""
    defaults = inspect.signature(type(estimator)).parameters
    params = estimator.get_params(deep=False)
    return {
        key: value
        for key, value in params.items()
        if value is not None and repr(value) != repr(defaults[key].default)
    }


class RandomForestClassifier(ClassifierEnsemble, BaggedEnsemble):
    """A random forest: trees on bootstrap samples, with random columns at each node, that vote.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the maximum number with `early_stopping`.
    criterion : str or callable, default="gini"
        "gini", "entropy" (or "log_loss"), "misclassification", "exponent" or "twoing"; or a
        function that takes shares of shape (k, n_classes) and returns k impurities.
    estimator : CARTClassifier, ID3Classifier, C45Classifier or None, default=None
        The tree that members are copies of. Settings of trees that are given here, such as
        `max_depth` or `class_weight`, are set in it if it has them. None for CART.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_split : int or float, default=2
        Minimum number of rows in a node to split it; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in each child, counted among rows with a value in the split column,
        or among all where missing is "learned" or "category"; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Minimum share of the total weight in each child.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves, grown best first; None for no limit.
    min_impurity_decrease : float, default=0.0
        Minimum decrease of impurity by a split, times the node's share of the weight. At 0 an
        impure node is split even without a decrease; 1e-12 stops there, as rpart does.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Number of features drawn at random at each node; None for all.
    max_bins : int or None, default=None
        Maximum number of bins of a numeric column, to search histograms instead of all values: for
        very large data and shallow trees. None for exact search.
    monotonic_cst : dict, array-like of -1, 0, 1 or None, default=None
        Columns along which the prediction may only rise (1) or fall (-1): a sign for each column,
        or a mapping such as `{"income": 1}`. Of two classes it is the probability of the second.
    interaction_cst : "no_interactions", list of lists of columns or None, default=None
        Columns that may be tested on one path from the root: each list is a group, and columns in
        no list are one more group. "no_interactions" allows one column a path.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes. "balanced" makes their weights add up to the same, those of the rows
        included; scikit-learn counts rows. "balanced_subsample" does so in what each tree sees.
    priors : dict, array or None, default=None
        Prior probabilities of the classes; they add up to 1.
    cost_matrix : dict, array or None, default=None
        Cost of predicting j for a row of class i: rows true, columns predicted, or
        `{(true, predicted): cost}`, others 1.
    cost_method : {"gini", "altered_priors"}, default="gini"
        How costs enter the splits: in the Gini index, or by reweighing the classes as rpart does.
        Labels and pruning use the costs themselves in both cases.
    sampling : str or None, default="bootstrap"
        Which rows a tree sees: "bootstrap" draws them with replacement, "subsample" without;
        "partition" divides them into disjoint parts, one a tree, and "overlap" gives each tree all
        but one of the parts; "wagging" gives each row a random weight; None is all rows.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement where `sampling` is "bootstrap". False uses all
        rows, or `max_samples` of them drawn without replacement; there are no out-of-bag rows if
        all are used.
    max_samples : int, float or None, default=None
        Rows that a tree sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as trees for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
    n_best_splits : int, default=1
        Number of best splits, of different columns, one of which each node of CART takes at random.
    combine : {"vote", "average"}, default="vote"
        Each tree votes for a class, or the class shares are averaged.
    ties : {"lowest", "random"}, default="lowest"
        Which class wins a tied vote: the first, or one drawn at random for each row.
    oob_score : bool or callable, default=True
        Whether to predict each row by the members that did not see it. A function of the true and
        the predicted targets gives `oob_score_` instead of accuracy or R squared.
    early_stopping : bool, default=False
        Whether training ends when the out-of-bag error no longer falls; `n_estimators` is then the
        largest number of members.
    n_iter_no_change : int, default=20
        Members without a lower error after which `early_stopping` ends training, once every row
        has an out-of-bag answer.
    tol : float, default=0.0
        Minimum decrease of the error that counts as an improvement.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "fractional", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to every
        child with a share of its weight, to the child that gains most ("learned"), or to that of a
        category of its own ("category"), which in a numeric column is beyond the largest value.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    ccp_alpha : float or None, default=None
        Prune every tree at this penalty, in cost per row and leaf.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions of trees towards those of the
        nodes above, as in `Tree.shrink`; "auto" chooses it by the rows that trees did not see. None
        for none.
    warm_start : bool, default=False
        Whether to keep the trees of the previous fit and add to them.
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.
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
    estimators_ : list of CARTClassifier, ID3Classifier or C45Classifier
        All trees.
    forest_ : Forest
        The same as one structure.
    selected_ : array of int
        Places of the trees that vote: all that were not dropped.
    oob_score_ : float
        Accuracy of the votes of trees that did not see a row.
    oob_decision_function_ : array of shape (n_rows, n_classes)
        Shares of these votes; NaN for a row that every tree saw.
    oob_error_curve_ : array
        Their error by the number of trees.
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    References
    ----------
    Breiman (2001). Random forests. Machine Learning 45.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_german_credit
    >>> data = load_german_credit()
    >>> forest = RandomForestClassifier(random_state=0).fit(data.X, data.y)
    >>> 0.7 < forest.oob_score_ < 0.8
    True
    """

    _parameters: ClassVar[Mapping[str, Check]] = {**BALANCING, "estimator": NODE_DRAWER}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "gini",
        estimator: Any = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_bins: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        cost_method: str = "gini",
        sampling: str | None = "bootstrap",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        n_best_splits: int = 1,
        combine: str = "vote",
        ties: str = "lowest",
        oob_score: bool = True,
        early_stopping: bool = False,
        n_iter_no_change: int = 20,
        tol: float = 0.0,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 0,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
        ccp_alpha: float | None = None,
        shrinkage: float | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.estimator = estimator
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.cost_method = cost_method
        self.sampling = sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.n_best_splits = n_best_splits
        self.combine = combine
        self.ties = ties
        self.oob_score = oob_score
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.ccp_alpha = ccp_alpha
        self.shrinkage = shrinkage
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if self.estimator is not None:
            _passed_on(self)

    def _make_learners(self) -> list[Any]:
        learners = given_learners(self, own_tree(self, CARTClassifier))
        if self.estimator is None:
            return learners
        passed = _passed_on(self)
        if is_by_member(passed.get("class_weight")):
            passed["class_weight"] = None  # the ensemble sees to it
        return [clone(learner).set_params(**passed) for learner in learners]

    def _member_settings(self, n_columns: int) -> dict[str, Any]:
        settings = super()._member_settings(n_columns)
        return settings | {"max_features": feature_count(self.max_features, n_columns)}


class RandomForestRegressor(RegressorEnsemble, BaggedEnsemble):
    """A random forest for regression: trees on bootstrap samples, random columns at each node.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the maximum number with `early_stopping`.
    criterion : {"squared_error", "absolute_error", "poisson", ...}, default="squared_error"
        "squared_error" (leaves predict the mean), "absolute_error" (the median), "quantile" (the
        `quantile`, by pinball loss), or half the deviance of counts and amounts per unit of
        exposure: "poisson", "gamma" and "tweedie" (leaves predict a rate). Pruning, early stopping
        and out-of-bag errors judge rows by it too, and `score` is D squared for quantiles and
        deviances.
    tweedie_power : float, default=1.5
        Power of "tweedie", between 1 (counts) and 2 (amounts).
    quantile : float, default=0.5
        Which quantile "quantile" predicts, between 0 and 1.
    prior_cv : float, default=0.0
        Coefficient of variation of a gamma prior on the rates of "poisson", whose mean is the
        overall rate: `shrink` of rpart, where it is 1. 0 for no prior.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_split : int or float, default=2
        Minimum number of rows in a node to split it; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in each child, counted among rows with a value in the split column,
        or among all where missing is "learned" or "category"; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Minimum share of the total weight in each child.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves, grown best first; None for no limit.
    min_impurity_decrease : float, default=0.0
        Minimum decrease of impurity by a split, times the node's share of the weight. At 0 an
        impure node is split even without a decrease; 1e-12 stops there, as rpart does.
    max_features : int, float, {"sqrt", "log2"} or None, default=1/3
        Number of features drawn at random at each node; None for all.
    max_bins : int or None, default=None
        Maximum number of bins of a numeric column, to search histograms instead of all values: for
        very large data and shallow trees. None for exact search.
    monotonic_cst : dict, array-like of -1, 0, 1 or None, default=None
        Columns along which the prediction may only rise (1) or fall (-1): a sign for each column,
        or a mapping such as `{"income": 1}`. Of two classes it is the probability of the second.
    interaction_cst : "no_interactions", list of lists of columns or None, default=None
        Columns that may be tested on one path from the root: each list is a group, and columns in
        no list are one more group. "no_interactions" allows one column a path.
    sampling : str or None, default="bootstrap"
        Which rows a tree sees: "bootstrap" draws them with replacement, "subsample" without;
        "partition" divides them into disjoint parts, one a tree, and "overlap" gives each tree all
        but one of the parts; "wagging" gives each row a random weight; None is all rows.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement where `sampling` is "bootstrap". False uses all
        rows, or `max_samples` of them drawn without replacement; there are no out-of-bag rows if
        all are used.
    max_samples : int, float or None, default=None
        Rows that a tree sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as trees for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
    n_best_splits : int, default=1
        Number of best splits, of different columns, one of which each node of CART takes at random.
    combine : {"mean", "median"}, default="mean"
        The mean of the trees' predictions, or the median.
    oob_score : bool or callable, default=True
        Whether to predict each row by the members that did not see it. A function of the true and
        the predicted targets gives `oob_score_` instead of accuracy or R squared.
    early_stopping : bool, default=False
        Whether training ends when the out-of-bag error no longer falls; `n_estimators` is then the
        largest number of members.
    n_iter_no_change : int, default=20
        Members without a lower error after which `early_stopping` ends training, once every row
        has an out-of-bag answer.
    tol : float, default=0.0
        Minimum decrease of the error that counts as an improvement.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "fractional", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to every
        child with a share of its weight, to the child that gains most ("learned"), or to that of a
        category of its own ("category"), which in a numeric column is beyond the largest value.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    ccp_alpha : float or None, default=None
        Prune every tree at this penalty, in cost per row and leaf.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions of trees towards those of the
        nodes above, as in `Tree.shrink`; "auto" chooses it by the rows that trees did not see. None
        for none.
    keep_targets : bool, default=False
        Whether to keep the targets of the training rows in each leaf, for `predict_quantiles`: some
        10 bytes a row and tree, in memory and in model files. They are in `leaf_targets_`, whose
        `nbytes` is their size.
    warm_start : bool, default=False
        Whether to keep the trees of the previous fit and add to them.
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.
    verbose : int, default=0
        1 shows progress: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    estimators_ : list of CARTRegressor
        All trees.
    forest_ : Forest
        The same as one structure.
    selected_ : array of int
        Places of the trees that answer: all that were not dropped.
    oob_score_ : float
        R squared of the out-of-bag predictions.
    oob_prediction_ : array of shape (n_rows,)
        Means of the trees that did not see a row; NaN for a row that every tree saw.
    oob_error_curve_ : array
        Their mean cost by the criterion, by the number of trees.
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
    leaf_targets_ : LeafTargets
        Targets of the training rows in the leaves, with `keep_targets`.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    References
    ----------
    Breiman (2001). Random forests. Machine Learning 45.

    Examples
    --------
    >>> from spinney import RandomForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]
    >>> forest = RandomForestRegressor(3, sampling=None, oob_score=False)
    >>> forest.fit(X, y).predict([[3.5]])
    array([5.])
    """

    _parameters = OF_NUMBERS
    predict_quantiles = predict_quantiles

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        tweedie_power: float = 1.5,
        quantile: float = 0.5,
        prior_cv: float = 0.0,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = 1 / 3,
        max_bins: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        sampling: str | None = "bootstrap",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        n_best_splits: int = 1,
        combine: str = "mean",
        oob_score: bool = True,
        early_stopping: bool = False,
        n_iter_no_change: int = 20,
        tol: float = 0.0,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 0,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
        ccp_alpha: float | None = None,
        shrinkage: float | str | None = None,
        keep_targets: bool = False,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.tweedie_power = tweedie_power
        self.quantile = quantile
        self.prior_cv = prior_cv
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.sampling = sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.n_best_splits = n_best_splits
        self.combine = combine
        self.oob_score = oob_score
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.ccp_alpha = ccp_alpha
        self.shrinkage = shrinkage
        self.keep_targets = keep_targets
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, CARTRegressor)]
