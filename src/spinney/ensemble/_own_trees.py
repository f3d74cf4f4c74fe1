"""Ensembles of one kind of tree, whose settings are the ensemble's own parameters."""

from typing import Any, TypeVar

from spinney import _core
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._sampling import sampling_plan
from spinney.tree._base import BaseTree

T = TypeVar("T", bound=BaseTree)

# What a tree has for itself: the ensemble encodes the table, draws, and runs threads.
_OF_THE_ENSEMBLE = {
    "categorical_features",
    "unseen",
    "warm_start",
    "random_state",
    "n_jobs",
    "verbose",
}


class OwnTrees(BaggedEnsemble):
    """Trees with the parameters of the ensemble."""

    def _learners(self) -> list[Any]:
        return [self._default_learner()]

    def _tree(self, kind: type[T]) -> T:
        """Return an unfitted tree with the settings that it shares with the ensemble."""
        own = set(vars(self)) - _OF_THE_ENSEMBLE
        names = [name for name in kind._get_param_names() if name in own]
        return kind(**{name: getattr(self, name) for name in names})

    def _plan(self, lesson: Any, n_members: int) -> _core.EnsemblePlan:
        return sampling_plan(
            sampling=self.sampling,
            bootstrap=getattr(self, "bootstrap", True),
            max_samples=self.max_samples,
            n_rows=int((lesson.target.weight > 0).sum()),
            n_members=n_members,
            seed=self._seed,
        )
