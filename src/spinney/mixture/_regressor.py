"""A mixture of experts that predict numbers."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from spinney._state._kinds import Kind, one
from spinney._table import Schema
from spinney._target import FitTarget, check_numbers
from spinney.mixture._base import BaseMixture
from spinney.mixture._experts import Expert, LinearExpert
from spinney.mixture._learners import FARTHEST, NumberLearner, Recipe
from spinney.mixture._lesson import Asked, Lesson, Scale
from spinney.mixture._settings import mixture_parameters
from spinney.mixture._views import linear_part

Floats = NDArray[np.float64]


class MixtureOfExpertsRegressor(RegressorMixin, BaseMixture):
    """Experts that each know a part of the rows best, and gates that learn whom to trust where.

    The prediction is the sum over experts of the gates' share times the expert's own prediction.
    Gates are softmax functions of the row, in a tree where `branching` has several levels; experts
    are linear regressions, any regressors that take weights, or regressors that are fitted already,
    each with normal errors of its own variance. All are trained by EM: rows are divided among the
    experts by who explains them best, and everyone learns from its share. The penalised
    log-likelihood never falls.

    Parameters
    ----------
    expert : str or estimator, default="linear"
        What is learned: "logistic" for classes, "linear" for numbers, or clones of an estimator
        whose fit takes `sample_weight` and that has `predict_proba` if it is a classifier. Clones
        get the table as it is, and are fitted in every step; a fit that explains its rows worse
        than the one before is dropped.
    estimators : list or None, default=None
        Fitted estimators, or (name, estimator) pairs, to be combined instead: only the gates are
        learned, and for numbers the variances. `clone` keeps them fitted. Fit the mixture on rows
        that they have not seen.
    branching : int, tuple of int or None, default=None
        Branches of the gates, level by level: (3,) is one gate over three experts, (2, 2) two gates
        of two below a first one. None for (3,), or one gate over all `estimators`.
    C : float, default=1.0
        The inverse of the ridge of logistic and linear experts: as `C` in LogisticRegression of
        scikit-learn, and as `1 / alpha` in Ridge. The ridge is on coefficients in the units of the
        table, not on intercepts.
    gate_C : float, default=1.0
        The inverse of the ridge of the gates.
    solver : {"em", "gradient"}, default="em"
        EM, or gradient ascent (L-BFGS) on all coefficients at once, for logistic and linear
        experts only.
    n_init : int, default=3
        Random starts, of which the best is kept. Fitted `estimators` need one, from even gates.
    max_iter : int, default=200
        Steps of a start at most; a warning says when they were not enough.
    tol : float, default=1e-4
        Steps end when the penalised log-likelihood of a unit of weight gains no more than this.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        What to do at prediction with categories that fit did not see.
    random_state : int, RandomState or None, default=None
        For the starts: coefficients of the gates, and seeds of learners. Nothing is drawn by row.
    n_jobs : int or None, default=None
        Threads. They never change the result.
    verbose : int, default=0
        1 prints the log-likelihood of every start.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    experts_ : list
        Linear experts as objects with `columns`, `intercept`, `coef` and `variance`; others as
        estimators.
    gates_ : list of Gate
        Level by level: `path`, `experts` below each branch, `intercept`, `coef` and `shares`.
    log_likelihood_ : array of shape (n_iterations_,)
        Less the ridges, after every step of the best start.
    n_iterations_ : int
        Steps of the best start.
    n_iter_ : int
        The same, under scikit-learn's name.
    converged_ : bool
        Whether they ended by `tol`.

    Notes
    -----
    Gates and linear experts take nominal columns as one number a category, of a column the 100 that
    weigh most. Gaps are filled by the mean of fit, infinities by the ends of its range.
    With one expert the coefficients are those of scikit-learn's `Ridge(alpha=1 / C)`. No variance
    is below 1e-4 of that of y: an expert of a single row must not be infinitely sure.

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

    _own = "linear"
    _parameters = mixture_parameters("linear", classes=False)
    _classes = False
    _scale: Scale

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
        """Return the experts' predictions, each by its share, added up.

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

    # -- What the base asks

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        return FitTarget(weight, y=check_numbers(y, weight, type(self).__name__))

    def _lesson(
        self, asked: Asked, weight: Floats, ridges: tuple[Floats, Floats], truth: Any, told: Any
    ) -> Lesson:
        self._scale = Scale.of(told, weight)
        scaled = self._scale.down(told)
        return Lesson(asked, weight, *ridges, scaled, told, scale=self._scale)

    def _new_expert(self, lesson: Lesson, learner: Any, schema: Schema) -> Callable[[int], Expert]:
        n_columns = lesson.asked.design.shape[1]
        scale = self._scale

        def new(seed: int) -> Expert:
            if learner is None:
                return LinearExpert(np.zeros(n_columns), 1.0)
            return NumberLearner(None, scale, Recipe(learner, seed, schema))

        return new

    def _fitted_expert(self, lesson: Lesson, who: str, estimator: Any) -> Expert:
        return NumberLearner(estimator, self._scale, None, who=who)

    def _shown(self, lesson: Lesson, expert: Any) -> Any:
        if isinstance(expert, LinearExpert):
            return linear_part(expert, self._design, self._scale)
        return expert.estimator

    def _asked_of(self, asked: Asked, y: Any) -> Lesson:
        weight, ridge = np.ones(len(asked.design)), self._design.ridge
        numbers = check_numbers(y, weight, type(self).__name__)
        scaled = np.clip(self._scale.down(numbers), -FARTHEST, FARTHEST)
        return Lesson(asked, weight, ridge, ridge, scaled, numbers, scale=self._scale)

    def _counted(self, answer: Floats) -> Floats:
        return answer[:, np.newaxis]
