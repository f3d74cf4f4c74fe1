"""Functions in Python are tried out when they are made; types and constants are checked."""

import numpy as np
import pytest

from spinney import GPTreeClassifier
from spinney.evolve import (
    FUNCTIONS,
    Bool,
    Constant,
    Function,
    Nominal,
    Numeric,
    Ordered,
    Type,
    compose,
)


def table(n=50):
    rng = np.random.default_rng(0)
    return rng.integers(-3, 4, (n, 3)).astype(float), rng.integers(0, 2, n)


def test_a_function_is_tried_out_when_it_is_made():
    function = Function("least", np.minimum, takes=(Numeric, Numeric), returns=Numeric)
    assert repr(function) == "least(Numeric, Numeric) -> Numeric"
    assert function.on_columns([np.array([1.0, 2.0]), np.array([0.0, 5.0])]).tolist() == [0.0, 2.0]
    truth = Function("known", lambda a: ~np.isnan(a), takes=(Numeric,), returns=Bool)
    assert truth.on_columns([np.array([1.0, np.nan])]).tolist() == [1.0, 0.0]


def broken(a):
    raise RuntimeError("out of ink")


@pytest.mark.parametrize(
    ("f", "returns", "words"),
    [
        (broken, Numeric, "failed: out of ink"),
        (lambda a: a[:-1], Numeric, r"shape \(7,\), but returned shape \(6,\)"),
        (lambda a: 1.0, Numeric, r"returned shape \(\)"),
        (lambda a: a[:, None], Numeric, r"returned shape \(7, 1\)"),
        (lambda a: a.astype(str), Numeric, "numbers or truth values, got"),
        (lambda a: a.astype(object), Numeric, "numbers or truth values, got object"),
        (lambda a: a + 1j, Numeric, "numbers or truth values, got complex"),
        (lambda a: a * np.nan, Numeric, "returned NaN for every row"),
        (lambda a: a, Bool, "returns Bool, so 1, 0 or NaN"),
        (lambda a: a - a.mean(), Numeric, "each row by itself"),
        (lambda a: None, Numeric, ""),
        (lambda a, b: a, Numeric, "failed: .*missing 1 required"),
        ("not callable", Numeric, "not callable"),
    ],
)
def test_a_wrong_function_is_refused_by_name_when_it_is_made(f, returns, words):
    with pytest.raises((ValueError, TypeError), match=f"(?s)'mine'.*{words}"):
        Function("mine", f, takes=(Numeric,), returns=returns)


def test_a_function_that_looks_at_the_order_of_rows_is_refused():
    with pytest.raises(ValueError, match=r"'mine'.*each row by itself"):
        Function("mine", np.cumsum, takes=(Numeric,), returns=Numeric)
    with pytest.raises(ValueError, match=r"'mine'.*each row by itself"):
        Function("mine", lambda a: a[::-1], takes=(Numeric,), returns=Numeric)
    with pytest.raises(ValueError, match=r"'mine'.*each row by itself"):
        Function("mine", np.argsort, takes=(Numeric,), returns=Numeric)


def test_a_function_that_changes_its_columns_is_refused_or_gets_copies():
    def rude(a):
        a[:] = 0.0
        return a + 1

    try:
        function = Function("rude", rude, takes=(Numeric,), returns=Numeric)
    except ValueError as problem:
        assert "'rude'" in str(problem)  # noqa: PT017
        return
    column = np.array([1.0, 2.0])
    function.on_columns([column])
    assert column.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", ["", "two words", "a-b", 3, None])
def test_the_name_of_a_function_is_a_plain_word(name):
    for make in (Function, compose):
        with pytest.raises((ValueError, TypeError), match="plain word"):
            make(name, lambda a: a, takes=(Numeric,), returns=Numeric)


def test_python_functions_take_numbers_and_truth():
    with pytest.raises(TypeError, match=r"'mine'.*not Nominal.*compose"):
        Function("mine", lambda a: a, takes=(Nominal,), returns=Numeric)
    with pytest.raises(TypeError, match=r"'mine'.*not Money"):
        Function("mine", lambda a: a, takes=(Numeric,), returns=Type("Money"))
    with pytest.raises(ValueError, match="'mine' takes 9 arguments; at most 8"):
        Function("mine", lambda *a: a[0], takes=(Numeric,) * 9, returns=Numeric)


# -- Types and constants


def test_types_are_equal_by_name_and_domain():
    assert Nominal(("a", "b")) == Nominal(("a", "b")) != Nominal(("a", "c"))
    assert Nominal(("a",)) != Ordered(("a",))
    assert repr(Nominal("towns")) == "Nominal('towns')"
    with pytest.raises(TypeError, match="Numeric has no domains"):
        Numeric("x")


def test_the_built_in_functions_are_those_of_the_words():
    assert list(FUNCTIONS) == ["=", ">", "+", "-", "*", "sin", "> 0", "and", "or", "not"]


def test_truth_is_no_constant():
    X, y = table()
    with pytest.raises(ValueError, match=r"Constant .*Bool"):
        GPTreeClassifier(20, generations=2, terminals=[0, Constant((0.0, 1.0), Bool)]).fit(X, y)


@pytest.mark.parametrize("values", [3.0, ("a",), (), (np.nan,), (np.inf,), None])
def test_constants_are_numbers(values):
    X, y = table()
    with pytest.raises((ValueError, TypeError), match="Constant"):
        GPTreeClassifier(20, generations=2, terminals=[0, Constant(values)]).fit(X, y)


@pytest.mark.parametrize("values", [(0.5,), [0.5], range(2), np.array([0.5, 1.5])])
def test_constants_may_come_as_any_iterable(values):
    X, y = table()
    allowed = [float(value) for value in values]
    model = GPTreeClassifier(
        60, generations=1, functions=[">"], terminals=[0, Constant(values)], random_state=0
    ).fit(X, y)
    tokens = [token for node in model.tree_ if node.test for token in node.test.tokens]
    used = {token.value for token in tokens if token.op == "constant"}
    assert used
    assert used <= set(allowed)
