"""Counts and amounts: the criteria of deviances, exposure, and D squared as score."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney import _core
from spinney._typing import Floats

DEVIANCES = ("poisson", "gamma", "tweedie")
NO_EXPOSURE: Floats = np.zeros(0)
_PARAMETERS = {"tweedie": "tweedie_power", "quantile": "quantile"}  # of criteria that have one
_SAME = 1e-12  # of the weight: sums of the same weights in other orders


def criterion_parameter(estimator: Any) -> float | None:
    """Return the number that the criterion of a regressor has besides its name, if it has one."""
    name = _PARAMETERS.get(getattr(estimator, "criterion", None))  # type: ignore[arg-type]
    return None if name is None else float(getattr(estimator, name))


def core_name(criterion: Any) -> Any:
    """Return what the core calls a criterion: exponential lifetimes are counts of events."""
    return "poisson" if isinstance(criterion, str) and criterion == "exponential" else criterion


def judge_name(estimator: Any) -> str:
    """Return the criterion of a regressor with its parameter, as trees keep it: tweedie(1.5)."""
    criterion = core_name(str(getattr(estimator, "criterion", "squared_error")))
    parameter = criterion_parameter(estimator)
    return criterion if parameter is None else f"{criterion}({parameter!r})"


def refuse_prior(estimator: Any) -> None:
    """Refuse a prior on rates where no rates of counts are learned."""
    prior_cv, criterion = getattr(estimator, "prior_cv", 0.0), estimator.criterion
    if prior_cv and criterion != "poisson":
        raise ValueError(
            f"prior_cv={prior_cv!r} is of rates of counts: it needs criterion='poisson', not "
            f"{criterion!r}."
        )


def is_deviance(criterion: str) -> bool:
    """Return whether a criterion, with or without its parameter, is for counts or amounts."""
    return criterion.partition("(")[0] in DEVIANCES


def has_d2(criterion: str) -> bool:
    """Return whether predictions are scored by D squared of a criterion, not by R squared."""
    return is_deviance(criterion) or criterion.startswith("quantile")


@dataclass(frozen=True)
class Exposed:
    """A target on its way to the core, with the exposure for which it was counted."""

    y: Any
    exposure: Any


def with_exposure(y: Any, exposure: Any) -> Any:
    """Return a target that brings its exposure along, if it has any."""
    return y if exposure is None else Exposed(y, exposure)


def check_exposure(exposure: Any, weight: Floats, criterion: str) -> Floats:
    """Return the exposure of the rows; empty if there is none."""
    if exposure is None:
        return NO_EXPOSURE
    if not is_deviance(criterion):
        raise ValueError(
            f"exposure is given, but criterion={criterion!r} knows none. Use criterion='poisson', "
            "'gamma' or 'tweedie'."
        )
    try:
        numbers = np.asarray(exposure, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("exposure must hold numbers, got text or objects.") from None
    if numbers.ndim == 0:
        numbers = np.full(len(weight), float(numbers))
    if numbers.shape != weight.shape:
        raise ValueError(
            f"exposure must have one number per row, shape ({len(weight)},), got {numbers.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers > 0)) & (weight > 0))
    if len(bad):
        raise ValueError(
            f"exposure holds {numbers[bad[0]]:g} at index {bad[0]}. Exposures must be finite and "
            "above 0; drop rows without any."
        )
    return np.ascontiguousarray(np.where(weight > 0, numbers, 1.0))


def check_counts(y: Floats, weight: Floats, exposure: Floats, criterion: str) -> None:
    """Refuse targets without a deviance: negative ones, and those without an event."""
    used = weight > 0
    is_gamma = criterion == "gamma"
    bad = np.flatnonzero(used & ((y <= 0) if is_gamma else (y < 0)))
    if len(bad):
        wanted = "above 0" if is_gamma else ">= 0"
        remedy = (
            " Leave rows without an amount out, or use 'tweedie', which allows zeros."
            if is_gamma
            else ""
        )
        raise ValueError(
            f"y holds {y[bad[0]]:g} at index {bad[0]}, but criterion={criterion!r} needs targets "
            f"{wanted}.{remedy}"
        )
    if not y[used].any():
        raise ValueError(f"y is 0 in every row: criterion={criterion!r} has no rate to learn from.")
    if len(exposure):
        with np.errstate(over="ignore"):
            far = np.flatnonzero(used & ~np.isfinite(y / exposure))
        if len(far):
            raise ValueError(
                f"y by exposure is infinite at index {far[0]}: {y[far[0]]:g} / "
                f"{exposure[far[0]]:g}. Correct this row."
            )


def d2_score(
    criterion: str, y: Floats, predicted: Floats, weight: Floats, exposure: Floats = NO_EXPOSURE
) -> float:
    """Return the share of the loss about the best constant that predictions explain.

    The constant is the quantile of all rows, as in `sklearn.metrics.d2_pinball_score`, or the rate
    of all. For deviances this is
    `sklearn.metrics.d2_tweedie_score` of y / exposure with weight * exposure as weights, which
    refuses predictions of 0: here a row with y above 0 and such a prediction is judged as if a
    billionth of y had been predicted.
    """
    used = weight > 0
    y, predicted, weight = y[used], predicted[used], weight[used]
    exposure = exposure[used] if len(exposure) else exposure
    if is_deviance(criterion):
        time = weight * exposure if len(exposure) else weight
        best = (weight * y).sum() / time.sum()
    else:
        best = weighted_quantile(y, weight, float(criterion.partition("(")[2].rstrip(")")))
    none = weight @ _core.number_costs(criterion, np.full(len(y), best), y, exposure)
    left = weight @ _core.number_costs(criterion, predicted, y, exposure)
    if none > 0:
        return float(1.0 - left / none)
    return 1.0 if left == 0 else 0.0


def number_score(
    predicted: Floats, y: Any, sample_weight: Any, exposure: Any, criterion: str, name: str
) -> float:
    """Return R squared of predictions, or D squared where the criterion has one."""
    from sklearn.metrics import r2_score

    from spinney._target import check_numbers, check_weights  # which need this module

    if not has_d2(criterion):
        if exposure is not None:
            check_exposure(exposure, np.ones(len(predicted)), criterion)
        return float(r2_score(y, predicted, sample_weight=sample_weight))
    weight = check_weights(sample_weight, len(predicted))
    numbers = check_numbers(y, weight, name)
    exposed = check_exposure(exposure, weight, criterion)
    if is_deviance(criterion):
        check_counts(numbers, weight, exposed, criterion)
    return d2_score(criterion, numbers, predicted, weight, exposed)


def weighted_quantile(y: Floats, weight: Floats, quantile: float) -> float:
    """Return the number that has so much of the weight below it, of least pinball loss.

    Halfway between two numbers that share the place, as `numpy.quantile` does with
    `method="averaged_inverted_cdf"`.
    """
    order = np.argsort(y, kind="stable")
    y, upto = y[order], np.cumsum(weight[order])
    wanted, slack = quantile * upto[-1], _SAME * upto[-1]
    low = int(np.argmax(upto >= wanted - slack))
    high = min(low + (abs(upto[low] - wanted) <= slack), len(y) - 1)
    return float(y[low] / 2.0 + y[high] / 2.0)
