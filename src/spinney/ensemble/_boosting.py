"""AdaBoost: members one after the other, each from the rows that those before it got wrong."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from spinney import _core
from spinney._params import OF_NUMBERS
from spinney._settings import random_seed, thread_count
from spinney._state._kinds import FLOATS, SEED, Kind, check_bounded, need
from spinney._typing import Floats
from spinney.ensemble._base_learners import given_learners
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._combine import BoostedCombiner
from spinney.ensemble._ensemble import BaseEnsemble, Finished
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.ensemble._routing import route
from spinney.ensemble._trainer import Boosted
from spinney.tree import CARTClassifier, CARTRegressor
from spinney.tree._estimator import TreeEstimator


class BoostedEnsemble(BaseEnsemble):
    """Base class of ensembles whose members are trained one after the other."""

    _task = "boosting"
    _by_column = True
    estimator_weights_: Floats
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_seed": SEED,
        "estimator_errors_": FLOATS,
        "estimator_weights_": FLOATS,
        "loss_curve_": FLOATS,
        "sample_weights_": FLOATS,
    }

    def _check_state(self) -> None:
        super()._check_state()
        for name in ("estimator_errors_", "estimator_weights_", "loss_curve_"):
            n = len(getattr(self, name))
            need(n == len(self._members), self, f"{name} has {n} entries")
        check_bounded(self.estimator_weights_, f"{type(self).__name__}: a weight")

    def _check_combinations(self) -> None:
        """Refuse members whose shrinkage would follow the weights that boosting gives to rows."""
        for learner in self._make_learners():
            if isinstance(learner, TreeEstimator) and getattr(learner, "shrinkage", None):
                raise ValueError(
                    "members of boosting have no shrinkage: its strength counts weights of rows, "
                    "which boosting changes. Use shrinkage=None."
                )

    def _rules(self) -> tuple[str, str]:
        """Return the algorithm and the loss."""
        raise NotImplementedError

    def _train(self, trainer: Any, finished: Finished) -> None:
        continues = self._continues()
        if not continues:
            self._seed = random_seed(self.random_state)
        classes = trainer.target.classes
        plan = _core.BoostPlan()
        plan.n_members = self._n_members()
        n_classes = 0 if classes is None else len(classes)
        plan.set_rules(*self._rules(), float(self.learning_rate), n_classes)
        plan.resample = bool(self.resample)
        plan.seed = self._seed
        before = self._members if continues else None
        boosted = trainer.boost(plan, thread_count(self.n_jobs), before, finished)
        self._check_first(boosted)
        self._keep_members(trainer, boosted.members)
        rounds, kept = boosted.rounds, boosted.rounds.kept > 0
        self.estimator_errors_ = rounds.error[kept]
        self.estimator_weights_ = rounds.vote_weight[kept]
        self.loss_curve_ = rounds.loss[kept]
        self.sample_weights_ = boosted.weights

    def _check_first(self, boosted: Boosted) -> None:
        """Refuse, or warn of, a first member that is of no use."""

    def _vote_weights(self) -> Floats:
        return self.estimator_weights_


class AdaBoostClassifier(ClassifierEnsemble, BoostedEnsemble):
    """AdaBoost: members trained on reweighted rows, combined by a weighted vote.

    Parameters
    ----------
    estimator : estimator, list of estimators or None, default=None
        The learner of the members; a list is used in turn. Trees of this package are trained in one
        call; any scikit-learn classifier will do. None for a stump: CART of depth 1.
    n_estimators : int, default=50
        Number of members. Training stops sooner at one that makes no error, or too many.
    algorithm : {"SAMME", "M1", "arc-x4"}, default="SAMME"
        "SAMME" for any number of classes; "M1" needs members that are right for more than half of
        the weight; with two classes both are AdaBoost. "arc-x4" weighs a row by 1 plus the fourth
        power of the number of members that got it wrong, and members vote equally, whatever
        `learning_rate`.
    loss : {"exponential", "logistic"}, default="exponential"
        What the weights of rows follow from. "logistic" gives rows that are far wrong less weight.
    learning_rate : float, default=1.0
        Learning rate: shrinks the members' weights; smaller ones need more members.
    resample : bool, default=False
        Whether members learn from rows that are drawn by their weights, instead of from weights.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    warm_start : bool, default=False
        Whether to keep the members of the previous fit and add to them.
    random_state : int, RandomState or None, default=None
        Random seed of `resample`, and of learners that are random.
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
    estimators_ : list of estimators
        The members.
    forest_ : Forest
        Their trees, if they are trees of this package.
    estimator_weights_ : array of shape (n_members,)
        What the vote of each member counts for.
    estimator_errors_ : array of shape (n_members,)
        Weighted error of each member when it was trained.
    loss_curve_ : array of shape (n_members,)
        Mean loss of the ensemble over the training rows by the number of members.
    sample_weights_ : array of shape (n_rows,)
        Weights of the rows after the last member; they add up to 1.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the members' tests remove, weighted.

    References
    ----------
    Freund and Schapire (1997). A decision-theoretic generalization of on-line learning and an
    application to boosting. Journal of Computer and System Sciences 55.
    Zhu, Zou, Rosset and Hastie (2009). Multi-class AdaBoost. Statistics and Its Interface 2.
    Breiman (1998). Arcing classifiers. The Annals of Statistics 26.

    Examples
    --------
    >>> from spinney import AdaBoostClassifier
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 1, 0, 0]
    >>> model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    >>> model.predict([[1.5], [3.5], [5.5]])
    array([0, 1, 0])
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        algorithm: str = "SAMME",
        loss: str = "exponential",
        learning_rate: float = 1.0,
        resample: bool = False,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.algorithm = algorithm
        self.loss = loss
        self.learning_rate = learning_rate
        self.resample = resample
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return given_learners(self, CARTClassifier(max_depth=1, max_surrogates=0))

    def _combiner(self) -> BoostedCombiner:
        return BoostedCombiner()

    def _rules(self) -> tuple[str, str]:
        return self.algorithm, self.loss

    def _check_first(self, boosted: Boosted) -> None:
        if len(boosted.members):
            return
        limit = "1/2" if self.algorithm == "M1" else "1 - 1 / (number of classes)"
        raise ValueError(
            f"the first member has a weighted error of {boosted.rounds.error[0]:.4g}, which is not "
            f"below {limit}: it is no better than guessing, so there is nothing to boost. Use a "
            "stronger estimator, such as CARTClassifier(max_depth=3)."
        )

    def decision_function(self, X: Any, **params: Any) -> Floats:
        """Return the score of each class: weighted votes between -1 / (K - 1) and 1.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes), or (n_rows,) with two classes
            With two classes the score of the second less that of the first.
        """
        return self._shown(self._sums(X, True, route(self, "decision_function", params)))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield `decision_function` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array
        """
        for _, sums in self._staged_sums(X, True):
            yield self._shown(sums)

    def _shown(self, sums: Floats) -> Floats:
        decision = self._combiner().decision(sums)
        return decision[:, 1] - decision[:, 0] if decision.shape[1] == 2 else decision


class AdaBoostRegressor(RegressorEnsemble, BoostedEnsemble):
    """AdaBoost.R2: regressors trained on reweighted rows, combined by a weighted median.

    The prediction is the median of the members' predictions, weighted by how good they are.

    Parameters
    ----------
    estimator : estimator, list of estimators or None, default=None
        The learner of the members; a list is used in turn. Trees of this package are trained in one
        call; any scikit-learn regressor will do. None for CART of depth 3.
    n_estimators : int, default=50
        Number of members. Training stops sooner at one without error, or with too much of it.
    loss : {"linear", "square", "exponential"}, default="linear"
        How the distance of a prediction, as a share of the largest one, counts.
    learning_rate : float, default=1.0
        Learning rate: shrinks the members' weights; smaller ones need more members.
    resample : bool, default=True
        Whether members learn from rows that are drawn by their weights, instead of from weights.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    warm_start : bool, default=False
        Whether to keep the members of the previous fit and add to them.
    random_state : int, RandomState or None, default=None
        Random seed of `resample`, and of learners that are random.
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
    estimators_ : list of estimators
        The members.
    forest_ : Forest
        Their trees, if they are trees of this package.
    estimator_weights_ : array of shape (n_members,)
        What each member counts for.
    estimator_errors_ : array of shape (n_members,)
        Weighted mean loss of each member when it was trained.
    loss_curve_ : array of shape (n_members,)
        The same.
    sample_weights_ : array of shape (n_rows,)
        Weights of the rows after the last member; they add up to 1.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the members' tests remove, weighted.

    References
    ----------
    Drucker (1997). Improving regressors using boosting techniques. ICML.

    Examples
    --------
    >>> from spinney import AdaBoostRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]
    >>> AdaBoostRegressor(resample=False).fit(X, y).predict([[3.5]])
    array([5.])
    """

    _parameters = OF_NUMBERS

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        loss: str = "linear",
        learning_rate: float = 1.0,
        resample: bool = True,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.loss = loss
        self.learning_rate = learning_rate
        self.resample = resample
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return given_learners(self, CARTRegressor(max_depth=3, max_surrogates=0))

    def _rules(self) -> tuple[str, str]:
        return "R2", self.loss

    def _check_first(self, boosted: Boosted) -> None:
        error = boosted.rounds.error[0]
        if len(boosted.rounds.error) == 1 and error >= 0.5:
            warnings.warn(
                f"the first member has a weighted loss of {error:.4g}, which is not below 1/2, so "
                "it stays alone. Use a stronger estimator, or loss='square'.",
                UserWarning,
                stacklevel=5,
            )

    def _check_exposed(self) -> None:
        raise ValueError(
            "AdaBoostRegressor takes no exposure: it weighs members by errors of its own. Use "
            "RandomForestRegressor(criterion='poisson')."
        )

    def _judge_name(self) -> str:
        return "squared_error"  # members are weighted by a loss of boosting's own

    def _uses_median(self) -> bool:
        return True
