"""Queries run by SQLite, and by DuckDB where it is installed, say what the model says."""

import importlib.util
import sqlite3
from typing import Any

import numpy as np
import pytest
from export_models import make_case

from spinney import CARTClassifier, Tree
from spinney.export import to_sql

needs_duckdb = pytest.mark.skipif(
    importlib.util.find_spec("duckdb") is None, reason="DuckDB is not installed"
)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sqlite_table(case: Any) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    names = ", ".join(map(quoted, case.X.columns))
    marks = ", ".join("?" * (1 + case.X.shape[1]))
    connection.execute(f"CREATE TABLE data (row_key, {names})")
    rows = [(i, *row) for i, row in enumerate(case.rows)]
    connection.executemany(f"INSERT INTO data VALUES ({marks})", rows)
    return connection


def sqlite_answers(case: Any, query: str) -> Any:
    connection = sqlite_table(case)
    try:
        found = sorted(connection.execute(query).fetchall())
        connection.execute("SELECT count(*) FROM data").fetchone()
    finally:
        connection.close()
    return found


def test_sqlite_predicts_as_the_model(case):
    found = sqlite_answers(case, to_sql(case.model, keep=["row_key"]))
    assert [row[0] for row in found] == list(range(len(case.rows)))
    case.check([row[1] for row in found])


def test_sqlite_gives_the_probabilities_of_the_model(case):
    if case.classes is None:
        with pytest.raises(ValueError, match="no classes"):
            to_sql(case.model, probabilities=True)
        return
    found = sqlite_answers(case, to_sql(case.model, keep=["row_key"], probabilities=True))
    case.check([row[1] for row in found], np.array([row[2:] for row in found], dtype=float))


NAN_CASES = ["surrogate, odd names", "C4.5", "regression", "intervals", "rules by hand"]


@pytest.mark.parametrize("name", NAN_CASES)
def test_conditions_that_nan_does_not_meet_mean_the_same_where_there_is_none(name):
    case = make_case(name)
    query = to_sql(case.model, keep=["row_key"], nan=True)
    assert query != to_sql(case.model, keep=["row_key"])
    case.check([row[1] for row in sqlite_answers(case, query)])


@needs_duckdb
@pytest.mark.parametrize("nan", [False, True])
def test_duckdb_predicts_as_the_model(case, nan):
    import duckdb

    connection = duckdb.connect()
    table = case.X.assign(row_key=range(len(case.X)))
    table.columns = [*(f"c{j}" for j in range(case.X.shape[1])), "row_key"]
    kinds = [column.kind for column in case.schema.columns]
    if case.X.dtypes.iloc[3] == "category":
        table["c3"] = table["c3"].astype(object)
    connection.register("source", table)
    columns = ", ".join(f"c{j} AS {quoted(name)}" for j, name in enumerate(case.X.columns))
    if nan:  # in DuckDB a number may be NaN, which is not NULL
        numeric = [j for j, kind in enumerate(kinds) if kind == "numeric"]
        for j in numeric:
            columns = columns.replace(f"c{j} AS", f"coalesce(c{j}, 'nan'::DOUBLE) AS")
    connection.execute(f"CREATE TABLE data AS SELECT row_key, {columns} FROM source")
    probabilities = case.classes is not None
    query = to_sql(case.model, keep=["row_key"], probabilities=probabilities, nan=nan)
    found = sorted(connection.execute(query).fetchall())
    connection.close()
    shares = np.array([row[2:] for row in found], dtype=float) if probabilities else None
    case.check([row[1] for row in found], shares)


def tiny(**changes: Any) -> Tree:
    data = {
        "classes": ["bad", "good"],
        "features": ["income", "purpose"],
        "nodes": [
            {
                "test": "income <= 36",
                "children": [1, 2],
                "counts": [5, 5],
                "surrogates": [
                    {"test": 'purpose in {a, "it\'s"}', "branches": [["a", "it's"], ["b"]]}
                ],
            },
            {"test": None, "children": [], "counts": [4, 1]},
            {"test": None, "children": [], "counts": [1, 4]},
        ],
    }
    return Tree.from_dict({**data, **changes})


SURROGATE_TEXT = """\
SELECT
  "id",
  CASE CASE
      WHEN "income" <= 36 THEN 0
      WHEN "income" > 36 THEN 1
      WHEN "purpose" IN ('a', 'it''s') THEN 0
      WHEN "purpose" = 'b' THEN 1
      ELSE 0
    END
    WHEN 0 THEN 'bad'
    ELSE 'good'
  END AS "prediction"
FROM "main"."loans"
"""


def test_a_small_query_reads_well():
    assert to_sql(tiny(), ["main", "loans"], keep=["id"]) == SURROGATE_TEXT


def test_a_bound_from_below_that_nan_does_not_meet_is_a_difference():
    text = to_sql(tiny(), nan=True)
    assert 'WHEN 36 - "income" < 0 THEN 1' in text
    assert 'WHEN "income" <= 36 THEN 0' in text


FRACTIONAL_TEXT = """\
WITH
"spinney_1" AS (
  SELECT
    "income",
    1e0 AS "spinney_share0",
    CASE
      WHEN "income" <= 36 THEN 0
      WHEN "income" > 36 THEN 1
      ELSE NULL
    END AS "spinney_branch0",
    0e0 AS "spinney_sum0",
    ROW_NUMBER() OVER () AS "spinney_row"
  FROM "data"
),
"spinney_2" AS (
  SELECT
    "income",
    "spinney_sum0"
    + "spinney_share0" * CASE
      WHEN "spinney_branch0" IS NULL THEN 22e0
      WHEN "spinney_branch0" = 1 THEN 30e0
      ELSE 10e0
    END AS "spinney_sum0",
    ROW_NUMBER() OVER () AS "spinney_row"
  FROM "spinney_1"
)
SELECT
  "spinney_sum0" AS "prediction"
FROM "spinney_2"
"""


def test_a_fractional_query_reads_well():
    leaf = {"test": None, "children": [], "impurity": 0}
    tree = Tree.from_dict(
        {
            "classes": None,
            "features": ["income"],
            "missing": "fractional",
            "nodes": [
                {
                    "test": "income <= 36",
                    "children": [1, 2],
                    "value": 22,
                    "n_samples": 10,
                    "impurity": 9,
                },
                {**leaf, "value": 10, "n_samples": 4},
                {**leaf, "value": 30, "n_samples": 6},
            ],
        }
    )
    assert to_sql(tree) == FRACTIONAL_TEXT


def test_the_expression_is_what_the_query_selects():
    text = to_sql(tiny(), form="expression")
    assert text.startswith("CASE")
    assert text.endswith("END")
    assert text.replace("\n", "\n  ") in to_sql(tiny())


def test_an_expression_that_cannot_be_written_says_what_to_do():
    from export_cases import comb

    with pytest.raises(ValueError, match=r"70 levels.*form='select'"):
        to_sql(comb(70, "majority"), form="expression")
    with pytest.raises(ValueError, match=r"every way.*form='select'"):
        to_sql(tiny(missing="fractional"), form="expression")
    with pytest.raises(ValueError, match="one column"):
        to_sql(tiny(), form="expression", probabilities=True)


def test_wrong_options_are_refused_with_a_hint():
    with pytest.raises(ValueError, match="form must be one of"):
        to_sql(tiny(), form="view")
    with pytest.raises(ValueError, match=r"Write keep=\['id'\]"):
        to_sql(tiny(), keep="id")
    with pytest.raises(ValueError, match="List the columns in keep"):
        to_sql(tiny(missing="fractional"), keep=["*"])
    with pytest.raises(TypeError, match="got int"):
        to_sql(3)


def test_all_columns_can_be_kept_in_one_step():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE data (id, income, purpose)")
    connection.execute("INSERT INTO data VALUES (7, NULL, 'b')")
    found = connection.execute(to_sql(tiny(), keep=["*"])).fetchall()
    connection.close()
    assert found == [(7, None, "b", "good")]


@pytest.mark.parametrize("missing", ["majority", "fractional"])
def test_names_and_labels_with_quotes_stay_names_and_labels(missing):
    bad = "x\"; DROP TABLE data; --'"
    tree = Tree.from_dict(
        {
            "classes": ["'; DROP TABLE data; --", "good"],
            "features": [bad],
            "missing": missing,
            "nodes": [
                {
                    "test": bad,
                    "kind": "multiway",
                    "feature": 0,
                    "branches": ["'); DROP TABLE data; --", "b"],
                    "children": [1, 2],
                    "counts": [5, 5],
                },
                {"test": None, "children": [], "counts": [4, 1]},
                {"test": None, "children": [], "counts": [1, 4]},
            ],
        }
    )
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE data ({quoted(bad)})")
    connection.execute("INSERT INTO data VALUES (?)", ["'); DROP TABLE data; --"])
    query = to_sql(tree, keep=[bad], prediction='p"; --', probabilities=True)
    found = connection.execute(query)
    assert [column[0] for column in found.description][:2] == [bad, 'p"; --']
    assert found.fetchall() == [("'); DROP TABLE data; --", "'; DROP TABLE data; --", 0.8, 0.2)]
    assert connection.execute("SELECT count(*) FROM data").fetchone() == (1,)
    connection.close()


def test_columns_named_like_those_of_the_query_do_not_collide():
    node = {"test": "spinney_sum0 <= 1", "children": [1, 2], "counts": [5, 5]}
    leaves = [{"test": None, "children": [], "counts": c} for c in ([4, 1], [1, 4])]
    tree = tiny(features=["spinney_sum0"], nodes=[node, *leaves], missing="fractional")
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE Spinney_1 (spinney_sum0, spinney_row)")
    connection.executemany("INSERT INTO Spinney_1 VALUES (?, ?)", [(0, 1), (2, 2), (None, 3)])
    query = to_sql(tree, "Spinney_1", keep=["spinney_row"])
    assert connection.execute(query).fetchall() == [(1, "bad"), (2, "good"), (3, "bad")]
    connection.close()


def test_a_name_with_nul_is_refused():
    node = {"test": None, "children": [], "counts": [1, 2]}
    with pytest.raises(ValueError, match="NUL"):
        to_sql(tiny(nodes=[node], classes=["a", "\0b"]))


@pytest.mark.slow
def test_too_many_tests_at_one_depth_are_refused_with_a_way_out():
    labels = [f"c{i}" for i in range(1000)]
    nodes: list[dict[str, Any]] = [
        {
            "test": "purpose",
            "branches": labels,
            "children": list(range(1, 1001)),
            "counts": [1000, 1000],
        }
    ]
    for i in range(1000):
        first = 1001 + 2 * i
        nodes.append({"test": "income <= 3", "children": [first, first + 1], "counts": [1, 1]})
    nodes += [{"test": None, "children": [], "counts": [i % 2, 1 - i % 2]} for i in range(2000)]
    with pytest.raises(ValueError, match=r"1000 tests at one depth.*to_c or to_python"):
        to_sql(tiny(nodes=nodes, missing="fractional"))


@pytest.mark.parametrize("name", ["true", "False", "TRUE"])
@pytest.mark.parametrize("keep", [[], ["key"], ["true", "key"]])
def test_columns_called_true_and_false_are_no_literals(name, keep):
    """SQLite takes them for literals, even in quotes, where a step of a query made them."""
    rng = np.random.default_rng(0)
    X = {name: rng.normal(size=400), "x": rng.normal(size=400)}
    y = (X[name] > 0.3).astype(int) + 2 * (X["x"] > 0)
    model = CARTClassifier(missing="fractional").fit(X, y)
    keep = [name if one == "true" else one for one in keep]
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE data (key, {quoted(name)}, x)")
    rows = zip(range(400), X[name].tolist(), X["x"].tolist(), strict=True)
    connection.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
    found = connection.execute(to_sql(model, keep=keep)).fetchall()
    connection.close()
    assert [row[-1] for row in found] == model.predict(X).tolist()
    wanted = {"key": list(range(400)), name: X[name].tolist()}
    for place, column in enumerate(keep):
        assert [row[place] for row in found] == wanted[column]
