"""IGPA for classes."""

from typing import Any

from spinney._params import GROWING_ON
from spinney.tree._class_tree import BinaryClassTree
from spinney.tree._igpa import IGPATree


class IGPAClassifier(IGPATree, BinaryClassTree):
    """A classification tree by iterative growing and pruning, which uses all rows for both.

    The rows are divided at random into two halves with equal shares of the classes. The tree grows
    on one half and is pruned by the other; then the halves change places and it grows on from its
    leaves, until two prunings in a row leave a tree of the same size.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    criterion : {"gini", "entropy", ...} or callable, default="gini"
        "gini", "entropy", "misclassification", "exponent" or "twoing":
        How a division is judged. A callable takes class shares of shape (k, n_classes) and returns
        k impurities.
    max_depth : int or None, default=None
        Tests on the longest path; None for no limit.
    min_samples_split : int or float, default=2
        Rows that a node needs to be divided; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that must go each way, counted where the test's column has a value.
    min_weight_fraction_leaf : float, default=0.0
        Least share of all the weight that must go each way.
    max_leaf_nodes : int or None, default=None
        Grow the most useful leaf first, up to this many leaves.
    min_impurity_decrease : float, default=0.0
        Least gain of a division, times the node's share of the weight. At 0 an impure node is
        divided even without any gain; 1e-12 stops there, as rpart does.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Features drawn at each node; None for all.
    max_bins : int or None, default=None
        Search histograms with at most this many bins per numeric column instead of all values:
        for very large data and shallow trees.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. "balanced" makes their weights add up to the same, those of the rows
        included; scikit-learn counts rows.
    priors : dict, array or None, default=None
        Shares that the classes shall count for; they add up to 1.
    cost_matrix : dict, array or None, default=None
        Cost of predicting j for a row of class i: rows true, columns predicted, or
        `{(true, predicted): cost}`, others 1.
    cost_method : {"gini", "altered_priors"}, default="gini"
        How costs enter the splits: in the Gini index, or by reweighing the classes as rpart does.
        Labels and pruning use the costs themselves in both cases.
    n_folds : int, default=2
        Parts of the rows, drawn at random with equal shares of the classes: the tree grows on all
        parts but one and is pruned by that one, each part in turn.
    max_iterations : int, default=50
        Growings and prunings after which the loop ends, with a warning.
    labels : {"kept", "renewed"}, default="kept"
        What nodes answer while the tree is grown and pruned: as the rows that grew them say, or as
        the rows of the present growing say.
    prune_from : {"leaves", "root"}, default="leaves"
        What a pruning may cut: what was grown since the last one, or any branch.
    unjudged : {"pruned", "kept"}, default="pruned"
        What becomes of branches that no row of the pruning part reaches.
    recount : bool, default=True
        Whether all nodes hold the counts of all rows in the end, not those of their part.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are nominal whatever their type, by name, index or mask.
    missing : {"surrogate", "majority"}, default="surrogate"
        Where a row goes whose value is missing: by a stand-in test, or to the larger child.
    max_surrogates : int, default=5
        Surrogates kept at each node.
    unseen : {"missing", "error"}, default="missing"
        What to do at prediction with categories that fit did not see.
    random_state : int, RandomState or None, default=None
        For the division of the rows, and for `max_features`.
    n_jobs : int or None, default=None
        Threads. They never change the result.
    verbose : int, default=0
        Kept for the ensembles; a single tree reports nothing.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    tree_ : Tree
        The tree.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove.
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

    _parameters = GROWING_ON

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
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        cost_method: str = "gini",
        n_folds: int = 2,
        max_iterations: int = 50,
        labels: str = "kept",
        prune_from: str = "leaves",
        unjudged: str = "pruned",
        recount: bool = True,
        categorical_features: Any = "from_dtype",
        missing: str = "surrogate",
        max_surrogates: int = 5,
        unseen: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.cost_method = cost_method
        self.n_folds = n_folds
        self.max_iterations = max_iterations
        self.labels = labels
        self.prune_from = prune_from
        self.unjudged = unjudged
        self.recount = recount
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
