"""Tests run in blocks say what a plain interpreter says, one row at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.evolve import answers
from reference.expression import random_expression, random_rows

from evolve.kit import classes_of, encoded, in_numbers, in_words, mixed_table
from spinney import GPTreeClassifier, GPTreeRegressor, _core

BYTES = {True: 1, False: 2, None: 0}
KINDS = (0, 0, 3, 0, 2)  # categories of each column; 0 for numbers


def as_bytes(tokens, table):
    return [BYTES[one] for one in answers(tokens, table)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(0, 5))
@settings(max_examples=300)
def test_random_expressions_say_the_same_in_blocks(seed, n_rows, depth):
    rng = np.random.default_rng(seed)
    tokens = random_expression(rng, KINDS, depth)
    table = random_rows(rng, KINDS, n_rows)
    try:
        found = _core.evaluate(in_numbers(tokens), table)
    except ValueError as problem:
        assert "too deep" in str(problem)  # noqa: PT017
        return
    assert found.tolist() == as_bytes(tokens, table)


@pytest.mark.parametrize("n_rows", [1, 7, 8, 511, 512, 513, 1023, 1024, 1025, 2000])
def test_blocks_of_any_number_of_rows_say_the_same(n_rows):
    rng = np.random.default_rng(n_rows)
    table = random_rows(rng, KINDS, n_rows)
    for order in (np.ascontiguousarray, np.asfortranarray):
        for _ in range(12):
            tokens = random_expression(rng, KINDS, 3)
            assert _core.evaluate(in_numbers(tokens), order(table)).tolist() == as_bytes(
                tokens, table
            )


def test_a_row_says_the_same_whatever_block_it_is_in():
    """Sines of near and far numbers take other ways, by block or by row."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1500, 2)) * 10
    far = table.copy()
    far[3::97] = 1e9
    sines = [("column", 0, 0.0), ("sine", 0, 0.0), ("column", 1, 0.0), ("sine", 0, 0.0)]
    tokens = in_numbers([*sines, ("greater", 0, 0.0)])
    near = np.all(np.abs(far) < 1e6, axis=1)
    alone, mixed = _core.evaluate(tokens, table), _core.evaluate(tokens, far)
    assert np.array_equal(alone[near], mixed[near])
    one_by_one = [_core.evaluate(tokens, far[i : i + 1])[0] for i in range(len(far))]
    assert mixed.tolist() == one_by_one


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_programs_of_a_search_say_the_same_in_blocks(seed):
    rng = np.random.default_rng(seed)
    frame = mixed_table(rng, 30, 0.2)
    model = GPTreeClassifier()
    values, schema, target = encoded(model, frame, classes_of(frame, rng, 2))
    language = model._learner()._language(values, schema, target)
    strange = values.copy()
    strange[0, :2], strange[1, :2], strange[2, :2] = np.inf, -np.inf, 1e308
    symbols, constants, sizes = language.breed(40, 20, seed % 2**31)
    for genes, values_, size in zip(symbols, constants, sizes, strict=True):
        program = list(zip(genes[:size].tolist(), values_[:size].tolist(), strict=True))
        tokens = language.tokens(program)
        assert _core.evaluate(tokens, strange).tolist() == as_bytes(in_words(tokens), strange)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=15)
def test_rows_are_routed_as_the_plain_interpreter_says(seed, numbers):
    rng = np.random.default_rng(seed)
    frame = mixed_table(rng, 60, 0.15)
    y = classes_of(frame, rng, 3)
    kind = GPTreeRegressor if numbers else GPTreeClassifier
    model = kind(40, generations=5, random_state=seed).fit(frame, y)
    new = mixed_table(rng, 60, 0.4)
    values = model._rows(new)
    expected = []
    for row in values:
        node = model.tree_.root
        while not node.is_leaf:
            (said,) = answers(node.test.tokens, row[None])
            node = node.default_child if said is None else node.children[0 if said else 1]
        expected.append(node.id)
    assert model.apply(new).tolist() == expected


def test_an_expression_that_is_no_test_is_refused():
    table = np.zeros((3, 1))
    column, constant = (0, 0, 0.0), (1, 0, 1.0)
    for tokens, words in (
        ([], "one result"),
        ([column], "true or false"),
        ([column, constant], "one result"),
        ([(8, 0, 0.0)], "lacks an operand"),
        ([(0, 1, 0.0), (8, 0, 0.0)], "not there"),
        ([column, (11, 0, 0.0)], "truth value for a number"),
        ([(1, 0, np.nan), (8, 0, 0.0)], "NaN"),
        ([(12, 0, 0.0)], "unknown operation"),
        ([column] * 65, "too deep"),
    ):
        with pytest.raises(ValueError, match=words):
            _core.evaluate(tokens, table)
