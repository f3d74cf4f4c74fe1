"""Trees and rules with expressions, as code: the same answers as the model's."""

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_c_program import cell, source
from expression_trees import KINDS, NAMES, expression_tree, raw_rows
from test_export_c import COMPILER, CPP_COMPILER, needs_compiler, run_compiler

from spinney import Rule, RuleSet, Tree
from spinney._expression.tokens import sine
from spinney.export import from_json, to_c, to_graphviz, to_json, to_python, to_sql, to_text
from spinney.rules import ExpressionCondition

SETTINGS = [
    {"missing": "majority"},
    {"missing": "surrogate", "n_classes": 0},
    {"missing": "fractional"},
    {"missing": "fractional", "n_classes": 0},
]
SEEDS = range(24)


class Model:
    """A tree, or the pruned rules of one, with rows and its own answers."""

    def __init__(self, model: Any, X: pd.DataFrame) -> None:
        self.model, self.X = model, X
        self.classes, self.schema = model.classes, model.schema
        self.rows = [
            tuple(None if v is None or v != v else v for v in row)
            for row in X.itertuples(index=False)
        ]
        self.said = model.predict(X).tolist()
        self.shares = None if model.classes is None else model.predict_proba(X)


def some_model(seed: int) -> Model:
    tree = expression_tree(seed, **SETTINGS[seed % 4])  # type: ignore[arg-type]
    return Model(tree, raw_rows(seed))


def some_rules(seed: int) -> Model:
    tree = expression_tree(seed, n_tests=8)
    X = raw_rows(seed, 400)
    y = tree.predict(X)
    y[:40] = "ugly"
    return Model(tree.rules().prune(X, y, cf=0.5), raw_rows(seed + 100))


@pytest.fixture(scope="module")
def models() -> list[Model]:
    return [*map(some_model, SEEDS), *map(some_rules, range(8))]


def same(model: Model, predicted: list[Any], shares: Any = None) -> None:
    if model.classes is None:
        np.testing.assert_allclose(predicted, model.said, rtol=1e-12)
    else:
        assert predicted == model.said
    if shares is not None:
        np.testing.assert_allclose(shares, model.shares, rtol=0, atol=1e-12)


def test_the_rules_still_ask_expressions(models: list[Model]) -> None:
    rules = [rule for m in models if isinstance(m.model, RuleSet) for rule in m.model]
    asked = [c for rule in rules for c in rule.conditions if isinstance(c, ExpressionCondition)]
    assert len(asked) > 10
    assert {condition.truth for condition in asked} == {True, False}


def test_a_python_module_predicts_as_the_model(models: list[Model]) -> None:
    for model in models:
        module: dict[str, Any] = {}
        exec(to_python(model.model), module)
        shares = None
        if model.classes is not None:
            shares = [module["predict_proba"](row) for row in model.rows]
        same(model, [module["predict"](row) for row in model.rows], shares)
        by_name = dict(zip(NAMES, model.rows[0], strict=True))
        assert module["predict"](by_name) == module["predict"](model.rows[0])


def test_a_module_without_a_sine_imports_nothing() -> None:
    assert "import" not in to_python(stump("x + y > 3"))
    assert "import" in to_python(stump("sin(x) + y > 3"))


@pytest.mark.slow
@needs_compiler
def test_a_header_in_c_predicts_as_the_model(models: list[Model], tmp_path: Path) -> None:
    for i, model in enumerate(models):
        (tmp_path / f"m{i}.h").write_text(to_c(model.model, f"m{i}"), encoding="utf-8")
    for name in ("main.c", "main.cpp"):
        (tmp_path / name).write_text(source(models))
    command = [COMPILER or "", "-std=c99", "-O1", str(tmp_path / "main.c")]
    run_compiler(*command, "-o", str(tmp_path / "main"), "-lm")
    if CPP_COMPILER is not None:
        run_compiler(CPP_COMPILER, "-fsyntax-only", str(tmp_path / "main.cpp"))
    for i, model in enumerate(models):
        text = "\0".join(cell(value) for row in model.rows for value in row)
        run = [str(tmp_path / "main"), str(i), str(len(model.rows))]
        done = subprocess.run(run, input=text.encode(), capture_output=True, check=True)
        numbers = np.frombuffer(done.stdout).reshape(len(model.rows), -1)
        if model.classes is None:
            same(model, numbers[:, 0].tolist())
        else:
            same(model, model.classes[numbers[:, 0].astype(int)].tolist(), numbers[:, 1:])


def test_a_header_without_a_sine_includes_nothing() -> None:
    assert "#include" not in to_c(stump("x + y > 3"))
    assert to_c(stump("sin(x) + y > 3")).count("#include") == 1


def database(model: Model) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT SIN(1.0)")
    except sqlite3.OperationalError:  # built without mathematical functions
        connection.create_function("SIN", 1, lambda x: None if x is None else float(np.sin(x)))
    kinds = ["REAL" if kind == "numeric" else "TEXT" for kind in KINDS]
    columns = ", ".join(f'"{n}" {kind}' for n, kind in zip(NAMES, kinds, strict=True))
    connection.execute(f"CREATE TABLE data (k INTEGER, {columns})")
    rows = [(i, *row) for i, row in enumerate(model.rows)]
    connection.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?, ?)", rows)
    return connection


@pytest.mark.parametrize("nan", [False, True])
def test_sqlite_predicts_as_the_model(models: list[Model], nan: bool) -> None:
    for model in models:
        connection = database(model)
        wish = {"keep": ["k"], "probabilities": model.classes is not None, "nan": nan}
        found = sorted(connection.execute(to_sql(model.model, **wish)).fetchall())
        connection.close()
        shares = np.array([row[2:] for row in found]) if model.classes is not None else None
        same(model, [row[1] for row in found], shares)


def test_json_restores_trees_and_gives_expressions_to_other_programs() -> None:
    for seed in SEEDS:
        tree = some_model(seed).model
        assert from_json(to_json(tree)) == tree
        for node, entry in zip(tree, json.loads(to_json(tree))["nodes"], strict=True):
            if node.kind != "expression":
                continue
            tokens = [read_token(*token) for token in entry["question"]["expression"]]
            assert tuple(tokens) == tuple(node.test.tokens)


def read_token(op: str, operand: Any = 0.0) -> tuple[str, int, float]:
    """A token as a reader of the JSON would have it."""
    return (op, operand, 0.0) if op == "column" else (op, 0, float(operand))


def test_json_of_rules_holds_expressions_with_the_truth_they_need() -> None:
    rules = stump("x + y > 3 or x = 1").rules()
    pruned = RuleSet(
        [rule_without_tree(rule) for rule in rules],
        schema=rules.schema,
        classes=rules.classes,
        default="good",
    )
    first, second = json.loads(to_json(pruned))["rules"]
    assert [rule["conditions"][0]["truth"] for rule in (first, second)] == [True, False]
    assert first["conditions"][0]["type"] == "expression"
    assert ["constant", 3.0] in second["conditions"][0]["expression"]


def rule_without_tree(rule: Any) -> Any:
    return Rule(rule.conditions, rule.prediction, rule.counts, rule.totals, label=rule.label)


def test_text_and_graphs_show_expressions() -> None:
    tree = stump('sin(x) + y > 3 and "z" = sex')
    assert "|-- sin(x) + y > 3 and z = sex: bad" in to_text(tree)
    assert "`-- not (sin(x) + y > 3 and z = sex): good" in to_text(tree)
    assert 'label="sin(x) + y > 3 and z = sex\\n' in to_graphviz(tree)


def test_sql_reads_as_the_expression_does() -> None:
    text = to_sql(stump("x + 2 * y > 3 or not (sex = z)"), form="expression")
    x, y = (f'CAST("{name}" AS DOUBLE PRECISION)' for name in "xy")
    assert f"{x} + 2e0 * {y} > 3e0 OR NOT (CASE \"sex\" WHEN 'z' THEN 0e0 END = 0e0)" in text


def test_code_works_out_the_sine_to_the_last_bit(tmp_path: Path) -> None:
    tree = stump("sin(x) = y")
    x = np.concatenate([np.random.default_rng(0).normal(0, 30, 500), [0.0, 1e5, -7e7, 1e300]])
    values = np.column_stack([x, sine(x)])
    assert (tree.apply(values, encoded=True) == 1).all()
    module: dict[str, Any] = {}
    exec(to_python(tree), module)
    assert {module["predict"](row) for row in values.tolist()} == {"bad"}
    if COMPILER is None:
        return
    model = Model(tree, pd.DataFrame(values, columns=["x", "y"]))
    (tmp_path / "m0.h").write_text(to_c(tree, "m0"))
    (tmp_path / "main.c").write_text(source([model]))
    # As on machines that multiply and add in one step, where the compiler may.
    command = [COMPILER, "-std=gnu99", "-O2", "-ffp-contract=fast", str(tmp_path / "main.c")]
    run_compiler(*command, "-o", str(tmp_path / "main"), "-lm")
    text = "\0".join(cell(value) for row in values.tolist() for value in row)
    run = [str(tmp_path / "main"), "0", str(len(values))]
    done = subprocess.run(run, input=text.encode(), capture_output=True, check=True)
    assert (np.frombuffer(done.stdout).reshape(len(values), -1)[:, 0] == 0).all()


def stump(test: str) -> Tree:
    features = ["x", "y", "sex"] if "sex" in test else ["x", "y"]
    nodes = [
        {"test": test, "children": [1, 2], "counts": [5, 5]},
        {"test": None, "children": [], "counts": [4, 1]},
        {"test": None, "children": [], "counts": [1, 4]},
    ]
    return Tree.from_dict({"classes": ["bad", "good"], "features": features, "nodes": nodes})
