"""Post-pruning: against straight loops, and what must hold of any result."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_oracle import added_errors, post_prune
from rule_problems import Case, cases, multiway_tree

from spinney import _core
from spinney.rules import pruned_rules
from spinney.rules._conditions import merged


def rows_of(case: Case):
    codes = np.searchsorted(case.tree.classes, case.y)
    weight = np.ones(len(case.y)) if case.weight is None else case.weight
    return case.tree._encode(case.table, encoded=False), codes, weight


@pytest.mark.slow
@settings(max_examples=15)
@given(cases(), st.sampled_from([0.05, 0.25, 0.5]))
def test_the_core_prunes_as_straight_loops_do(case: Case, cf):
    rules, rows = case.tree.rules(), rows_of(case)
    drafts, default = post_prune(rules, rows, cf)
    found = rules.prune(case.table, case.y, case.weight, cf=cf)
    assert [rule.conditions for rule in found] == [merged(d.conditions) for d in drafts]
    assert [rule.prediction for rule in found] == [case.tree.classes[d.label] for d in drafts]
    assert found.default == case.tree.classes[default]
    np.testing.assert_allclose([rule.coverage for rule in found], [d.total for d in drafts])


@pytest.mark.slow
@given(cases())
def test_encoded_rows_give_the_same_rules(case: Case):
    found = pruned_rules(case.tree, *rows_of(case))
    assert found == case.tree.rules().prune(case.table, case.y, case.weight)


@given(cases())
def test_no_rule_is_longer_and_each_one_decides_some_row(case: Case):
    found = case.tree.rules().prune(case.table, case.y, case.weight)
    assert len(found) <= case.tree.n_leaves
    values, _, weight = rows_of(case)
    assert set(range(len(found))) <= set(found._first(values[weight > 0]).tolist())
    shares = found.predict_proba(case.new)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@given(cases())
def test_a_weight_of_two_is_a_row_twice(case: Case):
    counts = np.random.default_rng(len(case.y)).integers(0, 3, len(case.y))
    counts[0] = 2
    counts[~np.isin(case.y, case.tree.classes)] = 0
    rules = case.tree.rules()
    twice = np.repeat(np.arange(len(case.y)), counts)
    by_rows = rules.prune(case.table.iloc[twice], case.y[twice])
    assert rules.prune(case.table, case.y, counts) == by_rows


@given(cases())
def test_a_condition_on_a_missing_value_is_not_true(case: Case):
    found = case.tree.rules().prune(case.table, case.y, case.weight)
    nothing = case.new.iloc[:1].mask(np.ones((1, case.new.shape[1]), dtype=bool))
    assert found.predict(nothing).tolist() == [found.default]
    assert found.covers(nothing).tolist() == [0]


def test_a_rule_that_needs_no_condition_is_left_to_the_default():
    table = {"age": [20.0, 40.0, 50.0], "purpose": ["car", "house", "work"]}
    found = multiway_tree().rules().prune(table, ["good", "good", "good"])
    assert len(found) == 0
    assert found.default == "good"
    assert found.predict(table).tolist() == ["good"] * 3


@pytest.mark.parametrize(("total", "rate"), [(6, 0.206), (9, 0.143), (1, 0.75)])
def test_the_bound_of_leaves_without_errors_is_quinlans(total, rate):
    assert _core.added_errors(total, 0, 0.25) / total == pytest.approx(rate, abs=5e-4)


@given(st.floats(0, 1e6), st.floats(0, 1), st.floats(1e-6, 0.5), st.sampled_from([1.0, 1e-4, 0.01]))
def test_the_bound_is_that_of_scipys_quantiles(total, share, cf, scale):
    errors = total * share * scale
    expected = added_errors(total, errors, cf)
    assert _core.added_errors(total, errors, cf) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("cf", [0, 0.6, -1, float("nan"), "0.25", None, True])
def test_a_confidence_level_out_of_range_is_refused(cf):
    with pytest.raises(ValueError, match=r"cf must be a number > 0 and <= 0\.5, got"):
        multiway_tree().rules().prune({"age": [1.0], "purpose": ["car"]}, ["bad"], cf=cf)


def test_a_class_that_the_rules_do_not_know_is_refused():
    with pytest.raises(ValueError, match=r"classes that the model does not know: \[.ugly"):
        multiway_tree().rules().prune({"age": [1.0], "purpose": ["car"]}, ["ugly"])


def test_a_table_with_other_columns_is_refused():
    rules = multiway_tree().rules()
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- aeg"):
        rules.prune({"aeg": [1.0], "purpose": ["car"]}, ["bad"])
    with pytest.raises(ValueError, match="X has 3 features"):
        rules.predict(np.zeros((2, 3)))


@given(cases(regression=True))
def test_rules_that_predict_numbers_are_not_pruned(case: Case):
    with pytest.raises(ValueError, match="cannot be post-pruned"):
        case.tree.rules().prune(case.table, case.y)
