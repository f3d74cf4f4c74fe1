"""AdaBoost: members one after the other, each from the rows that those before it got wrong."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from spinney import _core
from spinney._choices import check_choice, check_flag, check_number
from spinney._params import OF_NUMBERS
from spinney._settings import random_seed, thread_count
from spinney.ensemble._answers import ClassEnsemble, NumberEnsemble
from spinney.ensemble._base import BaseEnsemble
from spinney.ensemble._lesson import Boosted
from spinney.tree import CARTClassifier, CARTRegressor

Floats = NDArray[np.float64]


class BoostedEnsemble(BaseEnsemble):
    """Members that follow each other."""

    _words = "boosting"
    _by_column = True

    def _rules(self) -> tuple[str, str]:
        """Check and return the algorithm and the loss."""
        raise NotImplementedError

    def _train(self, lesson: Any, finished: Any) -> None:
        goes_on = self._goes_on()
        if not goes_on:
            self._seed = random_seed(self.random_state)
        classes = lesson.target.classes
        plan = _core.BoostPlan()
        plan.n_members = self._n_members()
        rate = check_number("learning_rate", self.learning_rate, low=0.0, open_low=True)
        plan.set_rules(*self._rules(), rate, 0 if classes is None else len(classes))
        plan.resample = check_flag("resample", self.resample)
        plan.seed = self._seed
        before = self._committee if goes_on else None
        boosted = lesson.boost(plan, thread_count(self.n_jobs), before, finished)
        self._check(boosted)
        self._remember_members(lesson, boosted.members)
        kept = boosted.rounds[boosted.rounds[:, 3] > 0]
        self.estimator_errors_, self.estimator_weights_, self.loss_curve_ = kept[:, :3].T.copy()
        self.sample_weights_ = boosted.weights

    def _check(self, boosted: Boosted) -> None:
        """Refuse, or warn of, members that are of no use."""

    estimator_weights_: Floats

    def _weights(self) -> Floats:
        return self.estimator_weights_


class AdaBoostClassifier(BoostedEnsemble, ClassEnsemble):
    """Members that learn from what those before them got wrong, and their weighted vote.

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
        Factor of the members' weights; smaller ones need more members.
    resample : bool, default=False
        Whether members learn from rows that are drawn by their weights, instead of from weights.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        What to do at prediction with categories that fit did not see.
    warm_start : bool, default=False
        Keep the members of the last fit and add to them.
    random_state : int, RandomState or None, default=None
        For `resample`, and for learners that draw something.
    n_jobs : int or None, default=None
        Threads. They never change the result.
    verbose : int, default=0
        1 shows progress: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Columns seen in fit.
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

    def _default_learner(self) -> CARTClassifier:
        return CARTClassifier(max_depth=1, max_surrogates=0)

    def _rules(self) -> tuple[str, str]:
        check_choice("algorithm", self.algorithm, ("SAMME", "M1", "arc-x4"))
        check_choice("loss", self.loss, ("exponential", "logistic"))
        return self.algorithm, self.loss

    def _check(self, boosted: Boosted) -> None:
        if len(boosted.members):
            return
        limit = "1/2" if self.algorithm == "M1" else "1 - 1 / (number of classes)"
        raise ValueError(
            f"the first member has a weighted error of {boosted.rounds[0, 0]:.4g}, which is not "
            f"below {limit}: it is no better than guessing, so there is nothing to boost. Use a "
            "stronger estimator, such as CARTClassifier(max_depth=3)."
        )

    # -- Answers

    def _decision(self, sums: Floats) -> Floats:
        """Return what speaks for each class, as scikit-learn scales it."""
        total = sums.sum(axis=1, keepdims=True)
        if sums.shape[1] == 1:
            return np.ones_like(sums)
        against = (total - sums) / (sums.shape[1] - 1)
        return np.asarray((sums - against) / total)

    def _probabilities(self, sums: Floats) -> Floats:
        if sums.shape[1] == 1:
            return np.ones_like(sums)
        return np.asarray(softmax(self._decision(sums) / (sums.shape[1] - 1), axis=1))

    def decision_function(self, X: Any) -> Floats:
        """Return what speaks for each class: weighted votes between -1 / (K - 1) and 1.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes), or (n_rows,) with two classes
            With two classes what speaks for the second less what speaks for the first.
        """
        return self._shown(self._sums(X, True))

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
        decision = self._decision(sums)
        return decision[:, 1] - decision[:, 0] if decision.shape[1] == 2 else decision


class AdaBoostRegressor(BoostedEnsemble, NumberEnsemble):
    """AdaBoost.R2: members that learn from where those before them were far off.

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
        Factor of the members' weights; smaller ones need more members.
    resample : bool, default=True
        Whether members learn from rows that are drawn by their weights, instead of from weights.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        What to do at prediction with categories that fit did not see.
    warm_start : bool, default=False
        Keep the members of the last fit and add to them.
    random_state : int, RandomState or None, default=None
        For `resample`, and for learners that draw something.
    n_jobs : int or None, default=None
        Threads. They never change the result.
    verbose : int, default=0
        1 shows progress: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
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

    def _default_learner(self) -> CARTRegressor:
        return CARTRegressor(max_depth=3, max_surrogates=0)

    def _rules(self) -> tuple[str, str]:
        check_choice("loss", self.loss, ("linear", "square", "exponential"))
        return "R2", self.loss

    def _check(self, boosted: Boosted) -> None:
        error = boosted.rounds[0, 0]
        if len(boosted.rounds) == 1 and error >= 0.5:
            warnings.warn(
                f"the first member has a weighted loss of {error:.4g}, which is not below 1/2, so "
                "it stays alone. Use a stronger estimator, or loss='square'.",
                UserWarning,
                stacklevel=5,
            )

    def _takes_median(self) -> bool:
        return True
