"""What a selection of members did, as numbers and as text."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spinney.tree._words import number_text

__all__ = ["SelectionReport", "two_sample_t"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SelectionReport:
    """Which members of an ensemble stayed, and why. `print` shows it as a table.

    The t-test compares the errors of those kept with the errors of those dropped. The groups were
    formed by these very errors, so a low p-value is no evidence that the dropped members are worse
    on new rows: it describes how far apart the groups are.

    Parameters
    ----------
    method : str
        "trimmed", "mode", or the name of a function.
    data : str
        The rows that errors were counted on, such as "training" or "oob".
    errors : array of shape (n_members,)
        Error of each member: the weight of misclassified rows, or the error rate on rows that it
        left out; in regression the mean cost by the criterion of the
        members, by squared error if these have none in common.
    values : array of shape (n_members,)
        What each member is counted under: its error in whole rows or, in regression, the upper end
        of its bin.
    in_rows : bool
        Whether `values` are whole rows; False in regression.
    width : float
        The error that makes one row; in regression the width of a bin.
    frequencies : dict
        How many members have each value, by ascending value.
    mode : float
        The most frequent value, the smallest of several.
    limit : float
        The largest value of those kept; in regression their largest error.
    kept, dropped : array of int
        Places of the members, ascending.
    t_statistic, p_value : float
        Welch's two-sample t-test, which does not assume equal variances, of the errors of those
        kept against those dropped; NaN where a group has fewer than two members or neither varies.
    """

    method: str
    data: str
    errors: Floats
    values: Floats
    in_rows: bool
    width: float
    frequencies: dict[float, int]
    mode: float
    limit: float
    kept: Places
    dropped: Places
    t_statistic: float
    p_value: float

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, max_lines: int = 20) -> str:
        """Return the selection as text.

        Parameters
        ----------
        max_lines : int, default=20
            Lines of the table; a longer one is cut to those around the limit.

        Returns
        -------
        str
        """
        lines = [
            f"{self.method} on {_DATA.get(self.data, self.data)}: "
            f"{len(self.kept)} of {len(self.errors)} members stay"
        ]
        lines += _aligned(self._lines(max_lines))
        if self.in_rows and self.data == "oob":
            lines.append(f"one row is an error rate of {self.width:.4g}")
        lines.append("mean error: " + self._means())
        if not math.isnan(self.p_value):
            lines.append(
                f"t-test between the two: t = {self.t_statistic:.4g}, p = {self.p_value:.2g}"
            )
        return "\n".join(lines)

    def _lines(self, max_lines: int) -> list[tuple[str, ...]]:
        """Return the table, cut to the lines around the limit."""
        values = np.array(list(self.frequencies))
        members = np.array(list(self.frequencies.values()))
        places = np.searchsorted(values, self.values[self.kept])
        kept = np.bincount(places, minlength=len(values))
        middle = int(places.max())
        first = max(0, min(middle - max_lines // 2, len(values) - max_lines))
        last = min(len(values), first + max(1, max_lines))
        lines: list[tuple[str, ...]] = [
            ("misclassified rows" if self.in_rows else "error up to", "members", "kept", "")
        ]
        if first:
            lines.append(("less", str(members[:first].sum()), str(kept[:first].sum()), ""))
        for k in range(first, last):
            value = number_text(values[k]) if self.in_rows else f"{values[k]:.6g}"
            note = "mode" if values[k] == self.mode else ""
            lines.append((value, str(members[k]), str(kept[k]), note))
        if last < len(values):
            lines.append(("more", str(members[last:].sum()), str(kept[last:].sum()), ""))
        return lines

    def _means(self) -> str:
        kept = f"{self.errors[self.kept].mean():.4g} of those kept"
        if not len(self.dropped):
            return kept
        return f"{kept}, {self.errors[self.dropped].mean():.4g} of those dropped"


_DATA = {"training": "training rows", "oob": "rows left out"}


def two_sample_t(kept: Floats, dropped: Floats) -> tuple[float, float]:
    """Return statistic and p-value of Welch's test; NaN for both if it cannot be computed."""
    if min(len(kept), len(dropped)) < 2 or not (np.ptp(kept) > 0 or np.ptp(dropped) > 0):
        return math.nan, math.nan
    scale = max(np.abs(kept).max(), np.abs(dropped).max())  # squares neither over- nor underflow
    groups = [(g.mean(), g.std(ddof=1), len(g)) for g in (kept / scale, dropped / scale)]
    test = stats.ttest_ind_from_stats(*groups[0], *groups[1], equal_var=False)
    return float(test.statistic), float(test.pvalue)


def _aligned(lines: list[tuple[str, ...]]) -> list[str]:
    """Return a table two columns in, cells to the right, notes to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  " + "  ".join([*map(str.rjust, line[:-1], widths), line[-1]]).rstrip() for line in lines
    ]
