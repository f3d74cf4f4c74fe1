"""Trees with a branch for each category, and rows with gaps in several branches."""

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._settings import max_depth_limit
from spinney._target import FitTarget
from spinney.tree._learner import PrunedLearner

Floats = NDArray[np.float64]
_FRACTIONAL = 2


class MultiwayLearner(PrunedLearner):
    """What ID3 and C4.5 have in common."""

    counts_weight = True

    def branches(self, n_rows: int) -> _core.MultiwayParams:
        """Return the parameters in which the two methods differ."""
        raise NotImplementedError

    def growth(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        """Return the parameters of growth."""
        params = _core.GrowParams()
        params.set_criterion("entropy")
        params.set_missing(_FRACTIONAL)
        params.max_depth = max_depth_limit(self.estimator.max_depth)
        branches = self.branches(int(np.count_nonzero(target.weight)))
        _refuse_light_weights(target.weight, max(branches.min_split, 2 * branches.min_branch))
        params.set_multiway(branches)
        return params


def _refuse_light_weights(weight: Floats, least: float) -> None:
    """Refuse weights that no limit could ever be met by, although there are rows enough."""
    n_rows, most = np.count_nonzero(weight), float(weight.max())
    if n_rows >= least and most * n_rows < least:
        raise ValueError(
            f"sample_weight adds up to {weight.sum():g}, but a node needs {least:g} to be divided: "
            "limits count weight, not rows. Scale the weights so that a row weighs about 1."
        )
