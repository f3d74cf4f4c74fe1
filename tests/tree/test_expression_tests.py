"""Tests that are expressions: text, dicts, rows, importances, pruning."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from expression_trees import encoded_rows, expression_tree, raw_rows
from reference.expression import evaluate

from spinney._expression.tokens import Token, check_tokens
from spinney.pruning import cost_complexity_path, error_based, mdl, reduced_error
from spinney.tree import ExpressionTest, Tree

SEEDS = range(12)


def stump(test: str, features: Any = ("x", "y", "sex"), **more: Any) -> Tree:
    node = {"test": test, "children": [1, 2], "counts": [5, 5]}
    node |= {k: more.pop(k) for k in ("tokens", "kind", "threshold", "surrogates") if k in more}
    nodes = [node, {"counts": [4, 1]}, {"counts": [1, 4]}]
    return Tree.from_dict(
        {"classes": ["bad", "good"], "features": list(features), "nodes": nodes, **more}
    )


def root_of(test: str, features: Any = ("x", "y", "sex"), **more: Any) -> ExpressionTest:
    found = stump(test, features, **more).root.test
    assert isinstance(found, ExpressionTest)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "x + y > 3",
        "sin(x) + y > 30 and sex = f",
        "0.5 * x + 1.2 * y > 3",
        "x - (y - 1) > 2",
        "(x + y) * 2 > x * (y * 3)",
        "not (x > 1 or y > 2) and x > y",
        "(x > 1 or y > 2) and x = y",
        "x > 1 and y > 2 or sex = f and x = -1.5",
        "sin(x * y - 1) > -inf",
        "x + y > 0",
        "sex = 'not known'",
        "sex = '1 < 2'",
        "f = sex",
        "x > 1e+300",
    ],
)
def test_text_is_read_and_written_alike(text: str) -> None:
    test = root_of(text)
    assert str(test) == text
    assert test.kind == "expression"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x >= y", "not (y > x)"),
        ("x < y", "y > x"),
        ("x <= y", "not (x > y)"),
        ("x <= 3 and y <= 2", "not (x > 3 or y > 2)"),
        ("x != y", "not (x = y)"),
        ("x == y", "x = y"),
        ("-x > 2", "-1 * x > 2"),
        ("x > --2", "x > 2"),
        ("1 < x <= 3", "x > 1 and not (x > 3)"),
        ('sex="f"', "sex = f"),
        ("`x`>`y`", "x > y"),
        ("((x)) > (1)", "x > 1"),
        ("not x > 1", "not (x > 1)"),
    ],
)
def test_other_signs_are_said_by_those_there_are(text: str, written: str) -> None:
    assert str(root_of(text)) == written


def test_names_and_categories_that_are_no_plain_words_are_quoted() -> None:
    names = ["and", "a b", "`\\", "über.2", "A1", "A2"]
    lists = {"A1": ["A2", "and", "x y", "it's", "3rd", "3"], "A2": ["a", "b"]}
    nodes = []
    texts = ["`and` + `a b` > `\\`\\\\` * über.2"]
    texts += [f"A1 = {word}" for word in ("'A2'", "'and'", "'x y'", '"it\'s"', "'3rd'", "3")]
    for text in texts:
        tree = stump(text, names, categories=lists)
        assert str(tree.root.test) == text
        assert Tree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
        nodes.append(tree.to_dict()["nodes"][0])
    assert not any("tokens" in node or "kind" in node for node in nodes)


def test_a_code_without_a_category_is_written_as_a_code() -> None:
    test = root_of("size > code(1.5)", ["size"], categories={"size": ["s", "m", "l"]})
    assert str(test) == "size > code(1.5)"
    assert [test.branch([label]) for label in ("s", "m", "l", "xl", None)] == [1, 1, 0, None, None]


def test_a_threshold_stays_a_threshold() -> None:
    assert stump("x <= 3").root.kind == "threshold"
    assert stump("x <= y").root.kind == "expression"
    assert stump("x <= 3 + 1").root.kind == "expression"
    ordered = stump("size <= x", ["size", "x"], categories={"size": ["x", "y"]})
    assert ordered.root.kind == "threshold"
    assert stump("x <= inf", kind="threshold").root.kind == "threshold"


def test_kinds_of_columns_are_worked_out_from_expressions() -> None:
    schema = stump("x + y > 3 and sex = f or sex = m").schema
    assert [column.kind for column in schema.columns] == ["numeric", "numeric", "nominal"]
    assert schema.columns[2].categories == ("f", "m")
    ordered = stump("x > m", ["x"], categories={"x": ["s", "m"]}).schema
    assert ordered.columns[0].kind == "ordered"


def test_a_category_that_no_expression_names_makes_comparisons_false() -> None:
    tree = stump("x > 3 and sex = f")
    assert tree.predict({"x": [5, 5, 1], "y": [0, 0, 0], "sex": ["f", "m", "f"]}).tolist() == [
        "bad",
        "good",
        "good",
    ]
    assert stump("x > 3 or not (sex = f)").root.default_child.id == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x + yy > 3", "asks about 'yy', which is not among 'features'. Did you mean 'y'"),
        ("`yy` > 3", "asks about 'yy'"),
        ("x + y", "a number, and not true or false"),
        ("x > 1 and y", "both sides of 'and' must be true or false"),
        ("x > 1 + (y > 2)", "both sides of '\\+' must be numbers"),
        ("(x > 1) > 2", "compares numbers"),
        ("not x + y", "'not' needs something that is true or false"),
        ("x > (y + 1", "'\\)' is needed"),
        ("x > 1 y", "'y' comes unexpectedly"),
        ("x > ", "an operand is needed, got 'the end'"),
        ("sin(x > 1) > 2", "sin\\(...\\) needs a number|must|needed"),
        ("x + nan > 2", "an operand is needed, got 'nan'"),
        ("x + 3rd > 2", "cannot be read"),
        ("sex > f", "list the categories of 'sex' in their order"),
        ("(" * 200 + "x > 1" + ")" * 200, "too many brackets"),
        ("x + 1 > 2 and x = f", "used both|neither a column nor a number"),
    ],
)
def test_what_is_no_expression_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"node 0: .*({message})"):
        stump(text)


def test_tokens_that_are_no_test_are_refused() -> None:
    good = stump("1 * x > y").to_dict()["nodes"][0]
    assert good["test"] == "x > y"
    assert good["tokens"] == [
        ["constant", 1.0],
        ["column", 0],
        ["multiply"],
        ["column", 1],
        ["greater"],
    ]
    with pytest.raises(ValueError, match="disagree"):
        stump("x > z", tokens=good["tokens"], features=["x", "y", "z"])
    for tokens in ([["column", 9]], [["sum"]], [["add"]], [["constant", "nan"]], ["x"], []):
        with pytest.raises(ValueError, match="node 0"):
            stump("x > y", tokens=tokens)
    with pytest.raises(ValueError, match="one result"):
        check_tokens([Token("constant"), Token("positive"), Token("constant")], 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_branches_of_raw_rows_are_those_of_the_interpreter(seed: int) -> None:
    tree = expression_tree(seed)
    tests = [node.test for node in tree if isinstance(node.test, ExpressionTest)]
    raw = raw_rows(seed, 40)
    for row, values in zip(raw.to_dict("records"), tree._encode(raw, False), strict=True):
        for test in tests:
            answer = {True: 0, False: 1, None: None}[evaluate(test.tokens, values)]
            assert test.branch(row) == test.branch(list(row.values())) == answer
            assert test.branch(pd.Series(row)) == answer
    assert tests


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_go_where_the_interpreter_sends_them(seed: int) -> None:
    tree = expression_tree(seed, n_tests=8)
    values = encoded_rows(seed, 80)
    for row, leaf in zip(values, tree.apply(values, encoded=True).tolist(), strict=True):
        node = tree.root
        while not node.is_leaf:
            raw = [None if v != v else v for v in row.tolist()]
            for feature, column in enumerate(tree.schema.columns):
                if column.categories and raw[feature] is not None:
                    raw[feature] = column.categories[int(raw[feature])]
            test = node.test
            is_single = not isinstance(test, ExpressionTest)
            branch = test.branch(raw[test.feature] if is_single else raw)
            node = node.default_child if branch is None else node.children[branch]
        assert node.id == leaf


@pytest.mark.parametrize("seed", SEEDS)
def test_dicts_and_pickles_restore_trees_exactly(seed: int) -> None:
    tree = expression_tree(seed, n_classes=seed % 4, missing=["majority", "fractional"][seed % 2])
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert all(str(node.test) in repr(node) for node in tree if not node.is_leaf)


def test_a_row_without_all_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="a row has 3 values, got 2"):
        root_of("x > y").branch([1, 2])


def test_the_columns_of_an_expression_share_its_importance() -> None:
    tree = stump("x + x > 1 and sex = f")
    assert tree.importances().tolist() == [0.5, 0.0, 0.5]
    gain = tree.root.gain
    assert tree.importances(surrogates=True).tolist() == [gain / 2, 0.0, gain / 2]
    surrogates = [{"test": "x > y", "adjusted": 0.5}]
    other = stump("sex = f", surrogates=surrogates).importances(surrogates=True)
    assert other.tolist() == [gain / 4, gain / 4, gain]
    assert stump("1 > 0").importances().tolist() == [0.0, 0.0, 0.0]


def test_a_surrogate_may_be_an_expression() -> None:
    tree = stump("sex = f", surrogates=[{"test": "x > y", "reversed": True}])
    assert tree.predict([[2, 1, None], [1, 2, None], [2, 1, "f"]]).tolist() == [
        "good",
        "bad",
        "bad",
    ]
    assert tree.root.surrogates[0].branch([2, 1, None]) == 1
    assert Tree.from_dict(tree.to_dict()) == tree


@pytest.mark.parametrize("seed", SEEDS)
def test_trees_with_expressions_are_pruned_as_others(seed: int) -> None:
    tree = expression_tree(seed, n_tests=8, n_classes=2)
    X = raw_rows(seed, 120)
    y = np.random.default_rng(seed).choice(["bad", "good"], 120)
    path = cost_complexity_path(tree)
    assert list(path.n_leaves) == sorted(path.n_leaves, reverse=True)
    assert path.n_leaves[-1] == 1
    small = reduced_error(tree, X, y)
    assert (small.predict(X) == y).sum() >= (tree.predict(X) == y).sum()
    cut = tree.prune_at([tree.root.children[0]])
    assert cut.root.test == tree.root.test
    assert cut[1].is_leaf
    merged = tree.simplify()
    assert merged.predict(X).tolist() == tree.predict(X).tolist()
    assert tree.description_length() > 0
    for other in (error_based(tree, X, y), mdl(tree)):
        assert other.n_nodes <= tree.n_nodes


def test_pruning_keeps_an_expression_that_serves() -> None:
    tree = stump("x + y > 3", ["x", "y"])
    X = np.random.default_rng(0).normal(1.5, 2, (300, 2))
    y = np.where(X.sum(axis=1) > 3, "bad", "good")
    for kept in (reduced_error(tree, X, y), error_based(tree, X, y)):
        assert str(kept.root.test) == "x + y > 3"
        assert kept.n_leaves == 2
    assert reduced_error(tree, X, y[::-1]).n_leaves == 1
