r"""Where the boxes of a tree go.

Each box has a width; boxes of one level must not overlap, children stand in their order, a parent
stands over the middle of its children, and subtrees move as close together as their outlines
allow. The outline of a subtree is kept as its leftmost and rightmost edge on each level::

         [  a  ]              level 0: from -3 to 3
        /       \
     [ b ]     [ c ]          level 1: from -8 to 8
       |
      [d]                     level 2: from -6 to -4
"""

from collections.abc import Sequence


def tidy_positions(
    children: Sequence[Sequence[int]], widths: Sequence[float], gap: float
) -> list[float]:
    """Return the middle of each box; the leftmost edge of all is at 0.

    Parameters
    ----------
    children : sequence of sequence of int
        The children of each box, from left to right. They are numbered after their parent; box 0
        is the root.
    widths : sequence of float
        The width of each box.
    gap : float
        The least distance between neighbours.

    Returns
    -------
    list of float
    """
    n_boxes = len(children)
    offset = [0.0] * n_boxes  # from the parent
    outlines: list[tuple[list[float], list[float]]] = [([], [])] * n_boxes
    for box in range(n_boxes - 1, -1, -1):
        left: list[float] = []
        right: list[float] = []
        for child in children[box]:
            child_left, child_right = outlines[child]
            clearances = zip(right, child_left, strict=False)
            shift = max((edge + gap - other for edge, other in clearances), default=0.0)
            offset[child] = shift
            left += [edge + shift for edge in child_left[len(left) :]]
            right[: len(child_right)] = [edge + shift for edge in child_right]
            outlines[child] = ([], [])  # no longer needed
        middle = _middle([offset[child] for child in children[box]])
        for child in children[box]:
            offset[child] -= middle
        half = widths[box] / 2
        outlines[box] = (
            [-half, *(edge - middle for edge in left)],
            [half, *(edge - middle for edge in right)],
        )
    position = [0.0] * n_boxes
    position[0] = -min(outlines[0][0])
    for box in range(n_boxes):
        for child in children[box]:
            position[child] = position[box] + offset[child]
    return position


def _middle(places: Sequence[float]) -> float:
    return (places[0] + places[-1]) / 2 if places else 0.0
