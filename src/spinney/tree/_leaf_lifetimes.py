"""The lifetimes of the rows in the leaves of a tree, and the curves that follow from them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._lifetimes import Lifetimes
from spinney._state import plain_state
from spinney._state._kinds import need
from spinney._typing import Floats

Places = NDArray[np.int32]
_ENTRIES = ("node", "place", "events", "exits")


@plain_state
class LeafLifetimes:
    """Events and censoring in the leaves of a tree, or of several trees side by side.

    Time is divided by the times at which any training row had its event. An entry says what
    happened in one leaf from one of these times to the next: the weight of the events at that very
    time, and of all rows that left then or before the next. What two leaves hold adds up.

    Parameters
    ----------
    times : array of shape (n_times,)
        Times of events, ascending.
    n_nodes : int
        Number of nodes.
    node, place : array of shape (n_entries,)
        The leaf of each entry, and the place of its time; in ascending order.
    events, exits : array of shape (n_entries,)
        Weight of the events, and of all that left.
    """

    def __init__(
        self,
        times: Floats,
        n_nodes: int,
        node: Places,
        place: Places,
        events: Floats,
        exits: Floats,
    ) -> None:
        self.times, self.n_nodes = times, n_nodes
        self.node, self.place, self.events, self.exits = node, place, events, exits
        self._check()

    def _check(self) -> None:
        """Refuse entries, of a model file, that no fit makes."""
        size = len(self.node)
        same = len(self.place) == len(self.events) == len(self.exits) == size
        need(same, self, "its arrays differ in length")
        rising = bool((np.diff(self.times) > 0).all()) and bool(np.isfinite(self.times).all())
        need(len(self.times) > 0 and rising, self, "times are not in their order")
        if not size:
            return
        inside = self.node.min() >= 0 and self.node.max() < self.n_nodes
        need(inside and self.place.min() >= 0, self, "an entry belongs to no node, or no time")
        need(self.place.max() < len(self.times), self, "an entry belongs to no time")
        keys = self.node.astype(np.int64) * len(self.times) + self.place
        need(bool((np.diff(keys) > 0).all()), self, "the entries are not in their order")
        sound = np.isfinite(self.exits) & (self.exits > 0)
        sound &= (self.events >= 0) & (self.events <= self.exits)
        need(bool(sound.all()), self, "more rows had an event than left")

    @classmethod
    def of_rows(
        cls, times: Floats, n_nodes: int, leaf: Any, rows: Lifetimes, weight: Floats
    ) -> "LeafLifetimes":
        """Count the rows that weigh anything in the leaves that they reach."""
        place = np.searchsorted(times, rows.time, side="right") - 1
        used = np.flatnonzero((weight > 0) & (place >= 0))  # others left before the first event
        used = used[np.argsort(weight[used], kind="stable")]  # sums are those of any row order
        return cls._summed(
            times,
            n_nodes,
            leaf[used].astype(np.int64) * len(times) + place[used],
            weight[used] * rows.event[used],
            weight[used],
        )

    @classmethod
    def _summed(
        cls, times: Floats, n_nodes: int, keys: NDArray[np.int64], events: Floats, exits: Floats
    ) -> "LeafLifetimes":
        """Return one entry for each key: a node times the number of times, plus a place."""
        known, entry = np.unique(keys, return_inverse=True)
        size = len(known)
        node, place = np.divmod(known, len(times))
        return cls(
            times,
            n_nodes,
            node.astype(np.int32),
            place.astype(np.int32),
            np.bincount(entry, events, minlength=size).astype(np.float64),
            np.bincount(entry, exits, minlength=size).astype(np.float64),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the same as lists: times, and for each entry its node, place, events and exits."""
        entries = zip(*(getattr(self, name).tolist() for name in _ENTRIES), strict=True)
        return {"times": self.times.tolist(), "entries": [list(entry) for entry in entries]}

    @classmethod
    def from_dict(cls, given: Any, order: Sequence[int]) -> "LeafLifetimes":
        """Return what a dict describes, `order` being the given number of each node."""
        try:
            times = np.array(given["times"], dtype=np.float64)
            table = np.array(given["entries"], dtype=np.float64).reshape(-1, 4)
            number = np.empty(len(order), dtype=np.int64)
            number[list(order)] = np.arange(len(order))
            keys = number[table[:, 0].astype(np.int64)] * len(times) + table[:, 1].astype(np.int64)
            return cls._summed(times, len(order), keys, table[:, 2], table[:, 3])
        except (TypeError, ValueError, KeyError, IndexError) as problem:
            raise ValueError(
                "'lifetimes' must have 'times' and 'entries', as Tree.to_dict writes them: "
                f"{problem}"
            ) from None

    # -- Other trees

    def collapsed(self, owner: NDArray[np.int64], n_nodes: int) -> "LeafLifetimes":
        """Return the same for a smaller tree, `owner` being what each node becomes part of."""
        keys = owner[self.node] * len(self.times) + self.place
        return self._summed(self.times, n_nodes, keys, self.events, self.exits)

    def part(self, begin: int, end: int) -> "LeafLifetimes":
        """Return what a range of nodes holds, numbered from 0."""
        low, high = np.searchsorted(self.node, [begin, end])
        own = slice(low, high)
        node = (self.node[own] - begin).astype(np.int32)
        parts = (self.place[own], self.events[own], self.exits[own])
        return LeafLifetimes(self.times, end - begin, node, *parts)

    @staticmethod
    def side_by_side(parts: list["LeafLifetimes"]) -> "LeafLifetimes":
        """Return several trees as one, the nodes of each behind those of the one before."""
        begins = np.cumsum([0, *(part.n_nodes for part in parts)])
        nodes = [part.node + begin for part, begin in zip(parts, begins, strict=False)]
        joined = [
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("place", "events", "exits")
        ]
        node = np.concatenate(nodes).astype(np.int32)
        return LeafLifetimes(parts[0].times, int(begins[-1]), node, *joined)

    # -- Curves

    def n_events(self, nodes: Any) -> float:
        """Return the weight of the events in some leaves."""
        return float(self._leaf_events[nodes].sum())

    @cached_property
    def _leaf_events(self) -> Floats:
        return np.asarray(
            np.bincount(self.node, self.events, minlength=self.n_nodes), dtype=np.float64
        )

    def survival(self, leaves: Any, times: Floats | None = None) -> Floats:
        """Return the Kaplan-Meier estimates of some leaves: one row a leaf, one column a time."""
        return self._at(times, np.exp(self._steps(leaves, _log_stays)), before=1.0)

    def cumulative_hazard(self, leaves: Any, times: Floats | None = None) -> Floats:
        """Return the Nelson-Aalen estimates of some leaves: one row a leaf, one column a time."""
        return self._at(times, self._steps(leaves, np.divide), before=0.0)

    def _steps(self, leaves: Any, change: Any) -> Floats:
        """Return sums over time of what the events of each leaf change, by their risk sets."""
        leaves = np.asarray(leaves, dtype=np.int64)
        row_of = np.full(self.n_nodes, -1, dtype=np.int64)
        row_of[leaves] = np.arange(len(leaves))
        own = row_of[self.node] >= 0
        row, place = row_of[self.node[own]], self.place[own]
        at_risk = np.zeros((len(leaves), len(self.times)))
        at_risk[row, place] = self.exits[own]
        at_risk = at_risk[:, ::-1].cumsum(axis=1)[:, ::-1]
        steps = np.zeros_like(at_risk)
        events = self.events[own]
        some = events > 0
        row, place = row[some], place[some]
        steps[row, place] = change(events[some], at_risk[row, place])
        return np.asarray(steps.cumsum(axis=1))

    def _at(self, times: Floats | None, curves: Floats, before: float) -> Floats:
        """Return curves, given at the times of events, at other times."""
        if times is None:
            return curves
        place = np.searchsorted(self.times, times, side="right")
        return np.hstack([np.full((len(curves), 1), before), curves])[:, place]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LeafLifetimes):
            return NotImplemented
        names = ("times", "n_nodes", "node", "place", "events", "exits")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


def _log_stays(events: Floats, at_risk: Floats) -> Floats:
    """Return the logarithm of the share of those at risk that an event leaves."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(-np.minimum(1.0, events / at_risk)))


def owners(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32], make_leaf: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], int]:
    """Return what each node becomes part of once some are leaves, and how many nodes remain.

    Nodes are numbered as by the core: children when their parent is met.
    """
    owner, n_kept = [0] * len(first_child), 1
    kept = [True] * len(first_child)
    rows = zip(first_child.tolist(), n_children.tolist(), make_leaf.tolist(), strict=True)
    for node, (first, count, is_leaf) in enumerate(rows):
        goes_on = kept[node] and not is_leaf
        for child in range(first, first + count):
            kept[child], owner[child] = goes_on, n_kept if goes_on else owner[node]
            n_kept += goes_on
    return np.array(owner, dtype=np.int64), n_kept
