"""The figures of the paper on evolved forests."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._reproduce._cells import Cell, Measured
from spinney._reproduce._drawing import lines
from spinney._reproduce._gp_runs import FIGURE_FOLDS, N_POINTS, figure_methods, search, sizes
from spinney._reproduce._parts import Claim, Drawing, Floats, Options, Results
from spinney.compare import paired_t
from spinney.datasets import make_gaussian_mixture
from spinney.datasets._mixture import best_rule
from spinney.plot._palette import INK, PAPER, class_colours, mix

__all__ = ["accuracy_drawing", "forests_drawing", "points_drawing"]

_SMALL = 5  # trees: forests that the paper would call small
_SHOWN = 3  # trees of a forest in Figure 5
_LEVEL = 0.05


def points_drawing(results: Results, options: Options) -> Drawing:
    """Return what draws the points."""
    attainable = _attainable()

    def draw(axes: Any) -> None:
        X, y = make_gaussian_mixture(N_POINTS, random_state=options.seed)
        _scatter(axes, X, y)

    cell = Cell("best rule, accuracy in %", "here", Measured(attainable, 0.0, 1), 95.0, digits=0)
    return Drawing(draw, size=(4.5, 4.5), cells=(cell,))


def accuracy_drawing(results: Results, options: Options) -> Drawing:
    """Return what draws the accuracy against the number of trees, and what follows from it."""
    asked = sizes(options)
    means = {
        name: np.column_stack([_by_repetition(results, name, size) for size in asked])
        for name in figure_methods(1)
    }

    def draw(axes: Any) -> None:
        lines(axes, asked, means)
        axes.axhline(_attainable(), color="grey", linewidth=0.8, label="best rule")
        axes.set_xscale("log")
        axes.set_xticks(asked, [str(size) for size in asked])
        axes.minorticks_off()
        axes.set_xlabel("trees")
        axes.set_ylabel("accuracy in %")
        axes.legend()

    cells = tuple(
        Cell(name, "1 tree" if size == 1 else f"{size} trees", Measured.of(own[:, i]), None)
        for name, own in means.items()
        for i, size in enumerate(asked)
    )
    words = (
        "Shades in the picture are standard errors over the repetitions, each with its own points."
    )
    return Drawing(draw, cells=cells, notes=(words,), claims=_claims(asked, means))


def forests_drawing(results: Results, options: Options) -> Drawing:
    """Return what draws the regions of the first trees of two forests, and their root tests."""
    X, y = make_gaussian_mixture(N_POINTS, random_state=options.seed)
    methods = figure_methods(_SHOWN, **search(options))
    chosen = {name: methods[name] for name in ("diverse roots", "plain gain")}
    for model in chosen.values():
        model.set_params(random_state=options.seed).fit(X, y)

    def draw(axes: Any) -> None:
        for row, (name, model) in zip(axes.T, chosen.items(), strict=True):
            for i, (one, place) in enumerate(zip(model.forest_, row, strict=True)):
                _regions(place, X, y, model.estimators_[i], one)
                place.set_title(f"{name}, tree {i + 1}", fontsize=9)

    words = "Colours are the answers of a tree, the black line is the test of its root."
    return Drawing(draw, size=(6.0, 9.0), n_axes=2, n_rows=_SHOWN, notes=(words,))


def _attainable(n_points: int = 200_000) -> float:
    """Return the share of points for which the best rule is right, in %."""
    X, y = make_gaussian_mixture(n_points, random_state=0)
    return 100.0 * float(np.mean(best_rule(X) == y))


def _by_repetition(results: Results, name: str, size: int) -> Floats:
    """Return the mean accuracy of each repetition, which has points of its own."""
    folds = results.values(f"accuracy_{size}", "figure", "points", name)
    return np.asarray(folds.reshape(-1, FIGURE_FOLDS).mean(axis=1))


# -- What the paper concludes


def _claims(asked: tuple[int, ...], means: dict[str, Floats]) -> tuple[Claim, ...]:
    last = len(asked) - 1
    small = max(i for i, size in enumerate(asked) if size <= _SMALL)
    diverse, boosted = means["diverse roots"], means["AdaBoost.M1"]
    bagged, plain = means["bagging"], means["plain gain"]
    few, most = f"{asked[1]} to {asked[small]} trees", f"{asked[last]} trees"
    lead = diverse - bagged
    return (
        _beats(f"Diverse roots beat plain gain at {asked[1]} to {most}", diverse, plain, 1, last),
        _beats(f"They beat bagging at {few}", diverse, bagged, 1, small),
        _greater(
            f"Their lead over bagging is less at {most} than at {few}",
            lead[:, 1 : small + 1].mean(axis=1),
            lead[:, last],
        ),
        _beats(f"They beat AdaBoost at {most}", diverse, boosted, last, last),
        _greater(
            f"AdaBoost is worse at {most} than at {asked[small]}",
            boosted[:, small],
            boosted[:, last],
        ),
    )


def _beats(text: str, ours: Floats, others: Floats, first: int, last: int) -> Claim:
    places = range(first, last + 1)
    p = max(chance(ours[:, i], others[:, i]) for i in places)
    by = np.mean([ours[:, i] - others[:, i] for i in places])
    return Claim(text, "yes", f"by {by:+.2f}, p <= {p:.2g}", p < _LEVEL)


def _greater(text: str, ours: Floats, others: Floats) -> Claim:
    p = chance(ours, others)
    return Claim(text, "yes", f"by {np.mean(ours - others):+.2f}, p = {p:.2g}", p < _LEVEL)


def chance(ours: Floats, others: Floats) -> float:
    """Return p of "ours is no greater", by the paired t-test over repetitions."""
    if len(ours) < 2:
        return 1.0
    test = paired_t(ours, others)
    return test.p_value / 2.0 if test.difference > 0.0 else 1.0 - test.p_value / 2.0


# -- Drawing


def _scatter(axes: Any, X: Floats, y: Any) -> None:
    for label, (colour, mark) in enumerate(zip(class_colours(3), "o^s", strict=True)):
        own = y == label
        axes.plot(X[own, 0], X[own, 1], mark, color=colour, markersize=2.5, alpha=0.7)
    axes.set_xlabel("x")
    axes.set_ylabel("y")


def _regions(axes: Any, X: Floats, y: Any, member: Any, tree: Any) -> None:
    """Draw what a tree answers, and its root test as a black line."""
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    columns = [np.linspace(low[i], high[i], 150) for i in range(2)]
    across, up = np.meshgrid(*columns)
    points = np.column_stack([across.ravel(), up.ravel()])
    answers = member.predict(points).astype(float).reshape(across.shape)
    extent = (low[0], high[0], low[1], high[1])
    pale = [mix(colour, PAPER, 0.7) for colour in class_colours(3)]
    axes.imshow(_painted(answers, pale), extent=extent, origin="lower", aspect="auto")
    _scatter(axes, X, y)
    root = tree.prune_at([child.id for child in tree.root.children])
    side = np.asarray(root.apply(points)).reshape(across.shape)
    axes.contour(across, up, side == side.min(), [0.5], colors=INK, linewidths=2.0)


def _painted(answers: Floats, colours: list[str]) -> NDArray[np.uint8]:
    """Return a picture with a colour for each answer."""
    shades = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours]
    return np.array(shades, dtype=np.uint8)[answers.astype(np.int64)]
