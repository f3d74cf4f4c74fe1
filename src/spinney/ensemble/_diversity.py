"""How much the members of an ensemble differ, pair by pair.

Members that err on the same rows gain nothing by voting. Three measures describe a pair: how often
its labels differ, how far the agreement goes beyond chance (Cohen's kappa), and whether its errors
fall on the same rows (Yule's Q). All three are shares of weight, so weights may be scaled.

References
----------
Kuncheva and Whitaker, Measures of diversity in classifier ensembles, 2003.
Margineantu and Dietterich, Pruning adaptive boosting, 1997 (the kappa-error diagram).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from spinney._checks import Number
from spinney._format import join_words
from spinney._html import html_table
from spinney._target import check_weights, check_y
from spinney._typing import Floats
from spinney.ensemble._voting_members import codes_of
from spinney.ensemble._voting_rules import SLACK, read_rule

_QUORUMS = ("majority", "unanimous")
_CELLS = 2**20  # of an indicator matrix at a time


@dataclass(frozen=True, eq=False)
class Diversity:
    """How much the members of an ensemble differ. `print` shows the means.

    Parameters
    ----------
    members : array of int
        Places of the members compared in `estimators_`.
    errors : array of shape (n_members,)
        Error rate of each.
    disagreement, q_statistic, kappa : array of shape (n_members, n_members)
        The measures of each pair, see the functions of the same names.
    """

    members: NDArray[np.int64]
    errors: Floats
    disagreement: Floats
    q_statistic: Floats
    kappa: Floats

    @property
    def pair_errors(self) -> Floats:
        """Mean error of each pair, of shape (n_members, n_members)."""
        return np.asarray((self.errors[:, None] + self.errors[None, :]) / 2.0)

    @property
    def mean_error(self) -> float:
        """Mean error of the members."""
        return float(self.errors.mean())

    @property
    def mean_disagreement(self) -> float:
        """Mean disagreement of the pairs; 0 for a single member."""
        return pair_mean(self.disagreement)

    @property
    def mean_q_statistic(self) -> float:
        """Mean Q of the pairs; 1 for a single member."""
        return pair_mean(self.q_statistic)

    @property
    def mean_kappa(self) -> float:
        """Mean kappa of the pairs; 1 for a single member."""
        return pair_mean(self.kappa)

    def pairs(self) -> tuple[Floats, Floats]:
        """Return kappa and mean error of each pair once: the points of a kappa-error diagram."""
        upper = np.triu_indices(len(self.members), k=1)
        return self.kappa[upper], self.pair_errors[upper]

    def _rows(self) -> list[tuple[str, float, float, float]]:
        """Return name, mean, least and most of each measure."""
        measures = [
            ("error of a member", self.mean_error, self.errors),
            ("disagreement", self.mean_disagreement, self.disagreement),
            ("Q statistic", self.mean_q_statistic, self.q_statistic),
            ("kappa", self.mean_kappa, self.kappa),
        ]
        known = [values if values.ndim == 1 else _each_pair(values) for *_, values in measures]
        return [
            (name, mean, float(values.min()), float(values.max()))
            for (name, mean, _), values in zip(measures, known, strict=True)
        ]

    def __str__(self) -> str:
        count = len(self.members)
        lines = [
            f"{count} members, {count * (count - 1) // 2} pairs",
            f"{'':<19}{'mean':>8}{'least':>8}{'most':>8}",
        ]
        for name, mean, least, most in self._rows():
            lines.append(f"  {name:<17}{mean:z8.3f}{least:z8.3f}{most:z8.3f}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        count = len(self.members)
        rows = [[name, *(f"{value:z.3f}" for value in values)] for name, *values in self._rows()]
        title = f"{count} members, {count * (count - 1) // 2} pairs"
        return html_table(["", "mean", "least", "most"], rows, title=title)


def diversity(
    ensemble: Any, X: Any, y: Any, sample_weight: Any = None, *, voting: bool = True
) -> Diversity:
    """Compare the members of a fitted ensemble of classifiers on given rows.

    Parameters
    ----------
    ensemble : estimator
        With `classes_` and `estimators_`, each of which predicts labels.
    X, y : table and labels
        Rows; best ones that no member was trained on.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.
    voting : bool, default=True
        Compare only the members in `selected_`, if the ensemble has it; otherwise all.

    Returns
    -------
    Diversity
    """
    ours = hasattr(ensemble, "_member_codes")  # asks all members at once
    estimators: Any = None if ours else getattr(ensemble, "estimators_", None)
    if not hasattr(ensemble, "classes_") or (estimators is None and not ours):
        raise TypeError(
            f"diversity needs a fitted ensemble of classifiers, got {type(ensemble).__name__} "
            "without classes_ or estimators_."
        )
    members = np.arange(len(ensemble._members if ours else estimators), dtype=np.int64)
    if voting and getattr(ensemble, "selected_", None) is not None:
        members = np.asarray(ensemble.selected_, dtype=np.int64)
    place = {label: code for code, label in enumerate(np.asarray(ensemble.classes_).tolist())}
    if ours:
        labels = ensemble._member_codes(X, members)
    else:
        labels = np.array([_member_codes(estimators[k], k, X, place) for k in members.tolist()])
    truth = codes_of(check_y(y, labels.shape[1], type(ensemble).__name__), place)
    weight = check_weights(sample_weight, labels.shape[1])
    return Diversity(
        members,
        np.average(labels != truth, axis=1, weights=weight),
        disagreement(labels, weight),
        q_statistic(labels, truth, weight),
        kappa(labels, weight),
    )


def disagreement(labels: Any, sample_weight: Any = None) -> Floats:
    """Return the share of rows that each pair of members labels differently.

    Parameters
    ----------
    labels : int array of shape (n_members, n_rows)
        Class code of each row according to each member.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.

    Returns
    -------
    array of shape (n_members, n_members)
        From 0 (always the same) to 1; 0 on the diagonal.

    Examples
    --------
    >>> from spinney.ensemble import disagreement
    >>> disagreement([[0, 1, 1, 0], [0, 1, 0, 0]])
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    labels, weight = _checked(labels, sample_weight)
    return np.asarray(_differing(labels, weight) / weight.sum())


def kappa(labels: Any, sample_weight: Any = None) -> Floats:
    """Return Cohen's kappa of each pair of members: their agreement beyond chance.

    Kappa is 1 - (share of rows with different labels) / (that share if the labels of the two were
    independent). Two members that give all rows one and the same class leave 0/0. They agree
    everywhere, so their kappa is 1.

    Parameters
    ----------
    labels : int array of shape (n_members, n_rows)
        Class code of each row according to each member.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.

    Returns
    -------
    array of shape (n_members, n_members)
        1 for full agreement, 0 for that of chance, below 0 for less; 1 on the diagonal.

    Examples
    --------
    >>> from spinney.ensemble import kappa
    >>> kappa([[0, 1, 1, 0], [0, 1, 0, 0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    labels, weight = _checked(labels, sample_weight)
    given = np.array([(labels == code) @ weight for code in np.unique(labels)])
    others = (1.0 - np.eye(len(given))) @ given  # sums, not total - given: 0 stays exactly 0
    expected = given.T @ others
    expected = (expected + expected.T) / (2.0 * weight.sum())
    ratio = np.zeros_like(expected)
    np.divide(_differing(labels, weight), expected, out=ratio, where=expected > 0)
    return np.asarray(1.0 - ratio)


def q_statistic(labels: Any, y: Any, sample_weight: Any = None) -> Floats:
    """Return Yule's Q of each pair of members: whether they err on the same rows.

    With a and d the weights of rows that both have right and that both have wrong, and b and c of
    those that one has right, Q is (ad - bc) / (ad + bc). Where that is 0/0, Q is 1 if the two are
    right on exactly the same rows, and otherwise 0: one of them is always right or always wrong,
    which is no evidence about the other.

    Parameters
    ----------
    labels : int array of shape (n_members, n_rows)
        Class code of each row according to each member.
    y : int array of shape (n_rows,)
        True class codes.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.

    Returns
    -------
    array of shape (n_members, n_members)
        From -1 (errors on different rows) over 0 (independent) to 1; 1 on the diagonal.

    Examples
    --------
    >>> from spinney.ensemble import q_statistic
    >>> q_statistic([[0, 1, 1, 0], [0, 1, 0, 1]], y=[0, 1, 1, 1])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    labels, weight = _checked(labels, sample_weight)
    truth = np.asarray(y)
    if truth.shape != labels.shape[1:]:
        raise ValueError(f"y must have {labels.shape[1]} entries, got shape {truth.shape}.")
    n_members = len(labels)
    both, one, neither = (np.zeros((n_members, n_members)) for _ in range(3))
    for rows in _blocks(labels):
        right = (labels[:, rows] == truth[rows]).astype(np.float64)
        wrong = 1.0 - right
        both += (right * weight[rows]) @ right.T
        neither += (wrong * weight[rows]) @ wrong.T
        one += (right * weight[rows]) @ wrong.T
    same, different = both * neither, one * one.T
    same = (same + same.T) / 2.0  # products of matrices are symmetric but for rounding
    q = np.where((one == 0) & (one.T == 0), 1.0, 0.0)
    np.divide(same - different, same + different, out=q, where=same + different > 0)
    return q


def pair_mean(matrix: Floats) -> float:
    """Return the mean of a symmetric matrix over pairs of different members.

    A single member forms no pair; then it is the value of that member with itself.
    """
    return float(_each_pair(np.asarray(matrix)).mean())


def _each_pair(matrix: Floats) -> Floats:
    """Return the entries above the diagonal, or the only entry."""
    return matrix[np.triu_indices(len(matrix), k=1)] if len(matrix) > 1 else matrix.ravel()


def _differing(labels: NDArray[Any], weight: Floats) -> Floats:
    """Return the weight of the rows that each two members label differently.

    One product of indicator matrices per class and block of rows. It adds up what differs and
    subtracts nothing, so that full agreement is exactly 0.
    """
    total = np.zeros((len(labels), len(labels)))
    for rows in _blocks(labels):
        for code in np.unique(labels[:, rows]):
            chosen = (labels[:, rows] == code).astype(np.float64)
            total += (chosen * weight[rows]) @ (1.0 - chosen).T
    return np.asarray((total + total.T) / 2.0)


def _blocks(labels: NDArray[Any]) -> Iterator[slice]:
    n_members, n_rows = labels.shape
    step = max(1, _CELLS // n_members)
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _checked(labels: Any, sample_weight: Any) -> tuple[NDArray[Any], Floats]:
    labels = np.asarray(labels)
    if labels.ndim != 2 or not labels.size or labels.dtype.kind not in "iu":
        raise ValueError(
            "labels must be class codes, an integer array of shape (n_members, n_rows) that is not "
            f"empty, got shape {labels.shape} and type {labels.dtype}."
        )
    return labels, check_weights(sample_weight, labels.shape[1])


def _member_codes(member: Any, k: int, X: Any, place: dict[Any, int]) -> NDArray[np.intp]:
    codes = codes_of(np.asarray(member.predict(X)), place)
    if (codes < 0).any():
        raise ValueError(
            f"member {k} predicts labels that are none of the classes of the ensemble, "
            f"{join_words(place)}."
        )
    return codes


def binomial_accuracy(
    n_members: ArrayLike, p: ArrayLike, quorum: str | float = "majority", *, ties: float = 0.0
) -> Any:
    """Return the accuracy of a vote of independent members, each right with probability p.

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
    tied_share = Number(0.0, 1.0).check("ties", ties)
    counts, chances = np.broadcast_arrays(_counts(n_members), _chances(p))
    if needs.strict:
        least = np.floor(needs.share * counts) + 1.0
    else:
        least = np.ceil(needs.share * counts - SLACK * counts)
    right = np.asarray(stats.binom.sf(least - 1.0, counts, chances))
    if quorum == "majority" and tied_share > 0.0:
        tied = stats.binom.pmf(counts // 2, counts, chances)
        right = right + np.where(counts % 2 == 0, tied_share * tied, 0.0)
    return float(right) if right.ndim == 0 else right


def _counts(n_members: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(n_members)
    if counts.dtype.kind not in "iu" or (counts < 1).any():
        raise ValueError(f"n_members must hold integers >= 1, got {n_members!r}.")
    return counts.astype(np.int64)


def _chances(p: ArrayLike) -> Floats:
    chances = np.asarray(p)
    if chances.dtype.kind not in "iuf" or not ((chances >= 0) & (chances <= 1)).all():
        raise ValueError(f"p must hold probabilities between 0 and 1, got {p!r}.")
    return chances.astype(np.float64)
