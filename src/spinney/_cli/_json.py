"""The result of `train` as JSON, for other programs."""

import json
from typing import Any

from spinney._cli._reading import Reading
from spinney._cli._training import Training
from spinney.pruning import PruningPath


def to_json(training: Training) -> str:
    """Return everything that the text says, and the tree in full.

    The tree is what `Tree.from_dict` reads.
    """
    return json.dumps(_as_dict(training), indent=2, allow_nan=False)


def _as_dict(training: Training) -> dict[str, Any]:
    found = training.estimate
    result: dict[str, Any] = {
        "data": reading_dict(training.reading),
        "settings": _settings(training),
        "notes": list(training.notes),
        "error": None,
        "trees": [tree.n_leaves for tree in training.trees],
        "importances": dict(training.importances()),
    }
    if found is not None:
        result["error"] = {
            "measure": found.measure,
            "folds": training.n_folds,
            "value": found.value,
            "interval": [found.low, found.high],
            "baseline": found.baseline,
            "baseline_prediction": found.baseline_name,
            "relative": found.relative,
        }
    if training.path is not None:
        result["pruning"] = path_dict(training.path)
    if training.tree is not None:
        result["surrogates_at_root"] = [
            {"test": str(s.test), "reversed": s.reversed, "agreement": s.agreement}
            for s in training.tree.root.surrogates
        ]
        result["tree"] = training.tree.to_dict()
    return result


def reading_dict(reading: Reading) -> dict[str, Any]:
    """Return what was understood of a table."""
    return {
        "source": reading.source,
        "rows": reading.n_rows,
        "features": {column.name: column.kind for column in reading.features},
        "gaps": reading.gaps,
        "target": reading.target.name,
        "task": reading.task,
        "notes": list(reading.notes),
        "warnings": list(reading.warnings),
    }


def path_dict(path: PruningPath) -> dict[str, Any]:
    """Return a pruning path as lists."""
    errors, spread = path.errors, path.standard_errors
    return {
        "selected": path.selected,
        "alphas": path.alphas.tolist(),
        "leaves": path.n_leaves.tolist(),
        "risks": path.risks.tolist(),
        "errors": None if errors is None else errors.tolist(),
        "standard_errors": None if spread is None else spread.tolist(),
    }


def _settings(training: Training) -> dict[str, Any]:
    settings = training.settings
    params = training.model.get_params(deep=False)
    costs = [{"true": a, "predicted": b, "cost": c} for (a, b), c in settings.costs.items()]
    plain = (str, int, float, bool, list, type(None))
    return {
        "model": settings.model,
        "seed": settings.seed,
        "costs": costs,
        **{key: value for key, value in params.items() if isinstance(value, plain)},
    }
