"""What the writers of code read: a tree with its tests in terms of numbers and category codes.

A *question* is a test without its class: a column, and either ascending `cuts` (branch i holds
cuts[i-1] < x <= cuts[i]; a threshold is one cut) or the category codes of each branch; or the
tokens of an expression, which is true in branch 0 and false in branch 1.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spinney._table import Schema
from spinney.tree import Tree
from spinney.tree._arrays import KINDS, MISSING_RULES, read_tokens
from spinney.tree._node_text import question_words
from spinney.tree._tokens import Token
from spinney.tree._words import EXACT_DIGITS, number_text


@dataclass(frozen=True)
class Question:
    """A test on one column, by cuts of a number or sets of category codes, or an expression."""

    feature: int  # -1 of an expression
    n_branches: int
    cuts: tuple[float, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    # Of a surrogate by cuts: the last interval is the first branch; of an expression: 1 is true.
    backwards: bool = False
    tokens: tuple[Token, ...] = ()

    @property
    def features(self) -> set[int]:
        """The columns that it asks."""
        if not self.tokens:
            return {self.feature}
        return {token.arg for token in self.tokens if token.op == "column"}

    def interval(self, branch: int) -> tuple[float | None, float | None]:
        """Return the bounds low < x <= high of a branch; None where there is no bound."""
        place = len(self.cuts) - branch if self.backwards else branch
        low = self.cuts[place - 1] if place else None
        return low, self.cuts[place] if place < len(self.cuts) else None

    def codes(self, n_categories: int) -> tuple[tuple[int, ...], ...]:
        """Return the codes of each branch, also where the question is asked by cuts."""
        if self.groups:
            return self.groups
        slots: list[list[int]] = [[] for _ in range(self.n_branches)]
        for code in range(n_categories):
            place = bisect_left(self.cuts, code)
            slots[len(self.cuts) - place if self.backwards else place].append(code)
        return tuple(map(tuple, slots))


@dataclass(frozen=True)
class Step:
    """A node: its question with those that stand in for it, and where the answers lead."""

    id: int
    question: Question | None
    stand_ins: tuple[Question, ...]
    children: range
    default: int
    shares: tuple[float, ...]  # of each child, for a row that goes every way
    said: str

    @property
    def is_leaf(self) -> bool:
        """Whether the node asks nothing."""
        return self.question is None


@dataclass(frozen=True)
class TreeModel:
    """A tree as the writers see it."""

    schema: Schema
    classes: list[Any] | None
    fractional: bool
    cost: list[list[float]] | None
    steps: list[Step]
    answers: list[list[float]]  # of each node: class shares, or the mean
    labels: list[int]  # of each node; empty for regression
    max_depth: int

    @property
    def n_outputs(self) -> int:
        """The number of classes; 1 for regression."""
        return len(self.answers[0])

    @property
    def features(self) -> list[int]:
        """The columns that are asked about."""
        asked = [(step.question, *step.stand_ins) for step in self.steps]
        return sorted({f for questions in asked for q in questions if q for f in q.features})

    @property
    def operations(self) -> set[str]:
        """The operations of all expressions that are asked; none if there is no expression."""
        asked = [(step.question, *step.stand_ins) for step in self.steps]
        return {t.op for questions in asked for q in questions if q for t in q.tokens}


def as_tree(model: Any) -> Tree:
    """Return the tree of a model; refuse what has none."""
    tree = getattr(model, "tree_", model)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"a Tree, a RuleSet, or a fitted estimator that has a tree as tree_, is needed, got "
            f"{type(model).__name__}. Fit the estimator first; members of an ensemble are exported "
            "one by one."
        )
    return tree


def read_tree(tree: Tree) -> TreeModel:
    """Return a tree as the writers see it."""
    return TreeModel(
        schema=tree.schema,
        classes=None if tree.classes is None else tree.classes.tolist(),
        fractional=MISSING_RULES[tree._state["missing"]] == "fractional",
        cost=None if tree.cost_matrix is None else tree.cost_matrix.tolist(),
        steps=_steps(tree),
        answers=tree._predicted.tolist(),
        labels=[] if tree.classes is None else tree.labels.tolist(),
        max_depth=tree.max_depth,
    )


def _steps(tree: Tree) -> list[Step]:
    state = tree._state
    begins = state["surrogate_begin"].tolist()
    weights, defaults = tree.weight.tolist(), state["default_branch"].tolist()
    steps = []
    for node, first, count in zip(
        range(tree.n_nodes), tree.first_child.tolist(), tree.n_children.tolist(), strict=True
    ):
        children = range(max(first, 0), max(first, 0) + count)
        asked, stand_ins, said = None, [], ""
        if count:
            test = tree[node].test
            assert test is not None  # it has children
            said = question_words(test, EXACT_DIGITS)
            asked = _question(state, node, count, "")
            for s in range(begins[node], begins[node + 1]):
                stand_ins.append(_question(state, s, count, "surrogate_"))
        else:
            answer = tree[node].prediction
            said = "predicts " + (number_text(answer) if tree.classes is None else str(answer))
        total = 0.0
        for child in children:
            total += weights[child]
        shares = tuple(weights[c] / total if weights[c] > 0 else 0.0 for c in children)
        steps.append(Step(node, asked, tuple(stand_ins), children, defaults[node], shares, said))
    return steps


def _question(state: Mapping[str, Any], index: int, n_branches: int, prefix: str) -> Question:
    kind = KINDS[state[prefix + "kind"][index]]
    feature = int(state[prefix + "feature"][index])
    turned = bool(prefix) and bool(state["surrogate_reversed"][index])
    if kind == "expression":
        tokens = read_tokens(state, index, prefix)
        return Question(-1, n_branches, backwards=turned, tokens=tokens)
    if kind == "threshold":
        cuts: tuple[float, ...] = (float(state[prefix + "threshold"][index]),)
        return Question(feature, n_branches, cuts, backwards=turned)
    begin, end = state[prefix + "cut_begin"][index : index + 2].tolist()
    if begin < end:
        cuts = tuple(state[prefix + "cut"][begin:end].tolist())
        return Question(feature, n_branches, cuts, backwards=turned)
    slots: list[list[int]] = [[] for _ in range(n_branches)]
    begin, end = state[prefix + "code_begin"][index : index + 2].tolist()
    codes, branches = state[prefix + "code"][begin:end], state[prefix + "branch"][begin:end]
    for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
        slots[1 - branch if turned else branch].append(code)
    return Question(feature, n_branches, groups=tuple(map(tuple, slots)))
