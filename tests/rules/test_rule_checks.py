"""A set of rules does what its text says, or is refused."""

import numpy as np
import pytest

from spinney import CARTClassifier, ID3Classifier, RuleSet
from spinney.rules import Interval, Membership, Rule

X = {"a": [1.0, 2.0, 3.0, 4.0], "c": ["x", "y", "z", "x"]}
Y = ["p", "p", "q", "q"]


@pytest.fixture(scope="module")
def schema():
    return CARTClassifier().fit(X, Y).tree_.schema


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([Interval(0, "b", high=1)], "column 0 is 'a', not 'b'"),
        ([Interval(9, "a", high=1)], "there is no column 9"),
        ([Interval(0, "a", low=float("nan"))], "a bound is NaN"),
        ([Membership(1, "c", (0,), ("z", "y", "x"))], "the categories of 'c' are"),
        ([Membership(1, "c", (7,), ("x", "y", "z"))], "a code is not among the categories"),
    ],
)
def test_conditions_must_be_about_the_columns_of_the_set(schema, conditions, words):
    with pytest.raises(ValueError, match=words):
        RuleSet([Rule(conditions, "p")], schema=schema, classes=["p", "q"], default="q")


@pytest.mark.parametrize("counts", [[1, -2], [1], [1, np.nan], [1, 2, 3]])
def test_default_counts_are_one_weight_for_each_class(schema, counts):
    with pytest.raises(ValueError, match="default_counts must be 2 finite numbers"):
        RuleSet([], schema=schema, classes=["p", "q"], default="q", default_counts=counts)


def test_what_is_no_rule_is_refused(schema):
    with pytest.raises(TypeError, match="rules must be Rule objects, got 'a' at place 0"):
        RuleSet(["a"], schema=schema, classes=["p", "q"], default="q")


def test_a_cost_matrix_may_be_a_list(schema):
    rules = CARTClassifier().fit(X, Y).tree_.rules()
    costly = RuleSet(
        rules, schema=schema, classes=["p", "q"], default="p", cost_matrix=[[0, 1], [9, 0]]
    )
    assert set(costly.predict(X)) <= {"p", "q"}
    with pytest.raises(ValueError, match="cost_matrix must have the shape"):
        RuleSet(rules, schema=schema, classes=["p", "q"], cost_matrix=[[0, 1, 1]])


def test_explain_refuses_what_predict_refuses():
    model = CARTClassifier(unseen="error").fit(X, Y)
    with pytest.raises(ValueError, match="new"):
        model.explain({"a": 1.0, "c": "new"})
    assert "predicted" in str(CARTClassifier().fit(X, Y).explain({"a": 1.0, "c": "new"}))


def test_text_of_very_many_branches_is_written_quickly():
    rng = np.random.default_rng(0)
    names = np.array([f"c{k}" for k in range(5_000)] * 2, dtype=object)
    tree = ID3Classifier().fit({"k": names}, rng.integers(0, 2, len(names))).tree_
    assert tree.to_text().count("\n") == 5_000  # a cubic writer would take minutes


@pytest.mark.parametrize("make", [CARTClassifier, ID3Classifier])
def test_rules_part_minus_infinity_from_the_rest(make):
    numbers = np.array([-np.inf, 0.0, 1.0] * 6)[:, None]
    codes = np.array([1, 0, 1] * 6)
    model = make().fit(numbers, codes)
    pruned = model.tree_.rules().prune(numbers, codes)
    np.testing.assert_array_equal(model.predict(numbers), codes)
    np.testing.assert_array_equal(pruned.predict(numbers), codes)
    by_conditions = np.array(
        [
            [all(c.admits(x) for c in rule.conditions) for rule in model.tree_.rules()]
            for x in (-np.inf, 0.0, 1.0)
        ]
    )
    assert (by_conditions.sum(axis=1) == 1).all()
    assert len(model.explain([-np.inf]).alternatives) == 1
