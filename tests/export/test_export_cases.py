"""The models that the engines are tried on are what their names say."""

import numpy as np
from export_cases import N_ROWS, TREES
from export_models import make_case
from export_rule_cases import RULES

from spinney.tree import IntervalTest, MultiwayTest


def test_rows_have_gaps_and_categories_that_fit_did_not_see(case):
    assert len(case.rows) == N_ROWS == 10_000
    for place, column in enumerate(case.schema.columns):
        values = {row[place] for row in case.rows}
        assert None in values
        if column.kind == "nominal":
            assert any(column.code_of(value) is None for value in values - {None})


def test_the_cases_of_one_node_have_one_node():
    for name in TREES:
        assert (make_case(name).said_by.n_nodes == 1) == name.startswith("one node")


def test_trees_divide_rows_as_their_names_say():
    for name in TREES:
        known = "fractional" in name or name in ("C4.5", "ID3")
        assert (make_case(name).said_by.missing == "fractional") == known
    tree = make_case("surrogate, odd names").said_by
    assert any(node.surrogates for node in tree)


def test_trees_ask_what_their_names_say():
    for name, kind in (("multiway", MultiwayTest), ("intervals", IntervalTest)):
        assert any(isinstance(node.test, kind) for node in make_case(name).said_by)
    assert make_case("deep").said_by.max_depth == 70
    assert make_case("deep, fractional").said_by.max_depth == 40
    assert make_case("grown out, costs").said_by.max_depth > 10  # more than one CASE holds


def test_costs_change_labels():
    for name in ("grown out, costs", "fractional, costs"):
        case = make_case(name)
        likely = case.classes[np.argmax(case.probabilities, axis=1)]
        assert (likely != case.predicted).any()


def test_rules_are_what_their_names_say():
    for name in RULES:
        rules = make_case(name).said_by
        assert rules.ordered == (name != "all paths")
        assert (len(rules) == 0) == (name == "no rules")


def test_each_rule_of_a_real_table_decides_about_some_row():
    for name in ("rules of german_credit", "rules of heart_disease"):
        rules, X = make_case(name).said_by, make_case(name).X
        shares = [tuple(row) for row in make_case(name).probabilities.tolist()]
        known = {tuple(rule.probabilities.tolist()) for rule in rules}
        assert len(rules) > 5
        assert known <= set(shares)
        assert (rules.covers(X) == 0).any()  # and so does the default
