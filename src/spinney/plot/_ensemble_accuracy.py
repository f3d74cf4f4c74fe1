"""The accuracy of a growing ensemble beside that of members that err independently."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from spinney._table import feature_names
from spinney._target import check_weights, check_y
from spinney.ensemble._diversity import binomial_accuracy
from spinney.ensemble._voting_members import codes_of
from spinney.ensemble._voting_rules import leaders
from spinney.plot._matplotlib import axes_or_new
from spinney.plot._palette import QUIET, class_colours

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def plot_ensemble_accuracy(
    ensemble: Any, X: Any, y: Any, ax: Any = None, *, sample_weight: Any = None
) -> Any:
    """Draw accuracy against the number of members, measured and as the binomial law has it.

    The binomial curve is what members would reach that err independently of each other, each right
    as often as the members are on average; a coin decides its ties. The measured curve is usually
    lower, because members err on the same rows: the gap shows how much they do. With more than two
    classes, or a mean accuracy near 1/2, it may be the other way round.

    Parameters
    ----------
    ensemble : fitted ensemble, or array of shape (n_members, n_rows)
        A classifier with `estimators_`; if it has `selected_`, only those members are used. The
        measured curve is its `staged_score`, or else the plurality of its first members, ties to
        the lowest class. An array, or a list of arrays, holds the labels that each member predicts.
    X : table of shape (n_rows, n_features) or None
        Rows to judge by, best such as no member has seen. Not used with an array of predictions.
    y : array of shape (n_rows,)
        Their labels.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.

    Returns
    -------
    matplotlib Axes
    """
    y = check_y(y, len(y), "plot_ensemble_accuracy")
    weight = check_weights(sample_weight, len(y))
    labels = _predictions(ensemble, X)
    for k, named in enumerate(labels):
        if named.shape != y.shape:
            raise ValueError(
                f"member {k} predicts an array of shape {named.shape}, y has shape {y.shape}. Give "
                "one label per member and row."
            )
    accuracies = np.array([np.average(named == y, weights=weight) for named in labels])
    measured = _staged(ensemble, X, y, sample_weight)
    if measured is None:
        measured = _plurality_by_size(labels, y, weight)
    ax = axes_or_new(ax, (7.0, 4.6))
    _draw(ax, accuracies, measured, float(np.average(accuracies)))
    return ax


def _draw(ax: Any, accuracies: Floats, measured: Floats, mean: float) -> None:
    colour = class_colours(1)[0]
    sizes = np.arange(1, max(len(accuracies), len(measured)) + 1)
    expected = binomial_accuracy(sizes, mean, ties=0.5)
    few = {"marker": "o", "ms": 4} if len(sizes) <= 30 else {}
    ax.plot(sizes, expected, "--", color=QUIET, label=f"independent members, p = {mean:.3g}")
    ax.plot(sizes[: len(measured)], measured, color=colour, label="measured", **few)
    places = sizes[: len(accuracies)]
    ax.plot(places, accuracies, ".", color=QUIET, ms=4, label="each member alone")
    ax.axhline(mean, color=QUIET, ls=":", lw=1, label="mean of the members")
    ax.set(xlabel="members", ylabel="accuracy")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.margins(x=0.04)
    ax.legend(frameon=False)


def _predictions(ensemble: Any, X: Any) -> list[NDArray[Any]]:
    """Return the labels that each member predicts."""
    if isinstance(ensemble, np.ndarray | Sequence):
        labels = [np.asarray(named) for named in ensemble]
    elif not hasattr(ensemble, "estimators_"):
        raise TypeError(
            f"{type(ensemble).__name__} has no estimators_. Give a fitted ensemble, or an array of "
            "shape (n_members, n_rows) with the labels that members predict."
        )
    elif hasattr(ensemble, "__sklearn_tags__") and is_regressor(ensemble):
        raise TypeError(
            f"{type(ensemble).__name__} predicts numbers. Only classes are right or not."
        )
    else:
        members = ensemble.estimators_
        labels = [_ask(ensemble, members[k], k, X) for k in _voters(ensemble, len(members))]
    if not labels:
        raise ValueError("the ensemble has no members.")
    return labels


def _voters(ensemble: Any, n_members: int) -> list[int]:
    chosen = getattr(ensemble, "selected_", None)
    return list(range(n_members) if chosen is None else np.asarray(chosen).tolist())


def _ask(ensemble: Any, member: Any, k: int, X: Any) -> NDArray[Any]:
    """Return a member's labels, also for members that know columns and classes by number.

    The members of scikit-learn's own ensembles are fitted on an array without names, on some of its
    columns, and on codes of the classes.
    """
    is_nameless = hasattr(member, "n_features_in_") and not hasattr(member, "feature_names_in_")
    if is_nameless and feature_names(X) is not None:
        X = np.asarray(X)
    drawn = getattr(ensemble, "estimators_features_", None)
    if drawn is not None and isinstance(X, np.ndarray):
        X = X[:, drawn[k]]
    labels = np.asarray(member.predict(X))
    classes = getattr(ensemble, "classes_", None)
    known = getattr(member, "classes_", None)
    if classes is None or known is None or np.isin(known, classes).all():
        return labels
    return np.asarray(np.asarray(classes)[labels.astype(np.intp)])


def _staged(ensemble: Any, X: Any, y: NDArray[Any], sample_weight: Any) -> Floats | None:
    """Return the ensemble's own accuracy by the number of members, if it tells."""
    if not hasattr(ensemble, "staged_score"):
        return None
    more = {} if sample_weight is None else {"sample_weight": sample_weight}
    return np.array(list(ensemble.staged_score(X, y, **more)), dtype=np.float64)


def _plurality_by_size(labels: list[NDArray[Any]], y: NDArray[Any], weight: Floats) -> Floats:
    """Return the accuracy of the plurality of the first 1, 2, ... members."""
    classes = sorted({label for named in labels for label in np.unique(named).tolist()})
    place = {label: code for code, label in enumerate(classes)}
    truth = codes_of(y, place)
    votes = np.zeros((len(y), len(classes)))
    rows = np.arange(len(y))
    scores = []
    for n_members, named in enumerate(labels, start=1):
        votes[rows, codes_of(named, place)] += 1.0
        leading, _ = leaders(votes, float(n_members))
        scores.append(np.average(leading == truth, weights=weight))
    return np.array(scores)
