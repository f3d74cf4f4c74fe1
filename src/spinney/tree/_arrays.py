"""Tests in and out of the core's arrays.

A table of tests is a set of parallel arrays: kind, feature and threshold, for tests on categories
a slice of (code, branch) pairs, sorted by code, for tests on intervals a slice of cuts, and for
expressions a slice of tokens. A tree has two such tables: that of its nodes, and with the prefix
"surrogate_" that of their surrogates.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from spinney._expression.expression_test import OPS, ExpressionTest, Token
from spinney._table import Schema
from spinney.tree._tests import IntervalTest, MultiwayTest, SubsetTest, Test, ThresholdTest

# Both in the order of the core's codes.
KINDS = ("leaf", "threshold", "subset", "multiway", "expression")
MISSING_RULES = ("surrogate", "majority", "fractional")


def read_test(
    state: Mapping[str, Any], index: int, schema: Schema, n_branches: int, prefix: str = ""
) -> Test | None:
    """Return test number `index` from the arrays of a tree; None for a leaf.

    Parameters
    ----------
    state : mapping
        The arrays of the core's tree.
    index : int
        A node, or with the prefix of the surrogates, a surrogate.
    schema : Schema
        Names and categories of the columns.
    n_branches : int
        The number of children.
    prefix : {"", "surrogate_"}
        Which of the two tables of tests to read.
    """
    kind = KINDS[state[prefix + "kind"][index]]
    if kind == "leaf":
        return None
    if kind == "expression":
        return ExpressionTest(read_tokens(state, index, prefix), schema.columns)
    feature = int(state[prefix + "feature"][index])
    column = schema.columns[feature]
    if kind == "threshold":
        threshold = float(state[prefix + "threshold"][index])
        return ThresholdTest(feature, column.name, threshold, column.categories)
    cut_begin, cut_end = state[prefix + "cut_begin"][index : index + 2].tolist()
    if cut_begin < cut_end:
        cuts = tuple(state[prefix + "cut"][cut_begin:cut_end].tolist())
        return IntervalTest(feature, column.name, cuts, column.categories)
    slots: list[list[Any]] = [[] for _ in range(n_branches)]
    begin, end = state[prefix + "code_begin"][index : index + 2].tolist()
    codes, branches = state[prefix + "code"][begin:end], state[prefix + "branch"][begin:end]
    for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
        slots[branch].append(column.categories[code])
    groups = tuple(tuple(slot) for slot in slots)
    if kind == "subset":
        return SubsetTest(feature, column.name, groups[0], groups[1])
    return MultiwayTest(feature, column.name, groups)


def read_tokens(state: Mapping[str, Any], index: int, prefix: str = "") -> tuple[Token, ...]:
    """Return the tokens of an expression test."""
    begin, end = state[prefix + "token_begin"][index : index + 2].tolist()
    parts = [state[f"{prefix}token_{name}"][begin:end].tolist() for name in ("op", "arg", "value")]
    return tuple(Token(OPS[op], arg, value) for op, arg, value in zip(*parts, strict=True))


def pack_tests(tests: Iterable[Test | None], schema: Schema, prefix: str = "") -> dict[str, Any]:
    """Return the arrays that hold the tests, in order; None is a leaf."""
    kinds, features, thresholds, begins = [], [], [], [0]
    codes: list[int] = []
    branches: list[int] = []
    cuts: list[float] = []
    cut_begins = [0]
    tokens: list[Token] = []
    token_begins = [0]
    for test in tests:
        kinds.append(KINDS.index("leaf" if test is None else test.kind))
        features.append(-1 if test is None or isinstance(test, ExpressionTest) else test.feature)
        thresholds.append(test.threshold if isinstance(test, ThresholdTest) else np.nan)
        for code, branch in sorted(_code_pairs(test, schema)):
            codes.append(code)
            branches.append(branch)
        begins.append(len(codes))
        cuts.extend(test.cuts if isinstance(test, IntervalTest) else ())
        cut_begins.append(len(cuts))
        tokens.extend(test.tokens if isinstance(test, ExpressionTest) else ())
        token_begins.append(len(tokens))
    arrays = {
        "kind": np.array(kinds, dtype=np.uint8),
        "feature": np.array(features, dtype=np.int32),
        "threshold": np.array(thresholds, dtype=np.float64),
        "code_begin": np.array(begins, dtype=np.int64),
        "code": np.array(codes, dtype=np.int32),
        "branch": np.array(branches, dtype=np.int32),
        "cut_begin": np.array(cut_begins, dtype=np.int64),
        "cut": np.array(cuts, dtype=np.float64),
        "token_begin": np.array(token_begins, dtype=np.int64),
        "token_op": np.array([OPS.index(token.op) for token in tokens], dtype=np.int32),
        "token_arg": np.array([token.arg for token in tokens], dtype=np.int32),
        "token_value": np.array([token.value for token in tokens], dtype=np.float64),
    }
    return {prefix + name: array for name, array in arrays.items()}


def _code_pairs(test: Test | None, schema: Schema) -> list[tuple[int, int]]:
    if test is None or isinstance(test, ThresholdTest | IntervalTest | ExpressionTest):
        return []
    if isinstance(test, SubsetTest):
        groups: tuple[tuple[Any, ...], ...] = (test.categories, test.other_categories)
    else:
        groups = test.branches
    column, pairs = schema.columns[test.feature], []
    for branch, categories in enumerate(groups):
        for category in categories:
            code = column.code_of(category)
            assert code is not None, "tests are made from the vocabulary"
            pairs.append((code, branch))
    return pairs


def same_state(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two trees have the same arrays; NaN equals NaN."""
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name], equal_nan=np.asarray(one[name]).dtype.kind == "f")
        for name in one
    )
