"""IGPA: a tree grown on one part of the rows and pruned by the other, in turn."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from spinney import _core
from spinney._params import GROWING_ON, OF_NUMBERS
from spinney._settings import random_seed
from spinney._state._kinds import Kind, many, one, perhaps, whole
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.tree._cart import binary_growth
from spinney.tree._estimator import TreeClassifier, TreeRegressor
from spinney.tree._learner import ALL_ROWS, TreeLearner, member_strength
from spinney.tree._measures import rescaled_tree, scaled
from spinney.tree._tree import Tree


class Iteration(NamedTuple):
    """One iteration of growing and pruning. Errors are costs by the criterion, per weight of a row.

    Parameters
    ----------
    judge : int
        The part of the rows that pruned; the others grew the tree.
    n_leaves_grown, n_leaves : int
        Leaves before and after the pruning.
    growing_error : float
        Of the pruned tree, by the rows that grew it.
    judge_error_grown, judge_error : float
        By the rows that pruned, before and after.
    """

    judge: int
    n_leaves_grown: int
    n_leaves: int
    growing_error: float
    judge_error_grown: float
    judge_error: float


_HISTORY = {"history_": perhaps(many(one(Iteration))), "n_iterations_": perhaps(whole())}


class IGPALearner(TreeLearner):
    """Iterative growing and pruning."""

    is_binary = True

    def growth(self, values: Floats, schema: Schema, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        return binary_growth(self.estimator, values, schema, target)

    def learn(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        *,
        start: Tree | None = None,
        groups: Any = None,
    ) -> dict[str, Any]:
        """Grow and prune until the tree has settled."""
        self.refuse_groups(groups)
        dataset, _ = self.prepare(values, schema, target, ALL_ROWS)
        member = self.member(values, schema, target)
        member.shrinkage = 0.0  # of a tree alone it comes afterwards
        seed = random_seed(self.estimator.random_state)
        core, history, settled = _core.grow_and_prune(
            dataset, target.core(), member, seed, self.n_threads
        )
        tree = Tree(core, schema, target.classes)
        if target.exponent:
            tree = rescaled_tree(tree, target.exponent, target.loss_exponent)
            history = np.column_stack(
                [history[:, :3], scaled(history[:, 3:], target.loss_exponent)]
            )
        if not settled:
            warnings.warn(unsettled("the tree"), ConvergenceWarning, stacklevel=4)
        iterations = [Iteration(*map(int, row[:3]), *row[3:]) for row in history.tolist()]
        return {"tree_": tree, "history_": iterations, "n_iterations_": len(iterations)}

    def member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return the method for the core."""
        params = self.estimator
        igpa = _core.IgpaParams()
        igpa.n_parts = min(int(params.n_parts), 2**31 - 1)
        igpa.max_iterations = min(int(params.max_iter), 2**62)
        igpa.renews_labels = params.labels == "renewed"
        igpa.prunes_all = params.prune_from == "root"
        igpa.keeps_unjudged = params.unjudged == "kept"
        igpa.recounts = bool(params.recount)
        learner = _core.Learner()
        learner.set_params(self.growth(values, schema, target))
        learner.set_igpa(igpa)
        learner.shrinkage = member_strength(params)
        return learner


class IGPAClassifier(TreeClassifier):
    """A classification tree by iterative growing and pruning, which uses all rows for both.

    The rows are divided at random into two halves with equal shares of the classes. The tree grows
    on one half and is pruned by the other; then the halves change places and it grows on from its
    leaves, until two prunings in a row leave a tree of the same size.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    criterion : {"gini", "entropy", ...} or callable, default="gini"
        "gini", "entropy" (or "log_loss"), "misclassification", "exponent" or "twoing":
        How a division is judged. A callable takes class shares of shape (k, n_classes) and returns
        k impurities.
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
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to the
        child that gains most ("learned"), or to that of a category of its own ("category"), which
        in a numeric column is beyond the largest value.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions towards those of the nodes
        above, as in `Tree.shrink`; "auto" chooses it by cross-validation. None for none.
    random_state : int, RandomState or None, default=None
        Random seed of the division of the rows, and of `max_features`.
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
    n_iterations_ : int
        Growings, each with its pruning.
    history_ : list of Iteration
        Sizes and errors of every growing and pruning.

    References
    ----------
    Gelfand, Ravishankar and Delp (1991). An iterative growing and pruning algorithm for
    classification tree design. IEEE Transactions on Pattern Analysis and Machine Intelligence 13.

    Examples
    --------
    >>> from spinney import IGPAClassifier
    >>> from spinney.datasets import load_iris
    >>> data = load_iris()
    >>> model = IGPAClassifier(random_state=0).fit(data.X, data.y)
    >>> model.history_[-1].n_leaves == model.history_[-2].n_leaves == model.tree_.n_leaves
    True
    """

    n_iterations_: int
    _parameters = GROWING_ON
    _fitted_fields: ClassVar[Mapping[str, Kind]] = _HISTORY

    def __init__(
        self,
        criterion: Any = "gini",
        *,
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
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
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
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> IGPALearner:
        return IGPALearner(self)

    @property
    def n_iter_(self) -> int:
        """The same as `n_iterations_`, under scikit-learn's name."""
        return self.n_iterations_


class IGPARegressor(TreeRegressor):
    """A regression tree by iterative growing and pruning, which uses all rows for both.

    The rows are divided at random into two halves. The tree grows on one half and is pruned by the
    other, by the criterion; then the halves change places and it grows on from its leaves, until
    two prunings in a row leave a tree of the same size.

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
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority", "learned", "category"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, to the larger child, to the
        child that gains most ("learned"), or to that of a category of its own ("category"), which
        in a numeric column is beyond the largest value.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions towards those of the nodes
        above, as in `Tree.shrink`; "auto" chooses it by cross-validation. None for none.
    random_state : int, RandomState or None, default=None
        Random seed of the division of the rows, and of `max_features`.
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
    n_iterations_ : int
        Growings, each with its pruning.
    history_ : list of Iteration
        Sizes and errors of every growing and pruning.

    References
    ----------
    Gelfand, Ravishankar and Delp (1991). An iterative growing and pruning algorithm for
    classification tree design. IEEE Transactions on Pattern Analysis and Machine Intelligence 13.

    Examples
    --------
    >>> from spinney import IGPARegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 2, [1.0, 1.0, 5.0, 5.0] * 2
    >>> IGPARegressor(random_state=0).fit(X, y).predict([[3.5]])
    array([5.])
    """

    n_iterations_: int
    _parameters = OF_NUMBERS | GROWING_ON
    _fitted_fields: ClassVar[Mapping[str, Kind]] = _HISTORY

    def __init__(
        self,
        criterion: str = "squared_error",
        *,
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
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
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
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> IGPALearner:
        return IGPALearner(self)

    @property
    def n_iter_(self) -> int:
        """The same as `n_iterations_`, under scikit-learn's name."""
        return self.n_iterations_


def unsettled(who: str) -> str:
    """Return the text of the warning that the loop ended before the tree had settled."""
    return (
        f"{who} had not settled after max_iter growings and prunings. Use labels='kept' and "
        "prune_from='leaves', with which sizes never fall, or a larger max_iter: the least "
        "is n_parts."
    )
