"""The text of an expression, read back.

``sin(age) + bmi > 30 and sex = f`` becomes *items* in postfix order: tokens whose names, numbers
and categories are still text. What they mean is only known with the columns. Signs that the core
lacks are expressed by those that it has: ``a <= b`` is ``not (a > b)``, ``-x`` is ``-1 * x``.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from spinney._expression.expression_test import KEYWORDS
from spinney._expression.tokens import TAKES_TRUTH, Token
from spinney._format import join_words
from spinney._table import Column

_LEXEME = re.compile(
    r"""(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<word>[^\W\d][\w.]*)
    |(?P<name>`(?:[^`\\]|\\.)*`)
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<sign><=|>=|!=|==|[-+*()=<>])""",
    re.VERBOSE | re.DOTALL,
)
_RELATIONS = ("=", "==", "!=", ">", "<", ">=", "<=")
_DEEPEST = 50  # brackets within brackets; each takes nine calls


class Item(NamedTuple):
    """An operation of the core, or an operand that is not looked up yet.

    `op` is one of the core's, or "word" (a column or a category), "name" (a column), "text" (a
    category), "number" or "code".
    """

    op: str
    text: str = ""


class UnknownColumnError(ValueError):
    """A name in an expression is not that of a column."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no column {name!r}.")
        self.name = name


def read_expression(text: str) -> list[Item]:
    """Return the items of a logical expression, or raise an error that explains what is wrong."""
    reader = _Reader(_lexemes(text))
    items, is_truth = reader.either()
    if reader.place < len(reader.lexemes):
        raise ValueError(f"{reader.next.text!r} comes unexpectedly")
    if not is_truth:
        raise ValueError("it is a number, and not true or false")
    return items


def _lexemes(text: str) -> list[Item]:
    found, place = [], 0
    text = text.strip()
    while place < len(text):
        match = _LEXEME.match(text, place)
        if match is None:
            raise ValueError(f"{text[place : place + 20]!r} cannot be read")
        kind, word = str(match.lastgroup), match.group()
        if kind in ("name", "text"):
            word = _unescaped(word)
        elif kind == "word" and word in KEYWORDS:
            kind = "number" if word == "inf" else "sign"
        found.append(Item(kind, word))
        place = match.end()
        while place < len(text) and text[place].isspace():
            place += 1
    return found


def _unescaped(quoted: str) -> str:
    if quoted[0] == "`":
        body = re.sub(r"\\(.)", lambda m: m[1] if m[1] == "`" else m[0], quoted[1:-1], flags=re.S)
        quoted = '"' + re.sub(r'\\.|"', lambda m: m[0] if m[0] != '"' else '\\"', body) + '"'
    try:
        return str(ast.literal_eval(quoted))
    except SyntaxError:
        raise ValueError(f"{quoted} cannot be read") from None


class _Reader:
    """Reads lexemes from left to right.

    Each method returns items, and whether they are true or false rather than a number.
    """

    def __init__(self, lexemes: list[Item]) -> None:
        self.lexemes = lexemes
        self.place = 0
        self._depth = 0

    @property
    def next(self) -> Item:
        """The lexeme that comes next; an empty one at the end."""
        return self.lexemes[self.place] if self.place < len(self.lexemes) else Item("end", "")

    def _takes(self, *signs: str) -> str | None:
        """Go on if one of some signs comes next, and return it."""
        if self.next.op != "sign" or self.next.text not in signs:
            return None
        self.place += 1
        return self.lexemes[self.place - 1].text

    def either(self) -> tuple[list[Item], bool]:
        """Read what `or` joins."""
        items, is_truth = self._both()
        while self._takes("or"):
            self._add(items, is_truth, self._both(), "either")
        return items, is_truth

    def _both(self) -> tuple[list[Item], bool]:
        items, is_truth = self._negation()
        while self._takes("and"):
            self._add(items, is_truth, self._negation(), "both")
        return items, is_truth

    def _negation(self) -> tuple[list[Item], bool]:
        count = 0
        while self._takes("not"):
            count += 1
        items, is_truth = self._comparison()
        if count and not is_truth:
            raise ValueError("'not' needs something that is true or false")
        return items + [Item("negate")] * count, is_truth

    def _comparison(self) -> tuple[list[Item], bool]:
        left, is_truth = self._sum()
        found: list[Item] = []
        while sign := self._takes(*_RELATIONS):
            right, other_is_truth = self._sum()
            if is_truth or other_is_truth:
                raise ValueError(f"{sign!r} compares numbers or categories")
            before = bool(found)
            found += _related(left, sign, right)
            found += [Item("both")] if before else []  # 30 < age <= 45
            left = right
        return (found, True) if found else (left, is_truth)

    def _sum(self) -> tuple[list[Item], bool]:
        items, is_truth = self._product()
        while sign := self._takes("+", "-"):
            self._add(items, is_truth, self._product(), "add" if sign == "+" else "subtract")
        return items, is_truth

    def _product(self) -> tuple[list[Item], bool]:
        items, is_truth = self._signed()
        while self._takes("*"):
            self._add(items, is_truth, self._signed(), "multiply")
        return items, is_truth

    def _signed(self) -> tuple[list[Item], bool]:
        turned = False
        while sign := self._takes("+", "-"):
            turned ^= sign == "-"
        items, is_truth = self._operand()
        if not turned:
            return items, is_truth
        if is_truth:
            raise ValueError("'-' needs a number")
        if len(items) == 1 and items[0].op == "number":
            return [Item("number", "-" + items[0].text)], False
        return [Item("number", "-1"), *items, Item("multiply")], False

    def _operand(self) -> tuple[list[Item], bool]:
        found = self.next
        if self._takes("("):
            return self._bracket(self.either)
        if found.op not in ("number", "word", "name", "text"):
            raise ValueError(f"an operand is needed, got {found.text or 'the end'!r}")
        self.place += 1
        if found.op == "word" and found.text in ("sin", "code") and self._takes("("):
            items, is_truth = self._bracket(self._sum)
            if found.text == "sin" and not is_truth:
                return [*items, Item("sine")], False
            if found.text == "code" and [item.op for item in items] == ["number"]:
                return [Item("code", items[0].text)], False
            raise ValueError(f"{found.text}(...) needs a number")
        return [found], False

    def _bracket(self, read: Callable[[], tuple[list[Item], bool]]) -> tuple[list[Item], bool]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("it has too many brackets within brackets")
        items, is_truth = read()
        if not self._takes(")"):
            raise ValueError(f"')' is needed, got {self.next.text or 'the end'!r}")
        self._depth -= 1
        return items, is_truth

    def _add(
        self, items: list[Item], is_truth: bool, right: tuple[list[Item], bool], op: str
    ) -> None:
        if is_truth != (op in TAKES_TRUTH) or right[1] != (op in TAKES_TRUTH):
            wanted = "true or false" if op in TAKES_TRUTH else "numbers"
            raise ValueError(f"both sides of {_SHOWN[op]!r} must be {wanted}")
        items += [*right[0], Item(op)]


_SHOWN = {"both": "and", "either": "or", "add": "+", "subtract": "-", "multiply": "*"}


def _related(left: list[Item], sign: str, right: list[Item]) -> list[Item]:
    """Return a comparison by the two signs that the core has."""
    if sign in ("<", ">="):
        left, right = right, left
    op = "equal" if sign in ("=", "==", "!=") else "greater"
    turned = [Item("negate")] if sign in ("!=", "<=", ">=") else []
    return [*left, *right, Item(op), *turned]


# -- With the columns


class Use(NamedTuple):
    """How an expression uses a column: as a number, or compared with a literal."""

    name: str
    op: str  # "number", "equal" or "greater"
    literal: Item | None = None


def column_uses(items: Sequence[Item], places: Mapping[str, int]) -> Iterator[Use]:
    """Yield how an expression uses columns; raise an error at a name that is none."""
    for _, op, sides in _operations(items):
        names = [_column(side, places) for side in sides]
        for name, side, other in zip(names, sides, sides[::-1], strict=True):
            if op not in ("equal", "greater"):
                if name is not None:
                    yield Use(name, "number")
                elif side is not None and _is_label(side):
                    raise UnknownColumnError(side.text)
            elif name is not None and other is not None and _column(other, places) is None:
                yield Use(name, op, other)
            elif name is not None and other is None:
                yield Use(name, "number")
            elif name is None and _column(other, places) is None and _is_label(side):
                assert side is not None
                raise UnknownColumnError(side.text)


def tokens_of(
    items: Sequence[Item], columns: Sequence[Column], places: Mapping[str, int]
) -> tuple[Token, ...]:
    """Return an expression with its names, numbers and categories looked up."""
    for _ in column_uses(items, places):
        pass  # it raises an error at names that are none
    meant: dict[int, float] = {}  # by the place of the literal
    signs: set[int] = set()  # places of "> 0"
    for place, op, sides in _operations(items):
        if op not in ("equal", "greater"):
            continue
        left, right = sides
        names = _column(left, places), _column(right, places)
        plain = names[0] is None or columns[places[names[0]]].kind == "numeric"
        if op == "greater" and plain and right is not None and _is_zero(right):
            signs.add(place)
        elif names[0] is not None and right is not None and names[1] is None:
            meant[place - 1] = _literal(right, columns[places[names[0]]])
        elif names[1] is not None and left is not None and names[0] is None:
            meant[place - 2] = _literal(left, columns[places[names[1]]])
    tokens = []
    for place, item in enumerate(items):
        if place + 1 in signs:
            continue  # the 0 of "> 0"
        if place in meant:
            tokens.append(Token("constant", value=meant[place]))
        elif item.op in ("number", "code"):
            tokens.append(Token("constant", value=float(item.text)))
        elif item.op in ("word", "name"):
            tokens.append(Token("column", places[item.text]))
        else:
            tokens.append(Token("positive" if place in signs else item.op))
    return tuple(tokens)


def _operations(
    items: Sequence[Item],
) -> Iterator[tuple[int, str, tuple[Item | None, ...]]]:
    """Yield every operation: its place, and its operands where they are single items."""
    waiting: list[Item | None] = []
    for place, item in enumerate(items):
        if item.op in ("word", "name", "text", "number", "code"):
            waiting.append(item)
            continue
        takes = 1 if item.op in ("sine", "negate") else 2
        yield place, item.op, tuple(waiting[-takes:])
        del waiting[-takes:]
        waiting.append(None)


def _column(item: Item | None, places: Mapping[str, int]) -> str | None:
    """Return the name of the column that an operand is; None if it is something else."""
    if item is None or item.op not in ("word", "name"):
        return None
    if item.text in places:
        return item.text
    if item.op == "name":
        raise UnknownColumnError(item.text)
    return None


def _is_zero(item: Item) -> bool:
    return item.op == "number" and float(item.text) == 0.0


def _is_label(item: Item | None) -> bool:
    return item is not None and item.op in ("word", "text")


def _literal(item: Item, column: Column) -> float:
    """Return the number of a literal that is compared with a column."""
    if item.op == "code" or (item.op == "number" and column.kind == "numeric"):
        return float(item.text)
    code = column.code_of(item.text)
    if code is not None:
        return float(code)
    if column.kind == "numeric":
        raise ValueError(f"{item.text!r} is neither a column nor a number, as {column.name!r} is.")
    raise ValueError(
        f"{item.text!r} is not a category of {column.name!r}; they are "
        f"{join_words(column.categories)}."
    )
