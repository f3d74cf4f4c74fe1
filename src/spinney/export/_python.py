"""Models as a Python module that imports nothing: tables and a short loop."""

from typing import Any

from spinney._table import Schema
from spinney.export._literals import comment_text, python_value
from spinney.export._model import Question, TreeModel, read_tree
from spinney.export._python_code import (
    ASK_EXPRESSION,
    COLUMNS,
    EXPRESSION,
    HEAD,
    LABEL,
    REGRESSION,
    RULE,
    SHARES,
    SINE,
    WHOLE,
)
from spinney.export._rule_model import RuleModel, tree_or_rules
from spinney.tree._tokens import Token
from spinney.tree._truth import FAR_SINE, INVERSE_PI, PI, SERIES, SHIFT

_ABOUT_TESTS = (
    "# A test: column, cuts (branch i holds cuts[i-1] < x <= cuts[i]), or the branch of each",
    "# category's number, and whether branches count from the end.",
)
_ABOUT_EXPRESSIONS = (
    "# A test of column -1 is an expression: operations with their operands, in postfix order.",
    "# It is true in branch 0, or if branches count from the end, in branch 1.",
)


def to_python(model: Any) -> str:
    """Return a Python module that predicts exactly as the model does, and imports nothing.

    (Where a test asks the sine of a number, it imports `math`, for numbers far from 0.)

    The module defines ``predict(row)`` and, for classes, ``predict_proba(row)``, a list in the
    order of its ``CLASSES``. A row is a dict by the names of the columns, or a sequence in their
    order. None and NaN are missing. Categories are given as they are; one that fit did not see
    counts as missing.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or RuleSet
        What to write. Rules after `RuleSet.prune` become a table of rules, the first of which that
        fires decides; all paths of a tree (`tree.rules()`) become the tree.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the rules are only a part of the paths of a tree.

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.export import to_python
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> module = {}
    >>> exec(to_python(tree), module)
    >>> module["predict"]({"income": 40}), module["predict_proba"]([None])
    ('good', [0.8, 0.2])
    """
    found = tree_or_rules(model)
    read = found if isinstance(found, RuleModel) else read_tree(found)
    if isinstance(read, RuleModel):
        what, tables, how = "Ordered rules", _rule_table(read), RULE
    else:
        what, tables = "A decision tree", _tree_tables(read)
        how = SHARES if read.fractional else WHOLE
    parts = [HEAD.replace("@WHAT", what), *_expression_head(read.operations)]
    parts += [] if read.classes is None else [f"CLASSES = {_tuple(read.classes)}"]
    parts += [*_column_tables(read.schema), *tables, *_column_code(read.operations), how]
    return "\n".join([*parts, REGRESSION if read.classes is None else LABEL]) + "\n"


def _expression_head(operations: set[str]) -> list[str]:
    """Return what expressions need at the top of the module."""
    lines = ['NAN = float("nan")'] if operations else []
    if "sine" in operations:
        lines = ["from math import sin", *lines, f"SERIES = {_tuple(SERIES)}"]
    return lines


def _column_code(operations: set[str]) -> list[str]:
    """Return the functions that answer tests, with those for expressions if there are any."""
    lines = [COLUMNS.replace("@EXPRESSION", ASK_EXPRESSION if operations else "")]
    lines += [EXPRESSION] if operations else []
    if "sine" in operations:
        names = {"FAR": FAR_SINE, "INVERSE_PI": INVERSE_PI, "SHIFT": SHIFT}
        names |= {f"PI{k}": part for k, part in enumerate(PI, start=1)}
        text = SINE
        for name, value in names.items():
            text = text.replace(f"@{name}", repr(value))
        lines.append(text)
    return lines


def _column_tables(schema: Schema) -> list[str]:
    """Return the names of the columns and, for those of categories, the number of each."""
    lines = ["# For each column of categories the number of each one; None for numbers."]
    lines.append("CODES = (")
    for column in schema.columns:
        codes = {label: code for code, label in enumerate(column.categories)}
        pairs = ", ".join(f"{python_value(label)}: {code}" for label, code in codes.items())
        lines.append("    None," if column.kind == "numeric" else f"    {{{pairs}}},")
    return [f"COLUMNS = {_tuple(schema.names)}", *lines, ")"]


def _tree_tables(tree: TreeModel) -> list[str]:
    lines = [
        *_about_tests(tree.operations),
        "# A node: its test and those that stand in for it, its first child, the branch by",
        "# default, and the share of each child. A leaf: nothing, then its answer, and its label.",
        "NODES = (",
    ]
    for step in tree.steps:
        if step.is_leaf:
            label = tree.labels[step.id] if tree.labels else None
            entry = f"((), {_tuple(tree.answers[step.id])}, {label})"
        else:
            tests = [_test(q) for q in (step.question, *step.stand_ins) if q is not None]
            shares = _tuple(step.shares) if tree.fractional else "()"
            entry = f"(({', '.join(tests)},), {step.children.start}, {step.default}, {shares})"
        lines.append(f"    {entry},  # {step.id}: {comment_text(step.said)}")
    cost = "None" if tree.cost is None else f"({', '.join(map(_tuple, tree.cost))},)"
    return [*lines, ")", f"COST = {cost}"]


def _rule_table(rules: RuleModel) -> list[str]:
    lines = [
        *_about_tests(rules.operations),
        "# A rule: tests, each with the branch that it must choose; its answer, and its label.",
        "RULES = (",
    ]
    for place, step in enumerate(rules.steps):
        pairs = "".join(f"({_test(want.question)}, {want.branch}), " for want in step.wanted)
        entry = f"(({pairs.rstrip(' ')}), {_tuple(step.answer)}, {step.label})"
        lines.append(f"    {entry},  # {place + 1}: {comment_text(step.said)}")
    return [*lines, ")"]


def _about_tests(operations: set[str]) -> tuple[str, ...]:
    return _ABOUT_TESTS + (_ABOUT_EXPRESSIONS if operations else ())


def _test(question: Question) -> str:
    if question.tokens:
        tokens = ", ".join(map(_token, question.tokens))
        return f"(-1, ({tokens},), {{}}, {question.backwards})"
    pairs = sorted((code, b) for b, group in enumerate(question.groups) for code in group)
    branches = ", ".join(f"{code}: {branch}" for code, branch in pairs)
    cuts = _tuple(question.cuts)
    return f"({question.feature}, {cuts}, {{{branches}}}, {question.backwards})"


def _token(token: Token) -> str:
    operands = {"column": str(token.arg), "constant": python_value(float(token.value))}
    return f'("{token.op}", {operands.get(token.op)})'


def _tuple(values: Any) -> str:
    written = [python_value(value) for value in values]
    return "()" if not written else f"({', '.join(written)},)"
