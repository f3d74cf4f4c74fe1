"""A set of rules as a sequence, its text and tables, and sets that say nothing."""

import builtins
import math

import numpy as np
import pytest
from hypothesis import given
from rule_problems import Case, cases, multiway_tree

from spinney import Rule, RuleSet
from spinney.rules import Interval, Membership
from spinney.rules._conditions import merged

SIZES = ("small", "medium", "large")


@pytest.fixture
def rules() -> RuleSet:
    return multiway_tree().rules()


def test_a_set_is_a_sequence(rules):
    assert len(rules) == 6
    assert rules[-1] is rules.rules[5]
    assert [rule.prediction for rule in rules] == ["bad", "good", "bad", "bad", "good", "bad"]
    assert isinstance(rules[1:3], RuleSet)
    assert rules[1:3].rules == rules.rules[1:3]
    assert rules.without([0, -1]).rules == rules.rules[1:5]
    assert rules.without(2).rules == rules.rules[:2] + rules.rules[3:]
    with pytest.raises(IndexError, match="rule 6 of a set of 6 rules"):
        rules.without([6])


@pytest.mark.parametrize("what", ["confidence", "coverage", "lift", "error"])
def test_rules_are_sorted_with_the_best_first(rules, what):
    name = "error_estimate" if what == "error" else what
    values = [getattr(rule, name) for rule in rules.sorted_by(what)]
    assert values == sorted(values, reverse=what != "error")


def test_an_unknown_order_is_refused(rules):
    with pytest.raises(ValueError, match=r"what must be one of .* Did you mean 'lift'\?"):
        rules.sorted_by("lfit")


def test_the_figures_of_a_rule(rules):
    rule = rules[3]
    assert (rule.coverage, rule.coverage_share) == (5.0, 0.25)
    assert (rule.confidence, rule.lift) == (0.8, 1.6)
    empty = rules[2]  # no row came there: it predicts as the node above
    assert (empty.coverage, empty.confidence, empty.error_estimate) == (0.0, 5 / 8, 1.0)


def test_the_text_of_a_set(rules):
    assert rules[3:5].to_text() == (
        "1. if 30 < age <= 45 then bad  (coverage 5, confidence 0.8, lift 1.6)\n"
        "2. if 45 < age <= 60 then good  (coverage 6, confidence 1, lift 2)\n"
        "otherwise bad"
    )
    assert repr(rules) == "RuleSet(6 rules, default 'bad')"


def test_the_frame_has_a_row_for_each_rule(rules):
    frame = rules.to_frame()
    assert frame["conditions"].tolist()[3] == "30 < age <= 45"
    assert frame["lift"].tolist() == [rule.lift for rule in rules]


def test_without_pandas_there_is_no_frame(rules, monkeypatch):
    real = builtins.__import__

    def no_pandas(name, *rest, **more):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", no_pandas)
    with pytest.raises(ImportError, match="to_frame needs pandas, which is not installed"):
        rules.to_frame()


def test_an_empty_set_predicts_the_default(rules):
    table = {"age": [1.0, None], "purpose": ["car", None]}
    none = rules[:0]
    assert none.predict(table).tolist() == ["bad", "bad"]
    np.testing.assert_array_equal(none.predict_proba(table), [[0.5, 0.5], [0.5, 0.5]])
    assert none.covers(table).tolist() == [0, 0]
    assert none.to_text() == "otherwise bad"
    assert len(none.prune(table, ["good", "good"])) == 0


def test_a_row_without_an_answer_is_an_error_that_says_what_to_do(rules):
    lost = RuleSet(rules[:1], schema=rules.schema, classes=rules.classes)
    table = {"age": [20.0, 50.0], "purpose": ["car", "car"]}
    with pytest.raises(
        ValueError, match=r"no rule fires for 1 rows \(first: row 1\).*default=\.\."
    ):
        lost.predict(table)
    with pytest.raises(ValueError, match="no default"):
        RuleSet([], schema=rules.schema, classes=rules.classes).predict_proba(table)


def test_a_class_that_is_none_is_refused(rules):
    with pytest.raises(
        ValueError, match="a rule predicts 'ugly', which is none of the classes: 'b"
    ):
        RuleSet([Rule([], "ugly")], schema=rules.schema, classes=rules.classes)
    with pytest.raises(ValueError, match="default predicts 'ugly'"):
        RuleSet([], schema=rules.schema, classes=rules.classes, default="ugly")


def test_the_first_rule_that_fires_decides(rules):
    first = Rule([Interval(0, "age", high=40)], "good")
    second = Rule([Interval(0, "age", high=50)], "bad", [3, 1], [4, 4], label=0)
    made = RuleSet([first, second], schema=rules.schema, classes=rules.classes, default="good")
    assert made.ordered
    table = {"age": [30.0, 45.0, 60.0, None], "purpose": [None] * 4}
    assert made.predict(table).tolist() == ["good", "bad", "good", "good"]
    assert made.predict_proba(table).tolist() == [[0, 1], [0.75, 0.25], [0, 1], [0, 1]]
    assert made.covers(table).tolist() == [2, 1, 0, 0]


def test_regression_rules_have_no_probabilities():
    tree = multiway_tree()
    rule = Rule([Interval(0, "age", 30)], 2.5, coverage=4.0, total_weight=8.0)
    made = RuleSet([rule], schema=tree.schema, default=1.0)
    assert str(rule) == "if age > 30 then 2.5  (coverage 4)"
    assert made.predict({"age": [40.0, None], "purpose": ["car", None]}).tolist() == [2.5, 1.0]
    assert math.isnan(rule.confidence)
    with pytest.raises(ValueError, match="rules that predict numbers have no classes"):
        made.predict_proba({"age": [40.0], "purpose": ["car"]})


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Interval(0, "age", 30, 45), "30 < age <= 45"),
        (Interval(0, "age", high=30), "age <= 30"),
        (Interval(0, "age", 45), "age > 45"),
        (Interval(0, "size", 0.5, 1.5, SIZES), "small < size <= medium"),
        (Interval(0, "size", 0.5, categories=SIZES), "size > small"),
        (Membership(0, "size", (0, 2), SIZES), "size in {small, large}"),
        (Membership(0, "size", (1,), SIZES), "size = medium"),
    ],
    ids=str,
)
def test_conditions_read_as_people_write_them(condition, text):
    assert str(condition) == text


def test_conditions_on_one_column_are_merged_in_the_order_of_the_path():
    found = merged([Interval(1, "b", 2), Interval(0, "a", high=5), Interval(1, "b", 1, 7)])
    assert found == (Interval(1, "b", 2, 7), Interval(0, "a", high=5))
    ordered = Interval(0, "size", 0.5, categories=SIZES)
    members = Membership(0, "size", (0, 1), SIZES)
    assert merged([ordered, members]) == merged([members, ordered])
    assert merged([ordered, members])[0].categories == ("medium",)


def test_infinite_values_fulfil_open_intervals():
    column = np.array([-np.inf, 0.0, np.inf, np.nan])
    assert Interval(0, "a", high=1).holds(column).tolist() == [True, True, False, False]
    assert Interval(0, "a", 1).holds(column).tolist() == [False, False, True, False]


@given(cases())
def test_a_rule_that_has_left_its_tree_needs_encoded_rows(case: Case):
    for rule in case.tree.rules().prune(case.table, case.y, case.weight)[:1]:
        with pytest.raises(ValueError, match="needs encoded=True"):
            rule.covers(case.new)
        values = case.tree._encode(case.new, encoded=False)
        assert rule.covers(values, encoded=True).dtype == bool
