"""How the answers of members are combined: votes or mean probabilities, means or medians."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spinney._typing import Floats
from spinney.shapley._additive import Shown

_BLOCK = 1 << 22  # answers that are sorted at once


def shares_of(sums: Floats) -> Floats:
    """Return rows that add up to 1; even shares for a row without any votes."""
    totals = sums.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(totals > 0, sums / totals, 1.0 / sums.shape[1]))


@dataclass(frozen=True)
class ClassCombiner:
    """Chooses classes by votes of members, or by their class probabilities, added up.

    Parameters
    ----------
    votes : bool
        Whether each member votes for one class; otherwise probabilities are added up.
    cost : array of shape (n_classes, n_classes) or None
        Costs that weigh probabilities; None if errors cost the same.
    tie_seed : int or None
        Random seed that decides between classes with equal votes; None takes the first of them.
    """

    votes: bool = True
    cost: Floats | None = None
    tie_seed: int | None = None
    explained: ClassVar[Shown] = "shares"  # what Shapley values divide

    @classmethod
    def of(cls, ensemble: Any) -> "ClassCombiner":
        """Return the combiner that the parameters `combine` and `ties` describe."""
        votes = ensemble.combine == "vote"
        cost = None if votes else ensemble._members.cost_matrix
        return cls(votes, cost, ensemble._seed if ensemble.ties == "random" else None)

    def choose(self, sums: Floats) -> NDArray[np.intp]:
        """Return the class of each row, as its place among the classes."""
        if self.cost is not None:
            sums = -(sums @ self.cost)
        if self.tie_seed is None:
            return np.asarray(sums.argmax(axis=1))
        best = sums == sums.max(axis=1, keepdims=True)
        draws = np.random.default_rng(self.tie_seed).random(len(sums))
        wanted = np.floor(draws * best.sum(axis=1)).astype(np.int64)
        return np.asarray((best.cumsum(axis=1) > wanted[:, None]).argmax(axis=1))

    def probabilities(self, sums: Floats) -> Floats:
        """Return shares that add up to 1 in each row."""
        return shares_of(sums)


@dataclass(frozen=True)
class BoostedCombiner(ClassCombiner):
    """Chooses classes by weighted votes, on the scale of scikit-learn's AdaBoost."""

    explained: ClassVar[Shown] = "decision"

    def decision(self, sums: Floats) -> Floats:
        """Return the weighted votes for each class, between -1 / (n_classes - 1) and 1."""
        total = sums.sum(axis=1, keepdims=True)
        if sums.shape[1] == 1:
            return np.ones_like(sums)
        against = (total - sums) / (sums.shape[1] - 1)
        return np.asarray((sums - against) / total)

    def probabilities(self, sums: Floats) -> Floats:
        """Return shares that add up to 1 in each row."""
        if sums.shape[1] == 1:
            return np.ones_like(sums)
        from scipy.special import softmax  # here: seldom needed

        return np.asarray(softmax(self.decision(sums) / (sums.shape[1] - 1), axis=1))


def weighted_median(answers: Floats, weights: Floats) -> Floats:
    """Return the median over members of their answers: one row a member.

    With weights it is the least answer that, with all below it, has at least half of the weight;
    without any the usual median.
    """
    if not len(weights):
        with np.errstate(over="ignore"):
            middle = np.median(answers, axis=0)
        if not np.isfinite(middle).all():  # the sum of the two in the middle is too large
            middle = 2.0 * np.median(answers / 2.0, axis=0)
        return np.asarray(middle)
    out = np.empty(answers.shape[1])
    step = max(1, _BLOCK // len(answers))
    for begin in range(0, len(out), step):
        block = answers[:, begin : begin + step]
        order = np.argsort(block, axis=0, kind="stable")
        upto = np.cumsum(weights[order], axis=0)
        place = (upto >= 0.5 * upto[-1]).argmax(axis=0)
        columns = np.arange(block.shape[1])
        out[begin : begin + step] = block[order[place, columns], columns]
    return out
