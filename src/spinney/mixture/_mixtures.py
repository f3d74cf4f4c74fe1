"""The estimators: mixtures of experts for classification and for regression."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from spinney._state._kinds import Kind, one
from spinney._target import FitTarget, check_numbers, check_y, class_target
from spinney._typing import Floats
from spinney.ensemble._voting_members import all_classes, codes_of, read_members
from spinney.mixture._base_mixture import BaseMixture
from spinney.mixture._experts import (
    FARTHEST,
    ClassLearner,
    Expert,
    Learner,
    LinearExpert,
    LogisticExpert,
    NumberLearner,
)
from spinney.mixture._training_data import Scale
from spinney.mixture._validation import mixture_parameters


class MixtureOfExpertsClassifier(ClassifierMixin, BaseMixture):
    """Mixture of experts for classification, with softmax gates.

    The probability of a class is the sum over experts of the gate probability times the expert's
    class probability. Gates are softmax functions of the row, arranged in a tree if `branching` has
    several levels; experts are logistic regressions, classifiers that accept sample weights, or
    classifiers that are already fitted. Training is by EM: the responsibilities of the experts for
    each row are computed, and every gate and expert is fitted to its weighted rows. The penalised
    log-likelihood never decreases.

    Parameters
    ----------
    expert : str or estimator, default="logistic"
        The experts to train: "logistic" for classification, "linear" for regression, or an
        estimator to be cloned whose fit accepts `sample_weight` and, for classification, that has
        `predict_proba`. Clones get the table unchanged and are refitted in every step; a refit that
        lowers the likelihood of its rows is discarded.
    estimators : list or None, default=None
        Fitted estimators, or (name, estimator) pairs, to be combined instead: only the gates and,
        for regression, the variances are trained. `clone` keeps them fitted. Fit the mixture on
        rows that they were not trained on.
    branching : int, tuple of int or None, default=None
        Number of branches of the gates of each level: (3,) is one gate over three experts, (2, 2)
        two gates of two branches below a first one. None for (3,), or one gate over all
        `estimators`.
    C : float, default=1.0
        Inverse of the ridge penalty of logistic and linear experts: as `C` in LogisticRegression of
        scikit-learn, and as `1 / alpha` in Ridge. Coefficients are penalised in the units of the
        table, intercepts are not.
    gate_C : float, default=1.0
        Inverse of the ridge penalty of the gates.
    solver : {"em", "gradient"}, default="em"
        EM, or gradient ascent (L-BFGS) on all coefficients jointly, for logistic and linear experts
        only.
    n_init : int, default=3
        Number of random initialisations, of which the best is kept. Fitted `estimators` need only
        one, from uniform gates.
    max_iter : int, default=200
        Maximum number of iterations; a warning is issued if they do not suffice.
    tol : float, default=1e-4
        Convergence tolerance: the gain in penalised log-likelihood per unit of weight.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    random_state : int, RandomState or None, default=None
        Random seed of the initial gates and of the experts. No random numbers are drawn by row.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.
    verbose : int, default=0
        1 prints the log-likelihood of every initialisation.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    experts_ : list
        Logistic experts as objects with `columns`, `intercept` and `coef`; others as estimators.
    gates_ : list of Gate
        By level: `path`, `experts` below each branch, `intercept`, `coef` and `shares`.
    log_likelihood_ : array of shape (n_iterations_,)
        Penalised log-likelihood after each iteration of the best initialisation.
    n_iterations_ : int
        Number of iterations of the best initialisation.
    n_iter_ : int
        The same, under scikit-learn's name.
    converged_ : bool
        Whether the best initialisation converged.

    Notes
    -----
    Gates and logistic experts one-hot encode nominal columns, up to the 100 categories of largest
    weight. Missing values are replaced by the training mean, infinities by the ends of the training
    range. With one expert the model is scikit-learn's LogisticRegression with the same C.

    References
    ----------
    M. I. Jordan and R. A. Jacobs, Hierarchical mixtures of experts and the EM algorithm. Neural
    Computation 6, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import MixtureOfExpertsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(400, 2))
    >>> y = (X[:, 1] > 0) ^ (X[:, 0] > 0)
    >>> model = MixtureOfExpertsClassifier(branching=(2,), random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _builtin = "logistic"
    _classes = True
    _parameters = mixture_parameters("logistic", classes=True)

    def __init__(
        self,
        expert: Any = "logistic",
        *,
        estimators: Any = None,
        branching: Any = None,
        C: float = 1.0,
        gate_C: float = 1.0,
        solver: str = "em",
        n_init: int = 3,
        max_iter: int = 200,
        tol: float = 1e-4,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.expert = expert
        self.estimators = estimators
        self.branching = branching
        self.C = C
        self.gate_C = gate_C
        self.solver = solver
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class of each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        codes = self._combined(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Predict class probabilities.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        shares = self._combined(X)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    # -- Hooks of the base class

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        target = class_target(y, weight, estimator_name=type(self).__name__)
        if self.estimators is not None:
            all_classes(target.classes, read_members(self.estimators))
        return target

    def _new_expert(self, n_columns: int, learner: Learner | None) -> Expert:
        if learner is None:
            return LogisticExpert(np.zeros((n_columns, len(self.classes_) - 1)))
        return ClassLearner(None, self.classes_, learner)

    def _fitted_expert(self, who: str, estimator: Any) -> Expert:
        return ClassLearner(estimator, self.classes_, None, who)

    def _read_target(self, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        labels = check_y(y, n_rows, type(self).__name__)
        codes = codes_of(labels, {label: k for k, label in enumerate(self.classes_.tolist())})
        if codes.min(initial=0) < 0:
            strange = labels.tolist()[int(codes.argmin())]
            raise ValueError(f"y holds {strange!r}, which is none of the classes of fit.")
        return codes, labels

    def _counted(self, output: Floats) -> Floats:
        return np.exp(output)


class MixtureOfExpertsRegressor(RegressorMixin, BaseMixture):
    """Mixture of experts for regression, with softmax gates.

    The prediction is the sum over experts of the gate probability times the expert's prediction.
    Gates are softmax functions of the row, arranged in a tree if `branching` has several levels;
    experts are linear regressions, regressors that accept sample weights, or regressors that are
    already fitted, each with normal errors of its own variance. Training is by EM: the
    responsibilities of the experts for each row are computed, and every gate and expert is fitted
    to its weighted rows. The penalised log-likelihood never decreases.

    Parameters
    ----------
    expert : str or estimator, default="linear"
        The experts to train: "logistic" for classification, "linear" for regression, or an
        estimator to be cloned whose fit accepts `sample_weight` and, for classification, that has
        `predict_proba`. Clones get the table unchanged and are refitted in every step; a refit that
        lowers the likelihood of its rows is discarded.
    estimators : list or None, default=None
        Fitted estimators, or (name, estimator) pairs, to be combined instead: only the gates and,
        for regression, the variances are trained. `clone` keeps them fitted. Fit the mixture on
        rows that they were not trained on.
    branching : int, tuple of int or None, default=None
        Number of branches of the gates of each level: (3,) is one gate over three experts, (2, 2)
        two gates of two branches below a first one. None for (3,), or one gate over all
        `estimators`.
    C : float, default=1.0
        Inverse of the ridge penalty of logistic and linear experts: as `C` in LogisticRegression of
        scikit-learn, and as `1 / alpha` in Ridge. Coefficients are penalised in the units of the
        table, intercepts are not.
    gate_C : float, default=1.0
        Inverse of the ridge penalty of the gates.
    solver : {"em", "gradient"}, default="em"
        EM, or gradient ascent (L-BFGS) on all coefficients jointly, for logistic and linear experts
        only.
    n_init : int, default=3
        Number of random initialisations, of which the best is kept. Fitted `estimators` need only
        one, from uniform gates.
    max_iter : int, default=200
        Maximum number of iterations; a warning is issued if they do not suffice.
    tol : float, default=1e-4
        Convergence tolerance: the gain in penalised log-likelihood per unit of weight.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    random_state : int, RandomState or None, default=None
        Random seed of the initial gates and of the experts. No random numbers are drawn by row.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.
    verbose : int, default=0
        1 prints the log-likelihood of every initialisation.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    experts_ : list
        Linear experts as objects with `columns`, `intercept`, `coef` and `variance`; others as
        estimators.
    gates_ : list of Gate
        By level: `path`, `experts` below each branch, `intercept`, `coef` and `shares`.
    log_likelihood_ : array of shape (n_iterations_,)
        Penalised log-likelihood after each iteration of the best initialisation.
    n_iterations_ : int
        Number of iterations of the best initialisation.
    n_iter_ : int
        The same, under scikit-learn's name.
    converged_ : bool
        Whether the best initialisation converged.

    Notes
    -----
    Gates and linear experts one-hot encode nominal columns, up to the 100 categories of largest
    weight. Missing values are replaced by the training mean, infinities by the ends of the training
    range. With one expert the coefficients are those of scikit-learn's `Ridge(alpha=1 / C)`. The
    variance of an expert is at least 1e-4 of that of y, so that the likelihood is bounded.

    References
    ----------
    M. I. Jordan and R. A. Jacobs, Hierarchical mixtures of experts and the EM algorithm. Neural
    Computation 6, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import MixtureOfExpertsRegressor
    >>> x = np.linspace(-3, 3, 200)
    >>> y = np.abs(x)
    >>> model = MixtureOfExpertsRegressor(branching=(2,), random_state=0).fit(x[:, None], y)
    >>> bool(model.score(x[:, None], y) > 0.99)
    True
    """

    _builtin = "linear"
    _classes = False
    _parameters = mixture_parameters("linear", classes=False)
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {"_scale": one(Scale)}

    def __init__(
        self,
        expert: Any = "linear",
        *,
        estimators: Any = None,
        branching: Any = None,
        C: float = 1.0,
        gate_C: float = 1.0,
        solver: str = "em",
        n_init: int = 3,
        max_iter: int = 200,
        tol: float = 1e-4,
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.expert = expert
        self.estimators = estimators
        self.branching = branching
        self.C = C
        self.gate_C = gate_C
        self.solver = solver
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def predict(self, X: Any) -> Floats:
        """Predict the value of each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        means = self._combined(X)[:, 0]
        return self._scale.up(means)

    # -- Hooks of the base class

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        return FitTarget(weight, y=check_numbers(y, weight, type(self).__name__))

    def _new_expert(self, n_columns: int, learner: Learner | None) -> Expert:
        if learner is None:
            return LinearExpert(np.zeros(n_columns), 1.0)
        return NumberLearner(None, self._scale, learner)

    def _fitted_expert(self, who: str, estimator: Any) -> Expert:
        return NumberLearner(estimator, self._scale, None, who=who)

    def _read_target(self, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        numbers = check_numbers(y, np.ones(n_rows), type(self).__name__)
        return np.clip(self._scale.down(numbers), -FARTHEST, FARTHEST), numbers

    def _counted(self, output: Floats) -> Floats:
        return output[:, np.newaxis]
