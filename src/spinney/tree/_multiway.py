"""What ID3 and C4.5 share: targets, settings of growth, and weights that limits can count."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._choices import check_choice, check_verbose
from spinney._estimator import FitTarget
from spinney._settings import CLASS_PRUNINGS, max_depth_limit
from spinney._target import class_target
from spinney.tree._class_tree import ClassTree, build_target
from spinney.tree._pruned import PrunedTree

Floats = NDArray[np.float64]


class MultiwayTree(ClassTree, PrunedTree):
    """One tree with a branch for each category, and gaps by fractions."""

    _prunings = CLASS_PRUNINGS

    def _counts_weight(self) -> bool:
        return True

    def _multiway_params(self, n_rows: int) -> _core.MultiwayParams:
        """Check the settings that the two methods do not share."""
        raise NotImplementedError

    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        target = class_target(
            y, weight, estimator_name=type(self).__name__, class_weight=self.class_weight
        )
        return FitTarget(target.weight, target.codes, target.classes, partial(build_target, target))

    def _growth_params(self, values: Floats, target: FitTarget) -> _core.GrowParams:
        params = _core.GrowParams()
        params.set_criterion("entropy")
        params.set_missing(2)  # fractional
        params.max_depth = max_depth_limit(self.max_depth)
        check_choice("unseen", self.unseen, ("missing", "error"))
        check_verbose(self.verbose)
        multiway = self._multiway_params(int(np.count_nonzero(target.weight)))
        _refuse_light_weights(target.weight, max(multiway.min_split, 2 * multiway.min_branch))
        params.set_multiway(multiway)
        return params


def _refuse_light_weights(weight: Floats, least: float) -> None:
    """Refuse weights that no limit could ever be met by, although there are rows enough."""
    n_rows, most = np.count_nonzero(weight), float(weight.max())
    if n_rows >= least and most * n_rows < least:
        raise ValueError(
            f"sample_weight adds up to {weight.sum():g}, but a node needs {least:g} to be divided: "
            "limits count weight, not rows. Scale the weights so that a row weighs about 1."
        )
