"""Measures by which an experiment judges predictions: usual definitions, with weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from spinney import _core
from spinney._checks import Choice
from spinney._counts import NO_EXPOSURE, is_deviance
from spinney._lifetimes import Lifetimes, concordance_index, read_lifetimes
from spinney._typing import Floats

Costs = Mapping[tuple[Any, Any], float]


@dataclass(frozen=True, eq=False)
class Judged:
    """A fitted model, and test rows with their true values."""

    model: Any
    X: Any
    y: NDArray[Any]
    guess: NDArray[Any]
    weight: Floats | None = None
    exposure: Floats = field(default_factory=lambda: NO_EXPOSURE)
    costs: Costs = field(default_factory=dict)
    classes: tuple[Any, ...] = ()  # of the whole data set

    def mean(self, values: NDArray[Any]) -> float:
        """Return the weighted mean of one number for each row."""
        return float(np.average(values, weights=self.weight))

    @property
    def time(self) -> Floats:
        """The weight of a row, times its exposure."""
        weight = np.ones(len(self.y)) if self.weight is None else self.weight
        return weight * self.exposure if len(self.exposure) else weight

    @property
    def rate(self) -> Floats:
        """The true number of each row, by its exposure if there is one."""
        y = np.asarray(self.y, dtype=np.float64)
        return y / self.exposure if len(self.exposure) else y

    def probabilities(self) -> tuple[NDArray[np.intp], Floats]:
        """Return the true classes by number, and the probabilities of all classes."""
        place = {label: k for k, label in enumerate(self.classes)}
        shares = np.zeros((len(self.y), len(place)))
        shares[:, [place[c] for c in self.model.classes_.tolist()]] = self.model.predict_proba(
            self.X
        )
        return np.array([place[label] for label in self.y.tolist()], dtype=np.intp), shares


def _error(rows: Judged) -> float:
    return rows.mean(rows.guess != rows.y)


def _rmse(rows: Judged) -> float:
    squares = (rows.rate - rows.guess) ** 2
    return float(np.sqrt(np.average(squares, weights=rows.time)))


def _cost(rows: Judged) -> float:
    pairs = zip(rows.y.tolist(), rows.guess.tolist(), strict=True)
    return rows.mean(np.array([0.0 if a == b else rows.costs.get((a, b), 1.0) for a, b in pairs]))


def _auc(rows: Judged) -> float:
    codes, shares = rows.probabilities()
    if len(set(codes.tolist())) < 2:
        raise ValueError("auc needs test rows of both classes. Use fewer folds, or more rows.")
    return float(roc_auc_score(codes, shares[:, 1], sample_weight=rows.weight))


def _logloss(rows: Judged) -> float:
    codes, shares = rows.probabilities()
    labels = list(range(len(rows.classes)))
    return float(log_loss(codes, shares, labels=labels, sample_weight=rows.weight))


def _brier(rows: Judged) -> float:
    codes, shares = rows.probabilities()
    squares = ((shares - np.eye(shares.shape[1])[codes]) ** 2).sum(axis=1)
    return rows.mean(squares) / (2 if len(rows.classes) == 2 else 1)


def _r2(rows: Judged) -> float:
    return float(r2_score(rows.rate, rows.guess, sample_weight=rows.time))


def _deviance(rows: Judged) -> float:
    y = np.asarray(rows.y, dtype=np.float64)
    losses = 2.0 * _core.number_costs(_criterion(rows.model), rows.guess, y, rows.exposure)
    weight = np.ones(len(y)) if rows.weight is None else rows.weight
    return float((weight @ losses) / rows.time.sum())


def _criterion(model: Any) -> str:
    """Return what a model was grown by, if it is of this package."""
    return str(model._judge_name()) if hasattr(model, "_judge_name") else ""


def has_deviance(model: Any) -> bool:
    """Return whether a model is grown by a deviance, by which it can be judged."""
    return is_deviance(_criterion(model))


def _concordance(rows: Judged) -> float:
    weight = np.ones(len(rows.y)) if rows.weight is None else rows.weight
    guess = np.asarray(rows.guess, dtype=np.float64)
    if rows.y.dtype.names is not None:  # lifetimes, of which risks are predicted
        return concordance_index(read_lifetimes(rows.y, weight, "method"), guess, weight)
    seen = Lifetimes(np.ones(len(rows.y), dtype=bool), rows.rate)
    return concordance_index(seen, -guess, weight)


def _discordance(rows: Judged) -> float:
    return 1.0 - _concordance(rows)


class Measure(NamedTuple):
    """A measure.

    Parameters
    ----------
    of : callable
        From test rows to a number.
    words : str
        Its name in sentences.
    tasks : tuple of {"classification", "regression", "survival"}
        What it is for.
    higher_is_better : bool
        Whether a higher value is better.
    """

    of: Callable[[Judged], float]
    words: str
    tasks: tuple[str, ...]
    higher_is_better: bool = False


_CLASSES, _NUMBERS = ("classification",), ("regression",)
MAIN = {"classification": "error", "regression": "rmse", "survival": "discordance"}
MEASURES = {
    "error": Measure(_error, "error", _CLASSES),
    "cost": Measure(_cost, "cost", _CLASSES),
    "auc": Measure(_auc, "AUC", _CLASSES, True),
    "logloss": Measure(_logloss, "log loss", _CLASSES),
    "brier": Measure(_brier, "Brier score", _CLASSES),
    "rmse": Measure(_rmse, "error", _NUMBERS),
    "r2": Measure(_r2, "R squared", _NUMBERS, True),
    "deviance": Measure(_deviance, "deviance", _NUMBERS),
    "concordance": Measure(_concordance, "concordance", ("regression", "survival"), True),
    "discordance": Measure(_discordance, "discordance", ("survival",)),
}


def check_measures(given: Sequence[str], task: str, methods: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of measures that fit the target, after checking them."""
    if isinstance(given, str):
        raise ValueError(f"measures must be a list of names, got {given!r}.")
    fitting = [name for name, measure in MEASURES.items() if task in measure.tasks]
    for name in given:
        Choice(list(MEASURES)).check("measures", name)
        if name not in fitting:
            raise ValueError(
                f"the measure {name!r} is for {' and '.join(MEASURES[name].tasks)}, and this is "
                f"{task}. For it there are: {', '.join(fitting)}."
            )
        lacking = [each for each in methods if not hasattr(methods[each], "predict_proba")]
        if name in ("auc", "logloss", "brier") and lacking:
            raise ValueError(
                f"the measure {name!r} needs probabilities, which {lacking[0]!r} has not."
            )
    others = [name for name, each in methods.items() if not has_deviance(each)]
    if "deviance" in given and others:
        raise ValueError(
            "'deviance' is that of the criterion: all methods need criterion='poisson', 'gamma' or "
            f"'tweedie', which {others[0]!r} has not. Leave it out, or judge by another measure."
        )
    return tuple(dict.fromkeys(given))
