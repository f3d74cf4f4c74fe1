"""Survival trees: risks relative to all rows, and curves of the leaves."""

from typing import Any

import numpy as np

from spinney._counts import judge_name
from spinney._lifetimes import SurvivalMixin
from spinney._params import OF_LIFETIMES
from spinney._settings import thread_count
from spinney._state._kinds import need
from spinney._table import Schema
from spinney._target import FitTarget, lifetime_target
from spinney._typing import Floats
from spinney.tree._cart import CARTLearner
from spinney.tree._estimator import TreeEstimator
from spinney.tree._leaf_lifetimes import LeafLifetimes
from spinney.tree._learner import RowSplit
from spinney.tree._tree import Tree


class SurvivalLearner(CARTLearner):
    """A binary tree whose leaves remember the lifetimes of their rows."""

    def grow(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        rows: RowSplit,
        start: Tree | None,
    ) -> tuple[Tree, tuple[Floats, Floats] | None]:
        """Grow a tree, and count the lifetimes in its leaves."""
        tree, errors = super().grow(values, schema, target, rows, start)
        growing = rows.growing
        weight = target.weight if growing is None else np.where(growing, target.weight, 0.0)
        assert target.lifetimes is not None
        lifetimes = LeafLifetimes.of_rows(
            event_times(target), tree.n_nodes, self._leaves(tree, values), target.lifetimes, weight
        )
        return Tree(tree._core, schema, None, lifetimes), errors

    def _leaves(self, tree: Tree, values: Floats) -> Any:
        return tree._core.apply(values, self.n_threads)


def event_times(target: FitTarget) -> Floats:
    """Return the times at which rows that weigh anything had their event, ascending."""
    assert target.lifetimes is not None
    return np.unique(target.lifetimes.time[target.lifetimes.event & (target.weight > 0)])


class SurvivalTree(SurvivalMixin, TreeEstimator):
    """A survival tree with surrogate splits and cost-complexity pruning.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer. `y`
    holds the event and the time of each row: a structured array with these fields, as in
    scikit-survival, or a table with columns named event and time.

    Parameters
    ----------
    criterion : {"exponential", "logrank"}, default="exponential"
        How a division is judged: by the deviance of exponential lifetimes, as rpart's method "exp",
        or by the log-rank statistic of its two sides. Either tree predicts risks, and is pruned and
        judged by the exponential deviance.
    prior_cv : float, default=1.0
        Coefficient of variation of a gamma prior on the hazards of leaves, whose mean is that of
        all rows: `shrink` of rpart. 0 for no prior.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_split : int or float, default=6
        Minimum number of rows in a node to split it; a float is a share of all rows.
    min_samples_leaf : int or float, default=3
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
        Columns along which the risk may only rise (1) or fall (-1): a sign for each column, or a
        mapping such as `{"age": 1}`.
    interaction_cst : "no_interactions", list of lists of columns or None, default=None
        Columns that may be tested on one path from the root: each list is a group, and columns in
        no list are one more group. "no_interactions" allows one column a path.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, or to the larger child.
    max_surrogates : int, default=5
        Maximum number of surrogate splits kept at each node.
    surrogate_style : {"agreement", "count"}, default="agreement"
        What surrogate splits are ranked by: the share of rows sent the same way among those with a
        value, or their number, so that a column with many gaps ranks lower, as by default in rpart.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    pruning : {"cost_complexity", "reduced_error"} or None, default=None
        Pruning method; None for no pruning.
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
    random_state : int, RandomState or None, default=None
        Random seed of `max_features`, folds and held-out rows. Exact search is not random.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    tree_ : Tree
        The tree. Its values are risks relative to all rows; `tree_.lifetimes` holds the lifetimes
        in the leaves.
    times_ : array of shape (n_times,)
        The times at which training rows had their event, ascending.
    feature_importances_ : array of shape (n_features_in_,)
        Impurity-based importance of each feature; they add up to 1.
    pruning_path_ : PruningPath
        The sequence of subtrees, after cost-complexity pruning.

    References
    ----------
    LeBlanc and Crowley (1992). Relative risk trees for censored survival data. Biometrics 48.
    Therneau and Atkinson. An introduction to recursive partitioning using the rpart routines.

    Examples
    --------
    >>> from spinney import SurvivalTree
    >>> X = {"stage": ["early", "early", "early", "late", "late", "late"]}
    >>> y = {"event": [0, 1, 1, 1, 1, 1], "time": [9.0, 8.0, 7.0, 3.0, 2.0, 1.0]}
    >>> tree = SurvivalTree().fit(X, y)
    >>> tree.predict({"stage": ["early", "late"]}).round(2)
    array([0.62, 1.86])
    >>> tree.predict_survival_function({"stage": ["late"]}, times=[1.0, 2.5]).round(2)
    array([[0.67, 0.33]])
    """

    _parameters = OF_LIFETIMES
    splitter = "best"  # which the learner of all CART trees asks

    def __init__(
        self,
        criterion: str = "exponential",
        *,
        prior_cv: float = 1.0,
        max_depth: int | None = None,
        min_samples_split: int | float = 6,
        min_samples_leaf: int | float = 3,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = None,
        max_bins: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        surrogate_style: str = "agreement",
        unseen: str = "missing",
        pruning: str | None = None,
        ccp_alpha: float | None = None,
        cv: Any = 10,
        rule: str = "1se",
        validation_fraction: float = 0.3,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
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
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.pruning = pruning
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> SurvivalLearner:
        return SurvivalLearner(self)

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        name = type(self).__name__
        return lifetime_target(y, weight, estimator_name=name, criterion=judge_name(self))

    def _check_state(self) -> None:
        super()._check_state()
        lifetimes = self.tree_.lifetimes
        counted = lifetimes is not None and lifetimes.n_nodes == self.tree_.n_nodes
        need(counted, self, "tree_ does not know the lifetimes in its leaves")

    def _event_times(self) -> Floats:
        assert self.tree_.lifetimes is not None
        return self.tree_.lifetimes.times

    def _curves(self, X: Any, times: Floats | None, kind: str) -> Floats:
        leaves, row = np.unique(self.apply(X), return_inverse=True)
        curves: Floats = getattr(self.tree_.lifetimes, kind)(leaves, times)
        return curves[row]

    def predict(self, X: Any) -> Floats:
        """Return the risk of each row relative to all training rows: 2 is twice their hazard.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        rows = self._rows(X)
        risks: Floats = self.tree_._core.predict_values(rows, thread_count(self.n_jobs))[:, 0]
        return risks
