"""Names of columns, categories and classes that are hard to write: right answers, or a refusal.

Databases are in tests/engines/test_engines_names.py.
"""

import functools
import json
import re
import subprocess
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_c_program import cell, source, working_compiler
from hostile_names import KINDS, NAMES, PAIRS, Hostile, hostile
from hypothesis import given
from hypothesis import strategies as st

import spinney.mlflow
from spinney._table._encode import encode_for
from spinney.export import (
    from_json,
    to_c,
    to_graphviz,
    to_json,
    to_onnx,
    to_pmml,
    to_python,
    to_sql,
    to_text,
    to_treelite,
)
from spinney.report import Report

COMPILERS = ["gcc", "gcc -m32", "clang"]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# What formats have no way to write. Columns of PMML and ONNX have names.
REFUSED = {
    "c": {"NUL", "half a character"},
    "onnx": {"NUL", "half a character"},
    "pmml": {"NUL", "half a character", "controls"},
}
# How sqlglot calls a dialect, and which names of columns it refuses.
PARSED = {
    "ansi": ("", {"empty"}),
    "sqlserver": ("tsql", {"empty", "300 characters"}),
    "oracle": ("oracle", {"empty", "300 characters", "quotes", "marks of DOT"}),
    "snowflake": ("snowflake", {"empty", "300 characters"}),
    "bigquery": ("bigquery", {"empty", "300 characters"}),
    "spark": ("spark", {"empty"}),
}
CASES = [(kind, name) for kind in KINDS for name in NAMES]
# A plain run meets each name, and each kind, in a fifth of the cases.
every_case = pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(
            *case,
            id=", ".join(case),
            marks=[pytest.mark.thorough] if place % 5 else [],
        )
        for place, case in enumerate(CASES)
    ],
)
every_pair = pytest.mark.parametrize("pair", PAIRS)
every_kind = pytest.mark.parametrize("kind", KINDS)


def case_of(kind: str, name: str) -> Hostile:
    return hostile(kind, NAMES[name])


def refuses(format_: str, kind: str, name: str) -> bool:
    if name == "empty":
        return kind.startswith("column")
    return name in REFUSED[format_]


def check_refusal(write: Any, kind: str, name: str) -> None:
    match = "empty name" if name == "empty" else re.escape(repr(NAMES[name])[:40])
    with pytest.raises(ValueError, match=match) as refusal:
        write(case_of(kind, name).model)
    assert re.search(r"to_(python|json)", str(refusal.value))


# -- Python and JSON hold all of them


def python_answers(case: Hostile) -> list[Any]:
    module: dict[str, Any] = {}
    text = to_python(case.model)
    exec(compile(text.encode(), "model.py", "exec"), module)
    return [module["predict"](row) for row in case.plain_rows()]


@every_case
def test_python(kind, name):
    case = case_of(kind, name)
    case.check_answers(python_answers(case))


@every_kind
@every_pair
def test_python_keeps_pairs_apart(kind, pair):
    case = hostile(kind, *PAIRS[pair])
    case.check_answers(python_answers(case))


@every_case
def test_json_and_model_files(kind, name, tmp_path):
    case = case_of(kind, name)
    text = to_json(case.model)
    assert json.loads(text.encode())["format"]
    if case.tree is not None:
        again = from_json(text)
        assert again == case.tree
        case.check_answers(again.predict(case.asked))
    spinney.save(case.model, tmp_path / "model.spinney")
    case.check_answers(spinney.load(tmp_path / "model.spinney").predict(case.asked))


any_name = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)


@given(any_name, st.sampled_from(KINDS))
def test_python_and_json_hold_any_name(name, kind):
    case = hostile.__wrapped__(kind, name)
    case.check_answers(python_answers(case))
    if case.tree is not None:
        assert from_json(to_json(case.model)) == case.tree


# -- SQL of databases that are not at hand: a parser reads every name as it was


@pytest.mark.slow
@pytest.mark.parametrize("dialect", PARSED)
def test_sql_is_read_back(dialect):
    sqlglot = pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    for kind, name in CASES:
        case, text = case_of(kind, name), NAMES[name]
        is_column = kind.startswith("column")
        if name in {"NUL", "half a character"} or (is_column and name in PARSED[dialect][1]):
            with pytest.raises(ValueError, match=r"SQL text cannot|limits names|cannot hold"):
                to_sql(case.model, dialect=dialect)
            continue
        query = to_sql(case.model, dialect=dialect)
        query = re.sub(r"(\d)d\b", r"\1", query) if dialect == "oracle" else query
        read = sqlglot.parse(query, read=PARSED[dialect][0], error_level=sqlglot.ErrorLevel.RAISE)
        (statement,) = read
        columns = {column.name for column in statement.find_all(sqlglot.exp.Column)}
        kinds = (sqlglot.exp.Literal, sqlglot.exp.National)
        literals = {literal.this for literal in statement.find_all(*kinds)}
        lost = dialect == "oracle" and name == "empty"  # NULL there
        assert lost or text in (columns if is_column else literals)


# -- C


def c_cells(case: Hostile) -> bytes:
    schema = case.model._schema
    rows = [[row[column.name] for column in schema.columns] for row in case.plain_rows()]
    return "\0".join(cell(value) for row in rows for value in row).encode()


class CCase:
    """A case as the program that reads rows wants it."""

    def __init__(self, case: Hostile) -> None:
        self.schema, self.classes = case.model._schema, case.model.classes_


C_CASES = [case for case in CASES if case[1] not in REFUSED["c"]]


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_c(compiler, tmp_path):
    found = working_compiler(compiler, tmp_path)
    cases = [case_of(kind, name) for kind, name in C_CASES]
    cases += [hostile(kind, *pair) for kind in KINDS for pair in PAIRS.values()]
    for i, case in enumerate(cases):
        (tmp_path / f"m{i}.h").write_text(to_c(case.model, f"m{i}"), encoding="utf-8")
    labels = "\n".join(
        f"case {i}: for (k = 0; k < m{i}_n_classes; ++k) put(m{i}_classes[k]); "
        f"for (k = 0; k < m{i}_n_features; ++k) put(m{i}_features[k]); break;"
        for i in range(len(cases))
    )
    main = source([CCase(case) for case in cases])
    show = f"static void show(int model) {{ int k; switch (model) {{ {labels} }} }}\n"
    put = "static void put(const char *t) { while (*t) putchar(*t++); putchar(0); }\n"
    main = main.replace("int main(", f"{put}{show}int main(", 1)
    main = main.replace(
        "  switch (model) {", "  if (n_rows == 0) { show(model); return 0; }\n  switch (model) {", 1
    )
    (tmp_path / "main.c").write_text(main)
    program = tmp_path / "main"
    command = [*found, *STRICT, str(tmp_path / "main.c"), "-o", str(program)]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-2000:]
    for i, case in enumerate(cases):
        run = [str(program), str(i), str(len(case.said))]
        said = subprocess.run(run, input=c_cells(case), capture_output=True, check=True).stdout
        codes = np.frombuffer(said).reshape(len(case.said), -1)[:, 0].astype(int)
        case.check_answers(case.model.classes_[codes])
        told = subprocess.run([str(program), str(i), "0"], input=b"", capture_output=True).stdout
        words = told.decode().split("\0")[:-1]
        assert words == [*case.model.classes_.tolist(), *case.columns]


@pytest.mark.parametrize(("kind", "name"), [case for case in CASES if case not in C_CASES])
def test_c_refuses_what_ends_its_text(kind, name):
    check_refusal(to_c, kind, name)


# -- ONNX and treelite


def onnx_answers(case: Hostile) -> Any:
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    made = to_onnx(case.model)
    onnx.checker.check_model(made, full_check=True)
    session = runtime.InferenceSession(made.SerializeToString())
    fed = {}
    for given_ in session.get_inputs():
        values = case.asked[given_.name]
        if given_.type == "tensor(string)":
            values = np.array(["\x01 none" if v is None else v for v in values], dtype=object)
        fed[given_.name] = values.reshape(-1, 1)
    return session.run(None, fed)[0]


@pytest.mark.slow
@every_case
def test_onnx(kind, name):
    if refuses("onnx", kind, name):
        pytest.importorskip("onnx")
        check_refusal(to_onnx, kind, name)
    else:
        case = case_of(kind, name)
        case.check_answers(onnx_answers(case))


@pytest.mark.slow
@every_kind
@every_pair
def test_onnx_keeps_pairs_apart(kind, pair):
    case = hostile(kind, *PAIRS[pair])
    case.check_answers(onnx_answers(case))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["column of a tree", "category of a tree", "class of a forest"])
def test_treelite(kind, name):
    treelite = pytest.importorskip("treelite")
    case = case_of(kind, name)
    rows = encode_for("the model", case.model._schema, case.asked)
    made = treelite.Model.deserialize_bytes(to_treelite(case.model).serialize_bytes())
    shares = treelite.gtil.predict(made, rows).reshape(len(rows), -1)
    case.check_answers(case.model.classes_[shares.argmax(axis=1)])


# -- PMML


@pytest.mark.slow
@every_case
def test_pmml(judge, kind, name):
    if refuses("pmml", kind, name):
        check_refusal(to_pmml, kind, name)
        return
    check_pmml(judge, case_of(kind, name))


@pytest.mark.slow
@every_kind
@every_pair
def test_pmml_keeps_pairs_apart(judge, kind, pair):
    check_pmml(judge, hostile(kind, *PAIRS[pair]))


def check_pmml(judge: Any, case: Hostile) -> None:
    found = judge(to_pmml(case.model, target="what is said"), pd.DataFrame(case.asked))
    case.check_answers(found["what is said"].tolist())


# -- What people read


@every_case
def test_graphviz_and_text_have_a_line_for_each_node(kind, name):
    tree = case_of(kind, name).tree
    if tree is None:
        pytest.skip("a forest has no picture")
    dot = to_graphviz(tree, max_depth=None)
    dot.encode()
    statements = dot.splitlines()
    assert len(statements) == 4 + tree.n_nodes + (tree.n_nodes - 1) + 1
    string = r'"(?:[^"\\]|\\.)*"'
    own = rf"n\d+ \[label={string}(, fillcolor={string})?\];|n\d+ -> n\d+ \[label={string}\];"
    assert all(re.fullmatch(own, line.strip()) for line in statements[4:-1])
    text = to_text(tree, max_depth=None)
    text.encode()
    assert len(text.splitlines()) == tree.n_nodes
    rules = str(tree.rules())
    rules.encode()
    assert all(char.isprintable() or char == "\n" for char in rules.replace("\u2028", " "))


PAGES = ["column of a tree", "column in an expression", "category of C4.5", "class of a forest"]


@functools.cache
def marks_of(kind: str, name: str) -> tuple[str, list[int]]:
    """A page, and how often marks that begin or end something stand in it."""
    case = hostile(kind, name)
    page = Report(case.model, case.rows, case.y, target=name).to_html()
    marks = ("<script", "</script", "<b>", "<style", "<!--", "-->")
    return page, [page.count(mark) for mark in marks]


@pytest.mark.slow
@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_holds_names_as_text(kind, name):
    case = case_of(kind, name)
    page, marks = marks_of(kind, NAMES[name])
    page.encode()
    assert marks == marks_of(kind, "plain")[1]
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    held = json.loads(found[1])
    assert [column["name"] for column in held["columns"]] == case.columns
    assert held["classes"] == case.model.classes_.tolist()


@pytest.mark.filterwarnings("ignore")  # of mlflow itself
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_mlflow(name, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    for kind in ("column of a tree", "category of C4.5", "class of a forest"):
        case = case_of(kind, name)
        table: Any = case.asked  # tables of pandas cannot have half of a character in a name
        table = table if name == "half a character" else pd.DataFrame(table)
        spinney.mlflow.save_model(case.model, str(tmp_path / kind))
        again = mlflow.pyfunc.load_model(str(tmp_path / kind))
        case.check_answers(again.predict(table))
