"""Models as C: one header of tables and a short loop, without any other header."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from spinney._table import Schema
from spinney._table._schema import _as_text
from spinney.export._c_code import HEAD, INNER, REGRESSION, SHARES, WHOLE, label_code
from spinney.export._literals import c_number, c_text, comment_text
from spinney.export._model import TreeModel, as_tree, read_tree

_MARK = "\1"  # where the prefix goes; literals and comments never hold this character


def to_c(model: Any, prefix: str = "model") -> str:
    """Return a header in C99, which is C++ too, that predicts exactly as the model does.

    The header needs no other one, allocates nothing and does not recurse. It defines, for
    ``prefix="model"``:

    - ``model_n_features``, ``model_features[]``: the columns, in the order of a row;
    - ``model_category(column, text)``: the number that stands for a category (as UTF-8) in a row,
      NaN for one that fit did not see; categories that are numbers or booleans are given as text;
    - ``model_n_classes``, ``model_classes[]``: the classes, as text;
    - ``model_predict(row)``: the place of the class in ``model_classes``, or for regression the
      mean;
    - ``model_predict_proba(row, out)``: the share of each class.

    A row is an array of double, one for each column. NaN is missing, so do not compile with
    ``-ffast-math``.

    Parameters
    ----------
    model : Tree or fitted estimator with `tree_`
        What to write.
    prefix : str, default="model"
        How all names begin. No name in the header comes from the columns, so theirs may be any.

    Returns
    -------
    str

    Examples
    --------
    >>> from spinney import Tree
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
    check_prefix(prefix)
    tree = read_tree(as_tree(model))
    parts = [named(HEAD), *_columns(tree.schema), *_tree_tables(tree)]
    if tree.classes is not None:
        parts.append(_texts("PREFIX_classes", map(_label_text, tree.classes)))
        parts.append(_enum("PREFIX_n_classes", len(tree.classes)))
    parts += [named(INNER), named(SHARES if tree.fractional else WHOLE)]
    parts.append(named(REGRESSION if tree.classes is None else label_code(tree.fractional)))
    return in_guard(parts, prefix)


def check_prefix(prefix: str) -> None:
    """Refuse a prefix that is no name in C."""
    good = isinstance(prefix, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix)
    if not good:
        raise ValueError(
            f"prefix must be a name in C (a letter, then letters, digits and '_'), got {prefix!r}."
        )


def in_guard(parts: Iterable[str], prefix: str) -> str:
    """Return the text of a header, with the names that begin with the prefix."""
    guard = f"{prefix.upper()}_H_INCLUDED"
    body = "\n".join(parts).replace(_MARK, f"{prefix}_")
    return f"#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


def named(code: str) -> str:
    """Return code of ours, marked where the prefix goes."""
    return code.replace("PREFIX_", _MARK)


def _columns(schema: Schema) -> list[str]:
    """Return the tables of names and categories."""
    begins, texts = [0], []
    for column in schema.columns:
        texts += [_as_text(label) for label in column.categories]
        begins.append(len(texts))
    return [
        _enum("PREFIX_n_features", len(schema.columns)),
        _texts("PREFIX_features", schema.names),
        _texts("PREFIX_categories", texts),
        _numbers("int", "PREFIX_category_begin", begins),
    ]


def _tree_tables(tree: TreeModel) -> list[str]:
    tests: list[str] = []
    nodes: list[str] = []
    cuts: list[float] = []
    codes: list[int] = []
    branches: list[int] = []
    values: list[float] = []
    for step in tree.steps:
        asked = () if step.question is None else (step.question, *step.stand_ins)
        first = len(tests)
        for question in asked:
            begin = len(cuts), len(codes)
            cuts += question.cuts
            pairs = sorted((c, b) for b, group in enumerate(question.groups) for c in group)
            codes += [code for code, _ in pairs]
            branches += [branch for _, branch in pairs]
            row = (begin[0], len(cuts), begin[1], len(codes), int(question.backwards))
            tests.append(f"{{{', '.join(map(str, (question.feature, *row)))}}}")
        place = len(values) // tree.n_outputs if step.is_leaf else -1
        values += tree.answers[step.id] if step.is_leaf else []
        label = tree.labels[step.id] if tree.labels else 0
        row = (first, len(tests), step.children.start, len(step.children), step.default)
        entry = ", ".join(map(str, (*row, place, label)))
        nodes.append(f"{{{entry}}} /* {step.id}: {comment_text(step.said)} */")
    tables = [
        _table("PREFIX_test", "PREFIX_tests", tests or ["{0, 0, 0, 0, 0, 0}"]),
        _table("PREFIX_node", "PREFIX_nodes", nodes),
        _numbers("double", "PREFIX_cuts", cuts),
        _numbers("int", "PREFIX_codes", codes),
        _numbers("int", "PREFIX_branches", branches),
        _numbers("double", "PREFIX_values", values),
        _enum("PREFIX_n_outputs", tree.n_outputs),
    ]
    if tree.fractional:
        shares = [1.0] * len(tree.steps)
        for step in tree.steps:
            for child, share in zip(step.children, step.shares, strict=True):
                shares[child] = share
        tables.append(_numbers("double", "PREFIX_shares", shares))
        tables.append(_enum("PREFIX_n_open", most_open(tree)))
    if tree.classes is not None and tree.fractional:
        n = range(len(tree.classes))
        cost = tree.cost or [[float(i != j) for j in n] for i in n]
        tables.append(_numbers("double", "PREFIX_cost", [c for row in cost for c in row]))
        tables.append(_enum("PREFIX_has_cost", int(tree.cost is not None)))
    return tables


def most_open(tree: TreeModel) -> int:
    """Return how many parts of a row may wait at once when it goes every way, first child first."""
    need = [1] * len(tree.steps)
    for step in reversed(tree.steps):
        waiting = sum(share > 0 for share in step.shares)
        for child, share in zip(step.children, step.shares, strict=True):
            waiting -= share > 0
            need[step.id] = max(need[step.id], need[child] + (waiting if share > 0 else 0))
    return max([need[0], *(len(step.children) for step in tree.steps)])


def _label_text(label: Any) -> str:
    return label if isinstance(label, str) else str(label)


def _enum(name: str, value: int) -> str:
    return named(f"enum {{ {name} = {value} }};")


def _texts(name: str, texts: Iterable[str]) -> str:
    return _table("char *const", name, [c_text(text) for text in texts] or ['""'])


def _numbers(kind: str, name: str, values: Sequence[float]) -> str:
    written = [c_number(v) if kind == "double" else str(v) for v in values] or ["0"]
    lines = [", ".join(written[i : i + 8]) for i in range(0, len(written), 8)]
    return _table(kind, name, lines)


def _table(kind: str, name: str, entries: Sequence[str]) -> str:
    """Return a constant array; the comma goes before the comment of an entry."""
    lines = []
    for entry in entries:
        text, mark, comment = entry.partition(" /* ")
        if entry.startswith('"'):  # text may hold the mark itself
            text, mark, comment = entry, "", ""
        lines.append(f"  {text},{mark}{comment}")
    return "\n".join([named(f"static const {kind} {name}[] = {{"), *lines, "};"])
