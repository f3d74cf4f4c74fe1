"""Slow, obvious ensembles: votes, rows left out, choice of members and boosting, by plain loops.

Members are what the caller says: functions that train a tree, or answers that trees gave. Which
rows a member sees is drawn by the core, and taken from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spinney import _core

Array = npt.NDArray[Any]
Train = Callable[[Array], Any]  # weights of the rows -> a fitted estimator


def in_rows(options: Mapping[str, Any], n_rows: int) -> dict[str, Any]:
    """Return parameters with numbers of rows for shares: an ensemble's are of all its rows."""
    limits = ("min_samples_split", "min_samples_leaf")
    shares = {name: options[name] for name in limits if isinstance(options.get(name), float)}
    return {**options, **{name: math.ceil(share * n_rows) for name, share in shares.items()}}


def make_plan(kind: str | None, size: int, n_parts: int = 1, *, seed: int) -> _core.EnsemblePlan:
    """Return the draws of an ensemble whose random_state is `seed`."""
    plan = _core.EnsemblePlan()
    plan.set_sampling(kind or "all", size, n_parts)
    plan.seed = seed
    return plan


def counts_by_row(plan: _core.EnsemblePlan, weight: Array, member: int) -> Array:
    """Return what each row counts for in a member; rows of no weight are not drawn from."""
    counts = np.zeros(len(weight))
    counts[weight > 0] = plan.counts(int((weight > 0).sum()), member)
    return counts


def difference(one: Any, other: Any, path: str = "root") -> str:
    """Return where two trees differ, in words; empty if nowhere.

    Nodes must have the same test, class weights and number of rows. Branches that no row takes are
    left out: a tree that was told of a category without seeing it has one more of them.
    """
    if one.n_samples != other.n_samples:
        return f"{path}: {one.n_samples} rows and {other.n_samples}"
    here, there = _content(one), _content(other)
    if not np.allclose(here, there, rtol=1e-9, atol=1e-12):
        return f"{path}: {here} and {there}"
    if str(one.test) != str(other.test):
        return f"{path}: {one.test} and {other.test}"
    left, right = _branches(one), _branches(other)
    if list(left) != list(right):
        return f"{path}: branches {list(left)} and {list(right)}"
    found = [difference(left[text], right[text], f"{path}, {text}") for text in left]
    return next((words for words in found if words), "")


def _content(node: Any) -> Any:
    return (node.weight, node.prediction) if node.counts is None else node.counts


def _branches(node: Any) -> dict[str, Any]:
    texts = [node.test.branch_text(i) for i in range(len(node.children))]
    return {t: child for t, child in zip(texts, node.children, strict=True) if child.weight > 0}


# -- Votes


def count_votes(answers: Sequence[Array], n_classes: int, weights: Sequence[float] = ()) -> Array:
    """Return (n_rows, n_classes) votes of members that answered with class codes."""
    votes = np.zeros((len(answers[0]), n_classes))
    for m, codes in enumerate(answers):
        for row, code in enumerate(codes):
            votes[row, int(code)] += weights[m] if len(weights) else 1.0
    return votes


def weighted_median(numbers: Sequence[float], weights: Sequence[float]) -> float:
    """Return the least number that, with all below it, has at least half of the weight."""
    total = math.fsum(weights)
    for number in sorted(numbers):
        below = math.fsum(w for x, w in zip(numbers, weights, strict=True) if x <= number)
        if below >= 0.5 * total * (1 - 1e-12):
            return number
    raise AssertionError("some number has half of the weight")


# -- Rows left out


@dataclass
class LeftOut:
    """Sums and numbers of answers by row, and the error after each member."""

    sums: Array
    n_votes: Array
    curve: list[float] = field(default_factory=list)


def left_out_classes(
    answers: Sequence[Array],
    counts: Sequence[Array],
    codes: Array,
    weight: Array,
    n_classes: int,
    groups: Sequence[Sequence[int]] | None = None,
) -> LeftOut:
    """Add up the votes of the members that did not see a row."""
    out = LeftOut(np.zeros((len(codes), n_classes)), np.zeros(len(codes), int))
    for m in range(len(answers)):
        for row in range(len(codes)):
            if weight[row] == 0 or counts[m][row] > 0:
                continue
            out.n_votes[row] += 1
            for c in range(n_classes):
                said = c if groups is None else groups[m][c]
                out.sums[row, c] += float(said == answers[m][row])
        seen = out.n_votes > 0
        wrong = out.sums[seen].argmax(axis=1) != codes[seen]
        out.curve.append(_mean(wrong, weight[seen]))
    return out


def left_out_numbers(
    answers: Sequence[Array], counts: Sequence[Array], y: Array, weight: Array, power: int = 2
) -> LeftOut:
    """Add up the predictions of the members that did not see a row; errors go by a power."""
    out = LeftOut(np.zeros(len(y)), np.zeros(len(y), int))
    for m in range(len(answers)):
        for row in range(len(y)):
            if weight[row] > 0 and counts[m][row] == 0:
                out.n_votes[row] += 1
                out.sums[row] += answers[m][row]
        seen = out.n_votes > 0
        error = np.abs(out.sums[seen] / out.n_votes[seen] - y[seen]) ** power
        out.curve.append(_mean(error, weight[seen]))
    return out


def _mean(numbers: Array, weight: Array) -> float:
    return float(np.average(numbers, weights=weight)) if len(weight) else math.nan


def stops_after(
    curve: Sequence[float], patience: int, tolerance: float = 0.0, n_to_cover: int = 1
) -> int:
    """Return how many members there are once the error has not fallen for `patience` members.

    The first `n_to_cover - 1` errors do not count: some rows had no answer yet.
    """
    least, since = math.inf, 0
    for n, error in enumerate(curve, start=1):
        if n < n_to_cover:
            continue
        if error < least - tolerance:
            least, since = error, 0
        else:
            since += 1
        if since == patience:
            return n
    return len(curve)


# -- Members that stay


def trimmed(errors: Array, trim: float) -> Array:
    """Return the places of the (1 - trim) n members with fewest errors."""
    order = sorted(range(len(errors)), key=lambda i: (errors[i], i))
    return np.sort(order[: math.floor((1 - trim) * len(errors) + 1e-9)])


def up_to_mode(errors: Array) -> Array:
    """Return the places of members with at most the most common number of errors."""
    errors = np.rint(errors).astype(int)
    return np.flatnonzero(errors <= np.bincount(errors).argmax())


# -- Boosting


@dataclass
class Boosting:
    """What became of each member that was kept, and the weights of the rows at the end."""

    members: list[Any] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    votes: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    weights: Array = field(default_factory=lambda: np.empty(0))


def boost_classes(
    train: Train,
    X: Any,
    y: Array,
    start: Array,
    *,
    n_rounds: int,
    algorithm: str = "SAMME",
    loss: str = "exponential",
    rate: float = 1.0,
) -> Boosting:
    """AdaBoost as the papers write it: weights times exp(alpha), or functions of the margin."""
    classes = np.unique(y)
    k = len(classes)
    start = start / start.sum()
    w, out = start.copy(), Boosting()
    n_wrong, margin = np.zeros(len(y)), np.zeros(len(y))
    for _ in range(n_rounds):
        member = train(w)
        wrong = member.predict(X) != y
        error, vote = float(w[wrong].sum()), 1.0
        if algorithm != "arc-x4" and wrong.any():
            if error >= (0.5 if algorithm == "M1" else 1 - 1 / k):
                break
            vote = rate * (math.log((1 - error) / error) + math.log(k - 1) * (algorithm != "M1"))
        margin += vote * ~wrong - vote / k
        n_wrong += wrong
        if algorithm == "arc-x4":
            w = start * (1 + n_wrong**4)
        elif loss == "logistic":
            w = start / (1 + np.exp(2 * margin))
        elif wrong.any():
            w = w * np.exp(vote * wrong)
        w = w / w.sum()
        out.members.append(member)
        out.errors.append(error)
        out.votes.append(vote)
        losses = np.exp(-margin) if loss == "exponential" else np.log1p(np.exp(-2 * margin))
        out.losses.append(float((start * losses).sum()))
        if not wrong.any():
            break
    out.weights = w
    return out


def boost_numbers(
    train: Train, X: Any, y: Array, start: Array, *, n_rounds: int, loss: str, rate: float = 1.0
) -> Boosting:
    """AdaBoost.R2: weights times beta to the power of one less the loss."""
    w, out = start / start.sum(), Boosting()
    for _ in range(n_rounds):
        member = train(w)
        off = np.abs(member.predict(X) - y)
        share = off / off.max() if off.max() > 0 else off
        losses = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[loss]
        error = float((w * losses).sum())
        if error >= 0.5 and out.members:
            break
        out.members.append(member)
        out.errors.append(error)
        out.votes.append(1.0)
        if error <= 0 or error >= 0.5:
            break
        beta = error / (1 - error)
        out.votes[-1] = rate * math.log(1 / beta)
        w = w * beta ** (rate * (1 - losses))
        w = w / w.sum()
    out.weights = w
    return out
