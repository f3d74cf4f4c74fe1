"""Plots of errors: by the size of a pruned tree, and of the members of an ensemble."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from spinney._format import number_text, plural
from spinney._table import feature_names
from spinney._target import check_weights, check_y
from spinney._typing import Floats
from spinney.ensemble._diversity import binomial_accuracy
from spinney.ensemble._small_report import SmallForestReport
from spinney.ensemble._voting_members import codes_of
from spinney.ensemble._voting_rules import leaders
from spinney.plot._matplotlib import (
    ACCENT,
    PAPER,
    QUIET,
    axes_or_new,
    class_colours,
    mix,
    text_width,
)

if TYPE_CHECKING:
    from spinney.ensemble._diversity import Diversity
    from spinney.ensemble._selection import SelectionReport
    from spinney.pruning import PruningPath


_MANY = 2000  # pairs: from here on points are small

_WIDE = 40  # times: from here on sizes are shown on a logarithmic scale


def plot_kappa_error(
    diversity: "Diversity", ax: Any = None, *, label: str | None = None, colour: str | None = None
) -> Any:
    """Draw the mean error of each pair of members against its kappa.

    Pairs on the left are diverse, pairs at the bottom are accurate; no ensemble is both in full. A
    cross marks the mean of the pairs. To compare ensembles, draw them on the same axes with a label
    and a colour each.

    Parameters
    ----------
    diversity : Diversity
        From `spinney.ensemble.diversity`, of two or more members.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.
    label : str, default=None
        Label of the ensemble in the legend; None for no legend.
    colour : str, default=None
        Colour of the points.

    Returns
    -------
    matplotlib Axes
    """
    kappa, errors = diversity.pairs()
    if not len(kappa):
        raise ValueError("a kappa-error diagram shows pairs, but there is only one member.")
    ax = axes_or_new(ax, (5.6, 4.6))
    colour = class_colours(1)[0] if colour is None else colour
    many = len(kappa) > _MANY
    ax.plot(
        kappa,
        errors,
        "o",
        color=colour,
        mec="none",
        alpha=0.25 if many else 0.5,
        ms=3 if many else 5,
        label=label,
        rasterized=many,
    )
    cross = {"mec": mix(colour, "#000000", 0.4), "mew": 2.5, "ms": 11, "zorder": 5}
    ax.plot([diversity.mean_kappa], [errors.mean()], "+", **cross)
    ax.set(xlabel="kappa of a pair", ylabel="mean error of a pair")
    if label is not None:
        ax.legend(frameon=False)
    return ax


def plot_selection(report: "SelectionReport | SmallForestReport", ax: Any = None) -> Any:
    """Draw a histogram of the errors of the members, with those selected.

    Each bar is a number of misclassified rows or, in regression, a bin of errors. Its filled part
    are the members kept, its empty part those dropped. The mode is marked above its bar; the dotted
    line is the limit, the largest error of the members kept. Of a small forest it is the estimated
    loss by the number of trees, beside that of the whole pool.

    Parameters
    ----------
    report : SelectionReport or SmallForestReport
        `selection_report_` of an ensemble.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax, (7.0, 4.2))
    if isinstance(report, SmallForestReport):
        return _plot_sizes(report, ax)
    ends, members, kept = report._counts()
    width = 1.0 if report.in_rows else report.width
    width = width or 0.1 * report.limit or 1.0  # a bin of equal errors has no width of its own
    middles = ends if report.in_rows else ends - report.width / 2.0
    colour = class_colours(1)[0]
    bar = {"width": 0.9 * width, "edgecolor": colour, "linewidth": 0.9}
    ax.bar(middles, kept, color=colour, label=f"kept: {len(report.kept)}", **bar)
    if len(report.dropped):
        rest = f"dropped: {len(report.dropped)}"
        ax.bar(middles, members - kept, bottom=kept, color="none", label=rest, **bar)
    _mark_mode(ax, middles[ends == report.mode][0], report.frequencies[report.mode])
    border = report.limit + 0.5 if report.in_rows else report.limit  # right of the limit's bar
    ax.axvline(border, color=ACCENT, ls=":", lw=1.4, label=f"limit: {report.limit:.4g}")
    ax.set(xlabel="misclassified rows" if report.in_rows else "error", ylabel="members")
    ax.yaxis.get_major_locator().set_params(integer=True)
    if report.in_rows:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(0, 1.12 * members.max())
    ax.legend(frameon=False)
    return ax


def _plot_sizes(report: SmallForestReport, ax: Any) -> Any:
    """Draw the estimated loss by number of trees, that of the pool, and what was chosen."""
    ax.plot(report.sizes, report.losses, "o-", color=class_colours(1)[0], label="estimated loss")
    if not np.isnan(report.pool_loss):
        label = f"all {report.pool} trees, rows left out"
        ax.axhline(report.pool_loss, color=QUIET, ls="--", lw=1.2, label=label)
    n = len(report.selected)
    ax.axvline(n, color=ACCENT, ls=":", lw=1.4, label=f"kept: {n}")
    ax.set(xlabel="trees", ylabel="loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False)
    return ax


def _mark_mode(ax: Any, place: float, height: int) -> None:
    ax.annotate(
        "mode",
        (place, height),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=ACCENT,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5},  # the limit is close by
    )


def plot_ensemble_accuracy(
    ensemble: Any, X: Any, y: Any, ax: Any = None, *, sample_weight: Any = None
) -> Any:
    """Draw accuracy against the number of members, measured and expected for independent errors.

    The expected curve is the binomial accuracy of members with independent errors and the mean
    accuracy of the members; ties are broken at random. The measured curve is usually lower, because
    errors are correlated: the gap shows by how much. With more than two classes, or a mean accuracy
    near 1/2, it may be higher.

    Parameters
    ----------
    ensemble : fitted ensemble, or array of shape (n_members, n_rows)
        A classifier with `estimators_`; if it has `selected_`, only those members are used. The
        measured curve is its `staged_score`, or else the plurality of its first members, ties to
        the lowest class. An array, or a list of arrays, holds the labels that each member predicts.
    X : table of shape (n_rows, n_features) or None
        Test rows, best not used for training. Ignored with an array of predictions.
    y : array of shape (n_rows,)
        Labels of the rows.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.
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
        labels = [
            _predicted_by(ensemble, members[k], k, X) for k in _voters(ensemble, len(members))
        ]
    if not labels:
        raise ValueError("the ensemble has no members.")
    return labels


def _voters(ensemble: Any, n_members: int) -> list[int]:
    chosen = getattr(ensemble, "selected_", None)
    return list(range(n_members) if chosen is None else np.asarray(chosen).tolist())


def _predicted_by(ensemble: Any, member: Any, k: int, X: Any) -> NDArray[Any]:
    """Return the labels predicted by a member, also of scikit-learn's ensembles.

    Their members are fitted on an array without names, on some of its columns, and on class codes.
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
    """Return the ensemble's own accuracy by number of members, if it has `staged_score`."""
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


def plot_pruning_path(path: "PruningPath", ax: Any = None, *, max_leaves: int | None = None) -> Any:
    """Draw the error of each tree of a pruning path against its number of leaves.

    With errors from cross-validation or a test sample these are drawn with their standard errors,
    and the risk on the training rows as a thin line below; without them the risk alone. The axis
    above gives the penalty alpha at which each tree becomes the best. The selected tree is marked,
    and a dotted line shows the least error plus its standard error.

    Parameters
    ----------
    path : PruningPath
        From `spinney.pruning.cost_complexity_path`, or `pruning_path_` of an estimator.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.
    max_leaves : int, default=None
        Maximum number of leaves of the trees drawn; None for no limit.

    Returns
    -------
    matplotlib Axes
    """
    leaves = np.asarray(path.n_leaves)
    shown = leaves <= (leaves.max() if max_leaves is None else max_leaves)
    if not shown.any():
        raise ValueError(f"max_leaves must be at least {leaves.min()}, got {max_leaves}.")
    ax = axes_or_new(ax, (7.0, 4.6))
    colour = class_colours(1)[0]
    if path.errors is None:
        ax.plot(leaves[shown], path.risks[shown], "o-", color=colour, ms=4, label="training rows")
        heights = path.risks
    else:
        ax.plot(leaves[shown], path.risks[shown], "-", color=QUIET, lw=1, label="training rows")
        _errors(ax, path, shown, colour)
        heights = path.errors
    _selected(ax, path, shown, np.asarray(heights))
    if leaves[shown].max() > _WIDE * leaves[shown].min():
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda value, _: number_text(value, 4))
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="leaves", ylabel="cost per row")
    ax.margins(x=0.04)
    _alpha_axis(ax, path, shown)
    ax.legend(frameon=False)
    return ax


def _errors(ax: Any, path: "PruningPath", shown: NDArray[np.bool_], colour: str) -> None:
    errors, spread = np.asarray(path.errors), path.standard_errors
    bars = None if spread is None else np.asarray(spread)[shown]
    ax.errorbar(
        path.n_leaves[shown],
        errors[shown],
        yerr=bars,
        fmt="o-",
        color=colour,
        ms=4,
        elinewidth=0.9,
        capsize=2,
        label="other rows" if bars is None else "other rows, ± standard error",
    )
    if spread is not None:
        best = int(errors.argmin())
        limit = errors[best] + np.asarray(spread)[best]
        ax.axhline(limit, color=colour, ls=":", lw=1, label="least error + standard error")


def _selected(ax: Any, path: "PruningPath", shown: NDArray[np.bool_], heights: Floats) -> None:
    chosen = path.selected
    if chosen is None or not shown[chosen]:
        return
    count = int(path.n_leaves[chosen])
    words = f"selected: {plural(count, 'leaf', 'leaves')}"
    style = {"mfc": "none", "mec": ACCENT, "mew": 2, "ms": 12, "ls": "none", "zorder": 5}
    ax.plot([count], [heights[chosen]], "o", label=words, **style)


def _alpha_axis(ax: Any, path: "PruningPath", shown: NDArray[np.bool_]) -> None:
    """Write alphas along the top, as many as fit side by side."""
    top = ax.secondary_xaxis("top")
    inches = ax.get_window_extent().width / ax.figure.dpi
    ends = ax.transData
    origin = ax.transAxes.inverted()
    places: list[float] = []
    words: list[str] = []
    free = -np.inf
    order = np.flatnonzero(shown)[::-1]  # from the root, the smallest tree, to the right
    for k in order.tolist():
        text = f"{path.alphas[k]:.2g}"
        middle = origin.transform(ends.transform((path.n_leaves[k], 0)))[0] * inches
        half = text_width(text, 9) / 2 + 0.06
        if middle - half >= free:
            places.append(float(path.n_leaves[k]))
            words.append(text)
            free = middle + half
    top.set_xticks(places, words, fontsize=9)
    top.set_xticks([], minor=True)
    top.set_xlabel("alpha")
