"""ID3: information gain, a branch for each category, a column once on a path.

`MultiwayLearner` is what C4.5 has in common with it.
"""

from functools import partial
from typing import Any

import numpy as np

from spinney import _core
from spinney._settings import max_depth_limit, row_count
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.tree._discretize import interval_codes, mdl_cuts, quantile_cuts
from spinney.tree._estimator import TreeClassifier
from spinney.tree._learner import PrunedLearner, Restore, RowSplit, unchanged

_FRACTIONAL = 2
_NOMINAL = 2  # the core's code of the kind


class MultiwayLearner(PrunedLearner):
    """What ID3 and C4.5 have in common."""

    counts_weight = True
    draws_columns = True

    def branches(self, n_rows: int) -> _core.MultiwayParams:
        """Return the parameters in which the two methods differ."""
        raise NotImplementedError

    def growth(self, values: Floats, schema: Schema, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        params = _core.GrowParams()
        params.set_criterion("entropy")
        params.set_missing(_FRACTIONAL)
        params.max_depth = max_depth_limit(self.estimator.max_depth)
        branches = self.branches(int(np.count_nonzero(target.weight)))
        _refuse_light_weights(target.weight, max(branches.min_split, 2 * branches.min_branch))
        params.set_multiway(branches)
        return params


def _refuse_light_weights(weight: Floats, least: float) -> None:
    """Refuse weights that no limit could ever be met by, although there are rows enough."""
    n_rows, most = np.count_nonzero(weight), float(weight.max())
    if n_rows >= least and most * n_rows < least:
        raise ValueError(
            f"sample_weight adds up to {weight.sum():g}, but a node needs {least:g} to be divided: "
            "limits count weight, not rows. Scale the weights so that a row weighs about 1."
        )


class ID3Learner(MultiwayLearner):
    """Information gain, on categories only; numbers become intervals first."""

    def branches(self, n_rows: int) -> _core.MultiwayParams:
        """Return the parameters in which ID3 and C4.5 differ."""
        params = _core.MultiwayParams()
        params.gain_ratio = False
        params.without_gain = True
        params.nominal_only = True
        params.min_branch = 0.0
        params.every_branch_fraction = float(self.estimator.min_weight_fraction_leaf)
        params.min_split = row_count(self.estimator.min_samples_split, 2, n_rows)
        return params

    def prepare(
        self, values: Floats, schema: Schema, target: FitTarget, rows: RowSplit
    ) -> tuple[_core.Dataset, Restore]:
        """Turn numbers into intervals; their cuts are written into the tests afterwards."""
        cuts = self._cuts(values, schema, target, rows)
        codes, sizes = values, [len(column.categories) for column in schema.columns]
        if cuts:
            codes = np.array(values, order="F")
            for feature, bounds in cuts.items():
                codes[:, feature] = interval_codes(values[:, feature], bounds)
                sizes[feature] = len(bounds) + 1
        kinds = np.full(len(sizes), _NOMINAL, np.uint8)
        dataset = _core.Dataset(codes, kinds, np.array(sizes, dtype=np.int32))
        return dataset, partial(_with_cuts, cuts=cuts) if cuts else unchanged

    def _cuts(
        self, values: Floats, schema: Schema, target: FitTarget, rows: RowSplit
    ) -> dict[int, Floats]:
        """Return the cuts of each numeric column."""
        method, n_intervals = self.estimator.discretize, int(self.estimator.n_intervals)
        weight = target.weight if rows.growing is None else target.weight * rows.growing
        cuts = {}
        for feature, column in enumerate(schema.columns):
            if column.kind != "numeric":
                continue
            if method is None:
                raise ValueError(
                    f"column {column.name!r} is numeric, and ID3 knows categories only. Use "
                    "discretize='mdl' or 'quantile', name it in categorical_features, or take "
                    "C45Classifier, which finds thresholds itself."
                )
            if method == "mdl":
                n_classes = 0 if target.classes is None else len(target.classes)
                cuts[feature] = mdl_cuts(values[:, feature], target.strata, weight, n_classes)
            else:
                cuts[feature] = quantile_cuts(values[:, feature], weight, n_intervals)
        return cuts


class ID3Classifier(TreeClassifier):
    """An ID3 classification tree: a branch for each category, chosen by information gain.

    A column is used once on a path. A node is a leaf if its rows are of one class, or if no column
    is left that separates them; then the most common class is its label. A branch without rows
    predicts as its parent. A row whose value is missing goes down every branch in part. Rows should
    weigh about 1: heavier ones with gaps are divided very far before they are too light.

    Parameters
    ----------
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_split : int or float, default=2
        Weight that a node needs to be divided; a float is a share of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Minimum share of the total weight in each child.
    discretize : {"mdl", "quantile"} or None, default="mdl"
        How numeric columns are cut into intervals before growth: by Fayyad and Irani's criterion
        (at least one cut), or into `n_intervals` of about equal weight. None refuses numeric
        columns. Ordered columns have a branch for each category. Folds share the intervals of the
        whole table.
    n_intervals : int, default=5
        Intervals of `discretize="quantile"`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. "balanced" makes their weights add up to the same, those of the rows
        included; scikit-learn counts rows.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
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
        Share of the rows held out for `pruning="reduced_error"`.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions towards those of the nodes
        above, as in `Tree.shrink`; "auto" chooses it by cross-validation. None for none.
    random_state : int, RandomState or None, default=None
        Random seed of folds and held-out rows; the search itself is not random.
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
        Each feature's share of the entropy that the tests remove.
    pruning_path_ : PruningPath
        The sequence of subtrees, after cost-complexity pruning.

    References
    ----------
    Quinlan (1986). Induction of decision trees. Machine Learning 1.

    Examples
    --------
    >>> from spinney import ID3Classifier
    >>> X = {"party": ["yes", "no", "no"], "lazy": ["no", "yes", "no"]}
    >>> print(ID3Classifier().fit(X, ["Party", "TV", "Study"]).tree_)
    all rows: Party, n=3 (1 Party, 1 Study, 1 TV)
    |-- party = no: Study, n=2 (1 Study, 1 TV)
    |   |-- lazy = no: Study, n=1 (1 Study)
    |   `-- lazy = yes: TV, n=1 (1 TV)
    `-- party = yes: Party, n=1 (1 Party)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_weight_fraction_leaf: float = 0.0,
        discretize: str | None = "mdl",
        n_intervals: int = 5,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        pruning: str | None = None,
        cf: float = 0.25,
        subtree_raising: bool = True,
        ccp_alpha: float | None = None,
        cv: Any = 10,
        rule: str = "1se",
        validation_fraction: float = 0.3,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.discretize = discretize
        self.n_intervals = n_intervals
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.pruning = pruning
        self.cf = cf
        self.subtree_raising = subtree_raising
        self.ccp_alpha = ccp_alpha
        self.cv = cv
        self.rule = rule
        self.validation_fraction = validation_fraction
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> "ID3Learner":
        return ID3Learner(self)


def _with_cuts(core: _core.Tree, cuts: dict[int, Floats]) -> _core.Tree:
    """Return the tree whose tests on intervals by number are tests on the intervals themselves."""
    state = core.state()
    feature, begin = state["feature"], state["code_begin"]
    turned = np.isin(feature, list(cuts)) & (feature >= 0)
    if not turned.any():
        return core
    owner = np.repeat(np.arange(len(feature)), np.diff(begin))
    kept = ~turned[owner]
    lengths = np.where(turned, 0, np.diff(begin))
    bounds = [cuts[int(feature[node])] for node in np.flatnonzero(turned)]
    n_cuts = np.zeros(len(feature), dtype=np.int64)
    n_cuts[turned] = [len(one) for one in bounds]
    state["code"], state["branch"] = state["code"][kept], state["branch"][kept]
    state["code_begin"] = np.concatenate([[0], lengths.cumsum()]).astype(np.int64)
    state["cut_begin"] = np.concatenate([[0], n_cuts.cumsum()]).astype(np.int64)
    state["cut"] = np.concatenate(bounds)
    return _core.Tree(state)
