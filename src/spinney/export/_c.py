"""Export to C: one header of constant tables and a short loop that includes no other header."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from spinney._expression.evaluate import SERIES
from spinney._expression.tokens import OPS, Token, most_waiting
from spinney._table import Schema
from spinney._table._schema import _as_text
from spinney.export._literals import c_number, c_text, comment_text, with_sine_constants
from spinney.export._model import Question, RuleModel, TreeModel, read_model
from spinney.export._templates import read_template

_CODE = read_template("model.h.txt")
MARK = "\1"  # where the prefix goes; literals and comments never hold this character


def to_c(model: Any, prefix: str = "model") -> str:
    """Return a C99 header, also valid C++, with the exact predictions of the model.

    The header includes no other, allocates no memory and does not recurse. It defines, for
    ``prefix="model"``:

    - ``model_n_features``, ``model_features[]``: the columns, in the order of a row;
    - ``model_category(column, text)``: the code of a category (UTF-8) in a row, NaN for an unseen
      one; categories that are numbers or booleans are passed as text;
    - ``model_n_classes``, ``model_classes[]``: the classes, as text;
    - ``model_predict(row)``: the index of the class in ``model_classes``, or the mean for
      regression;
    - ``model_predict_proba(row, out)``: the class probabilities.

    A row is an array of double, one for each column. NaN is missing, so do not compile with
    ``-ffast-math``. If a test uses the sine, the header includes ``math.h`` for large arguments:
    link with ``-lm``.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or RuleSet
        The model. Rules after `RuleSet.prune` become an ordered table of rules; all paths of a tree
        (`tree.rules()`) become the tree.
    prefix : str, default="model"
        Prefix of all names. Column names do not occur as C identifiers, so they may be arbitrary.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the prefix is not a C identifier, or the rules are only part of the paths of a tree.

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.export import to_c
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> "int loans_predict(const double *row)" in to_c(tree, "loans")
    True
    """
    _check_prefix(prefix)
    read = read_model(model)
    label = _CODE["LABEL_WHOLE"]
    if isinstance(read, RuleModel):
        what, kind, tables = "Ordered rules", _CODE["RULE_TYPE"], _rule_tables(read)
        decide = _CODE["RULE"] + _CODE["WHOLE"]
    else:
        what, kind, tables = "A decision tree", _CODE["NODE_TYPE"], _tree_tables(read)
        decide = _CODE["LEAF"] + _CODE["WHOLE"]
        if read.fractional:
            decide, label = _CODE["SHARES"], _CODE["LABEL_SHARES"]
    predict = _CODE["LABEL"].replace("@BODY", label.rstrip("\n"))
    parts = [
        named(_head(what, read.operations) + kind),
        *column_tables(read.schema),
        *tables,
        *class_tables(read.classes),
        named(_inner(read.operations)),
        named(decide),
        named(_CODE["REGRESSION"] if read.classes is None else predict),
    ]
    guard = f"{prefix.upper()}_H_INCLUDED"
    body = "\n".join(parts).replace(MARK, f"{prefix}_")
    return f"#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


def _head(what: str, operations: set[str]) -> str:
    """Return the beginning of the header; only the sine needs `math.h`."""
    needs = "math.h, for the sine" if "sine" in operations else "no other header"
    head = _CODE["HEAD"].replace("@WHAT", what).replace("@NEEDS", needs)
    head += "\n#include <math.h>\n" if "sine" in operations else ""
    return head + (_CODE["TOKEN_TYPE"] if operations else "")


def _inner(operations: set[str]) -> str:
    inner = _CODE["INNER"].replace("@EXPRESSION", _CODE["ASK"] if operations else "")
    return _expression_code(operations) + inner


def _check_prefix(prefix: str) -> None:
    """Refuse a prefix that is not a C identifier."""
    good = isinstance(prefix, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix)
    if not good:
        raise ValueError(
            f"prefix must be a name in C (a letter, then letters, digits and '_'), got {prefix!r}."
        )


def _tree_tables(tree: TreeModel) -> list[str]:
    tests, nodes = TestTable(), []
    values: list[float] = []
    for node in tree.nodes:
        first = len(tests)
        for question in node.questions:
            tests.add(question)
        place = len(values) // tree.n_outputs if node.is_leaf else -1
        values += tree.answers[node.id] if node.is_leaf else []
        label = tree.labels[node.id] if tree.labels else 0
        row = (first, len(tests), node.children.start, len(node.children), node.default)
        entry = ", ".join(map(str, (*row, place, label)))
        nodes.append(f"{{{entry}}} /* {node.id}: {comment_text(node.text)} */")
    tables = [
        *tests.tables(),
        *_token_tables(tests.expressions),
        table("PREFIX_node", "PREFIX_nodes", nodes),
        numbers("double", "PREFIX_values", values),
        enum("PREFIX_n_outputs", tree.n_outputs),
    ]
    if tree.fractional:
        shares = [1.0] * len(tree.nodes)
        for node in tree.nodes:
            for child, share in zip(node.children, node.shares, strict=True):
                shares[child] = share
        tables.append(numbers("double", "PREFIX_shares", shares))
        tables.append(enum("PREFIX_n_open", _most_open(tree)))
    if tree.classes is not None and tree.fractional:
        n = range(len(tree.classes))
        cost = tree.cost or [[float(i != j) for j in n] for i in n]
        tables.append(numbers("double", "PREFIX_cost", [c for row in cost for c in row]))
        tables.append(enum("PREFIX_has_cost", int(tree.cost is not None)))
    return tables


def _most_open(tree: TreeModel) -> int:
    """Return the size of the stack for a row that goes down several branches."""
    need = [1] * len(tree.nodes)
    for node in reversed(tree.nodes):
        waiting = sum(share > 0 for share in node.shares)
        for child, share in zip(node.children, node.shares, strict=True):
            waiting -= share > 0
            need[node.id] = max(need[node.id], need[child] + (waiting if share > 0 else 0))
    return max([need[0], *(len(node.children) for node in tree.nodes)])


def _rule_tables(rules: RuleModel) -> list[str]:
    tests, wanted, written = TestTable(), [], []
    for place, entry in enumerate(rules.entries):
        first = len(tests)
        for required in entry.requirements:
            tests.add(required.question)
            wanted.append(required.branch)
        row = ", ".join(map(str, (first, len(tests), place, entry.label)))
        written.append(f"{{{row}}} /* {place + 1}: {comment_text(entry.text)} */")
    return [
        *tests.tables(),
        *_token_tables(tests.expressions),
        numbers("int", "PREFIX_wanted", wanted),
        table("PREFIX_rule", "PREFIX_rules", written),
        numbers("double", "PREFIX_values", [v for entry in rules.entries for v in entry.answer]),
        enum("PREFIX_n_outputs", rules.n_outputs),
    ]


class TestTable:
    """The table of tests, with the cuts and category codes that they refer to."""

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
        """Append a test."""
        if question.tokens:  # the slice of its tokens takes the place of that of cuts
            first = self._n_tokens
            self._n_tokens += len(question.tokens)
            self.expressions.append(question.tokens)
            places = (first, self._n_tokens, 0, 0)
        else:
            cut_begin, code_begin = len(self._cuts), len(self._codes)
            self._cuts += question.cuts
            for code, branch in question.code_branches:
                self._codes.append(code)
                self._branches.append(branch)
            places = (cut_begin, len(self._cuts), code_begin, len(self._codes))
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
    """Mark the places of the prefix in a template."""
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


def _expression_code(operations: set[str]) -> str:
    """Return the functions that evaluate expressions; empty if there are none."""
    if not operations:
        return ""
    sine, case = "", ""
    if "sine" in operations:
        sine = with_sine_constants(_CODE["SINE"], c_number).replace("@COUNT", str(len(SERIES)))
        sine = numbers("double", "PREFIX_series", SERIES) + "\n" + sine
        case = "      case @SINE_OP: a = PREFIX_sine(a); break;\n"
    code = _CODE["EXPRESSION"].replace("@SINE_CASE", case).replace("@SINE\n", sine)
    for op in ("sine", *OPS):
        mark = "@SINE_OP" if op == "sine" else f"@{op.upper()}"
        code = code.replace(mark, str(OPS.index(op)))
    return code


def _token_tables(expressions: Sequence[Sequence[Token]]) -> list[str]:
    """Return the table of all tokens, and the size of the operand stack."""
    if not expressions:
        return []
    entries = [
        f"{{{OPS.index(token.op)}, {token.arg}, {c_number(token.value)}}}"
        for tokens in expressions
        for token in tokens
    ]
    most = max(most_waiting(tokens) for tokens in expressions)
    return [
        table("PREFIX_token", "PREFIX_tokens", entries),
        enum("PREFIX_n_waiting", most),
    ]
