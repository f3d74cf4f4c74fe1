"""Random survival forests: trees of lifetimes, and the mean of their risks and curves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._lifetimes import Lifetimes, SurvivalMixin, concordance_index
from spinney._params import OF_LIFETIMES
from spinney._settings import thread_count
from spinney._state._kinds import need
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._base_learners import own_tree
from spinney.ensemble._forest import Forest
from spinney.tree import SurvivalTree
from spinney.tree._survival_tree import event_times

_BLOCK = 2**22  # numbers of curves at a time


class RandomSurvivalForest(SurvivalMixin, BaggedEnsemble):
    """A random survival forest: trees on bootstrap samples, with random columns at each node.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer. `y`
    holds the event and the time of each row: a structured array with these fields, as in
    scikit-survival, or a table with columns named event and time.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; the maximum number with `early_stopping`.
    criterion : {"exponential", "logrank"}, default="logrank"
        How a division is judged: by the deviance of exponential lifetimes, as rpart's method "exp",
        or by the log-rank statistic of its two sides. Either way trees predict risks, and
        are judged by the exponential deviance.
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
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
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
    oob_score : bool, default=True
        Whether to predict each row by the trees that did not see it, for `oob_score_`.
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
    missing : {"surrogate", "majority"}, default="surrogate"
        Where a row with a missing value goes: by a surrogate split, or to the larger child.
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
    estimators_ : list of SurvivalTree
        All trees.
    forest_ : Forest
        The same as one structure.
    times_ : array of shape (n_times,)
        The times at which training rows had their event, ascending.
    selected_ : array of int
        Places of the trees that answer: all that were not dropped.
    oob_score_ : float
        Concordance index of the out-of-bag predictions.
    oob_prediction_ : array of shape (n_rows,)
        Mean risks of the trees that did not see a row; NaN for a row that every tree saw.
    oob_error_curve_ : array
        Their mean deviance, by the number of trees.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    References
    ----------
    Ishwaran, Kogalur, Blackstone and Lauer (2008). Random survival forests. Annals of Applied
    Statistics 2.

    Examples
    --------
    >>> from spinney import RandomSurvivalForest
    >>> X = {"stage": ["early", "early", "early", "late", "late", "late"]}
    >>> y = {"event": [0, 1, 1, 1, 1, 1], "time": [9.0, 8.0, 7.0, 3.0, 2.0, 1.0]}
    >>> forest = RandomSurvivalForest(3, sampling=None, oob_score=False).fit(X, y)
    >>> forest.predict({"stage": ["early", "late"]}).round(2)
    array([0.62, 1.86])
    """

    _parameters = OF_LIFETIMES

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "logrank",
        prior_cv: float = 1.0,
        max_depth: int | None = None,
        min_samples_split: int | float = 6,
        min_samples_leaf: int | float = 3,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_bins: int | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        sampling: str | None = "bootstrap",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        n_best_splits: int = 1,
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
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
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
        self.sampling = sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.n_best_splits = n_best_splits
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
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [own_tree(self, SurvivalTree)]

    def _check_state(self) -> None:
        super()._check_state()
        lifetimes = self.forest_.lifetimes
        counted = lifetimes is not None and lifetimes.n_nodes == int(self.forest_.n_nodes.sum())
        need(counted, self, "the trees do not know the lifetimes in their leaves")

    def _check_continuation(self, trainer: Any) -> None:
        super()._check_continuation(trainer)
        if not np.array_equal(event_times(trainer.target), self.times_):
            raise ValueError(
                "warm_start needs the times of events of the first fit, as the curves of all trees "
                "are averaged. Give the same rows, or use warm_start=False."
            )

    def _keep_oob_r2(self, means: Floats, seen: NDArray[np.bool_], target: FitTarget) -> None:
        """Keep the concordance of rows with an out-of-bag risk, if any can be compared."""
        assert target.lifetimes is not None
        event, time = target.lifetimes.event[seen], target.lifetimes.time[seen]
        weight = np.ascontiguousarray(target.weight[seen])
        risk = np.ascontiguousarray(means[seen, 0])
        if any(_core.concordance(time, event, risk, weight)):
            self.oob_score_ = concordance_index(Lifetimes(event, time), risk, weight)

    # -- Predictions

    def predict(self, X: Any) -> Floats:
        """Return the risk of each row relative to all training rows: the mean over the trees.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        return np.asarray(self._sums(X, False)[:, 0] / len(self._voters()))

    def _event_times(self) -> Floats:
        assert self.forest_.lifetimes is not None
        return self.forest_.lifetimes.times

    def _curves(self, X: Any, times: Floats | None, kind: str) -> Floats:
        leaves = self.forest_._core.apply(self._member_rows(X), thread_count(self.n_jobs))
        begins = np.cumsum([0, *self.forest_.n_nodes])
        n_times = len(self.times_ if times is None else times)
        total = np.zeros((len(leaves), n_times))
        for member in self._voters().tolist():
            own, row = np.unique(leaves[:, member], return_inverse=True)
            lifetimes = member_lifetimes(self.forest_, begins, member)
            curves: Floats = getattr(lifetimes, kind)(own, times)
            step = max(1, _BLOCK // max(1, n_times))
            for first in range(0, len(leaves), step):  # rows and curves stay in the cache
                total[first : first + step] += curves[row[first : first + step]]
        return total / len(self._voters())


def member_lifetimes(forest: Forest, begins: NDArray[np.int64], member: int) -> Any:
    """Return the lifetimes in the leaves of one tree."""
    assert forest.lifetimes is not None
    return forest.lifetimes.part(int(begins[member]), int(begins[member + 1]))
