"""What evolved trees and forests share: settings in the core's words, and one run for all trees."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._choices import check_choice, check_flag, check_integer, check_number, check_verbose
from spinney._estimator import FitTarget, core_dataset, remember_table
from spinney._settings import max_depth_limit, random_seed
from spinney._table import Schema
from spinney._target import class_target
from spinney.evolve._derived import Derived, Rewriter, base_columns, with_derived
from spinney.evolve._domains import share_domains
from spinney.evolve._functions import Function
from spinney.evolve._language import build_language, called_functions
from spinney.evolve._run import Task, run
from spinney.tree._base import BaseTree
from spinney.tree._class_tree import ClassTree, build_target
from spinney.tree._number_tree import NumberTree
from spinney.tree._scale import rescaled_tree
from spinney.tree._view import Tree
from spinney.tree._words import join_words

Floats = NDArray[np.float64]
_MOST_RIVALS = 1_000_000  # of a tournament: more would keep the core from hearing an interrupt
# What does not decide about the result.
_ASIDE = {"n_jobs", "verbose", "checkpoint", "checkpoint_every", "random_state"}


def _bodies(functions: Any) -> list[Any]:
    """Return what is known of the user's functions: what composed ones do, the code of others."""
    own = [one for one in functions or () if isinstance(one, Function)]
    codes = [getattr(getattr(one, "f", None), "__code__", None) for one in own]
    return [
        (one.name, one.body, code and (code.co_code, code.co_consts))
        for one, code in zip(own, codes, strict=True)
    ]


class TypedColumns:
    """Columns that share domains, and rows with what functions in Python make of them."""

    _derived: list[Derived]

    def _encode(self, X: Any, y: Any, sample_weight: Any) -> tuple[Floats, Schema, FitTarget]:
        values, schema, target = super()._encode(X, y, sample_weight)  # type: ignore[misc]
        domains: Any = self.domains  # type: ignore[attr-defined]
        return *share_domains(values, schema, domains), target

    def _rows(self, X: Any) -> Floats:
        rows: Floats = super()._rows(X)  # type: ignore[misc]
        derived = vars(self).get("_derived")
        return with_derived(rows, derived) if derived else rows

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity that the tests remove."""
        shares: Floats = super().feature_importances_  # type: ignore[misc]
        n: int = self.n_features_in_  # type: ignore[attr-defined]
        own = shares[:n].copy()
        for share, columns in zip(shares[n:], base_columns(self._derived, n), strict=True):
            for column in columns:
                own[column] += share / len(columns)
        return own


class EvolvedTree(TypedColumns, BaseTree):
    """One tree whose tests are evolved."""

    _criterion: str

    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        check_choice("unseen", self.unseen, ("missing", "error"))
        check_verbose(self.verbose)
        params = _core.GrowParams()
        params.set_criterion(self._criterion)
        return params

    def _plan(self) -> _core.EvolvePlan:
        """Check the settings of the search and of the tree."""
        plan = _core.EvolvePlan()
        plan.population_size = min(
            check_integer("population_size", self.population_size, low=2), 2**31
        )
        plan.generations = min(check_integer("generations", self.generations, low=1), 2**62)
        plan.max_size = check_integer("max_size", self.max_size, low=1)
        if plan.max_size > _core.MAX_PROGRAM:
            raise ValueError(
                f"max_size must be at most {_core.MAX_PROGRAM}, got {self.max_size!r}."
            )
        size = check_integer("tournament_size", self.tournament_size, low=1)
        if size > _MOST_RIVALS:
            raise ValueError(
                f"tournament_size must be at most {_MOST_RIVALS}, got {self.tournament_size!r}: "
                "beyond the population_size, larger tournaments hardly choose differently."
            )
        plan.tournament = size
        if self.patience is not None:
            plan.patience = min(check_integer("patience", self.patience, low=1), 2**62)
        plan.refine = check_flag("refine_constants", self.refine_constants)
        plan.min_fraction = check_number("min_fraction", self.min_fraction, low=0.0, high=1.0)
        plan.max_depth = max_depth_limit(self.max_depth)
        self._set_purity(plan)
        return plan

    def _set_purity(self, plan: _core.EvolvePlan) -> None:
        """Check when a node is pure enough to be a leaf."""
        raise NotImplementedError

    def _language(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Language:
        language = build_language(values, schema, target.weight > 0, self.functions, self.terminals)
        least = language.least_size(0)
        if least > self.max_size:
            raise ValueError(
                f"max_size={self.max_size!r} is too small: the shortest test that these functions "
                f"and terminals can make has {least} symbols."
            )
        return language

    def _evolve(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        plan: _core.EvolvePlan,
        owner: Any,
        n_threads: int,
    ) -> tuple[list[Tree], int]:
        """Return trees in the user's units, and how many programs were run for them."""
        settings = {k: repr(v) for k, v in owner.get_params().items() if k not in _ASIDE}
        task = Task(
            values,
            core_dataset(values, schema),
            target,
            self._growth_params(values, target),
            self._language(values, schema, target),
            plan,
            random_seed(owner.random_state),
            repr((type(owner).__name__, sorted(settings.items()), schema, _bodies(self.functions))),
        )
        functions = called_functions(self.functions)
        evolution = run(task, owner, 1 if functions else n_threads)
        rewriter = Rewriter(functions, schema)
        cores = [evolution.tree(i) for i in range(plan.n_trees)]
        if functions:
            cores = [_core.Tree(state) for state in rewriter.states(cores)]
        trees = [Tree(core, rewriter.schema, target.classes) for core in cores]
        owner._derived = rewriter.derived
        if target.exponent:
            units = (target.exponent, target.loss_exponent)
            trees = [rescaled_tree(tree, *units) for tree in trees]
        return trees, int(evolution.n_evaluations)

    def _learn(self, values: Floats, schema: Schema, target: FitTarget) -> None:
        plan = self._plan()
        trees, n_evaluations = self._evolve(values, schema, target, plan, self, self._n_threads())
        remember_table(self, schema, target.classes)
        self.tree_ = trees[0]
        self.n_evaluations_ = n_evaluations

    def _as_member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        names = [function.name for function in called_functions(self.functions)]
        if names:
            raise ValueError(
                f"functions has {join_words(names)}, written in Python: members of an ensemble run "
                "in the core. Use compose(), or GPForestClassifier and GPForestRegressor."
            )
        learner = _core.Learner()
        learner.set_params(self._growth_params(values, target))
        learner.set_evolve(self._language(values, schema, target), self._plan())
        return learner


class EvolvedClassTree(EvolvedTree, ClassTree):
    """One classification tree."""

    _criterion = "entropy"

    def _set_purity(self, plan: _core.EvolvePlan) -> None:
        plan.min_entropy = check_number("min_entropy", self.min_entropy, low=0.0)

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        target = class_target(
            y,
            weight,
            estimator_name=type(self).__name__,
            class_weight=self.class_weight,
            priors=self.priors,
            cost_matrix=self.cost_matrix,
        )
        return FitTarget(target.weight, target.codes, target.classes, partial(build_target, target))


class EvolvedNumberTree(EvolvedTree, NumberTree):
    """One regression tree."""

    _criterion = "squared_error"
    criterion = "squared_error"  # of the numbers that nodes keep

    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        return EvolvedTree._growth_params(self, values, target)

    def _set_purity(self, plan: _core.EvolvePlan) -> None:
        plan.min_variance = check_number("min_variance", self.min_variance, low=0.0, high=1.0)
