"""Building blocks of SQL: conditions, CASE, sums, and a chain of common table expressions.

Every step of a chain numbers its rows, or has another fence of the dialect. Engines do not merge
steps that contain a window function; merged steps would repeat the expressions of earlier ones
again and again.

Expressions over several columns use NULL for unknown, which has the same three-valued logic.
Numbers are cast, since databases differ in their integer arithmetic. Categories become their codes,
so that an unseen one is NULL.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spinney._expression.tokens import Token
from spinney._table import Column, Schema
from spinney.export._model import Question, Requirement
from spinney.export._sql_dialects import Dialect

# How tightly a sign binds its operands: the larger, the tighter.
_SIGNS = {
    "either": ("OR", 1),
    "both": ("AND", 2),
    "equal": ("=", 4),
    "greater": (">", 4),
    "add": ("+", 5),
    "subtract": ("-", 5),
    "multiply": ("*", 6),
}
_NOT, _ATOM = 3, 9

# The product l * r, which is 0 up to 2^-1075. What is compared is 2^538 times as large, of operands
# cut off at 1, so that no part of it is too small or too large itself. Unknown times 0 is unknown.
_PRODUCT = """(SELECT CASE
  WHEN LEAST(ABS(l), ABS(r), {one}) * {scale}
    * GREATEST(LEAST(GREATEST(ABS(l), ABS(r)), {one}), {low}) BETWEEN {least} AND {bound}
    THEN {zero} * (l + r)
  ELSE l * r
END FROM (SELECT {left} AS l, {right} AS r OFFSET 0) AS factors)"""


@dataclass(frozen=True)
class Writer:
    """What conditions are written with: the columns, the dialect, and how NaN is treated."""

    dialect: Dialect
    schema: Schema
    nan: bool = False  # whether numbers may be NaN, which is to count as missing
    coded: bool = False  # whether columns hold the codes of categories already

    def name(self, feature: int) -> str:
        """Return a column, in quotes; one of text so that all texts differ."""
        column = self.schema.columns[feature]
        name = self.dialect.quoted(column.name)
        return self.text_key(name) if not self.coded and holds_text(column) else name

    def text_key(self, text: str) -> str:
        """Return an expression of text such that only equal texts are equal."""
        return self.dialect.text_by_bytes.format(text=text) or text

    def literal(self, label: Any) -> str:
        """Return what a column of categories is compared with."""
        literal = self.dialect.value(label)
        if not isinstance(label, str) or (self.dialect.name == "mysql" and label.isascii()):
            return literal
        return self.text_key(literal)

    def categories(self, column: Column, codes: Iterable[int]) -> list[str]:
        """Return what a column holds for some categories; without those that it cannot hold."""
        if self.coded:
            return [str(code) for code in codes]
        labels = [column.categories[code] for code in codes]
        lost = self.dialect.empty_is_null
        return [self.literal(label) for label in labels if not (lost and label == "")]


def holds_text(column: Column) -> bool:
    """Tell whether the categories of a column are text."""
    return bool(column.categories) and isinstance(column.categories[0], str)


@dataclass
class Chain:
    """Steps of a query, each of which reads the one before; the first reads the table."""

    dialect: Dialect
    table: str | Sequence[str]
    stem: str  # of all names that are not the user's
    carried: list[str]  # columns of the table that every step passes on
    steps: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)  # of the user's names, within steps

    def rename(self, aliases: dict[str, str]) -> None:
        """Add a step that passes columns on under other names."""
        carried, self.carried = self.carried, []
        self.add([(aliases.get(name, name), self.dialect.quoted(name)) for name in carried])
        self.carried = [aliases.get(name, name) for name in carried]
        self.aliases = aliases

    def name(self, what: str | int) -> str:
        """Return a name of our own, in quotes."""
        return self.dialect.quoted(f"{self.stem}_{what}")

    @property
    def source(self) -> str:
        """The table or the step that comes next reads from."""
        return self.name(len(self.steps)) if self.steps else self.dialect.quoted(self.table)

    def add(self, columns: Sequence[tuple[str, str]]) -> None:
        """Add a step with the carried columns and the given ones: name and expression."""
        lines = [f"  {self.dialect.quoted(column)}" for column in self.carried]
        lines += [indented(self._aliased(text, name)) for name, text in columns]
        if self.dialect.order is not None or not lines:
            order = self.dialect.order or ""
            lines.append(f"  ROW_NUMBER() OVER ({order}) AS {self.name('row')}")
        self.add_text("SELECT\n" + ",\n".join(lines) + f"\nFROM {self.source}", self.dialect.fence)

    def add_text(self, body: str, fence: str = "") -> None:
        """Add a step by its text."""
        whole = f"{body}\n{fence}" if fence else body
        self.steps.append(f"{self.name(len(self.steps) + 1)} AS (\n{indented(whole)}\n)")

    def query(self, kept: Sequence[str], columns: Sequence[tuple[str, str]]) -> str:
        """Return the whole query: the steps, and a selection from the last one."""
        chosen = [self._kept(column) for column in kept]
        chosen += [self._aliased(text, name) for name, text in columns]
        steps = "WITH\n" + ",\n".join(self.steps) + "\n" if self.steps else ""
        return f"{steps}SELECT\n" + ",\n".join(map(indented, chosen)) + f"\nFROM {self.source}\n"

    def _kept(self, column: str) -> str:
        if column == "*":
            return "*"
        own = self.aliases.get(column)
        quoted = self.dialect.quoted(column)
        return quoted if own is None else self._aliased(self.dialect.quoted(own), column)

    def _aliased(self, text: str, name: str) -> str:
        return f"{text} AS {self.dialect.quoted(name)}"


def condition(question: Question, branch: int, writer: Writer) -> str | None:
    """Return when a question is answered with a branch; None if it never is."""
    if question.tokens:
        text = sql_expression(question.tokens, writer)
        return text if branch == int(question.backwards) else f"NOT ({text})"
    column, name = writer.schema.columns[question.feature], writer.name(question.feature)
    if column.kind != "numeric":
        codes = question.codes(len(column.categories))[branch]
        return is_one_of(name, writer.categories(column, codes))
    return in_interval(name, *question.interval(branch), writer)


def condition_or_missing(required: Requirement, writer: Writer) -> str | None:
    """Return when a requirement is met; None if it never is.

    Where a missing value meets it, all values of other branches must be excluded.
    """
    question = required.question
    if not required.or_missing:
        return condition(question, required.branch, writer)
    others = [branch for branch in range(question.n_branches) if branch != required.branch]
    texts = [text for b in others if (text := condition(question, b, writer)) is not None]
    if not texts:
        return "1 = 1"
    return f"({writer.name(question.feature)} IS NULL OR NOT ({' OR '.join(texts)}))"


def in_interval(name: str, low: float | None, high: float | None, writer: Writer) -> str | None:
    """Return low < x <= high, where None is no bound; None if no number is there."""
    number, nan = writer.dialect.number, writer.nan
    if writer.dialect.infinity is None:  # no number of the database is infinite
        if low == math.inf or high == -math.inf:
            return None
        low, high = None if low == -math.inf else low, None if high == math.inf else high
        if low is None and high is None:
            return f"{name} IS NOT NULL"
    if low is None and high == math.inf and not nan:
        return f"{name} IS NOT NULL"
    if high is None:
        assert low is not None  # a branch has a bound
        # NaN, where an engine has it, is above all numbers, but its difference is not below 0.
        return f"{number(low)} - {name} < 0" if nan else f"{name} > {number(low)}"
    above = "" if low is None else f"{name} > {number(low)} AND "
    return f"{above}{name} <= {number(high)}"


def is_one_of(name: str, literals: Sequence[str]) -> str | None:
    """Return whether a column holds one of some values; None if there are none."""
    if not literals:
        return None
    return f"{name} = {literals[0]}" if len(literals) == 1 else f"{name} IN ({', '.join(literals)})"


def case(pairs: Iterable[tuple[str, str]], otherwise: str, operand: str = "") -> str:
    """Return a CASE over conditions (or values of an operand) and results."""
    lines = [f"  WHEN {condition} THEN {_inner(result)}" for condition, result in pairs]
    if not lines:
        return otherwise
    return "\n".join([f"CASE {operand}".rstrip(), *lines, f"  ELSE {_inner(otherwise)}", "END"])


def lookup(name: str, results: Sequence[tuple[int, str]], first: tuple[str, str] | None) -> str:
    """Return the result that belongs to a whole number; equal results are written once."""
    groups: dict[str, list[str]] = {}
    for number, result in results:
        groups.setdefault(result, []).append(str(number))
    rest = max(groups, key=lambda result: len(groups[result]))
    pairs = [] if first is None else [first]
    for result, numbers in groups.items():
        if result != rest:
            pairs.append((is_one_of(name, numbers) or "", result))
    return case(pairs, rest)


def by_number(
    name: str,
    entries: Sequence[tuple[int, str, list[float]]],
    probabilities: bool,
    dialect: Dialect,
) -> list[str]:
    """Return the prediction, and if asked for the class shares, of the leaf or rule of a number."""
    texts = [lookup(name, [(number, said) for number, said, _ in entries], None)]
    for k in range(len(entries[0][2]) if probabilities else 0):
        shares = [(number, dialect.real_number(v[k])) for number, _, v in entries]
        texts.append(lookup(name, shares, None))
    return texts


def balanced_sum(terms: Sequence[str], zero: str = "0e0") -> str:
    """Return a sum in halves of halves: engines limit how deep an expression may be."""
    if len(terms) <= 4:
        return "\n+ ".join(terms) if terms else zero
    half = len(terms) // 2
    halves = (balanced_sum(terms[:half], zero), balanced_sum(terms[half:], zero))
    return "\n+ ".join(f"(\n{indented(text)}\n)" for text in halves)


def indented(text: str) -> str:
    """Return text two columns further right."""
    return "  " + _inner(text)


def _inner(text: str) -> str:
    """Return text whose lines after the first are two columns further right."""
    return text.replace("\n", "\n  ")


class _Part(NamedTuple):
    text: str
    rank: int = _ATOM
    may_be_nan: bool = False


def sql_expression(tokens: Sequence[Token], writer: Writer) -> str:
    """Return whether an expression is true, as a condition."""
    waiting: list[_Part] = []
    for token in tokens:
        if token.op == "column":
            waiting.append(_column(token.arg, writer))
        elif token.op == "constant":
            waiting.append(_Part(writer.dialect.real_number(token.value)))
        elif token.op == "sine":
            waiting.append(_Part(f"SIN({waiting.pop().text})", may_be_nan=True))
        elif token.op == "negate":
            waiting.append(_Part(f"NOT ({waiting.pop().text})", _NOT))
        elif token.op == "positive":
            zero = _Part(writer.dialect.real_number(0.0))
            waiting.append(_joined("greater", waiting.pop(), zero, writer.nan))
        elif token.op == "multiply" and writer.dialect.underflow_fails:
            right = waiting.pop()
            waiting.append(_product(waiting.pop(), right, writer.dialect))
        else:
            right = waiting.pop()
            waiting.append(_joined(token.op, waiting.pop(), right, writer.nan))
    return waiting[0].text


def _column(feature: int, writer: Writer) -> _Part:
    column, name = writer.schema.columns[feature], writer.name(feature)
    if column.kind == "numeric" or writer.coded:
        return _Part(f"CAST({name} AS {writer.dialect.real})", may_be_nan=column.kind == "numeric")
    pairs, real = enumerate(column.categories), writer.dialect.real_number
    listed = " ".join(f"WHEN {writer.literal(label)} THEN {real(code)}" for code, label in pairs)
    return _Part(f"CASE {name} {listed} END" if listed else "NULL")


def _joined(op: str, left: _Part, right: _Part, nan: bool) -> _Part:
    sign, rank = _SIGNS[op]
    before = left.text if left.rank >= rank else f"({left.text})"
    tight = right.rank > rank or (rank <= _NOT and right.rank == rank)
    text = f"{before} {sign} {right.text if tight else f'({right.text})'}"
    if rank != _SIGNS["greater"][1]:
        return _Part(text, rank, may_be_nan=rank > _NOT)
    known = [_is_number(side) for side in (left, right) if nan and side.may_be_nan]
    return _Part(f"CASE WHEN {' AND '.join(known)} THEN {text} END") if known else _Part(text, rank)


def _product(left: _Part, right: _Part, dialect: Dialect) -> _Part:
    """Return a product that is 0 where it would be too small for a double."""
    real = dialect.real_number
    text = _PRODUCT.format(
        left=left.text,
        right=right.text,
        zero=real(0.0),
        one=real(1.0),
        scale=real(2.0**538),
        low=real(2.0**-538),
        least=real(5e-324),
        bound=real(2.0**-537),
    )
    return _Part(text, may_be_nan=True)


def _is_number(part: _Part) -> str:
    """Return that a number is not NaN, which is above all numbers where an engine has it."""
    held = part.text if part.rank == _ATOM else f"({part.text})"
    return f"({held} <= 0 OR 0 - {held} < 0)"
