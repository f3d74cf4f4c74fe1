"""Forests of IGPA trees: every tree from all the rows, divided anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from spinney._params import BALANCING, GROWING_ON, OF_NUMBERS
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._base_learners import own_tree
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.tree import IGPAClassifier, IGPARegressor


class IGPAForestClassifier(ClassifierEnsemble, BaggedEnsemble):
    """A forest of IGPA trees over random halves of all rows, combined by a vote.

    Every tree is made from all the rows: grown on one half and pruned by the other, in turn. What
    makes the trees differ is which rows are in which half, so no tree pays for the difference by
    seeing fewer rows, and each stays small.

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
        Minimum number of rows in each child, counted among rows with a value in the split column,
        or among all where missing is "learned" or "category"; a float is a share of all rows.
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
    n_parts : int, default=2
        Parts of the rows, drawn at random with equal shares of the classes: the tree grows on all
        parts but one and is pruned by that one, each part in turn.
    max_iter : int, default=50
        Maximum number of growing and pruning steps; a warning is issued if the tree has not
        settled.
    labels : {"kept", "renewed"}, default="kept"
        What nodes predict while the tree is grown and pruned: by the rows that grew them, or by the
        rows of the current growing.
    prune_from : {"leaves", "root"}, default="leaves"
        What a pruning may cut: what was grown since the last one, or any branch.
    unjudged : {"pruned", "kept"}, default="pruned"
        What becomes of branches that no row of the pruning part reaches.
    recount : bool, default=True
        Whether all nodes hold the counts of all rows in the end, not those of their part.
    sampling : str or None, default=None
        Which rows a tree sees: "bootstrap" draws them with replacement, "subsample" without;
        "partition" divides them into disjoint parts, one a tree, and "overlap" gives each tree all
        but one of the parts; "wagging" gives each row a random weight; None is all rows.
    max_samples : int, float or None, default=None
        Rows that a tree sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as trees for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
    n_best_splits : int, default=1
        Number of best splits, of different columns, one of which each node of CART takes at random.
    selection : {"trimmed", "mode"}, callable or None, default=None
        Which members stay: all but the `trim` share with most errors, those with at most the most
        common number of errors, or those that a function of the errors selects.
    selection_data : {"training", "oob"} or tuple (X, y), default="training"
        Where errors are counted: on all training rows, as rates on the rows that a member did not
        see, or on given rows.
    trim : float, default=0.25
        Share of the members that `selection="trimmed"` drops.
    combine : {"vote", "average"}, default="vote"
        Each tree votes for a class, or the class shares are averaged.
    ties : {"lowest", "random"}, default="lowest"
        Which class wins a tied vote: the first, or one drawn at random for each row.
    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that did not see it; if all trees see all rows, by
        what is left of each tree without the part of the rows that it is in.
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
    missing : {"surrogate", "majority", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to the
        child that gains most ("learned"), or to that of a category of its own ("category"), which
        in a numeric column is beyond the largest value.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
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
    estimators_ : list of IGPAClassifier
        All trees.
    forest_ : Forest
        The same as one structure.
    n_iterations_ : array of int
        Growings, each with its pruning, of every tree.
    selected_ : array of int
        Places of the trees that vote.
    selection_report_ : SelectionReport
        Errors of the trees, and why those stayed that did.
    oob_score_ : float
        Accuracy of the votes of trees that did not see a row.
    oob_decision_function_ : array of shape (n_rows, n_classes)
        Shares of these votes; NaN for a row without any.
    oob_error_curve_ : array
        Their error by the number of trees.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    References
    ----------
    Martínez-Muñoz and Suárez (2004). Using all data to generate decision tree ensembles. IEEE
    Transactions on Systems, Man, and Cybernetics C 34.

    Examples
    --------
    >>> from spinney import IGPAForestClassifier
    >>> from spinney.datasets import load_sonar
    >>> data = load_sonar()
    >>> forest = IGPAForestClassifier(11, random_state=0).fit(data.X, data.y)
    >>> int(forest.n_iterations_.min())
    2
    """

    _parameters = BALANCING | GROWING_ON

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
        max_features: int | float | str | None = None,
        max_bins: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        cost_method: str = "gini",
        n_parts: int = 2,
        max_iter: int = 50,
        labels: str = "kept",
        prune_from: str = "leaves",
        unjudged: str = "pruned",
        recount: bool = True,
        sampling: str | None = None,
        max_samples: int | float | None = None,
        n_best_splits: int = 1,
        selection: Any = None,
        selection_data: Any = "training",
        trim: float = 0.25,
        combine: str = "vote",
        ties: str = "lowest",
        oob_score: bool = False,
        early_stopping: bool = False,
        n_iter_no_change: int = 20,
        tol: float = 0.0,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 0,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
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
        self.n_parts = n_parts
        self.max_iter = max_iter
        self.labels = labels
        self.prune_from = prune_from
        self.unjudged = unjudged
        self.recount = recount
        self.sampling = sampling
        self.max_samples = max_samples
        self.n_best_splits = n_best_splits
        self.selection = selection
        self.selection_data = selection_data
        self.trim = trim
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
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, IGPAClassifier)]

    @property
    def n_iterations_(self) -> NDArray[np.int64]:
        """Growings, each with its pruning, of every tree."""
        check_is_fitted(self)
        return self._bagged.records.n_iterations.astype(np.int64)

    @property
    def n_iter_(self) -> NDArray[np.int64]:
        """The same as `n_iterations_`, under scikit-learn's name."""
        return self.n_iterations_


class IGPAForestRegressor(RegressorEnsemble, BaggedEnsemble):
    """A forest of IGPA regression trees over random halves of all rows, combined by the mean.

    Every tree is made from all the rows: grown on one half and pruned by the other, by the
    criterion, in turn. What makes the trees differ is which rows are in which half.

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
    n_parts : int, default=2
        Parts of the rows, drawn at random with equal shares of the classes: the tree grows on all
        parts but one and is pruned by that one, each part in turn.
    max_iter : int, default=50
        Maximum number of growing and pruning steps; a warning is issued if the tree has not
        settled.
    labels : {"kept", "renewed"}, default="kept"
        What nodes predict while the tree is grown and pruned: by the rows that grew them, or by the
        rows of the current growing.
    prune_from : {"leaves", "root"}, default="leaves"
        What a pruning may cut: what was grown since the last one, or any branch.
    unjudged : {"pruned", "kept"}, default="pruned"
        What becomes of branches that no row of the pruning part reaches.
    recount : bool, default=True
        Whether all nodes hold the counts of all rows in the end, not those of their part.
    sampling : str or None, default=None
        Which rows a tree sees: "bootstrap" draws them with replacement, "subsample" without;
        "partition" divides them into disjoint parts, one a tree, and "overlap" gives each tree all
        but one of the parts; "wagging" gives each row a random weight; None is all rows.
    max_samples : int, float or None, default=None
        Rows that a tree sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as trees for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
    n_best_splits : int, default=1
        Number of best splits, of different columns, one of which each node of CART takes at random.
    selection : {"trimmed", "mode"}, callable or None, default=None
        Which members stay: all but the `trim` share with the largest errors, those with at most the
        most common error (errors are put into bins), or those that a function of the errors
        selects.
    selection_data : {"training", "oob"} or tuple (X, y), default="training"
        Where errors are measured: on all training rows, on the rows that a member did not see, or
        on given rows.
    trim : float, default=0.25
        Share of the members that `selection="trimmed"` drops.
    combine : {"mean", "median"}, default="mean"
        The mean of the trees' predictions, or the median.
    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that did not see it; if all trees see all rows, by
        what is left of each tree without the part of the rows that it is in.
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
    missing : {"surrogate", "majority", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to the
        child that gains most ("learned"), or to that of a category of its own ("category"), which
        in a numeric column is beyond the largest value.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
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
    estimators_ : list of IGPARegressor
        All trees.
    forest_ : Forest
        The same as one structure.
    n_iterations_ : array of int
        Growings, each with its pruning, of every tree.
    selected_ : array of int
        Places of the trees that answer.
    selection_report_ : SelectionReport
        Errors of the trees, and why those stayed that did.
    oob_score_ : float
        R squared of the predictions of trees that did not see a row.
    oob_prediction_ : array of shape (n_rows,)
        Means of these predictions; NaN for a row without any.
    oob_error_curve_ : array
        Their mean cost by the criterion, by the number of trees.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    References
    ----------
    Martínez-Muñoz and Suárez (2004). Using all data to generate decision tree ensembles. IEEE
    Transactions on Systems, Man, and Cybernetics C 34.

    Examples
    --------
    >>> from spinney import IGPAForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 2, [1.0, 1.0, 5.0, 5.0] * 2
    >>> IGPAForestRegressor(5, random_state=0).fit(X, y).predict([[3.5]])
    array([5.])
    """

    _parameters = OF_NUMBERS | GROWING_ON

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
        n_parts: int = 2,
        max_iter: int = 50,
        labels: str = "kept",
        prune_from: str = "leaves",
        unjudged: str = "pruned",
        recount: bool = True,
        sampling: str | None = None,
        max_samples: int | float | None = None,
        n_best_splits: int = 1,
        selection: Any = None,
        selection_data: Any = "training",
        trim: float = 0.25,
        combine: str = "mean",
        oob_score: bool = False,
        early_stopping: bool = False,
        n_iter_no_change: int = 20,
        tol: float = 0.0,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 0,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
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
        self.n_parts = n_parts
        self.max_iter = max_iter
        self.labels = labels
        self.prune_from = prune_from
        self.unjudged = unjudged
        self.recount = recount
        self.sampling = sampling
        self.max_samples = max_samples
        self.n_best_splits = n_best_splits
        self.selection = selection
        self.selection_data = selection_data
        self.trim = trim
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
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, IGPARegressor)]

    @property
    def n_iterations_(self) -> NDArray[np.int64]:
        """Growings, each with its pruning, of every tree."""
        check_is_fitted(self)
        return self._bagged.records.n_iterations.astype(np.int64)

    @property
    def n_iter_(self) -> NDArray[np.int64]:
        """The same as `n_iterations_`, under scikit-learn's name."""
        return self.n_iterations_
