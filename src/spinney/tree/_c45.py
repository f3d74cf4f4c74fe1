"""C4.5: gain ratio, a branch for each category, gaps by fractions, error-based pruning, rules."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from spinney import _core
from spinney._checks import Check, Choice
from spinney._settings import row_count
from spinney._state._kinds import Kind, named, perhaps
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.tree._estimator import TreeClassifier
from spinney.tree._id3 import MultiwayLearner
from spinney.tree._learner import RowSplit
from spinney.tree._tree import Tree


class C45Learner(MultiwayLearner):
    """Gain ratio, thresholds on numbers, useless branches collapsed, and rules."""

    def branches(self, n_rows: int) -> _core.MultiwayParams:
        """Return the parameters in which ID3 and C4.5 differ."""
        params = _core.MultiwayParams()
        params.gain_ratio = self.estimator.criterion == "gain_ratio"
        params.grouped = self.estimator.nominal == "grouped"
        params.max_intervals = min(int(self.estimator.max_intervals), 2**31)
        params.min_branch = row_count(self.estimator.min_samples_leaf, 1, n_rows)
        params.min_split = 0.0
        return params

    @property
    def collapses(self) -> bool:
        """Whether branches that save no error go: other prunings judge the tree as it was grown."""
        return not self.uses_folds and self.estimator.pruning != "mdl"

    def grow(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        rows: RowSplit,
        start: Tree | None,
    ) -> tuple[Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""
        tree, errors = super().grow(values, schema, target, rows, start)
        if self.collapses:
            tree = Tree(_core.collapse_useless(tree._core), schema, target.classes)
        return tree, errors

    def member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return growth and pruning for the core."""
        learner = super().member(values, schema, target)
        learner.collapse = self.collapses
        return learner

    def finish(
        self, tree: Tree, values: Floats, target: FitTarget, rows: RowSplit
    ) -> dict[str, Any]:
        """Return the rules."""
        if not self.estimator.rules:
            return {}
        from spinney.rules import pruned_rules  # rules are made of trees

        weight = target.weight if rows.growing is None else target.weight * rows.growing
        # Rows of a leaf side by side: most rules then leave most words of a bitset at once.
        order = np.argsort(tree._core.apply(values, self.n_threads), kind="stable")
        # Columns stay columns: the core reads one at a time.
        by_leaf = np.take(values.T, order, axis=1).T
        rows_of_leaves = (by_leaf, target.strata[order], weight[order])
        return {"rules_": pruned_rules(tree, *rows_of_leaves, float(self.estimator.cf))}


class C45Classifier(TreeClassifier):
    """A C4.5 classification tree, with its pruned rules.

    Nominal columns have a branch for each category, numeric ones a threshold that is a value of the
    training data. A row whose value is missing goes down every branch in part. Branches that save
    no training error are removed; then the tree is pruned by an upper confidence limit on the
    errors of its leaves.

    As in C4.5, limits count weight, not rows: a node needs `2 * min_samples_leaf`, a numeric test
    on each side a tenth of the known weight divided by the number of classes, at least
    `min_samples_leaf` and at most 25. Rows should weigh about 1: heavier ones with gaps are divided
    very far before they are too light.

    Parameters
    ----------
    criterion : {"gain_ratio", "entropy", "log_loss"}, default="gain_ratio"
        What chooses between columns: the gain ratio among the tests that gain at least the
        average, or the information gain alone.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_leaf : int or float, default=2
        Weight that at least two branches of a test need; a float is a share of the rows.
    nominal : {"multiway", "grouped"}, default="multiway"
        A branch for each category, or for each group of categories: those are merged two at a time
        while the gain ratio does not fall.
    max_intervals : int, default=2
        Branches that a numeric test may have. More than two are cut one after the other, while the
        gain ratio grows.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. "balanced" makes their weights add up to the same, those of the rows
        included; scikit-learn counts rows.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    pruning : str or None, default="error_based"
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
    rules : bool, default=True
        Whether fit also makes `rules_`. It takes longer than the tree on very large tables.
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
    rules_ : RuleSet
        The rules of the tree, each with the conditions that it needs, best first; not there with
        `rules=False`.
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the entropy that the tests remove.
    pruning_path_ : PruningPath
        The sequence of subtrees, after cost-complexity pruning.

    References
    ----------
    Quinlan (1993). C4.5: Programs for Machine Learning.
    Quinlan (1996). Improved use of continuous attributes in C4.5. JAIR 4.

    Examples
    --------
    >>> from spinney import C45Classifier
    >>> X = {"sky": ["sun", "sun", "rain", "rain", "cloud", "cloud"] * 2}
    >>> model = C45Classifier().fit(X, ["stay", "stay", "go", "go", "go", "go"] * 2)
    >>> print(model.tree_)
    all rows: go, n=12 (8 go, 4 stay)
    |-- sky = cloud: go, n=4 (4 go)
    |-- sky = rain: go, n=4 (4 go)
    `-- sky = sun: stay, n=4 (4 stay)
    """

    _fitted_fields: ClassVar[Mapping[str, Kind]] = {"rules_": perhaps(named("RuleSet"))}
    _parameters: ClassVar[Mapping[str, Check]] = {
        "criterion": Choice(("gain_ratio", "entropy", "log_loss"))
    }

    def __init__(
        self,
        criterion: str = "gain_ratio",
        *,
        max_depth: int | None = None,
        min_samples_leaf: int | float = 2,
        nominal: str = "multiway",
        max_intervals: int = 2,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        pruning: str | None = "error_based",
        cf: float = 0.25,
        subtree_raising: bool = True,
        ccp_alpha: float | None = None,
        cv: Any = 10,
        rule: str = "1se",
        validation_fraction: float = 0.3,
        rules: bool = True,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.max_intervals = max_intervals
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
        self.rules = rules
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learner(self) -> "C45Learner":
        return C45Learner(self)
