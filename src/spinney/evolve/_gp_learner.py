"""How the parameters of evolved trees and forests reach the core, and one run for all trees.

Nominal columns that are declared to be of one domain get one vocabulary, and so can be compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney import _core
from spinney._base import core_dataset
from spinney._checks import is_integer
from spinney._format import join_words
from spinney._settings import max_depth_limit, random_seed, thread_count
from spinney._state._kinds import Kind, many, one, perhaps, whole
from spinney._table import Column, Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.evolve._derived import Derived, Rewriter
from spinney.evolve._functions import Function
from spinney.evolve._language import build_language, called_functions
from spinney.evolve._run import Task, run
from spinney.tree._learner import TreeLearner
from spinney.tree._measures import rescaled_tree
from spinney.tree._tree import Tree

# What does not decide about the result.
_ASIDE = {"n_jobs", "verbose", "checkpoint", "checkpoint_every", "random_state"}
EVOLVED_FIELDS: Mapping[str, Kind] = {
    "_derived": perhaps(many(one(Derived))),
    "n_evaluations_": perhaps(whole()),
}


def share_domains(values: Floats, schema: Schema, domains: Any) -> tuple[Floats, Schema]:
    """Give columns of one domain one vocabulary: all categories that any of them has.

    Parameters
    ----------
    values : array of shape (n_rows, n_features)
        The encoded table. It is copied if codes change.
    schema : Schema
        Its columns.
    domains : list of lists of str or int, or None
        Columns by name or position, a list for each domain.

    Returns
    -------
    values, schema
        With the new codes and vocabularies.
    """
    groups = _checked(domains, schema)
    if not groups:
        return values, schema
    values, columns = np.array(values, order="F"), list(schema.columns)
    for group in groups:
        vocabulary = _joined([columns[place] for place in group])
        for place in group:
            old = columns[place]
            columns[place] = replace(old, categories=vocabulary)
            codes = [columns[place].code_of(label) for label in old.categories]
            known = ~np.isnan(values[:, place])
            values[known, place] = np.array(codes, dtype=float)[values[known, place].astype(int)]
    return values, replace(schema, columns=tuple(columns))


def _joined(columns: list[Column]) -> tuple[Any, ...]:
    labels = {label for column in columns for label in column.categories}
    try:
        return tuple(sorted(labels))
    except TypeError:
        names = ", ".join(repr(column.name) for column in columns)
        raise ValueError(
            f"domains joins the columns {names}, whose categories are numbers in one and text in "
            "another. Make them all text, or all numbers."
        ) from None


def _checked(domains: Any, schema: Schema) -> list[list[int]]:
    if domains is None:
        return []
    if isinstance(domains, str) or not all(_is_list(group) for group in domains):
        raise ValueError(
            "domains must be a list of lists of columns, such as [['home', 'work']], got "
            f"{domains!r}."
        )
    groups = [[_place(one, schema) for one in group] for group in domains]
    places = [place for group in groups for place in group]
    for place in places:
        if places.count(place) > 1:
            raise ValueError(f"domains names the column {schema.names[place]!r} more than once.")
    return groups


def _is_list(group: Any) -> bool:
    return not isinstance(group, str) and hasattr(group, "__iter__")


def _place(one: Any, schema: Schema) -> int:
    if isinstance(one, str) and one in schema.names:
        place = schema.names.index(one)
    elif is_integer(one) and 0 <= int(one) < len(schema.columns):
        place = int(one)
    else:
        raise ValueError(
            f"domains holds {one!r}, which is no column. The columns are {list(schema.names)}."
        )
    column = schema.columns[place]
    if column.kind != "nominal":
        raise ValueError(
            f"domains holds {column.name!r}, which is {column.kind}: only nominal columns have a "
            "domain. Name it in categorical_features too, or leave it out."
        )
    return place


def _bodies(functions: Any) -> list[Any]:
    """Return what is known of the user's functions: what composed ones do, the code of others."""
    own = [one for one in functions or () if isinstance(one, Function)]
    codes = [getattr(getattr(one, "f", None), "__code__", None) for one in own]
    return [
        (one.name, one.body, code and (code.co_code, code.co_consts))
        for one, code in zip(own, codes, strict=True)
    ]


@dataclass(frozen=True)
class EvolvedTrees:
    """Trees in the user's units, the columns that their functions compute, and the work done."""

    trees: list[Tree]
    derived: list[Derived]
    n_evaluations: int


class EvolvedLearner(TreeLearner):
    """Trees whose tests are evolved."""

    @property
    def n_threads(self) -> int:
        """Threads of the core."""
        return thread_count(self.estimator.n_jobs)

    def share_columns(self, values: Floats, schema: Schema) -> tuple[Floats, Schema]:
        """Return the encoded table, with columns whose categories are compared made comparable."""
        return share_domains(values, schema, self.estimator.domains)

    def growth(self, values: Floats, schema: Schema, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        params = _core.GrowParams()
        params.set_criterion("squared_error" if target.classes is None else "entropy")
        return params

    def plan(self) -> _core.EvolvePlan:
        """Return the parameters of the search and of the tree."""
        params = self.estimator
        plan = _core.EvolvePlan()
        plan.population_size = min(int(params.population_size), 2**31)
        plan.generations = min(int(params.generations), 2**62)
        plan.max_size = int(params.max_size)
        plan.tournament = int(params.tournament_size)
        if params.n_iter_no_change is not None:
            plan.patience = min(int(params.n_iter_no_change), 2**62)
        plan.refine = bool(params.refine_constants)
        plan.min_fraction = float(params.min_fraction)
        plan.max_depth = max_depth_limit(params.max_depth)
        if hasattr(params, "min_entropy"):
            plan.min_entropy = float(params.min_entropy)
        else:
            plan.min_variance = float(params.min_variance)
        return plan

    def _language(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Language:
        language = build_language(
            values, schema, target.weight > 0, self.estimator.functions, self.estimator.terminals
        )
        least, limit = language.least_size(0), self.estimator.max_size
        if least > limit:
            raise ValueError(
                f"max_size={limit!r} is too small: the shortest test that these functions and "
                f"terminals can make has {least} symbols."
            )
        return language

    def evolve(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        plan: _core.EvolvePlan,
        owner: Any,
    ) -> EvolvedTrees:
        """Evolve the trees of an owner: the estimator itself, or a forest."""
        settings = {k: repr(v) for k, v in owner.get_params().items() if k not in _ASIDE}
        task = Task(
            values,
            core_dataset(values, schema),
            target,
            self.growth(values, schema, target),
            self._language(values, schema, target),
            plan,
            random_seed(owner.random_state),
            repr(
                (
                    type(owner).__name__,
                    sorted(settings.items()),
                    schema,
                    _bodies(self.estimator.functions),
                )
            ),
        )
        functions = called_functions(self.estimator.functions)
        n_threads = 1 if functions else thread_count(owner.n_jobs)
        evolution = run(task, owner, n_threads)
        rewriter = Rewriter(functions, schema)
        cores = [evolution.tree(i) for i in range(plan.n_trees)]
        if functions:
            cores = [_core.Tree(state) for state in rewriter.states(cores)]
        trees = [Tree(core, rewriter.schema, target.classes) for core in cores]
        if target.exponent:
            units = (target.exponent, target.loss_exponent)
            trees = [rescaled_tree(tree, *units) for tree in trees]
        return EvolvedTrees(trees, rewriter.derived, int(evolution.n_evaluations))

    def learn(
        self,
        values: Floats,
        schema: Schema,
        target: FitTarget,
        *,
        start: Tree | None = None,
        groups: Any = None,
    ) -> dict[str, Any]:
        """Evolve one tree."""
        self.refuse_groups(groups)
        evolved = self.evolve(values, schema, target, self.plan(), self.estimator)
        return {
            "tree_": evolved.trees[0],
            "n_evaluations_": evolved.n_evaluations,
            "_derived": evolved.derived,
        }

    def member(self, values: Floats, schema: Schema, target: FitTarget) -> _core.Learner:
        """Return the method for the core."""
        names = [function.name for function in called_functions(self.estimator.functions)]
        if names:
            raise ValueError(
                f"functions has {join_words(names)}, written in Python: members of an ensemble run "
                "in the core. Use compose(), or GPForestClassifier and GPForestRegressor."
            )
        learner = _core.Learner()
        learner.set_params(self.growth(values, schema, target))
        learner.set_evolve(self._language(values, schema, target), self.plan())
        return learner
