"""Translate a call of rpart to the parameters of an estimator."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from spinney.pruning import PruningPath
from spinney.rpart._formula import Frame, read_formula
from spinney.tree import CARTClassifier, CARTRegressor, SurvivalTree


@dataclass(frozen=True)
class RpartControl:
    """Control parameters of growth, with rpart's names and defaults. Made by `rpart_control`.

    Parameters
    ----------
    minsplit : int, default=20
        Rows that a node must have to be split: `min_samples_split`.
    minbucket : int or None, default=None
        Rows that a leaf must have: `min_samples_leaf`. None for a third of `minsplit`.
    cp : float, default=0.01
        Penalty of a leaf, relative to the risk of the root. Branches that earn less are cut off.
    maxcompete : int, default=4
        How many other tests `summary` shows at a node.
    maxsurrogate : int, default=5
        Surrogates at a node: `max_surrogates`.
    usesurrogate : int, default=2
        2: a row that no surrogate sends goes to the larger side. 0 and 1 are refused.
    xval : int or array of shape (n_rows,), default=10
        Folds of the cross-validation, 0 for none; or the fold of each row.
    surrogatestyle : {0, 1}, default=0
        Rank surrogates by the number of rows they send right (0), or by the share (1).
    maxdepth : int, default=30
        `max_depth`.
    """

    minsplit: int = 20
    minbucket: int | None = None
    cp: float = 0.01
    maxcompete: int = 4
    maxsurrogate: int = 5
    usesurrogate: int = 2
    xval: Any = 10
    surrogatestyle: int = 0
    maxdepth: int = 30


def rpart_control(minsplit: int | None = None, **given: Any) -> RpartControl:
    """Return the control parameters of growth, with rpart's defaults for those not given.

    Parameters
    ----------
    minsplit : int, default=None
        Rows that a node must have to be split. None for 20, or three times a given `minbucket`.
    **given : Any
        The other parameters of `RpartControl`.

    Returns
    -------
    RpartControl

    Examples
    --------
    >>> from spinney.rpart import rpart_control
    >>> rpart_control(minsplit=30).minbucket
    10
    """
    known = [field.name for field in fields(RpartControl)]
    for name in given:
        if name not in known:
            raise TypeError(f"rpart_control has no {name}; it has {', '.join(known)}.")
    if minsplit is None:
        bucket = given.get("minbucket")
        minsplit = 20 if bucket is None else 3 * bucket
    if given.get("minbucket") is None:
        given["minbucket"] = round(minsplit / 3)
    control = RpartControl(minsplit=minsplit, **given)
    if control.usesurrogate != 2:
        raise ValueError(
            f"usesurrogate must be 2, got {control.usesurrogate}: rows always go down to a leaf "
            "here. maxsurrogate=0 sends rows with a gap to the larger side."
        )
    if control.surrogatestyle not in (0, 1):
        raise ValueError(f"surrogatestyle must be 0 or 1, got {control.surrogatestyle}.")
    if not 0 <= control.cp <= 1:
        raise ValueError(f"cp must be from 0 to 1, got {control.cp}.")
    return control


@dataclass(frozen=True)
class Call:
    """What a fit was made of, for its summary."""

    formula: str
    control: RpartControl
    frame: Frame
    weights: Any


CALLS: "WeakKeyDictionary[Any, Call]" = WeakKeyDictionary()  # as long as the estimators live


def rpart(
    formula: str,
    data: Any,
    *,
    method: str | None = None,
    weights: Any = None,
    control: RpartControl | Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    random_state: Any = None,
) -> Any:
    """Fit a tree as R's rpart does, with its defaults, and return an ordinary estimator.

    Parameters
    ----------
    formula : str
        Such as `"Kyphosis ~ Age + Number + Start"` or `"y ~ ."`; with `cbind(time, count)` or
        `Surv(time, event)` on the left. Columns are used without conversion.
    data : pandas DataFrame
        The table. Rows without a response, or without any other value, are left out.
    method : {"class", "anova", "poisson", "exp"}, default=None
        None to choose it by the response, as rpart does.
    weights : array of shape (n_rows,), default=None
        Weights of the rows.
    control : RpartControl or dict, default=None
        From `rpart_control`, or its arguments; None for the defaults.
    parms : dict, default=None
        "class": `prior`, in the order of the levels or by label; `loss`, a matrix with rows true
        and columns predicted; `split`, "gini" or "information". "poisson" and "exp": `shrink`,
        default 1.
    random_state : int, RandomState or None, default=None
        Random seed of the folds.

    Returns
    -------
    CARTClassifier, CARTRegressor or SurvivalTree
        Fitted, with `tree_` pruned at `cp`, and `pruning_path_` with every other size.

    Examples
    --------
    >>> from spinney.datasets import load_iris
    >>> from spinney.rpart import rpart
    >>> iris = load_iris()
    >>> fit = rpart("species ~ .", iris.X.assign(species=iris.y), random_state=0)
    >>> fit.tree_.n_leaves
    3
    """
    chosen = control if isinstance(control, RpartControl) else rpart_control(**(control or {}))
    frame = read_formula(formula, data, method)
    if weights is not None:
        weights = np.asarray(weights, dtype=float)[frame.rows]
    settings = _settings(chosen, frame) | {"random_state": random_state}
    model = _MAKERS[frame.method](frame, dict(parms or {}), settings)
    if frame.exposure is not None:
        model.fit(frame.X, frame.y, weights, exposure=frame.exposure)
    else:
        model.fit(frame.X, _labels(frame), weights)
    fitted = at_cp(model, chosen.cp)
    CALLS[fitted] = Call(formula, chosen, frame, weights)
    return fitted


def at_cp(model: Any, cp: float) -> Any:
    """Return the estimator of a subtree, with the path and the subtree's place in it."""
    path: PruningPath = model.pruning_path_
    root = max(float(path.risks[-1]), 0.0)
    place = int(np.flatnonzero(path.alphas <= cp * root * (1.0 + 1e-11))[-1])
    fitted = path.estimator(place)
    fitted.pruning_path_ = copy(path)
    fitted.pruning_path_.selected, fitted.pruning_path_.rule = place, None
    fitted._bind_path()
    return fitted


def _labels(frame: Frame) -> Any:
    if frame.method != "class":
        return frame.y
    return np.asarray(frame.y.astype(object))


def _settings(control: RpartControl, frame: Frame) -> dict[str, Any]:
    """Return the parameters that all methods share."""
    settings: dict[str, Any] = {
        "min_samples_split": control.minsplit,
        "min_samples_leaf": control.minbucket,
        "max_depth": control.maxdepth,
        "max_surrogates": control.maxsurrogate,
        "surrogate_style": ("count", "agreement")[control.surrogatestyle],
        "min_impurity_decrease": 1e-12,
        "pruning": "cost_complexity",
        "rule": "min",
    }
    if frame.method != "exp":
        settings["all_missing"] = "drop"
    if np.ndim(control.xval):
        settings["cv"] = _given_folds(np.asarray(control.xval), frame.rows)
    elif control.xval:
        settings["cv"] = int(control.xval)
    else:
        settings["ccp_alpha"] = 0.0
    return settings


def _given_folds(group: Any, rows: Any) -> list[tuple[Any, Any]]:
    if len(group) != len(rows):
        raise ValueError(f"xval must have {len(rows)} folds, one for each row, got {len(group)}.")
    group = group[rows]
    return [(np.flatnonzero(group != k), np.flatnonzero(group == k)) for k in np.unique(group)]


def _classifier(frame: Frame, parms: dict[str, Any], settings: dict[str, Any]) -> CARTClassifier:
    split = parms.pop("split", "gini")
    if split not in ("gini", "information"):
        raise ValueError(f"parms['split'] must be 'gini' or 'information', got {split!r}.")
    labels = _levels(frame.y)
    prior, loss = parms.pop("prior", None), parms.pop("loss", None)
    _refuse(parms, "prior, loss and split")
    if prior is not None:
        given = prior if isinstance(prior, Mapping) else dict(zip(labels, prior, strict=True))
        settings["priors"] = dict(given)
    if loss is not None:
        settings["cost_method"] = "altered_priors"
        settings["cost_matrix"] = _costs(loss, labels)
    return CARTClassifier("gini" if split == "gini" else "entropy", **settings)


def _levels(y: Any) -> list[Any]:
    """Return the labels in the order of the levels, or sorted where there are none."""
    present = set(y.unique())
    if hasattr(y, "cat"):
        return [level for level in y.cat.categories if level in present]
    return sorted(present)


def _costs(loss: Any, labels: list[Any]) -> dict[tuple[Any, Any], float]:
    matrix = np.asarray(loss, dtype=float)
    if matrix.shape != (len(labels), len(labels)):
        raise ValueError(
            f"parms['loss'] must be a matrix of {len(labels)} rows and columns, for the classes "
            f"{', '.join(map(str, labels))}, got the shape {matrix.shape}."
        )
    return {
        (true, predicted): float(matrix[i, j])
        for i, true in enumerate(labels)
        for j, predicted in enumerate(labels)
        if i != j
    }


def _anova(frame: Frame, parms: dict[str, Any], settings: dict[str, Any]) -> CARTRegressor:
    _refuse(parms, "nothing, for method 'anova'")
    return CARTRegressor("squared_error", **settings)


def _poisson(frame: Frame, parms: dict[str, Any], settings: dict[str, Any]) -> CARTRegressor:
    shrink = float(parms.pop("shrink", 1.0))
    _refuse(parms, "shrink")
    return CARTRegressor("poisson", prior_cv=shrink, **settings)


def _exponential(frame: Frame, parms: dict[str, Any], settings: dict[str, Any]) -> SurvivalTree:
    shrink = float(parms.pop("shrink", 1.0))
    _refuse(parms, "shrink")
    return SurvivalTree(prior_cv=shrink, **settings)


def _refuse(parms: Mapping[str, Any], known: str) -> None:
    if parms:
        raise ValueError(f"parms has {known}; got {', '.join(map(str, parms))} as well.")


_MAKERS: dict[str, Any] = {
    "class": _classifier,
    "anova": _anova,
    "poisson": _poisson,
    "exp": _exponential,
}
