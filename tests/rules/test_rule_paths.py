"""Rules of a tree: they cover rows as the tree routes them, and predict as the tree does."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_problems import Case, cases, multiway_tree

from spinney import RuleSet


def grown_from(case: Case):
    """Return the rows that grew the tree: each node they pass has seen their categories."""
    return case.table if case.weight is None else case.table[np.asarray(case.weight) > 0]


@pytest.mark.slow
@given(cases(gaps=False, regression=None))
def test_every_row_without_gaps_is_covered_once_and_by_its_leaf(case: Case):
    rules, table = case.tree.rules(), grown_from(case)
    assert rules.covers(table).tolist() == [1] * len(table)
    leaves = case.tree.apply(table)
    for rule in rules:
        np.testing.assert_array_equal(rule.covers(table), leaves == rule._leaf)


@given(cases(gaps=False, regression=None))
def test_merged_conditions_hold_just_where_the_path_leads(case: Case):
    table = grown_from(case)
    values = case.tree._encode(table, encoded=False)
    for rule in case.tree.rules():
        held = np.ones(len(values), dtype=bool)
        for condition in rule.conditions:
            column = values[:, condition.feature]
            held &= condition.holds(column)
            assert [condition.admits(float(v)) for v in column] == condition.holds(column).tolist()
        np.testing.assert_array_equal(held, rule.covers(table))
        assert len({c.feature for c in rule.conditions}) == len(rule.conditions)


@given(cases(gaps=False, regression=None))
def test_a_row_of_which_all_conditions_hold_reaches_the_leaf_whole(case: Case):
    values = case.tree._encode(case.new, encoded=False)
    for rule in case.tree.rules():
        held = np.ones(len(values), dtype=bool)
        for condition in rule.conditions:
            held &= condition.holds(values[:, condition.feature])
        assert (rule.share(case.new)[held] == 1.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["surrogate", "majority", "fractional"])
@given(data=st.data())
def test_the_rules_predict_as_the_tree_does(missing, data):
    case = data.draw(cases(missing=missing, regression=None))
    tree, rules = case.tree, case.tree.rules()
    assert len(rules) == tree.n_leaves
    np.testing.assert_array_equal(rules.predict(case.new), tree.predict(case.new))
    if tree.classes is not None:
        np.testing.assert_array_equal(rules.predict_proba(case.new), tree.predict_proba(case.new))
    shares = np.sum([rule.share(case.new) for rule in rules], axis=0)
    np.testing.assert_allclose(shares, 1.0, atol=1e-12)


@given(cases(regression=None), st.randoms())
def test_the_order_of_a_trees_rules_does_not_matter(case: Case, random):
    rules = case.tree.rules()
    places = list(range(len(rules)))
    random.shuffle(places)
    mixed = rules._with([rules[place] for place in places])
    np.testing.assert_array_equal(mixed.predict(case.new), rules.predict(case.new))


@pytest.mark.parametrize("missing", ["majority", "fractional"])
def test_multiway_and_interval_tests_become_conditions(missing):
    tree = multiway_tree(missing)
    rules = tree.rules()
    assert [" and ".join(map(str, rule.conditions)) for rule in rules] == [
        "age <= 30 and purpose = car",
        "age <= 30 and purpose = house",
        "age <= 30 and purpose = work",
        "30 < age <= 45",
        "45 < age <= 60",
        "age > 60",
    ]
    table = {
        "age": [20, 20, 50, 70, None, None, 10],
        "purpose": ["car", "work", "car", None, "house", "strange", None],
    }
    np.testing.assert_array_equal(rules.predict(table), tree.predict(table))
    np.testing.assert_array_equal(rules.predict_proba(table), tree.predict_proba(table))


def test_a_tree_of_one_leaf_is_one_rule_without_conditions():
    tree = multiway_tree().prune_at([0])
    rules = tree.rules()
    assert [len(rule.conditions) for rule in rules] == [0]
    assert rules.predict({"age": [1.0, None], "purpose": ["car", None]}).tolist() == ["bad", "bad"]
    assert str(rules[0]) == "bad  (coverage 20, confidence 0.5, lift 1)"


def test_the_path_tells_every_step():
    rule = multiway_tree().rules()[4]
    assert [str(step) for step in rule.path] == ["age > 45", "age <= 60"]
    assert [step.branch for step in rule.path] == [2, 0]
    assert rule.path[0].missing == "fractional"
    np.testing.assert_allclose(rule.path[0].fractions, [8 / 20, 5 / 20, 7 / 20])


@given(cases(regression=None))
def test_a_pickled_set_is_equal_and_predicts_alike(case: Case):
    rules = case.tree.rules()
    rules.predict(case.new)
    other = pickle.loads(pickle.dumps(rules))
    assert other == rules
    np.testing.assert_array_equal(other.predict(case.new), rules.predict(case.new))


@pytest.mark.slow
@given(cases(), st.data())
def test_what_is_left_of_a_set_speaks_for_the_rest(case: Case, data):
    """Shares are those of the rules that are left; where none of them fires, the default."""
    rules = case.tree.rules()
    gone = data.draw(st.sets(st.integers(0, len(rules) - 1)))
    left = rules.without(gone)
    assert isinstance(left, RuleSet)
    assert len(left) == len(rules) - len(gone)
    shares = np.array([rule.share(case.new) for rule in left]).reshape(-1, len(case.new))
    answers = np.array([rule.probabilities for rule in left])
    total = shares.sum(axis=0)
    expected = np.tile(case.tree.value[0] / case.tree.value[0].sum(), (len(case.new), 1))
    if len(left):
        expected[total > 0] = (shares.T @ answers)[total > 0] / total[total > 0, None]
    np.testing.assert_allclose(left.predict_proba(case.new), expected, atol=1e-12)
