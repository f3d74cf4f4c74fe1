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

from spinney._choices import check_choice, check_number
from spinney.ensemble._selection_report import SelectionReport, two_sample_t
from spinney.tree._words import join_words

__all__ = ["SelectionReport", "choose_members"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Selector = Callable[[Floats], Any]

_SLACK = 1e-6  # of a member: no trim is meant that exactly, and (1 - 0.9) * 10 is below 1
_HALF = 0.5 + 1e-9  # halves go up, also those that a division left just below
_EQUAL = 1e-12  # relative: errors this close differ by rounding only


@dataclass(frozen=True)
class _Table:
    """What each member is counted under: whole rows, or the upper end of its bin."""

    values: Floats
    width: float  # of a line of the table, in units of the errors

    def mode(self) -> float:
        """Return the most frequent value, the smallest of several."""
        values, frequency = np.unique(self.values, return_counts=True)
        return float(values[np.argmax(frequency)])

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
        leave equally many rows out, rates are told as the exact numbers of wrong rows. None in
        regression, where errors are continuous.

    Returns
    -------
    kept : array of int64
        Places of those that stay, ascending.
    report : SelectionReport or None
    """
    if selection is None:
        return np.arange(len(errors), dtype=np.int64), None
    if not callable(selection):
        check_choice("selection", selection, ("trimmed", "mode", None))
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
    n_kept = math.floor((1.0 - check_number("trim", trim, low=0.0, high=1.0)) * n_members + _SLACK)
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


def _called(selection: Selector, errors: Floats) -> Places:
    """Ask the user's function, and check its answer."""
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
