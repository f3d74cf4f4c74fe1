"""SQL for the three kinds of model: trees with one path per row, fractional trees, ordered rules.

Trees with one path per row are nested CASE expressions. A row that no test can place falls through
to the surrogates and then to the default branch, which is written once, as ELSE. Parsers limit the
nesting of CASE, so a deep tree is cut into stages: each yields the number of the node reached, from
which the next one continues.

Fractional trees have one step for each level. It holds, for each test at that depth, the fraction
of the row that arrives and the branch taken (NULL if the value is missing), and for each class the
sum over the leaves above. The text grows with the number of nodes, not with the number of paths.

Ordered rules are one flat CASE with a line for each rule and the default as ELSE.
"""

from collections.abc import Callable
from typing import Any

from spinney.export._literals import sql_number, sql_value
from spinney.export._model import RuleEntry, RuleModel, TreeModel, TreeNode
from spinney.export._sql_syntax import Chain, balanced_sum, by_number, case, condition, lookup

_DEEPEST_CASE = 10  # SQLite before 3.46 has a parser's stack of 100 entries, about 6 for a level
MOST_TESTS = 900  # at one depth: each takes two columns, and SQLite's tables have up to 2,000
_BETTER = sql_number(1.0 - 1e-12)  # as in the core: costs closer than rounding are ties
_LONG = 16  # tokens of an expression, which needs some of the stack for itself


def deepest_case(model: TreeModel) -> int:
    """Return how many levels of a tree are written as one expression."""
    longest = max((len(s.question.tokens) for s in model.nodes if s.question), default=0)
    return _DEEPEST_CASE if longest <= _LONG else _DEEPEST_CASE // 2


def case_expression(model: TreeModel, nan: bool) -> str:
    """Return a tree of limited depth as one expression."""
    return _subtree(model, 0, deepest_case(model), lambda node: _node_literal(model, node), nan)


def add_stages(chain: Chain, model: TreeModel, nan: bool) -> str:
    """Add the steps that find the leaf of a row; return the column that holds its number."""
    entries, column = [0], chain.name("node")
    plain, deepest = f"{chain.stem}_node", deepest_case(model)
    while entries:
        reached: list[int] = []
        pairs = [
            (str(node), _subtree(model, node, deepest, _number(reached), nan)) for node in entries
        ]
        text = pairs[0][1] if entries == [0] else case(pairs, column, operand=column)
        chain.add([(plain, text)])
        entries = [node for node in reached if not model.nodes[node].is_leaf]
    return column


def leaf_outputs(model: TreeModel, column: str, probabilities: bool) -> list[str]:
    """Return the prediction, and if asked for the class shares, by the number of the leaf."""
    leaves = [step.id for step in model.nodes if step.is_leaf]
    entries = [(leaf, _node_literal(model, leaf), model.answers[leaf]) for leaf in leaves]
    return by_number(column, entries, probabilities)


def _number(reached: list[int]) -> Callable[[int], str]:
    """Return a writer of node numbers that notes which ones it wrote."""

    def write(node: int) -> str:
        reached.append(node)
        return str(node)

    return write


def _subtree(
    model: TreeModel, node: int, depth: int, write: Callable[[int], str], nan: bool
) -> str:
    """Return the tests below a node, to a depth; `write` gives the text where they end."""
    step = model.nodes[node]
    if step.is_leaf or depth == 0:
        return write(node)
    below = [_subtree(model, child, depth - 1, write, nan) for child in step.children]
    answers = _answers(step, model, nan)
    if not step.surrogates:
        pairs = [(text, below[branch]) for text, branch in answers if branch != step.default]
        return case(pairs, below[step.default])
    while answers and answers[-1][1] == step.default:
        answers.pop()
    choice = case([(text, str(branch)) for text, branch in answers], str(step.default))
    pairs = [(str(branch), text) for branch, text in enumerate(below)]
    return case(pairs[:-1], below[-1], operand=choice.replace("\n", "\n  "))


def _answers(step: TreeNode, model: TreeModel, nan: bool) -> list[tuple[str, int]]:
    """Return the conditions in the order in which they are tried, and the branches they choose."""
    found = []
    for question in step.questions:
        for branch in range(question.n_branches):
            text = condition(question, branch, model.schema, nan)
            if text is not None:
                found.append((text, branch))
    return found


def add_levels(chain: Chain, model: TreeModel, nan: bool) -> list[str]:
    """Add the steps that sum the answers of the leaves; return the columns that hold the sums."""
    sums = [f"{chain.stem}_sum{k}" for k in range(model.n_outputs)]
    root = model.nodes[0]
    if root.is_leaf:
        chain.add([(name, _real(v)) for name, v in zip(sums, model.answers[0], strict=True)])
        return sums
    level = [root]
    chain.add([*_arrivals(chain, model, root, "1e0", nan), *((name, "0e0") for name in sums)])
    while level:
        columns, below = [], []
        for step in level:
            for branch, child in enumerate(step.children):
                if not model.nodes[child].is_leaf:
                    share = _share(chain, step, branch)
                    columns += _arrivals(chain, model, model.nodes[child], share, nan)
                    below.append(model.nodes[child])
        if len(below) > MOST_TESTS:
            raise ValueError(
                f"the tree asks {len(below)} tests at one depth. A row with gaps may go down all "
                "of them, which takes SQL two columns each, and databases limit these: at most "
                f"{MOST_TESTS} tests are written. Prune the tree, or export it by to_c or "
                "to_python."
            )
        for k, name in enumerate(sums):
            terms = [_leaf_term(chain, model, step, k) for step in level]
            own = chain.name(f"sum{k}")
            columns.append((name, balanced_sum([own, *(term for term in terms if term)])))
        chain.add(columns)
        level = below
    return sums


def add_label(chain: Chain, model: TreeModel, probabilities: bool) -> str:
    """Add the steps that choose the class of least expected cost; return the expression of it."""
    assert model.classes is not None
    count = len(model.classes)
    sums = [chain.name(f"sum{k}") for k in range(count)]
    kept = [(f"{chain.stem}_sum{k}", sums[k]) for k in range(count if probabilities else 0)]
    costs = [(f"{chain.stem}_cost{j}", _expected(model, sums, j)) for j in range(count)]
    chain.add([*kept, *costs])
    least, best = chain.name("cost0"), "0"
    for j in range(1, count):
        ours = chain.name(f"cost{j}")
        cheaper = f"{ours} < {least} * {_BETTER}"
        later = [(f"{chain.stem}_cost{i}", chain.name(f"cost{i}")) for i in range(j + 1, count)]
        chain.add(
            [
                *kept,
                *later,
                (f"{chain.stem}_least", case([(cheaper, ours)], least)),
                (f"{chain.stem}_best", case([(cheaper, str(j))], best)),
            ]
        )
        least, best = chain.name("least"), chain.name("best")
    return lookup(best, [(j, sql_value(label)) for j, label in enumerate(model.classes)], None)


def _arrivals(
    chain: Chain, model: TreeModel, step: TreeNode, share: str, nan: bool
) -> list[tuple[str, str]]:
    """Return two columns of a test: the share of the row that arrives, and where it goes."""
    assert step.question is not None
    texts = [condition(step.question, b, model.schema, nan) for b in range(len(step.children))]
    pairs = [(text, str(branch)) for branch, text in enumerate(texts) if text is not None]
    name = f"{chain.stem}_branch{step.id}"
    return [(f"{chain.stem}_share{step.id}", share), (name, case(pairs, "NULL"))]


def _share(chain: Chain, step: TreeNode, branch: int) -> str:
    chosen, share = chain.name(f"branch{step.id}"), chain.name(f"share{step.id}")
    pairs = [
        (f"{chosen} = {branch}", share),
        (f"{chosen} IS NULL", f"{share} * {_real(step.shares[branch])}"),
    ]
    return case(pairs, "0e0")


def _leaf_term(chain: Chain, model: TreeModel, step: TreeNode, k: int) -> str:
    """Return what the leaves right below a test add to a sum; empty if it has none."""
    chosen = chain.name(f"branch{step.id}")
    everywhere, results = 0.0, []
    for branch, child in enumerate(step.children):
        value = model.answers[child][k] if model.nodes[child].is_leaf else 0.0
        everywhere += step.shares[branch] * value
        results.append((branch, _real(value)))
    if not any(model.nodes[child].is_leaf for child in step.children):
        return ""
    text = lookup(chosen, results, (f"{chosen} IS NULL", _real(everywhere)))
    return f"{chain.name(f'share{step.id}')} * {text}"


def _expected(model: TreeModel, sums: list[str], label: int) -> str:
    """Return the expected cost of a label, given the sums of the classes."""
    if model.cost is None:
        return balanced_sum(sums) + f"\n- {sums[label]}"
    terms = [f"{name} * {_real(row[label])}" for name, row in zip(sums, model.cost, strict=True)]
    return balanced_sum(terms)


def _real(value: float) -> str:
    return sql_number(value, always_real=True)


def rules_expression(rules: RuleModel, nan: bool) -> str:
    """Return what ordered rules predict as one expression."""
    return _first(rules, [_rule_literal(rules, entry) for entry in rules.entries], nan)


def add_rules(chain: Chain, rules: RuleModel, nan: bool) -> list[str]:
    """Add the step that finds the rule which decides; return the prediction and class shares."""
    numbers = [str(place) for place in range(len(rules.entries))]
    chain.add([(f"{chain.stem}_rule", _first(rules, numbers, nan))])
    literals = [_rule_literal(rules, entry) for entry in rules.entries]
    answers = [entry.answer for entry in rules.entries]
    found = list(zip(range(len(answers)), literals, answers, strict=True))
    return by_number(chain.name("rule"), found, probabilities=True)


def _first(rules: RuleModel, results: list[str], nan: bool) -> str:
    """Return the result of the first rule that fires."""
    pairs = []
    for entry, result in zip(rules.entries[:-1], results, strict=False):
        texts = []
        for required in entry.requirements:
            text = condition(required.question, required.branch, rules.schema, nan)
            assert text is not None  # rules that cannot match have been left out
            texts.append(f"({text})" if required.question.tokens else text)
        pairs.append((" AND ".join(texts) or "TRUE", result))
    return case(pairs, results[-1])


def _rule_literal(rules: RuleModel, entry: RuleEntry) -> str:
    return _literal(rules.classes, entry.answer, entry.label)


def _node_literal(model: TreeModel, node: int) -> str:
    return _literal(model.classes, model.answers[node], model.labels[node] if model.labels else 0)


def _literal(classes: list[Any] | None, answer: list[float], label: int) -> str:
    """Return a prediction as a literal."""
    return _real(answer[0]) if classes is None else sql_value(classes[label])
