"""The filters of boosting by filtering: which rows of a stream a learner gets, and who decides."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Places = NDArray[np.intp]


def decided(answers: list[Codes]) -> Codes:
    """Return the decision of one, two or three learners."""
    if len(answers) < 3:
        return answers[0]
    first, second, third = answers
    return np.where(first == second, first, third)


def half_wrong(wrong: NDArray[np.bool_], coins: NDArray[np.bool_], most: int) -> tuple[Places, int]:
    """Toss a coin for each row of learner 2: take the next that is wrong, or the next right one.

    A row that is passed over waits for a coin that asks for it. The set ends when it has `most`
    rows, or when a coin asks for what is used up. If nothing is right, all rows are taken.

    Parameters
    ----------
    wrong : array of bool
        What learner 1 gets wrong, in the order of the stream; at least one.
    coins : array of bool
        Heads; at least as many as rows.
    most : int
        Rows to take at most.

    Returns
    -------
    chosen : array of int
        Places in `wrong`, ascending.
    n_read : int
        How far the stream has been read.
    """
    heads = coins[: min(most, len(wrong))]
    if wrong.all():
        return np.arange(len(heads)), len(heads)
    kinds = np.flatnonzero(~wrong), np.flatnonzero(wrong)
    wanted = np.where(
        heads, np.cumsum(heads), np.cumsum(~heads)
    )  # the first, second, ... of a kind
    used_up = wanted > np.where(heads, len(kinds[1]), len(kinds[0]))
    ended = bool(used_up.any())
    heads = heads[: np.argmax(used_up)] if ended else heads
    n_heads = int(heads.sum())
    chosen = np.sort(np.r_[kinds[1][:n_heads], kinds[0][: len(heads) - n_heads]])
    return chosen, len(wrong) if ended else int(chosen[-1]) + 1


def balanced(weight: Floats, wrong: NDArray[np.bool_] | None) -> Floats:
    """Return weights that add up to the number of rows, among wrong rows as among right ones.

    The coin has made them halves already; weights only tell rows of one half apart.
    """
    groups = [np.ones(len(weight), bool)] if wrong is None else [wrong, ~wrong]
    balanced = weight.copy()
    for group in groups:
        if group.any():
            balanced[group] = weight[group] / weight[group].mean()
    return balanced
