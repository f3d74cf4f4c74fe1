"""Export to a Python module without imports: tables and a short loop."""

from typing import Any

from spinney._expression.evaluate import SERIES
from spinney._expression.tokens import Token
from spinney._table import Schema
from spinney.export._literals import comment_text, python_value, with_sine_constants
from spinney.export._model import Question, RuleModel, TreeModel, read_model
from spinney.export._templates import read_template

_CODE = read_template("model.py.txt")
_ABOUT_TESTS = (
    "# A test: column, cuts (branch i holds cuts[i-1] < x <= cuts[i]), or the branch of each",
    "# category's number, and whether branches count from the end.",
)
_ABOUT_EXPRESSIONS = (
    "# A test of column -1 is an expression: operations with their operands, in postfix order.",
    "# It is true in branch 0, or if branches count from the end, in branch 1.",
)


def to_python(model: Any) -> str:
    """Return a Python module without imports, with the exact predictions of the model.

    (If a test uses the sine, the module imports `math` for large arguments.)

    The module defines ``predict(row)`` and, for classification, ``predict_proba(row)``, a list in
    the order of its ``CLASSES``. A row is a dict by column name, or a sequence in the order of the
    columns. None and NaN are missing. Unseen categories are treated as missing.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or RuleSet
        The model. Rules after `RuleSet.prune` become an ordered table of rules; all paths of a tree
        (`tree.rules()`) become the tree.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the rules are only part of the paths of a tree.

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
    read = read_model(model)
    if isinstance(read, RuleModel):
        what, tables, how = "Ordered rules", _rule_table(read), _CODE["RULE"]
    else:
        what, tables = "A decision tree", _tree_tables(read)
        how = _CODE["SHARES" if read.fractional else "WHOLE"]
    parts = [_CODE["HEAD"].replace("@WHAT", what), *_expression_head(read.operations)]
    parts += [] if read.classes is None else [f"CLASSES = {_tuple(read.classes)}"]
    parts += [*_column_tables(read.schema), *tables, *_column_code(read.operations), how]
    return (
        "\n".join([*parts, _CODE["REGRESSION"] if read.classes is None else _CODE["LABEL"]]) + "\n"
    )


def _expression_head(operations: set[str]) -> list[str]:
    """Return the definitions that expressions need."""
    lines = ['NAN = float("nan")'] if operations else []
    if "sine" in operations:
        lines = ["from math import sin", *lines, f"SERIES = {_tuple(SERIES)}"]
    return lines


def _column_code(operations: set[str]) -> list[str]:
    """Return the functions that evaluate tests and, if there are any, expressions."""
    lines = [_CODE["COLUMNS"].replace("@EXPRESSION", _CODE["ASK_EXPRESSION"] if operations else "")]
    lines += [_CODE["EXPRESSION"]] if operations else []
    if "sine" in operations:
        lines.append(with_sine_constants(_CODE["SINE"], repr))
    return lines


def _column_tables(schema: Schema) -> list[str]:
    """Return the tables of column names and category codes."""
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
    for node in tree.nodes:
        if node.is_leaf:
            label = tree.labels[node.id] if tree.labels else None
            entry = f"((), {_tuple(tree.answers[node.id])}, {label})"
        else:
            tests = ", ".join(map(_test, node.questions))
            shares = _tuple(node.shares) if tree.fractional else "()"
            entry = f"(({tests},), {node.children.start}, {node.default}, {shares})"
        lines.append(f"    {entry},  # {node.id}: {comment_text(node.text)}")
    cost = "None" if tree.cost is None else f"({', '.join(map(_tuple, tree.cost))},)"
    return [*lines, ")", f"COST = {cost}"]


def _rule_table(rules: RuleModel) -> list[str]:
    lines = [
        *_about_tests(rules.operations),
        "# A rule: tests, each with the branch that it must choose; its answer, and its label.",
        "RULES = (",
    ]
    for place, entry in enumerate(rules.entries):
        pairs = "".join(f"({_test(r.question)}, {r.branch}), " for r in entry.requirements)
        written = f"(({pairs.rstrip(' ')}), {_tuple(entry.answer)}, {entry.label})"
        lines.append(f"    {written},  # {place + 1}: {comment_text(entry.text)}")
    return [*lines, ")"]


def _about_tests(operations: set[str]) -> tuple[str, ...]:
    return _ABOUT_TESTS + (_ABOUT_EXPRESSIONS if operations else ())


def _test(question: Question) -> str:
    if question.tokens:
        tokens = ", ".join(map(_token, question.tokens))
        return f"(-1, ({tokens},), {{}}, {question.backwards})"
    branches = ", ".join(f"{code}: {branch}" for code, branch in question.code_branches)
    return f"({question.feature}, {_tuple(question.cuts)}, {{{branches}}}, {question.backwards})"


def _token(token: Token) -> str:
    operands = {"column": str(token.arg), "constant": python_value(float(token.value))}
    return f'("{token.op}", {operands.get(token.op)})'


def _tuple(values: Any) -> str:
    written = [python_value(value) for value in values]
    return "()" if not written else f"({', '.join(written)},)"
