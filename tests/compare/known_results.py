"""Results that are written by hand."""

from typing import Any

import numpy as np

from spinney.compare import Results


def made_results(errors: Any, **options: Any) -> Results:
    """Return results with these errors: data sets x methods x partitions."""
    errors = np.asarray(errors)
    names = [f"set {d}" for d in range(len(errors))]
    methods = [("small", 5), ("middle", 40), ("large", 900), ("huge", 2000)][: errors.shape[1]]
    records = [
        {
            "dataset": names[d],
            "method": method,
            "repeat": r,
            "part": 0,
            "n_train": 90,
            "n_test": 10,
            "error": float(errors[d, m, r]),
            "auc": 1.0 - float(errors[d, m, r]),
            "n_leaves": leaves + r,
            "n_nodes": 2 * (leaves + r) - 1,
            "fit_seconds": 0.001 * leaves,
            "predict_seconds": 0.0001 * leaves,
        }
        for d in range(len(errors))
        for m, (method, leaves) in enumerate(methods)
        for r in range(errors.shape[2])
    ]
    return Results(records, "error", higher_is_better=["auc"], **options)
