"""Expressions said more simply give every row the same answer."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from expression_trees import COLUMNS, N_CATEGORIES
from reference.expression import branches, random_expression, random_rows

from spinney._expression.simplify import simplified
from spinney._expression.tokens import Token, sine
from spinney._table import Column, Schema
from spinney.tree import ExpressionTest, Tree
from spinney.tree._parse import build_test, column_places

PLAIN = tuple(Column(name, "numeric") for name in "xyz")


def core_sine(x: float) -> float:
    """The sine of one number: folded constants must tie with the core's."""
    return float(sine(np.array([x]))[0])


by_hand = partial(branches, sine=core_sine)


def tokens_of(text: str) -> tuple[Token, ...]:
    schema = Schema(PLAIN, has_names=True)
    test = build_test({"test": text}, schema, column_places(schema.names), 2)
    assert isinstance(test, ExpressionTest)
    return test.tokens


@pytest.mark.parametrize(
    ("text", "simpler"),
    [
        ("not not (x > 1)", "x > 1"),
        ("1 * x > y", "x > y"),
        ("x * 1 > y", "x > y"),
        ("x + 0 > y", "x > y"),
        ("0 + x > y", "x > y"),
        ("x - 0 > y", "x > y"),
        ("x > 1 + 2 * 3", "x > 7"),
        ("x > sin(0)", "x > 0"),
        ("x > y and x > y", "x > y"),
        ("x > y or x > y", "x > y"),
        ("x > y or (z > 1 or x > y)", "x > y or z > 1"),
        ("x > 1 and x > 3", "x > 3"),
        ("x > 1 or x > 3", "x > 1"),
        ("x > 0 and x > 3", "x > 3"),
        ("x > 0 and x > -3", "x > 0"),
        ("1 > x and 3 > x", "1 > x"),
        ("1 > x or 3 > x", "3 > x"),
        ("x + y > 1 and z > 2 and x + y > 3", "x + y > 3 and z > 2"),
        ("x > 1 and (x > 1 or y > 2)", "x > 1"),
        ("x > 1 or x > 1 and y > 2", "x > 1"),
        ("x > 1 and 3 > 2", "x > 1"),
        ("x > 1 and 2 > 3", "0 > 0"),
        ("x > 1 or 3 > 2", "1 > 0"),
        ("x > 1 or 2 > 3", "x > 1"),
        ("not (3 > 2)", "0 > 0"),
        ("not (x > 1) and not (y > 1)", "not (x > 1 or y > 1)"),
        ("not (not (x > 1) or not (y > 1))", "x > 1 and y > 1"),
        ("not (not (x > 1) and y > 1)", "x > 1 or not (y > 1)"),
        ("not (x > 1) and not (x > 3)", "not (x > 1)"),
        ("x > y and (y > z and z > 1)", "x > y and y > z and z > 1"),
    ],
)
def test_what_makes_no_difference_is_left_out(text: str, simpler: str) -> None:
    tokens = tokens_of(text)
    assert str(ExpressionTest(tokens, PLAIN)) == simpler
    assert len(simplified(tokens)) <= len(tokens)


@pytest.mark.parametrize(
    "text",
    [
        "x = x",  # unknown where x is missing
        "x - x > 1",
        "0 * x > 1",
        "x > 0 or not (x > 0)",
        "x > 0 and not (x > 0)",
        "x = 1 and x = 2",
        "not (x > y)",
        "x + y + z > 1",
        "x - y > 0",  # x may equal y and be infinite
        "inf - inf > x",  # no number
        "sin(inf) > x",
    ],
)
def test_what_a_gap_or_an_infinity_makes_different_stays(text: str) -> None:
    assert simplified(tokens_of(text)) == tokens_of(text)


@pytest.mark.parametrize("seed", range(8))
def test_both_forms_give_every_row_the_same_answer(seed: int) -> None:
    shorter = 0
    for again in range(60):
        rng = np.random.default_rng([seed, again])
        given = random_expression(rng, N_CATEGORIES, int(rng.integers(1, 4)))
        tokens = tuple(Token(*token) for token in given)
        short = simplified(tokens)
        rows = random_rows(rng, N_CATEGORIES, 40)
        assert by_hand(short, rows) == by_hand(tokens, rows)
        assert in_core(short, rows) == in_core(tokens, rows) == by_hand(tokens, rows)
        assert simplified(short) == short
        shorter += len(short) < len(tokens)
    assert shorter > 5


def in_core(tokens: tuple[Token, ...], rows: Any) -> list[int]:
    """The branches that the core sends rows down, by two trees that differ in the default."""
    found = []
    for default in (0, 1):
        nodes = [
            {
                "test": str(ExpressionTest(tokens, COLUMNS)),
                "tokens": [[t.op, t.arg] if t.op == "column" else _rest(t) for t in tokens],
                "children": [1, 2],
                "value": 0,
                "n_samples": 2,
                "impurity": 1,
                "default_branch": default,
            },
            {"value": 1, "n_samples": 1, "impurity": 0},
            {"value": 2, "n_samples": 1, "impurity": 0},
        ]
        tree = Tree.from_dict(
            {
                "classes": None,
                "features": [column.name for column in COLUMNS],
                "kinds": [column.kind for column in COLUMNS],
                "categories": {c.name: c.categories for c in COLUMNS if c.categories},
                "nodes": nodes,
            }
        )
        found.append(tree.apply(rows, encoded=True) - 1)
    return np.where(found[0] == found[1], found[0], -1).tolist()


def _rest(token: Token) -> list[Any]:
    return [token.op, token.value] if token.op == "constant" else [token.op]


def test_a_very_long_expression_is_shown_as_it_is() -> None:
    tokens = tokens_of(" + ".join(["1 * x"] * 100) + " > 3")
    assert simplified(tokens) == tokens
    assert str(ExpressionTest(tokens, COLUMNS)).startswith("1 * x + 1 * x")
