"""What rules become as code, and which of them are refused."""

import json
import pickle

import numpy as np
import pytest
from export_cases import fitted

from spinney import Tree
from spinney.export import from_json, to_c, to_json, to_python, to_sql
from spinney.rules import Interval, Membership, Rule, RuleSet

WRITERS = [to_sql, to_c, to_python, to_json]
every_writer = pytest.mark.parametrize("write", WRITERS)


@pytest.fixture(scope="module")
def tree() -> Tree:
    return fitted(max_depth=3).tree_


@pytest.fixture
def loans() -> RuleSet:
    schema = Tree.from_dict(
        {
            "classes": ["bad", "good"],
            "features": ["income", "purpose"],
            "categories": {"purpose": ["car", "house", "travel"]},
            "nodes": [{"test": None, "children": [], "counts": [1, 1]}],
        }
    ).schema
    words = schema.columns[1].categories
    income = Interval(0, "income", 20, 36.5)
    return RuleSet(
        [
            Rule([income, Membership(1, "purpose", (0, 2), words)], "bad", [3, 1], label=0),
            Rule([Interval(0, "income", low=50)], "good", [1, 4], label=1),
            Rule([Interval(0, "income", 9, 9)], "bad"),
            Rule([Membership(1, "purpose", (), words)], "bad"),
            Rule([Interval(0, "income")], "good"),
        ],
        schema=schema,
        classes=["bad", "good"],
        default="bad",
        default_counts=[3, 1],
        ordered=True,
    )


@every_writer
def test_some_paths_of_a_tree_are_refused_with_a_way_out(write, tree):
    rules = tree.rules()
    for edited in (rules.without(0), rules[:2], rules[::-1].without([1])):
        with pytest.raises(ValueError, match=r"rules\.prune\(X, y\), or export the tree"):
            write(edited)


@every_writer
def test_paths_that_no_longer_speak_as_their_tree_are_refused(write, tree):
    rules = tree.rules()
    known = {"schema": tree.schema, "classes": tree.classes, "default": rules.default}
    first_decides = RuleSet(rules, **known, ordered=True)
    twice = RuleSet([*rules, *rules], **known, ordered=False)
    others = RuleSet([*rules, *fitted(max_depth=2).tree_.rules()], **known, ordered=False)
    loose = RuleSet([Rule(rules[0].conditions, rules[0].prediction)], **known, ordered=False)
    costly = RuleSet(rules, **known, cost_matrix=[[0, 1, 9], [1, 0, 1], [1, 1, 0]], ordered=False)
    for edited in (first_decides, twice, others, loose, costly):
        with pytest.raises(ValueError, match="export the tree"):
            write(edited)


@every_writer
def test_all_paths_of_a_tree_are_written_as_the_tree(write, tree):
    rules = tree.rules()
    assert write(rules) == write(tree)
    assert write(rules.sorted_by("lift")) == write(tree)
    assert write(pickle.loads(pickle.dumps(rules))) == write(tree)


@every_writer
def test_rules_without_a_default_are_refused(write, loans):
    endless = RuleSet(loans, schema=loans.schema, classes=loans.classes, ordered=True)
    with pytest.raises(ValueError, match=r"no default.*RuleSet\(rules, default=...\)"):
        write(endless)


def test_a_rule_set_has_the_writers_as_methods(loans):
    assert loans.to_sql("t", keep=["id"]) == to_sql(loans, "t", keep=["id"])
    assert loans.to_c("loans") == to_c(loans, "loans")
    assert loans.to_python() == to_python(loans)
    assert loans.to_json(indent=1) == to_json(loans, indent=1)


def test_rules_that_cannot_fire_are_not_written(loans):
    assert len(loans) == 5
    assert len(json.loads(to_json(loans))["rules"]) == 3
    assert to_sql(loans).count("WHEN") == 3


def test_rules_read_well_in_sql(loans):
    assert (
        to_sql(loans, "loans")
        == """\
SELECT
  CASE
    WHEN "income" > 20 AND "income" <= 36.5 AND "purpose" IN ('car', 'travel') THEN 'bad'
    WHEN "income" > 50 THEN 'good'
    WHEN "income" IS NOT NULL THEN 'good'
    ELSE 'bad'
  END AS "prediction"
FROM "loans"
"""
    )


def test_rules_read_well_in_c(loans):
    assert """\
static const int model_wanted[] = {
  1, 0, 1, 0,
};
static const model_rule model_rules[] = {
  {0, 2, 0, 0}, /* 1: 20 < income <= 36.5 and purpose in {car, travel}: bad */
  {2, 3, 1, 1}, /* 2: income > 50: good */
  {3, 4, 2, 1}, /* 3: income is known: good */
  {4, 4, 3, 0}, /* 4: otherwise bad */
};
static const double model_values[] = {
  0.75, 0.25, 0.2, 0.8, 0.0, 1.0, 0.75, 0.25,
};
""" in to_c(loans)


PYTHON_TEXT = """\
RULES = (
    ((TWO_SIDED, TWO_WORDS,), (0.75, 0.25,), 0),  # 1: 20 < income <= 36.5 and SAID: bad
    ((((0, (50.0,), {}, False), 1),), (0.2, 0.8,), 1),  # 2: income > 50: good
    ((((0, (INF,), {}, False), 0),), (0.0, 1.0,), 1),  # 3: income is known: good
    ((), (0.75, 0.25,), 0),  # 4: otherwise bad
)
"""


def test_rules_read_well_in_python(loans):
    text = PYTHON_TEXT.replace("SAID", "purpose in {car, travel}")
    text = text.replace("TWO_SIDED", "((0, (20.0, 36.5,), {}, False), 1)")
    assert text.replace("TWO_WORDS", "((1, (), {0: 0, 2: 0}, False), 0)") in to_python(loans)


@every_writer
def test_bounds_and_codes_may_be_of_any_kind_of_number(write, loans):
    one, two = np.float32(2.5), np.int64(1)
    words = loans.schema.columns[1].categories
    odd = [
        Interval(np.int64(0), "income", one, np.float64(7)),
        Membership(1, "purpose", (two,), words),
    ]
    plain = [Interval(0, "income", 2.5, 7.0), Membership(1, "purpose", (1,), words)]
    assert write(loans._with([Rule(odd, "bad")])) == write(loans._with([Rule(plain, "bad")]))


def test_the_json_of_rules_has_typed_conditions(loans):
    data = json.loads(to_json(loans))
    assert (data["format"], data["version"]) == ("spinney rules", 1)
    assert [rule["conditions"] for rule in data["rules"]] == [
        [
            {"type": "interval", "feature": 0, "low": 20, "high": 36.5},
            {"type": "categories", "feature": 1, "categories": ["car", "travel"]},
        ],
        [{"type": "interval", "feature": 0, "low": 50, "high": None}],
        [{"type": "interval", "feature": 0, "low": None, "high": None}],
    ]
    assert data["rules"][1]["answer"] == {"probabilities": [0.2, 0.8], "label": 1}
    assert data["default"] == {"probabilities": [0.75, 0.25], "label": 0}


def test_the_json_of_rules_is_no_tree(loans):
    with pytest.raises(ValueError, match="holds rules"):
        from_json(to_json(loans))


def test_the_expression_of_rules_has_no_probabilities(loans):
    assert to_sql(loans, form="expression").startswith("CASE")
    with pytest.raises(ValueError, match="one column"):
        to_sql(loans, form="expression", probabilities=True)
