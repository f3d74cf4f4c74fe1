"""The parts of PMML: elements, fields and their values, expressions, and the predicates of tests.

A predicate of PMML is true, false or unknown. That of a node is never unknown: a compound predicate
"surrogate" asks the test, then its surrogates, and ends in True or False for the default branch. A
category that the tree knows but the node does not is no missing value for PMML; there the same is
said by "or" and "and".
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any
from xml.etree import ElementTree

from spinney._expression.tokens import Token
from spinney._table import Column, Schema
from spinney.export._model import Question

Element = ElementTree.Element
_LARGEST = 2**31 - 1  # readers keep integers in 32 bits
_BIG = repr(math.nextafter(math.inf, 0.0))
# What the XML of version 1.0 has no way to write.
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NEEDS_ATTRIBUTE = re.compile(r"[\\\"\s]")  # what readers of an Array differ about


def element(tag: str, attributes: dict[str, Any] | None = None, *children: Element) -> Element:
    """Return an element; attributes that are None are left out."""
    pairs = {k: checked(str(v)) for k, v in (attributes or {}).items() if v is not None}
    made = Element(tag, pairs)
    made.extend(children)
    return made


def checked(text: str) -> str:
    """Return a text that XML can hold, or refuse it."""
    found = _IMPOSSIBLE.search(text)
    if found:
        raise ValueError(
            f"XML cannot hold the character {found.group()!r}, but the model has the name or label "
            f"{text!r}. Rename it and fit again, or use to_json, to_c or to_python."
        )
    return text


def data_type(labels: Sequence[Any]) -> str:
    """Return the type of labels: that of all of them, or string."""
    kinds = {type(label) for label in labels}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int} and all(abs(label) <= _LARGEST for label in labels):
        return "integer"
    if kinds == {float}:
        return "double"
    return "string"


def label_text(label: Any) -> str:
    """Return a label as PMML writes values."""
    if isinstance(label, bool):
        return str(label).lower()
    return repr(label) if isinstance(label, float) else str(label)


def number(value: float) -> str:
    """Return a number that is read back as the same double."""
    if not math.isfinite(value):
        raise ValueError(
            "PMML has no infinite numbers, but the model predicts or computes with one. Use "
            "to_json, to_c or to_python."
        )
    return repr(float(value))


def data_field(column: Column) -> Element:
    """Return the entry of a column in the dictionary of data."""
    if column.kind == "numeric":
        return element(
            "DataField", {"name": column.name, "optype": "continuous", "dataType": "double"}
        )
    kind = "ordinal" if column.kind == "ordered" else "categorical"
    return label_field(column.name, kind, column.categories)


def label_field(name: str, optype: str, labels: Sequence[Any]) -> Element:
    """Return the entry of a field with listed values."""
    values = (element("Value", {"value": label_text(label)}) for label in labels)
    attributes = {"name": name, "optype": optype, "dataType": data_type(labels)}
    return element("DataField", attributes, *values)


# -- Expressions


def ref(name: str) -> Element:
    """Return the value of a field."""
    return element("FieldRef", {"field": name})


def constant(value: float) -> Element:
    """Return a number as an expression."""
    made = element("Constant", {"dataType": "double"})
    made.text = number(value)
    return made


def apply(function: str, *arguments: Element) -> Element:
    """Return a function of expressions."""
    return element("Apply", {"function": function}, *arguments)


class Names:
    """Names of fields, none of them twice."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """Return the name, or if there is one, another one."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


class DerivedFields:
    """Fields that are computed from others, each of them once."""

    def __init__(self, schema: Schema, names: Names, stem: str = "") -> None:
        self.schema = schema
        self.elements: list[Element] = []
        self.names = names
        self._stem = stem
        self._known: dict[bytes, str] = {}

    def add(self, what: str, expression: Element, kind: str = "double") -> str:
        """Return the name of a field with the value of an expression."""
        key = ElementTree.tostring(expression)
        if key not in self._known:
            name = self.names.new(f"{self._stem}{what}")
            optype = "categorical" if kind == "boolean" else "continuous"
            attributes = {"name": name, "optype": optype, "dataType": kind}
            self.elements.append(element("DerivedField", attributes, expression))
            self._known[key] = name
        return self._known[key]

    def value_of(self, feature: int) -> Element:
        """Return a column as a number: of categories their place, from 0."""
        column = self.schema.columns[feature]
        if column.kind == "numeric":
            return ref(column.name)
        pairs = [(label_text(label), float(c)) for c, label in enumerate(column.categories)]
        mapped = mapped_field(column.name, pairs)
        return ref(self.add(f"code({column.name})", mapped))


def mapped_field(field: str, pairs: Sequence[tuple[str, float]]) -> Element:
    """Return numbers in the place of the values of a field; others are missing."""
    table = element("InlineTable")
    for text, value in pairs:
        row = element("row", None, element("label"), element("number"))
        row[0].text, row[1].text = checked(text), number(value)
        table.append(row)
    pair = element("FieldColumnPair", {"field": field, "column": "label"})
    attributes = {"outputColumn": "number", "dataType": "double"}
    return element("MapValues", attributes, pair, table)


def branch_field(question: Question, fields: DerivedFields) -> str:
    """Return the field with the branch that a test chooses; missing where it cannot tell."""
    column = fields.schema.columns[question.feature]
    if column.kind == "numeric" and not question.groups:
        made = element("Discretize", {"field": column.name, "dataType": "double"})
        for branch in range(question.n_branches):
            low, high = question.interval(branch)
            if low != math.inf:
                made.append(_bin(branch, low, high))
        return fields.add(f"branch({column.name})", made)
    groups = question.codes(len(column.categories))
    texts = list(map(label_text, column.categories))
    pairs = [(texts[code], float(b)) for b, group in enumerate(groups) for code in group]
    return fields.add(f"branch({column.name})", mapped_field(column.name, pairs))


def _bin(branch: int, low: float | None, high: float | None) -> Element:
    margins: dict[str, Any] = {"closure": "openClosed"}
    if low == -math.inf:
        margins |= {"closure": "closedClosed", "leftMargin": f"-{_BIG}"}
    elif low is not None:
        margins["leftMargin"] = number(low)
    if high == -math.inf:
        margins |= {"closure": "openOpen", "rightMargin": f"-{_BIG}"}
    elif high is not None and high != math.inf:
        margins["rightMargin"] = number(high)
    given = {"binValue": repr(float(branch))}
    return element("DiscretizeBin", given, element("Interval", margins))


def truth_field(tokens: Sequence[Token], fields: DerivedFields) -> str:
    """Return the field with 1 where an expression is true, 0 where false, 0.5 where unknown."""
    waiting: list[Element] = []
    for token in tokens:
        if token.op in ("both", "either"):
            right = waiting.pop()
            waiting.append(apply("min" if token.op == "both" else "max", waiting.pop(), right))
        elif token.op == "negate":
            waiting.append(apply("-", constant(1.0), waiting.pop()))
        elif token.op in ("equal", "greater", "positive"):
            test = ref(_comparison(token.op, waiting, fields))
            known = apply("if", test, constant(1.0), constant(0.0))
            waiting.append(apply("if", apply("isMissing", test), constant(0.5), known))
        else:
            _compute(token, waiting, fields)
    return fields.add("truth", waiting[0])


def _comparison(op: str, waiting: list[Any], fields: DerivedFields) -> str:
    """Return the field that compares the operands that wait; missing if one of them is."""
    right = constant(0.0) if op == "positive" else waiting.pop()
    pair = [
        ref(fields.add("value", part)) if part.tag == "Apply" else part
        for part in (waiting.pop(), right)
    ]
    test = apply("equal" if op == "equal" else "greaterThan", *pair)
    for part in pair:  # readers refuse to compare missing values
        if part.tag == "FieldRef":
            test = apply("if", apply("isNotMissing", part), test)
    return fields.add("test", test, "boolean")


def _compute(token: Token, waiting: list[Any], fields: DerivedFields) -> None:
    """Do the arithmetic of a token with the operands that wait."""
    if token.op == "column":
        waiting.append(fields.value_of(token.arg))
    elif token.op == "constant":
        waiting.append(constant(token.value))
    elif token.op == "sine":
        waiting.append(apply("sin", waiting.pop()))
    else:
        right = waiting.pop()
        sign = {"add": "+", "subtract": "-", "multiply": "*"}[token.op]
        waiting.append(apply(sign, waiting.pop(), right))


# -- Predicates

TRUE, FALSE = element("True"), element("False")


def compound(operator: str, *parts: Element) -> Element:
    """Return predicates in one."""
    return element("CompoundPredicate", {"booleanOperator": operator}, *parts)


def simple(field: str, operator: str, value: str | None = None) -> Element:
    """Return a comparison of a field with a value."""
    attributes = {"field": field, "operator": operator, "value": value}
    return element("SimplePredicate", attributes)


def choice_of(
    asked: Sequence[Question], branch: int, default: int, fields: DerivedFields
) -> Element:
    """Return the predicate of a branch: the first question with an answer decides."""
    decided = TRUE if branch == default else FALSE
    for question in reversed(asked):
        decided = _first(question, branch, decided, fields)
    return decided


def _first(question: Question, branch: int, rest: Element, fields: DerivedFields) -> Element:
    answer, partial = answer_of(question, branch, fields)
    if not partial:
        if rest.get("booleanOperator") == "surrogate":
            return compound("surrogate", answer, *rest)
        return compound("surrogate", answer, rest)
    name = fields.schema.columns[question.feature].name
    known, gap = simple(name, "isNotMissing"), simple(name, "isMissing")
    found = FALSE if answer.tag == "False" else compound("and", known, answer)
    if rest.tag == "False":
        return found
    unknown = compound("or", gap, no_answer(question, fields)) if question.groups else gap
    other = unknown if rest.tag == "True" else compound("and", unknown, rest)
    return other if found.tag == "False" else compound("or", found, other)


def answer_of(question: Question, branch: int, fields: DerivedFields) -> tuple[Element, bool]:
    """Return the predicate that a question has this answer.

    It is unknown where the question has no answer; unless the second value says that it may then
    be false, or is not about missing values at all.
    """
    if question.tokens:
        return truth(question.tokens, fields)[branch ^ question.backwards], False
    column = fields.schema.columns[question.feature]
    if column.kind == "numeric" and not question.groups:
        return _between(column.name, *question.interval(branch))
    groups = question.codes(len(column.categories))
    partial = sum(map(len, groups)) < len(column.categories) or not all(groups)
    return among(column, groups[branch]), partial


def no_answer(question: Question, fields: DerivedFields) -> Element:
    """Return the predicate that a category is in no branch of a question."""
    column = fields.schema.columns[question.feature]
    listed = {code for group in question.groups for code in group}
    return among(column, [c for c in range(len(column.categories)) if c not in listed])


def _between(name: str, low: float | None, high: float | None) -> tuple[Element, bool]:
    """Return low < x <= high; infinite bounds by the largest number."""
    if low == math.inf:
        return FALSE, True
    parts = []
    if low == -math.inf:
        parts.append(simple(name, "greaterOrEqual", f"-{_BIG}"))
    elif low is not None:
        parts.append(simple(name, "greaterThan", number(low)))
    if high == -math.inf:
        parts.append(simple(name, "lessThan", f"-{_BIG}"))
    elif high is not None and high != math.inf:
        parts.append(simple(name, "lessOrEqual", number(high)))
    if not parts:
        return simple(name, "isNotMissing"), True
    return parts[0] if len(parts) == 1 else compound("and", *parts), False


def among(column: Column, codes: Sequence[int]) -> Element:
    """Return the predicate that a category is one of some."""
    if not codes:
        return FALSE
    texts = [label_text(column.categories[code]) for code in codes]
    kind = data_type(column.categories)
    if len(texts) == 1:
        return simple(column.name, "equal", texts[0])
    odd = [t for t in texts if kind == "boolean" or not t or _NEEDS_ATTRIBUTE.search(t)]
    plain = [t for t in texts if t not in odd]
    parts = [simple(column.name, "equal", text) for text in odd]
    if plain:
        types = {"integer": "int", "double": "real"}
        array = element("Array", {"type": types.get(kind, "string"), "n": len(plain)})
        array.text = checked(" ".join(f'"{t}"' if kind == "string" else t for t in plain))
        attributes = {"field": column.name, "booleanOperator": "isIn"}
        parts.append(element("SimpleSetPredicate", attributes, array))
    return parts[0] if len(parts) == 1 else compound("or", *parts)


def truth(tokens: Sequence[Token], fields: DerivedFields) -> tuple[Element, Element]:
    """Return the predicates that an expression is true, and that it is false."""
    waiting: list[Any] = []
    for token in tokens:
        if token.op == "negate":
            waiting.append(waiting.pop()[::-1])
        elif token.op in ("both", "either"):
            b, a = waiting.pop(), waiting.pop()
            signs = ("and", "or") if token.op == "both" else ("or", "and")
            waiting.append(tuple(compound(signs[i], a[i], b[i]) for i in range(2)))
        elif token.op in ("equal", "greater", "positive"):
            name = _comparison(token.op, waiting, fields)
            waiting.append((simple(name, "equal", "true"), simple(name, "equal", "false")))
        else:
            _compute(token, waiting, fields)
    found: tuple[Element, Element] = waiting[0]
    return found
