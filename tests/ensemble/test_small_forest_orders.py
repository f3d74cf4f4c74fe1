"""Orders in which trees are taken: each by its definition, on rows that trees did not see."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from spinney import SmallForestClassifier, SmallForestRegressor, _core
from spinney.ensemble import _small_base
from spinney.ensemble._forest import Forest

_GOAL = 0.075  # of margins, Martinez-Munoz and Suarez 2006


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The pools that are grown."""
    grown: list[Any] = []
    grow = _small_base.grow_pool

    def remembering(*given: Any) -> Any:
        grown.append(grow(*given))
        return grown[-1]

    monkeypatch.setattr(_small_base, "grow_pool", remembering)
    return grown


def _classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(150, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)


def _answers(model: Any, pool: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each tree of one kind answers once it is shrunk, and which rows it left out."""
    core = _core.shrunk_forest(pool.trees._core, model.selection_report_.strengths[0])
    trees = Forest(core, pool.trees.schema, pool.trees.classes)
    values = np.ascontiguousarray(X)
    answers = np.array([tree.predict_proba(values) for tree in trees])
    return answers, np.array([pool.plan.counts(len(X), i) == 0 for i in range(len(trees))])


def _signatures(answers: np.ndarray, left_out: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(left_out, np.where(answers.argmax(axis=2) == y, 1.0, -1.0), 0.0)


def test_by_margin_each_tree_brings_the_margins_nearest_to_the_goal(pools: list[Any]) -> None:
    X, y = _classes()
    model = SmallForestClassifier(
        8, pool=20, members=("forest",), order="margin", stop=None, random_state=0
    ).fit(X, y)
    signs = _signatures(*_answers(model, pools[0], X), y)
    taken: list[int] = []
    for place in model.selection_report_.selected.tolist():
        sums = signs[taken].sum(axis=0) + signs
        off = ((_GOAL - sums / (len(taken) + 1)) ** 2).sum(axis=1)
        off[taken] = np.inf
        assert off[place] <= off.min() + 1e-9
        taken.append(place)


def test_by_orientation_trees_are_sorted_by_their_angle(pools: list[Any]) -> None:
    X, y = _classes()
    model = SmallForestClassifier(
        8, pool=20, members=("forest",), order="orientation", stop=None, random_state=0
    ).fit(X, y)
    signs = _signatures(*_answers(model, pools[0], X), y)
    every = signs.mean(axis=0)
    reference = np.ones(len(y)) - every * every.sum() / (every @ every)
    assert reference @ every == pytest.approx(0.0, abs=1e-9)
    cosine = signs @ reference / np.linalg.norm(signs, axis=1)
    selected = model.selection_report_.selected
    np.testing.assert_allclose(cosine[selected], np.sort(cosine)[::-1][:8])


def test_by_loss_each_tree_lowers_the_brier_score_most(pools: list[Any]) -> None:
    X, y = _classes()
    model = SmallForestClassifier(
        8, pool=20, members=("forest",), order="loss", stop=None, random_state=0
    ).fit(X, y)
    answers, left_out = _answers(model, pools[0], X)
    truth = np.eye(3)[y]
    sums, counts = np.tile(truth.mean(axis=0), (len(y), 1)), np.ones(len(y))
    taken: list[int] = []
    for place in model.selection_report_.selected.tolist():
        losses = [
            (((sums + own * seen[:, None]) / (counts + seen)[:, None] - truth) ** 2).sum()
            for own, seen in zip(answers, left_out, strict=True)
        ]
        free = [i for i in range(20) if i not in taken]
        assert losses[place] <= min(losses[i] for i in free) + 1e-9
        sums += answers[place] * left_out[place][:, None]
        counts += left_out[place]
        taken.append(place)


def test_numbers_are_ordered_by_loss_or_by_the_pool() -> None:
    X, y = make_friedman1(120, random_state=0)
    model = SmallForestRegressor(5, pool=20, order="loss", stop=None, random_state=0).fit(X, y)
    assert len(model) == 5
    assert model.score(X, y) > 0.7
    with pytest.raises(ValueError, match="order must be one of 'loss', 'pool', got 'margin'"):
        SmallForestRegressor(order="margin").fit(X, y)


@pytest.mark.parametrize("order", ["loss", "margin", "orientation"])
def test_threads_do_not_change_the_order(order: str) -> None:
    X, y = _classes()
    one, two = (
        SmallForestClassifier(5, pool=20, order=order, random_state=1, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    assert one.forest_ == two.forest_
