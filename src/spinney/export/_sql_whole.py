"""SQL for trees that a row goes down whole: nested cases.

What a test cannot place falls through to the surrogates, and then to the default branch, which is
written once: as ELSE. A deep tree is cut into stages, as parsers limit how deep cases may nest: a
stage yields the number of the node that it reached, and the next one goes on from there.
"""

from collections.abc import Callable

from spinney.export._literals import sql_number, sql_value
from spinney.export._model import Step, TreeModel
from spinney.export._sql_parts import Chain, by_number, case, condition

_DEEPEST_CASE = 10  # SQLite before 3.46 has a parser's stack of 100 entries, about 6 for a level
_LONG = 16  # tokens of an expression, which needs some of the stack for itself


def deepest_case(model: TreeModel) -> int:
    """Return how many levels of a tree are written as one expression."""
    longest = max((len(s.question.tokens) for s in model.steps if s.question), default=0)
    return _DEEPEST_CASE if longest <= _LONG else _DEEPEST_CASE // 2


def case_expression(model: TreeModel, nan: bool) -> str:
    """Return a tree of limited depth as one expression."""
    return _subtree(model, 0, deepest_case(model), lambda node: answer(model, node), nan)


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
        entries = [node for node in reached if not model.steps[node].is_leaf]
    return column


def leaf_outputs(model: TreeModel, column: str, probabilities: bool) -> list[str]:
    """Return the prediction, and if asked for the class shares, by the number of the leaf."""
    leaves = [step.id for step in model.steps if step.is_leaf]
    entries = [(leaf, answer(model, leaf), model.answers[leaf]) for leaf in leaves]
    return by_number(column, entries, probabilities)


def answer(model: TreeModel, node: int) -> str:
    """Return what a node predicts, as a literal."""
    if model.classes is None:
        return sql_number(model.answers[node][0], always_real=True)
    return sql_value(model.classes[model.labels[node]])


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
    step = model.steps[node]
    if step.is_leaf or depth == 0:
        return write(node)
    below = [_subtree(model, child, depth - 1, write, nan) for child in step.children]
    answers = _answers(step, model, nan)
    if not step.stand_ins:
        pairs = [(text, below[branch]) for text, branch in answers if branch != step.default]
        return case(pairs, below[step.default])
    while answers and answers[-1][1] == step.default:
        answers.pop()
    choice = case([(text, str(branch)) for text, branch in answers], str(step.default))
    pairs = [(str(branch), text) for branch, text in enumerate(below)]
    return case(pairs[:-1], below[-1], operand=choice.replace("\n", "\n  "))


def _answers(step: Step, model: TreeModel, nan: bool) -> list[tuple[str, int]]:
    """Return the conditions in the order in which they are tried, and the branches they choose."""
    found = []
    for question in (step.question, *step.stand_ins):
        assert question is not None  # the step is no leaf
        for branch in range(question.n_branches):
            text = condition(question, branch, model.schema, nan)
            if text is not None:
                found.append((text, branch))
    return found
