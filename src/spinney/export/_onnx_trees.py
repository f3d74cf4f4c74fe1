"""Trees and rules as operators of ONNX.

A tree ends in the place of a leaf, and tables say what the leaf predicts. A test without stand-ins
is a node of the operator; others are worked out before: all of their questions are small trees that
give the branch, or -1 where they cannot tell, and the first that can decides.
"""

from collections.abc import Sequence

import numpy as np

from spinney._expression.tokens import Token
from spinney.export._model import Question, Requirement, RuleModel, TreeModel, TreeNode
from spinney.export._onnx_graph import Ensemble, Graph, Step

_ROUNDING = 1e-12  # expected costs that are closer are ties


class Answers:
    """The table of the answers of questions: a branch, or -1.

    Parameters
    ----------
    graph : Graph
        Where it is computed.
    values : str
        The encoded rows.
    place_of : dict of int to int
        The column of `values` that holds a feature.
    n_values : int
        The number of columns of `values`.
    """

    def __init__(self, graph: Graph, values: str, place_of: dict[int, int], n_values: int) -> None:
        self._graph, self.values, self.place_of = graph, values, place_of
        self.n_values = n_values
        self._small = Ensemble(0)
        self._plain: dict[Question, int] = {}
        self._expressions: dict[Question, str] = {}
        self._order: list[Question] = []

    def note(self, question: Question) -> None:
        """Make sure that a question is answered."""
        if question in self._plain or question in self._expressions:
            return
        if question.tokens:
            self._expressions[question] = self._truth(question)
        else:
            self._plain[question] = len(self._plain)
            self._add_small(question)

    def write(self) -> None:
        """Compute the table; nothing can be noted after that."""
        parts = []
        if self._plain:
            self._small.n_outputs = len(self._plain)
            parts.append(self._small.write(self._graph, self.values))
        parts += list(self._expressions.values())
        self._order = [*self._plain, *self._expressions]
        self._places = {question: i for i, question in enumerate(self._order)}
        self.table = self._graph.joined(parts) if parts else ""

    def of(self, questions: Sequence[Question]) -> str:
        """Return the answers of some questions, a column each."""
        return self._graph.columns(self.table, [self._places[q] for q in questions])

    def _add_small(self, question: Question) -> None:
        """Add the tree of one question."""
        small, column = self._small, self.place_of[question.feature]
        output = self._plain[question]
        begin = len(small.steps)
        if question.groups:
            listed = [(b, group) for b, group in enumerate(question.groups) if group]
            for i, (branch, group) in enumerate(listed):
                leaf = small.leaf(output, float(branch))
                rest = begin + i + 1 if i + 1 < len(listed) else small.leaf(output, -1.0)
                codes = tuple(map(float, group))
                small.steps.append(Step(column, 0.0, codes, False, leaf, rest))
            small.begin(begin if listed else small.leaf(output, -1.0))
            return
        unknown = small.leaf(output, -1.0)
        small.steps.append(Step(column, np.inf, (), False, begin + 1, unknown))
        last = len(question.cuts)
        for place, cut in enumerate(question.cuts):
            leaf = small.leaf(output, _branch_at(question, place))
            rest = small.leaf(output, _branch_at(question, last)) if place + 1 == last else 0
            rest = rest or begin + place + 2
            small.steps.append(Step(column, cut, (), False, leaf, rest))
        small.begin(begin)

    def _truth(self, question: Question) -> str:
        """Return the column of answers of an expression."""
        graph = self._graph
        waiting: list[str] = []
        for token in question.tokens:
            if token.op == "column":
                waiting.append(graph.columns(self.values, [self.place_of[token.arg]]))
            elif token.op == "constant":
                waiting.append(graph.real([[token.value]]))
            else:
                _compute(graph, token, waiting)
        truth = waiting[0]
        true, false = (1.0, 0.0) if question.backwards else (0.0, 1.0)
        is_true = graph.add("Greater", truth, graph.real(0.0))
        known = graph.add("Where", is_true, graph.real([[true]]), graph.real([[false]]))
        return graph.add("Where", graph.add("IsNaN", truth), graph.real([[-1.0]]), known)


def _branch_at(question: Question, place: int) -> float:
    return float(len(question.cuts) - place if question.backwards else place)


def _compute(graph: Graph, token: Token, waiting: list[str]) -> None:
    """Do what a token says with the operands that wait; truths are 1, 0 and NaN."""
    if token.op == "sine":
        waiting.append(graph.add("Sin", waiting.pop()))
    elif token.op == "negate":
        waiting.append(graph.add("Sub", graph.real(1.0), waiting.pop()))
    elif token.op in ("add", "subtract", "multiply"):
        right = waiting.pop()
        names = {"add": "Add", "subtract": "Sub", "multiply": "Mul"}
        waiting.append(graph.add(names[token.op], waiting.pop(), right))
    elif token.op in ("both", "either"):
        right, left = waiting.pop(), waiting.pop()
        decides, op = (0.0, "Mul") if token.op == "both" else (1.0, "Add")
        alone = graph.add("Or", graph.equal(left, decides), graph.equal(right, decides))
        waiting.append(graph.add("Where", alone, graph.real(decides), graph.add(op, left, right)))
    else:
        right = graph.real(0.0) if token.op == "positive" else waiting.pop()
        left = waiting.pop()
        said = graph.add("Equal" if token.op == "equal" else "Greater", left, right)
        unknown = graph.add("Or", graph.add("IsNaN", left), graph.add("IsNaN", right))
        truth = graph.cast(said, "DOUBLE")
        waiting.append(graph.add("Where", unknown, graph.real(np.nan), truth))


# -- Trees


def needs_answers(node: TreeNode, has_sets: bool) -> bool:
    """Tell whether a test cannot be one node of the operator."""
    if node.question is None:
        return False
    is_set = bool(node.question.groups) and not has_sets
    many = bool(node.surrogates) or len(node.children) != 2
    return many or is_set or bool(node.question.tokens)


def leaf_places(
    graph: Graph, trees: Sequence[TreeModel], answers: Answers
) -> tuple[str, list[list[int]]]:
    """Return for each tree the column with the place of a row's leaf, and the leaves of each tree.

    Places count on through the trees, so that one table can hold all leaves.
    """
    asked = [node for tree in trees for node in tree.nodes if needs_answers(node, graph.has_sets)]
    columns = {id(node): answers.n_values + i for i, node in enumerate(asked)}
    values = answers.values
    if asked:
        values = graph.joined([values, _decided(graph, asked, answers)])
    ensemble, leaves = Ensemble(len(trees)), []
    for output, tree in enumerate(trees):
        leaves.append(_add_tree(ensemble, output, tree, columns, answers.place_of))
    return graph.cast(ensemble.write(graph, values), "INT64"), leaves


def _decided(graph: Graph, asked: Sequence[TreeNode], answers: Answers) -> str:
    """Return the branch of each node: by the first question that can tell, or the default."""
    most = max(len(node.questions) for node in asked)
    found = answers.of([node.questions[0] for node in asked])
    for i in range(1, most):
        other = answers.of([node.questions[min(i, len(node.questions) - 1)] for node in asked])
        found = graph.add("Where", graph.equal(found, -1.0), other, found)
    default = graph.real([[float(node.default) for node in asked]])
    return graph.add("Where", graph.equal(found, -1.0), default, found)


def _add_tree(
    ensemble: Ensemble,
    output: int,
    tree: TreeModel,
    columns: dict[int, int],
    place_of: dict[int, int],
) -> list[int]:
    """Add the steps of a tree; return its leaves in the order of their places."""
    leaves: list[int] = []
    at: dict[int, int] = {}  # of each node its step, or its leaf
    sizes = [
        max(0, len(node.children) - 1) if id(node) in columns else int(not node.is_leaf)
        for node in tree.nodes
    ]
    begins = np.cumsum([len(ensemble.steps), *sizes]).tolist()
    for node in tree.nodes:
        if node.is_leaf:
            at[node.id] = ensemble.leaf(output, float(len(ensemble.weights)))
            leaves.append(node.id)
        else:
            at[node.id] = begins[node.id]
    for node in tree.nodes:
        if not node.is_leaf:
            ensemble.steps += _steps(node, at, columns.get(id(node)), begins[node.id], place_of)
    ensemble.begin(at[0])
    return leaves


def _steps(
    node: TreeNode, at: dict[int, int], column: int | None, begin: int, place_of: dict[int, int]
) -> list[Step]:
    children = [at[child] for child in node.children]
    if column is not None:  # the branch is in a column
        last = len(children) - 1
        return [
            Step(
                column,
                b + 0.5,
                (),
                False,
                children[b],
                children[-1] if b + 1 == last else begin + b + 1,
            )
            for b in range(last)
        ]
    question = node.question
    assert question is not None
    place = place_of[question.feature]
    if question.groups:
        # What no branch lists goes where missing values go: to the side that is not asked for.
        asked = 1 - node.default
        codes = tuple(map(float, question.groups[asked]))
        if not codes:
            return [Step(place, -np.inf, (), False, children[asked], children[node.default])]
        return [Step(place, 0.0, codes, False, children[asked], children[node.default])]
    low, high = (0, 1) if not question.backwards else (1, 0)
    missing = node.default == low
    return [Step(place, question.cuts[0], (), missing, children[low], children[high])]


# -- Rows that are divided among branches


def divided(graph: Graph, tree: TreeModel, answers: Answers, row_like: str) -> str:
    """Return what a tree says of rows that may go down several branches: a column an output.

    Shares of the row are computed for all nodes of a level at once. `row_like` is a column of ones.
    """
    shares, level, total = row_like, [0], ""
    while level:
        leaves = [i for i, place in enumerate(level) if tree.nodes[place].is_leaf]
        if leaves:
            table = graph.real([tree.answers[level[i]] for i in leaves])
            part = graph.add("MatMul", graph.columns(shares, leaves), table)
            total = graph.add("Add", total, part) if total else part
        below = [
            (i, b, child)
            for i, place in enumerate(level)
            for b, child in enumerate(tree.nodes[place].children)
        ]
        if below:
            nodes = [tree.nodes[level[i]] for i, _, _ in below]
            said = answers.of([node.questions[0] for node in nodes])
            taken = graph.equal(said, [[float(b) for _, b, _ in below]])
            share = [[n.shares[b] for n, (_, b, _) in zip(nodes, below, strict=True)]]
            unknown = graph.add(
                "Where", graph.equal(said, -1.0), graph.real(share), graph.real(0.0)
            )
            factor = graph.add("Where", taken, graph.real(1.0), unknown)
            shares = graph.add("Mul", graph.columns(shares, [i for i, _, _ in below]), factor)
        level = [child for _, _, child in below]
    return total


def cheapest(graph: Graph, shares: str, cost: Sequence[Sequence[float]] | None, n: int) -> str:
    """Return the place of the class of least expected cost, as a column of doubles."""
    if cost is None:
        total = graph.add("ReduceSum", shares, graph.whole(1), keepdims=1)
        expected = graph.add("Sub", total, shares)
    else:
        expected = graph.add("MatMul", shares, graph.real(cost))
    least = graph.columns(expected, [0])
    best = graph.add("Mul", least, graph.real(0.0))
    for k in range(1, n):
        this = graph.columns(expected, [k])
        # A factor of 1 - 1e-12 would be 1 for optimizers that compare in single precision.
        slack = graph.add("Mul", least, graph.real(_ROUNDING))
        better = graph.add("Less", this, graph.add("Sub", least, slack))
        best = graph.add("Where", better, graph.real([[float(k)]]), best)
        least = graph.add("Where", better, this, least)
    return best


# -- Rules


def fired(graph: Graph, rules: RuleModel, answers: Answers, row_like: str) -> str:
    """Return the place of the first rule that holds; the default is the last."""
    asked = [
        (i, required) for i, entry in enumerate(rules.entries) for required in entry.requirements
    ]
    if not asked:
        return graph.cast(graph.add("Sub", row_like, graph.real(1.0)), "INT64")
    said = answers.of([required.question for _, required in asked])
    met = graph.equal(said, [[float(required.branch) for _, required in asked]])
    gaps = graph.constant(np.array([[required.or_missing for _, required in asked]]))
    met = graph.add("Or", met, graph.add("And", graph.equal(said, -1.0), gaps))
    unmet = graph.cast(graph.add("Not", met), "DOUBLE")
    belongs = np.zeros((len(asked), len(rules.entries)))
    for place, (i, _) in enumerate(asked):
        belongs[place, i] = 1.0
    missed = graph.add("MatMul", unmet, graph.real(belongs))
    holds = graph.cast(graph.equal(missed, 0.0), "INT32")
    return graph.add("ArgMax", holds, axis=1, keepdims=1)


def requirements_of(rules: RuleModel) -> list[Requirement]:
    """Return all requirements of all rules."""
    return [required for entry in rules.entries for required in entry.requirements]
