"""Random trees and random rows for them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from spinney import _core
from spinney._table import Column, Schema
from spinney.tree import IntervalTest, MultiwayTest, SubsetTest, Surrogate, ThresholdTest, Tree
from spinney.tree._node_arrays import pack_tests

LABELS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=0, max_size=4)
# Names that look like parts of tests come up often enough to be met in every run.
NAMES = st.sampled_from(["x", "y", "x <= 1", "y in {a}", "in", "a <= b", "{", " "]) | LABELS
COUNTS = st.integers(0, 9) | st.floats(0, 1e6)
NUMBERS = st.floats(allow_nan=False) | st.integers(-3, 3).map(float) | st.floats(-2, 2)


@st.composite
def some_column(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(["numeric", "ordered", "nominal"]))
    if kind == "numeric":
        return Column(name, kind)
    labels = draw(st.sampled_from([LABELS, st.integers(-3, 9), st.floats(-2, 2)]))
    return Column(name, kind, tuple(draw(st.lists(labels, min_size=2, max_size=5, unique=True))))


@st.composite
def some_test(draw: st.DrawFn, schema: Schema, n_branches: int | None = None) -> Any:
    """A test on some column; with so many branches if that is asked for."""
    feature = draw(st.integers(0, len(schema.columns) - 1))
    column = schema.columns[feature]
    if column.kind == "numeric":
        if n_branches is None and draw(st.booleans()):
            cuts = draw(st.lists(NUMBERS, min_size=1, max_size=4, unique=True))
            return IntervalTest(feature, column.name, tuple(sorted(cuts)))
        return ThresholdTest(feature, column.name, draw(NUMBERS))
    if column.kind == "ordered":
        cuts = st.integers(0, 2 * len(column.categories) - 3).map(lambda c: c / 2)
        return ThresholdTest(feature, column.name, draw(cuts), column.categories)
    held = draw(st.lists(st.sampled_from(column.categories), min_size=2, unique=True))
    held.sort(key=column.categories.index)
    if n_branches is None and draw(st.booleans()):
        n_branches = draw(st.integers(1, 4))
        slots = [draw(st.integers(0, n_branches - 1)) for _ in held]
        groups = [tuple(c for c, s in zip(held, slots, strict=True) if s == k) for k in range(4)]
        return MultiwayTest(feature, column.name, tuple(groups[:n_branches]))
    cut = draw(st.lists(st.booleans(), min_size=len(held) - 1, max_size=len(held) - 1))
    sides = [0, *(int(side) for side in cut)]
    groups = [tuple(c for c, s in zip(held, sides, strict=True) if s == k) for k in range(2)]
    return SubsetTest(feature, column.name, groups[0], groups[1])


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree of up to a dozen tests of all kinds, with surrogates, costs and odd names."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    schema = Schema(tuple(draw(some_column(name)) for name in names), draw(st.booleans()))
    asked: list[Any] = [None]
    parent, first = [-1], [-1]
    for _ in range(draw(st.integers(0, 12))):
        leaf = draw(st.sampled_from([i for i, test in enumerate(asked) if test is None]))
        asked[leaf] = draw(some_test(schema))
        first[leaf] = len(asked)
        for _ in range(asked[leaf].n_branches):
            asked.append(None)
            parent.append(leaf)
            first.append(-1)
    state = _state(draw, schema, asked, draw(st.integers(0, 3)))
    state |= {
        "parent": np.array(parent, dtype=np.int32),
        "first_child": np.array(first, dtype=np.int32),
        "n_children": np.array([t.n_branches if t else 0 for t in asked], dtype=np.int32),
    }
    classes = np.array(["bad", "good", "ugly"])[: state["n_classes"]]
    return Tree(_core.Tree(state), schema, classes if len(classes) else None)


def _state(draw: st.DrawFn, schema: Schema, asked: list[Any], n_classes: int) -> dict[str, Any]:
    n_nodes = len(asked)
    stand_ins: list[list[Surrogate]] = []
    for test in asked:
        two_ways = test is not None and test.n_branches == 2
        listed = draw(st.lists(some_test(schema, 2), max_size=2)) if two_ways else []
        shares = st.floats(0, 1)
        stand_ins.append(
            [
                Surrogate(
                    t, t.kind == "threshold" and draw(st.booleans()), draw(shares), draw(shares)
                )
                for t in listed
            ]
        )
    flat = [surrogate for listed in stand_ins for surrogate in listed]

    def floats(*shape: int) -> Any:
        return np.array([draw(COUNTS) for _ in range(int(np.prod(shape)))], float).reshape(shape)

    own_answers = floats(n_nodes, max(1, n_classes)) + 0.5 if draw(st.booleans()) else None
    return {
        **pack_tests(asked, schema),
        **({} if own_answers is None else {"answer": own_answers}),
        **pack_tests([s.test for s in flat], schema, "surrogate_"),
        "surrogate_reversed": np.array([s.reversed for s in flat], dtype=np.uint8),
        "surrogate_agreement": np.array([s.agreement for s in flat], dtype=float),
        "surrogate_adjusted": np.array([s.adjusted for s in flat], dtype=float),
        "surrogate_begin": np.cumsum([0, *map(len, stand_ins)], dtype=np.int64),
        "n_features": len(schema.columns),
        "n_classes": n_classes,
        "missing": draw(st.integers(0, 2)),
        "cost": floats(n_classes * n_classes) if n_classes and draw(st.booleans()) else floats(0),
        "value": floats(n_nodes, max(1, n_classes)),
        "weight": floats(n_nodes)
        + 0.5,  # rows that go every way need children that weigh something
        "impurity": floats(n_nodes),
        "gain": np.array([0.0 if t is None else draw(COUNTS) for t in asked], dtype=float),
        "risk": floats(n_nodes),
        "n_samples": np.array([draw(st.integers(0, 99)) for _ in asked], dtype=np.int64),
        "default_branch": np.array(
            [draw(st.integers(0, t.n_branches - 1)) if t else 0 for t in asked], dtype=np.int32
        ),
    }


@st.composite
def codes(draw: st.DrawFn, schema: Schema) -> Any:
    """Encoded rows: numbers near the thresholds, codes, and gaps."""
    n_rows = draw(st.integers(1, 8))
    table = np.empty((n_rows, len(schema.columns)))
    for j, column in enumerate(schema.columns):
        top = len(column.categories) - 1
        values = NUMBERS if column.kind == "numeric" else st.integers(0, top).map(float)
        cells = st.none().map(lambda _: np.nan) | values | values
        table[:, j] = [draw(cells) for _ in range(n_rows)]
    return table
