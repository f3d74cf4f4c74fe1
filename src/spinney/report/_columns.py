"""The columns of a page: kinds, gaps, distributions, and drift between the data sets."""

import math
from typing import Any

import numpy as np

from spinney._table import Column
from spinney._typing import Floats
from spinney.report._tree_part import vocabulary

_N_BINS = 12
_N_BARS = 12  # of categories; the rest are one bar
_LEAST_SHARE = 1e-4  # of a bin that a data set has no rows in, as is usual for the index


def columns_part(columns: tuple[Column, ...], tables: list[Floats]) -> list[dict[str, Any]]:
    """Return what is shown of each column.

    Parameters
    ----------
    columns : tuple of Column
        Names and kinds.
    tables : list of array of shape (n_rows, n_columns)
        Encoded rows of the data and, if there is one, the hold-out.

    Returns
    -------
    list of dict
    """
    found = []
    for place, column in enumerate(columns):
        cells = [np.asarray(table[:, place]) for table in tables]
        gaps = [int(np.isnan(own).sum()) for own in cells]
        known = [own[~np.isnan(own)] for own in cells]
        describe = _numbers if column.kind == "numeric" else _categories
        shown = describe(column, known)
        found.append({**vocabulary(column), "gaps": gaps, **shown, "drift": _drift(shown, gaps)})
    return [_without_shares(column) for column in found]


def _numbers(column: Column, known: list[Floats]) -> dict[str, Any]:
    """Return summaries, and bars of equal width between the first and the last percent."""
    finite = [own[np.isfinite(own)] for own in known]
    base = finite[0] if len(finite[0]) else finite[-1]
    if not len(base):
        return {"summary": None, "bars": [], "shares": []}
    marks = np.quantile(base, [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0])
    low, high = (float(marks[1]), float(marks[5]))
    if not low < high:
        low, high = float(marks[0]), float(marks[6])
    with np.errstate(over="ignore"):
        edges = np.linspace(low, high, _N_BINS + 1) if low < high else np.array([low, low])
    inner = edges[1:-1]
    n_bars = len(inner) + 1
    counts = [np.bincount(np.searchsorted(inner, own), minlength=n_bars) for own in known]
    tenths = np.unique(np.quantile(base, np.linspace(0.1, 0.9, 9)))
    shares = [np.bincount(np.searchsorted(tenths, own), minlength=len(tenths) + 1) for own in known]
    return {
        "summary": [*(float(marks[k]) for k in (0, 2, 3, 4, 6)), float(base.mean())],
        "edges": edges.tolist(),
        "bars": [count.tolist() for count in counts],
        "shares": shares,
    }


def _categories(column: Column, known: list[Floats]) -> dict[str, Any]:
    """Return counts of the most frequent categories, and of the rest."""
    n = len(column.categories)
    counts = [np.bincount(own.astype(np.intp), minlength=n) for own in known]
    if column.kind == "ordered" and n <= _N_BARS:
        order = np.arange(n)
    else:
        order = np.argsort(-counts[0], kind="stable")
    first = order[:_N_BARS]
    bars = [
        [*own[first].tolist(), *([int(own[order[_N_BARS:]].sum())] if n > _N_BARS else [])]
        for own in counts
    ]
    return {"summary": None, "order": first.tolist(), "bars": bars, "shares": counts}


def _drift(shown: dict[str, Any], gaps: list[int]) -> float | None:
    """Return the population stability index: sum of (p - q) log(p / q) over bins and gaps."""
    if len(gaps) < 2:
        return None
    parts = shown["shares"] or [np.zeros(0, int), np.zeros(0, int)]
    shares = []
    for own, missing in zip(parts, gaps, strict=True):
        counts = np.append(own, missing).astype(np.float64)
        shares.append(np.maximum(counts / max(counts.sum(), 1.0), _LEAST_SHARE))
    p, q = shares
    index = float(((p - q) * np.log(p / q)).sum())
    return index if math.isfinite(index) else None


def _without_shares(column: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in column.items() if name != "shares"}
