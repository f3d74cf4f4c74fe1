"""The result of `train` as JSON, for other programs."""

import json
from typing import Any

from spinney._cli._training import Training


def to_json(training: Training) -> str:
    """Return everything that the text says, and the tree in full.

    The tree is what `Tree.from_dict` reads.
    """
    return json.dumps(_as_dict(training), indent=2, allow_nan=False)


def _as_dict(training: Training) -> dict[str, Any]:
    reading, path, found = training.reading, training.path, training.estimate
    assert path.errors is not None
    assert path.standard_errors is not None
    return {
        "data": {
            "source": reading.source,
            "rows": reading.n_rows,
            "features": {column.name: column.kind for column in reading.features},
            "gaps": reading.gaps,
            "target": reading.target.name,
            "task": reading.task,
            "notes": list(reading.notes),
        },
        "settings": vars(training.settings),
        "error": {
            "measure": found.measure,
            "folds": training.n_folds,
            "value": found.value,
            "interval": [found.low, found.high],
            "baseline": found.baseline,
            "baseline_prediction": found.baseline_name,
            "relative": found.relative,
        },
        "pruning": {
            "selected": training.selected,
            "alphas": path.alphas.tolist(),
            "leaves": path.n_leaves.tolist(),
            "risks": path.risks.tolist(),
            "errors": path.errors.tolist(),
            "standard_errors": path.standard_errors.tolist(),
        },
        "surrogates_at_root": [
            {"test": str(s.test), "reversed": s.reversed, "agreement": s.agreement}
            for s in training.tree.root.surrogates
        ],
        "importances": dict(training.importances()),
        "tree": training.tree.to_dict(),
    }
