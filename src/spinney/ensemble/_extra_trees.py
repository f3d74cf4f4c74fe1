"""Extremely randomized trees: columns drawn at each node, and one cut of each of them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from spinney._checks import Check
from spinney._params import BALANCING, DRAWING_CUTS, OF_NUMBERS
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._base_learners import own_tree
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.tree import CARTClassifier, CARTRegressor


class ExtraTreesClassifier(ClassifierEnsemble, BaggedEnsemble):
    """Extremely randomized trees: the best of a few random cuts at each node; the trees vote.

    A node draws `max_features` columns that vary in it, and for each one cut: a threshold anywhere
    between the least and the largest value in the node, or a set of its categories, any with the
    same chance. The best of these cuts divides the node. Every tree sees all rows by default.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the maximum number with `early_stopping`.
    criterion : str or callable, default="gini"
        "gini", "entropy" (or "log_loss"), "misclassification", "exponent" or "twoing"; or a
        function that takes shares of shape (k, n_classes) and returns k impurities.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_split : int or float, default=2
        Minimum number of rows in a node to split it; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in each child, counted among rows with a value in the split column; a
        float is a share of all rows.
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
    bootstrap : bool, default=False
        Whether rows are drawn with replacement where `sampling` is "bootstrap". False uses all
        rows, or `max_samples` of them drawn without replacement; there are no out-of-bag rows if
        all are used.
    max_samples : int, float or None, default=None
        Rows that a tree sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as trees for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
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
    missing : {"surrogate", "majority", "fractional"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, or to
        every child with a share of its weight.
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
    estimators_ : list of CARTClassifier
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
    Geurts, Ernst and Wehenkel (2006). Extremely randomized trees. Machine Learning 63.

    Examples
    --------
    >>> from spinney import ExtraTreesClassifier
    >>> from spinney.datasets import load_german_credit
    >>> data = load_german_credit()
    >>> forest = ExtraTreesClassifier(bootstrap=True, random_state=0).fit(data.X, data.y)
    >>> 0.7 < forest.oob_score_ < 0.8
    True
    """

    _parameters: ClassVar[Mapping[str, Check]] = {**BALANCING, **DRAWING_CUTS}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Any = "gini",
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
        bootstrap: bool = False,
        max_samples: int | float | None = None,
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

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, CARTClassifier, splitter="random")]


class ExtraTreesRegressor(RegressorEnsemble, BaggedEnsemble):
    """Extremely randomized regression trees: the best of a few random cuts at each node.

    A node draws `max_features` columns that vary in it, and for each one cut: a threshold anywhere
    between the least and the largest value in the node, or a set of its categories, any with the
    same chance. The best of these cuts divides the node. Every tree sees all rows by default.

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
        Minimum number of rows in each child, counted among rows with a value in the split column; a
        float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Minimum share of the total weight in each child.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves, grown best first; None for no limit.
    min_impurity_decrease : float, default=0.0
        Minimum decrease of impurity by a split, times the node's share of the weight. At 0 an
        impure node is split even without a decrease; 1e-12 stops there, as rpart does.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
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
    bootstrap : bool, default=False
        Whether rows are drawn with replacement where `sampling` is "bootstrap". False uses all
        rows, or `max_samples` of them drawn without replacement; there are no out-of-bag rows if
        all are used.
    max_samples : int, float or None, default=None
        Rows that a tree sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as trees for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
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
    missing : {"surrogate", "majority", "fractional"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, or to
        every child with a share of its weight.
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
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    References
    ----------
    Geurts, Ernst and Wehenkel (2006). Extremely randomized trees. Machine Learning 63.

    Examples
    --------
    >>> from spinney import ExtraTreesRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]
    >>> forest = ExtraTreesRegressor(3, random_state=0)
    >>> forest.fit(X, y).predict([[4.0]])
    array([5.])
    """

    _parameters: ClassVar[Mapping[str, Check]] = {**OF_NUMBERS, **DRAWING_CUTS}

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
        max_features: int | float | str | None = None,
        max_bins: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        sampling: str | None = "bootstrap",
        bootstrap: bool = False,
        max_samples: int | float | None = None,
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
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, CARTRegressor, splitter="random")]
