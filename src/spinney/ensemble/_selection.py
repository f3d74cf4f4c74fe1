"""Which members stay: all, the better part, or those up to the mode of their errors.

Trimmed bagging (Croux, Joossens and Lemmens 2007) drops a fixed share of the members, those with
most errors. Mode-based bagging (Azam, Berzal and Pfeiffer) tabulates how many members make how many
errors and keeps those up to the most common number, so the data decide how many members stay.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spinney import _core
from spinney._counts import NO_EXPOSURE
from spinney._format import aligned, join_words, number_text
from spinney._settings import thread_count
from spinney._target import FitTarget, check_numbers
from spinney._typing import Floats
from spinney.ensemble._trainer import Bagged

Places = NDArray[np.int64]
UserSelection = Callable[[Floats], Any]

_SLACK = 1e-6  # of a member: no trim is meant that exactly, and (1 - 0.9) * 10 is below 1
_HALF = 0.5 + 1e-9  # halves go up, also those that a division left just below
_EQUAL = 1e-12  # relative: errors this close differ by rounding only


@dataclass(frozen=True, eq=False)
class SelectionReport:
    """Which members of an ensemble were selected, and why. `print` shows it as a table.

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
        table = self._lines(max_lines)
        lines += ["  " + line for line in aligned(table, left=[len(table[0]) - 1])]
        if self.in_rows and self.data == "oob":
            lines.append(f"one row is an error rate of {self.width:.4g}")
        lines.append("mean error: " + self._means())
        if not math.isnan(self.p_value):
            lines.append(
                f"t-test between the two: t = {self.t_statistic:.4g}, p = {self.p_value:.2g}"
            )
        return "\n".join(lines)

    def _counts(self) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
        """Return the values, the number of members that have each, and how many of these stay."""
        values = np.array(list(self.frequencies))
        kept = np.searchsorted(values, self.values[self.kept])
        members = np.array(list(self.frequencies.values()))
        return values, members, np.bincount(kept, minlength=len(values))

    def _lines(self, max_lines: int) -> list[tuple[str, ...]]:
        """Return the table, cut to the lines around the limit."""
        values, members, kept = self._counts()
        middle = int(np.flatnonzero(kept)[-1])
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


@dataclass(frozen=True)
class Selector:
    """Selects members of a trained ensemble by their errors.

    Parameters
    ----------
    selection : {"trimmed", "mode"}, function or None
        Which members stay; None for all.
    data : {"training", "oob"} or tuple (X, y)
        The rows that errors are counted on.
    trim : float
        Share of the members that "trimmed" drops.
    """

    selection: Any
    data: Any
    trim: float

    def check_size(self, n_members: int) -> None:
        """Refuse a `trim` that keeps none of so many members."""
        if self.selection == "trimmed":
            n_untrimmed(self.trim, n_members)

    def select(
        self, ensemble: Any, bagged: Bagged, target: FitTarget
    ) -> tuple[Places, SelectionReport | None]:
        """Return the sorted places of the members that vote, and a report."""
        if self.selection is None:
            return np.arange(len(bagged.members), dtype=np.int64), None
        errors, data, unit = self._errors(ensemble, bagged, target)
        return choose_members(self.selection, errors, self.trim, data, unit=unit)

    def _errors(
        self, ensemble: Any, bagged: Bagged, target: FitTarget
    ) -> tuple[Floats, str, float | None]:
        """Return each member's error, on which rows, and what one row adds to it."""
        if not isinstance(self.data, str):
            unit = 1.0 if target.classes is not None else None
            X, y = self.data
            return _errors_on(ensemble, X, y, target.criterion), "given", unit
        errors, records = bagged.records.training_error, bagged.records
        row = float(target.weight[target.weight > 0].mean())
        if self.data == "oob":
            with np.errstate(invalid="ignore", divide="ignore"):
                rates = records.oob_error / records.oob_weight
                errors = np.where(records.oob_weight > 0, rates, np.nan)
            row = row / float(records.oob_weight.mean()) if records.oob_weight.any() else 1.0
        elif target.classes is None:
            errors = errors / target.weight.sum()
        return errors, self.data, row if target.classes is not None else None


def _errors_on(ensemble: Any, X: Any, y: Any, criterion: str) -> Floats:
    """Return the number of given rows that each member gets wrong, or its mean cost per row."""
    rows = ensemble._member_rows(X)
    everyone = np.arange(len(ensemble._members), dtype=np.int64)
    answers: Floats = ensemble._members.answers(rows, everyone, thread_count(ensemble.n_jobs))
    y = np.asarray(y)
    if y.shape != answers.shape[1:]:
        raise ValueError(
            f"selection_data has {answers.shape[1]} rows in X but y of shape {y.shape}."
        )
    if "classes_" not in vars(ensemble):
        try:
            numbers = check_numbers(y, np.ones(len(y)), type(ensemble).__name__)
        except ValueError as problem:
            raise ValueError(f"selection_data: {problem}") from None
        costs = [_core.number_costs(criterion, own, numbers, NO_EXPOSURE).mean() for own in answers]
        return np.array(costs)
    place = {label: code for code, label in enumerate(ensemble.classes_.tolist())}
    codes = np.array([place.get(label, -1) for label in y.tolist()], dtype=np.int64)
    known = codes >= 0
    if not known.any():
        raise ValueError(
            f"selection_data has labels such as {y.tolist()[0]!r}, none of which is a class of "
            f"fit, {join_words(ensemble.classes_.tolist())}."
        )
    wrong = np.empty(len(everyone))
    for i in everyone.tolist():
        groups = np.asarray(ensemble._members.groups(i))
        truth = groups[codes] if len(groups) else codes
        wrong[i] = np.count_nonzero((answers[i] != truth) | ~known)
    return wrong


@dataclass(frozen=True)
class _Table:
    """What each member is counted under: whole rows, or the upper end of its bin."""

    values: Floats
    width: float  # of a line of the table, in units of the errors

    def mode(self) -> float:
        """Return the most frequent value, the smallest of several."""
        frequencies = self.frequencies()
        return max(frequencies, key=frequencies.__getitem__)

    def frequencies(self) -> dict[float, int]:
        """Return how many members have each value, by ascending value."""
        values, frequency = np.unique(self.values, return_counts=True)
        return dict(zip(values.tolist(), frequency.tolist(), strict=True))


def choose_members(
    selection: Any, errors: Floats, trim: Any, data: str, *, unit: float | None
) -> tuple[Places, SelectionReport | None]:
    """Return the sorted places of the members that vote, and a report.

    "trimmed" keeps floor((1 - trim) n) of n members, in the order of (error, place); a product that
    rounding left less than a millionth below a whole number counts as that number. "mode" keeps the
    members whose value is at most the mode, the smallest of several. The value of a member is

    - with a `unit`, its error in whole rows: error / unit, rounded, halves up;
    - without, the bin of its error. Bins are equal and run from the least to the largest error.
      Their number is that of Sturges or, if that is larger, of Freedman and Diaconis, the latter
      at most 2 sqrt(n); errors that differ by rounding only share one bin. All members of the modal
      bin stay. Shift and scale of the errors change nothing.

    Parameters
    ----------
    selection : {"trimmed", "mode"}, callable or None
        A callable takes a copy of the errors and returns the places of those that stay, or a mask.
        None keeps all and gives no report.
    errors : array of shape (n_members,)
        Error of each member. NaN is the error of a member that left no row out.
    trim : float
        Share of the members that "trimmed" drops.
    data : str
        What the errors were counted on: "training", "oob", or a word for other rows.
    unit : float or None
        What one row adds to an error, which makes errors comparable in whole rows: 1 for numbers of
        rows, the mean weight of a row for weights of rows, 1 / (mean number of rows left out) for
        rates on the rows that each member left out. So weights may be scaled, and where all members
        leave equally many rows out, rates are given as the exact numbers of wrong rows. None in
        regression, where errors are continuous.

    Returns
    -------
    kept : array of int64
        Places of those that stay, ascending.
    report : SelectionReport or None
    """
    if selection is None:
        return np.arange(len(errors), dtype=np.int64), None
    errors = _checked(errors, data)
    table = _binned(errors) if unit is None else _in_rows(errors, unit)
    if callable(selection):
        method = getattr(selection, "__name__", type(selection).__name__)
        kept = _called(selection, errors)
    else:
        method = str(selection)
        kept = _trimmed(errors, trim) if method == "trimmed" else _up_to_mode(table)
    return kept, _report(method, data, errors, table, kept, in_rows=unit is not None)


def _checked(errors: Floats, data: str) -> Floats:
    """Return a copy of the errors, all of them finite."""
    errors = np.array(errors, dtype=np.float64)
    if not len(errors):
        raise ValueError("there are no members to select from.")
    unknown = np.flatnonzero(np.isnan(errors))
    if len(unknown):
        raise ValueError(
            f"selection with selection_data={data!r} needs an error of every member, but "
            f"{len(unknown)} of {len(errors)} have none (members {join_words(unknown.tolist())}): "
            "no row with weight was left out of their training. Use selection_data='training', or "
            "leave out more rows with a smaller max_samples."
        )
    endless = np.flatnonzero(np.isinf(errors))
    if len(endless):
        raise ValueError(
            f"the error of member {endless[0]} is infinite: the target is too large to be squared. "
            "Scale the target."
        )
    return errors


def _trimmed(errors: Floats, trim: Any) -> Places:
    order = np.argsort(errors, kind="stable")
    return np.sort(order[: n_untrimmed(trim, len(errors))]).astype(np.int64)


def n_untrimmed(trim: Any, n_members: int) -> int:
    """Return how many members "trimmed" keeps: at least one."""
    n_kept = math.floor((1.0 - float(trim)) * n_members + _SLACK)
    if n_kept == 0:
        raise ValueError(
            f"trim={trim!r} keeps none of {n_members} members. Use a smaller trim, or more members."
        )
    return n_kept


def _up_to_mode(table: _Table) -> Places:
    return np.flatnonzero(table.values <= table.mode()).astype(np.int64)


def _in_rows(errors: Floats, unit: float) -> _Table:
    return _Table(np.floor(errors / unit + _HALF), unit)


def _binned(errors: Floats) -> _Table:
    n_members, low = len(errors), float(errors.min())
    spread = float(errors.max()) - low
    if spread <= _EQUAL * float(np.abs(errors).max()):
        return _Table(np.full(n_members, float(errors.max())), 0.0)
    lower, upper = np.percentile(errors, [25.0, 75.0]).tolist()
    n_bins = math.ceil(math.log2(n_members) + 1.0)  # Sturges
    if upper > lower:  # Freedman and Diaconis: bins of 2 (upper - lower) / n^(1/3)
        finer = spread / (upper - lower) * n_members ** (1.0 / 3.0) / 2.0
        n_bins = max(n_bins, math.ceil(min(finer, 2.0 * math.sqrt(n_members))))
    place = np.minimum(np.floor((errors - low) / spread * n_bins), n_bins - 1)
    return _Table(low + spread * ((place + 1.0) / n_bins), spread / n_bins)


def _called(selection: UserSelection, errors: Floats) -> Places:
    """Call the user's function, and check its result."""
    answer = np.asarray(selection(errors.copy()))
    if answer.ndim != 1 or (answer.dtype.kind not in "biu" and answer.size):
        raise ValueError(
            "selection must return a list of places or a mask of members, got an array of shape "
            f"{answer.shape} and type {answer.dtype}."
        )
    if answer.dtype.kind == "b":
        if len(answer) != len(errors):
            raise ValueError(
                f"selection returned a mask of {len(answer)} entries for {len(errors)} members."
            )
        answer = np.flatnonzero(answer)
    if not len(answer):
        raise ValueError("selection keeps none of the members. It must return at least one.")
    outside = answer[(answer < 0) | (answer >= len(errors))]
    if len(outside):
        raise ValueError(
            f"selection returned member {outside[0]}, but there are members 0 to {len(errors) - 1}."
        )
    return np.unique(answer).astype(np.int64)


def _report(
    method: str, data: str, errors: Floats, table: _Table, kept: Places, *, in_rows: bool
) -> SelectionReport:
    kept = kept.copy()  # the estimator has the other one
    dropped = np.setdiff1d(np.arange(len(errors), dtype=np.int64), kept)
    compared = table.values if in_rows else errors
    statistic, p_value = two_sample_t(errors[kept], errors[dropped])
    for array in (errors, table.values, kept, dropped):
        array.flags.writeable = False
    return SelectionReport(
        method=method,
        data=data,
        errors=errors,
        values=table.values,
        in_rows=in_rows,
        width=table.width,
        frequencies=table.frequencies(),
        mode=table.mode(),
        limit=float(compared[kept].max()),
        kept=kept,
        dropped=dropped,
        t_statistic=statistic,
        p_value=p_value,
    )
