"""Paths through expressions become rules that predict as the tree does."""

import pickle
from typing import Any

import numpy as np
import pytest
from expression_trees import encoded_rows, expression_tree, raw_rows
from reference.expression import evaluate

from spinney import Rule, RuleSet, Tree
from spinney.rules import ExpressionCondition, Interval
from spinney.rules._conditions import conditions_text, merged

SEEDS = range(12)


def tree_of(*nodes: dict[str, Any], features: tuple[str, ...] = ("age", "bmi", "sex")) -> Tree:
    return Tree.from_dict(
        {"classes": ["ill", "well"], "features": list(features), "nodes": list(nodes)}
    )


def clinic() -> Tree:
    """Two expressions and a threshold."""
    return tree_of(
        {"test": "sin(age) + bmi > 30 and sex = f", "children": [1, 2], "counts": [11, 12]},
        {"counts": [6, 1]},
        {"test": "bmi <= 20", "children": [3, 4], "counts": [5, 11]},
        {"counts": [1, 8]},
        {"test": "age > 2 * bmi or age > 80", "children": [5, 6], "counts": [4, 3]},
        {"counts": [3, 0]},
        {"counts": [1, 3]},
    )


def without_tree(rules: RuleSet, **changes: Any) -> RuleSet:
    """The same conditions as rules of their own."""
    made = [Rule(r.conditions, r.prediction, r.counts, r.totals, label=r.label) for r in rules]
    settings = {"schema": rules.schema, "classes": rules.classes, "default": rules.default}
    return RuleSet(made, **{**settings, **changes})


def test_a_path_reads_as_the_expressions_on_it() -> None:
    rules = clinic().rules()
    assert [conditions_text(rule.conditions) for rule in rules] == [
        "sin(age) + bmi > 30 and sex = f",
        "not (sin(age) + bmi > 30 and sex = f) and bmi <= 20",
        "not (sin(age) + bmi > 30 and sex = f) and bmi > 20 and (age > 2 * bmi or age > 80)",
        "not (sin(age) + bmi > 30 and sex = f) and bmi > 20 and not (age > 2 * bmi or age > 80)",
    ]
    assert str(rules[0]).startswith("if sin(age) + bmi > 30 and sex = f then ill")
    assert rules.to_frame()["conditions"].iloc[2].endswith("(age > 2 * bmi or age > 80)")


@pytest.mark.parametrize("missing", ["majority", "surrogate", "fractional"])
@pytest.mark.parametrize("seed", SEEDS)
def test_rules_of_a_tree_predict_as_the_tree_to_the_last_bit(seed: int, missing: str) -> None:
    tree = expression_tree(seed, n_classes=3 * (seed % 3 > 0), missing=missing)
    rules, X = tree.rules(), raw_rows(seed)
    assert rules.predict(X).tolist() == tree.predict(X).tolist()
    if tree.classes is not None:
        assert np.array_equal(rules.predict_proba(X), tree.predict_proba(X))
    values = encoded_rows(seed, 50)
    assert np.array_equal(rules.predict(values, encoded=True), tree.predict(values, encoded=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_by_itself_covers_rows_for_which_all_is_known_and_true(seed: int) -> None:
    tree = expression_tree(seed, n_tests=5)
    rules = without_tree(tree.rules())
    values = encoded_rows(seed, 120)
    for rule in rules:
        wanted = [all(holds(condition, row) for condition in rule.conditions) for row in values]
        assert rule.covers(values, encoded=True).tolist() == wanted
    counts = [sum(rule.covers(values, encoded=True)[i] for rule in rules) for i in range(120)]
    assert rules.covers(values, encoded=True).tolist() == counts
    assert max(counts) == 1  # the paths of a tree exclude each other


def holds(condition: Any, row: Any) -> bool:
    """Whether a row fulfils a condition, by the plain interpreter."""
    if isinstance(condition, ExpressionCondition):
        truth = evaluate(condition.test.tokens, row)
        return condition.is_possible and truth is condition.truth
    return bool(condition.admits(float(row[condition.feature])))


def test_conditions_of_the_same_expression_are_merged() -> None:
    test = clinic().root.test
    true, false = ExpressionCondition(test), ExpressionCondition(test, False)
    age = Interval(0, "age", high=3)
    assert merged([true, age, true]) == (true, age)
    (never,) = merged([true, false])
    assert not never.is_possible
    assert str(never) == f"({test}) and not ({test})"
    values = np.array([[1.0, 40.0, 0.0], [1.0, 10.0, 0.0], [np.nan, 10.0, 0.0]])
    assert never.fulfilled(values).tolist() == [False, False, False]
    assert true.fulfilled(values).tolist() == [True, False, False]
    assert false.fulfilled(values).tolist() == [False, True, False]
    assert merged([never, true])[0] == never
    schema = clinic().schema
    rules = RuleSet([Rule([never], "ill")], schema=schema, classes=["ill", "well"], default="well")
    assert rules.predict(values, encoded=True).tolist() == ["well"] * 3


@pytest.mark.parametrize("seed", SEEDS)
def test_post_pruned_rules_are_ordered_and_serve_no_worse(seed: int) -> None:
    tree = expression_tree(seed, n_tests=6, n_classes=2)
    X = raw_rows(seed, 300)
    y = tree.predict(X)
    pruned = tree.rules().prune(X, y, cf=0.5)
    assert pruned.ordered
    assert (pruned.predict(X) == y).mean() >= (y == max(y, key=list(y).count)).mean()
    values = encoded_rows(seed + 50, 100)
    said = pruned.predict(values, encoded=True).tolist()
    for row, label in zip(values, said, strict=True):
        fired = (r.prediction for r in pruned if all(holds(c, row) for c in r.conditions))
        assert next(fired, pruned.default) == label
    assert pickle.loads(pickle.dumps(pruned)) == pruned


def test_pruning_drops_an_expression_that_does_not_matter() -> None:
    tree = tree_of(
        {"test": "age + bmi > 50", "children": [1, 2], "counts": [6, 6]},
        {"test": "sin(bmi) > 2", "children": [3, 4], "counts": [6, 0]},
        {"counts": [0, 6]},
        {"counts": [0, 0]},
        {"counts": [6, 0]},
        features=("age", "bmi"),
    )
    X = np.random.default_rng(0).uniform(0, 50, (200, 2))
    y = np.where(X.sum(axis=1) > 50, "ill", "well")
    pruned = tree.rules().prune(X, y)
    texts = [conditions_text(rule.conditions) for rule in pruned]
    assert texts
    assert set(texts) <= {"age + bmi > 50", "not (age + bmi > 50)"}
    assert (pruned.predict(X) == y).all()


def test_conditions_on_other_columns_are_refused() -> None:
    rules = clinic().rules()
    other = expression_tree(1)
    with pytest.raises(ValueError, match=r"rule 0, condition .*not those of the schema"):
        RuleSet(rules, schema=other.schema, classes=["ill", "well"], default="ill")


def test_an_explanation_tells_the_values_of_an_expression() -> None:
    found = clinic().explain({"age": 0, "bmi": 40, "sex": "f"})
    assert found.prediction == "ill"
    assert found.fired[0].values == ("true for age 0, bmi 40, sex f",)
    assert "sin(age) + bmi > 30 and sex = f  (is true for age 0, bmi 40, sex f)" in str(found)
    gap = clinic().explain({"age": None, "bmi": 40, "sex": "f"})
    assert "not known for age missing, bmi 40, sex f" in str(gap)


def test_expressions_are_not_solved_and_the_explanation_says_so() -> None:
    tree = tree_of(
        {"test": "age + bmi > 50", "children": [1, 2], "counts": [6, 6]},
        {"counts": [6, 0]},
        {"counts": [0, 6]},
        features=("age", "bmi"),
    )
    found = tree.explain([30, 30])
    assert found.alternatives == ()
    assert found.untried == ("well",)
    assert "for well instead: no way is shown" in str(found)


def test_a_way_beside_an_expression_is_found() -> None:
    tree = tree_of(
        {"test": "age + bmi > 50", "children": [1, 2], "counts": [6, 12]},
        {"counts": [0, 6]},
        {"test": "income <= 7", "children": [3, 4], "counts": [6, 6]},
        {"counts": [6, 0]},
        {"counts": [0, 6]},
        features=("age", "bmi", "income"),
    )
    for rules in (tree.rules(), without_tree(tree.rules(), ordered=True)):
        (way,) = rules.explain([10, 20, 9]).alternatives
        assert [str(change) for change in way.changes] == ["income must be at most 7 (is 9)"]
        assert rules.explain([10, 20, 9]).untried == ()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ordered", [False, True])
def test_every_way_that_is_shown_leads_to_its_class(seed: int, ordered: bool) -> None:
    tree = expression_tree(seed, n_tests=8, depth=1)
    X = raw_rows(seed, 200, infinities=False)
    rules = tree.rules()
    if ordered:
        rules = rules.prune(X, tree.predict(X), cf=0.5)
    for _, row in X.head(25).iterrows():
        found = rules.explain(row)
        assert {found.prediction, *found.untried, *(w.prediction for w in found.alternatives)} <= {
            "bad",
            "good",
            "ugly",
        }
        for way in found.alternatives:
            changed = row.copy()
            for change in way.changes:
                changed[change.name] = change.value
            assert rules.explain(changed).prediction == way.prediction
