"""Models as sums over the leaves of trees, which is what Shapley values divide among columns."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._typing import Floats

Shown = Literal["number", "shares", "decision"]


@dataclass(frozen=True)
class Additive:
    """A tree, or the weighted trees of a forest, whose answers add up to what a model predicts.

    Parameters
    ----------
    core : spinney._core.Tree or spinney._core.Forest
        The trees.
    shown : {"number", "shares", "decision"}
        What the sums are: numbers, class probabilities, or shares of votes on the scale of
        `decision_function` of AdaBoost.
    members : array of int or None, default=None
        The trees of a forest that answer; None for a tree.
    weights : array, default=empty
        What each of them counts; they add up to 1.
    votes : bool, default=False
        Whether members vote for a class; otherwise class shares are added up.
    """

    core: Any
    shown: Shown
    members: NDArray[np.int64] | None = None
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    votes: bool = False

    def divide(
        self, rows: Floats, background: Floats | None, pairs: bool, n_threads: int
    ) -> tuple[Floats, Floats]:
        """Return what columns, or pairs of them, add to each output, and what is expected."""
        rows = np.ascontiguousarray(rows)
        if background is not None:
            background = np.ascontiguousarray(background)
        if self.members is None:
            values, expected, divided = _core.shapley_of_tree(
                self.core, rows, background, pairs, n_threads
            )
        else:
            values, expected, divided = _core.shapley_of_forest(
                self.core,
                rows,
                background,
                pairs,
                self.members,
                self.weights,
                self.votes,
                n_threads,
            )
        if self.votes and divided >= 0:
            raise ValueError(
                f"row {divided} has gaps at which members divide it among branches, and the vote "
                "of a divided row is no sum over leaves. Use combine='average', or fill the gaps."
            )
        return self._on_scale(values, 0.0), self._on_scale(expected, 1.0)

    def speakers(self, rows: Floats) -> NDArray[np.bool_]:
        """Return which columns decided at some node on the way of each row."""
        rows = np.ascontiguousarray(rows)
        if self.members is None:
            return _core.speakers_of_tree(self.core, rows)
        marks = np.zeros(rows.shape, dtype=bool)
        for member in self.members.tolist():
            marks |= _core.speakers_of_tree(self.core.tree(member), rows)
        return marks

    def _on_scale(self, outputs: Floats, constant: float) -> Floats:
        n_classes = outputs.shape[-1]
        if self.shown == "number":
            return np.asarray(outputs[..., 0])
        if self.shown == "shares" or n_classes == 1:
            return outputs
        if n_classes == 2:
            return np.asarray(2.0 * (outputs[..., 1] - outputs[..., 0]))
        return np.asarray((n_classes * outputs - constant) / (n_classes - 1))
