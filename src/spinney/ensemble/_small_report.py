"""Which trees of a pool make a small forest, and what more of them would bring."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney._format import aligned
from spinney._typing import Floats

Places = NDArray[np.int64]
_KINDS = ("best cuts", "random cuts")


@dataclass(frozen=True, eq=False)
class SmallForestReport:
    """Which trees of a pool a small forest keeps, and why. `print` shows it as tables.

    Distances are mean squared ones between class probabilities, or numbers, on rows that are drawn
    near the training rows.

    Parameters
    ----------
    pool : int
        Number of trees to choose from. Even places are trees with the best cuts, odd ones those
        with random cuts.
    selected : array of int
        Places of the trees that stay, in the order of choice.
    distances : array
        How far the mean of the trees up to each of these is from the pool, before leaves are
        refitted. Each of them was the tree that made it least.
    strengths : array of shape (2,)
        Strengths of shrinkage of the two kinds.
    share : float
        Share of the trees with the best cuts in the answers of the pool.
    power : float
        What class probabilities of the pool are raised to before leaves are refitted to them; 1 for
        numbers.
    pool_loss : float
        Brier score of the pool, or its mean squared error, for rows that trees did not see; NaN if
        every tree saw all rows.
    sizes : array of int
        Numbers of trees that were tried.
    refitted : array
        How far so many are from the pool with refitted leaves, on drawn rows that fitted nothing.
    """

    pool: int
    selected: Places
    distances: Floats
    strengths: Floats
    share: float
    power: float
    pool_loss: float
    sizes: Places
    refitted: Floats

    @property
    def losses(self) -> Floats:
        """Estimated loss by number of trees: that of the pool, and the distance from it."""
        return self.refitted + (0.0 if math.isnan(self.pool_loss) else self.pool_loss)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the choice as text.

        Returns
        -------
        str
        """
        members = [("tree", "kind", "distance from the pool")]
        members += [
            (str(place), _KINDS[place % 2], f"{distance:.4g}")
            for place, distance in zip(self.selected.tolist(), self.distances, strict=True)
        ]
        curve = [("trees", "refitted", "estimated loss")]
        curve += [
            (str(size), f"{distance:.4g}", f"{loss:.4g}")
            for size, distance, loss in zip(self.sizes, self.refitted, self.losses, strict=True)
        ]
        return "\n".join(
            [
                f"{len(self.selected)} of {self.pool} trees stay",
                *("  " + line for line in aligned(members, left=[1])),
                *("  " + line for line in aligned(curve)),
                self._about_pool(),
            ]
        )

    def _about_pool(self) -> str:
        if math.isnan(self.pool_loss):
            return "the pool: no row was left out by trees of both kinds, nothing judged it"
        shrunk = " and ".join(f"{strength:.4g}" for strength in self.strengths)
        return (
            f"the pool: loss {self.pool_loss:.4g} for rows left out, share of best cuts "
            f"{self.share:.1f}, shrinkage {shrunk}, power {self.power:.4g}"
        )
