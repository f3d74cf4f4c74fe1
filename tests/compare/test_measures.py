"""Measures are scikit-learn's or their definitions, with weights; groups are never divided."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.model_selection import GroupKFold

from spinney import C45Classifier, CARTClassifier, CARTRegressor
from spinney.compare import Experiment, OutOfBag, RepeatedHoldout, RepeatedKFold, Resubstitution
from spinney.compare._inputs import Problem
from spinney.compare._metrics import MEASURES, Judged

SEEDS = st.integers(0, 2**32 - 1)


class Known:
    """A model whose probabilities are known."""

    def __init__(self, classes: list[str], shares: NDArray[np.float64]) -> None:
        self.classes_ = np.array(classes)
        self.predict_proba = lambda X: shares


def rows_of(seed: int, n_classes: int) -> tuple[Judged, NDArray[np.intp], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    labels = ["a", "b", "c", "d"][:n_classes]
    codes = np.append(np.arange(n_classes), random.integers(n_classes, size=20))
    shares = random.dirichlet(np.ones(n_classes), size=len(codes)).round(2) + 0.01
    shares /= shares.sum(axis=1, keepdims=True)
    guess = np.array(labels)[shares.argmax(axis=1)]
    weight = random.integers(1, 5, size=len(codes)).astype(float)
    costs = {("a", "b"): 5.0}
    rows = Judged(
        Known(labels, shares),
        None,
        np.array(labels)[codes],
        guess,
        weight,
        costs=costs,
        classes=tuple(labels),
    )
    return rows, codes, shares


@given(SEEDS, st.integers(2, 4))
@settings(max_examples=30)
def test_measures_of_classes_are_those_of_scikit_learn(seed: int, n_classes: int) -> None:
    rows, codes, shares = rows_of(seed, n_classes)
    found = {name: MEASURES[name].of(rows) for name in ("error", "logloss", "brier", "cost")}
    told = {"sample_weight": rows.weight}
    assert found["error"] == pytest.approx(1 - metrics.accuracy_score(rows.y, rows.guess, **told))
    assert found["logloss"] == pytest.approx(metrics.log_loss(codes, shares, **told))
    if n_classes == 2:
        brier = metrics.brier_score_loss(codes, shares[:, 1], **told)
        assert MEASURES["auc"].of(rows) == pytest.approx(
            metrics.roc_auc_score(codes, shares[:, 1], **told)
        )
    else:
        brier = np.average(((shares - np.eye(n_classes)[codes]) ** 2).sum(1), weights=rows.weight)
    assert found["brier"] == pytest.approx(brier)
    table = metrics.confusion_matrix(rows.y, rows.guess, labels=rows.classes, **told)
    prices = 1.0 - np.eye(n_classes)
    prices[0, 1] = 5.0
    assert found["cost"] == pytest.approx((table * prices).sum() / table.sum())


def test_classes_that_a_training_part_lacks_have_no_probability() -> None:
    shares = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    model = Known(["a", "c"], shares)
    y = np.array(["a", "b", "c"])
    rows = Judged(model, None, y, y, classes=("a", "b", "c"))
    wide = np.array([[0.25, 0.0, 0.75], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])
    assert MEASURES["logloss"].of(rows) == pytest.approx(metrics.log_loss([0, 1, 2], wide))


@given(SEEDS)
@settings(max_examples=30)
def test_measures_of_numbers_are_their_definitions(seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 2))
    y = random.poisson(1.0 + np.exp(X[:, 0])).astype(float)
    y[:2] = 0.0, 3.0
    weight, exposure = random.uniform(0.5, 2, size=(2, 40))
    model = CARTRegressor(criterion="poisson", max_depth=2, random_state=0)
    guess = model.fit(X, y, sample_weight=weight, exposure=exposure).predict(X)
    rows = Judged(model, X, y, guess, weight, exposure)
    told = {"sample_weight": weight * exposure}
    rate = y / exposure
    assert MEASURES["rmse"].of(rows) == pytest.approx(
        metrics.root_mean_squared_error(rate, guess, **told)
    )
    assert MEASURES["r2"].of(rows) == pytest.approx(metrics.r2_score(rate, guess, **told))
    if (guess > 0).all():
        assert MEASURES["deviance"].of(rows) == pytest.approx(
            metrics.mean_poisson_deviance(rate, guess, **told)
        )
    right = total = 0.0
    for i in range(40):
        for j in range(40):
            if rate[i] < rate[j]:
                total += weight[i] * weight[j]
                right += weight[i] * weight[j] * (np.sign(guess[j] - guess[i]) + 1) / 2
    assert MEASURES["concordance"].of(rows) == pytest.approx(right / total)


@pytest.mark.parametrize("resampling", [RepeatedKFold(3), RepeatedHoldout(1), OutOfBag(1)])
@given(seed=SEEDS, n_groups=st.integers(5, 12))
@settings(max_examples=15)
def test_groups_are_never_divided(resampling: Any, seed: int, n_groups: int) -> None:
    random = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), random.integers(n_groups, size=30))
    y = np.array(["no", "yes"])[random.integers(2, size=len(groups))]
    y[:2] = "no", "yes"
    problem = Problem("any", None, y, "classification", {"groups": groups})
    parts = problem.parts(resampling, np.random.default_rng(seed))
    for train, test in parts:
        assert not set(groups[train]) & set(groups[test])
        assert set(train) | set(test) == set(range(len(y)))
    if isinstance(resampling, RepeatedKFold):
        tested = np.sort(np.concatenate([test for _, test in parts]))
        assert tested.tolist() == list(range(len(y)))


def rows_in_pairs() -> tuple[NDArray[np.float64], NDArray[Any], NDArray[np.intp]]:
    """Return rows that are all there twice, with labels that only a copy knows."""
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(60, 2)), 2, axis=0)
    y = np.repeat(np.array(["no", "yes"])[random.integers(2, size=60)], 2)
    return X, y, np.repeat(np.arange(60), 2)


def test_copies_of_a_row_help_only_where_groups_are_not_told() -> None:
    X, y, groups = rows_in_pairs()
    datasets = {"blind": (X, y), "told": (X, y, {"groups": groups})}
    pruned = CARTClassifier(pruning="cost_complexity", cv=GroupKFold(3), random_state=0)
    methods = {"full": CARTClassifier(random_state=0)}
    results = Experiment(datasets, methods, RepeatedKFold(5)).run(progress=False)
    blind, told = results.mean()[:, 0].tolist()
    assert blind < 0.2 < 0.4 < told
    inner = Experiment({"told": datasets["told"]}, {"pruned": pruned}, RepeatedKFold(5))
    assert inner.run(progress=False).mean("n_leaves")[0, 0] < 10  # its own folds are of groups too


def test_the_first_measure_decides_and_the_others_are_shown() -> None:
    X, y, _ = rows_in_pairs()
    methods = {"stump": CARTClassifier(max_depth=1), "full": CARTClassifier()}
    shown = ["auc", "cost", "error"]
    costs = {("yes", "no"): 3.0}
    made = Experiment({"any": (X, y)}, methods, RepeatedKFold(5), measures=shown, cost_matrix=costs)
    results = made.run(progress=False)
    assert results.measure == "auc"
    assert results.ranks()[0].tolist() == [2.0, 1.0]
    assert results.losses()[0].tolist() == (-results.mean("auc")[0]).tolist()
    table = results.table("any")
    assert [name for name in table.columns if name in ("auc", "cost", "error in %")] == [
        "auc",
        "cost",
        "error in %",
    ]
    assert table.rows[0][0] == "full"


def test_weights_count_in_training_and_in_the_measures() -> None:
    X, y, _ = rows_in_pairs()
    weight = np.where(np.arange(len(y)) % 2, 3.0, 0.0)
    every, half = Resubstitution(), {"any": (X[1::2], y[1::2])}
    methods = {"stump": CARTClassifier(max_depth=1, random_state=0)}
    told = Experiment({"any": (X, y, {"sample_weight": weight})}, methods, every)
    assert (
        told.run(progress=False).mean()
        == Experiment(half, methods, every).run(progress=False).mean()
    )
    assert told.fingerprint() != Experiment({"any": (X, y)}, methods, every).fingerprint()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": ["auk"]}, "measures must be one of"),
        ({"measures": "auc"}, "list of names"),
        ({"measures": ["r2"]}, "for regression"),
        ({"cost_matrix": {("no", "maybe"): 2.0}}, "no class 'maybe'"),
    ],
)
def test_measures_that_do_not_fit_are_refused(options: dict[str, Any], words: str) -> None:
    X, y, _ = rows_in_pairs()
    with pytest.raises(ValueError, match=words):
        Experiment({"any": (X, y)}, {"tree": CARTClassifier()}, **options)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"groups": [1, 2]}, "one value for each of 120 rows"),
        ({"weights": np.ones(120)}, "must be one of 'sample_weight'"),
        ({"sample_weight": -np.ones(120)}, "sample_weight"),
        ({"groups": [None] * 120}, "no missing values"),
        ([1], "must be a dict"),
    ],
)
def test_facts_that_do_not_fit_are_refused(facts: Any, words: str) -> None:
    X, y, _ = rows_in_pairs()
    with pytest.raises(ValueError, match=words):
        Experiment({"any": (X, y, facts)}, {"tree": CARTClassifier()})


def test_auc_needs_two_classes_and_deviance_its_criterion() -> None:
    trees = {"c45": C45Classifier()}
    with pytest.raises(ValueError, match="for two classes, and data set 'iris' has 3"):
        Experiment("iris", trees, measures=["auc"])
    with pytest.raises(ValueError, match="criterion='poisson'"):
        Experiment("boston_housing", {"tree": CARTRegressor()}, measures=["deviance"])
    X, y, groups = rows_in_pairs()
    made = Experiment({"any": (X, y, {"groups": groups % 2})}, trees, RepeatedKFold(10))
    with pytest.raises(ValueError, match="2 groups, too few for 10 parts"):
        made.run(progress=False)
