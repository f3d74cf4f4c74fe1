"""Shrinkage of fitted estimators, against trees shrunk by hand and a trial of every strength."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier as OtherBagging
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import spinney
from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    IGPAClassifier,
    IGPARegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.tree._shrinkage import STRENGTHS

SMALL: dict[str, Any] = {"n_estimators": 12, "random_state": 0}
TREES = [
    CARTClassifier(random_state=0),
    CARTRegressor(random_state=0),
    CARTRegressor("absolute_error", max_depth=4, random_state=0),
    CARTClassifier(pruning="cost_complexity", cv=3, random_state=0),
    CARTClassifier(missing="fractional", max_depth=5, random_state=0),
    C45Classifier(random_state=0),
    ID3Classifier(random_state=0),
    IGPAClassifier(random_state=0),
    IGPARegressor(random_state=0),
]
FORESTS = [
    RandomForestClassifier(combine="average", **SMALL),
    RandomForestClassifier(combine="vote", **SMALL),
    RandomForestRegressor(**SMALL),
    RandomForestRegressor(criterion="poisson", **SMALL),
    BaggingClassifier(CARTClassifier(missing="fractional"), combine="average", **SMALL),
    BaggingClassifier(targets="regroup", combine="average", **SMALL),
    BaggingClassifier(C45Classifier(rules=False), **SMALL),
    BaggingRegressor(combine="median", **SMALL),
]


def name(estimator: Any) -> str:
    return " ".join(repr(estimator).split())


def table(seed: int = 0, n: int = 160) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[rng.random(X.shape) < 0.08] = np.nan
    numbers = np.abs(np.nan_to_num(X[:, 0]) + rng.normal(size=n))
    return X, np.digitize(numbers + np.nan_to_num(X[:, 1]), [0.3, 1.2]), numbers


def target(estimator: Any, seed: int = 0) -> tuple[Any, Any]:
    X, classes, numbers = table(seed)
    return X, classes if hasattr(estimator, "predict_proba") else numbers


def answer(fitted: Any, X: Any) -> Any:
    return fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else fitted.predict(X)


@pytest.mark.parametrize("estimator", TREES, ids=name)
def test_a_given_strength_is_that_of_tree_shrink(estimator: Any) -> None:
    X, y = target(estimator)
    plain = clone(estimator).fit(X, y)
    shrunk = clone(estimator).set_params(shrinkage=3.5).fit(X, y)
    assert shrunk.shrinkage_ == 3.5
    assert plain.shrinkage_ == 0.0
    assert shrunk.tree_ == plain.tree_.shrink(3.5)
    assert clone(estimator).set_params(shrinkage=0).fit(X, y).tree_ == plain.tree_


@pytest.mark.parametrize("estimator", FORESTS, ids=name)
def test_every_tree_of_an_ensemble_is_shrunk(estimator: Any) -> None:
    X, y = target(estimator)
    plain = clone(estimator).fit(X, y)
    shrunk = clone(estimator).set_params(shrinkage=3.5).fit(X, y)
    assert shrunk.shrinkage_ == 3.5
    for one, other in zip(plain.forest_, shrunk.forest_, strict=True):
        assert other == one.shrink(3.5)


def test_probabilities_are_means_of_shrunken_leaves_and_votes_their_labels() -> None:
    X, y, _ = table()
    plain = RandomForestClassifier(**SMALL).fit(X, y)
    trees = [tree.shrink(8.0) for tree in plain.forest_]
    shares = np.array([tree.predict_proba(X) for tree in trees])
    average = RandomForestClassifier(combine="average", shrinkage=8.0, **SMALL).fit(X, y)
    np.testing.assert_allclose(average.predict_proba(X), shares.mean(axis=0), atol=1e-12)
    vote = RandomForestClassifier(shrinkage=8.0, **SMALL).fit(X, y)
    votes = np.eye(3)[shares.argmax(axis=2)].mean(axis=0)
    np.testing.assert_allclose(vote.predict_proba(X), votes, atol=1e-12)
    assert not np.array_equal(vote.predict_proba(X), plain.predict_proba(X))


# -- "auto", by its definition


def costs(estimator: Any, shares: Any, y: Any) -> Any:
    """Brier score of each row, or its error by the criterion."""
    if hasattr(estimator, "predict_proba"):
        return ((shares / shares.sum(axis=1, keepdims=True) - np.eye(3)[y]) ** 2).sum(axis=1)
    criterion = getattr(estimator, "criterion", "squared_error")
    off = shares[:, 0] - y
    if criterion == "poisson":
        return shares[:, 0] - y + np.where(y > 0, y * np.log(y / shares[:, 0]), 0.0)
    return np.abs(off) if criterion == "absolute_error" else off**2


def member_answer(estimator: Any, tree: Any, groups: Any, X: Any) -> Any:
    if not hasattr(estimator, "predict_proba"):
        return tree.predict(X)[:, None]
    shares = tree.predict_proba(X)
    if estimator.get_params().get("combine") == "vote":
        shares = np.eye(shares.shape[1])[shares.argmax(axis=1)]
    return shares[:, list(groups)] / np.bincount(groups)[list(groups)] if groups else shares


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", FORESTS, ids=name)
def test_auto_takes_the_strength_of_least_cost_out_of_bag(estimator: Any, weighted: bool) -> None:
    X, y = target(estimator)
    w = np.random.default_rng(0).integers(1, 5, len(y)).astype(float) if weighted else np.ones(160)
    plain = clone(estimator).fit(X, y, w)
    seen = [np.isin(np.arange(160), rows) for rows in plain.estimators_samples_]
    losses = []
    for strength in STRENGTHS:
        sums = np.zeros((160, 3 if hasattr(estimator, "predict_proba") else 1))
        for i, tree in enumerate(plain.forest_):
            told = member_answer(
                estimator, tree.shrink(strength * w.mean()), plain.forest_.groups(i), X[~seen[i]]
            )
            sums[~seen[i]] += told
        votes = (~np.array(seen)).sum(axis=0)
        judged = votes > 0
        means = sums[judged] / votes[judged, None]
        losses.append(np.average(costs(estimator, means, y[judged]), weights=w[judged]))
    best = STRENGTHS[int(np.argmin(losses))] * w.mean()
    fitted = clone(estimator).set_params(shrinkage="auto", n_jobs=2).fit(X, y, w)
    assert np.isclose(fitted.shrinkage_, best)


@pytest.mark.parametrize("estimator", TREES, ids=name)
def test_auto_takes_the_strength_of_least_cost_in_cross_validation(estimator: Any) -> None:
    X, y = target(estimator)
    folds = [(np.flatnonzero(np.arange(160) % 5 != k), np.arange(k, 160, 5)) for k in range(5)]
    if "cv" not in estimator.get_params():
        pytest.skip("deals its folds itself")
    alike = clone(estimator).set_params(pruning=None) if estimator.pruning else estimator
    given = alike if estimator.pruning == "cost_complexity" else estimator
    given = clone(given).set_params(cv=folds)
    fitted = clone(given).set_params(shrinkage="auto").fit(X, y)
    losses = []
    for strength in STRENGTHS:
        total = 0.0
        for train, test in folds:
            tree = clone(given).fit(X[train], y[train]).tree_.shrink(strength)
            said = (
                tree.predict_proba(X[test])
                if hasattr(estimator, "predict_proba")
                else tree.predict(X[test])[:, None]
            )
            total += costs(estimator, said, y[test]).sum()
        losses.append(total)
    assert fitted.shrinkage_ == STRENGTHS[int(np.argmin(losses))]
    assert fitted.tree_ == clone(given).fit(X, y).tree_.shrink(fitted.shrinkage_)


def test_a_pruned_tree_keeps_its_size_and_its_path_gives_shrunken_estimators() -> None:
    X, y, _ = table()
    settings: dict[str, Any] = {"pruning": "cost_complexity", "cv": 5, "random_state": 0}
    plain = CARTClassifier(**settings).fit(X, y)
    fitted = CARTClassifier(shrinkage="auto", **settings).fit(X, y)
    assert fitted.get_n_leaves() == plain.get_n_leaves()
    again = fitted.pruning_path_.estimator(fitted.pruning_path_.selected)
    assert again.tree_ == fitted.tree_
    assert again.shrinkage_ == fitted.shrinkage_
    path = fitted.cost_complexity_pruning_path(X, y).path
    assert path.trees[0].answer is None


def test_groups_stay_together_when_a_strength_is_chosen() -> None:
    X, y, _ = table()
    groups = np.arange(160) // 8
    model = CARTClassifier(shrinkage="auto", cv=GroupKFold(4))
    assert model.fit(X, y, groups=groups).shrinkage_ in STRENGTHS


# -- What goes with it


@pytest.mark.parametrize("shrinkage", [4.0, "auto"])
@pytest.mark.parametrize("estimator", FORESTS, ids=name)
def test_out_of_bag_answers_are_those_of_shrunken_trees(estimator: Any, shrinkage: Any) -> None:
    X, y = target(estimator)
    fitted = clone(estimator).set_params(shrinkage=shrinkage, oob_score=True, n_estimators=60)
    fitted.fit(X, y)
    is_class = hasattr(estimator, "predict_proba")
    sums, votes = np.zeros((160, 3 if is_class else 1)), np.zeros(160)
    for i, (rows, tree) in enumerate(zip(fitted.estimators_samples_, fitted.forest_, strict=True)):
        out = ~np.isin(np.arange(160), rows)
        voting = clone(estimator).set_params(combine="vote") if is_class else estimator
        told = member_answer(voting, tree, fitted.forest_.groups(i), X[out])
        sums[out] += (told > 0) if is_class else told
        votes[out] += 1
    if is_class:
        shares = sums / sums.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(fitted.oob_decision_function_, shares, atol=1e-12)
        assert np.isclose(fitted.oob_score_, np.mean(sums.argmax(axis=1) == y))
        assert np.isclose(1 - fitted.oob_score_, fitted.oob_error_curve_[-1])
    else:
        np.testing.assert_allclose(fitted.oob_prediction_, sums[:, 0] / votes, rtol=1e-12)
    assert len(fitted.oob_error_curve_) == 60


@pytest.mark.parametrize("shrinkage", [4.0, "auto"])
@pytest.mark.parametrize("estimator", FORESTS, ids=name)
def test_a_warm_start_yields_what_one_longer_fit_does(estimator: Any, shrinkage: Any) -> None:
    X, y = target(estimator)
    model = clone(estimator).set_params(shrinkage=shrinkage, oob_score=True, n_estimators=40)
    whole = clone(model).fit(X, y)
    with pytest.warns(UserWarning, match="seen by every member"):
        steps = clone(model).set_params(n_estimators=5, warm_start=True).fit(X, y)
    steps.set_params(n_estimators=40).fit(X, y)
    assert steps.shrinkage_ == whole.shrinkage_
    assert list(steps.forest_) == list(whole.forest_)
    assert np.array_equal(steps.oob_error_curve_, whole.oob_error_curve_, equal_nan=True)
    steps.set_params(n_estimators=41, shrinkage=None).fit(X, y)
    plain = clone(model).set_params(n_estimators=41, shrinkage=None).fit(X, y)
    assert list(steps.forest_) == list(plain.forest_)
    assert steps.oob_score_ == plain.oob_score_


@pytest.mark.parametrize("model", [CARTClassifier, CARTRegressor])
@pytest.mark.parametrize("signs", [None, [1, 0, -1, 0]])
def test_a_tree_grows_on_as_it_was_before_it_was_shrunk(model: Any, signs: Any) -> None:
    X, classes, numbers = table()
    y = (classes > 1).astype(int) if model is CARTClassifier else numbers
    grown = model(max_depth=2, monotonic_cst=signs, warm_start=True)
    shrunk = clone(grown).set_params(shrinkage=5.0)
    for depth in (2, 5):
        for one in (grown, shrunk):
            one.set_params(max_depth=depth).fit(X, y)
    assert shrunk.tree_ == grown.tree_.shrink(5.0)
    assert shrunk.tree_ != grown.tree_


@pytest.mark.parametrize("early", [False, True])
def test_selection_judges_shrunken_members(early: bool) -> None:
    X, y, _ = table()
    model = BaggingClassifier(
        n_estimators=30, selection="trimmed", shrinkage=20.0, early_stopping=early, random_state=0
    ).fit(X, y)
    errors = [np.sum(member.predict(X) != y) for member in model.estimators_]
    assert np.array_equal(model.selection_report_.errors, errors)


def test_monotone_constraints_hold_after_shrinkage() -> None:
    for seed, shrinkage in product(range(6), (2.0, "auto")):
        X, classes, numbers = table(seed)
        signs = np.random.default_rng(seed).integers(-1, 2, 4)
        settings: dict[str, Any] = {"monotonic_cst": signs, "shrinkage": shrinkage}
        models = [
            CARTRegressor(**settings).fit(X, numbers),
            CARTClassifier(cv=3, **settings).fit(X, classes > 1),
            RandomForestRegressor(**SMALL, **settings).fit(X, numbers),
            RandomForestClassifier(combine="average", **SMALL, **settings).fit(X, classes > 1),
        ]
        for model in models:
            trees = [model.tree_] if hasattr(model, "tree_") else list(model.forest_)
            assert all(tree.check_monotonic() for tree in trees)


@pytest.mark.parametrize("estimator", [TREES[0], TREES[1], FORESTS[0], FORESTS[2]], ids=name)
def test_a_factor_on_all_weights_changes_no_prediction_of_auto(estimator: Any) -> None:
    X, y = target(estimator)
    w = np.random.default_rng(1).integers(1, 4, len(y))
    model = clone(estimator).set_params(shrinkage="auto", random_state=0)
    one = clone(model).fit(X, y, w)
    other = clone(model).fit(X, y, 64.0 * w)
    assert np.isclose(other.shrinkage_, 64.0 * one.shrinkage_)
    np.testing.assert_allclose(answer(one, X), answer(other, X), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("estimator", [TREES[1], FORESTS[2]], ids=name)
def test_far_targets_are_shrunk_as_near_ones(estimator: Any) -> None:
    X, y = target(estimator)
    near = clone(estimator).set_params(shrinkage="auto").fit(X, y)
    far = clone(estimator).set_params(shrinkage="auto").fit(X, np.ldexp(y, 600))
    assert far.shrinkage_ == near.shrinkage_
    assert np.array_equal(far.predict(X), np.ldexp(near.predict(X), 600))


@pytest.mark.parametrize("estimator", [*TREES[:2], *FORESTS[:3]], ids=name)
def test_models_with_shrinkage_are_kept_in_files(estimator: Any, tmp_path: Any) -> None:
    X, y = target(estimator)
    model = clone(estimator).set_params(shrinkage="auto").fit(X, y)
    model.save(tmp_path / "model") if hasattr(model, "save") else spinney.save(
        model, tmp_path / "model"
    )
    again = spinney.load(tmp_path / "model")
    assert again.shrinkage_ == model.shrinkage_
    assert np.array_equal(answer(again, X), answer(model, X))


def test_members_of_bagging_may_have_a_strength_of_their_own() -> None:
    X, y, _ = table()
    own = BaggingClassifier(CARTClassifier(max_surrogates=0, shrinkage=4.0), **SMALL).fit(X, y)
    all_ = BaggingClassifier(CARTClassifier(max_surrogates=0), shrinkage=4.0, **SMALL).fit(X, y)
    assert list(own.forest_) == list(all_.forest_)
    assert own.shrinkage_ == 0.0


REFUSED = [
    (BaggingClassifier(CARTClassifier(shrinkage="auto")), "take a number as shrinkage"),
    (BaggingClassifier(CARTClassifier(shrinkage=1.0), shrinkage=2.0), "Give one of them"),
    (BaggingClassifier(LogisticRegression(), shrinkage=2.0), "trees of this package"),
    (RandomForestClassifier(bootstrap=False, shrinkage="auto", oob_score=False), "do not see"),
    (RandomForestClassifier(sampling="wagging", shrinkage="auto"), "do not see"),
    (RandomForestClassifier(shrinkage="much"), "shrinkage must be"),
    (CARTClassifier(shrinkage=-1), "shrinkage must be"),
    (CARTClassifier(shrinkage=np.inf), "shrinkage must be"),
    (AdaBoostClassifier(CARTClassifier(shrinkage=1.0)), "shrinkage"),
]


@pytest.mark.parametrize(("estimator", "message"), REFUSED, ids=lambda one: str(one)[:60])
def test_what_cannot_be_shrunk_is_refused(estimator: Any, message: str) -> None:
    X, y, _ = table()
    with pytest.raises((TypeError, ValueError), match=message):
        estimator.fit(X, y)


def test_members_of_others_ensembles_choose_for_themselves() -> None:
    X, y, _ = table()
    kept = OtherBagging(CARTClassifier(shrinkage="auto", cv=3), n_estimators=3, random_state=0)
    assert all(member.shrinkage_ >= 0 for member in kept.fit(X, y).estimators_)
