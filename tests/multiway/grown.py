"""C4.5 as it grows, before branches that save no errors are taken away."""

from __future__ import annotations

from typing import Any

from spinney import C45Classifier
from spinney.tree._c45 import C45Learner


class GrownLearner(C45Learner):
    """Keeps branches that save no errors."""

    collapses = False


class GrownC45(C45Classifier):
    """A tree that shows every test that the search found."""

    def _learner(self) -> GrownLearner:
        return GrownLearner(self)


def grown(table: Any, y: Any, weights: Any = None, **parameters: Any) -> Any:
    """The fitted tree, neither collapsed nor pruned."""
    model = GrownC45(pruning=None, rules=False, **parameters)
    return model.fit(table, y, sample_weight=weights).tree_
