"""Schemas: equality, storage, and refusal of what no schema can be."""

import json

import pytest

from spinney._table import Column, Schema, encode_table

SCHEMA = Schema(
    (
        Column("x", "numeric"),
        Column("size", "ordered", ("small", "large")),
        Column("code", "nominal", (1, 2**60 + 1)),
        Column("rate", "nominal", (0.1, 2.0)),
        Column("member", "nominal", (False, True)),
    ),
    has_names=True,
)


def test_a_schema_survives_a_trip_through_json():
    again = Schema.from_state(json.loads(json.dumps(SCHEMA.to_state())))
    assert again == SCHEMA
    assert hash(again) == hash(SCHEMA)
    types = [[type(label) for label in column.categories] for column in again.columns]
    assert types == [[], [str, str], [int, int], [float, float], [bool, bool]]


def test_schemas_of_equal_tables_are_equal(make_named_table):
    columns = {"x": [1.0, 2.0], "s": ["b", "a"]}
    schema = encode_table(make_named_table(columns))[1]
    assert schema == encode_table(columns)[1]
    assert schema != encode_table(make_named_table({"x": [1.0, 2.0], "s": ["b", "c"]}))[1]
    assert schema != encode_table(make_named_table({"y": [1.0, 2.0], "s": ["b", "a"]}))[1]


def test_labels_in_a_schema_are_plain_python_values(make_named_table):
    _, schema = encode_table(
        make_named_table({"s": ["a"], "b": [True], "i": [1], "f": [0.5]}),
        categorical_features=["i", "f"],
    )
    assert [type(column.categories[0]) for column in schema.columns[:2]] == [str, bool]
    assert schema.columns[2].categories == (1,)
    assert type(schema.columns[3].categories[0]) is float
    json.dumps(schema.to_state())


def column(**changes):
    return {"name": "c", "kind": "nominal", "categories": ["a", "b"]} | changes


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([column(kind="number")], "column 0 of the schema is not valid: the kind must be one of"),
        ([column(kind=None)], "'kind' must be given as str"),
        ([column(name=3)], "'name' must be given as str"),
        ([column(categories="ab")], "'categories' must be given as list"),
        ([column(categories=["a", 1])], "categories must be all text or all numbers"),
        ([column(categories=[None])], "categories must be all text or all numbers"),
        ([column(categories=[[1]])], "categories must be all text or all numbers"),
        ([column(categories=[float("nan")])], "categories must be all text or all numbers"),
        ([column(categories=["a", "a"])], "a category is listed twice"),
        ([column(categories=[1, 1.0])], "a category is listed twice"),
        ([column(kind="numeric")], "a numeric column has no categories"),
        ([column(), column()], "two columns have the same name"),
        (["c"], "'name' must be given as str"),
        ("c", "'columns' must be given as list"),
    ],
)
def test_a_state_that_no_schema_wrote_is_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        Schema.from_state({"columns": columns, "has_names": True})


def test_a_state_must_say_whether_it_has_names():
    with pytest.raises(ValueError, match="'has_names' must be given as bool"):
        Schema.from_state({"columns": []})


@pytest.mark.parametrize(("no", "yes"), [("False", "True"), ("false", "true"), ("FALSE", "TRUE")])
def test_a_boolean_is_the_same_category_as_its_text(no, yes):
    assert Column("a", "nominal", (False, True)).code_of(yes) == 1
    assert Column("a", "nominal", (no, yes)).code_of(True) == 1
    assert Column("a", "nominal", (no, yes)).code_of(False) == 0
