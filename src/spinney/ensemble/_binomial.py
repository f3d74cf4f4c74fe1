"""What an ensemble could reach if its members erred independently of each other."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from spinney._choices import check_number
from spinney.ensemble._quorum import SLACK, read_rule

_QUORUMS = ("majority", "unanimous")


def binomial_accuracy(
    n_members: ArrayLike, p: ArrayLike, quorum: str | float = "majority", *, ties: float = 0.0
) -> Any:
    """Return how often independent members that are each right with probability p are right.

    With T members the number of right votes is binomial, and an ensemble is right if enough of them
    are: for a majority the sum over k > T / 2 of C(T, k) p^k (1 - p)^(T - k). It approaches 1 for
    p > 1/2 and 0 for p < 1/2 as T grows. With more than two classes this is what more than half
    of the votes reach; a plurality may be right with fewer. Real members make many errors in
    common, so the number is a mark to compare with, not a promise.

    Parameters
    ----------
    n_members : int or array of int
        Number of members, at least 1.
    p : float or array of float
        Probability that a member is right. It is combined with `n_members` by broadcasting.
    quorum : {"majority", "unanimous"} or float, default="majority"
        Right votes that are needed: more than half, all, or at least that share of the members.
    ties : float, default=0.0
        Share of the ties of a majority that count as right. At 0 half of an even number of members
        is not enough. At 0.5 a coin decides, and 2 m members are right as often as 2 m - 1.

    Returns
    -------
    float or array
        A float if both numbers are single ones.

    Examples
    --------
    >>> from spinney.ensemble import binomial_accuracy
    >>> round(binomial_accuracy(3, 0.6), 3)
    0.648
    """
    needs = read_rule(quorum, "quorum", _QUORUMS)
    tied_share = check_number("ties", ties, low=0.0, high=1.0)
    counts, chances = np.broadcast_arrays(_counts(n_members), _chances(p))
    if needs.strict:
        least = np.floor(needs.share * counts) + 1.0
    else:
        least = np.ceil(needs.share * counts - SLACK * counts)
    right = np.asarray(binom.sf(least - 1.0, counts, chances))
    if quorum == "majority" and tied_share > 0.0:
        tied = binom.pmf(counts // 2, counts, chances)
        right = right + np.where(counts % 2 == 0, tied_share * tied, 0.0)
    return float(right) if right.ndim == 0 else right


def _counts(n_members: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(n_members)
    if counts.dtype.kind not in "iu" or (counts < 1).any():
        raise ValueError(f"n_members must hold integers >= 1, got {n_members!r}.")
    return counts.astype(np.int64)


def _chances(p: ArrayLike) -> NDArray[np.float64]:
    chances = np.asarray(p)
    if chances.dtype.kind not in "iuf" or not ((chances >= 0) & (chances <= 1)).all():
        raise ValueError(f"p must hold probabilities between 0 and 1, got {p!r}.")
    return chances.astype(np.float64)
