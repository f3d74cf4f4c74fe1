"""Explanations: what fired, and changes that really give another answer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_problems import Case, cases, multiway_tree

from spinney import CARTClassifier
from spinney.rules import Interval, Membership, Rule, RuleSet


def changed(row: pd.DataFrame, alternative) -> pd.DataFrame:
    """Return the row with the changes made."""
    row = row.astype(object)
    for change in alternative.changes:
        row.loc[row.index[0], change.name] = change.value
    return row


def some_values(condition, random) -> float:
    """Return any encoded value of a region."""
    if isinstance(condition, Membership) or condition.categories:
        return float(random.choice(condition.codes))
    low = condition.low if condition.low > -np.inf else min(condition.high, 0.0) - 50.0
    high = condition.high if condition.high < np.inf else max(condition.low, 0.0) + 50.0
    return max(float(np.nextafter(low, np.inf)), random.uniform(low, high))


@pytest.mark.slow
@pytest.mark.parametrize("pruned", [False, True])
@given(case=cases(), random=st.randoms())
def test_the_changed_row_gets_the_other_answer(pruned, case: Case, random):
    rules = case.tree.rules()
    if pruned:
        rules = rules.prune(case.table, case.y, case.weight)
    for place in range(0, len(case.new), 8):
        row = case.new.iloc[place : place + 1]
        told = rules.explain(row)
        assert told.prediction == rules.predict(row)[0]
        np.testing.assert_array_equal(told.probabilities, rules.predict_proba(row)[0])
        for other in told.alternatives:
            assert other.changes
            assert other.prediction != told.prediction
            assert rules.predict(changed(row, other)).tolist() == [other.prediction]
            values = rules._encode(row, encoded=False).copy()
            for change in other.changes:
                values[0, change.feature] = some_values(change.condition, random)
            assert rules.predict(values, encoded=True).tolist() == [other.prediction], str(other)


@pytest.mark.slow
@given(case=cases(gaps=False))
def test_a_tree_has_a_way_to_every_class_that_a_leaf_predicts(case: Case):
    rules, row = case.tree.rules(), case.new.iloc[:1]
    told = rules.explain(row)
    classes = {rule.prediction for rule in rules} - {told.prediction}
    assert {other.prediction for other in told.alternatives} == classes
    least = {
        label: min(
            sum(not c.admits(v) for c in rule.conditions for v in [_value(rules, row, c)])
            for rule in rules
            if rule.prediction == label
        )
        for label in classes
    }
    assert {o.prediction: len(o.changes) for o in told.alternatives} == least


def _value(rules: RuleSet, row: pd.DataFrame, condition) -> float:
    return float(rules._encode(row, encoded=False)[0, condition.feature])


@given(cases(regression=None))
def test_the_shares_of_the_rules_that_fired_add_up(case: Case):
    told = case.tree.explain(case.new.iloc[:1])
    assert sum(fired.share for fired in told.fired) == pytest.approx(1.0)
    assert [f.share for f in told.fired] == sorted((f.share for f in told.fired), reverse=True)


def test_the_text_says_what_fired_and_what_would_have_to_change():
    told = multiway_tree().explain({"age": 50, "purpose": "car"})
    assert str(told) == (
        "predicted good (1.00)\n"
        "rule 5: if 45 < age <= 60 then good  (coverage 6, confidence 1, lift 2)\n"
        "  45 < age <= 60  (is 50)\n"
        "for bad instead (rule 1, confidence 1.00):\n"
        "  age must be at most 30 (is 50)"
    )


def test_a_gap_divides_a_row_among_rules():
    told = multiway_tree().explain({"age": 20, "purpose": None})
    assert [fired.index for fired in told.fired] == [0, 1]
    np.testing.assert_allclose([fired.share for fired in told.fired], [5 / 8, 3 / 8])
    assert "rule 2 (share 0.375): if age <= 30 and purpose = house then good" in str(told)
    assert "purpose = house  (is missing or unknown)" in str(told)
    assert str(told.alternatives[0].changes[0]) == ("purpose must be house (is missing or unknown)")


@pytest.mark.parametrize(
    "row",
    [
        {"age": 50, "purpose": "car"},
        {"purpose": "car", "age": 50},
        pd.Series({"age": 50, "purpose": "car"}),
        pd.DataFrame({"age": [50], "purpose": ["car"]}),
        np.array([50, "car"], dtype=object),
        [50, "car"],
    ],
    ids=["dict", "dict in another order", "Series", "table", "array", "list"],
)
def test_a_row_may_come_in_many_forms(row):
    assert multiway_tree().explain(row).prediction == "good"


def test_a_row_that_is_none_is_refused():
    tree = multiway_tree()
    with pytest.raises(ValueError, match="row lacks 'purpose', but the columns are 'age', 'purpo"):
        tree.explain({"age": 50})
    with pytest.raises(ValueError, match="row holds 'aeg', but"):
        tree.explain({"age": 50, "purpose": "car", "aeg": 3})
    with pytest.raises(ValueError, match="row must be a single row, got a table of 2 rows"):
        tree.explain(pd.DataFrame({"age": [50, 51], "purpose": ["car", "car"]}))
    with pytest.raises(ValueError, match="row holds 2 values of 'age'"):
        tree.explain({"age": [50, 51], "purpose": ["car", "car"]})


def test_an_earlier_rule_that_would_fire_first_is_kept_out():
    schema = multiway_tree().schema
    age = schema.names.index("age")
    rules = RuleSet(
        [
            Rule([Interval(age, "age", 60, 80)], "bad"),
            Rule([Interval(age, "age", 50)], "good"),
        ],
        schema=schema,
        classes=["bad", "good"],
        default="bad",
    )
    told = rules.explain({"age": 40, "purpose": "car"})
    assert not told.fired
    assert [str(change) for change in told.alternatives[0].changes] == [
        "age must be above 50 and at most 60 (is 40)"
    ]
    back = rules.explain({"age": 55, "purpose": "car"})
    assert back.alternatives[0].changes[0].condition.admits(40.0) or (
        back.alternatives[0].changes[0].condition.admits(70.0)
    )


# -- Gaps


def test_what_stood_in_for_a_gap_is_told():
    rng = np.random.default_rng(0)
    income = rng.normal(size=200)
    X = pd.DataFrame({"income": income, "rent": income + 0.1 * rng.normal(size=200), "age": 1.0})
    tree = CARTClassifier(max_depth=1).fit(X, income > 0).tree_
    assert [s.test.feature_name for s in tree.root.surrogates] == ["rent"]
    known, gap, nothing = (
        tree.explain({"income": income, "rent": rent, "age": 1.0}).fired[0]
        for income, rent in [(1.0, 1.0), (None, 1.0), (None, None)]
    )
    stand_in = tree.root.surrogates[0].test
    assert known.detours == ()
    assert gap.detours == (
        f"{tree.root.test.branch_text(1)} is not known: {stand_in.branch_text(1)} stood in (is 1)",
    )
    assert str(gap).endswith("\n  " + gap.detours[0])
    (majority,) = nothing.detours
    assert majority.endswith("is not known: it went the way of most rows")


@given(cases(regression=None))
def test_there_is_a_detour_for_each_test_that_the_row_cannot_answer(case: Case):
    values = case.new.iloc[0].tolist()
    for fired in case.tree.explain(case.new.iloc[:1]).fired:
        asked = [step.node.test for step in fired.rule.path]
        unknown = [test for test in asked if test.branch(values[test.feature]) is None]
        divided = case.tree.missing == "fractional"
        assert len(fired.detours) == (0 if divided else len(unknown))
        for detour, test in zip(fired.detours, unknown, strict=False):
            assert detour.startswith(test.feature_name)


def test_a_rule_that_is_no_path_has_no_detours():
    rules = multiway_tree().rules()
    pruned = RuleSet(
        [Rule(rule.conditions, rule.prediction) for rule in rules],
        schema=rules.schema,
        classes=rules.classes,
        default="good",
    )
    for fired in pruned.explain({"age": 20, "purpose": None}).fired:
        assert fired.detours == ()
