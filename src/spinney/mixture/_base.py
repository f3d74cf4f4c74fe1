"""What mixtures of classes and of numbers share: fit, the shares of experts, the gates' text."""

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from copy import deepcopy
from functools import partial
from math import prod
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from spinney._base import TableEstimator, encode_training, remember_fit, unchanged_on_failure
from spinney._checks import Integer
from spinney._params import check_parameters
from spinney._settings import random_seed
from spinney._state._kinds import ANYTHING, FLAG, FLOATS, Kind, many, need, one, same_labels, whole
from spinney._table import Schema
from spinney._table._take import as_frame, as_rows, take_rows
from spinney._target import FitTarget
from spinney.ensemble._foreign_learners import small_set
from spinney.ensemble._foreign_members import run_all
from spinney.mixture._design import Design
from spinney.mixture._em import Climb, State, climb, random_start, started
from spinney.mixture._experts import Expert, LinearExpert, LogisticExpert
from spinney.mixture._gates import GateTree, log_shares
from spinney.mixture._gradient import ascend
from spinney.mixture._learners import ClassLearner, NumberLearner
from spinney.mixture._lesson import Asked, Lesson, joined_rows
from spinney.mixture._one_thread import one_thread
from spinney.mixture._settings import Settings, read_settings
from spinney.mixture._views import Gate, gate_text, gates_of

Floats = NDArray[np.float64]
Self = TypeVar("Self", bound="BaseMixture")


class BaseMixture(TableEstimator):
    """Gates over experts.

    A subclass says what its own experts are, what experts from elsewhere are wrapped in, and what
    their answers mean together.
    """

    _own: str  # what the subclass calls its own experts
    _classes: bool
    _design: Design
    _gates: GateTree
    _experts: tuple[Expert, ...]
    _wants_table: bool
    expert: Any
    estimators: Any
    gates_: list[Gate]
    experts_: list[Any]
    n_iterations_: int
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_design": one(Design),
        "_wants_table": FLAG,
        "_gates": one(GateTree),
        "_experts": many(one(LogisticExpert, LinearExpert, ClassLearner, NumberLearner), tuple),
        "gates_": many(one(Gate)),
        "experts_": many(ANYTHING),
        "log_likelihood_": FLOATS,
        "n_iterations_": whole(),
        "converged_": FLAG,
    }

    def _check_state(self) -> None:
        super()._check_state()
        gates, n_columns = self._gates, len(self._design.columns) + 1
        n = gates.n_experts
        need(len(self._experts) == n == len(self.experts_), self, f"there must be {n} experts")
        for coef in gates.coefs():
            need(len(coef) == n_columns, self, "a gate has other columns than the design")
        classes = vars(self).get("classes_")
        for expert in self._experts:
            if isinstance(expert, LogisticExpert | LinearExpert):
                width = (n_columns, len(classes) - 1) if classes is not None else (n_columns,)
                need(expert.coef.shape == width, self, "an expert has other columns or classes")
            else:
                theirs = expert.classes if isinstance(expert, ClassLearner) else None
                need(same_labels(theirs, classes), self, "an expert has other classes")
                need(self._wants_table, self, "an expert wants a table")
        n_own = len(self._schema.columns)
        for column in self._design.columns:
            need(column.place < n_own, self, "the design asks a column that is not there")

    @abstractmethod
    def _lesson(
        self, asked: Asked, weight: Floats, ridges: tuple[Floats, Floats], truth: Any, told: Any
    ) -> Lesson:
        """Put together what is learned; `told` holds labels or the user's numbers."""

    @abstractmethod
    def _new_expert(self, lesson: Lesson, learner: Any, schema: Schema) -> Callable[[int], Expert]:
        """Return what makes an expert from a seed."""

    @abstractmethod
    def _fitted_expert(self, lesson: Lesson, who: str, estimator: Any) -> Expert:
        """Wrap an expert that is fitted already."""

    @abstractmethod
    def _shown(self, lesson: Lesson, expert: Any) -> Any:
        """Return an expert as the user sees it."""

    @abstractmethod
    def _asked_of(self, asked: Asked, y: Any) -> Lesson:
        """Put together rows with a truth that is not learned."""

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn gates and experts.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Numbers and categories, with or without gaps.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        settings = read_settings(self)
        with unchanged_on_failure(self), one_thread():
            encoded = encode_training(  # the size of the weights counts, against the ridge
                self,
                X,
                y,
                sample_weight,
                encode_target=self._encode_target,
                counts_weight=True,
                schema=None,
            )
            values, schema, target = encoded
            lesson = self._learned(X, values, schema, target, settings)
            best = self._best(lesson, schema, settings)
            self._keep(lesson, schema, best, settings)
        return self

    def _learned(
        self, X: Any, values: Floats, schema: Schema, target: FitTarget, settings: Settings
    ) -> Lesson:
        """Choose the rows, and read them for gates, linear experts and others."""
        if settings.learner is None:
            places, weight = joined_rows(values, target.truth, target.weight)
        else:
            places = np.flatnonzero(target.weight > 0)
            weight = target.weight[places]
        values = values[places]
        self._design = Design.of(values, schema, weight)
        self._wants_table = not settings.own_experts
        table = None
        if self._wants_table:
            table = as_frame(as_rows(X))
            whole = np.array_equal(places, np.arange(len(target.weight)))
            table = table if whole else take_rows(table, places)
        unit = self._design.ridge
        truth = target.truth[places]
        told = truth if target.classes is None else target.classes[truth]
        ridges = (unit / settings.gates_c, unit / settings.experts_c)
        if target.classes is not None:
            self.classes_ = target.classes
        return self._lesson(Asked(self._design.read(values), table), weight, ridges, truth, told)

    def _best(self, lesson: Lesson, schema: Schema, settings: Settings) -> Climb:
        """Climb from every start, and return the highest; of equals the first."""
        if settings.fitted:
            experts = tuple(self._fitted_expert(lesson, *one) for one in settings.fitted)
            starts: list[Any] = [partial(started, lesson, settings.branching, experts)]
        else:
            new = self._new_expert(lesson, settings.learner, schema)
            one = settings.own_experts and prod(settings.branching) == 1  # nothing is drawn
            n_starts = 1 if one else settings.n_starts
            seeds = np.random.SeedSequence(random_seed(self.random_state)).spawn(n_starts)
            starts = [
                partial(random_start, lesson, settings.branching, new, np.random.default_rng(seed))
                for seed in seeds
            ]
        tasks = [(start, lesson, settings) for start in starts]
        best: Climb | None = None
        quiet = nullcontext() if lesson.classes is None else small_set(lesson.truth)
        with quiet, closing(run_all(_climb, tasks, settings.n_threads)) as ends:
            for number, end in enumerate(ends):
                if settings.verbose:
                    print(f"start {number}: {end.history[-1]:.6g} after {len(end.history)} steps")
                if best is None or end.history[-1] > best.history[-1]:
                    best = end
        assert best is not None
        return best

    def _keep(self, lesson: Lesson, schema: Schema, best: Climb, settings: Settings) -> None:
        """Set what fit leaves behind."""
        remember_fit(self, schema, lesson.classes)
        self._gates, self._experts = best.gates, best.experts
        shares = lesson.weight @ best.shares / lesson.total
        self.gates_ = gates_of(best.gates, self._design, shares)
        self.experts_ = [self._shown(lesson, expert) for expert in best.experts]
        self.log_likelihood_ = np.array(best.history)
        self.n_iterations_ = len(best.history)
        self.converged_ = best.converged
        if not best.converged:
            warnings.warn(
                f"{type(self).__name__} still climbs after max_iter={settings.limits.max_iter} "
                "steps. Raise max_iter or tol, or scale the columns.",
                ConvergenceWarning,
                stacklevel=3,
            )

    @property
    def n_iter_(self) -> int:
        """Steps of the best start, under scikit-learn's name."""
        return self.n_iterations_

    # -- Answers

    def _asked(self, X: Any) -> Asked:
        values = self._rows(X)
        table = as_frame(as_rows(X)) if self._wants_table else None
        return Asked(self._design.read(values), table)

    def _log_shares(self, asked: Asked) -> Floats:
        return log_shares(self._gates.log_branches(asked.design))

    def _combined(self, X: Any) -> Floats:
        """Return the experts' answers, each by its share, added up."""
        asked = self._asked(X)
        with one_thread():
            shares = np.exp(self._log_shares(asked))
            total: Any = 0.0
            for e, expert in enumerate(self._experts):
                total = total + self._counted(expert.answer(asked)) * shares[:, e : e + 1]
        return np.asarray(total)

    @abstractmethod
    def _counted(self, answer: Floats) -> Floats:
        """Return an answer as it is added up: in two dimensions."""

    def responsibilities(self, X: Any, y: Any = None) -> Floats:
        """Return the share that each expert has in each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,), default=None
            The truth. With it shares are what an expert has in explaining the row: the gates' share
            times how likely the expert makes the truth. Without it they are the gates' own.

        Returns
        -------
        array of shape (n_rows, n_experts)
            Rows add up to 1.
        """
        asked = self._asked(X)
        with one_thread():
            if y is None:
                return np.exp(self._log_shares(asked))
            lesson = self._asked_of(asked, y)
            return State.of(lesson, self._gates, self._experts).evaluate(lesson)[1]

    def gate_text(self, max_terms: int = 3) -> str:
        """Write the tree of gates with its strongest coefficients.

        Each line is a branch with its score, a linear function of the columns. The softmax of the
        scores of a gate's branches is the share that each gets.

        Parameters
        ----------
        max_terms : int, default=3
            Coefficients shown for each branch: those that make most difference in the rows of fit.

        Returns
        -------
        str
        """
        self._check_fitted()
        return gate_text(self.gates_, Integer(0).check("max_terms", max_terms))

    def _check_fitted(self) -> None:
        if "_gates" not in vars(self):
            self._rows(np.zeros((1, 1)))  # says that it is not fitted

    def __sklearn_is_fitted__(self) -> bool:
        return "_gates" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = all(map(_takes_gaps, self._others()))
        return tags

    def _others(self) -> list[Any]:
        """Return the estimators from elsewhere among the parameters, as far as they are ones."""
        given = self.estimators if isinstance(self.estimators, list | tuple) else []
        members = [entry[-1] if isinstance(entry, tuple) and entry else entry for entry in given]
        return [one for one in (self.expert, *members) if hasattr(one, "__sklearn_tags__")]

    def __sklearn_clone__(self) -> Any:
        settings = self.get_params(deep=False)
        members = settings.pop("estimators", None)  # clones of them would not be fitted
        twin = type(self)(**{name: clone(value, safe=False) for name, value in settings.items()})
        if members is not None:
            twin.set_params(estimators=members)
        if hasattr(self, "_metadata_request"):
            twin._metadata_request = deepcopy(self._metadata_request)
        return twin


def _takes_gaps(estimator: Any) -> bool:
    return inspect.isclass(estimator) or bool(get_tags(estimator).input_tags.allow_nan)


def _climb(start: Any, lesson: Lesson, settings: Settings) -> Climb:
    way = ascend if settings.by_gradient else climb
    return way(lesson, start(), settings.limits)
