"""CART: binary trees with surrogate splits and cost-complexity pruning."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._params import OF_NUMBERS
from spinney._settings import growth_params, random_seed
from spinney._table import Schema
from spinney._target import FitTarget
from spinney.tree._estimator import TreeClassifier, TreeRegressor
from spinney.tree._learner import PrunedLearner, RowSplit
from spinney.tree._tree import Tree
from spinney.tree._units import rescaled_tree

Floats = NDArray[np.float64]
_NO_LIMIT = 2**62


def binary_growth(estimator: Any, values: Floats, target: FitTarget) -> _core.GrowParams:
    """Return the parameters of growth of a binary tree."""
    n_rows = int(np.count_nonzero(target.weight))  # rows of weight zero are as if absent
    params = growth_params(estimator, n_rows, values.shape[1])
    params.min_impurity_decrease = float(
        np.ldexp(params.min_impurity_decrease, -target.loss_exponent)
    )
    if target.split_cost is not None and estimator.criterion == "gini":
        params.set_cost(target.split_cost.ravel())
    return params


class CARTLearner(PrunedLearner):
    """A binary tree, grown once; growth may continue an earlier tree, or stop early."""

    is_binary = True

    @property
    def stops_early(self) -> bool:
        """Whether rows are held out to stop growth."""
        return bool(self.estimator.early_stopping)

    def growth(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        params = binary_growth(self.estimator, values, target)
        params.oblique = self.estimator.splitter == "oblique"
        if params.oblique:
            params.seed = random_seed(self.estimator.random_state)
        return params

    def continuation(self, target: FitTarget, rows: RowSplit, start: Tree | None) -> dict[str, Any]:
        """Return further arguments of the core's growth: where to start, when to stop."""
        if start is not None:
            units = (-target.exponent, -target.loss_exponent)
            start = rescaled_tree(start, *units) if any(units) else start
        validation = np.zeros(0)
        if self.stops_early and rows.held_out is not None:
            validation = np.where(rows.held_out, target.weight, 0.0)
        return {
            "start": None if start is None else start._core,
            "validation_weight": validation,
            "patience": min(int(self.estimator.n_iter_no_change), _NO_LIMIT),
        }

    def member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return growth and pruning for the core."""
        learner = super().member(values, schema, target)
        if self.stops_early:
            learner.patience = min(int(self.estimator.n_iter_no_change), _NO_LIMIT)
        return learner


class CARTClassifier(TreeClassifier):
    """A classification tree by CART, with surrogate splits and cost-complexity pruning.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    criterion : {"gini", "entropy", ...} or callable, default="gini"
        "gini", "entropy", "misclassification", "exponent" or "twoing":
        How a division is judged. A callable takes class shares of shape (k, n_classes) and returns
        k impurities.
    splitter : {"best", "oblique"}, default="best"
        Tests of one column, or also of sums of numeric columns, such as
        `glucose + 2.1 * bmi > 190`, where these are better.
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
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "fractional"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, or to
        every child with a share of its weight.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    pruning : str or None, default=None
        Pruning method: "cost_complexity" or "reduced_error"; for classes also "error_based", as in
        C4.5, or "mdl", by description length. None for no pruning.
    cf : float, default=0.25
        Confidence of the limits on errors that `pruning="error_based"` uses: less prunes more.
    subtree_raising : bool, default=True
        Whether `pruning="error_based"` may put the largest branch of a node in its place.
    ccp_alpha : float or None, default=None
        Prune at this penalty, in cost per row and leaf, instead of choosing it.
    cv : int, splitter or iterable, default=10
        Folds of the cross-validation that chooses the size of the tree.
    rule : {"1se", "min"}, default="1se"
        Choose the smallest tree within one standard error of the best, or the best.
    validation_fraction : float, default=0.3
        Share of the rows held out for `pruning="reduced_error"` and `early_stopping`.
    early_stopping : bool, default=False
        Whether to grow best first and stop when the error on held-out rows no longer falls.
    n_iter_no_change : int, default=10
        Number of splits without improvement after which `early_stopping` ends growth.
    warm_start : bool, default=False
        Whether to continue growing the tree of the previous fit.
    random_state : int, RandomState or None, default=None
        Random seed of `max_features`, oblique splits, folds and held-out rows. Exact search over
        single columns is not random.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    tree_ : Tree
        The tree.
    feature_importances_ : array of shape (n_features_in_,)
        Impurity-based importance of each feature; they add up to 1.
    pruning_path_ : PruningPath
        The sequence of subtrees, after cost-complexity pruning.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984). Classification and Regression Trees.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> from spinney.datasets import load_credit_example
    >>> data = load_credit_example()
    >>> print(CARTClassifier().fit(data.X, data.y).tree_.root.test)
    income <= 36
    """

    def __init__(
        self,
        criterion: Any = "gini",
        *,
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = None,
        max_bins: int | None = None,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        cost_method: str = "gini",
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        unseen: str = "missing",
        pruning: str | None = None,
        cf: float = 0.25,
        subtree_raising: bool = True,
        ccp_alpha: float | None = None,
        cv: Any = 10,
        rule: str = "1se",
        validation_fraction: float = 0.3,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
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
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.unseen = unseen
        self.pruning = pruning
        self.cf = cf
        self.subtree_raising = subtree_raising
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> "CARTLearner":
        return CARTLearner(self)

    def _continues(self) -> bool:
        return bool(self.warm_start) and "tree_" in vars(self)


class CARTRegressor(TreeRegressor):
    """A regression tree by CART, with surrogate splits and cost-complexity pruning.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"}, default="squared_error"
        Leaves predict the mean, or the median. Pruning, early stopping and out-of-bag errors judge
        rows by it too.
    splitter : {"best", "oblique"}, default="best"
        Tests of one column, or also of sums of numeric columns, such as
        `glucose + 2.1 * bmi > 190`, where these are better.
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
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "fractional"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, or to
        every child with a share of its weight.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    pruning : str or None, default=None
        Pruning method: "cost_complexity" or "reduced_error"; for classes also "error_based", as in
        C4.5, or "mdl", by description length. None for no pruning.
    ccp_alpha : float or None, default=None
        Prune at this penalty, in cost per row and leaf, instead of choosing it.
    cv : int, splitter or iterable, default=10
        Folds of the cross-validation that chooses the size of the tree.
    rule : {"1se", "min"}, default="1se"
        Choose the smallest tree within one standard error of the best, or the best.
    validation_fraction : float, default=0.3
        Share of the rows held out for `pruning="reduced_error"` and `early_stopping`.
    early_stopping : bool, default=False
        Whether to grow best first and stop when the error on held-out rows no longer falls.
    n_iter_no_change : int, default=10
        Number of splits without improvement after which `early_stopping` ends growth.
    warm_start : bool, default=False
        Whether to continue growing the tree of the previous fit.
    random_state : int, RandomState or None, default=None
        Random seed of `max_features`, oblique splits, folds and held-out rows. Exact search over
        single columns is not random.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    tree_ : Tree
        The tree.
    feature_importances_ : array of shape (n_features_in_,)
        Impurity-based importance of each feature; they add up to 1.
    pruning_path_ : PruningPath
        The sequence of subtrees, after cost-complexity pruning.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984). Classification and Regression Trees.

    Examples
    --------
    >>> from spinney import CARTRegressor
    >>> CARTRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [10.0, 10.0, 40.0]).predict([[2.4]])
    array([10.])
    """

    _parameters = OF_NUMBERS

    def __init__(
        self,
        criterion: str = "squared_error",
        *,
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = None,
        max_bins: int | None = None,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        unseen: str = "missing",
        pruning: str | None = None,
        ccp_alpha: float | None = None,
        cv: Any = 10,
        rule: str = "1se",
        validation_fraction: float = 0.3,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.unseen = unseen
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> "CARTLearner":
        return CARTLearner(self)

    def _continues(self) -> bool:
        return bool(self.warm_start) and "tree_" in vars(self)
