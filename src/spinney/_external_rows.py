"""Tables whose rows are stored outside this process; their owner grows the trees."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from spinney import _core
from spinney._typing import Floats

if TYPE_CHECKING:
    from spinney._target import FitTarget
    from spinney.tree._learner import RowSplit


class RowsElsewhere(ABC):
    """An encoded table without its rows: stands where estimators expect the array."""

    shape: tuple[int, int]

    @abstractmethod
    def grow(
        self, target: "FitTarget", rows: "RowSplit", params: _core.GrowParams
    ) -> tuple[_core.Tree, tuple[Floats, Floats] | None]:
        """Grow a tree; with folds, also find the error of its subtrees."""

    @abstractmethod
    def bag(
        self,
        target: "FitTarget",
        params: _core.GrowParams,
        plan: _core.EnsemblePlan,
        finished: Any,
    ) -> tuple[Any, ...]:
        """Train the members of a plan; returns what `_core.fit_ensemble` does."""
