"""Small forests: a few trees, chosen from a pool and refitted, that answer like all of it."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._checks import Integer, Number, Such, optional
from spinney._settings import feature_count, random_seed, thread_count
from spinney._state._kinds import SEED, Kind, need, one
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._ensemble import BaseEnsemble, Finished
from spinney.ensemble._forest import Forest
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.ensemble._small_pool import KINDS, Pool, grow_pool, is_kinds, learner_of
from spinney.ensemble._small_report import SmallForestReport
from spinney.ensemble._trainer import TreeTrainer, in_units
from spinney.tree._measures import rescaled_tree, scaled
from spinney.tree._shrinkage import candidates
from spinney.tree._tree import Tree

_TAKE_ALL = -1.0
_USUAL = ("forest", "extra")
_PARAMETERS = {
    "pool": Integer(1),
    "members": optional(
        Such(f"a list of different kinds of trees out of {', '.join(map(repr, KINDS))}", is_kinds)
    ),
    "stop": optional(Number(0.0)),
}


@dataclass(frozen=True)
class Imitation:
    """How few trees are fitted to many; the constants of decision 0090.

    Parameters
    ----------
    times, least_drawn, most_drawn : int
        Rows to draw near each row of fit, and bounds of their number.
    reach : int
        How many places a row is at most from the one that it is mixed with, in the leaves of a
        tree.
    prior_rows : float
        Rows that hold a leaf back where it was.
    n_sweeps : int
        How often all leaves are fitted.
    n_staying : int
        The first so many kinds of trees may stay, the others teach only.
    """

    times: int = 8
    least_drawn: int = 4000
    most_drawn: int = 16000
    reach: int = 5
    prior_rows: float = 5.0
    n_sweeps: int = 4
    n_staying: int = 1

    def plan(self, n_rows: int) -> _core.SmallPlan:
        """Return the settings for the core, and a number of rows."""
        plan = _core.SmallPlan()
        plan.n_drawn = min(max(self.times * n_rows, self.least_drawn), self.most_drawn)
        for name in ("reach", "prior_rows", "n_sweeps", "n_staying"):
            setattr(plan, name, getattr(self, name))
        return plan


class SmallForest(BaseEnsemble):
    """Base class of small forests."""

    combine = "average"
    _imitation = Imitation()
    _by_column = True
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_seed": SEED,
        "selection_report_": one(SmallForestReport),
    }

    def _check_state(self) -> None:
        super()._check_state()
        fits = len(self.selection_report_.selected) == len(self._members)
        need(fits, self, "the report tells of other trees")

    def _check_combinations(self) -> None:
        if int(self.pool) < int(self.n_estimators):
            raise ValueError(
                f"pool={self.pool!r} has fewer trees than n_estimators={self.n_estimators!r}, "
                "which are chosen from it. Use a larger pool, or fewer trees."
            )

    def _n_members(self) -> int:
        return int(self.pool)

    def _train(self, trainer: TreeTrainer, finished: Finished) -> None:
        self._seed = random_seed(self.random_state)
        n_rows = int((trainer.target.weight > 0).sum())
        plan = _core.EnsemblePlan()
        plan.n_members = int(self.pool)
        plan.set_sampling("bootstrap", n_rows, 1)
        plan.set_targets("none", 0.0)
        plan.seed = self._seed
        n_columns, members = len(trainer.schema.columns), self._kinds()
        for kind, settings in zip(members, trainer.settings, strict=True):
            if kind == "extra":
                columns = self._columns_of_random_cuts()
                settings.max_features = feature_count(columns, n_columns)
        pool = grow_pool(trainer, members, plan, thread_count(self.n_jobs), finished)
        chosen, report = self._choose(trainer, pool, n_rows)
        if math.isnan(report.pool_loss):
            warnings.warn(
                f"no row of {n_rows} was left out by trees of every kind, so nothing judged how "
                "to shrink and mix them. Use more rows, or a larger pool.",
                UserWarning,
                stacklevel=3,
            )
        self._keep_members(trainer, chosen)
        by_name = dict(zip(members, trainer.learners, strict=True))
        own = [by_name[report.members[kind]] for kind in report.kinds.tolist()]
        self._learner_runs = [(0, own)]
        self.selection_report_ = report

    @property
    def selected_(self) -> NDArray[np.int64]:
        """The members that vote, as places in `estimators_`: all of them."""
        check_is_fitted(self)
        return self._voters()

    def _choose(
        self, trainer: TreeTrainer, pool: Pool, n_rows: int
    ) -> tuple[Forest, SmallForestReport]:
        """Return the chosen trees of a pool, refitted, and a report."""
        target = trainer.target
        how = self._imitation.plan(n_rows)
        how.n_trees, how.seed = int(self.n_estimators), self._seed
        how.stop = _TAKE_ALL if self.stop is None else float(self.stop)
        core, selected, *told = _core.small_forest(
            in_units(pool.trees, target),
            pool.kinds.tolist(),
            trainer.values,
            target.core(),
            pool.plan,
            candidates(target),
            how,
            thread_count(self.n_jobs),
        )
        counts = np.bincount(pool.kinds).astype(np.int64)
        report = SmallForestReport(pool.members, counts, selected, pool.kinds[selected], *told)
        if target.exponent:
            units = 2 * target.exponent
            own = [Tree(core.tree(i), trainer.schema) for i in range(core.n_members)]
            core = _core.Forest(
                [rescaled_tree(tree, target.exponent, target.loss_exponent)._core for tree in own]
            )
            report = replace(
                report,
                distances=scaled(report.distances, units),
                kind_losses=scaled(report.kind_losses, units),
                pool_loss=float(scaled(np.array(report.pool_loss), units)),
                refitted=scaled(report.refitted, units),
            )
        return Forest(core, trainer.schema, target.classes), report

    def _member_settings(self, n_columns: int) -> dict[str, Any]:
        settings = super()._member_settings(n_columns)
        return settings | {"max_features": feature_count(self.max_features, n_columns)}

    def _columns_of_random_cuts(self) -> Any:
        """Return how many features a node draws in trees with random cuts."""
        return self.max_features

    def _make_learners(self) -> list[Any]:
        classes = isinstance(self, ClassifierEnsemble)
        return [learner_of(self, kind, classes=classes) for kind in self._kinds()]

    def _kinds(self) -> tuple[str, ...]:
        """Return the kinds of trees in the pool."""
        return _USUAL if self.members is None else tuple(self.members)


class SmallForestClassifier(ClassifierEnsemble, SmallForest):
    """A few trees that answer like a large forest.

    A pool has trees of several kinds. They are shrunk and mixed by what they answer for rows that
    they did not see. Then rows are drawn near the data, those trees are chosen whose mean is
    nearest to what the pool answers there, and their leaves are fitted to these answers together.

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

    _parameters = _PARAMETERS

    def __init__(
        self,
        n_estimators: int = 25,
        *,
        pool: int = 200,
        members: Sequence[str] | None = None,
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
    they did not see. Then rows are drawn near the data, those trees are chosen whose mean is
    nearest to what the pool answers there, and their leaves are fitted to these answers together.

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
    _parameters = _PARAMETERS

    def __init__(
        self,
        n_estimators: int = 25,
        *,
        pool: int = 200,
        members: Sequence[str] | None = None,
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
