"""What members see of the data: rows, weights, columns and classes, as settings for the core."""

import math
from typing import Any

from spinney import _core
from spinney._checks import is_integer, is_number
from spinney._settings import feature_count

_MOST_DRAWS, _MOST_TIMES = 10_000_000, 10  # rows of a member: more would take too long to draw
_SHARES = {"bootstrap": 1.0, "subsample": 0.5}


def sampling_plan(
    *,
    sampling: Any,
    bootstrap: Any,
    max_samples: Any,
    n_rows: int,
    n_members: int,
    seed: int,
) -> _core.EnsemblePlan:
    """Return a plan for the core: which rows members see.

    Parameters
    ----------
    sampling : str or None
        One of `SAMPLINGS` of `_params`.
    bootstrap : bool
        False draws without replacement where `sampling` is "bootstrap": `max_samples` rows, by
        default all of them.
    max_samples : int, float or None
        How many rows a member sees.
    n_rows : int
        Rows of positive weight.
    n_members : int
        Members that there will be.
    seed : int
        Of everything that is drawn.

    Returns
    -------
    spinney._core.EnsemblePlan
    """
    kind = sampling
    if kind == "bootstrap" and not bootstrap:
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
    plan.seed = seed
    return plan


def _sample_size(max_samples: Any, n_rows: int, default_share: float) -> int:
    """Return how many rows a member gets."""
    if max_samples is None:
        return max(1, round(default_share * n_rows))
    if is_integer(max_samples) and int(max_samples) >= 1:
        most = max(_MOST_DRAWS, _MOST_TIMES * n_rows)
        if int(max_samples) > most:
            raise ValueError(
                f"max_samples must be at most {most}, got {max_samples!r}: no more than "
                f"{_MOST_TIMES} times the rows are drawn, or {_MOST_DRAWS}."
            )
        return int(max_samples)
    if is_number(max_samples) and not is_integer(max_samples) and 0.0 < float(max_samples) <= 1.0:
        return max(1, math.floor(float(max_samples) * n_rows + 1e-9))
    raise ValueError(
        "max_samples must be None, an integer >= 1 or a share of the rows above 0 and at most 1, "
        f"got {max_samples!r}."
    )


def set_targets(plan: _core.EnsemblePlan, targets: Any, flip_rate: Any) -> None:
    """Put into a plan how members change the classes."""
    plan.set_targets(targets or "none", float(flip_rate))


def set_features(plan: _core.EnsemblePlan, max_features: Any, n_features: int) -> None:
    """Put into a plan how many columns a member sees."""
    plan.n_features = feature_count(max_features, n_features)
