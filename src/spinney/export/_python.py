"""Export to a Python module without imports: tables and a short loop."""

from typing import Any

from spinney._expression.tokens import SERIES, Token
from spinney._table import Schema
from spinney.ensemble._voting_rules import SLACK
from spinney.export._ensemble_model import EnsembleModel, read_model
from spinney.export._literals import comment_text, python_value, with_sine_constants
from spinney.export._model import (
    Question,
    Requirement,
    RuleModel,
    TreeModel,
    read_template,
)

_CODE = read_template("model.py.txt")
_ABOUT_TESTS = (
    "# A test: column, cuts (branch i holds cuts[i-1] < x <= cuts[i]), or the branch of each",
    "# category's number, and whether branches count from the end.",
)
_ABOUT_EXPRESSIONS = (
    "# A test of column -1 is an expression: operations with their operands, in postfix order.",
    "# It is true in branch 0, or if branches count from the end, in branch 1.",
)

_ABOUT_MEMBERS = (
    "# A node: its test and those that stand in for it, its first child, the branch by default,",
    "# and the share of each child. A leaf: nothing, then its answer, and its label.",
    "# A tree: its nodes, whether it divides rows with gaps, its costs, and what it counts: its",
    "# weight, and for each class which of its own answers speaks for it, among how many.",
)


def to_python(model: Any) -> str:
    """Return a Python module without imports, with the exact predictions of the model.

    (The module imports `math` if a test uses the sine, or for the probabilities of AdaBoost.)

    The module defines ``predict(row)`` and, for classification, ``predict_proba(row)``, a list in
    the order of its ``CLASSES``. A row is a dict by column name, or a sequence in the order of the
    columns. None and NaN are missing. Unseen categories are treated as missing.

    Parameters
    ----------
    model : Tree, RuleSet, or fitted estimator of one tree or of many
        The model. Rules after `RuleSet.prune` become an ordered table of rules; all paths of a tree
        (`tree.rules()`) become the tree. Ensembles of trees, and votes of trees with abstention.

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
    if isinstance(read, EnsembleModel):
        what = f"An ensemble of {len(read.members)} trees"
        tables, how = _ensemble_tables(read), _ensemble_code(read)
    elif isinstance(read, RuleModel):
        meets = "in wanted" if read.has_gaps else "== wanted"
        what, tables = "Ordered rules", _rule_table(read)
        how = [_CODE["RULE"].replace("@MEETS", meets)]
    else:
        what, tables = "A decision tree", _tree_tables(read)
        names = ("DIVIDE", "SHARES") if read.fractional else ("LEAF", "WHOLE")
        how = [_CODE[name] for name in names]
    labels = read.labels if isinstance(read, EnsembleModel) else read.classes
    parts = [_CODE["HEAD"].replace("@WHAT", what), *_imports(read)]
    parts += [] if labels is None else [f"CLASSES = {_tuple(labels)}"]
    parts += [*_column_tables(read.schema), *tables, *_column_code(read.operations), *how]
    if not isinstance(read, EnsembleModel):
        parts.append(_CODE["REGRESSION"] if read.classes is None else _CODE["LABEL"])
    return "\n".join(parts) + "\n"


def _imports(model: TreeModel | RuleModel | EnsembleModel) -> list[str]:
    lines = []
    if isinstance(model, EnsembleModel) and model.rule == "boost":
        lines.append("from math import exp")
    return [*lines, *_expression_head(model.operations)]


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
    lines += _node_lines(tree)
    return [*lines, ")", f"COST = {_cost(tree.cost)}"]


def _node_lines(tree: TreeModel) -> list[str]:
    lines = []
    for node in tree.nodes:
        if node.is_leaf:
            label = tree.labels[node.id] if tree.labels else None
            entry = f"((), {_tuple(tree.answers[node.id])}, {label})"
        else:
            tests = ", ".join(map(_test, node.questions))
            shares = _tuple(node.shares) if tree.fractional else "()"
            entry = f"(({tests},), {node.children.start}, {node.default}, {shares})"
        lines.append(f"    {entry},  # {node.id}: {comment_text(node.text)}")
    return lines


def _cost(cost: list[list[float]] | None) -> str:
    return "None" if cost is None else f"({', '.join(map(_tuple, cost))},)"


def _ensemble_tables(model: EnsembleModel) -> list[str]:
    lines = [*_about_tests(model.operations), *_ABOUT_MEMBERS, "MEMBERS = ("]
    for member in model.members:
        tree = member.tree
        rest = (member.weight, member.places, member.sizes)
        written = ", ".join((python_value(rest[0]), _tuple(rest[1]), _tuple(rest[2])))
        lines += [
            "((",
            *_node_lines(tree),
            f"), {tree.fractional}, {_cost(tree.cost)}, {written}),",
        ]
    lines += [")", f"N_OUTPUTS = {model.n_outputs}", f"VOTES = {model.votes}"]
    if model.classes is None:
        return [*lines, f"EQUAL = {model.equal}"]
    return [*lines, f"COSTS = {_cost(model.cost)}", f"SLACK = {model.slack!r}"]


def _ensemble_code(model: EnsembleModel) -> list[str]:
    code = [_CODE["LEAF"], *([_CODE["DIVIDE"]] if model.is_fractional else []), _CODE["SUMS"]]
    if model.classes is None:
        return [*code, _CODE["MEDIAN" if model.rule == "median" else "MEAN"]]
    undecided, (share, strict) = "False", model.quorum
    if model.abstain is not None:
        sign, limit = ("<=", share + SLACK) if strict else ("<", share - SLACK)
        undecided = f"most {sign} {limit * model.total!r}"
    shares = _CODE["SHARE_BOOSTED" if model.rule == "boost" else "SHARE_OF_SUMS"]
    choice = _CODE["CHOICE"].replace("@UNDECIDED", undecided)
    return [*code, choice.replace("@SHARE", shares.rstrip("\n"))]


def _rule_table(rules: RuleModel) -> list[str]:
    lines = [
        *_about_tests(rules.operations),
        "# A rule: tests, each with the branch that it must choose; its answer, and its label.",
        *(["# Of several branches any will do; None is that of a missing value."] * rules.has_gaps),
        "RULES = (",
    ]
    for place, entry in enumerate(rules.entries):
        pairs = "".join(
            f"({_test(r.question)}, {_wanted(r, rules.has_gaps)}), " for r in entry.requirements
        )
        written = f"(({pairs.rstrip(' ')}), {_tuple(entry.answer)}, {entry.label})"
        lines.append(f"    {written},  # {place + 1}: {comment_text(entry.text)}")
    return [*lines, ")"]


def _wanted(required: Requirement, several: bool) -> str:
    """Return the branch that a rule requires, or all those that will do."""
    if not several:
        return str(required.branch)
    return f"({required.branch}, {'None' if required.or_missing else ''})".replace(", )", ",)")


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
