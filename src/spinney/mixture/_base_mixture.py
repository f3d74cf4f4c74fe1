"""Base class of the mixtures: fit, gate probabilities, responsibilities.

Linear algebra is limited to one thread meanwhile: matrices are small, and results must not depend
on threads. The limit is process-wide, so the first context that is entered sets it and the last one
that is left restores it; otherwise two concurrent fits could leave the limit of the other behind.
"""

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from copy import deepcopy
from functools import cache, partial
from math import prod
from threading import Lock
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from spinney._base import TableEstimator, encode_training, remember_fit, unchanged_on_failure
from spinney._checks import Integer
from spinney._params import check_parameters
from spinney._settings import random_seed
from spinney._state._kinds import ANYTHING, FLAG, FLOATS, Kind, many, need, one, same_labels, whole
from spinney._table import Schema
from spinney._table._take import as_frame, as_rows, take_rows
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._base_learners import small_set
from spinney.ensemble._foreign_members import run_all
from spinney.mixture._experts import (
    ClassLearner,
    Expert,
    Learner,
    LinearExpert,
    LogisticExpert,
    NumberLearner,
)
from spinney.mixture._gates import Gate, GateTree, expert_view, gate_text, gates_of, log_shares
from spinney.mixture._training import (
    State,
    TrainingResult,
    ascend,
    even_start,
    random_start,
    run_em,
)
from spinney.mixture._training_data import Design, Inputs, Scale, TrainingData, joined_rows
from spinney.mixture._validation import MixtureParams, read_params

Self = TypeVar("Self", bound="BaseMixture")


class BaseMixture(TableEstimator):
    """Base class of mixtures of experts.

    Subclasses define the experts, the encoding of the target and the form of predictions.
    """

    _builtin: str  # name of the built-in experts
    _classes: bool
    _design: Design
    _gates: GateTree
    _experts: tuple[Expert, ...]
    _wants_table: bool
    _scale: Scale
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
    def _new_expert(self, n_columns: int, learner: Learner | None) -> Expert:
        """Return an untrained expert: a built-in one, or one that the learner fits."""

    @abstractmethod
    def _fitted_expert(self, who: str, estimator: Any) -> Expert:
        """Wrap a fitted estimator as an expert; `who` is its name in messages."""

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the target of new rows: codes or scaled values, and in the user's form."""

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit gates and experts.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Numeric and categorical columns; values may be missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self), one_thread():
            check_parameters(self)
            params = read_params(self)
            values, schema, target = encode_training(
                self,
                X,
                y,
                sample_weight,
                encode_target=self._encode_target,
                counts_weight=True,  # against the ridge
                schema=None,
            )
            data = self._learned(X, values, schema, target, params)
            best = self._best(data, schema, params)
            self._keep(data, schema, best, params)
        return self

    def _learned(
        self, X: Any, values: Floats, schema: Schema, target: FitTarget, params: MixtureParams
    ) -> TrainingData:
        """Prepare the training rows for gates and experts."""
        if params.learner is None:
            places, weight = joined_rows(values, target.truth, target.weight)
        else:
            places = np.flatnonzero(target.weight > 0)
            weight = target.weight[places]
        values = values[places]
        self._design = Design.of(values, schema, weight)
        self._wants_table = not params.own_experts
        table = None
        if self._wants_table:
            table = as_frame(as_rows(X))
            whole = np.array_equal(places, np.arange(len(target.weight)))
            table = table if whole else take_rows(table, places)
        encoded = target.truth[places]
        if target.classes is None:
            labels, self._scale = encoded, Scale.of(encoded, weight)
            encoded = self._scale.down(labels)
        else:
            labels, self.classes_ = target.classes[encoded], target.classes
        unit = self._design.ridge
        ridges = (unit / params.gates_c, unit / params.experts_c)
        inputs = Inputs(self._design.read(values), table)
        return self._training_data(inputs, weight, ridges, (encoded, labels))

    def _training_data(
        self, inputs: Inputs, weight: Floats, ridges: tuple[Floats, Floats], target: Any
    ) -> TrainingData:
        known = [vars(self).get(name) for name in ("classes_", "_scale")]
        return TrainingData(inputs, weight, *ridges, *target, *known)

    def _best(self, data: TrainingData, schema: Schema, params: MixtureParams) -> TrainingResult:
        """Train from every start and return the best result; ties go to the first."""
        if params.fitted:
            experts = tuple(self._fitted_expert(*one) for one in params.fitted)
            starts: list[Any] = [partial(even_start, data, params.branching, experts)]
        else:
            n_columns = data.inputs.design.shape[1]

            def new(seed: int) -> Expert:
                own = params.learner is None
                learner = None if own else Learner(params.learner, seed, schema)
                return self._new_expert(n_columns, learner)

            one = params.own_experts and prod(params.branching) == 1  # nothing is drawn
            n_starts = 1 if one else params.n_starts
            seeds = np.random.SeedSequence(random_seed(self.random_state)).spawn(n_starts)
            starts = [
                partial(random_start, data, params.branching, new, np.random.default_rng(seed))
                for seed in seeds
            ]
        tasks = [(start, data, params) for start in starts]
        best: TrainingResult | None = None
        quiet = nullcontext() if data.classes is None else small_set(data.target)
        with quiet, closing(run_all(_train, tasks, params.n_threads)) as ends:
            for number, end in enumerate(ends):
                if params.verbose:
                    print(f"start {number}: {end.history[-1]:.6g} after {len(end.history)} steps")
                if best is None or end.history[-1] > best.history[-1]:
                    best = end
        assert best is not None
        return best

    def _keep(
        self, data: TrainingData, schema: Schema, best: TrainingResult, params: MixtureParams
    ) -> None:
        """Set the fitted attributes."""
        remember_fit(self, schema, data.classes)
        self._gates, self._experts = best.gates, best.experts
        shares = data.weight @ best.shares / data.total
        self.gates_ = gates_of(best.gates, self._design, shares)
        self.experts_ = [expert_view(expert, self._design, data.scale) for expert in best.experts]
        self.log_likelihood_ = np.array(best.history)
        self.n_iterations_ = len(best.history)
        self.converged_ = best.converged
        if not best.converged:
            warnings.warn(
                f"{type(self).__name__} still climbs after max_iter={params.limits.max_iter} "
                "steps. Raise max_iter or tol, or scale the columns.",
                ConvergenceWarning,
                stacklevel=3,
            )

    @property
    def n_iter_(self) -> int:
        """Number of iterations of the best initialisation, under scikit-learn's name."""
        return self.n_iterations_

    # -- Answers

    def _inputs(self, X: Any) -> Inputs:
        values = self._rows(X)
        table = as_frame(as_rows(X)) if self._wants_table else None
        return Inputs(self._design.read(values), table)

    def _log_shares(self, inputs: Inputs) -> Floats:
        return log_shares(self._gates.log_branches(inputs.design))

    def _combined(self, X: Any) -> Floats:
        """Return the sum of the experts' outputs, weighted by the gate probabilities."""
        inputs = self._inputs(X)
        with one_thread():
            shares = np.exp(self._log_shares(inputs))
            total: Any = 0.0
            for e, expert in enumerate(self._experts):
                total = total + self._counted(expert.output(inputs)) * shares[:, e : e + 1]
        return np.asarray(total)

    @abstractmethod
    def _counted(self, output: Floats) -> Floats:
        """Return an expert's output in the form that is averaged: a 2-D array."""

    def responsibilities(self, X: Any, y: Any = None) -> Floats:
        """Return the responsibility of each expert for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,), default=None
            The target. With it, the posterior probabilities: proportional to the gate probability
            times the likelihood under the expert. Without it, the gate probabilities.

        Returns
        -------
        array of shape (n_rows, n_experts)
            Rows sum to 1.
        """
        inputs = self._inputs(X)
        with one_thread():
            if y is None:
                return np.exp(self._log_shares(inputs))
            n_rows, ridge = len(inputs.design), self._design.ridge
            target = self._read_target(y, n_rows)
            data = self._training_data(inputs, np.ones(n_rows), (ridge, ridge), target)
            return State.of(data, self._gates, self._experts).evaluate(data)[1]

    def gate_text(self, max_terms: int = 3) -> str:
        """Return the tree of gates as text, with the largest coefficients.

        Each line is a branch with its score, a linear function of the columns. The probabilities of
        a gate's branches are the softmax of their scores.

        Parameters
        ----------
        max_terms : int, default=3
            Number of coefficients per branch, largest effect in the training rows first.

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
        """Return the estimators among the parameters."""
        given = self.estimators if isinstance(self.estimators, list | tuple) else []
        members = [entry[-1] if isinstance(entry, tuple) and entry else entry for entry in given]
        return [one for one in (self.expert, *members) if hasattr(one, "__sklearn_tags__")]

    def __sklearn_clone__(self) -> Any:
        params = self.get_params(deep=False)
        members = params.pop("estimators", None)  # clones of them would not be fitted
        twin = type(self)(**{name: clone(value, safe=False) for name, value in params.items()})
        if members is not None:
            twin.set_params(estimators=members)
        if hasattr(self, "_metadata_request"):
            twin._metadata_request = deepcopy(self._metadata_request)
        return twin


def _takes_gaps(estimator: Any) -> bool:
    return inspect.isclass(estimator) or bool(get_tags(estimator).input_tags.allow_nan)


def _train(start: Any, data: TrainingData, params: MixtureParams) -> TrainingResult:
    train = ascend if params.by_gradient else run_em
    return train(data, start(), params.limits)


_lock = Lock()
_inside: list[Any] = []  # one entry for each who is inside; the first holds the limit


@cache
def _controller() -> Any:
    return ThreadpoolController()  # looks at every library that is loaded, so only once


def _release() -> None:
    """Let other threads set limits too: newer versions let only the one that did it last."""
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread within the context."""
    with _lock:
        if not _inside:
            _inside.append(_controller().limit(limits=1, user_api="blas"))
            _release()
        else:
            _inside.append(None)
    try:
        yield
    finally:
        with _lock:
            if len(_inside) > 1:
                _inside.pop()
            else:
                _inside.pop().restore_original_limits()
                _release()
