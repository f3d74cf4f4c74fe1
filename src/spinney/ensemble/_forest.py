"""The trees of an ensemble as one packed structure."""

from collections.abc import Iterable, Iterator, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._lifetimes import Lifetimes
from spinney._state import plain_state
from spinney._table import Schema
from spinney._typing import Floats
from spinney.tree._leaf_lifetimes import LeafLifetimes
from spinney.tree._tree import Tree

Members = NDArray[np.int64]

__all__ = ["Forest"]


@plain_state
class Forest(Sequence[Tree]):
    """The trees of a fitted ensemble, as one packed structure.

    It never changes. `forest[i]` makes a `Tree` of a member on demand.

    Parameters
    ----------
    core : spinney._core.Forest
        The trees.
    schema : Schema
        Names, kinds and categories of the columns.
    classes : array of shape (n_classes,) or None, default=None
        The labels; None for regression.
    lifetimes : LeafLifetimes or None, default=None
        For survival trees, the lifetimes in their leaves, the nodes of all trees side by side.
    """

    def __init__(
        self,
        core: _core.Forest,
        schema: Schema,
        classes: NDArray[Any] | None = None,
        lifetimes: LeafLifetimes | None = None,
    ) -> None:
        self._core = core
        self.schema = schema
        self.classes = classes
        self.lifetimes = lifetimes
        self._costs: tuple[Floats | None] | None = None  # told once

    def __len__(self) -> int:
        return int(self._core.n_members)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        place = index(i)
        if not -len(self) <= place < len(self):
            raise IndexError(f"tree {place} of a forest with {len(self)} trees")
        place %= len(self)
        # A member may tell groups of classes apart, not classes.
        classes = np.array([0, 1]) if self._core.groups(place) else self.classes
        return Tree(self._core.tree(place), self.schema, classes, self._lifetimes_of(place))

    def _lifetimes_of(self, place: int) -> LeafLifetimes | None:
        if self.lifetimes is None:
            return None
        begins = np.cumsum([0, *self.n_nodes])
        return self.lifetimes.part(int(begins[place]), int(begins[place + 1]))

    def with_lifetimes(
        self, times: Floats, rows: Lifetimes, leaves: NDArray[np.int32], weights: Iterable[Floats]
    ) -> "Forest":
        """Return the same trees with the lifetimes of rows, each tree with weights of its own."""
        parts = [
            LeafLifetimes.of_rows(times, int(n_nodes), leaves[:, i], rows, weight)
            for i, (n_nodes, weight) in enumerate(zip(self.n_nodes, weights, strict=True))
        ]
        together = LeafLifetimes.side_by_side(parts)
        return Forest(self._core, self.schema, self.classes, together)

    def __iter__(self) -> Iterator[Tree]:
        return (self[i] for i in range(len(self)))

    def groups(self, i: int) -> tuple[int, ...]:
        """Return which of two groups each class belongs to in a member; empty if classes are."""
        return tuple(self._core.groups(i))

    @property
    def n_nodes(self) -> NDArray[np.int64]:
        """Number of nodes of each tree."""
        return np.array([self._core.n_nodes(i) for i in range(len(self))], dtype=np.int64)

    @property
    def cost_matrix(self) -> Floats | None:
        """Costs of errors, if all trees have the same; None otherwise."""
        if self._costs is None:
            first, *others = (self._core.cost(i) for i in range(len(self)))
            same = bool(first) and all(one == first for one in others)
            n_classes = len(self.classes) if self.classes is not None else 0
            self._costs = (np.array(first).reshape(n_classes, -1) if same else None,)
        return self._costs[0]

    # -- Rows through the trees

    def sums(
        self, rows: Floats, members: Members, weights: Floats, vote: bool, n_threads: int
    ) -> Floats:
        """Return the weighted answers of some trees, added up: votes, class shares or means."""
        return self._core.sums(rows, members, weights, vote, n_threads)

    def answers(self, rows: Floats, members: Members, n_threads: int) -> Floats:
        """Return the class codes (or groups), or the means, of some trees: one row a tree."""
        return self._core.answers(rows, members, n_threads)

    def importances(self, i: int) -> Floats:
        """Return each feature's share of the impurity that a tree removes."""
        importances: Floats = self[i].importances()
        return importances

    def joined(self, other: "Forest") -> "Forest":
        """Return a forest of the trees of both."""
        both = [(forest._core, i) for forest in (self, other) for i in range(len(forest))]
        core = _core.Forest([c.tree(i) for c, i in both], [c.groups(i) for c, i in both])
        parts = [one for one in (self.lifetimes, other.lifetimes) if one is not None]
        lifetimes = LeafLifetimes.side_by_side(parts) if parts else None
        return Forest(core, self.schema, self.classes, lifetimes)

    def shrunk(self, strength: float, n_threads: int) -> "Forest":
        """Return a forest whose trees predict after hierarchical shrinkage."""
        core = _core.shrunk_forest(self._core, strength, n_threads)
        return Forest(core, self.schema, self.classes)

    def unshrunk(self, n_threads: int) -> "Forest":
        """Return a forest whose trees predict as they were grown."""
        core = _core.unshrunk_forest(self._core, n_threads)
        return Forest(core, self.schema, self.classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        return len(self) == len(other) and all(
            self.groups(i) == other.groups(i) and self[i] == other[i] for i in range(len(self))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Forest({len(self)} trees)"
