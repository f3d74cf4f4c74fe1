"""Constant tables of a header in C, and what trees and rules have in common there."""

from collections.abc import Iterable, Sequence
from typing import Any

from spinney._table import Schema
from spinney._table._schema import _as_text
from spinney.export._literals import c_number, c_text
from spinney.export._model import Question
from spinney.tree._tokens import Token

MARK = "\1"  # where the prefix goes; literals and comments never hold this character


class TestTable:
    """The questions of a model, with the cuts and category codes that they refer to."""

    def __init__(self) -> None:
        self._tests: list[str] = []
        self._cuts: list[float] = []
        self._codes: list[int] = []
        self._branches: list[int] = []
        self.expressions: list[tuple[Token, ...]] = []
        self._n_tokens = 0

    def __len__(self) -> int:
        return len(self._tests)

    def add(self, question: Question) -> None:
        """Add a question at the end."""
        if question.tokens:  # the slice of its tokens takes the place of that of cuts
            first = self._n_tokens
            self._n_tokens += len(question.tokens)
            self.expressions.append(question.tokens)
            row = (-1, first, self._n_tokens, 0, 0, int(question.backwards))
            self._tests.append(f"{{{', '.join(map(str, row))}}}")
            return
        begin = len(self._cuts), len(self._codes)
        self._cuts += question.cuts
        pairs = sorted((c, b) for b, group in enumerate(question.groups) for c in group)
        self._codes += [code for code, _ in pairs]
        self._branches += [branch for _, branch in pairs]
        places = (begin[0], len(self._cuts), begin[1], len(self._codes))
        row = (question.feature, *places, int(question.backwards))
        self._tests.append(f"{{{', '.join(map(str, row))}}}")

    def tables(self) -> list[str]:
        """Return the tables as code."""
        return [
            table("PREFIX_test", "PREFIX_tests", self._tests or ["{0, 0, 0, 0, 0, 0}"]),
            numbers("double", "PREFIX_cuts", self._cuts),
            numbers("int", "PREFIX_codes", self._codes),
            numbers("int", "PREFIX_branches", self._branches),
        ]


def named(code: str) -> str:
    """Return code of ours, marked where the prefix goes."""
    return code.replace("PREFIX_", MARK)


def column_tables(schema: Schema) -> list[str]:
    """Return the tables of names and categories."""
    begins, labels = [0], []
    for column in schema.columns:
        labels += [_as_text(label) for label in column.categories]
        begins.append(len(labels))
    return [
        enum("PREFIX_n_features", len(schema.columns)),
        texts("PREFIX_features", schema.names),
        texts("PREFIX_categories", labels),
        numbers("int", "PREFIX_category_begin", begins),
    ]


def class_tables(classes: Sequence[Any] | None) -> list[str]:
    """Return the table of the classes; nothing for regression."""
    if classes is None:
        return []
    words = [label if isinstance(label, str) else str(label) for label in classes]
    return [texts("PREFIX_classes", words), enum("PREFIX_n_classes", len(words))]


def enum(name: str, value: int) -> str:
    """Return a constant whole number."""
    return named(f"enum {{ {name} = {value} }};")


def texts(name: str, words: Iterable[str]) -> str:
    """Return a table of text."""
    return table("char *const", name, [c_text(word) for word in words] or ['""'])


def numbers(kind: str, name: str, values: Sequence[float]) -> str:
    """Return a table of numbers, eight to a line."""
    written = [c_number(v) if kind == "double" else str(v) for v in values] or ["0"]
    lines = [", ".join(written[i : i + 8]) for i in range(0, len(written), 8)]
    return table(kind, name, lines)


def table(kind: str, name: str, entries: Sequence[str]) -> str:
    """Return a constant array; the comma goes before the comment of an entry."""
    lines = []
    for entry in entries:
        text, mark, comment = entry.partition(" /* ")
        if entry.startswith('"'):  # text may hold the mark itself
            text, mark, comment = entry, "", ""
        lines.append(f"  {text},{mark}{comment}")
    return "\n".join([named(f"static const {kind} {name}[] = {{"), *lines, "};"])
