"""What dialects write: parsed strictly by sqlglot, and details that matter."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))

from engine_models import KINDS, random_model

from spinney import RandomForestClassifier, Tree
from spinney.export import to_sql
from spinney.export._sql_dialects import DIALECTS

SQLGLOT = {"ansi": "", "postgresql": "postgres", "sqlserver": "tsql"}

# A parser in Python takes its time: a plain run has one model with steps of every sort.
PARSED = [
    kind if kind == "votes" else pytest.param(kind, marks=pytest.mark.thorough) for kind in KINDS
]


def tiny(**changes: Any) -> Tree:
    nodes: list[dict[str, Any]] = [
        {
            "test": "purpose",
            "branches": [["a", "it's \\ x"], ["", "é"]],
            "children": [1, 2],
            "counts": [5, 5],
        },
        {"test": None, "children": [], "counts": [4, 1]},
        {"test": None, "children": [], "counts": [1, 4]},
    ]
    data = {"classes": ["bad", "good"], "features": ["purpose"], "nodes": nodes}
    return Tree.from_dict({**data, **changes})


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", PARSED)
@pytest.mark.parametrize("strict", [False, True])
def test_a_strict_parser_takes_it(dialect, kind, strict):
    sqlglot = pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    if strict and dialect == "ansi":
        pytest.skip("standard SQL has no checks")
    model = random_model(kind, 3)
    proba = hasattr(model, "predict_proba")
    query = to_sql(
        model, ["sales", "data"], dialect=dialect, strict=strict, keep=["id"], probabilities=proba
    )
    if dialect == "oracle":  # the mark of a double, 2.5d, which sqlglot does not know
        query = re.sub(r"(\d)d\b", r"\1", query)
    parsed = sqlglot.parse(
        query, read=SQLGLOT.get(dialect, dialect), error_level=sqlglot.ErrorLevel.RAISE
    )
    assert len(parsed) == 1
    names = [column.alias_or_name for column in parsed[0].selects]
    assert names[:2] == ["id", "prediction"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_is_read_back_as_it_was(dialect):
    sqlglot = pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    words = ["it's", "back\\slash", "\\'", "'; DROP TABLE x; --", "a\\", "line\nbreak", '"', "`"]
    query = to_sql(tiny(classes=["x" + "".join(words), "good"]), dialect=dialect, head=False)
    parsed = sqlglot.parse_one(query, read=SQLGLOT.get(dialect, dialect))
    literals = [
        literal.this for literal in parsed.find_all(sqlglot.exp.Literal, sqlglot.exp.National)
    ]
    assert "x" + "".join(words) in literals


@pytest.mark.slow
def test_each_dialect_quotes_and_casts_in_its_way():
    model = random_model("forest of numbers", 0)
    assert "`size`" in to_sql(model, dialect="mysql")
    assert "[size]" in to_sql(model, dialect="sqlserver")
    assert "ORDER BY (SELECT NULL)" in to_sql(model, dialect="sqlserver")
    assert "FLOAT64" in to_sql(model, dialect="bigquery", strict=True)
    assert "raise_error" in to_sql(model, dialect="spark", strict=True)
    assert "ROW_NUMBER" not in to_sql(model, dialect="spark")
    assert "::float8" in to_sql(model, dialect="postgresql")


def test_an_empty_text_is_missing_in_oracle_and_the_head_says_so():
    query = to_sql(tiny(), dialect="oracle")
    assert "''" not in query.replace("it''s", "")
    assert "NULL here" in query


def test_no_case_is_nested_deeper_than_sql_server_takes():
    X = {f"x{i}": [float(j >> i & 1) for j in range(4096)] for i in range(12)}
    model = RandomForestClassifier(2, max_features=None, random_state=0, oob_score=False).fit(
        X, [bin(j).count("1") % 2 for j in range(4096)]
    )
    depth = deepest = 0
    for word in to_sql(model, dialect="sqlserver", head=False).split():
        depth += (word == "CASE") - (word == "END")
        deepest = max(deepest, depth)
    assert 5 <= deepest <= 10


def test_the_head_names_the_model_and_its_columns():
    query = to_sql(tiny(), dialect="postgresql")
    head = [line for line in query.splitlines() if line.startswith("--")]
    assert "a tree of 2 leaves, as PostgreSQL" in head[0]
    assert any("purpose: TEXT, one of: a, it's" in line for line in head)
    assert "--" not in to_sql(tiny())
    assert to_sql(tiny(), head=True).startswith("-- Tree")


def test_a_line_break_in_a_name_does_not_leave_the_comment():
    bad = "x\n; DROP TABLE data; --"
    nodes = [{"test": None, "children": [], "counts": [1, 2]}]
    query = to_sql(tiny(features=[bad], nodes=nodes, classes=["\r\n; DROP", "b"]), dialect="duckdb")
    outside = [line for line in query.splitlines() if not line.startswith("--")]
    assert not any(line.startswith(";") for line in outside)


def test_wrong_settings_are_refused_with_a_hint():
    with pytest.raises(ValueError, match=r"Did you mean 'postgresql'\?"):
        to_sql(tiny(), dialect="postgres")
    with pytest.raises(ValueError, match="Give dialect="):
        to_sql(tiny(), strict=True)
    with pytest.raises(ValueError, match="cannot both be given"):
        to_sql(tiny(), dialect="postgresql", create_view="v", create_function="f")
    with pytest.raises(ValueError, match="returns the prediction alone"):
        to_sql(tiny(), dialect="postgresql", create_function="f", keep=["id"])
    with pytest.raises(ValueError, match=r"query of your own.*form='select'"):
        to_sql(tiny(), dialect="duckdb", form="expression", create_view="v")
    with pytest.raises(ValueError, match="Oracle cannot hold the character"):
        to_sql(tiny(), 'a"b', dialect="oracle")
    with pytest.raises(ValueError, match="an ensemble is a query of several steps"):
        to_sql(random_model("forest", 0), form="expression")


def test_members_that_no_code_can_repeat_are_refused():
    from sklearn.linear_model import LogisticRegression

    from spinney import BaggingClassifier, VotingCombiner

    X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 1, 0, 1] * 5
    foreign = BaggingClassifier(LogisticRegression(), 2).fit(X, y)
    with pytest.raises(TypeError, match="members that are not trees"):
        to_sql(foreign)
    with pytest.raises(TypeError, match=r"estimators\[0\] is a LogisticRegression"):
        to_sql(VotingCombiner([LogisticRegression().fit(X, y)]).fit(X, y))
    with pytest.raises(ValueError, match="ties='lowest'"):
        to_sql(BaggingClassifier(None, 2, ties="random", random_state=0).fit(X, y))
    with pytest.raises(TypeError, match="Fit the estimator first"):
        to_sql(RandomForestClassifier())
