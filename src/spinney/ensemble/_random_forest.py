"""Random forests: columns drawn anew at each node."""

from typing import Any

from spinney._params import OF_NUMBERS
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._ensemble import ClassifierEnsemble, RegressorEnsemble, own_tree
from spinney.tree import CARTClassifier, CARTRegressor


class RandomForestClassifier(ClassifierEnsemble, BaggedEnsemble):
    """Trees on bootstrap samples, each node with columns of its own, and their vote.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the maximum number with `early_stopping`.
    criterion : str or callable, default="gini"
        "gini", "entropy", "misclassification", "exponent" or "twoing"; or a function that takes
        shares of shape (k, n_classes) and returns k impurities.
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
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. "balanced" makes their weights add up to the same, those of the rows
        included; scikit-learn counts rows.
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
        size of a part. "wagging" and None know no such number.
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
    missing : {"surrogate", "majority", "fractional"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, or to
        every child with a share of its weight.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    ccp_alpha : float or None, default=None
        Prune every tree at this penalty, in cost per row and leaf.
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
        unseen: str = "missing",
        ccp_alpha: float | None = None,
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
        self.unseen = unseen
        self.ccp_alpha = ccp_alpha
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, CARTClassifier)]


class RandomForestRegressor(RegressorEnsemble, BaggedEnsemble):
    """Regression trees on bootstrap samples, each node with columns of its own, and their mean.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the maximum number with `early_stopping`.
    criterion : {"squared_error", "absolute_error"}, default="squared_error"
        Leaves predict the mean, or the median. Pruning, early stopping and out-of-bag errors judge
        rows by it too.
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
    max_features : int, float, {"sqrt", "log2"} or None, default=1/3
        Number of features drawn at random at each node; None for all.
    max_bins : int or None, default=None
        Maximum number of bins of a numeric column, to search histograms instead of all values: for
        very large data and shallow trees. None for exact search.
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
        size of a part. "wagging" and None know no such number.
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
    missing : {"surrogate", "majority", "fractional"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, or to
        every child with a share of its weight.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    ccp_alpha : float or None, default=None
        Prune every tree at this penalty, in cost per row and leaf.
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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = 1 / 3,
        max_bins: int | None = None,
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
        unseen: str = "missing",
        ccp_alpha: float | None = None,
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
        self.unseen = unseen
        self.ccp_alpha = ccp_alpha
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, CARTRegressor)]
