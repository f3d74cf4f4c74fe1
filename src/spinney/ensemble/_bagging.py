"""Bagging of any learner, with selection of members."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from spinney._params import OF_NUMBERS
from spinney._settings import thread_count
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._base_learners import given_learners
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._foreign_members import ForeignMembers
from spinney.ensemble._leaf_targets import predict_quantiles
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.ensemble._routing import learners_of, route
from spinney.tree import CARTClassifier, CARTRegressor


def _members_decide(ensemble: "BaggingClassifier") -> bool:
    runs = vars(ensemble).get("_learner_runs", [])
    learners = [one for _, own in runs for one in own] or learners_of(ensemble).values()
    return all(hasattr(learner, "decision_function") for learner in learners)


class BaggingClassifier(ClassifierEnsemble, BaggedEnsemble):
    """Bagging: members trained on samples of the rows, or other parts of the data, that vote.

    Every source of difference between members can be used with every other: rows, weights, columns,
    classes and tests.

    Parameters
    ----------
    estimator : estimator, list of estimators or None, default=None
        The learner of the members; a list is used in turn. Trees of this package are trained in one
        call, with their own criterion, costs and pruning; any scikit-learn classifier will do. None
        for CART, fully grown, without surrogates.
    n_estimators : int, default=100
        Number of members; the maximum number with `early_stopping`.
    sampling : str or None, default="bootstrap"
        Which rows a member sees: "bootstrap" draws them with replacement, "subsample" without;
        "partition" divides them into disjoint parts, one a member, and "overlap" gives each member
        all but one of the parts; "wagging" gives each row a random weight; None is all rows.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement where `sampling` is "bootstrap". False uses all
        rows, or `max_samples` of them drawn without replacement; there are no out-of-bag rows if
        all are used.
    max_samples : int, float or None, default=None
        Rows that a member sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as members for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of features drawn at random for each member; None for all.
    bootstrap_features : bool, default=False
        Whether they are drawn with replacement, so that a member may get a feature twice and
        another not at all.
    targets : {"regroup", "flip"} or None, default=None
        What members are taught: the classes, or two random groups of classes, where a vote counts
        for every class of its group, or classes of which some are changed at random.
    flip_rate : float, default=0.1
        Chance of a label to be changed by `targets="flip"`.
    n_best_splits : int, default=1
        Number of best splits, of different columns, one of which each node of CART takes at random.
    selection : {"trimmed", "mode"}, callable or None, default=None
        Which members stay: all but the `trim` share with most errors, those with at most the most
        common number of errors, or those that a function of the errors selects.
    selection_data : {"training", "oob"} or tuple (X, y), default="training"
        Where errors are counted: on all training rows, as rates on the rows that a member did not
        see, or on given rows.
    trim : float, default=0.25
        Share of the members that `selection="trimmed"` drops.
    combine : {"vote", "average"}, default="vote"
        Each member votes for a class, or the class shares are averaged.
    ties : {"lowest", "random"}, default="lowest"
        Which class wins a tied vote: the first, or one drawn at random for each row.
    oob_score : bool or callable, default=False
        Whether to predict each row by the members that did not see it. A function of the true and
        the predicted targets gives `oob_score_` instead of accuracy or R squared.
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
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions of trees towards those of the
        nodes above, as in `Tree.shrink`; "auto" chooses it by the rows that trees did not see. None
        for none.
    warm_start : bool, default=False
        Whether to keep the members of the previous fit and add to them.
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
    estimators_ : list of estimators
        All members.
    forest_ : Forest
        Their trees, if they are trees of this package.
    selected_ : array of int
        Places of the members that vote.
    selection_report_ : SelectionReport
        Errors of the members, and why those stayed that did.
    oob_score_ : float
        Accuracy of the votes of members that did not see a row: of all members, also of those that
        `selection` leaves out.
    oob_decision_function_ : array of shape (n_rows, n_classes)
        Shares of these votes; NaN for a row that every member saw.
    oob_error_curve_ : array
        Their error by the number of members.
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the members' tests remove, on average.

    References
    ----------
    Breiman (1996). Bagging predictors. Machine Learning 24.

    Examples
    --------
    >>> from spinney import BaggingClassifier
    >>> from spinney.datasets import load_credit_example
    >>> data = load_credit_example()
    >>> model = BaggingClassifier(n_estimators=25, random_state=0).fit(data.X, data.y)
    >>> len(model.estimators_)
    25
    """

    _draws_columns = True

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        sampling: str | None = "bootstrap",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        max_features: int | float | str | None = None,
        bootstrap_features: bool = False,
        targets: str | None = None,
        flip_rate: float = 0.1,
        n_best_splits: int = 1,
        selection: Any = None,
        selection_data: Any = "training",
        trim: float = 0.25,
        combine: str = "vote",
        ties: str = "lowest",
        oob_score: bool = False,
        early_stopping: bool = False,
        n_iter_no_change: int = 20,
        tol: float = 0.0,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        shrinkage: float | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap_features = bootstrap_features
        self.targets = targets
        self.flip_rate = flip_rate
        self.n_best_splits = n_best_splits
        self.selection = selection
        self.selection_data = selection_data
        self.trim = trim
        self.combine = combine
        self.ties = ties
        self.oob_score = oob_score
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.shrinkage = shrinkage
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return given_learners(self, CARTClassifier(max_surrogates=0))

    def _callee(self, caller: str, learner: Any) -> str:
        if caller == "decision_function":
            return caller
        averages = self.combine == "average" and hasattr(learner, "predict_proba")
        return "predict_proba" if averages else "predict"

    @available_if(_members_decide)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """Return the mean of the members' decision functions, if they have one.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for the members, with `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes), or (n_rows,) with two classes
        """
        rows = self._member_rows(X, route(self, "decision_function", params))
        assert isinstance(self._members, ForeignMembers)  # no tree has a decision function
        return self._members.decisions(rows, self._voters(), thread_count(self.n_jobs))


class BaggingRegressor(RegressorEnsemble, BaggedEnsemble):
    """Bagging for regression: the mean, or median, of members trained on samples of the rows.

    Parameters
    ----------
    estimator : estimator, list of estimators or None, default=None
        The learner of the members; a list is used in turn. Trees of this package are trained in one
        call, with their own criterion and pruning; any scikit-learn regressor will do. None for
        CART, fully grown, without surrogates.
    n_estimators : int, default=100
        Number of members; the maximum number with `early_stopping`.
    sampling : str or None, default="bootstrap"
        Which rows a member sees: "bootstrap" draws them with replacement, "subsample" without;
        "partition" divides them into disjoint parts, one a member, and "overlap" gives each member
        all but one of the parts; "wagging" gives each row a random weight; None is all rows.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement where `sampling` is "bootstrap". False uses all
        rows, or `max_samples` of them drawn without replacement; there are no out-of-bag rows if
        all are used.
    max_samples : int, float or None, default=None
        Rows that a member sees, or their share. None: all of them for "bootstrap", half for
        "subsample", and as many parts as members for "partition" and "overlap", where it is the
        size of a part. Not used by "wagging" and None.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number of features drawn at random for each member; None for all.
    bootstrap_features : bool, default=False
        Whether they are drawn with replacement, so that a member may get a feature twice and
        another not at all.
    n_best_splits : int, default=1
        Number of best splits, of different columns, one of which each node of CART takes at random.
    selection : {"trimmed", "mode"}, callable or None, default=None
        Which members stay: all but the `trim` share with the largest errors, those with at most the
        most common error (errors are put into bins), or those that a function of the errors
        selects.
    selection_data : {"training", "oob"} or tuple (X, y), default="training"
        Where errors are measured: on all training rows, on the rows that a member did not see, or
        on given rows.
    trim : float, default=0.25
        Share of the members that `selection="trimmed"` drops.
    combine : {"mean", "median"}, default="mean"
        The mean of the members' predictions, or the median (bragging).
    oob_score : bool or callable, default=False
        Whether to predict each row by the members that did not see it. A function of the true and
        the predicted targets gives `oob_score_` instead of accuracy or R squared.
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
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    shrinkage : float, "auto" or None, default=None
        Strength of the hierarchical shrinkage that pulls predictions of trees towards those of the
        nodes above, as in `Tree.shrink`; "auto" chooses it by the rows that trees did not see. None
        for none.
    keep_targets : bool, default=False
        Whether to keep the targets of the training rows in each leaf, for `predict_quantiles`: some
        10 bytes a row and tree, in memory and in model files. They are in `leaf_targets_`, whose
        `nbytes` is their size.
    warm_start : bool, default=False
        Whether to keep the members of the previous fit and add to them.
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
    estimators_ : list of estimators
        All members.
    forest_ : Forest
        Their trees, if they are trees of this package.
    selected_ : array of int
        Places of the members that answer.
    selection_report_ : SelectionReport
        Errors of the members, and why those stayed that did.
    oob_score_ : float
        R squared of the out-of-bag predictions: of all members, also of those that `selection`
        leaves out.
    oob_prediction_ : array of shape (n_rows,)
        Means of the members that did not see a row; NaN for a row that every member saw.
    oob_error_curve_ : array
        Their mean cost by the number of members: by the criterion of the members, or by squared
        error if these have none in common.
    shrinkage_ : float
        Strength of the shrinkage; 0 for none.
    leaf_targets_ : LeafTargets
        Targets of the training rows in the leaves, with `keep_targets`.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the members' tests remove, on average.

    References
    ----------
    Breiman (1996). Bagging predictors. Machine Learning 24.

    Examples
    --------
    >>> from spinney import BaggingRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]
    >>> BaggingRegressor(sampling=None, n_estimators=3).fit(X, y).predict([[3.5]])
    array([5.])
    """

    _draws_columns = True
    _parameters = OF_NUMBERS
    predict_quantiles = predict_quantiles

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        sampling: str | None = "bootstrap",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        max_features: int | float | str | None = None,
        bootstrap_features: bool = False,
        n_best_splits: int = 1,
        selection: Any = None,
        selection_data: Any = "training",
        trim: float = 0.25,
        combine: str = "mean",
        oob_score: bool = False,
        early_stopping: bool = False,
        n_iter_no_change: int = 20,
        tol: float = 0.0,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        shrinkage: float | str | None = None,
        keep_targets: bool = False,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap_features = bootstrap_features
        self.n_best_splits = n_best_splits
        self.selection = selection
        self.selection_data = selection_data
        self.trim = trim
        self.combine = combine
        self.oob_score = oob_score
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.shrinkage = shrinkage
        self.keep_targets = keep_targets
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return given_learners(self, CARTRegressor(max_surrogates=0))
