"""Pieces of SQL that the writers share: conditions, cases, sums, and a chain of steps.

A query that needs several steps is a chain of common table expressions. Each numbers its rows:
that has no use but one, engines do not merge steps that hold a window function, and merged steps
would repeat the expressions of the earlier ones over and over.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spinney._table import Schema
from spinney.export._literals import sql_name, sql_number, sql_value
from spinney.export._model import Question
from spinney.export._sql_expression import sql_expression


@dataclass
class Chain:
    """Steps of a query, each of which reads the one before; the first reads the table."""

    table: str | Sequence[str]
    stem: str  # of all names that are not the user's
    carried: list[str]  # columns of the table that every step passes on
    steps: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)  # of the user's names, within steps

    def rename(self, aliases: dict[str, str]) -> None:
        """Add a step that passes columns on under other names."""
        carried, self.carried = self.carried, []
        self.add([(aliases.get(name, name), sql_name(name)) for name in carried])
        self.carried = [aliases.get(name, name) for name in carried]
        self.aliases = aliases

    def name(self, what: str | int) -> str:
        """Return a name of our own, in quotes."""
        return sql_name(f"{self.stem}_{what}")

    @property
    def source(self) -> str:
        """The table or the step that comes next reads from."""
        return self.name(len(self.steps)) if self.steps else sql_name(self.table)

    def add(self, columns: Sequence[tuple[str, str]]) -> None:
        """Add a step with the carried columns and the given ones: name and expression."""
        lines = [f"  {sql_name(column)}," for column in self.carried]
        lines += [indented(_aliased(text, name)) + "," for name, text in columns]
        lines.append(f"  ROW_NUMBER() OVER () AS {self.name('row')}")
        body = "\n".join(["SELECT", *lines, f"FROM {self.source}"])
        self.steps.append(f"{self.name(len(self.steps) + 1)} AS (\n{indented(body)}\n)")

    def query(self, kept: Sequence[str], columns: Sequence[tuple[str, str]]) -> str:
        """Return the whole query: the steps, and a selection from the last one."""
        chosen = [self._kept(column) for column in kept]
        chosen += [_aliased(text, name) for name, text in columns]
        steps = "WITH\n" + ",\n".join(self.steps) + "\n" if self.steps else ""
        return f"{steps}SELECT\n" + ",\n".join(map(indented, chosen)) + f"\nFROM {self.source}\n"

    def _kept(self, column: str) -> str:
        if column == "*":
            return "*"
        own = self.aliases.get(column)
        return sql_name(column) if own is None else _aliased(sql_name(own), column)


def condition(question: Question, branch: int, schema: Schema, nan: bool) -> str | None:
    """Return when a question is answered with a branch; None if it never is."""
    if question.tokens:
        text = sql_expression(question.tokens, schema, nan)
        return text if branch == int(question.backwards) else f"NOT ({text})"
    column = schema.columns[question.feature]
    name = sql_name(column.name)
    if column.kind != "numeric":
        codes = question.codes(len(column.categories))[branch]
        return is_one_of(name, [sql_value(column.categories[code]) for code in codes])
    return in_interval(name, *question.interval(branch), nan)


def in_interval(name: str, low: float | None, high: float | None, nan: bool) -> str:
    """Return low < x <= high, where None is no bound."""
    if low is None and high == math.inf and not nan:
        return f"{name} IS NOT NULL"
    if high is None:
        assert low is not None  # a branch has a bound
        # NaN, where an engine has it, is above all numbers, but its difference is not below 0.
        return f"{sql_number(low)} - {name} < 0" if nan else f"{name} > {sql_number(low)}"
    above = "" if low is None else f"{name} > {sql_number(low)} AND "
    return f"{above}{name} <= {sql_number(high)}"


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
    name: str, entries: Sequence[tuple[int, str, list[float]]], probabilities: bool
) -> list[str]:
    """Return the prediction, and if asked for the class shares, of the leaf or rule of a number."""
    texts = [lookup(name, [(number, said) for number, said, _ in entries], None)]
    for k in range(len(entries[0][2]) if probabilities else 0):
        shares = [(number, sql_number(v[k], always_real=True)) for number, _, v in entries]
        texts.append(lookup(name, shares, None))
    return texts


def balanced_sum(terms: Sequence[str]) -> str:
    """Return a sum in halves of halves: engines limit how deep an expression may be."""
    if len(terms) <= 4:
        return "\n+ ".join(terms) if terms else "0e0"
    half = len(terms) // 2
    halves = (balanced_sum(terms[:half]), balanced_sum(terms[half:]))
    return "\n+ ".join(f"(\n{indented(text)}\n)" for text in halves)


def indented(text: str) -> str:
    """Return text two columns further right."""
    return "  " + _inner(text)


def _inner(text: str) -> str:
    """Return text whose lines after the first are two columns further right."""
    return text.replace("\n", "\n  ")


def _aliased(text: str, name: str) -> str:
    return f"{text} AS {sql_name(name)}"
