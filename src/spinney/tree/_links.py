"""Who is whose child: the links of a hand-written tree, checked and put in order."""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any


def child_lists(nodes: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return the places in the list of each node's children, or raise an error naming a node.

    Children are named by their place in the list, or by `id` if the nodes have one.
    """
    ids = [node.get("id", place) for place, node in enumerate(nodes)]
    places = {id: place for place, id in enumerate(ids) if isinstance(id, int | str)}
    if len(places) != len(ids):
        twice = next(i for place, i in enumerate(ids) if places.get(i) != place)
        raise ValueError(f"node {twice}: 'id' must be a number or a name that is given only once.")
    children = [_children_of(node, ids[place], places) for place, node in enumerate(nodes)]
    parents: list[int | None] = [None] * len(nodes)
    for place, below in enumerate(children):
        for child in below:
            if child in (0, place):
                raise ValueError(f"node {ids[place]}: a cycle, it leads to itself.")
            if parents[child] is not None:
                above = (ids[parents[child] or 0], ids[place])
                raise ValueError(f"node {ids[child]}: shared by two parents, {above}.")
            parents[child] = place
    for place in _not_reached(children):
        if parents[place] is None:
            raise ValueError(f"node {ids[place]}: an orphan, no node leads to it.")
    for place in _not_reached(children):
        raise ValueError(f"node {ids[place]}: part of a cycle that the root does not lead to.")
    return children


def _children_of(node: Mapping[str, Any], id: Any, places: Mapping[Any, int]) -> list[int]:
    listed = node.get("children") or []
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise ValueError(f"node {id}: 'children' must be a list, got {listed!r}.")
    found = []
    for child in listed:
        try:
            found.append(places[child if isinstance(child, str) else index(child)])
        except (KeyError, TypeError):
            raise ValueError(f"node {id}: there is no node {child!r} to be its child.") from None
    return found


def _not_reached(children: list[list[int]]) -> list[int]:
    reached = set(reading_order(children))
    return [place for place in range(len(children)) if place not in reached]


def reading_order(children: list[list[int]]) -> list[int]:
    """Return the nodes in an order in which siblings are neighbours and follow their parent.

    The order of the list itself if it is such an order, level by level if not.
    """
    as_listed = [0, *(child for below in children for child in below)]
    if sorted(as_listed) == list(range(len(children))) and all(
        below[0] > place and below == list(range(below[0], below[0] + len(below)))
        for place, below in enumerate(children)
        if below
    ):
        return list(range(len(children)))
    order = [0]
    for place in order:  # grows while it is walked
        order.extend(children[place])
    return order
