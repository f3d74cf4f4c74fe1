"""SQL for single models: trees with one path per row, fractional trees, ordered rules.

Trees with one path per row are nested CASE expressions. A row that no test can place falls through
to the surrogates and then to the default branch, which is written once, as ELSE. Parsers limit the
nesting of CASE, so a deep tree is cut into stages: each yields the number of the node reached, from
which the next one continues.

Fractional trees have one step for each level. It holds, for each test at that depth, the fraction
of the row that arrives and the branch taken (NULL if the value is missing), and for each class the
sum over the leaves above. The text grows with the number of nodes, not with the number of paths.

Ordered rules are one flat CASE with a line for each rule and the default as ELSE.

A *walk* yields the columns of one step after the other, so that the trees of an ensemble can share
steps; `tag` goes into their names.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spinney.export._model import RuleEntry, RuleModel, TreeModel, TreeNode
from spinney.export._sql_dialects import Dialect
from spinney.export._sql_syntax import (
    Chain,
    Writer,
    balanced_sum,
    by_number,
    case,
    condition,
    condition_or_missing,
    lookup,
)

Columns = list[tuple[str, str]]  # names and expressions

_BETTER = 1.0 - 1e-12  # as in the core: costs closer than rounding are ties
_LONG = 16  # tokens of an expression, which needs some of the stack for itself


def most_tests(dialect: Dialect) -> int:
    """Return how many tests a fractional tree may have at one depth: each takes two columns."""
    return (dialect.most_columns - 200) // 2


def deepest_case(model: TreeModel, dialect: Dialect) -> int:
    """Return how many levels of a tree are written as one expression."""
    longest = max((len(s.question.tokens) for s in model.nodes if s.question), default=0)
    return dialect.deepest_case if longest <= _LONG else dialect.deepest_case // 2


def is_one_case(model: TreeModel, dialect: Dialect) -> bool:
    """Tell whether a tree can be written as one CASE."""
    return not model.fractional and model.max_depth <= deepest_case(model, dialect)


def case_expression(model: TreeModel, writer: Writer, write: Callable[[int], str]) -> str:
    """Return a tree of limited depth as one expression; `write` gives the text of a leaf."""
    return _subtree(model, 0, deepest_case(model, writer.dialect), write, writer)


def predicted_leaf(model: TreeModel, dialect: Dialect) -> Callable[[int], str]:
    """Return a writer of what leaves predict."""
    return lambda node: _node_literal(model, node, dialect)


def walk_leaf(chain: Chain, model: TreeModel, writer: Writer, tag: str = "") -> Iterator[Columns]:
    """Yield the steps that find the number of a row's leaf: the column ``node``."""
    entries, column = [0], chain.name(f"{tag}node")
    deepest = deepest_case(model, writer.dialect)
    while entries:
        reached: list[int] = []
        pairs = [
            (str(node), _subtree(model, node, deepest, _number(reached), writer))
            for node in entries
        ]
        text = pairs[0][1] if entries == [0] else case(pairs, column, operand=column)
        yield [(f"{chain.stem}_{tag}node", text)]
        entries = [node for node in reached if not model.nodes[node].is_leaf]


def leaf_outputs(model: TreeModel, column: str, probabilities: bool, dialect: Dialect) -> list[str]:
    """Return the prediction, and if asked for the class shares, by the number of the leaf."""
    leaves = [step.id for step in model.nodes if step.is_leaf]
    entries = [(leaf, _node_literal(model, leaf, dialect), model.answers[leaf]) for leaf in leaves]
    return by_number(column, entries, probabilities, dialect)


def _number(reached: list[int]) -> Callable[[int], str]:
    """Return a writer of node numbers that notes which ones it wrote."""

    def write(node: int) -> str:
        reached.append(node)
        return str(node)

    return write


def _subtree(
    model: TreeModel, node: int, depth: int, write: Callable[[int], str], writer: Writer
) -> str:
    """Return the tests below a node, to a depth; `write` gives the text where they end."""
    step = model.nodes[node]
    if step.is_leaf or depth == 0:
        return write(node)
    below = [_subtree(model, child, depth - 1, write, writer) for child in step.children]
    answers = _answers(step, writer)
    if not step.surrogates:
        pairs = [(text, below[branch]) for text, branch in answers if branch != step.default]
        return case(pairs, below[step.default])
    while answers and answers[-1][1] == step.default:
        answers.pop()
    choice = case([(text, str(branch)) for text, branch in answers], str(step.default))
    pairs = [(str(branch), text) for branch, text in enumerate(below)]
    return case(pairs[:-1], below[-1], operand=choice.replace("\n", "\n  "))


def _answers(step: TreeNode, writer: Writer) -> list[tuple[str, int]]:
    """Return the conditions in the order in which they are tried, and the branches they choose."""
    found = []
    for question in step.questions:
        for branch in range(question.n_branches):
            text = condition(question, branch, writer)
            if text is not None:
                found.append((text, branch))
    return found


def walk_shares(chain: Chain, model: TreeModel, writer: Writer, tag: str = "") -> Iterator[Columns]:
    """Yield the steps that sum the answers of the leaves: the columns ``sum0``, ``sum1``..."""
    sums = [f"{chain.stem}_{tag}sum{k}" for k in range(model.n_outputs)]
    root, real = model.nodes[0], writer.dialect.real_number
    if root.is_leaf:
        yield [(name, real(v)) for name, v in zip(sums, model.answers[0], strict=True)]
        return
    level = [root]
    arriving = _arrivals(chain, root, real(1.0), writer, tag)
    yield [*arriving, *((name, real(0.0)) for name in sums)]
    while level:
        columns, below = [], []
        for step in level:
            for branch, child in enumerate(step.children):
                if not model.nodes[child].is_leaf:
                    share = _share(chain, step, branch, tag)
                    columns += _arrivals(chain, model.nodes[child], share, writer, tag)
                    below.append(model.nodes[child])
        _check_width(len(below), writer.dialect)
        for k, name in enumerate(sums):
            terms = [_leaf_term(chain, model, step, k, tag) for step in level]
            own = chain.name(f"{tag}sum{k}")
            columns.append((name, balanced_sum([own, *(term for term in terms if term)])))
        yield columns
        level = below


def _check_width(n_tests: int, dialect: Dialect) -> None:
    most = most_tests(dialect)
    if n_tests > most:
        raise ValueError(
            f"the tree asks {n_tests} tests at one depth. A row with gaps may go down all of them, "
            f"which takes SQL two columns each, and databases limit these: at most {most} tests "
            "are written. Prune the tree, or export it by to_c or to_python."
        )


def walk_label(
    chain: Chain, model: TreeModel, writer: Writer, kept: Sequence[str] = (), tag: str = ""
) -> Iterator[Columns]:
    """Yield the steps that choose the class of least expected cost: the column ``best``."""
    count, stem = model.n_outputs, f"{chain.stem}_{tag}"
    sums = [chain.name(f"{tag}sum{k}") for k in range(count)]
    passed = [(name, chain.dialect.quoted(name)) for name in kept]
    costs = [(f"{stem}cost{j}", _expected(model, sums, j, writer.dialect)) for j in range(count)]
    if count == 1:
        yield [*passed, (f"{stem}best", "0")]
        return
    yield [*passed, *costs]
    least, best = chain.name(f"{tag}cost0"), "0"
    for j in range(1, count):
        ours = chain.name(f"{tag}cost{j}")
        cheaper = f"{ours} < {least} * {writer.dialect.real_number(_BETTER)}"
        later = [(f"{stem}cost{i}", chain.name(f"{tag}cost{i}")) for i in range(j + 1, count)]
        yield [
            *passed,
            *later,
            (f"{stem}least", case([(cheaper, ours)], least)),
            (f"{stem}best", case([(cheaper, str(j))], best)),
        ]
        least, best = chain.name(f"{tag}least"), chain.name(f"{tag}best")


def label_of(column: str, classes: Sequence[Any], dialect: Dialect) -> str:
    """Return the label that belongs to the code of a class."""
    return lookup(column, [(j, dialect.value(label)) for j, label in enumerate(classes)], None)


def _arrivals(chain: Chain, step: TreeNode, share: str, writer: Writer, tag: str) -> Columns:
    """Return two columns of a test: the share of the row that arrives, and where it goes."""
    assert step.question is not None
    texts = [condition(step.question, b, writer) for b in range(len(step.children))]
    pairs = [(text, str(branch)) for branch, text in enumerate(texts) if text is not None]
    name = f"{chain.stem}_{tag}branch{step.id}"
    return [(f"{chain.stem}_{tag}share{step.id}", share), (name, case(pairs, "NULL"))]


def _share(chain: Chain, step: TreeNode, branch: int, tag: str) -> str:
    chosen, share = chain.name(f"{tag}branch{step.id}"), chain.name(f"{tag}share{step.id}")
    real = chain.dialect.real_number
    pairs = [
        (f"{chosen} = {branch}", share),
        (f"{chosen} IS NULL", f"{share} * {real(step.shares[branch])}"),
    ]
    return case(pairs, real(0.0))


def _leaf_term(chain: Chain, model: TreeModel, step: TreeNode, k: int, tag: str) -> str:
    """Return what the leaves right below a test add to a sum; empty if it has none."""
    chosen, real = chain.name(f"{tag}branch{step.id}"), chain.dialect.real_number
    everywhere, results = 0.0, []
    for branch, child in enumerate(step.children):
        value = model.answers[child][k] if model.nodes[child].is_leaf else 0.0
        everywhere += step.shares[branch] * value
        results.append((branch, real(value)))
    if not any(model.nodes[child].is_leaf for child in step.children):
        return ""
    text = lookup(chosen, results, (f"{chosen} IS NULL", real(everywhere)))
    return f"{chain.name(f'{tag}share{step.id}')} * {text}"


def _expected(model: TreeModel, sums: list[str], label: int, dialect: Dialect) -> str:
    """Return the expected cost of a label, given the sums of the classes."""
    if model.cost is None:
        return balanced_sum(sums) + f"\n- {sums[label]}"
    pairs = zip(sums, model.cost, strict=True)
    return balanced_sum([f"{name} * {dialect.real_number(row[label])}" for name, row in pairs])


def rules_expression(rules: RuleModel, writer: Writer) -> str:
    """Return what ordered rules predict as one expression."""
    literals = [_rule_literal(rules, entry, writer.dialect) for entry in rules.entries]
    return _first(rules, literals, writer)


def add_rules(chain: Chain, rules: RuleModel, writer: Writer) -> list[str]:
    """Add the step that finds the rule which decides; return the prediction and class shares."""
    numbers = [str(place) for place in range(len(rules.entries))]
    chain.add([(f"{chain.stem}_rule", _first(rules, numbers, writer))])
    literals = [_rule_literal(rules, entry, writer.dialect) for entry in rules.entries]
    answers = [entry.answer for entry in rules.entries]
    found = list(zip(range(len(answers)), literals, answers, strict=True))
    return by_number(chain.name("rule"), found, rules.classes is not None, writer.dialect)


def _first(rules: RuleModel, results: list[str], writer: Writer) -> str:
    """Return the result of the first rule that fires."""
    pairs = []
    for entry, result in zip(rules.entries[:-1], results, strict=False):
        found = [condition_or_missing(r, writer) for r in entry.requirements]
        if None in found:  # no value of the database can meet it
            continue
        asked = zip(found, entry.requirements, strict=True)
        texts = [f"({text})" if r.question.tokens else str(text) for text, r in asked]
        pairs.append((" AND ".join(texts) or "1 = 1", result))
    return case(pairs, results[-1])


def _rule_literal(rules: RuleModel, entry: RuleEntry, dialect: Dialect) -> str:
    return _literal(rules.classes, entry.answer, entry.label, dialect)


def _node_literal(model: TreeModel, node: int, dialect: Dialect) -> str:
    label = model.labels[node] if model.labels else 0
    return _literal(model.classes, model.answers[node], label, dialect)


def _literal(classes: list[Any] | None, answer: list[float], label: int, dialect: Dialect) -> str:
    """Return a prediction as a literal."""
    return dialect.real_number(answer[0]) if classes is None else dialect.value(classes[label])
