"""Base class of ensembles whose members are trained next to each other.

It has out-of-bag estimates, selection of members, proximities and permutation importances.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._checks import Integer
from spinney._counts import d2_score, has_d2, with_exposure
from spinney._settings import random_seed, thread_count
from spinney._state._kinds import (
    FINITE,
    FLOATS,
    FLOATS_2D,
    PLACES,
    SEED,
    SHARE,
    SIZE,
    STRENGTH,
    Kind,
    array,
    many,
    need,
    one,
    perhaps,
    row,
    whole,
)
from spinney._target import FitTarget, check_weights
from spinney._typing import Floats
from spinney.ensemble._ensemble import BaseEnsemble, Finished
from spinney.ensemble._ensemble_shrinkage import Shrinker, refuse_shrinkage
from spinney.ensemble._forest import Forest
from spinney.ensemble._leaf_targets import LeafTargets, kept_targets, refuse_keeping
from spinney.ensemble._selection import SelectionReport, Selector
from spinney.ensemble._trainer import (
    Bagged,
    MemberRecords,
    TreeTrainer,
    in_units,
    judged_by,
    sampling_plan,
)
from spinney.shapley._explained import EXPECTED
from spinney.tree._igpa import unsettled
from spinney.tree._learner import is_binary
from spinney.tree._measures import scaled

Mask = NDArray[np.bool_]
# How rows, columns and classes were drawn, as the core tells it: kind, size, parts, columns (below
# 0: with replacement), what was done to classes and how often, seed.
Drawn: TypeAlias = tuple[int, int, int, int, int, float, int]
_DRAWN = row(SIZE, SIZE, whole(1, 2**40), whole(-(2**31), 2**40), SIZE, SHARE, SEED)


@dataclass(frozen=True)
class PermutationImportance:
    """Increase of the members' out-of-bag error when the values of a column are shuffled.

    Parameters
    ----------
    importances : array of shape (n_members, n_features)
        The rise of each member's error rate or, in regression, of its mean cost by the criterion of
        the trees; by squared error if their criteria differ.
    mean, standard_error : array of shape (n_features,)
        Over the members.
    """

    importances: Floats
    mean: Floats
    standard_error: Floats


def warn_unsettled(records: MemberRecords, first: int) -> None:
    """Warn of trees that were still changing when their iterations ended."""
    settled = records.settled[first:]
    n_unsettled = int(np.count_nonzero(settled == 0))
    if n_unsettled:
        who = f"{n_unsettled} of {len(settled)} trees"
        warnings.warn(unsettled(who), ConvergenceWarning, stacklevel=4)


def plan_of(drawn: Drawn) -> _core.EnsemblePlan:
    """Return a plan that draws what an earlier one did."""
    plan = _core.EnsemblePlan.__new__(_core.EnsemblePlan)
    plan.__setstate__(drawn)
    return plan


class BaggedEnsemble(BaseEnsemble):
    """Members that do not depend on each other."""

    # Of ensembles without the parameter.
    bootstrap, flip_rate = True, 0.0
    selection, selection_data, trim = None, "training", 0.0
    targets: str | None = None
    shrinkage: float | str | None = None
    keep_targets = False
    _draws_columns = False  # whether max_features are of a member, not of a node
    _bagged: Bagged
    _runs: list[tuple[int, Drawn]]  # for each fit of a warm start: its first member, its draws

    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_seed": SEED,
        "_bagged": one(Bagged),
        "_runs": many(row(whole(), _DRAWN)),
        "_used": array(np.bool_),
        "selected_": PLACES,
        "selection_report_": perhaps(one(SelectionReport)),
        "oob_error_curve_": perhaps(FLOATS),
        "oob_decision_function_": perhaps(FLOATS_2D),
        "oob_prediction_": perhaps(FLOATS),
        "oob_score_": perhaps(FINITE),
        "shrinkage_": perhaps(STRENGTH),
        "leaf_targets_": perhaps(one(LeafTargets)),
    }

    def _check_state(self) -> None:
        super()._check_state()
        n, selected = len(self._members), self.selected_
        inside = len(selected) > 0 and selected.min() >= 0 and selected.max() < n
        need(bool(inside and (np.diff(selected) > 0).all()), self, "selected_ are no members")
        need(self._bagged.members is self._members, self, "_bagged holds other members")
        report = vars(self).get("selection_report_")
        fits = report is None or len(report.errors) == n
        need(fits, self, "selection_report_ has other members")
        firsts = [first for first, _ in self._runs]
        need(firsts[:1] == [0] and firsts == sorted(set(firsts)), self, "_runs are not in order")
        for _, drawn in self._runs:
            plan_of(drawn)  # refuses what it does not know
        kept: LeafTargets | None = vars(self).get("leaf_targets_")
        if kept is not None:
            fits = isinstance(self._members, Forest) and kept.fits(self._members.n_nodes)
            need(fits, self, "leaf_targets_ are those of other trees")

    def _check_combinations(self) -> None:
        """Refuse parameters that exclude each other."""
        if not self.early_stopping:  # else there may be fewer members
            self._selector().check_size(int(self.n_estimators))
        if self.early_stopping and self._sees_all():
            raise ValueError(
                "early_stopping needs rows that members do not see, and bootstrap=False uses all. "
                "Use bootstrap=True, or max_samples."
            )
        refuse_shrinkage(self)
        refuse_keeping(self)
        if self.n_best_splits > 1 and not all(map(is_binary, self._make_learners())):
            raise ValueError(
                f"n_best_splits={self.n_best_splits!r} works with CART members only. Use 1."
            )

    def _sees_all(self) -> bool:
        """Whether every member sees all rows, as scikit-learn's with `bootstrap=False`."""
        return self.sampling == "bootstrap" and not self.bootstrap and self.max_samples is None

    def _selector(self) -> Selector:
        """Return what selects members."""
        return Selector(self.selection, self.selection_data, self.trim)

    def _train(self, trainer: Any, finished: Finished) -> None:
        continues = self._continues()
        if not continues:
            self._seed = random_seed(self.random_state)
        before = self._as_grown(trainer) if continues else None
        used = trainer.target.weight > 0
        plan = self._plan(trainer, before, int(used.sum()))
        bagged, strength = self._bag(trainer, plan, before, finished)
        runs = [*(self._runs if continues else []), (plan.first_member, plan.__getstate__())]
        self._keep_members(trainer, bagged.members)
        self._bagged, self._runs, self._used = bagged, runs, used
        if strength is not None:
            self.shrinkage_ = strength
        if self.keep_targets:
            same_rows = before is None or len(before.n_votes) == len(used)
            self.leaf_targets_ = kept_targets(self, trainer, same_rows)
        self._select(self._selector(), bagged, trainer.judged)
        if plan.out_of_bag:
            self._keep_out_of_bag(bagged, trainer.judged)
        warn_unsettled(bagged.records, plan.first_member)

    def _plan(self, trainer: Any, before: Bagged | None, n_rows: int) -> _core.EnsemblePlan:
        """Return what members see, and how they are judged."""
        plan = sampling_plan(self, n_rows, len(trainer.schema.columns), self._n_members())
        plan.first_member = 0 if before is None else len(before.members)
        if self.early_stopping:
            plan.patience, plan.tolerance = int(self.n_iter_no_change), float(self.tol)
        plan.out_of_bag = bool(self.oob_score or self.early_stopping) and not self._sees_all()
        plan.records = self._selector().selection is not None
        if before is not None:
            self._check_judged(before, plan, trainer)
        return plan

    def _bag(
        self, trainer: Any, plan: _core.EnsemblePlan, before: Bagged | None, finished: Finished
    ) -> tuple[Bagged, float | None]:
        """Train the members, and shrink them; return the strength, None without the parameter."""
        n_threads = self._n_threads(trainer)
        was_shrunk = before is not None and bool(vars(self).get("shrinkage_", 0.0))
        late = before is not None and self._lacks_answers(before, plan, trainer)
        if self.shrinkage is None and not was_shrunk and not late:
            has_parameter = "shrinkage" in self._get_param_names()
            return trainer.bag(plan, n_threads, before, finished), 0.0 if has_parameter else None
        judged = (plan.out_of_bag, plan.records)
        plan.out_of_bag, plan.records = bool(self.early_stopping), False
        bagged = trainer.bag(plan, n_threads, before, finished)
        plan.out_of_bag, plan.records = judged
        same_rows = before is not None and len(before.n_votes) == len(trainer.target.weight)
        first, n_members = 0 if same_rows else plan.first_member, len(bagged.members)
        plans = [*self._drawn_by()[: plan.first_member], *[plan] * (n_members - plan.first_member)]
        shrinker = Shrinker(self.shrinkage, self.combine == "vote", plans, first, n_threads)
        bagged, strength = shrinker.finish(bagged, trainer, *judged)
        return bagged, strength if was_shrunk or "shrinkage" in self._get_param_names() else None

    def _as_grown(self, trainer: Any) -> Bagged:
        """Return the members of the last fit, their predictions as they were before shrinkage."""
        if not vars(self).get("shrinkage_", 0.0):
            return self._bagged
        members = self._bagged.members.unshrunk(self._n_threads(trainer))
        return replace(self._bagged, members=members)

    def _drawn_by(self) -> list[_core.EnsemblePlan]:
        """Return the plan by which the rows of each member were drawn."""
        if "_runs" not in vars(self):
            return []
        return [plan for plan, members in self._plans() for _ in members]

    def _lacks_answers(self, before: Bagged, plan: _core.EnsemblePlan, trainer: Any) -> bool:
        """Return whether earlier members were not asked for out-of-bag answers that are wanted."""
        same_rows = len(before.n_votes) == len(trainer.target.weight)
        return plan.out_of_bag and same_rows and len(before.curve) < len(before.members)

    def _check_judged(self, before: Bagged, plan: _core.EnsemblePlan, trainer: Any) -> None:
        """Refuse a warm start that needs answers which earlier members did not give."""
        same_rows = len(before.n_votes) == len(trainer.target.weight)
        if plan.records and not (before.was_judged and same_rows):
            raise ValueError(
                "selection needs the errors of all members on the same rows, but those that "
                "warm_start goes on from were not judged on them. Set selection in the first fit "
                "and give the same table, or use warm_start=False."
            )
        can_ask = isinstance(trainer, TreeTrainer) and isinstance(trainer.values, np.ndarray)
        if self._lacks_answers(before, plan, trainer) and (self.early_stopping or not can_ask):
            raise ValueError(
                "out-of-bag estimates need the answers of all members, but those that warm_start "
                "goes on from were not asked. Set oob_score=True in the first fit, or "
                "use warm_start=False."
            )

    def _n_threads(self, trainer: Any) -> int:
        """Return the number of threads: one where a criterion is the user's own function."""
        callables = [callable(getattr(one, "criterion", None)) for one in trainer.learners]
        return 1 if any(callables) else thread_count(self.n_jobs)

    @property
    def estimators_samples_(self) -> list[NDArray[np.integer[Any]]]:
        """The rows that each member was trained on, a row that was drawn twice twice."""
        check_is_fitted(self)
        rows = np.flatnonzero(self._used).astype(np.min_scalar_type(-max(len(self._used), 2**16)))
        samples = []
        for plan, members in self._plans():
            for member in members:
                counts = np.ceil(plan.counts(len(rows), member))  # wagging draws weights
                samples.append(np.repeat(rows, counts.astype(np.int64)))
        return samples

    def _seeds(self) -> list[dict[str, int]]:
        seeds = [plan.growth_seed(i) for plan, members in self._plans() for i in members]
        return [{"random_state": seed} for seed in seeds]

    def _plans(self) -> Iterator[tuple[_core.EnsemblePlan, range]]:
        """Yield what each fit of a warm start drew by, and the members that it trained."""
        ends = [*[first for first, _ in self._runs[1:]], len(self._members)]
        for (first, drawn), end in zip(self._runs, ends, strict=True):
            yield plan_of(drawn), range(first, end)

    # -- Which members answer

    def _select(self, selector: Selector, bagged: Bagged, target: FitTarget) -> None:
        self.selected_, report = selector.select(self, bagged, target)
        if report is not None:
            self.selection_report_ = report

    def _voters(self) -> NDArray[np.int64]:
        return self.selected_

    def drop(self, members: Any) -> Self:
        """Take members out of the vote.

        Parameters
        ----------
        members : iterable of int, or mask
            Their places in `estimators_`. They stay there, but answer no more. The next fit, a
            warm start too, selects the voting members anew.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        n_members = len(self._members)
        dropped = np.asarray(list(members) if np.iterable(members) else [members])
        if dropped.dtype == np.bool_ and dropped.shape == (n_members,):
            dropped = np.flatnonzero(dropped)
        elif dropped.size and dropped.dtype.kind not in "iu":
            raise ValueError(f"drop takes places of members, or a mask of all, got {members!r}.")
        dropped = dropped.astype(np.int64).ravel()
        outside = dropped[(dropped < 0) | (dropped >= n_members)]
        if len(outside):
            raise ValueError(
                f"there is no member {int(outside[0])}; they are numbered 0 to {n_members - 1}."
            )
        kept = np.setdiff1d(self.selected_, dropped)
        if not len(kept):
            raise ValueError("drop would leave no member to answer. Keep at least one.")
        self.selected_ = kept
        self.__dict__.pop(EXPECTED, None)
        return self

    # -- Rows that members did not see

    def _keep_out_of_bag(self, bagged: Bagged, target: FitTarget) -> None:
        """Keep the answers of the members that did not see a row."""
        self.oob_error_curve_ = bagged.curve
        used = target.weight > 0
        seen = used & (bagged.n_votes > 0)
        if not seen[used].all():
            warnings.warn(
                f"{np.count_nonzero(used & ~seen)} of {np.count_nonzero(used)} rows were seen by "
                "every member, so they have no out-of-bag prediction. Use more members, or a "
                "sampling that leaves rows out.",
                UserWarning,
                stacklevel=4,
            )
        self._keep_oob_answers(bagged.means(), seen, target)

    def _keep_oob_answers(self, means: Floats, seen: Mask, target: FitTarget) -> None:
        """Keep the out-of-bag predictions and their score."""
        if target.classes is None:
            self.oob_prediction_ = means[:, 0]
            self._keep_oob_r2(means, seen, target)
            return
        totals = means.sum(axis=1, keepdims=True)
        self.oob_decision_function_ = means / np.where(totals > 0, totals, 1.0)
        if not seen.any():
            return
        codes = means[seen].argmax(axis=1)
        if callable(self.oob_score):
            labels = target.classes[target.truth[seen]]
            self.oob_score_ = float(self.oob_score(labels, target.classes[codes]))
        else:
            hits = codes == target.truth[seen]
            self.oob_score_ = float(np.average(hits, weights=target.weight[seen]))

    def _keep_oob_r2(self, means: Floats, seen: Mask, target: FitTarget) -> None:
        if np.count_nonzero(seen) < 2:
            return
        if callable(self.oob_score):
            numbers = np.ldexp(target.rates[seen], target.exponent)
            self.oob_score_ = float(self.oob_score(numbers, means[seen, 0]))
            return
        y, weight = target.truth[seen], target.weight[seen]
        answers = np.ldexp(means[seen, 0], -target.exponent)
        if has_d2(target.criterion):
            exposure = target.exposure[seen] if len(target.exposure) else target.exposure
            self.oob_score_ = d2_score(target.criterion, y, answers, weight, exposure)
            return
        spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        error = np.average((y - answers) ** 2, weights=weight)
        self.oob_score_ = float(1.0 - error / spread) if spread > 0 else 0.0

    def oob_permutation_importance(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        n_repeats: int = 1,
        exposure: Any = None,
    ) -> PermutationImportance:
        """Return how much worse each member answers once a column of its unseen rows is shuffled.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            The table of fit: its row numbers show which rows a member did not see.
        y : array of shape (n_rows,)
            The target of fit.
        sample_weight : array of shape (n_rows,), default=None
            The weights of fit.
        n_repeats : int, default=1
            How often each column is shuffled in each member.
        exposure : array of shape (n_rows,), default=None
            The exposure of fit.

        Returns
        -------
        PermutationImportance
        """
        check_is_fitted(self)
        repeats = Integer(1).check("n_repeats", n_repeats)
        learners = self._learner_runs[-1][1]
        trees = self._trees("oob_permutation_importance")
        values = self._rows(X)
        if len(values) != len(self._used):
            raise ValueError(
                f"X has {len(values)} rows, but fit saw {len(self._used)}. Give the table of fit: "
                "only its rows are known to be unseen by a member."
            )
        weight = check_weights(
            sample_weight,
            len(values),
            counted=any(learner._learner().counts_weight for learner in learners),
        )
        target = learners[0]._encode_target(with_exposure(y, exposure), weight)
        if not np.array_equal(target.weight > 0, self._used):
            raise ValueError(
                "the rows of weight 0 are not those of fit. Give the sample_weight of fit."
            )
        forest = in_units(trees, target)
        voters, parts = self._voters(), []
        for plan, members in self._plans():
            own = voters[(voters >= members.start) & (voters < members.stop)]
            parts.append(
                forest.permutation_importance(
                    values, target.core(), plan, own, repeats, thread_count(self.n_jobs)
                )
            )
        importances = np.concatenate(parts)
        known = importances[~np.isnan(importances[:, 0])]
        if not len(known):
            raise ValueError("every member saw all rows. Use a sampling that leaves rows out.")
        spread = known.std(axis=0, ddof=1) if len(known) > 1 else np.zeros(known.shape[1])
        loss_exponent = judged_by(target, learners).loss_exponent
        numbers = (importances, known.mean(axis=0), spread / np.sqrt(len(known)))
        return PermutationImportance(*(scaled(one, loss_exponent) for one in numbers))

    def proximities(self, X: Any, Y: Any = None) -> Floats:
        """Return the share of the members in which two rows end in the same leaf.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        Y : table of shape (n_others, n_features) or None, default=None
            Rows to compare with; None for X itself.

        Returns
        -------
        array of shape (n_rows, n_others)
        """
        check_is_fitted(self)
        members = self._voters()
        left = self.apply(X)[:, members]
        right = left if Y is None else self.apply(Y)[:, members]
        same = np.zeros((len(left), len(right)))
        for member in range(len(members)):
            same += left[:, member, None] == right[None, :, member]
        return same / len(members)
