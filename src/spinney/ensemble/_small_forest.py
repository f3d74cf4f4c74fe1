"""Small forests: a few trees, chosen from a pool and refitted, that answer like all of it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from spinney._checks import Check, Choice
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.ensemble._small_base import PARAMETERS, SmallForest

_ORDERS = ("loss", "pool", "margin", "orientation")


class SmallForestClassifier(ClassifierEnsemble, SmallForest):
    """A few trees that answer like a large forest.

    A pool has trees of several kinds. They are shrunk and mixed by what they answer for rows that
    they did not see. Those trees are chosen whose mean answers best for such rows. Then rows are
    drawn near the data, and the leaves are fitted together to what the pool answers there.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=25
        Largest number of trees that are kept.
    pool : int, default=200
        Number of trees that they are chosen from; at least `n_estimators`.
    members : sequence of str or None, default=None
        Kinds of trees in the pool, as many of each: "forest", trees of a random forest; "extra",
        with cuts drawn at random; "igpa", grown and pruned in turn; "oblique", which test sums of
        columns; "boosted", for rows that the others answer wrongly without having seen them; and
        "evolved", whose tests are evolved, which takes long. None for `("forest", "extra")`. Trees
        of the first kind may stay, the others teach only, unless the first are fewer than
        `n_estimators`.
    order : {"loss", "pool", "margin", "orientation"}, default="loss"
        By what trees are chosen, one after the other. For training rows that they did not see:
        "loss", so that the Brier score of their mean is least; "margin", so that rows have margins
        near a small one (margin distance minimization); "orientation", by the angle between the
        rows that a tree answers rightly and the direction in which all trees together err. Or
        "pool", so that their mean is nearest to what the pool answers for drawn rows.
    stop : float or None, default=0.0
        Share by which the estimated loss of fewer trees may be above that of `n_estimators`: the
        least number of trees that keeps to it is taken. 0.01 gives a smaller forest that is a
        little worse; None takes all.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in each child, counted among rows with a value in the split column; a
        float is a share of all rows.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Number of features drawn at random at each node; None for all.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label; "balanced" gives all classes the same total weight.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
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
        The trees, in the order in which they were chosen.
    forest_ : Forest
        The same as one structure.
    selected_ : array of int
        The members that vote, as places in `estimators_`: all of them.
    selection_report_ : SmallForestReport
        Which trees of the pool were chosen, why, and the estimated loss by the number of trees.
        `spinney.plot.plot_selection` draws it.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    Examples
    --------
    >>> from spinney import SmallForestClassifier
    >>> from spinney.datasets import load_credit_example
    >>> data = load_credit_example()
    >>> model = SmallForestClassifier(5, pool=20, random_state=0).fit(data.X, data.y)
    >>> len(model.estimators_) <= 5
    True
    """

    _parameters: ClassVar[Mapping[str, Check]] = PARAMETERS | {"order": Choice(_ORDERS)}

    def __init__(
        self,
        n_estimators: int = 25,
        *,
        pool: int = 200,
        members: Sequence[str] | None = None,
        order: str = "loss",
        stop: float | None = 0.0,
        max_depth: int | None = None,
        min_samples_leaf: int | float = 1,
        max_features: int | float | str | None = "sqrt",
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        max_surrogates: int = 0,
        unseen: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.pool = pool
        self.members = members
        self.order = order
        self.stop = stop
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.max_surrogates = max_surrogates
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SmallForestRegressor(RegressorEnsemble, SmallForest):
    """A few regression trees that answer like a large forest.

    A pool has trees of several kinds. They are shrunk and mixed by what they answer for rows that
    they did not see. Those trees are chosen whose mean answers best for such rows. Then rows are
    drawn near the data, and the leaves are fitted together to what the pool answers there.

    Works on raw tables: strings and categoricals without an encoder, gaps without an imputer.

    Parameters
    ----------
    n_estimators : int, default=25
        Largest number of trees that are kept.
    pool : int, default=200
        Number of trees that they are chosen from; at least `n_estimators`.
    members : sequence of str or None, default=None
        Kinds of trees in the pool, as many of each: "forest", trees of a random forest; "extra",
        with cuts drawn at random; "igpa", grown and pruned in turn; "oblique", which test sums of
        columns; "boosted", for rows that the others answer wrongly without having seen them; and
        "evolved", whose tests are evolved, which takes long. None for `("forest", "extra")`. Trees
        of the first kind may stay, the others teach only, unless the first are fewer than
        `n_estimators`.
    order : {"loss", "pool"}, default="loss"
        By what trees are chosen, one after the other: "loss", so that the squared error of their
        mean is least for training rows that they did not see; "pool", so that it is nearest to what
        the pool answers for drawn rows.
    stop : float or None, default=0.0
        Share by which the estimated loss of fewer trees may be above that of `n_estimators`: the
        least number of trees that keeps to it is taken. 0.01 gives a smaller forest that is a
        little worse; None takes all.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in each child, counted among rows with a value in the split column; a
        float is a share of all rows.
    max_features : int, float, {"sqrt", "log2"} or None, default=1/3
        Number of features drawn at random at each node; None for all. Trees with random cuts take
        all.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    max_surrogates : int, default=0
        Maximum number of surrogate splits kept at each node. Without any, a missing value goes to
        the larger child.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
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
        The trees, in the order in which they were chosen.
    forest_ : Forest
        The same as one structure.
    selected_ : array of int
        The members that vote, as places in `estimators_`: all of them.
    selection_report_ : SmallForestReport
        Which trees of the pool were chosen, why, and the estimated loss by the number of trees.
        `spinney.plot.plot_selection` draws it.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.

    Examples
    --------
    >>> from spinney import SmallForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, [1.0, 1.0, 5.0, 5.0] * 5
    >>> SmallForestRegressor(5, pool=20, random_state=0).fit(X, y).predict([[3.5]]).round()
    array([5.])
    """

    combine = "mean"
    _parameters: ClassVar[Mapping[str, Check]] = PARAMETERS | {"order": Choice(_ORDERS[:2])}

    def __init__(
        self,
        n_estimators: int = 25,
        *,
        pool: int = 200,
        members: Sequence[str] | None = None,
        order: str = "loss",
        stop: float | None = 0.0,
        max_depth: int | None = None,
        min_samples_leaf: int | float = 1,
        max_features: int | float | str | None = 1 / 3,
        categorical_features: Any = "from_dtype",
        max_surrogates: int = 0,
        unseen: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.pool = pool
        self.members = members
        self.order = order
        self.stop = stop
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.max_surrogates = max_surrogates
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _columns_of_random_cuts(self) -> Any:
        return None
