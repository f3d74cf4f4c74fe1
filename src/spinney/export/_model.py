"""The common form of trees and ordered rules that the code generators read.

A *question* is a test in terms of encoded values: a column with either ascending `cuts` (branch i
holds cuts[i-1] < x <= cuts[i]; a threshold is one cut) or the category codes of each branch; or the
tokens of an expression, which is true in branch 0 and false in branch 1. A condition of a rule is a
question with the branch that it requires: ``30 < age <= 45`` is the middle branch of the cuts 30
and 45.
"""

import math
import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from spinney._expression.tokens import Token
from spinney._format import EXACT_DIGITS, number_text
from spinney._table import Schema
from spinney.rules._conditions import (
    Condition,
    ExpressionCondition,
    Interval,
    Membership,
    conditions_text,
)
from spinney.rules._rule import same_array
from spinney.rules._ruleset import RuleSet
from spinney.tree import Tree
from spinney.tree._node import question_words
from spinney.tree._node_arrays import KINDS, read_branches, read_tokens


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
        """Indices of the columns used."""
        if not self.tokens:
            return {self.feature}
        return {token.arg for token in self.tokens if token.op == "column"}

    @property
    def code_branches(self) -> list[tuple[int, int]]:
        """Pairs of category code and branch, by code."""
        return sorted((code, b) for b, group in enumerate(self.groups) for code in group)

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
class TreeNode:
    """A node: its question, the surrogates, and the children."""

    id: int
    question: Question | None
    surrogates: tuple[Question, ...]
    children: range
    default: int
    shares: tuple[float, ...]  # of each child, for a row that goes down every branch
    text: str

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no test."""
        return self.question is None

    @property
    def questions(self) -> tuple[Question, ...]:
        """The node's own question and those of the surrogates; none in a leaf."""
        return () if self.question is None else (self.question, *self.surrogates)


class Questions(ABC):
    """Properties of models that follow from their questions."""

    @property
    @abstractmethod
    def questions(self) -> list[Question]:
        """All questions of the model."""

    @property
    def features(self) -> list[int]:
        """Indices of the columns used."""
        return sorted({feature for question in self.questions for feature in question.features})

    @property
    def operations(self) -> set[str]:
        """The operations of all expressions; empty if there is no expression."""
        return {token.op for question in self.questions for token in question.tokens}


@dataclass(frozen=True)
class TreeModel(Questions):
    """A tree in the form of the code generators."""

    tree: Tree
    schema: Schema
    classes: list[Any] | None
    fractional: bool
    cost: list[list[float]] | None
    nodes: list[TreeNode]
    answers: list[list[float]]  # of each node: class probabilities, or the mean
    labels: list[int]  # of each node; empty for regression
    max_depth: int

    @property
    def n_outputs(self) -> int:
        """The number of classes; 1 for regression."""
        return len(self.answers[0])

    @property
    def questions(self) -> list[Question]:
        """All questions of the tree."""
        return [question for node in self.nodes for question in node.questions]


def read_tree(tree: Tree) -> TreeModel:
    """Return a tree in the form of the code generators."""
    return TreeModel(
        tree=tree,
        schema=tree.schema,
        classes=None if tree.classes is None else tree.classes.tolist(),
        fractional=tree.missing == "fractional",
        cost=None if tree.cost_matrix is None else tree.cost_matrix.tolist(),
        nodes=_nodes(tree),
        answers=tree._predicted.tolist(),
        labels=[] if tree.classes is None else tree.labels.tolist(),
        max_depth=tree.max_depth,
    )


def _nodes(tree: Tree) -> list[TreeNode]:
    state = tree._state
    begins, defaults = state["surrogate_begin"].tolist(), state["default_branch"].tolist()
    weights, firsts = tree.weight.tolist(), tree.first_child.tolist()
    nodes = []
    for node, (first, count) in enumerate(zip(firsts, tree.n_children.tolist(), strict=True)):
        children = range(first, first + count) if count else range(0)
        surrogates = range(begins[node], begins[node + 1]) if count else range(0)
        total = 0.0
        for child in children:  # not sum(), which newer Pythons compensate and the core does not
            total += weights[child]
        shares = tuple(weights[c] / total if weights[c] > 0 else 0.0 for c in children)
        nodes.append(
            TreeNode(
                node,
                _question(state, node, count, "") if count else None,
                tuple(_question(state, s, count, "surrogate_") for s in surrogates),
                children,
                defaults[node],
                shares,
                _node_text(tree, node, count == 0),
            )
        )
    return nodes


def _node_text(tree: Tree, node: int, is_leaf: bool) -> str:
    test = None if is_leaf else tree[node].test
    if test is not None:
        return question_words(test, EXACT_DIGITS)
    answer = tree[node].prediction
    return "predicts " + (number_text(answer) if tree.classes is None else str(answer))


def _question(state: Mapping[str, Any], index: int, n_branches: int, prefix: str) -> Question:
    reverse = bool(prefix) and bool(state["surrogate_reversed"][index])
    if KINDS[state[prefix + "kind"][index]] == "expression":
        tokens = read_tokens(state, index, prefix)
        return Question(-1, n_branches, backwards=reverse, tokens=tokens)
    feature = int(state[prefix + "feature"][index])
    cuts, groups = read_branches(state, index, n_branches, prefix)
    if cuts:
        return Question(feature, n_branches, cuts, backwards=reverse)
    return Question(feature, n_branches, groups=groups[::-1] if reverse else groups)


@dataclass(frozen=True)
class Requirement:
    """A question and the branch that a rule requires; `or_missing`: or that it has no answer."""

    question: Question
    branch: int
    or_missing: bool = False


@dataclass(frozen=True)
class RuleEntry:
    """A rule, or the default, which comes last and has no requirements."""

    requirements: tuple[Requirement, ...]
    answer: list[float]  # class probabilities, or the mean
    label: int  # 0 for regression
    text: str


@dataclass(frozen=True)
class RuleModel(Questions):
    """Ordered rules in the form of the code generators: the first matching entry decides."""

    schema: Schema
    classes: list[Any] | None
    entries: list[RuleEntry]

    @property
    def n_outputs(self) -> int:
        """The number of classes; 1 for regression."""
        return len(self.entries[-1].answer)

    @property
    def has_gaps(self) -> bool:
        """Whether a missing value satisfies some requirement."""
        return any(required.or_missing for entry in self.entries for required in entry.requirements)

    @property
    def questions(self) -> list[Question]:
        """All questions of the rules."""
        return [required.question for entry in self.entries for required in entry.requirements]


def read_single(model: Any) -> TreeModel | RuleModel:
    """Return a tree or rules in the form of the code generators; all paths of a tree are it.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or RuleSet
        The model to export.

    Returns
    -------
    TreeModel or RuleModel
    """
    if not isinstance(model, RuleSet):
        tree = getattr(model, "tree_", model)
        if not isinstance(tree, Tree):
            raise TypeError(
                f"a Tree, a RuleSet, a fitted estimator that has a tree as tree_, or a fitted "
                f"ensemble of such trees is needed, got {type(model).__name__}. Fit the estimator "
                "first."
            )
        return read_tree(tree)
    if not model.rules or (model.ordered and all(rule._tree is None for rule in model)):
        return _read_rules(model)
    whole = _whole_tree(model)
    if whole is None:
        raise ValueError(
            "these rules are neither all the paths of one tree nor an ordered list of conditions: "
            "some were taken out, mixed, or given another order than they were made with. Use "
            "rules.prune(X, y), or export the tree."
        )
    return read_tree(whole)


def _whole_tree(rules: RuleSet) -> Tree | None:
    """Return the tree whose paths the rules are, each of them once; None if there is none."""
    tree = rules[0]._tree
    if tree is None or rules.ordered or any(rule._tree is not tree for rule in rules):
        return None
    leaves = np.flatnonzero(tree.n_children == 0).tolist()
    same = (
        sorted(rule._leaf for rule in rules) == leaves
        and rules.schema == tree.schema
        and same_array(rules.classes, tree.classes)
        and same_array(rules.cost_matrix, tree.cost_matrix)
    )
    return tree if same else None


def _read_rules(rules: RuleSet) -> RuleModel:
    """Read ordered rules, without those that can never match."""
    if rules.default is None:
        raise ValueError(
            "the rules have no default for rows that none of them covers. Give one: "
            "RuleSet(rules, default=...)."
        )
    answers, has_labels = rules._answers.tolist(), rules.classes is not None
    entries = []
    for place, rule in enumerate(rules):
        wanted = [_requirement(condition) for condition in rule.conditions]
        found = tuple(want for want in wanted if want is not None)
        if len(found) == len(wanted):
            said = conditions_text(rule.conditions) or "always"
            label = int(rules._labels[place]) if has_labels else 0
            text = f"{said}: {rule.prediction_text}"
            entries.append(RuleEntry(found, answers[place], label, text))
    last = rules._code(rules.default, "default") if has_labels else 0
    entries.append(RuleEntry((), answers[-1], last, f"otherwise {rules.default_text}"))
    classes = None if rules.classes is None else rules.classes.tolist()
    return RuleModel(rules.schema, classes, entries)


def _requirement(condition: Condition) -> Requirement | None:
    """Read a condition; None if no value satisfies it."""
    if isinstance(condition, ExpressionCondition):
        asked = Question(-1, 2, tokens=condition.test.tokens)
        return Requirement(asked, int(not condition.truth)) if condition.is_possible else None
    feature, or_missing = int(condition.feature), condition.missing
    if not isinstance(condition, Interval) or condition.categories:
        codes = tuple(map(int, condition.codes))
        if or_missing:
            if isinstance(condition, Membership):
                return _codes_or_missing(feature, codes, len(condition.vocabulary))
            return _codes_or_missing(feature, codes, len(condition.categories))
        return Requirement(Question(feature, 1, groups=(codes,)), 0) if codes else None
    low, high = float(condition.low), float(condition.high)
    if low == -math.inf:
        return Requirement(Question(feature, 2, (high,)), 0, or_missing)
    if high == math.inf or not low < high:  # without a value between them: above infinity
        above = low if high == math.inf else math.inf
        possible = high == math.inf or or_missing
        return Requirement(Question(feature, 2, (above,)), 1, or_missing) if possible else None
    return Requirement(Question(feature, 3, (low, high)), 1, or_missing)


def _codes_or_missing(feature: int, codes: tuple[int, ...], n_categories: int) -> Requirement:
    """Return the requirement of a category among some, or none at all."""
    others = tuple(code for code in range(n_categories) if code not in codes)
    return Requirement(Question(feature, 2, groups=(codes, others)), 0, or_missing=True)


@cache
def read_template(name: str) -> dict[str, str]:
    """Return the sections of a template.

    Parameters
    ----------
    name : str
        The file, whose sections begin with lines such as ``// --- HEAD`` or ``# --- HEAD``.

    Returns
    -------
    dict of str to str
        The text of each section, by its name.
    """
    path = resources.files("spinney.export").joinpath("templates", name)
    _, *parts = re.split(r"^(?://|#) --- (\w+)\n", path.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))
