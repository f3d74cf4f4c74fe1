"""Cross-validation that keeps the rows of a group together, for `--group`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class GroupFolds:
    """A splitter whose folds are of whole groups: as many as asked for, or one for each group."""

    n_splits: int
    seed: int

    def split(
        self, X: Any, y: NDArray[Any], groups: NDArray[Any]
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return training and held-out rows of each fold."""
        from spinney.compare._inputs import Problem
        from spinney.compare._resampling import RepeatedKFold

        n_splits = min(self.n_splits, len(np.unique(groups)))
        problem = Problem("", X, y, "classification", {"groups": groups})
        return problem.parts(RepeatedKFold(n_splits), np.random.default_rng(self.seed))
