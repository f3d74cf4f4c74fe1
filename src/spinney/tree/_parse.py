"""The text of a test, read back.

``income <= 36``, ``size <= medium``, ``purpose in {A40, A43}`` and ``deadline`` are understood:
what `str(test)` writes. A category may stand in quotes, and must if it holds a comma, a brace or a
quotation mark. What is none of these is read as an expression.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from spinney._expression.expression_test import ExpressionTest
from spinney._expression.parse import (
    Item,
    UnknownColumnError,
    column_uses,
    read_expression,
    tokens_of,
)
from spinney._expression.tokens import Token, check_tokens
from spinney._format import did_you_mean, join_words
from spinney._table import Column, Schema
from spinney.tree._tests import IntervalTest, MultiwayTest, SubsetTest, Test, ThresholdTest

_CATEGORY = re.compile(
    r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,{}'"\s][^,{}]*?|)\s*([,}])""", re.DOTALL
)


@dataclass(frozen=True)
class Reading:
    """One way to read the text of a test: its column, its kind and what follows the name."""

    feature: int  # -1 of an expression
    name: str
    kind: str
    operand: str
    items: tuple[Item, ...] = ()  # of an expression


def read_text(
    entry: Mapping[str, Any], places: Mapping[str, int], listed: Mapping[str, Sequence[Any]]
) -> Reading:
    """Return how the text of `entry['test']` is to be read.

    Column names may hold anything, so a text may have several readings. `entry['kind']` and
    `entry['feature']` choose between them if they are there; then the longest name wins.

    Parameters
    ----------
    entry : mapping
        A node or a surrogate.
    places : mapping from str to int
        Where each column stands in the table.
    listed : mapping from str to sequence
        The categories of columns that are known to have some.
    """
    text = entry["test"]
    if not isinstance(text, str):
        raise ValueError(f"'test' must be text or None, got {text!r}.")
    if "tokens" in entry:
        return Reading(-1, "", "expression", text)
    readings = list(_readings(text, places))
    readings.sort(key=lambda r: (r.kind == "multiway", -len(r.name)))
    if "branches" in entry or "cuts" in entry:
        readings.sort(key=lambda r: r.kind != "multiway")
    for reading in readings:
        kind, feature = entry.get("kind", reading.kind), entry.get("feature", reading.feature)
        if kind == reading.kind and feature in (reading.feature, reading.name):
            if "kind" in entry or "threshold" in entry or _has_bound(reading, listed):
                return reading
            return _more_than_a_bound(reading, text, places) or reading
    if entry.get("kind", "expression") == "expression":
        try:
            return _expression(text, places)
        except UnknownColumnError as problem:
            raise ValueError(_not_a_column(text, problem.name, list(places))) from None
        except ValueError as problem:
            raise ValueError(_not_understood(text, list(places), str(problem))) from None
    raise ValueError(_not_understood(text, list(places), "its kind is another"))


def _expression(text: str, places: Mapping[str, int]) -> Reading:
    """Parse a text as an expression, or raise an error that explains what is wrong."""
    items = tuple(read_expression(text))
    for _ in column_uses(items, places):
        pass  # it raises an error at names that are no columns
    return Reading(-1, "", "expression", text, items)


def _more_than_a_bound(reading: Reading, text: str, places: Mapping[str, int]) -> Reading | None:
    """Parse ``income <= debt`` and similar as an expression; None if it is not one."""
    word = reading.operand.strip()
    if word.isidentifier() and word not in places:
        return None  # a category that is not listed
    try:
        return _expression(text, places)
    except ValueError:
        return None


def _has_bound(reading: Reading, listed: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether what follows `<=` is a number or a category; if not, it may be more."""
    if reading.kind != "threshold":
        return True
    try:
        bound = _unquoted(reading.operand)
        if Column("", "ordered", tuple(listed.get(reading.name, ()))).code_of(bound) is not None:
            return True
        float(bound)
    except ValueError:
        return False
    return True


def _readings(text: str, places: Mapping[str, int]) -> Iterator[Reading]:
    if text in places:
        yield Reading(places[text], text, "multiway", "")
    for found in re.finditer(r"\s?<=\s?|\s?\bin\s?(?=\{)", text):
        name = text[: found.start()]
        if name not in places:
            name = name.strip()
        if name in places:
            kind = "threshold" if "<" in found.group() else "subset"
            yield Reading(places[name], name, kind, text[found.end() :])


def _not_understood(text: str, names: Sequence[str], problem: str) -> str:
    name = re.split(r"\s*<=|\s*\bin\b\s*\{", text)[0].strip()
    if name in names:
        return (
            f"the test {text!r} is not understood. Write it as 'income <= 36', "
            "'purpose in {A40, A43}' or, for a branch for each category, 'purpose'."
        )
    if name == text.strip() and re.search(r"[-+*()=<>]", text):
        return (
            f"the test {text!r} is not understood as an expression: {problem}. Write it as "
            "'sin(age) + bmi > 30 and sex = f'; names that are no plain words stand between "
            "backticks, and such categories in quotes."
        )
    return _not_a_column(text, name, names)


def _not_a_column(text: str, name: str, names: Sequence[str]) -> str:
    hint = did_you_mean(name, names) or f" The features are {join_words(names)}."
    return f"the test {text!r} asks about {name!r}, which is not among 'features'.{hint}"


def column_places(names: Sequence[str]) -> dict[str, int]:
    """Return where each column stands in the table."""
    return {name: feature for feature, name in enumerate(names)}


def categories_in(operand: str) -> list[str]:
    """Split the text of a set, braces included, into its categories."""
    found, place = [], 1
    while operand.startswith("{"):
        match = _CATEGORY.match(operand, place)
        if match is None:
            break
        token, place = match.group(1), match.end()
        if not token:
            raise ValueError(f"the set {operand} holds an empty place.")
        found.append(ast.literal_eval(token) if token[0] in "'\"" else token)
        if match.group(2) == "}":
            if operand[place:].strip():
                break
            return found
    raise ValueError(f"the set {operand!r} is not understood; write it as {{A40, A43}}.")


def build_test(
    entry: Mapping[str, Any], schema: Schema, places: Mapping[str, int], n_children: int
) -> Test:
    """Return the test of a node or surrogate, from its text and what the entry adds to it.

    `entry['threshold']` gives a number with all its digits, `entry['branches']` the categories of
    each child, `entry['cuts']` the bounds between them, `entry['tokens']` an expression in postfix
    order. They must agree with the text.
    """
    reading = read_text(entry, places, {c.name: c.categories for c in schema.columns})
    if reading.kind != "multiway" and n_children != 2:
        raise ValueError(f"the test {entry['test']!r} needs two children, got {n_children}.")
    if reading.kind == "expression":
        return _expression_test(entry, reading, schema, places)
    column = schema.columns[reading.feature]
    if reading.kind == "multiway" and "cuts" in entry:
        cuts = _cuts(entry["cuts"], column.name, n_children)
        return IntervalTest(reading.feature, column.name, cuts, column.categories)
    if reading.kind == "multiway":
        return MultiwayTest(reading.feature, column.name, _groups(entry, column, n_children))
    test: Test
    if reading.kind == "threshold":
        bound = _bound(entry, reading, column)
        test = ThresholdTest(reading.feature, column.name, bound, column.categories)
        exact = "threshold"
    else:
        true_side, other_side = _sides(entry, reading, column)
        test = SubsetTest(reading.feature, column.name, true_side, other_side)
        exact = "branches"
    return _agreeing(entry, test, exact)


def _agreeing(entry: Mapping[str, Any], test: Test, exact: str) -> Test:
    """Return a test that was read from `entry[exact]` if it has the text that the entry gives."""
    if exact in entry and str(test) != entry["test"]:
        raise ValueError(
            f"the test {entry['test']!r} and {exact!r} ({test}) disagree; correct one of them or "
            f"leave {exact!r} out."
        )
    return test


def _expression_test(
    entry: Mapping[str, Any], reading: Reading, schema: Schema, places: Mapping[str, int]
) -> Test:
    if "tokens" in entry:
        tokens = tuple(_token(given) for given in entry["tokens"])
    else:
        tokens = tokens_of(reading.items, schema.columns, places)
    check_tokens(tokens, len(schema.columns))
    return _agreeing(entry, ExpressionTest(tokens, schema.columns), "tokens")


def _token(given: Any) -> Token:
    """Return a token from a list of its operation and, of an operand, the column or number."""
    match given:
        case ["column", int(place)]:
            return Token("column", place)
        case ["constant", int() | float() | str() as value]:
            return Token("constant", value=float(value))
        case [str(op)] if op not in ("column", "constant"):
            return Token(op)
    raise ValueError(
        f"a token is ['column', place], ['constant', number] or ['add'] and so on, got {given!r}."
    )


def _cuts(given: Any, name: str, n_children: int) -> tuple[float, ...]:
    if not isinstance(given, list | tuple):
        raise ValueError(f"'cuts' of {name!r} must be a list of numbers, got {given!r}.")
    cuts = tuple(float(cut) for cut in given)
    if len(cuts) != n_children - 1:
        raise ValueError(f"{len(cuts)} cuts of {name!r} do not fit {n_children} children.")
    if any(not low < high for low, high in pairwise(cuts)) or any(c != c for c in cuts):
        raise ValueError(f"the cuts of {name!r} must ascend, got {given!r}.")
    return cuts


def _bound(entry: Mapping[str, Any], reading: Reading, column: Column) -> float:
    text = entry.get("threshold", reading.operand)
    if column.categories and "threshold" not in entry:
        code = column.code_of(_unquoted(reading.operand))
        if code is not None:
            return code + 0.5
    try:
        threshold = float(text)
    except (TypeError, ValueError):
        remedy = (
            f"the categories of {column.name!r} are {join_words(column.categories)}."
            if column.categories
            else f"list the categories of {column.name!r} in their order under 'categories'."
        )
        raise ValueError(f"{text!r} is not a number; {remedy}") from None
    if threshold != threshold:
        raise ValueError(f"the threshold of {column.name!r} is not a number.")
    return threshold


def _unquoted(text: str) -> str:
    """Return a category without its quotes."""
    return categories_in("{" + text + "}")[0] if text.strip()[:1] in ("'", '"') else text.strip()


def _sides(
    entry: Mapping[str, Any], reading: Reading, column: Column
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    if "branches" in entry:
        true_side, other_side = _groups(entry, column, 2)
        return true_side, other_side
    chosen = {_code(category, column) for category in categories_in(reading.operand)}
    sides: tuple[list[Any], list[Any]] = ([], [])
    for code, category in enumerate(column.categories):
        sides[code not in chosen].append(category)
    return tuple(sides[0]), tuple(sides[1])


def _groups(
    entry: Mapping[str, Any], column: Column, n_children: int
) -> tuple[tuple[Any, ...], ...]:
    """Return the categories of each child, from 'branches' or the vocabulary in order."""
    listed = branch_lists(entry.get("branches", column.categories))
    if not listed:
        raise ValueError(f"name the categories of the children of {column.name!r} in 'branches'.")
    if len(listed) != n_children:
        raise ValueError(
            f"{len(listed)} branches of {column.name!r} do not fit {n_children} children."
        )
    codes = [sorted(_code(label, column) for label in labels) for labels in listed]
    flat = [code for group in codes for code in group]
    if len(set(flat)) != len(flat):
        raise ValueError(f"a category of {column.name!r} leads to two children.")
    return tuple(tuple(column.categories[code] for code in group) for group in codes)


def branch_lists(branches: Any) -> list[list[Any]]:
    """Return for each child a list of its categories; a single one may stand without a list."""
    if not isinstance(branches, list | tuple):
        raise ValueError(f"'branches' must be a list with an entry for each child: {branches!r}.")
    return [list(b) if isinstance(b, list | tuple) else [b] for b in branches]


def _code(label: Any, column: Column) -> int:
    code = column.code_of(label) if isinstance(label, str | int | float) else None
    if code is None:
        raise ValueError(
            f"{label!r} is not a category of {column.name!r}; they are "
            f"{join_words(column.categories)}."
        )
    return code
