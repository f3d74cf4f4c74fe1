"""Statistical tests of differences between methods, on top of SciPy's distributions.

Two methods on one data set: `paired_t`, `corrected_t`, `wilcoxon`. Two methods on several data
sets: `wilcoxon`. More methods on several data sets: `friedman`, followed by `nemenyi`. All p-values
are two-sided.
"""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from spinney._typing import Floats

_MOST_ORDERS = 100_000  # that an exact p-value counts


@dataclass(frozen=True)
class TestResult:
    """Result of a test of two methods.

    Attributes
    ----------
    name : str
        Name of the test.
    statistic : float
        Test statistic.
    p_value : float
        Two-sided p-value.
    difference : float
        Mean of the first minus mean of the second.
    n : int
        Pairs of scores.
    """

    __test__ = False  # it is no test of pytest's

    name: str
    statistic: float
    p_value: float
    difference: float
    n: int

    def __str__(self) -> str:
        return (
            f"{self.name}: difference {self.difference:.4g}, statistic {self.statistic:.4g}, "
            f"p {p_text(self.p_value)}"
        )


def p_text(p: float) -> str:
    """Format a p-value: '= 0.0310' or '< 0.0001'."""
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}"


def paired_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Compare two methods by the paired t-test.

    The training sets of resampled scores overlap, so this test rejects too often; `corrected_t`
    accounts for that.

    Parameters
    ----------
    a, b : array of shape (n,)
        Scores on the same partitions, or means on the same data sets.

    Returns
    -------
    TestResult
        With n - 1 degrees of freedom.
    """
    return _t_test("paired t-test", a, b, 0.0)


def corrected_t(a: ArrayLike, b: ArrayLike, test_train_ratio: float) -> TestResult:
    """Compare two methods by the corrected resampled t-test of Nadeau and Bengio.

    The variance of the mean difference is (1/n + n_test/n_train) times that of the differences,
    because the training sets of the partitions overlap.

    Parameters
    ----------
    a, b : array of shape (n,)
        Scores on the same n partitions of one data set.
    test_train_ratio : float
        Ratio of test rows to training rows: 1/9 for ten-fold cross-validation.

    Returns
    -------
    TestResult
        With n - 1 degrees of freedom.

    References
    ----------
    C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> from spinney.compare import corrected_t, paired_t
    >>> a, b = [0.21, 0.25, 0.22, 0.24], [0.20, 0.22, 0.22, 0.21]
    >>> round(paired_t(a, b).p_value, 3), round(corrected_t(a, b, 1 / 3).p_value, 3)
    (0.102, 0.224)
    """
    if not test_train_ratio > 0:
        raise ValueError(f"test_train_ratio must be above 0, got {test_train_ratio!r}.")
    return _t_test("corrected resampled t-test", a, b, float(test_train_ratio))


def _t_test(name: str, a: ArrayLike, b: ArrayLike, extra: float) -> TestResult:
    differences = _differences(a, b)
    n = len(differences)
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    spread *= (1.0 / n + extra) ** 0.5
    # Differences that are equal up to rounding have no spread to measure the mean by.
    if spread <= 1e-14 * float(np.abs(differences).max()):
        sure = mean != 0.0
        return TestResult(name, np.copysign(np.inf, mean) if sure else 0.0, 1.0 - sure, mean, n)
    statistic = mean / spread
    return TestResult(name, statistic, float(2.0 * stats.t.sf(abs(statistic), n - 1)), mean, n)


def wilcoxon(a: ArrayLike, b: ArrayLike, *, zero_method: str = "zsplit") -> TestResult:
    """Compare two methods by Wilcoxon's signed-rank test.

    Parameters
    ----------
    a, b : array of shape (n,)
        Means on the same n data sets, or scores on the same partitions.
    zero_method : {"zsplit", "wilcox", "pratt"}, default="zsplit"
        How to treat zero differences: split their ranks evenly, drop them, or drop them after
        ranking.

    Returns
    -------
    TestResult
        The statistic is the smaller sum of ranks. The p-value is exact for up to 50 pairs
        without ties, and by the normal distribution otherwise.
    """
    differences = _differences(a, b)
    name, mean, n = "Wilcoxon signed-rank test", float(differences.mean()), len(differences)
    if not differences.any():
        return TestResult(name, n * (n + 1) / 4, 1.0, 0.0, n)
    found = stats.wilcoxon(differences, zero_method=zero_method)
    return TestResult(name, float(found.statistic), float(found.pvalue), mean, n)


@dataclass(frozen=True, eq=False)
class Friedman:
    """Result of Friedman's test.

    Attributes
    ----------
    mean_ranks : array of shape (n_methods,)
        Mean rank of each method; 1 is best.
    statistic : float
        Friedman's chi-squared, with n_methods - 1 degrees of freedom.
    p_value : float
        p-value of the chi-squared statistic.
    iman_davenport : float
        The less conservative statistic of Iman and Davenport, F-distributed with n_methods - 1
        and (n_methods - 1)(n_datasets - 1) degrees of freedom.
    iman_davenport_p : float
        p-value of that statistic.
    n_datasets : int
        Number of data sets.
    exact_p : float or None
        Exact p-value by permutation of the ranks on each data set; None if there are too many
        permutations. The other two p-values are asymptotic.
    """

    mean_ranks: Floats
    statistic: float
    p_value: float
    iman_davenport: float
    iman_davenport_p: float
    n_datasets: int
    exact_p: float | None = None

    def __str__(self) -> str:
        k = len(self.mean_ranks)
        if self.exact_p is not None:
            return (
                f"Friedman: chi-squared {self.statistic:.4g}, exact p {p_text(self.exact_p)}, by "
                f"all orders of {k} methods on {self.n_datasets} data sets"
            )
        return (
            f"Friedman: chi-squared {self.statistic:.4g} with {k - 1} degrees of freedom, "
            f"p {p_text(self.p_value)}; Iman-Davenport: F {self.iman_davenport:.4g} with {k - 1} "
            f"and {(k - 1) * (self.n_datasets - 1)}, p {p_text(self.iman_davenport_p)}"
        )


def friedman(
    scores: ArrayLike, *, higher_is_better: bool = False, correct_ties: bool = True
) -> Friedman:
    """Test whether methods differ, by their ranks on many data sets.

    Parameters
    ----------
    scores : array of shape (n_datasets, n_methods)
        One score for each data set and method. On a data set equal scores share their ranks.
    higher_is_better : bool, default=False
        Whether the highest score has rank 1.
    correct_ties : bool, default=True
        Whether the statistic is corrected for ties, as SciPy does; Demšar's formula does not.

    Returns
    -------
    Friedman

    References
    ----------
    J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7.
    """
    ranks = _ranks(scores, higher_is_better)
    n, k = ranks.shape
    mean_ranks = ranks.mean(axis=0)
    squares = n * k * (k * k - 1) / 12  # of ranks 1 to k about their mean; ties have less
    if correct_ties:
        squares = float(((ranks - (k + 1) / 2) ** 2).sum())
    between = n * float(((mean_ranks - (k + 1) / 2) ** 2).sum())
    statistic = n * (k - 1) * between / squares if squares > 0 else 0.0
    p_value = float(stats.chi2.sf(statistic, k - 1))
    rest = n * (k - 1) - statistic
    exact = _exact_p(ranks) if (n - 1) * math.lgamma(k + 1) <= math.log(_MOST_ORDERS) else None
    if rest <= 1e-12 * n * k:  # the same order on every data set
        f_p = 0.0 if exact is None else exact
        return Friedman(mean_ranks, statistic, p_value, np.inf, f_p, n, exact)
    f = (n - 1) * statistic / rest
    f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return Friedman(mean_ranks, statistic, p_value, f, f_p, n, exact)


def _exact_p(ranks: Floats) -> float:
    """Return the share of orders of the methods, on each data set, with sums as far apart.

    The order on the first data set may stay as it is: only the others against it matter.
    """
    doubled = np.rint(2.0 * ranks).astype(np.int64)  # ranks that are shared are halves
    orders = np.array(list(itertools.permutations(range(ranks.shape[1]))))
    sums, counts = doubled[:1], np.ones(1, dtype=np.float64)
    for row in doubled[1:]:
        added = (sums[:, None, :] + row[orders]).reshape(-1, len(row))
        sums, place = np.unique(added, axis=0, return_inverse=True)
        repeated = np.repeat(counts, len(orders))
        counts = np.bincount(place.ravel(), repeated).astype(np.float64)
    uneven = (sums**2).sum(axis=1)
    least = int((doubled.sum(axis=0) ** 2).sum())
    return float(counts[uneven >= least].sum() / counts.sum())


@dataclass(frozen=True, eq=False)
class Nemenyi:
    """Result of Nemenyi's post-hoc test.

    Attributes
    ----------
    mean_ranks : array of shape (n_methods,)
        Mean rank of each method; 1 is best.
    critical_difference : float
        Mean ranks further apart than this differ significantly.
    p_values : array of shape (n_methods, n_methods)
        p-value of each pair; 1 on the diagonal.
    alpha : float
        Significance level.
    n_datasets : int
        Number of data sets.
    """

    mean_ranks: Floats
    critical_difference: float
    p_values: Floats
    alpha: float
    n_datasets: int

    def groups(self) -> list[list[int]]:
        """Return the maximal groups of methods within the critical difference, best first.

        Returns
        -------
        list of list of int
        """
        order = np.argsort(self.mean_ranks, kind="stable")
        runs = joined(self.mean_ranks[order], self.critical_difference)
        return [order[first : last + 1].tolist() for first, last in runs]


def nemenyi(scores: ArrayLike, *, alpha: float = 0.05, higher_is_better: bool = False) -> Nemenyi:
    """Compare all pairs of methods by their mean ranks, after Friedman's test.

    Parameters
    ----------
    scores : array of shape (n_datasets, n_methods)
        One score for each data set and method.
    alpha : float, default=0.05
        Family-wise significance level.
    higher_is_better : bool, default=False
        Whether the highest score has rank 1.

    Returns
    -------
    Nemenyi

    Examples
    --------
    Four methods on 14 data sets need 1.25 ranks between them.

    >>> import numpy as np
    >>> from spinney.compare import nemenyi
    >>> scores = np.random.default_rng(0).random((14, 4))
    >>> round(nemenyi(scores).critical_difference, 2)
    1.25
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be within 0 and 1, got {alpha!r}.")
    ranks = _ranks(scores, higher_is_better)
    n, k = ranks.shape
    mean_ranks = ranks.mean(axis=0)
    unit = (k * (k + 1) / (6.0 * n)) ** 0.5 / 2**0.5  # of the studentized range
    apart = np.abs(mean_ranks[:, None] - mean_ranks) / unit
    p_values = np.clip(stats.studentized_range.sf(apart, k, np.inf), 0.0, 1.0)
    np.fill_diagonal(p_values, 1.0)
    width = float(stats.studentized_range.ppf(1.0 - alpha, k, np.inf)) * unit
    return Nemenyi(mean_ranks, width, p_values, alpha, n)


def joined(ranks: Floats, width: float) -> list[tuple[int, int]]:
    """Return first and last places of the longest runs of ascending ranks within a width."""
    runs: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[first] + width, side="right")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def rank_rows(scores: Floats, higher_is_better: bool) -> Floats:
    """Return the rank of each score in its row: 1 is the best, equal ones share."""
    ranks: Floats = stats.rankdata(-scores if higher_is_better else scores, axis=1)
    return ranks


def _ranks(scores: ArrayLike, higher_is_better: bool) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError(
            "scores must have a row for each of two or more data sets and a column for each of "
            f"two or more methods, got shape {table.shape}."
        )
    if np.isnan(table).any():
        row, column = np.argwhere(np.isnan(table))[0].tolist()
        raise ValueError(f"scores must have no gaps, but row {row}, column {column} is NaN.")
    return rank_rows(table, higher_is_better)


def _differences(a: Any, b: Any) -> Floats:
    first, second = (np.asarray(one, dtype=np.float64) for one in (a, b))
    if first.shape != second.shape or first.ndim != 1 or len(first) < 2:
        raise ValueError(
            "a and b must hold the same number of scores, two at least, got shapes "
            f"{first.shape} and {second.shape}."
        )
    difference: Floats = first - second
    if np.isnan(difference).any():
        raise ValueError(f"scores must have no gaps, but pair {np.isnan(difference).argmax()} has.")
    return difference
