"""Trees from rows that are held in parts: the core's planner sends requests, holders answer.

What one tree is grown from is its *plan*; the abstract methods of `PlannedRows` are all that is
sent to the holders of rows.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._progress import progress
from spinney._table import Schema
from spinney._table._batches import RowsElsewhere
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._ensemble import BaseEnsemble
from spinney.tree._learner import RowSplit
from spinney.tree._tree import Tree

SMALL = 2048  # rows up to which the core searches exactly


class Plan(NamedTuple):
    """What one tree is grown from."""

    weight: Floats  # of the rows, or one of all of them
    counts: NDArray[np.uint8] | None  # of the rows; None: once each
    features: list[int]  # that it asks; empty: all
    seed: int


class Truth(NamedTuple):
    """The target of all rows, as the core adds it up."""

    truth: NDArray[Any]  # class codes in as few bits as they need, or numbers
    exposure: Floats


class Round(NamedTuple):
    """A round: an answer for the planner of each tree, and the function for the next."""

    answers: list[bytes]
    ask: Callable[[list[bytes | None]], "Round"]


class PlannedRows(RowsElsewhere):
    """Rows in parts, from which planners grow trees.

    Parameters
    ----------
    schema : Schema
        The columns.
    n_rows : int
        In all parts.
    """

    together = 1  # trees that are grown at a time
    verbose = 0

    def __init__(self, schema: Schema, n_rows: int) -> None:
        self._schema = schema
        self.shape = (n_rows, len(schema.columns))

    def __len__(self) -> int:
        return self.shape[0]

    @abstractmethod
    def put_in_bins(self, used: NDArray[np.bool_], max_bins: int) -> tuple[NDArray[Any], ...]:
        """Put all rows into bins of the used ones; return the arrays of `_core.BinBorders`."""

    @abstractmethod
    def begin(self, truth: Truth, trees: list[tuple[_core.Moments, Plan]]) -> Round:
        """Put rows into the roots of trees, which have moments and plans."""

    @abstractmethod
    def leaves(self, tree: Tree) -> NDArray[np.int32]:
        """Return the leaf of each row."""

    @abstractmethod
    def judged(self, tree: Tree) -> Floats:
        """Return what a tree answers for each row: class codes or numbers."""

    # -- What estimators ask

    def grow(
        self, target: FitTarget, rows: RowSplit, params: _core.GrowParams
    ) -> tuple[_core.Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""
        weight, seed = one_if_alike(target.weight), params.seed
        plans = [Plan(weight, None, [], seed)]
        plans += [Plan(weight, train.view(np.uint8), [], seed) for train, _ in rows.folds]
        with progress(self, "rounds of growth", None) as on_round:
            whole, *others = self._grow(target, params, plans, None, on_round)
        if not rows.folds:
            return whole, None
        leaves = [self.leaves(Tree(tree, self._schema, target.classes)) for tree in others]
        grown, tested = zip(*rows.folds, strict=True)
        curve = _core.judge_folds(target.core(), whole, others, leaves, list(grown), list(tested))
        return whole, curve

    def bag(
        self,
        target: FitTarget,
        params: _core.GrowParams,
        plan: _core.EnsemblePlan,
        finished: Callable[[int], bool],
    ) -> tuple[Any, ...]:
        """Train the members of a plan; returns what `_core.fit_ensemble` does."""
        used, weight = target.weight > 0, one_if_alike(target.weight)
        bag = _core.Bag(target.core(), params) if plan.out_of_bag else None
        trees: list[_core.Tree] = []
        shift = _common_part(target.y[used]) if target.y is not None else None
        n_members = int(plan.n_members)
        for first in range(0, n_members, self.together):
            members = range(first, min(first + self.together, n_members))
            plans = [self._drawn(plan, used, weight, member) for member in members]
            grown = self._grow(target, params, plans, shift)
            for tree, own in zip(grown, plans, strict=True):
                trees.append(tree)
                if bag is not None:
                    answers = self.judged(Tree(tree, self._schema, target.classes))
                    answers[~used | _seen(own)] = np.nan
                    bag.add(answers)
                    del answers
                finished(len(trees))
        records = np.tile([0.0, 0.0, 0.0, 0.0, 1.0], (len(trees), 1))
        n_outputs = 1 if target.classes is None else len(target.classes)
        nothing = (np.zeros((len(used), n_outputs)), np.zeros(len(used), np.int64), np.zeros(0), 0)
        return (_core.Forest(trees), *(nothing if bag is None else bag.finish()), records)

    def _drawn(
        self, plan: _core.EnsemblePlan, used: NDArray[np.bool_], weight: Floats, member: int
    ) -> Plan:
        """Return what a member sees."""
        counts = plan.counts(int(np.count_nonzero(used)), member)
        n_rows = int(np.count_nonzero(counts))
        if n_rows <= SMALL:
            raise ValueError(
                f"a member sees {n_rows} rows, but rows in parts are for members of more than "
                f"{SMALL}. Use a larger max_samples, or fit on a sample of the rows in memory."
            )
        features = np.unique(plan.features(self.shape[1], member)).tolist()
        small = np.zeros(len(used), np.uint8)  # a byte each, if they fit
        if counts.max() < 256:
            small[used] = counts
            if counts.dtype == np.uint8 or np.array_equal(small[used], counts):
                return Plan(weight, small, features, plan.growth_seed(member))
        own = np.zeros(len(used))
        own[used] = weight[used if len(weight) > 1 else 0] * counts
        return Plan(own, None, features, plan.growth_seed(member))

    def _grow(
        self,
        target: FitTarget,
        params: _core.GrowParams,
        plans: Sequence[Plan],
        shift: float | None,
        on_round: Callable[[int], bool] = lambda n_rounds: False,
    ) -> list[_core.Tree]:
        """Grow trees side by side: one round answers the requests of all their planners."""
        borders = self.put_in_bins(target.weight > 0, int(params.max_bins))
        n_classes = 0 if target.classes is None else len(target.classes)
        truth = _class_codes(target.truth, n_classes) if n_classes else target.truth
        known = Truth(np.ascontiguousarray(truth), target.exposure)
        moments = [
            _core.Moments(
                n_classes, params, known.truth, plan.weight, plan.counts, known.exposure, shift
            )
            for plan in plans
        ]
        trees = list(zip(moments, plans, strict=True))
        now = self.begin(known, trees)
        columns = core_dataset(np.empty((1, self.shape[1])), self._schema)
        scales = (target.class_scale, target.split_scale, target.cost.ravel())
        nobody = _core.Target(n_classes, np.zeros(0), np.zeros(0), *scales, np.zeros(0))
        bins = _core.BinBorders(*borders)
        planners = [
            _core.Planner(columns, nobody, params, plan.features, plan.seed, bins, moment, answer)
            for plan, moment, answer in zip(plans, moments, now.answers, strict=True)
        ]
        n_rounds = 0
        requests: list[Any]
        while any(requests := [planner.request() for planner in planners]):
            now = now.ask(requests)
            on_round(n_rounds := n_rounds + 1)
            for planner, request, answer in zip(planners, requests, now.answers, strict=True):
                if request is not None:
                    planner.receive(answer)
        return [planner.finish() for planner in planners]


def one_if_alike(weight: Floats) -> Floats:
    """Return weights of rows; one of them if they are all the same.

    Parameters
    ----------
    weight : array
        Of at least one row.

    Returns
    -------
    array
    """
    return np.ascontiguousarray(weight[:1] if (weight == weight[0]).all() else weight)


def _seen(plan: Plan) -> NDArray[np.bool_]:
    """Return which rows of positive weight a tree is grown from."""
    return plan.weight > 0 if plan.counts is None else plan.counts > 0


def _class_codes(codes: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """Return class codes in as few bits as they need; rows without a class get any."""
    kind = np.uint8 if n_classes < 256 else np.uint16
    return codes if codes.dtype == kind else np.maximum(codes, 0).astype(kind)


def _common_part(y: Floats) -> float:
    """Return what numbers within a factor of two of each other have in common, as the core does."""
    low, high = float(y.min()), float(y.max())
    if low > 0.0 and high <= 2.0 * low:
        return low
    return high if high < 0.0 and low >= 2.0 * high else 0.0


# -- What cannot be planned

_ALLOWED = {
    "early_stopping": (False,),
    "warm_start": (False,),
    "n_best_splits": (1,),
    "selection": (None,),
    "targets": (None,),
    "keep_targets": (False, None),
    "all_missing": ("keep",),
}


def unplanned(model: Any) -> tuple[Any, str] | None:
    """Return the first parameter that needs rows in one place, and whose it is; None if none does.

    Parameters
    ----------
    model : estimator
        A tree or an ensemble that grows by bins.

    Returns
    -------
    tuple of estimator and str, or None
    """
    learners = model._make_learners() if isinstance(model, BaseEnsemble) else []
    if len(learners) > 1:
        return model, "estimator"
    for one in [model, *learners]:
        for name, allowed in _ALLOWED.items():
            if getattr(one, name, allowed[0]) not in allowed:
                return one, name
        if callable(getattr(one, "criterion", None)):
            return one, "criterion"
        shrinkage = getattr(one, "shrinkage", None)
        if shrinkage == "auto" or (learners and shrinkage):
            return one, "shrinkage"
    if str(getattr(model, "class_weight", None)) == "balanced_subsample":
        return model, "class_weight"
    for one in learners:
        for name in ("pruning", "ccp_alpha"):
            if getattr(one, name) is not None:
                return one, name
    if learners:
        return None
    if model.pruning not in (None, "cost_complexity"):
        return model, "pruning"
    if not isinstance(model.cv, int):
        return model, "cv"
    by_folds = model.pruning == "cost_complexity" and model.ccp_alpha is None
    return (model, "prior_cv") if by_folds and getattr(model, "prior_cv", 0) else None
