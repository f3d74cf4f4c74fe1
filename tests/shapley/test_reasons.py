"""Reasons: the columns that moved a decision, in words, and never one that was not used."""

from typing import Any

import numpy as np
import pytest
from explained_problems import classes_of, gappy

from spinney import AdaBoostClassifier, CARTClassifier, CARTRegressor, RandomForestClassifier, Tree
from spinney.shapley import Reason

LEAF: dict[str, Any] = {"test": None, "children": []}
CREDIT = Tree.from_dict(
    {
        "classes": ["bad", "good"],
        "features": ["income", "purpose", "age"],
        "categories": {"purpose": ["car", "radio"]},
        "nodes": [
            {"test": "income <= 30", "children": [1, 2], "counts": [50, 50]},
            {"test": "purpose in {radio}", "children": [3, 4], "counts": [40, 10]},
            {"test": "age <= 25", "children": [5, 6], "counts": [10, 40]},
            {**LEAF, "counts": [8, 8]},
            {**LEAF, "counts": [32, 2]},
            {**LEAF, "counts": [8, 8]},
            {**LEAF, "counts": [2, 32]},
        ],
    }
)
ROW = {"income": [20.0], "purpose": ["car"], "age": [20.0]}


def test_reasons_are_worked_out_by_hand() -> None:
    """Of a poor buyer of a car: what is expected is 0.5 bad, the answer 32 / 34.

    In tenths of a coalition: v(income) = 0.8, v(purpose) = (32 / 34) / 2 + 0.2 / 2, v(age) =
    0.8 / 2 + 0.5 / 2, and so on; age is not asked of this row and so is no reason.
    """
    (found,) = CREDIT.reasons(ROW)
    assert [reason.column for reason in found] == ["income", "purpose"]
    values = CREDIT.shap_values(ROW)[0, :, 0]
    assert values[2] > 0  # age would be blamed by its value alone
    bad = 32 / 34
    v = {
        "": 0.5,
        "i": 0.8,
        "p": bad / 2 + 0.1,
        "a": 0.4 + 0.25,
        "ip": bad,
        "ia": 0.8,
        "pa": bad / 2 + 0.25,
        "ipa": bad,
    }
    income = (v["i"] - v[""]) / 3 + (v["ip"] - v["p"] + v["ia"] - v["a"]) / 6
    income += (v["ipa"] - v["pa"]) / 3
    assert found[0].contribution == pytest.approx(income, abs=1e-12)


def test_reasons_have_words_of_the_users() -> None:
    words = {"income": "income of {value} is too low", "purpose": "kind of credit"}
    (found,) = CREDIT.reasons(ROW, words=words)
    assert [str(one) for one in found] == ["income of 20 is too low", "kind of credit"]
    (plain,) = CREDIT.reasons(ROW, n=1)
    assert plain == [Reason("income", 20.0, plain[0].contribution, "income is 20")]


def test_reasons_for_another_decision_are_what_speaks_for_it() -> None:
    assert CREDIT.reasons(ROW, toward="good") == [[]]
    rich = {"income": [60.0], "purpose": ["car"], "age": [20.0]}
    assert [one.column for one in CREDIT.reasons(rich, toward="good")[0]] == ["income"]
    assert [one.column for one in CREDIT.reasons(rich, toward="bad")[0]] == ["age"]


@pytest.mark.parametrize(
    "model",
    [
        CARTClassifier(),
        CARTRegressor(missing="learned"),
        RandomForestClassifier(5, random_state=0, oob_score=False, max_surrogates=2),
        AdaBoostClassifier(CARTClassifier(max_depth=2), n_estimators=4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_no_reason_is_a_column_that_was_not_used(model: Any) -> None:
    X, y = gappy(1)
    model.fit(X, classes_of(y) if hasattr(model, "classes_") or "Class" in repr(model) else y)
    reasons = model.reasons(X[:20], n=2)
    trees = [model.tree_] if hasattr(model, "tree_") else list(model.forest_)
    for i, found in enumerate(reasons):
        assert len(found) <= 2
        assert [one.contribution for one in found] == sorted(
            (one.contribution for one in found), reverse=True
        )
        used = set()
        for tree in trees:
            for node in tree.decision_path(X[i : i + 1]).indices.tolist():
                if not tree[node].is_leaf:
                    tests = [tree[node].test, *(s.test for s in tree[node].surrogates)]
                    used |= {test.feature_name for test in tests}
        for one in found:
            assert one.contribution > 0
            assert one.column in used
            cell = X[one.column].iloc[i]
            assert one.value == cell or (one.value is None and cell != cell) or cell is None


def test_a_surrogate_that_decided_is_the_reason() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = np.column_stack([x, x + rng.normal(0, 0.1, 200)])
    model = CARTClassifier(max_depth=1).fit(X, (x > 0).astype(int))
    (found,) = model.reasons([[np.nan, 3.0]])
    assert [one.column for one in found] == ["x1"]
    (found,) = model.reasons([[np.nan, np.nan]])
    assert [(one.column, one.value, one.words) for one in found] == [("x0", None, "x0 is missing")]


def test_numbers_have_reasons_for_being_high_or_low() -> None:
    X, y = gappy(2)
    model = CARTRegressor(max_depth=3).fit(X, y)
    values = model.shap_values(X)
    for i, found in enumerate(model.reasons(X)):
        sign = 1.0 if values[i].sum() >= 0 else -1.0
        assert all(sign * values[i][list(X.columns).index(one.column)] > 0 for one in found)
    assert model.reasons(X, toward="low") != model.reasons(X, toward="high")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"n": 0}, ValueError, "n must be"),
        ({"n": -3}, ValueError, "n must be"),
        ({"n": 1.5}, (ValueError, TypeError), "n must be"),
        ({"toward": "ugly"}, ValueError, "toward must be one of the classes"),
        ({"words": {"incom": "x"}}, ValueError, "Did you mean 'income'"),
        ({"words": {"income": 3}}, TypeError, "must be text"),
        ({"words": ["income"]}, TypeError, "words must map"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(given: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        CREDIT.reasons(ROW, **given)


def test_numbers_know_no_classes() -> None:
    X, y = gappy(3)
    with pytest.raises(ValueError, match="'high', 'low' or None"):
        CARTRegressor(max_depth=2).fit(X, y).reasons(X, toward="good")
