"""What strict queries, views and functions do on real engines, and names that are hard to quote."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from engine_models import fitted, random_model

from spinney import CARTClassifier, Tree
from spinney.export import to_sql

pytestmark = pytest.mark.slow
LOUD = {"sqlite": "income is not a number", "mysql": "more than 1 row"}


def income_tree(name: str = "income") -> Tree:
    return Tree.from_dict(
        {
            "classes": ["bad", "good"],
            "features": [name],
            "nodes": [
                {"test": f"{name} <= 36", "feature": 0, "children": [1, 2], "counts": [5, 6]}
                if " " not in name and name.isalnum()
                else {
                    "test": "x <= 36",
                    "kind": "threshold",
                    "feature": 0,
                    "threshold": 36,
                    "children": [1, 2],
                    "counts": [5, 6],
                },
                {"test": None, "children": [], "counts": [4, 1]},
                {"test": None, "children": [], "counts": [1, 5]},
            ],
        }
    )


def texts(database: Any, table: str, values: list[Any], kind: str = "VARCHAR(40)") -> None:
    quoted = database.quoted("income")
    database.run(f"CREATE TABLE {table} (row_key INTEGER, {quoted} {kind})")
    for i, value in enumerate(values):
        cell = "NULL" if value is None else f"'{value}'"
        database.run(f"INSERT INTO {table} VALUES ({i}, {cell})")


def test_text_where_numbers_are_needed_ends_a_strict_query(database):
    texts(database, "wrong", ["9", "100", "unknown"])
    query = to_sql(income_tree(), "wrong", dialect=database.dialect, strict=True)
    with pytest.raises(Exception, match=LOUD.get(database.dialect, "unknown")):
        database.run(query)
    database.run("DROP TABLE wrong")


def test_numbers_in_text_are_read_or_refused_never_compared_as_text(database):
    texts(database, "numbers", ["9", "100", None, "1e2"])
    query = to_sql(
        income_tree(), "numbers", dialect=database.dialect, strict=True, keep=["row_key"]
    )
    if database.dialect == "sqlite":
        with pytest.raises(Exception, match="income is not a number"):
            database.run(query)
    else:
        said = [row[1] for row in sorted(database.run(query))]
        assert said == ["bad", "good", "good", "good"]
    database.run("DROP TABLE numbers")


def test_a_blank_among_numbers_is_missing_or_refused(database):
    texts(database, "blanks", ["", " "])
    query = to_sql(income_tree(), "blanks", dialect=database.dialect, strict=True)
    if database.dialect in ("sqlite", "mysql"):
        assert database.run(query) == [("good",), ("good",)]
    else:
        with pytest.raises(Exception, match=r"(?i)invalid|convert"):
            database.run(query)
    database.run("DROP TABLE blanks")


def test_booleans_are_the_text_that_fit_saw(database):
    X = {"paid": np.array(["True", "False"] * 20, dtype=object)}
    model = CARTClassifier().fit(X, [1, 0] * 20)
    database.run("CREATE TABLE flags (row_key INTEGER, paid BOOLEAN)")
    database.run("INSERT INTO flags VALUES (0, TRUE), (1, FALSE)")
    query = to_sql(model, "flags", dialect=database.dialect, strict=True, keep=["row_key"])
    said = sorted(database.run(query))
    database.run("DROP TABLE flags")
    if database.dialect in ("duckdb", "postgresql"):
        assert said == [(0, 1), (1, 0)]
    else:  # these have whole numbers for booleans, of which the head speaks
        assert "TRUE and FALSE" in query


def test_a_view_gives_what_the_query_gives(database, many_rows):
    model = random_model("forest", 2)
    options: dict[str, Any] = {"dialect": database.dialect, "keep": ["row_key"]}
    database.run(to_sql(model, "data", create_view="scored", **options))
    assert sorted(database.run("SELECT * FROM scored")) == sorted(
        database.run(to_sql(model, "data", **options))
    )
    database.run("DROP VIEW scored")


@pytest.mark.parametrize("kind", ["tree", "C4.5", "rules", "forest", "regression tree", "votes"])
def test_a_function_predicts(database, many_rows, kind):
    model = random_model(kind, 1)
    if database.dialect != "postgresql":
        with pytest.raises(ValueError, match=r"create_function is written for.*create_view"):
            to_sql(model, dialect=database.dialect, create_function="predict")
        return
    made = to_sql(model, dialect="postgresql", create_function="predict_one")
    database.run(made)
    names = made[made.index("CREATE") :].partition(")")[0].split("(\n")[1]
    listed = ", ".join(name.rsplit('" ', 1)[0].strip() + '"' for name in names.split(",\n"))
    found = database.run(
        f"SELECT predict_one({listed}) FROM data WHERE row_key < 300 ORDER BY row_key"
    )
    said = model.predict(many_rows[:300]).tolist()
    if isinstance(said[0], str):
        assert [row[0] for row in found] == said
    else:
        np.testing.assert_allclose([row[0] for row in found], said, rtol=1e-12)
    database.run("DROP FUNCTION predict_one")


ODD = ["a\"b`c]d'e", "x; DROP TABLE data; --", "/* x */", "line\nbreak", "back\\slash", "select"]


@pytest.mark.parametrize("name", ODD)
def test_names_are_names_whatever_they_hold(database, name):
    X = pd.DataFrame({name: [1.0, 2.0, 50.0, 60.0] * 5})
    model = CARTClassifier().fit(X, [f"{name}'", name, name, name] * 5)
    quoted = database.quoted(name)
    database.run(f"CREATE TABLE odd (row_key INTEGER, {quoted} DOUBLE PRECISION)")
    database.run("INSERT INTO odd VALUES (0, 1), (1, 50)")
    for strict in (False, True):
        query = to_sql(
            model, "odd", dialect=database.dialect, keep=["row_key", name], strict=strict,
            prediction=f"p{name}", probabilities=True,
        )  # fmt: skip
        found = sorted(database.run(query))
        assert [row[:3] for row in found] == [(0, 1.0, f"{name}'"), (1, 50.0, name)]
    database.run("DROP TABLE odd")
    assert database.run("SELECT count(*) FROM data")[0][0] > 0


def test_names_that_differ_by_case_alone_are_right_or_refused(database):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["Age", "age"])
    y = (X["Age"] > 0).astype(int) + 2 * (X["age"] > 0.3)
    model = CARTClassifier(max_depth=3).fit(X, y)
    if database.dialect != "postgresql":
        with pytest.raises(ValueError, match=r"'Age' and 'age'.*one and the same"):
            to_sql(model, dialect=database.dialect)
        return
    database.make_table("cased", X)
    query = to_sql(model, "cased", dialect="postgresql", keep=["row_key"], probabilities=True)
    assert [row[1] for row in sorted(database.run(query))] == model.predict(X).tolist()
    database.run("DROP TABLE cased")


def test_a_name_that_is_too_long_is_refused_where_it_is(database):
    long = "x" * 300
    model = fitted(lambda s: CARTClassifier(max_depth=1), 0, 2)
    options: dict[str, Any] = {"dialect": database.dialect, "prediction": long}
    if database.dialect in ("postgresql", "mysql"):
        with pytest.raises(ValueError, match=r"limits names to 6[34] .*shorter"):
            to_sql(model, **options)
    else:
        assert len(database.run(to_sql(model, **options))) > 0
