"""What a page shows of the model, its data, and the columns of these."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney import __version__
from spinney._format import without_controls
from spinney._table import Column
from spinney._typing import Floats
from spinney.edit._history import read_edits
from spinney.report._sample import Sample, criterion_of
from spinney.report._tree_part import vocabulary

_LONGEST = 200  # of a parameter's text

_N_BINS = 12
_N_BARS = 12  # of categories; the rest are one bar
_LEAST_SHARE = 1e-4  # of a bin that a data set has no rows in, as is usual for the index


def about_part(
    model: Any,
    target: str,
    samples: list[Sample],
    classes: NDArray[Any] | None,
    created: datetime | None = None,
) -> dict[str, Any]:
    """Return facts about a model and the data that it is shown on.

    Parameters
    ----------
    model : estimator
        Fitted.
    target : str
        The name of what is predicted.
    samples : list of Sample
        The data, and the hold-out if there is one.
    classes : array or None
        The labels.
    created : datetime or None
        The time to show; None for now.

    Returns
    -------
    dict
    """
    when = datetime.now(UTC) if created is None else created
    params = model.get_params(deep=False)
    return {
        "model": type(model).__name__,
        "target": target,
        "criterion": str(params.get("criterion", criterion_of(model))),
        "rows": [sample.n_rows for sample in samples],
        "weights": [float(sample.weight.sum()) for sample in samples],
        "exposed": bool(len(samples[0].exposure)) and samples[0].lifetimes is None,
        "columns": int(model.n_features_in_),
        "totals": [_totals(sample, classes) for sample in samples],
        "settings": _settings(model, params),
        "edits": _edits(model),
        "seed": without_controls(str(params.get("random_state"))),
        "version": __version__,
        "created": when.isoformat(timespec="seconds"),
    }


def _edits(model: Any) -> list[dict[str, Any]]:
    """Return the edits that were made by hand, as text with their reasons and authors."""
    made = json.loads(vars(model).get("edits_") or "{}").get("edits", [])
    return [
        {
            "what": str(replace(edit, reason="", author="")),
            "reason": edit.reason,
            "author": edit.author,
        }
        for edit in read_edits(made)
    ]


def _totals(sample: Sample, classes: NDArray[Any] | None) -> list[float]:
    """Return the weight of each class; of numbers weight, mean, and standard deviation."""
    if classes is not None:
        counts: list[float] = np.bincount(sample.truth, sample.weight, len(classes)).tolist()
        return counts
    time, rates = sample.time, sample.rates
    mean = float(np.average(rates, weights=time))
    spread = float(np.sqrt(np.average((rates - mean) ** 2, weights=time)))
    return [float(time.sum()), mean, spread, float(rates.min()), float(rates.max())]


def _settings(model: Any, params: dict[str, Any]) -> list[list[Any]]:
    """Return name, value and whether it was changed, for each parameter."""
    try:
        usual = type(clone(model))().get_params(deep=False)
    except TypeError:  # an estimator that needs arguments
        usual = {}
    found = []
    for name in sorted(params):
        text = without_controls(repr(params[name]))
        text = text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
        changed = name in usual and without_controls(repr(usual[name])) != text
        found.append([name, text, changed])
    return found


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
