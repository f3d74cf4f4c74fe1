"""The training rows in the leaves of a forest, and quantiles of the target from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._settings import thread_count
from spinney._state import plain_state
from spinney._state._kinds import StateError
from spinney._typing import Floats
from spinney.ensemble._forest import Forest
from spinney.ensemble._trainer import TreeTrainer
from spinney.tree._estimator import is_own_tree


@plain_state
@dataclass(frozen=True, eq=False)
class LeafTargets:
    """The targets of the training rows that each leaf of a forest holds.

    A training row keeps 16 bytes, and in each tree 4 bytes for each time that it was drawn; a node
    keeps 4 bytes.

    Parameters
    ----------
    y, weight : array of shape (n_rows,)
        Targets in ascending order, by exposure where there is any, and the weights of the rows.
    place : array of uint32
        Tree by tree, and in each leaf by leaf, places in `y` of the rows that were drawn.
    begin : array of uint32
        For each tree, where the rows of each of its nodes begin among its own, and their number.
    tree : array of shape (n_trees + 1,)
        Where the rows of each tree begin.
    """

    y: Floats
    weight: Floats
    place: NDArray[np.uint32]
    begin: NDArray[np.uint32]
    tree: NDArray[np.int64]

    @classmethod
    def of(
        cls, trainer: TreeTrainer, forest: Forest, plans: list[_core.EnsemblePlan], n_threads: int
    ) -> "LeafTargets":
        """Return those of a forest that was just trained."""
        target = trainer.target
        used = np.flatnonzero(target.weight)
        rows = used[np.argsort(target.rates[used], kind="stable")]
        place_of_row = np.zeros(len(target.weight), dtype=np.uint32)
        place_of_row[rows] = np.arange(len(rows), dtype=np.uint32)
        weight = target.weight * target.exposure if len(target.exposure) else target.weight
        leaves = _core.leaf_rows(
            forest._core, trainer.values, target.core(), plans, place_of_row, n_threads
        )
        y = np.ldexp(target.rates[rows].astype(np.float64), target.exponent)
        return cls(y, np.ascontiguousarray(weight[rows]), *leaves)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, and about as many in a model file."""
        arrays = (self.y, self.weight, self.place, self.begin, self.tree)
        return sum(array.nbytes for array in arrays)

    def quantiles(
        self,
        forest: Forest,
        rows: Floats,
        members: NDArray[np.int64],
        quantiles: Floats,
        n_threads: int,
    ) -> Floats:
        """Return quantiles of the target for encoded rows, by some trees of the forest."""
        kept = (self.place, self.begin, self.tree, self.y, self.weight)
        return _core.leaf_quantiles(forest._core, rows, members, *kept, quantiles, n_threads)

    def check(self) -> None:
        """Refuse arrays that do not fit together."""
        fits = (
            len(self.y) == len(self.weight) > 0
            and bool(np.isfinite(self.y).all() and (np.diff(self.y) >= 0).all())
            and bool(np.isfinite(self.weight).all() and (self.weight > 0).all())
            and bool((self.place < len(self.y)).all())
            and len(self.tree) > 1
            and self.tree[0] == 0
            and self.tree[-1] == len(self.place)
            and bool((np.diff(self.tree) >= 0).all())
        )
        if not fits:
            raise StateError("LeafTargets: the arrays do not fit together.")

    def fits(self, n_nodes: NDArray[np.int64]) -> bool:
        """Return whether these are the leaves of trees with so many nodes."""
        ends = np.cumsum(n_nodes + 1)
        if len(self.tree) != len(n_nodes) + 1 or len(self.begin) != ends[-1]:
            return False
        steps = np.diff(self.begin.astype(np.int64))
        inside = np.ones(len(steps), dtype=bool)
        inside[ends[:-1] - 1] = False  # from the end of a tree to the next one's beginning
        starts = self.begin[np.concatenate(([0], ends[:-1]))]
        sizes = np.diff(self.tree)
        return bool(
            (steps[inside] >= 0).all()
            and (starts == 0).all()
            and np.array_equal(self.begin[ends - 1], sizes)
        )


def refuse_keeping(ensemble: Any) -> None:
    """Refuse keep_targets where members are no trees, or no rows are drawn for leaves."""
    if not ensemble.keep_targets:
        return
    learners = ensemble._make_learners()
    if not all(map(is_own_tree, learners)):
        raise ValueError("keep_targets needs members that are trees of this package.")
    if any(getattr(learner, "missing", None) == "fractional" for learner in learners):
        raise ValueError(
            "keep_targets does not work with missing='fractional', which divides rows among "
            "leaves. Use missing='surrogate' or 'majority'."
        )
    if ensemble.sampling == "wagging":
        raise ValueError(
            "keep_targets does not work with sampling='wagging', which draws no rows. Use "
            "another sampling."
        )


def kept_targets(ensemble: Any, trainer: TreeTrainer, same_rows: bool) -> LeafTargets:
    """Return the rows in the leaves; all members must have seen rows of the present table."""
    if not same_rows:
        raise ValueError(
            "keep_targets with warm_start needs the table of the first fit, which had another "
            "number of rows. Use warm_start=False."
        )
    n_threads = thread_count(ensemble.n_jobs)
    return LeafTargets.of(trainer, ensemble._members, ensemble._drawn_by(), n_threads)


def predict_quantiles(self: Any, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Floats:
    """Return quantiles of the target, from the training rows in the leaves that a row reaches.

    A quantile regression forest: each tree divides a weight of 1 among the training rows in the
    leaf, as often as they were drawn for the tree and by their weights. The quantile is the
    least target that, together with all below it, has so much of the weight of all trees.
    Shrinkage does not change it.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
        With the columns of fit.
    quantiles : float or array of shape (n_quantiles,), default=(0.05, 0.5, 0.95)
        Above 0 and below 1.

    Returns
    -------
    array of shape (n_rows, n_quantiles)

    References
    ----------
    Meinshausen (2006). Quantile regression forests. JMLR 7.
    """
    check_is_fitted(self)
    wanted = _checked_quantiles(quantiles)
    if "leaf_targets_" not in vars(self):
        raise ValueError(
            "predict_quantiles needs the targets of the training rows, which this model did "
            "not keep. Fit it with keep_targets=True."
        )
    members, n_threads = self._voters(), thread_count(self.n_jobs)
    rows = self._member_rows(X)
    kept: LeafTargets = self.leaf_targets_
    return kept.quantiles(self._members, rows, members, wanted, n_threads)


def _checked_quantiles(quantiles: Any) -> Floats:
    """Return quantiles as a 1-D array, each above 0 and below 1."""
    try:
        numbers = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != 1 or not numbers.size:
        raise ValueError(f"quantiles must be numbers above 0 and below 1, got {quantiles!r}.")
    bad = numbers[~((numbers > 0) & (numbers < 1))]
    if len(bad):
        raise ValueError(
            f"quantiles must be above 0 and below 1, got {bad[0]:g}. The 5 % quantile is 0.05."
        )
    return np.ascontiguousarray(numbers)
