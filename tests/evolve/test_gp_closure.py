"""Only well-typed programs come about, whatever is drawn, crossed and changed: millions of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evolve.kit import classes_of, encoded, mixed_table, recorded
from spinney import GPTreeClassifier, _core
from spinney.evolve import FUNCTIONS, Bool, Constant, Nominal, Numeric, Ordered, compose

NOTHING = {"takes": [], "column": 0, "pool": [], "spread": 0.0, "body": []}
N = 60_000


def ill_typed(symbols, programs, sizes):
    """Return which programs are not one truth value by the types of the symbols."""
    widest = max(len(one["takes"]) for one in symbols)
    takes = np.full((len(symbols) + 1, widest), -1)
    for i, one in enumerate(symbols):
        takes[i, : len(one["takes"])] = one["takes"]
    returns = np.array([one["returns"] for one in symbols] + [0])
    arity = np.array([len(one["takes"]) for one in symbols] + [0])
    n, width = programs.shape
    stack = np.full((n, width + widest + 1), -1)
    top, wrong, rows = np.zeros(n, int), np.zeros(n, bool), np.arange(n)
    for j in range(width):
        now = programs[:, j]
        used = j < sizes
        wrong |= used != (now >= 0)
        wrong |= used & (top < arity[now])
        for a in range(widest):
            asked = used & (arity[now] > a)
            found = stack[rows, np.maximum(top - arity[now] + a, 0)]
            wrong |= asked & (found != takes[now, a])
        top = np.where(used, np.maximum(top - arity[now], 0), top)
        stack[rows[used], top[used]] = returns[now[used]]
        top += used
    return wrong | (top != 1) | (stack[:, 0] != 0)


def check_programs(symbols, language, n, max_size, seed):
    programs, values, sizes = language.breed(n, max_size, seed)
    assert programs.shape == values.shape == (n, max_size)
    assert sizes.min() >= language.least_size(0)
    assert sizes.max() <= max_size
    assert not ill_typed(symbols, programs, sizes).any()
    for i, one in enumerate(symbols):
        drawn = values[programs == i]
        if one["kind"] != "constant":
            assert not drawn.any()
        elif one["spread"] == 0.0:
            assert np.isin(drawn, one["pool"]).all()
        else:
            assert np.isfinite(drawn).all()
    return programs, values, sizes


def least_sizes(symbols, n_types):
    """Return the smallest program of each type by trying again and again."""
    least = [61] * n_types
    for _ in range(100):
        for one in symbols:
            size = 1 + sum(least[t] for t in one["takes"])
            least[one["returns"]] = min(least[one["returns"]], size)
    return least


types = st.integers(0, 3)
random_symbols = st.lists(
    st.one_of(
        st.builds(
            lambda t, c: NOTHING | {"kind": "column", "returns": t, "column": c}, types, types
        ),
        st.builds(
            lambda t, pool, spread: (
                NOTHING | {"kind": "constant", "returns": t, "pool": pool, "spread": spread}
            ),
            types,
            st.lists(st.floats(-9, 9), min_size=1, max_size=4),
            st.sampled_from([0.0, 1.0]),
        ),
        st.builds(
            lambda t, takes: NOTHING | {"kind": "function", "returns": t, "takes": takes},
            types,
            st.lists(types, min_size=1, max_size=4),
        ),
    ),
    min_size=3,
    max_size=14,
)


@pytest.mark.slow
@given(random_symbols, st.integers(1, 60), st.integers(0, 2**63))
def test_programs_of_any_typed_symbols_are_well_typed(symbols, max_size, seed):
    assume(any(one["takes"] for one in symbols))
    language = _core.Language(symbols)
    least = least_sizes(symbols, 4)
    for t in range(4):
        assert min(language.least_size(t), 61) == least[t]
    assume(least[0] <= max_size)
    check_programs(symbols, language, N // 2, max_size, seed)


COMPOSED = {
    "between": compose(
        "between", lambda x, a, b: (x > a) & (b > x), takes=(Numeric,) * 3, returns=Bool
    ),
    "square": compose("square", lambda x: x * x, takes=(Numeric,), returns=Numeric),
    "unlike": compose("unlike", lambda a, b: ~(a == b), takes=(Nominal, Nominal), returns=Bool),
    "all_three": compose(
        "all_three", lambda a, b, c: a & b & c, takes=(Bool, Bool, Bool), returns=Bool
    ),
    "second": compose("second", lambda a, b: b, takes=(Nominal, Nominal), returns=Nominal),
    "as_large": compose("as_large", lambda a, b: ~(b > a), takes=(Ordered,) * 2, returns=Bool),
}


def wide_table(seed, n_rows, kinds):
    rng = np.random.default_rng(seed)
    domains = {"n1": list("abc"), "n2": list("uvwxyz"), "o1": [3, 4], "o2": ["lo", "hi", "top"]}
    columns = {}
    for i, kind in enumerate(kinds):
        if kind == "number":
            columns[f"c{i}"] = rng.normal(size=n_rows)
        else:
            codes = rng.integers(-1, len(domains[kind]), n_rows)
            codes[: len(domains[kind])] = np.arange(len(domains[kind]))
            columns[f"c{i}"] = pd.Categorical.from_codes(
                codes, domains[kind], ordered=kind[0] == "o"
            )
    return pd.DataFrame(columns)


@pytest.mark.slow
@given(
    st.sets(st.sampled_from([*FUNCTIONS, *COMPOSED]), min_size=1),
    st.lists(st.sampled_from(["number", "n1", "n2", "o1", "o2"]), min_size=1, max_size=8),
    st.integers(1, 40),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
@settings(max_examples=30)
def test_programs_over_columns_compare_only_what_has_one_type(names, kinds, max_size, seed, some):
    frame = wide_table(seed, 12, kinds)
    functions = [COMPOSED.get(name, name) for name in sorted(names)]
    terminals = ["c0", "constants", Constant((1.0, 2.5))] if some else None
    model = GPTreeClassifier(functions=functions, terminals=terminals, max_size=max_size)
    values, schema, target = encoded(model, frame, np.arange(12) % 2)
    with recorded() as seen:
        try:
            language = model._learner()._language(values, schema, target)
        except ValueError as problem:
            wanted = "true or false" in str(problem) or "too small" in str(problem)
            assert wanted
            return
    (symbols,) = seen
    ids = {}
    for one in symbols:
        if one["kind"] == "column":
            assert ids.setdefault(kinds[one["column"]], one["returns"]) == one["returns"]
    assert len(set(ids.values()) | {0}) == len(ids) + 1  # each domain its own type, none Bool
    programs, constants, sizes = check_programs(symbols, language, N // 2, max_size, seed)
    table = np.asfortranarray(values)
    for i in range(50):
        genes, own = programs[i, : sizes[i]].tolist(), constants[i, : sizes[i]].tolist()
        tokens = language.tokens(list(zip(genes, own, strict=True)))
        assert len(_core.evaluate(tokens, table)) == 12


@pytest.mark.parametrize(("max_size", "n"), [(3, 200_000), (12, 400_000), (60, 60_000)])
def test_hundreds_of_thousands_of_programs_of_a_mixed_table_are_well_typed(max_size, n):
    rng = np.random.default_rng(0)
    frame = mixed_table(rng)
    model = GPTreeClassifier(max_size=max_size)
    with recorded() as seen:
        language = model._learner()._language(*encoded(model, frame, classes_of(frame, rng, 2)))
    programs, _, sizes = check_programs(seen[0], language, n, max_size, 0)
    assert len(np.unique(programs[:5000], axis=0)) > (20 if max_size == 3 else 1000)
    if max_size == 12:
        assert set(np.unique(sizes)) >= {2, 3, 5, 8, 12}


def test_no_program_is_larger_than_one_that_must_be_of_some_size():
    """Here every truth value has exactly 3 symbols, or 7, and so on."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    model = GPTreeClassifier(functions=[">", "and"], terminals=["a", "constants"], max_size=6)
    language = model._learner()._language(*encoded(model, frame, [0, 1, 0]))
    sizes = language.breed(5000, 6, 0)[2]
    assert set(sizes.tolist()) == {3}
    assert set(language.breed(5000, 11, 0)[2].tolist()) == {3, 7, 11}
