"""What a page says about the model and its data at the top."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney import __version__
from spinney._format import without_controls
from spinney.edit._history import read_edits
from spinney.report._sample import Sample, criterion_of

_LONGEST = 200  # of a parameter's text


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
