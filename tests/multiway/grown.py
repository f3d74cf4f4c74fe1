"""C4.5 as it grows, before branches that save no errors are taken away."""

from __future__ import annotations

from typing import Any

from spinney import C45Classifier
from spinney.tree._multiway import MultiwayTree


class GrownC45(C45Classifier):
    """A tree that shows every test that the search found."""

    def _grow(self, *arguments: Any) -> Any:
        return MultiwayTree._grow(self, *arguments)


def grown(table: Any, y: Any, weights: Any = None, **parameters: Any) -> Any:
    """The fitted tree, neither collapsed nor pruned."""
    model = GrownC45(pruning=None, rules=False, **parameters)
    return model.fit(table, y, sample_weight=weights).tree_
