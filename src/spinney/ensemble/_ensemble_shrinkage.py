"""Shrinkage of the trees of an ensemble, all by one strength, and what changes with it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney import _core
from spinney.ensemble._forest import Forest
from spinney.ensemble._trainer import Bagged, TreeTrainer, in_units
from spinney.tree._estimator import is_own_tree
from spinney.tree._measures import scaled
from spinney.tree._shrinkage import AUTO, best_of, candidates


def refuse_shrinkage(ensemble: Any) -> None:
    """Refuse shrinkage where there is nothing to shrink, or nothing to choose a strength by."""
    if ensemble.shrinkage is None:
        return
    for learner in ensemble._make_learners():
        if not is_own_tree(learner):
            raise ValueError(
                f"shrinkage={ensemble.shrinkage!r} is of trees of this package, and members are "
                f"{type(learner).__name__}. Use shrinkage=None."
            )
        if getattr(learner, "shrinkage", None) is not None:
            raise ValueError(
                f"both the ensemble and its estimator have a shrinkage, {ensemble.shrinkage!r} and "
                f"{learner.shrinkage!r}. Give one of them."
            )
    if ensemble.shrinkage == AUTO and (
        ensemble._sees_all() or ensemble.sampling in (None, "wagging")
    ):
        raise ValueError(
            "shrinkage='auto' needs rows that members do not see, to choose a strength by. Use a "
            "sampling that leaves rows out, such as 'bootstrap', or give a number."
        )


@dataclass(frozen=True)
class Shrinker:
    """Shrinks the trees of an ensemble, and judges them again.

    Parameters
    ----------
    shrinkage : float, "auto" or None
        As the ensemble has it.
    votes : bool
        Whether trees vote for classes, rather than average their probabilities.
    plans : list of spinney._core.EnsemblePlan
        How the rows of each member were drawn.
    first : int
        The first member that was trained on rows of this fit.
    n_threads : int
        Number of threads; does not affect the result.
    """

    shrinkage: Any
    votes: bool
    plans: list[_core.EnsemblePlan]
    first: int
    n_threads: int

    def finish(
        self, bagged: Bagged, trainer: TreeTrainer, out_of_bag: bool, records: bool
    ) -> tuple[Bagged, float]:
        """Return the shrunken members, evaluated again where requested, and the strength.

        Parameters
        ----------
        bagged : Bagged
            The members as they were grown.
        trainer : TreeTrainer
            What they were trained on.
        out_of_bag, records : bool
            Whether to answer for rows left out, and to judge each member on all rows.

        Returns
        -------
        tuple of Bagged and float
        """
        strength = self._strength(trainer, bagged.members)
        if strength:
            members = bagged.members.shrunk(strength, self.n_threads)
            bagged = replace(bagged, members=members)
        if out_of_bag or records:
            bagged = self._judge(bagged, trainer, records)
        return bagged, strength

    def _strength(self, trainer: TreeTrainer, forest: Forest) -> float:
        """Return the strength that was given, or the one that is best for rows left out."""
        if self.shrinkage != AUTO:
            return float(self.shrinkage or 0.0)
        target, strengths = trainer.judged, candidates(trainer.target)
        core = target.core()
        trial = _core.ShrinkageTrial(core, strengths, target.criterion, self.votes)
        members = in_units(forest, target)
        trial.add_members(members, trainer.values, core, self.plans, self.first, self.n_threads)
        return best_of(strengths, trial.losses())

    def _judge(self, bagged: Bagged, trainer: TreeTrainer, records: bool) -> Bagged:
        """Return members with what they now answer for rows left out, and their errors."""
        target = trainer.judged
        sums, n_votes, curve, n_to_cover, errors = _core.judge_members(
            in_units(bagged.members, target),
            trainer.values,
            target.core(),
            target.criterion,
            self.plans,
            self.first,
            records,
            self.n_threads,
        )
        units = np.array([target.loss_exponent, target.loss_exponent, 0])
        with np.errstate(over="ignore"):  # an infinite error is refused where it matters
            by_name = dict(zip(bagged.records._fields, np.ldexp(errors, units).T, strict=False))
        return replace(
            bagged,
            sums=sums,
            n_votes=n_votes,
            curve=scaled(curve, target.loss_exponent),
            n_to_cover=n_to_cover,
            records=bagged.records._replace(**by_name),
            exponent=target.exponent,
            was_judged=records,
        )
