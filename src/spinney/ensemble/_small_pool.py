"""The pool of a small forest: trees of several kinds, each on a bootstrap sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._base_learners import own_tree
from spinney.ensemble._ensemble import Finished
from spinney.ensemble._forest import Forest
from spinney.ensemble._trainer import TreeTrainer
from spinney.tree import CARTClassifier, CARTRegressor, IGPAClassifier, IGPARegressor

KINDS = ("forest", "extra", "igpa", "oblique", "boosted", "evolved")
_SPLITTERS = {"extra": "random", "oblique": "oblique"}


@dataclass(frozen=True)
class Pool:
    """Trees to choose from.

    Parameters
    ----------
    trees : Forest
        The trees.
    kinds : array of shape (n_trees,)
        Their kinds, as places in `members`.
    members : tuple of str
        Names of the kinds that there are.
    plan : spinney._core.EnsemblePlan
        How their rows were drawn.
    """

    trees: Forest
    kinds: NDArray[np.int64]
    members: tuple[str, ...]
    plan: _core.EnsemblePlan


def is_kinds(value: Any) -> bool:
    """Tell whether a value names kinds of trees, each once."""
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        return False
    return 0 < len(set(value)) == len(value) and set(value) <= set(KINDS)


def learner_of(ensemble: Any, kind: str, *, classes: bool) -> Any:
    """Return the unfitted tree of a kind."""
    if kind == "evolved":  # it needs the ensembles of this package
        from spinney.evolve._gp_tree import GPTreeClassifier, GPTreeRegressor

        return own_tree(ensemble, GPTreeClassifier if classes else GPTreeRegressor)
    if kind == "igpa":
        return own_tree(ensemble, IGPAClassifier if classes else IGPARegressor)
    tree = CARTClassifier if classes else CARTRegressor
    return own_tree(ensemble, tree, splitter=_SPLITTERS.get(kind, "best"))


def grow_pool(
    trainer: TreeTrainer,
    members: Sequence[str],
    plan: _core.EnsemblePlan,
    n_threads: int,
    finished: Finished,
) -> Pool:
    """Return trees of some kinds, as many of each.

    Boosted trees are grown last, on rows weighed by what the others answer for them without having
    seen them.

    Parameters
    ----------
    trainer : TreeTrainer
        Has a learner for each kind, in this order.
    members : sequence of str
        Names of the kinds.
    plan : spinney._core.EnsemblePlan
        How rows are drawn, and the number of trees.
    n_threads : int
        Number of threads; does not affect the result.
    finished : callable
        Is told how many trees are there.

    Returns
    -------
    Pool
    """
    n_trees, plain = plan.n_members, [i for i, kind in enumerate(members) if kind != "boosted"]
    n_boosted = n_trees * (len(members) - len(plain)) // len(members) if plain else n_trees
    kinds = np.resize(plain, n_trees - n_boosted) if plain else np.zeros(0, dtype=np.int64)
    trees: Forest | None = None
    if plain:
        plan.n_members, plan.out_of_bag = len(kinds), n_boosted > 0
        bagged = _of(trainer, plain).bag(plan, n_threads, None, finished)
        trees, plan.out_of_bag = bagged.members, False
    if n_boosted:
        place = members.index("boosted")
        own = _of(trainer, [place])
        if trees is not None:
            own = replace(own, targets=[_weighed(own.target, bagged.means())])
        plan.first_member, plan.n_members = len(kinds), n_trees
        boosted = own.bag(plan, n_threads, None, finished).members
        trees = boosted if trees is None else trees.joined(boosted)
        kinds = np.append(kinds, np.full(n_boosted, place))
    plan.first_member, plan.n_members = 0, n_trees
    there, kinds = np.unique(kinds, return_inverse=True)
    assert trees is not None
    return Pool(trees, kinds, tuple(members[i] for i in there), plan)


def _of(trainer: TreeTrainer, places: Sequence[int]) -> TreeTrainer:
    """Return a trainer of some of its learners."""
    lists = ("learners", "targets", "tables", "restores", "settings")
    own: dict[str, Any] = {name: [getattr(trainer, name)[i] for i in places] for name in lists}
    return replace(trainer, **own)


def _weighed(target: FitTarget, answers: Floats) -> FitTarget:
    """Return a target with the weights that one round of AdaBoost gives rows for these answers.

    Of classes half of the weight comes to rows whose answer is wrong; numbers are weighed as by
    AdaBoost.R2 with linear losses. Rows without an answer (NaN) count as answered right.
    """
    known = (target.weight > 0) & ~np.isnan(answers[:, 0])
    loss = np.zeros(len(known))
    if target.codes is not None:
        loss[known] = answers[known].argmax(axis=1) != target.codes[known]
    else:
        off = np.abs(np.ldexp(answers[known, 0], -target.exponent) - target.truth[known])
        loss[known] = off / (off.max(initial=0.0) or 1.0)
    total = target.weight.sum()
    mean = float((target.weight * loss).sum() / total)
    if not 0.0 < mean < 0.5:  # nothing to learn from, or nothing learned
        return target
    weight = target.weight * (mean / (1.0 - mean)) ** (1.0 - loss)
    return replace(target, weight=weight * (total / weight.sum()))
