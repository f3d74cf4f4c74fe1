"""Prediction intervals on the command line: `predict --interval 0.9`."""

from typing import Any

from spinney._cli.errors import Refusal, refusing

COLUMNS = ("low", "high")


def check_interval(model: Any, level: float | None) -> None:
    """Refuse a level outside 0 and 1, and models that keep no targets, before rows are read."""
    if level is None:
        return
    if not 0.0 < level < 1.0:
        raise Refusal(f"--interval must be above 0 and below 1, such as 0.9, not {level:g}.")
    if not hasattr(model, "leaf_targets_"):
        raise Refusal(
            "--interval: this model cannot tell intervals. Train a forest of numbers with --model "
            "forest --set keep_targets=true."
        )


def interval_columns(model: Any, X: Any, level: float | None) -> dict[str, list[float]]:
    """Return the ends of the interval that holds so much of the distribution, by column name."""
    if level is None:
        return {}
    rest = (1.0 - level) / 2.0
    with refusing():
        ends = model.predict_quantiles(X, (rest, 1.0 - rest))
    return {name: ends[:, k].tolist() for k, name in enumerate(COLUMNS)}
