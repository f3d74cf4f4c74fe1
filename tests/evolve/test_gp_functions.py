"""Composed functions are what they are made of; wrong ones are named."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from reference.evolve import answers

from evolve.kit import in_words, language_of
from spinney import GPTreeClassifier, _core
from spinney.evolve import Bool, Nominal, Numeric, Ordered, compose, sin

NUMERIC = {
    "between": (lambda x, a, b: (x > a) & (b > x), 3, Bool),
    "outside": (lambda x, a, b: ~((x > a) & (x < b)) | (x == a), 3, Bool),
    "ratio_like": (lambda a, b: 2.0 * a - b * 0.5 + a * b - 3, 2, Numeric),
    "swapped": (lambda a, b: b - a, 2, Numeric),
    "second": (lambda a, b: b, 2, Numeric),
    "same": (lambda a: a, 1, Numeric),
    "three": (lambda a: 3.0, 1, Numeric),
    "squared": (lambda a: a * a, 1, Numeric),
    "backwards": (lambda a: 1 - (2 - a), 1, Numeric),
}


def table(n=50):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (n, 3)).astype(float)
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("name", NUMERIC)
def test_a_composed_function_is_what_its_python_text_says_of_arrays(name):
    f, n, returns = NUMERIC[name]
    X, y = table()
    own = compose(name, f, takes=(Numeric,) * n, returns=returns)
    assert repr(own) == f"{name}({', '.join(['Numeric'] * n)}) -> {returns!r}"
    model = GPTreeClassifier(functions=[own, "> 0"], terminals=[0, 1, 2])
    symbols, language, values = language_of(model, X, y)
    place = next(i for i, s in enumerate(symbols) if len(s["takes"]) == n and s["body"])
    genes = [(i, 0.0) for i in range(n)] + [(place, 0.0)]
    if returns == Numeric:
        genes.append((len(symbols) - 1, 0.0))
    expected = np.broadcast_to(f(*X.T[:n]), 50)
    expected = expected > 0 if returns == Numeric else expected
    tokens = language.tokens(genes)
    found = _core.evaluate(tokens, values)
    assert np.array_equal(found == 1, expected)
    assert answers(in_words(tokens), X) == expected.tolist()


def test_composed_functions_nest_and_know_gaps():
    X, y = table()
    X[::7, 0] = np.nan
    wave = compose("wave", lambda a, b: sin(a) * b, takes=(Numeric, Numeric), returns=Numeric)
    model = GPTreeClassifier(functions=[wave, ">"], terminals=[0, 1, 2])
    symbols, language, values = language_of(model, X, y)
    wave_at = next(i for i, s in enumerate(symbols) if s["body"])
    genes = [(0, 0.0), (1, 0.0), (wave_at, 0.0), (2, 0.0), (wave_at, 0.0), (1, 0.0)]
    tokens = language.tokens([*genes, (wave_at + 1, 0.0)])
    assert [op for op, _, _ in in_words(tokens)] == [
        "column", "sine", "column", "multiply", "sine", "column", "multiply", "column", "greater",
    ]  # fmt: skip
    unknown = _core.evaluate(tokens, values) == 0
    assert np.array_equal(unknown, np.isnan(X[:, 0]))


def test_a_fit_with_a_composed_function_equals_one_with_what_it_stands_for():
    X, y = table(80)
    own = compose("more", lambda a, b: a > b, takes=(Numeric, Numeric), returns=Bool)
    settings = {"generations": 5, "random_state": 0, "terminals": [0, 1, "constants"]}
    one = GPTreeClassifier(50, functions=[own, "and"], **settings).fit(X, y)
    other = GPTreeClassifier(50, functions=[">", "and"], **settings).fit(X, y)
    assert one.tree_ == other.tree_


def test_a_composed_function_of_categories_takes_one_domain():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({n: pd.Categorical(rng.choice([*"ab"], 60)) for n in ("p", "q")})
    frame["r"] = pd.Categorical(rng.choice([*"xy"], 60))
    unlike = compose("unlike", lambda a, b: ~(a == b), takes=(Nominal, Nominal), returns=Bool)
    model = GPTreeClassifier(100, generations=3, functions=[unlike], random_state=0)
    model.fit(frame, frame["p"] != frame["q"])
    assert str(model.tree_.root.test) in {"not (p = q)", "not (q = p)", "p = q", "q = p"}
    symbols, _, _ = language_of(model, frame, np.arange(60) % 2)
    kinds = {s["column"]: s["returns"] for s in symbols if s["kind"] == "column"}
    assert kinds[0] == kinds[1] != kinds[2]
    takes = {tuple(s["takes"]) for s in symbols if s["takes"]}
    assert takes == {(kinds[0], kinds[0]), (kinds[2], kinds[2])}


@pytest.mark.parametrize(
    ("f", "takes", "returns", "words"),
    [
        (lambda a: a & a, (Numeric,), Bool, "'both' takes Bool, not Numeric"),
        (lambda a: a + a, (Bool,), Numeric, "'add' takes Numeric, not Bool"),
        (lambda a, b: a == b, (Numeric, Bool), Bool, "'equal' takes Numeric, not Bool"),
        (lambda a, b: a == b, (Nominal, Ordered), Bool, "takes Nominal, not Ordered"),
        (lambda a: a > 1, (Numeric,), Numeric, "returns Bool, not Numeric"),
        (lambda a: a, (Numeric,), Bool, "returns Numeric, not Bool"),
        (lambda a: a == "x", (Nominal,), Bool, "only .*numbers .*'x'"),
        (lambda a: a > True, (Numeric,), Bool, "only .*numbers .*True"),
        (lambda a: a > 0 and a > 1, (Numeric,), Bool, "use &"),
        (lambda a: sin(a), (Bool,), Numeric, "'sine' takes Numeric"),
        (lambda a: ~a, (Numeric,), Numeric, "'negate' takes Bool"),
        (lambda a: "x", (Numeric,), Numeric, ""),
        (lambda a: a, (Numeric, Numeric), Numeric, "positional argument"),
        (lambda a: a, (), Numeric, "takes must be a tuple of types"),
        (lambda a: a, (float,), Numeric, "takes must be a tuple of types"),
        (lambda a: a, (Numeric,), "Numeric", "takes must be a tuple of types"),
    ],
)
def test_a_composed_function_of_wrong_types_is_refused_by_name(f, takes, returns, words):
    with pytest.raises((TypeError, ValueError), match=f"(?s)function 'mine'.*{words}"):
        compose("mine", f, takes=takes, returns=returns)


def test_a_composed_function_that_raises_is_named():
    with pytest.raises((TypeError, ValueError), match=r"function 'mine'.*zero"):
        compose("mine", lambda a: a * (1 / 0), takes=(Numeric,), returns=Numeric)


def test_a_composed_function_with_nan_is_refused():
    with pytest.raises((TypeError, ValueError), match=r"function 'mine'.*nan"):
        compose("mine", lambda a: a + np.nan, takes=(Numeric,), returns=Numeric)


SCRIPT = """
import numpy as np
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
except (ImportError, ValueError):
    pass
from spinney import GPTreeClassifier
from spinney.evolve import Numeric, compose
X = np.random.default_rng(0).normal(size=(40, 2))
try:
    f = compose("mine", {f}, takes=(Numeric,), returns=Numeric)
    GPTreeClassifier(
        60, generations=6, max_size={size}, functions=[f, "> 0"], random_state=0
    ).fit(X, X[:, 0] > X[:, 1])
except ValueError as problem:
    assert "mine" in str(problem), problem
print("fine")
"""


def outcome(f, size):
    run = [sys.executable, "-c", SCRIPT.format(f=f, size=size)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout.strip(), done.stderr.strip().split("\n")[-1]


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.parametrize(
    ("f", "size"),
    [
        ("lambda x: " + "x - (" * 70 + "x" + ")" * 70, 12),
        ("lambda x: " + "x - (" * 30 + "x" + ")" * 30, 30),
    ],
    ids=["by itself", "nested"],
)
def test_composed_functions_that_are_too_deep_do_no_harm(f, size):
    assert outcome(f, size) == (0, "fine", "")


@pytest.mark.slow
@pytest.mark.limited
def test_composed_functions_that_copy_their_arguments_stay_small():
    assert outcome("lambda x: x * x * x * x * x * x * x * x", 12) == (0, "fine", "")
