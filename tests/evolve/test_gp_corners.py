"""Small, constant and empty tables, subsets of the language, and what cannot be searched at all."""

import numpy as np
import pandas as pd
import pytest

from evolve.kit import classes_of, language_of, mixed_table
from spinney import GPForestClassifier, GPForestRegressor, GPTreeClassifier, GPTreeRegressor

SMALL = {"population_size": 20, "generations": 4, "random_state": 0}
CLASSIFIERS = [GPTreeClassifier(**SMALL), GPForestClassifier(3, **SMALL)]
MODELS = [*CLASSIFIERS, GPTreeRegressor(**SMALL), GPForestRegressor(3, **SMALL)]
every = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
every_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)


def forest_of(model):
    return [model.tree_] if hasattr(model, "tree_") else list(model.forest_)


def n_leaves(model):
    return [tree.n_leaves for tree in forest_of(model)]


# -- Tables


@every
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_rows_are_enough(model, n):
    X = np.arange(float(n))[:, None]
    y = np.arange(n) % 2
    model.fit(X, y)
    assert model.predict(X).shape == (n,)
    if n == 1:
        assert set(n_leaves(model)) == {1}
    else:
        assert 2 <= max(n_leaves(model)) <= n


@every_classifier
def test_one_class_gives_one_leaf(model):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model.fit(X, np.repeat("only", 20))
    assert set(n_leaves(model)) == {1}
    assert set(model.predict(X)) == {"only"}
    assert model.n_evaluations_ == 0


@every
def test_constant_columns_give_one_leaf(model):
    X = np.tile([3.0, -1.0], (20, 1))
    model.fit(X, np.arange(20) % 2)
    assert set(n_leaves(model)) == {1}


@every
def test_columns_of_gaps_give_one_leaf(model):
    X = np.full((20, 2), np.nan)
    model.fit(X, np.arange(20) % 2)
    assert set(n_leaves(model)) == {1}


@every
def test_a_column_of_gaps_beside_others_does_no_harm(model):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(60, np.nan), rng.normal(size=60), np.full(60, 7.0)])
    model.fit(X, (X[:, 1] > 0).astype(int))
    assert max(n_leaves(model)) >= 2
    for tree in forest_of(model):
        tests = [node.test for node in tree if not node.is_leaf]
        assert all(1 in test.features for test in tests)


@every
def test_huge_and_tiny_numbers_do_no_harm(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1e300, 1e-300, 1.0]
    y = (X[:, 0] > 0).astype(int)
    model.fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert forest_of(model)[0].root.test is not None


def test_large_targets_do_no_harm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    plain = GPTreeRegressor(**SMALL).fit(X, y)
    for factor in (2.0**900, 2.0**-900):
        scaled = GPTreeRegressor(**SMALL).fit(X, y * factor)
        assert np.array_equal(scaled.predict(X), plain.predict(X) * factor)
        assert [n.test for n in scaled.tree_] == [n.test for n in plain.tree_]


@every
def test_rows_of_gaps_are_predicted(model):
    rng = np.random.default_rng(0)
    frame = mixed_table(rng, 60)
    model.fit(frame, classes_of(frame, rng, 2))
    nothing = frame.iloc[:3].mask(np.ones((3, 6), dtype=bool))
    assert len(set(model.predict(nothing).tolist())) == 1


# -- Parts of the language


def used_ops(model):
    return {token.op for node in model.tree_ if node.test for token in node.test.tokens}


def test_only_the_functions_given_are_used():
    rng = np.random.default_rng(0)
    frame = mixed_table(rng, 100, 0.0)
    y = classes_of(frame, rng, 3)
    base = {"column", "constant"}
    for names, ops in (
        ([">"], {"greater"}),
        (["="], {"equal"}),
        (["> 0", "+"], {"positive", "add"}),
        ([">", "not", "sin"], {"greater", "negate", "sine"}),
        (("=", "and", "or"), {"equal", "both", "either"}),
    ):
        model = GPTreeClassifier(60, generations=8, functions=names, random_state=0).fit(frame, y)
        assert used_ops(model) - base
        assert used_ops(model) <= ops | base


def test_only_the_terminals_given_are_used():
    rng = np.random.default_rng(0)
    frame = mixed_table(rng, 100, 0.0)
    y = classes_of(frame, rng, 3)
    for terminals, columns, constants in (
        (["x", "y"], {0, 1}, False),
        ([1], {1}, False),
        ([np.int64(0), "constants"], {0}, True),
        (["x", "one", "constants"], {0, 2}, True),
        (["one", "two"], {2, 3}, False),
    ):
        model = GPTreeClassifier(60, generations=8, terminals=terminals, random_state=0)
        model.fit(frame, y)
        found = {f for node in model.tree_ if node.test for f in node.test.features}
        assert found
        assert found <= columns
        assert constants or "constant" not in used_ops(model)


def test_constants_of_columns_are_values_that_they_have_or_near_ones():
    X = np.repeat([1.0, 2.0, 5.0], 10)[:, None]
    model = GPTreeClassifier(functions=[">"])
    symbols, _, _ = language_of(model, X, np.arange(30) % 2)
    (pool,) = [s["pool"] for s in symbols if s["kind"] == "constant"]
    assert pool == [1.0, 2.0, 5.0]


def test_categories_are_compared_only_within_one_domain():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice([*"xyz"], 200), "b": rng.choice([*"xyz"], 200)})
    frame["c"] = rng.choice([*"xyzw"], 200)
    frame["d"] = pd.Categorical(rng.choice([*"xyz"], 200), [*"xyz"], ordered=True)
    frame["e"] = pd.Categorical(rng.choice([*"zyx"], 200), [*"zyx"])  # the same set
    symbols, _, _ = language_of(GPTreeClassifier(), frame, np.arange(200) % 2)
    types = {s["column"]: s["returns"] for s in symbols if s["kind"] == "column"}
    assert types[0] == types[1] == types[4]
    assert len({types[0], types[2], types[3], 0}) == 4
    model = GPTreeClassifier(100, generations=10, random_state=0)
    y = (frame["a"].astype(str) == frame["e"].astype(str)).to_numpy()
    assert str(model.fit(frame, y).tree_.root.test) in {
        "a = e", "e = a", "not (a = e)", "not (e = a)",
    }  # fmt: skip
    assert model.score(frame, y) == 1.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"functions": ["+", "-"]}, "true or false.*returns Bool is missing"),
        ({"functions": ["and", "or", "not"]}, "true or false"),
        ({"functions": ["="], "terminals": []}, "true or false"),
        ({"functions": []}, "functions must not be empty"),
        ({"functions": ">"}, "functions must be a list"),
        ({"functions": ["gt"]}, "functions has 'gt'.*'>'"),
        ({"functions": [np.sin]}, "functions has .*sin.*neither a Function"),
        ({"functions": 3}, "functions must be a list.*3"),
        ({"terminals": "x"}, "terminals must be a list"),
        ({"terminals": ["nothing"]}, "terminals has 'nothing'.*no column"),
        ({"terminals": [2]}, "terminals has 2"),
        ({"terminals": [-1]}, "terminals has -1"),
        ({"terminals": [0.0]}, "terminals has 0.0"),
        ({"max_size": 1}, "max_size=1 is too small.*has 2 symbols"),
        ({"max_size": 2, "functions": [">"]}, "max_size=2 is too small.*has 3 symbols"),
        ({"max_size": 61}, "max_size .*<= 60, got 61"),
    ],
)
def test_what_cannot_be_searched_is_refused_by_name(settings, words):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    for kind in (GPTreeClassifier, GPTreeRegressor, GPForestClassifier):
        with pytest.raises(ValueError, match=f"(?s){words}"):
            kind(**SMALL | settings).fit(X, y)


def test_categories_alone_can_be_compared_but_not_added():
    frame = pd.DataFrame({"a": ["p", "q"] * 20, "b": [*"ppqq"] * 10})
    y = np.arange(40) % 2
    with pytest.raises(ValueError, match="true or false"):
        GPTreeClassifier(**SMALL, functions=[">", "+"]).fit(frame, y)
    assert GPTreeClassifier(**SMALL).fit(frame, y).score(frame, y) == 1.0


def test_one_symbol_more_than_the_shortest_test_is_enough():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    for size in (2, 3, 60):
        model = GPTreeClassifier(30, generations=5, max_size=size, random_state=0).fit(X, y)
        tests = [node.test for node in model.tree_ if node.test]
        assert tests
        assert max(len(test.tokens) for test in tests) <= size
