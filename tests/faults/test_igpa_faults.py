"""Too few rows, nothing to ask, parameters that make no sense: a tree, or one clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from growth.comparison import outline
from igpa.problems import Array

from spinney import CARTClassifier, CARTRegressor, IGPAClassifier, IGPARegressor

PAIRS = [(IGPAClassifier, CARTClassifier), (IGPARegressor, CARTRegressor)]
LEARNERS = [IGPAClassifier, IGPARegressor]
MODES = [
    {"n_parts": n_parts, "labels": labels, "prune_from": place, "unjudged": unjudged}
    for n_parts, labels, place, unjudged in [
        (2, "kept", "leaves", "pruned"),
        (2, "renewed", "root", "kept"),
        (3, "renewed", "leaves", "kept"),
        (5, "kept", "root", "pruned"),
    ]
]
modes = pytest.mark.parametrize("mode", MODES, ids=lambda mode: f"{mode['n_parts']} folds")


def check(model: Any, X: Any, y: Any) -> Any:
    """A fitted model answers, with what it was taught."""
    model.fit(X, y)
    predicted = model.predict(X)
    assert predicted.shape == (len(y),)
    if hasattr(model, "classes_"):
        assert set(predicted) <= set(y)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    else:
        assert (min(y) <= predicted).all()
        assert (predicted <= max(y)).all()
    assert len(model.history_) == model.n_iterations_
    assert model.tree_.n_samples[0] == len(y)  # recounted
    return model


@modes
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("n_rows", [2, 3, 4, 5, 6])
def test_a_handful_of_rows_gives_a_tree(learner: Any, n_rows: int, mode: dict[str, Any]) -> None:
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    check(learner(random_state=0, **mode), X, np.arange(n_rows) % 2)


@pytest.mark.parametrize(("learner", "plain"), PAIRS)
def test_a_single_row_gives_the_tree_of_cart(learner: Any, plain: Any) -> None:
    X, y = np.array([[1.0, 2.0]]), np.array([3])
    model = check(learner(random_state=0), X, y)
    assert outline(model.tree_.root) == outline(plain().fit(X, y).tree_.root)


@modes
@pytest.mark.parametrize(("learner", "plain"), PAIRS)
def test_a_single_label_gives_the_tree_of_cart(
    learner: Any, plain: Any, mode: dict[str, Any]
) -> None:
    X, y = np.arange(20.0).reshape(10, 2), np.full(10, 4)
    model = check(learner(random_state=0, **mode), X, y)
    assert outline(model.tree_.root) == outline(plain().fit(X, y).tree_.root)


@pytest.mark.parametrize(("learner", "plain"), PAIRS)
def test_a_single_row_of_weight_gives_the_tree_of_cart(learner: Any, plain: Any) -> None:
    X, y, w = np.arange(8.0).reshape(4, 2), np.array([0, 1, 2, 1]), [0, 0, 2.5, 0]
    trees = [made.fit(X, y, sample_weight=w).tree_ for made in (learner(random_state=0), plain())]
    assert outline(trees[0].root) == outline(trees[1].root)


@modes
def test_classes_of_one_row_each_give_a_tree(mode: dict[str, Any]) -> None:
    for n_rows in (2, 3, 5, 9):
        X = np.arange(float(n_rows)).reshape(-1, 1)
        labels = np.array(list("abcdefghi")[:n_rows])
        model = check(IGPAClassifier(random_state=1, **mode), X, labels)
        assert model.classes_.tolist() == labels.tolist()
        assert model.predict_proba(X).shape == (n_rows, n_rows)


@modes
def test_a_class_that_a_part_lacks_is_counted(mode: dict[str, Any]) -> None:
    X = np.arange(30.0).reshape(-1, 1)
    y = np.array([0] * 15 + [1] * 14 + [2])
    for seed in range(4):
        model = check(IGPAClassifier(random_state=seed, **mode), X, y)
        assert model.tree_.value[0].tolist() == [15, 14, 1]


@modes
@pytest.mark.parametrize("learner", LEARNERS)
def test_columns_that_say_nothing_give_a_leaf(learner: Any, mode: dict[str, Any]) -> None:
    y = np.arange(12) % 3
    for cell in (7.0, np.nan):
        X = np.full((12, 2), cell)
        model = check(learner(random_state=0, **mode), X, y)
        assert model.tree_.n_leaves == 1


@pytest.mark.parametrize("missing", ["surrogate", "majority"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_column_of_gaps_is_left_alone(learner: Any, missing: str) -> None:
    x = np.arange(40.0)
    y = (x > 19).astype(int)
    options = {"missing": missing, "random_state": 0}
    beside = check(learner(**options), np.column_stack([np.full(40, np.nan), x]), y)
    alone = check(learner(**options), x.reshape(-1, 1), y)
    assert set(beside.tree_.feature) == {-1, 1}
    assert beside.tree_.threshold[0] == alone.tree_.threshold[0]


def test_a_category_that_a_part_lacks_finds_its_way() -> None:
    table = pd.DataFrame({"colour": ["red", "blue"] * 10 + ["green"], "size": range(21)})
    y = np.array([0, 1] * 10 + [1])
    for seed in range(4):
        model = check(IGPAClassifier(random_state=seed), table, y)
        assert model.score(table[:20], y[:20]) == 1.0


@pytest.mark.parametrize("exponent", [600, 1000, -600, -1000])
def test_huge_and_tiny_numbers_give_the_tree_of_others(exponent: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((120, 3))
    y = (X[:, 0] > 0.5) + rng.random(120)
    usual = IGPARegressor(random_state=0).fit(X, y)
    other = IGPARegressor(random_state=0).fit(X, np.ldexp(y, exponent))
    assert usual.tree_.n_leaves > 1
    np.testing.assert_array_equal(other.predict(X), np.ldexp(usual.predict(X), exponent))
    assert [step[:3] for step in other.history_] == [step[:3] for step in usual.history_]
    assert np.isfinite(other.history_).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_fractions_of_rows_are_refused(learner: Any) -> None:
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
    with pytest.raises(ValueError, match="missing='fractional'") as caught:
        learner(missing="fractional").fit(X, y)
    assert "'surrogate'" in str(caught.value)


BAD: list[tuple[str, Any]] = [
    *[("n_parts", value) for value in (1, 0, -2, 2.5, "two", None, True, np.nan)],
    *[("max_iter", value) for value in (0, -1, 1.5, "many", None, False)],
    *[("labels", value) for value in ("renew", "Kept", None, 1, True)],
    *[("prune_from", value) for value in ("leaf", "roots", None, 0)],
    *[("unjudged", value) for value in ("prune", "keep", None, False)],
    *[("recount", value) for value in ("yes", None, 2, 0.5)],
    *[("missing", value) for value in ("surrogates", None)],
    *[("max_depth", 0), ("min_samples_leaf", 0), ("criterion", "ginny")],
]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("name", "value"), BAD, ids=str)
def test_a_bad_parameter_is_named(learner: Any, name: str, value: Any) -> None:
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
    model = learner(**{name: value})
    with pytest.raises(ValueError, match=name):
        model.fit(X, y)
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_fit_that_fails_leaves_the_last_one(learner: Any) -> None:
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) // 10
    model = learner(random_state=0).fit(X, y)
    before: Array = model.predict(X)
    with pytest.raises(ValueError, match="n_parts"):
        model.set_params(n_parts=0).fit(X, y)
    assert (model.predict(X) == before).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_more_folds_than_rows_are_as_many_as_rows(learner: Any) -> None:
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1])
    models = [learner(n_parts=n, random_state=0).fit(X, y) for n in (4, 9, 10**9)]
    assert outline(models[0].tree_.root) == outline(models[1].tree_.root)
    assert models[0].history_ == models[1].history_ == models[2].history_
