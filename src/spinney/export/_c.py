"""Export to C: one header of constant tables and a short loop that includes no other header."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spinney._expression.tokens import OPS, SERIES, Token, most_waiting
from spinney._table import Schema
from spinney._table._schema import _as_text
from spinney.ensemble._voting_rules import SLACK
from spinney.export._ensemble_model import EnsembleModel, read_model
from spinney.export._literals import c_number, c_text, comment_text, with_sine_constants
from spinney.export._model import Question, RuleModel, TreeModel, TreeNode, read_template

_CODE = read_template("model.h.txt")
_OR_MISSING = " || (PREFIX_or_missing[t] && PREFIX_answer(test, row) < 0)"
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
    - ``model_predict_proba(row, out)``: the class probabilities;
    - of ensembles ``model_predict_many(rows, n_rows, out)``: the predictions of rows that stand one
      after the other in memory, many times as fast where all tests are plain thresholds.

    A row is an array of double, one for each column. NaN is missing, so do not compile with
    ``-ffast-math``. The header includes no other, but for ``math.h`` if a test uses the sine or
    the model is AdaBoost: link with ``-lm`` then.

    Parameters
    ----------
    model : Tree, RuleSet, or fitted estimator of one tree or of many
        The model. Rules after `RuleSet.prune` become an ordered table of rules; all paths of a tree
        (`tree.rules()`) become the tree. Ensembles of trees, and votes of trees with abstention,
        whose label comes after the classes in ``model_classes``.
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
    if isinstance(read, EnsembleModel):
        what, kind, tables, code = ensemble_parts(read)
    elif isinstance(read, RuleModel):
        what, kind, tables = "Ordered rules", _CODE["RULE_TYPE"], _rule_tables(read)
        code = _CODE["RULE"].replace("@OR_MISSING", _OR_MISSING if read.has_gaps else "")
        code += _CODE["WHOLE"] + _answer_code(read.classes, False)
    else:
        what, kind, tables = "A decision tree", _CODE["NODE_TYPE"], _tree_tables(read)
        code = tree_code("LEAF") + _CODE["WHOLE"]
        if read.fractional:
            code = tree_code("SHARES") + (cheapest_code() if read.classes is not None else "")
        code += _answer_code(read.classes, read.fractional)
    includes = {"sine": "sine"} if "sine" in read.operations else {}
    if isinstance(read, EnsembleModel) and read.rule == "boost":
        includes["exp"] = "exponential"
    labels = read.labels if isinstance(read, EnsembleModel) else read.classes
    parts = [
        named(_head(what, includes, read.operations) + kind),
        *column_tables(read.schema),
        *class_tables(labels, None if read.classes is None else len(read.classes)),
        *tables,
        named(_inner(read.operations)),
        named(code),
    ]
    guard = f"{prefix.upper()}_H_INCLUDED"
    body = "\n".join(parts).replace(MARK, f"{prefix}_")
    return f"#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


def _answer_code(classes: Sequence[Any] | None, divides: bool) -> str:
    """Return the public functions of a tree or of rules."""
    if classes is None:
        return _CODE["REGRESSION"]
    body = _CODE["LABEL_SHARES" if divides else "LABEL_WHOLE"]
    return _CODE["LABEL"].replace("@BODY", body.rstrip("\n"))


def _head(what: str, includes: dict[str, str], operations: set[str]) -> str:
    """Return the beginning of the header; only the sine and the exponential need `math.h`."""
    words = " and ".join(f"the {word}" for word in includes.values())
    needs = f"math.h, for {words}" if includes else "no other header"
    head = _CODE["HEAD"].replace("@WHAT", what).replace("@NEEDS", needs)
    head += "\n#include <math.h>\n" if includes else ""
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
    tables = [*node_tables([tree], tree.n_outputs), enum("PREFIX_n_outputs", tree.n_outputs)]
    if tree.classes is not None and tree.fractional:
        tables += cost_tables(tree.cost, tree.n_outputs)
    return tables


def node_tables(trees: Sequence[TreeModel], width: int) -> list[str]:
    """Return the nodes of trees in one table, with their tests, answers and shares."""
    tests, nodes, begin = TestTable(), [], 0
    values: list[float] = []
    shares: list[float] = []
    for tree in trees:
        own = [1.0] * len(tree.nodes)
        for node in tree.nodes:
            first = len(tests)
            for question in node.questions:
                tests.add(question)
            place = len(values) // width if node.is_leaf else -1
            if node.is_leaf:
                values += [*tree.answers[node.id], *[0.0] * (width - tree.n_outputs)]
            label = tree.labels[node.id] if tree.labels else 0
            child = 0 if node.is_leaf else begin + node.children.start
            row = (first, len(tests), child, len(node.children), node.default)
            entry = ", ".join(map(str, (*row, place, label)))
            nodes.append(f"{{{entry}}} /* {begin + node.id}: {comment_text(node.text)} */")
            for below, share in zip(node.children, node.shares, strict=True):
                own[below] = share
        shares += own
        begin += len(tree.nodes)
    tables = [
        *tests.tables(),
        *_token_tables(tests.expressions),
        table("PREFIX_node", "PREFIX_nodes", nodes),
        numbers("double", "PREFIX_values", values),
    ]
    divided = [tree for tree in trees if tree.fractional]
    if divided:
        tables.append(numbers("double", "PREFIX_shares", shares))
        tables.append(enum("PREFIX_n_open", max(map(_most_open, divided))))
    return tables


def cost_tables(cost: list[list[float]] | None, width: int) -> list[str]:
    """Return the table by which a row that was divided gets its label."""
    n = range(width)
    rows = cost or [[float(i != j) for j in n] for i in n]
    return [
        numbers("double", "PREFIX_cost", [c for row in rows for c in row]),
        enum("PREFIX_has_cost", int(cost is not None)),
    ]


def tree_code(section: str, in_ensemble: bool = False) -> str:
    """Return the functions that send a row down one tree, or any tree of an ensemble."""
    marks = {"@ROOT": "", "@START": "", "@FIRST": "0", "@MIX": "mix", "@WIDTH": "n_outputs"}
    if in_ensemble:
        marks = {"@ROOT": "int root, ", "@START": " + root", "@FIRST": "root", "@MIX": "divide"}
        marks["@WIDTH"] = "n_own"
    code = _CODE[section]
    for mark, text in marks.items():
        code = code.replace(mark, text)
    return code


def cheapest_code(in_ensemble: bool = False) -> str:
    """Return the function that chooses the class of least cost."""
    return tree_code("CHEAPEST", in_ensemble)


def ensemble_parts(model: EnsembleModel) -> tuple[str, str, list[str], str]:
    """Return what the header of an ensemble says it is, its types, tables and functions."""
    trees = [member.tree for member in model.members]
    width = max(tree.n_outputs for tree in trees)
    divides, labels = model.is_fractional, model.votes and model.is_fractional
    tables = [*node_tables(trees, width), enum("PREFIX_n_own", width)]
    tables += _member_tables(model)
    if labels:
        tables += cost_tables(_member_cost(trees), width)
    code = tree_code("LEAF", True) + (tree_code("SHARES", True) if divides else "")
    code += cheapest_code(True) if labels else ""
    divided = _CODE["OWN_DIVIDED"].replace("@CHEAPEST", "PREFIX_cheapest(own)" if labels else "0")
    code += _CODE["OWN_WHOLE"].replace("@DIVIDED", divided if divides else "")
    code += _CODE["MEDIAN"] if model.rule == "median" else _CODE["SUMS"]
    if model.classes is not None:
        code += _choice_code(model)
    elif model.rule == "mean":
        code += _CODE["MEAN"]
    kind = _CODE["NODE_TYPE"] + _CODE["MEMBER_TYPE"]
    nodes = (node for tree in trees for node in tree.nodes)
    in_blocks = model.rule != "median" and not divides and all(map(_is_plain, nodes))
    if in_blocks:
        ranks = Ranks(trees)
        kind += _CODE["ROUTE_TYPE"].replace("@RANK", ranks.kind)
        tables += ranks.tables()
        if _votes_once(model):
            tables.append(numbers("int", "PREFIX_vote", _votes_of_nodes(model)))
    code += _many_code(model, in_blocks)
    return f"An ensemble of {len(trees)} trees", kind, tables, code


def _is_plain(node: TreeNode) -> bool:
    """Tell whether a test is one threshold, without others that stand in for it."""
    question = node.question
    return question is None or (
        not node.surrogates and len(question.cuts) == 1 and not question.backwards
    )


class Ranks:
    """Plain trees for many rows: each value is ranked once among the thresholds of its column."""

    LANES = 16  # rows side by side
    SHORT = 0xFFFF  # ranks and places below this are kept in 16 bits
    STACK = 1 << 15  # bytes that the ranks of a block of rows take, unless a group takes more

    def __init__(self, trees: Sequence[TreeModel]) -> None:
        self._trees = trees
        marks: dict[int, set[float]] = {}
        slots: set[tuple[int, bool]] = set()
        for node in self._asked():
            marks.setdefault(node.question.feature, set()).add(node.question.cuts[0])
            slots.add((node.question.feature, node.default == 1))
        self._marks = {column: sorted(marks[column]) for column in sorted(marks)}
        self._n_slots = max(len(slots), 1)
        fit = self.STACK // (4 * self.LANES * self._n_slots)
        self._block = self.LANES * min(max(fit, 1), 64)
        self._places = {slot: k * self._block for k, slot in enumerate(sorted(slots))}
        most = max([self._n_slots * self._block, *map(len, self._marks.values())])
        small = most < self.SHORT
        self.kind, self._above = ("short", 0xFFFF) if small else ("int", 0x7FFFFFFF)

    def _asked(self) -> Iterator[Any]:
        return (node for tree in self._trees for node in tree.nodes if node.question is not None)

    def tables(self) -> list[str]:
        """Return the tables as code."""
        values = [mark for marks in self._marks.values() for mark in marks]
        return [
            table("PREFIX_step", "PREFIX_steps", self._steps()),
            numbers("int", "PREFIX_levels", [int(_mean_depth(tree)) for tree in self._trees]),
            numbers("double", "PREFIX_marks", values),
            table("PREFIX_scale", "PREFIX_scales", self._scales() or ["{0, 0, 0, -1, -1}"]),
            enum("PREFIX_n_scales", len(self._marks)),
            enum("PREFIX_n_ranks", self._n_slots),
            enum("PREFIX_above", self._above),
            enum("PREFIX_lanes", self.LANES),
            enum("PREFIX_block", self._block),
        ]

    def _steps(self) -> list[str]:
        rank = {c: {mark: k for k, mark in enumerate(marks)} for c, marks in self._marks.items()}
        steps = []
        for tree in self._trees:
            for node in tree.nodes:
                step = (self._above, 0, node.id)
                if node.question is not None:
                    column, own = node.question.feature, node.question.cuts[0]
                    place = self._places[column, node.default == 1]
                    step = (rank[column][own], place, node.children.start)
                steps.append(f"{{{', '.join(map(str, step))}}}")
        return steps

    def _scales(self) -> list[str]:
        scales, begin = [], 0
        for column, marks in self._marks.items():
            low, high = (self._places.get((column, second), -1) for second in (False, True))
            scales.append(f"{{{column}, {begin}, {begin + len(marks)}, {low}, {high}}}")
            begin += len(marks)
        return scales


def _mean_depth(tree: TreeModel) -> float:
    """Return how many tests a row is asked, by the shares of the rows that trained the tree."""
    arriving = [1.0] + [0.0] * (len(tree.nodes) - 1)
    for node in tree.nodes:
        for child, share in zip(node.children, node.shares, strict=True):
            arriving[child] = arriving[node.id] * share
    return sum(arriving[node.id] for node in tree.nodes if not node.is_leaf)


def _votes_once(model: EnsembleModel) -> bool:
    """Tell whether every label of every member is a vote for one output, none for several."""
    return model.votes and all(
        sorted(place for place in member.places if place >= 0) == list(range(member.tree.n_outputs))
        for member in model.members
    )


def _votes_of_nodes(model: EnsembleModel) -> list[int]:
    """Return the output that each leaf of each tree votes for; 0 for other nodes."""
    return [
        member.places.index(member.tree.labels[node.id]) if node.is_leaf else 0
        for member in model.members
        for node in member.tree.nodes
    ]


def _many_code(model: EnsembleModel, in_blocks: bool) -> str:
    """Return the function that predicts many rows."""
    answer, decided = "int", "PREFIX_chosen(&sums[r * PREFIX_n_outputs])"
    if model.classes is None:
        answer, decided = "double", "sums[r] / PREFIX_n_members"
    code = _CODE["MANY" if in_blocks else "ONE_BY_ONE"].replace("@ANSWER", answer)
    for mark, text in _lane_code().items():
        code = code.replace(mark, text)
    code = code.replace("@ADD_LEAF", _CODE["ADD_VOTE" if _votes_once(model) else "ADD_SHARES"])
    return code.replace("@DECIDED", decided)


def _lane_code() -> dict[str, str]:
    """Return the steps of rows side by side, line by line: compilers keep them in registers so."""
    lanes = range(Ranks.LANES)
    level = [f"    a{r} = PREFIX_next(&steps[a{r}], ranks + {r});" for r in lanes]
    return {
        "@LANES": ", ".join(f"a{r} = 0" for r in lanes),
        "@GO_ON": "\n".join(level),
        "@KEEP": "\n".join(f"  at[{r}] = a{r};" for r in lanes),
    }


def _member_tables(model: EnsembleModel) -> list[str]:
    root, entries = 0, []
    for member in model.members:
        row = f"{root}, {int(member.tree.fractional)}, {c_number(member.weight)}"
        entries.append(f"{{{row}}}")
        root += len(member.tree.nodes)
    places = [place for member in model.members for place in member.places]
    sizes = [size for member in model.members for size in member.sizes]
    tables = [
        table("PREFIX_member", "PREFIX_members", entries),
        enum("PREFIX_n_members", len(entries)),
        enum("PREFIX_n_outputs", model.n_outputs),
    ]
    if model.rule == "median":
        return [*tables, enum("PREFIX_equal", int(model.equal))]
    tables += [numbers("int", "PREFIX_places", places), numbers("double", "PREFIX_sizes", sizes)]
    tables.append(enum("PREFIX_votes", int(model.votes)))
    if model.classes is None:
        return tables
    costs = [cost for row in model.cost or () for cost in row]
    given = enum("PREFIX_has_costs", int(model.cost is not None))
    return [*tables, numbers("double", "PREFIX_costs", costs), given]


def _member_cost(trees: Sequence[TreeModel]) -> list[list[float]] | None:
    """Return the costs by which trees that divide rows choose their labels."""
    divided = [tree for tree in trees if tree.fractional]
    cost, width = divided[0].cost, max(tree.n_outputs for tree in trees)
    if any(tree.cost != cost for tree in divided):
        raise ValueError("the trees have different cost_matrix, which no table of to_c can hold.")
    if cost is None:
        return None
    # Outputs that a tree does not have are never the cheapest.
    rows = [[*row, *[1e300] * (width - len(row))] for row in cost]
    return rows + [[0.0] * width for _ in range(width - len(rows))]


def _choice_code(model: EnsembleModel) -> str:
    """Return the functions that turn sums into classes and shares."""
    undecided, (share, strict) = "0", model.quorum
    if model.abstain is not None:
        sign, limit = ("<=", share + SLACK) if strict else ("<", share - SLACK)
        undecided = f"most {sign} {c_number(limit * model.total)}"
    shares = _CODE["SHARE_BOOSTED" if model.rule == "boost" else "SHARE_OF_SUMS"]
    code = _CODE["CHOICE"].replace("@UNDECIDED", undecided).replace("@SHARE", shares)
    return code.replace("@SLACK", c_number(model.slack))


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
    tests, wanted, gaps, written = TestTable(), [], [], []
    for place, entry in enumerate(rules.entries):
        first = len(tests)
        for required in entry.requirements:
            tests.add(required.question)
            wanted.append(required.branch)
            gaps.append(int(required.or_missing))
        row = ", ".join(map(str, (first, len(tests), place, entry.label)))
        written.append(f"{{{row}}} /* {place + 1}: {comment_text(entry.text)} */")
    return [
        *tests.tables(),
        *_token_tables(tests.expressions),
        numbers("int", "PREFIX_wanted", wanted),
        *([numbers("int", "PREFIX_or_missing", gaps)] if rules.has_gaps else []),
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


def class_tables(labels: Sequence[Any] | None, n_classes: int | None) -> list[str]:
    """Return the table of the classes, and of an abstention; nothing for regression."""
    if labels is None or n_classes is None:
        return []
    words = [label if isinstance(label, str) else str(label) for label in labels]
    return [texts("PREFIX_classes", words), enum("PREFIX_n_classes", n_classes)]


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
