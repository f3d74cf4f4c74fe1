"""Which trees of a pool make a small forest, and what more of them would bring."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney._format import aligned
from spinney._typing import Floats

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SmallForestReport:
    """Which trees of a pool a small forest keeps, and why. `print` shows it as tables.

    Distances are mean squared ones between class probabilities, or numbers, on rows that are drawn
    near the training rows.

    Parameters
    ----------
    members : tuple of str
        Kinds of trees in the pool.
    counts : array of int
        Number of trees of each kind.
    selected : array of int
        Places of the trees that stay, in the order of choice.
    kinds : array of int
        Their kinds, as places in `members`.
    distances : array
        How far the mean of the trees up to each of these is from the pool, before leaves are
        refitted.
    strengths, shares, kind_losses : array of shape (n_kinds,)
        Of each kind: the strength of its shrinkage, its share in the answers of the pool, and the
        loss that it has alone.
    power : float
        What class probabilities of the pool are raised to before leaves are refitted to them; 1 for
        numbers.
    pool_loss : float
        Brier score of the pool, or its mean squared error, for rows that trees did not see; NaN if
        every tree saw all rows. Losses of kinds are of the same rows.
    sizes : array of int
        Numbers of trees that were tried.
    refitted : array
        How far so many are from the pool with refitted leaves, on drawn rows that fitted nothing.
    """

    members: tuple[str, ...]
    counts: Places
    selected: Places
    kinds: Places
    distances: Floats
    strengths: Floats
    shares: Floats
    kind_losses: Floats
    power: float
    pool_loss: float
    sizes: Places
    refitted: Floats

    @property
    def pool(self) -> int:
        """Number of trees in the pool."""
        return int(self.counts.sum())

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
        trees = [("tree", "kind", "distance from the pool")]
        trees += [
            (str(place), self.members[kind], f"{distance:.4g}")
            for place, kind, distance in zip(
                self.selected.tolist(), self.kinds.tolist(), self.distances, strict=True
            )
        ]
        curve = [("trees", "refitted", "estimated loss")]
        curve += [
            (str(size), f"{distance:.4g}", f"{loss:.4g}")
            for size, distance, loss in zip(self.sizes, self.refitted, self.losses, strict=True)
        ]
        return "\n".join(
            [
                f"{len(self.selected)} of {self.pool} trees stay",
                *("  " + line for line in aligned(trees, left=[1])),
                *("  " + line for line in aligned(curve)),
                *self._about_pool(),
            ]
        )

    def _about_pool(self) -> list[str]:
        if math.isnan(self.pool_loss):
            return ["the pool: no row was left out by trees of every kind, nothing judged it"]
        rows = [("kind", "trees", "share", "loss alone", "shrinkage")]
        numbers = (self.counts, self.shares, self.kind_losses, self.strengths)
        rows += [
            (name, str(count), f"{share:.1f}", f"{loss:.4g}", f"{strength:.4g}")
            for name, count, share, loss, strength in zip(self.members, *numbers, strict=True)
        ]
        about = f"loss {self.pool_loss:.4g} for rows left out, power {self.power:.4g}"
        return [f"the pool: {about}", *("  " + line for line in aligned(rows, left=[0]))]
