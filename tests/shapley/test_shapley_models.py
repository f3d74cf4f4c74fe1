"""Shapley values of every model: they add up, whatever the threads; what cannot be is refused."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contracts.estimators import Listed, every
from explained_problems import answers, classes_of, gappy
from sklearn.ensemble import RandomForestClassifier as ForeignForest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesRegressor,
    GPForestClassifier,
    ID3Classifier,
    MixtureOfExpertsClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomSurvivalForest,
    SurvivalTree,
    Tree,
    VotingCombiner,
    load,
    save,
)

SMALL: dict[str, Any] = {"n_estimators": 6, "random_state": 0}


def adds_up(model: Any, X: Any, background: Any = None) -> None:
    """Check that values start from what is expected and end at the answer."""
    values = model.shap_values(X, background)
    wanted = answers(model, X)
    assert values.shape == (len(X), X.shape[1], *wanted.shape[1:])
    np.testing.assert_allclose(values.sum(axis=1) + model.expected_value_, wanted, atol=1e-9)
    pairs = model.shap_interaction_values(X[:3], background)
    np.testing.assert_allclose(pairs.sum(axis=2), values[:3], atol=1e-9)
    np.testing.assert_allclose(pairs, np.swapaxes(pairs, 1, 2), atol=1e-12)


@every
def test_values_of_every_model_add_up_or_it_says_why_not(listed: Listed) -> None:
    X, y = gappy(1, n=50, share=0.1)
    numbers = np.abs(y) + 0.1  # counts and amounts are not negative
    model = listed.new().fit(X, classes_of(y) if listed.is_classifier else numbers)
    if not hasattr(model, "shap_values"):
        assert not {"forest_", "tree_"} & set(vars(model))
        return
    if "median" in repr(model) or isinstance(model, AdaBoostRegressor):
        with pytest.raises(ValueError, match="predicts the median"):
            model.shap_values(X)
        assert not hasattr(model, "expected_value_")
        return
    of_multiway = isinstance(model.get_params().get("estimator"), C45Classifier | ID3Classifier)
    divides = hasattr(model, "forest_") and (listed.is_fractional or of_multiway)
    whole = X.dropna()[:8] if divides else X[:8]
    adds_up(model, whole)
    adds_up(model, whole, X.dropna()[8:12])


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(combine="average", max_surrogates=2, oob_score=False, **SMALL),
        BaggingClassifier(C45Classifier(rules=False), combine="average", **SMALL),
        BaggingClassifier(targets="regroup", combine="average", **SMALL),
        AdaBoostClassifier(CARTClassifier(max_depth=2), n_estimators=5),
        BaggingClassifier(selection="mode", **SMALL),
    ],
    ids=repr,
)
def test_ensembles_of_classifiers_add_up_with_gaps(model: Any) -> None:
    X, y = gappy(2)
    model.fit(X, classes_of(y))
    adds_up(model, X[:9])
    adds_up(model, X[:5], X[10:14])


def test_two_classes_of_a_booster_are_one_decision() -> None:
    X, y = gappy(4)
    model = AdaBoostClassifier(n_estimators=8).fit(X, y > y.mean())
    adds_up(model, X)
    assert model.shap_values(X).shape == X.shape


def test_counts_are_explained_by_their_rates() -> None:
    X, y = gappy(5)
    counts, exposure = np.floor(np.abs(y)), np.linspace(0.5, 2.0, len(y))
    forest = RandomForestRegressor(5, criterion="poisson", oob_score=False, random_state=0)
    for model in (CARTRegressor(criterion="poisson", max_depth=3), forest):
        adds_up(model.fit(X, counts, exposure=exposure), X[:6])


def test_lifetimes_are_explained_by_their_risks() -> None:
    X, y = gappy(6)
    target = {"event": np.arange(len(y)) % 3 > 0, "time": 20.0 - y}
    for model in (SurvivalTree(), RandomSurvivalForest(5, random_state=0, oob_score=False)):
        adds_up(model.fit(X, target), X[:6])


def test_expressions_with_functions_of_the_users_are_divided_among_their_columns() -> None:
    from spinney.evolve import Function, Numeric

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    ratio = Function(
        "ratio", lambda a, b: a / (np.abs(b) + 1.0), takes=(Numeric, Numeric), returns=Numeric
    )
    model = GPForestClassifier(
        3, population_size=30, generations=6, functions=["+", ">", ratio], random_state=0
    ).fit(X, X[:, 0] / (np.abs(X[:, 1]) + 1.0) > 0.1)
    assert any("ratio" in name for tree in model.forest_ for name in tree.schema.names)
    adds_up(model, X[:10])
    adds_up(model, X[:4], X[10:13])


def test_threads_change_nothing() -> None:
    X, y = gappy(7, n=120)
    for model in (
        BaggingClassifier(CARTClassifier(), 7, combine="average", random_state=0),
        CARTRegressor(),
    ):
        model.fit(X, classes_of(y) if hasattr(model, "predict_proba") else y)
        for background in (None, X[:5]):
            alone = model.set_params(n_jobs=1).shap_values(X, background)
            assert np.array_equal(alone, model.set_params(n_jobs=3).shap_values(X, background))
            one_by_one = [model.shap_values(X[i : i + 1], background)[0] for i in range(9)]
            np.testing.assert_array_equal(alone[:9], one_by_one)


def test_what_is_expected_is_that_of_the_last_call() -> None:
    X, y = gappy(8)
    model = ExtraTreesRegressor(4, random_state=0).fit(X, y)
    by_cover = model.expected_value_
    model.shap_values(X[:3], X[:20])
    assert model.expected_value_ == pytest.approx(model.predict(X[:20]).mean())
    assert pickle.loads(pickle.dumps(model)).expected_value_ == by_cover
    model.shap_values(X[:3])
    assert model.expected_value_ == by_cover
    assert model.fit(X, y + 5.0).expected_value_ == pytest.approx(by_cover + 5.0)


def test_members_that_are_dropped_are_not_explained() -> None:
    X, y = gappy(9)
    model = RandomForestRegressor(4, random_state=0, oob_score=False).fit(X, y)
    model.shap_values(X)
    adds_up(model.drop([0, 2]), X[:5])


def test_a_file_explains_as_the_model_did(tmp_path: Any) -> None:
    X, y = gappy(10)
    model = CARTClassifier().fit(X, classes_of(y))
    wanted = model.shap_values(X)
    save(model, tmp_path / "model.spinney")
    assert np.array_equal(load(tmp_path / "model.spinney").shap_values(X), wanted)


def test_a_deep_tree_is_explained() -> None:
    X = np.arange(3000.0).reshape(-1, 1)
    y = np.cumsum(np.arange(3000) % 2) * 1.0
    model = CARTRegressor().fit(np.hstack([X, -X]), y)
    adds_up(model, np.hstack([X, -X])[::600])


def test_a_leaf_alone_explains_nothing() -> None:
    X, y = gappy(11)
    model = CARTRegressor(max_depth=1, min_samples_leaf=50).fit(X, y)
    assert not model.shap_values(X).any()
    assert not model.shap_values(X, X[:2]).any()
    assert model.expected_value_ == pytest.approx(y.mean())
    assert model.reasons(X[:2]) == [[], []]


def test_branches_without_training_rows_are_not_averaged() -> None:
    leaf: dict[str, Any] = {"test": None, "children": []}
    tree = Tree.from_dict(
        {
            "classes": ["no", "yes"],
            "features": ["a", "b"],
            "nodes": [
                {"test": "a <= 0", "children": [1, 2], "counts": [4, 4]},
                {"test": "b <= 0", "children": [3, 4], "counts": [0, 0]},
                {**leaf, "counts": [4, 4]},
                {**leaf, "counts": [0, 0], "answers": [0.9, 0.1]},
                {**leaf, "counts": [0, 0], "answers": [0.2, 0.8]},
            ],
        }
    )
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    adds_up(tree, X)
    adds_up(tree, X, X[1:])
    assert tree.expected_value_.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("background", [False, True])
def test_votes_of_divided_rows_are_refused(background: bool) -> None:
    X, y = gappy(12)
    model = BaggingClassifier(C45Classifier(rules=False), **SMALL).fit(X, classes_of(y))
    whole = X.dropna()
    with pytest.raises(ValueError, match=r"row 1 has gaps.*combine='average'"):
        model.shap_values(pd.concat([whole[:1], X[X["x"].isna()]]), whole if background else None)
    adds_up(model, whole[:4], whole[4:8] if background else None)


def test_votes_for_groups_of_classes_are_refused() -> None:
    X, y = gappy(13)
    model = BaggingClassifier(targets="regroup", **SMALL).fit(X, classes_of(y))
    with pytest.raises(ValueError, match=r"regroup.*combine='average'"):
        model.shap_values(X)


def test_members_of_other_packages_are_refused() -> None:
    X, y = gappy(14)
    numbers = X[["x", "z", "u"]].fillna(0.0)
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=2), **SMALL)
    model.fit(numbers, classes_of(y))
    with pytest.raises(TypeError, match="trees of this package"):
        model.shap_values(numbers)
    assert not hasattr(model, "expected_value_")
    assert not hasattr(MixtureOfExpertsClassifier(), "shap_values")
    assert not hasattr(VotingCombiner([("forest", ForeignForest())]), "shap_values")


def test_what_is_wrong_with_tables_is_said() -> None:
    X, y = gappy(15)
    model = CARTClassifier().fit(X, classes_of(y))
    for explained in (model, model.tree_):
        with pytest.raises(ValueError, match=r"background: .*0 sample"):
            explained.shap_values(X, X[:0])
    for method in (model.shap_values, model.shap_interaction_values, model.reasons):
        with pytest.raises(ValueError, match="u"):
            method(X.drop(columns="u"))
        with pytest.raises(ValueError, match=r"background: .*u"):
            method(X, background=X.drop(columns="u"))
    with pytest.raises(NotFittedError):
        CARTClassifier().shap_values(X)
    assert not hasattr(BaggingRegressor(), "expected_value_")
    with pytest.raises(ValueError, match=r"0 sample|no rows|0 rows"):
        model.shap_values(X[:0])
