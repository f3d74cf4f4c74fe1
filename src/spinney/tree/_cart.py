"""CART: binary trees with surrogate splits and cost-complexity pruning."""

from typing import Any

import numpy as np

from spinney import _core
from spinney._constraints import constrain, monotone_signs
from spinney._counts import criterion_parameter, is_deviance
from spinney._params import OF_NUMBERS
from spinney._settings import growth_params, random_seed
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.tree._estimator import TreeClassifier, TreeRegressor
from spinney.tree._forced import forced_tree, gaps_of, read_forced_tests, require_tests
from spinney.tree._learner import PrunedLearner, RowSplit
from spinney.tree._measures import rescaled_tree
from spinney.tree._node_arrays import GAP_RULES
from spinney.tree._tests import Test
from spinney.tree._tree import Tree

_NO_LIMIT = 2**62


def binary_growth(
    estimator: Any, values: Floats, schema: Schema, target: FitTarget
) -> _core.GrowParams:
    """Return the parameters of growth of a binary tree."""
    n_rows = int(np.count_nonzero(target.weight))  # rows of weight zero are as if absent
    params = growth_params(estimator, n_rows, values.shape[1])
    params.min_impurity_decrease = float(
        np.ldexp(params.min_impurity_decrease, -target.loss_exponent)
    )
    if target.split_cost is not None and estimator.criterion == "gini":
        params.set_cost(target.split_cost.ravel())
    parameter = criterion_parameter(estimator)
    if parameter is not None:
        params.set_parameter(parameter)
    if is_deviance(target.criterion) or target.lifetimes is not None:
        prior_cv = float(getattr(estimator, "prior_cv", 0.0))
        params.set_deviance(prior_cv, target.rate, len(target.exposure) > 0)
    constrain(params, estimator, schema, target.classes)
    return params


def _refuse_other_order(estimator: Any, start: Tree) -> None:
    """Refuse to continue a tree that was grown under other monotone constraints."""
    signs = monotone_signs(estimator.monotonic_cst, start.schema)
    if not np.array_equal(signs, start._state.get("monotone", signs[:0])):
        raise ValueError(
            "monotonic_cst is not that of the tree which warm_start would continue. Fit anew with "
            "warm_start=False."
        )


class CARTLearner(PrunedLearner):
    """A binary tree, grown once; growth may continue an earlier tree, or stop early."""

    is_binary = True
    needs_forced_tests = True  # whether one that sends all rows the same way is an error
    draws_columns = True

    @property
    def stops_early(self) -> bool:
        """Whether rows are held out to stop growth."""
        return bool(self.estimator.early_stopping)

    @property
    def drops_empty_rows(self) -> bool:
        """Whether rows without any value are left out."""
        return bool(getattr(self.estimator, "all_missing", "keep") == "drop")

    def growth(self, values: Floats, schema: Schema, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        params = binary_growth(self.estimator, values, schema, target)
        params.oblique = self.estimator.splitter == "oblique"
        params.random_cuts = self.estimator.splitter == "random"
        if params.oblique or params.random_cuts:
            params.seed = random_seed(self.estimator.random_state)
        forced = self._forced(schema)
        if forced:
            params.set_forced(*forced_tree(forced, schema))
        return params

    def _forced(self, schema: Schema) -> dict[str, Test | None]:
        given = getattr(self.estimator, "forced_tests", None) or {}
        tests = read_forced_tests(given, schema)
        for path, test in tests.items():
            _refuse_gaps(path, test, self.estimator.missing)
        return tests

    def grow(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        rows: RowSplit,
        start: Tree | None,
    ) -> tuple[Tree, tuple[Floats, Floats] | None]:
        """Grow a tree that has all the tests that were forced on it."""
        tree, errors = super().grow(values, schema, target, rows, start)
        if self.needs_forced_tests:
            require_tests(tree, self._forced(schema))
        return tree, errors

    def continuation(self, target: FitTarget, rows: RowSplit, start: Tree | None) -> dict[str, Any]:
        """Return further arguments of the core's growth: where to start, when to stop."""
        if start is not None:
            _refuse_other_order(self.estimator, start)
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


def _refuse_gaps(path: str, test: Test | None, missing: str) -> None:
    if gaps_of(test) is not None and missing not in GAP_RULES:
        raise ValueError(
            f"forced_tests[{path!r}], {str(test)!r}, says where missing values go, which "
            f"missing={missing!r} decides. Leave that out, or use missing='learned'."
        )


class CARTClassifier(TreeClassifier):
    """A CART classification tree with surrogate splits and cost-complexity pruning.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    criterion : {"gini", "entropy", ...} or callable, default="gini"
        "gini", "entropy" (or "log_loss"), "misclassification", "exponent" or "twoing":
        How a division is judged. A callable takes class shares of shape (k, n_classes) and returns
        k impurities.
    splitter : {"best", "random", "oblique"}, default="best"
        The best test of one column; the best of tests drawn at random, one a column, as in
        extremely randomized trees; or also of sums of numeric columns, such as
        `glucose + 2.1 * bmi > 190`, where these are better.
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
    forced_tests : dict or None, default=None
        Tests given by hand, by the path of their node: `{"root": "income <= 40", "root/yes":
        "purpose in {car, radio}"}`; `"yes"` is the child where a test is true. None instead of a
        test makes the node a leaf. The tree grows on below them; pruning may cut them off.
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
    missing : {"surrogate", "majority", "fractional", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to every
        child with a share of its weight, to the child that gains most ("learned"), or to that of a
        category of its own ("category"), which in a numeric column is beyond the largest value.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    all_missing : {"keep", "drop"}, default="keep"
        Rows of `fit` that have no value at all: learn from them as from others, or leave them out,
        as rpart does.
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
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions towards those of the nodes
        above, as in `Tree.shrink`; "auto" chooses it by cross-validation. None for none.
    warm_start : bool, default=False
        Whether to continue growing the tree of the previous fit.
    random_state : int, RandomState or None, default=None
        Random seed of `max_features`, random and oblique splits, folds and held-out rows. Exact
        search over single columns is not random.
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
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
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
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        forced_tests: Any = None,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        cost_method: str = "gini",
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        surrogate_style: str = "agreement",
        all_missing: str = "keep",
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
        shrinkage: float | str | None = None,
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
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.forced_tests = forced_tests
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.cost_method = cost_method
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.all_missing = all_missing
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
        self.shrinkage = shrinkage
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> "CARTLearner":
        return CARTLearner(self)

    def _continues(self) -> bool:
        return bool(self.warm_start) and "tree_" in vars(self)


class CARTRegressor(TreeRegressor):
    """A CART regression tree with surrogate splits and cost-complexity pruning.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
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
    splitter : {"best", "random", "oblique"}, default="best"
        The best test of one column; the best of tests drawn at random, one a column, as in
        extremely randomized trees; or also of sums of numeric columns, such as
        `glucose + 2.1 * bmi > 190`, where these are better.
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
    forced_tests : dict or None, default=None
        Tests given by hand, by the path of their node: `{"root": "income <= 40", "root/yes":
        "purpose in {car, radio}"}`; `"yes"` is the child where a test is true. None instead of a
        test makes the node a leaf. The tree grows on below them; pruning may cut them off.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "fractional", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to every
        child with a share of its weight, to the child that gains most ("learned"), or to that of a
        category of its own ("category"), which in a numeric column is beyond the largest value.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    all_missing : {"keep", "drop"}, default="keep"
        Rows of `fit` that have no value at all: learn from them as from others, or leave them out,
        as rpart does.
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
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions towards those of the nodes
        above, as in `Tree.shrink`; "auto" chooses it by cross-validation. None for none.
    warm_start : bool, default=False
        Whether to continue growing the tree of the previous fit.
    random_state : int, RandomState or None, default=None
        Random seed of `max_features`, random and oblique splits, folds and held-out rows. Exact
        search over single columns is not random.
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
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
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
        tweedie_power: float = 1.5,
        quantile: float = 0.5,
        prior_cv: float = 0.0,
        splitter: str = "best",
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
        forced_tests: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        surrogate_style: str = "agreement",
        all_missing: str = "keep",
        unseen: str = "missing",
        pruning: str | None = None,
        ccp_alpha: float | None = None,
        cv: Any = 10,
        rule: str = "1se",
        validation_fraction: float = 0.3,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        shrinkage: float | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.tweedie_power = tweedie_power
        self.quantile = quantile
        self.prior_cv = prior_cv
        self.splitter = splitter
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
        self.forced_tests = forced_tests
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.all_missing = all_missing
        self.unseen = unseen
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.shrinkage = shrinkage
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> "CARTLearner":
        return CARTLearner(self)

    def _continues(self) -> bool:
        return bool(self.warm_start) and "tree_" in vars(self)
