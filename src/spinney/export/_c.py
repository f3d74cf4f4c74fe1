"""Models as C: one header of tables and a short loop, without any other header."""

import re
from collections.abc import Iterable
from typing import Any

from spinney.export._c_code import (
    HEAD,
    INNER,
    LEAF,
    NODE_TYPE,
    REGRESSION,
    RULE,
    RULE_TYPE,
    SHARES,
    WHOLE,
    label_code,
)
from spinney.export._c_expression import ASK, TOKEN_TYPE, expression_code, token_tables
from spinney.export._c_tables import (
    MARK,
    TestTable,
    class_tables,
    column_tables,
    enum,
    named,
    numbers,
    table,
)
from spinney.export._literals import comment_text
from spinney.export._model import TreeModel, read_tree
from spinney.export._rule_model import RuleModel, tree_or_rules


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
    ``-ffast-math``. Where a test asks the sine of a number, the header includes ``math.h``, for
    numbers far from 0: link with ``-lm``.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or RuleSet
        What to write. Rules after `RuleSet.prune` become a table of rules, the first of which that
        fires decides; all paths of a tree (`tree.rules()`) become the tree.
    prefix : str, default="model"
        How all names begin. No name in the header comes from the columns, so theirs may be any.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the prefix is no name, or the rules are only a part of the paths of a tree.

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
    found = tree_or_rules(model)
    parts = _rule_parts(found) if isinstance(found, RuleModel) else _tree_parts(read_tree(found))
    return _in_guard(parts, prefix)


def _tree_parts(tree: TreeModel) -> list[str]:
    head = _head("A decision tree", tree.operations) + NODE_TYPE
    parts = [named(head), *column_tables(tree.schema), *_tree_tables(tree)]
    parts += [*class_tables(tree.classes), named(_inner(tree.operations))]
    parts.append(named(SHARES if tree.fractional else LEAF + WHOLE))
    return [*parts, named(REGRESSION if tree.classes is None else label_code(tree.fractional))]


def _head(what: str, operations: set[str]) -> str:
    """Return the first lines; what `math.h` is needed for, only expressions ask."""
    needs = "math.h, for the sine" if "sine" in operations else "no other header"
    head = HEAD.replace("@WHAT", what).replace("@NEEDS", needs)
    head += "\n#include <math.h>\n" if "sine" in operations else ""
    return head + (TOKEN_TYPE if operations else "")


def _inner(operations: set[str]) -> str:
    inner = INNER.replace("@EXPRESSION", ASK if operations else "")
    return expression_code(operations) + inner


def _rule_parts(rules: RuleModel) -> list[str]:
    head = _head("Ordered rules", rules.operations) + RULE_TYPE
    parts = [named(head), *column_tables(rules.schema), *_rule_tables(rules)]
    parts += [*class_tables(rules.classes), named(_inner(rules.operations)), named(RULE + WHOLE)]
    return [*parts, named(REGRESSION if rules.classes is None else label_code(False))]


def _check_prefix(prefix: str) -> None:
    """Refuse a prefix that is no name in C."""
    good = isinstance(prefix, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix)
    if not good:
        raise ValueError(
            f"prefix must be a name in C (a letter, then letters, digits and '_'), got {prefix!r}."
        )


def _in_guard(parts: Iterable[str], prefix: str) -> str:
    """Return the text of a header, with the names that begin with the prefix."""
    guard = f"{prefix.upper()}_H_INCLUDED"
    body = "\n".join(parts).replace(MARK, f"{prefix}_")
    return f"#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


def _tree_tables(tree: TreeModel) -> list[str]:
    tests, nodes = TestTable(), []
    values: list[float] = []
    for step in tree.steps:
        first = len(tests)
        for question in () if step.question is None else (step.question, *step.stand_ins):
            tests.add(question)
        place = len(values) // tree.n_outputs if step.is_leaf else -1
        values += tree.answers[step.id] if step.is_leaf else []
        label = tree.labels[step.id] if tree.labels else 0
        row = (first, len(tests), step.children.start, len(step.children), step.default)
        entry = ", ".join(map(str, (*row, place, label)))
        nodes.append(f"{{{entry}}} /* {step.id}: {comment_text(step.said)} */")
    tables = [
        *tests.tables(),
        *token_tables(tests.expressions),
        table("PREFIX_node", "PREFIX_nodes", nodes),
        numbers("double", "PREFIX_values", values),
        enum("PREFIX_n_outputs", tree.n_outputs),
    ]
    if tree.fractional:
        shares = [1.0] * len(tree.steps)
        for step in tree.steps:
            for child, share in zip(step.children, step.shares, strict=True):
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
    """Return how many parts of a row may wait at once when it goes every way, first child first."""
    need = [1] * len(tree.steps)
    for step in reversed(tree.steps):
        waiting = sum(share > 0 for share in step.shares)
        for child, share in zip(step.children, step.shares, strict=True):
            waiting -= share > 0
            need[step.id] = max(need[step.id], need[child] + (waiting if share > 0 else 0))
    return max([need[0], *(len(step.children) for step in tree.steps)])


def _rule_tables(rules: RuleModel) -> list[str]:
    tests, wanted, entries = TestTable(), [], []
    for place, step in enumerate(rules.steps):
        first = len(tests)
        for want in step.wanted:
            tests.add(want.question)
            wanted.append(want.branch)
        row = ", ".join(map(str, (first, len(tests), place, step.label)))
        entries.append(f"{{{row}}} /* {place + 1}: {comment_text(step.said)} */")
    return [
        *tests.tables(),
        *token_tables(tests.expressions),
        numbers("int", "PREFIX_wanted", wanted),
        table("PREFIX_rule", "PREFIX_rules", entries),
        numbers("double", "PREFIX_values", [v for step in rules.steps for v in step.answer]),
        enum("PREFIX_n_outputs", rules.n_outputs),
    ]
