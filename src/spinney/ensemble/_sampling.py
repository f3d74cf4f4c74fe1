"""What members see of the data: rows, weights, columns and classes, as settings for the core."""

from typing import Any

from spinney import _core
from spinney._checks import is_integer
from spinney._settings import feature_count

_MOST_DRAWS, _MOST_TIMES = 10_000_000, 10  # rows of a member: more would take too long to draw
_SHARES = {"bootstrap": 1.0, "subsample": 0.5}


def sampling_plan(ensemble: Any, n_rows: int, n_columns: int, n_members: int) -> _core.EnsemblePlan:
    """Return a plan for the core: what members see of the data.

    Parameters
    ----------
    ensemble : BaggedEnsemble
        Its parameters and seed are used.
    n_rows, n_columns : int
        Rows of positive weight, and columns.
    n_members : int
        Members that there will be.

    Returns
    -------
    spinney._core.EnsemblePlan
    """
    kind, max_samples = ensemble.sampling, ensemble.max_samples
    if kind == "bootstrap" and not ensemble.bootstrap:
        kind = None if max_samples is None else "subsample"
    size = _sample_size(max_samples, n_rows, _SHARES.get(kind, 1.0 / n_members))
    n_parts = 1
    if kind in ("partition", "overlap"):
        least = 1 if kind == "partition" else 2  # all but one of one part would be nothing
        n_parts = min(max(least, round(n_rows / size)), max(n_rows, least))
        if kind == "overlap" and n_rows < 2:
            kind = None
    plan = _core.EnsemblePlan()
    plan.n_members = n_members
    plan.set_sampling(kind or "all", size, n_parts)
    plan.set_targets(ensemble.targets or "none", float(ensemble.flip_rate))
    if ensemble._draws_columns:
        n_drawn = feature_count(ensemble.max_features, n_columns)
        plan.n_features = -(n_drawn or n_columns) if ensemble.bootstrap_features else n_drawn
    plan.seed = ensemble._seed
    return plan


def _sample_size(max_samples: Any, n_rows: int, default_share: float) -> int:
    """Return how many rows a member gets."""
    if max_samples is None:
        return max(1, round(default_share * n_rows))
    rows = max_samples if is_integer(max_samples) else float(max_samples) * n_rows + 1e-9
    most = max(_MOST_DRAWS, _MOST_TIMES * n_rows)
    if rows >= most + 1:
        raise ValueError(
            f"max_samples must be at most {most} rows, got {max_samples!r}: no more than "
            f"{_MOST_TIMES} times the rows are drawn, or {_MOST_DRAWS}."
        )
    return max(1, int(rows))
