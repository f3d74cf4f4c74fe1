"""What the writers of code read of a set of rules.

A condition is a question with the answer that it wants, so that the tests of trees serve rules,
too: ``30 < age <= 45`` asks by the cuts 30 and 45 for the branch in the middle.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._table import Schema
from spinney.export._model import Question, as_tree
from spinney.rules._conditions import Condition, Expression, Interval, conditions_text
from spinney.rules._ruleset import RuleSet
from spinney.tree import Tree


@dataclass(frozen=True)
class Wanted:
    """A question, and the branch that it is to be answered with."""

    question: Question
    branch: int


@dataclass(frozen=True)
class RuleStep:
    """A rule, or at the end of all rules the default, which wants nothing."""

    wanted: tuple[Wanted, ...]
    answer: list[float]  # class shares, or the mean
    label: int  # 0 for regression
    said: str


@dataclass(frozen=True)
class RuleModel:
    """Ordered rules as the writers see them: the first step whose wants are met decides."""

    schema: Schema
    classes: list[Any] | None
    steps: list[RuleStep]

    @property
    def n_outputs(self) -> int:
        """The number of classes; 1 for regression."""
        return len(self.steps[-1].answer)

    @property
    def features(self) -> list[int]:
        """The columns that are asked about."""
        return sorted({f for step in self.steps for w in step.wanted for f in w.question.features})

    @property
    def operations(self) -> set[str]:
        """The operations of all expressions that are asked; none if there is no expression."""
        return {t.op for step in self.steps for w in step.wanted for t in w.question.tokens}


def tree_or_rules(model: Any) -> Tree | RuleModel:
    """Return the tree of a model, or its ordered rules. All paths of a tree are the tree."""
    if not isinstance(model, RuleSet):
        return as_tree(model)
    if not model.rules or (model.ordered and all(rule._tree is None for rule in model)):
        return _read(model)
    tree = _whole_tree(model)
    if tree is None:
        raise ValueError(
            "these rules are neither all the paths of one tree nor an ordered list of conditions: "
            "some were taken out, mixed, or given another order than they were made with. Use "
            "rules.prune(X, y), or export the tree."
        )
    return tree


def _whole_tree(rules: RuleSet) -> Tree | None:
    """Return the tree whose paths the rules are, each of them once; None if there is none."""
    tree = rules[0]._tree
    if tree is None or rules.ordered or any(rule._tree is not tree for rule in rules):
        return None
    leaves = np.flatnonzero(tree.n_children == 0).tolist()
    same = (
        sorted(rule._leaf for rule in rules) == leaves
        and rules.schema == tree.schema
        and _equal(rules.classes, tree.classes)
        and _equal(rules.cost_matrix, tree.cost_matrix)
    )
    return tree if same else None


def _equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _read(rules: RuleSet) -> RuleModel:
    """Return ordered rules as the writers see them, without those that can never fire."""
    if rules.default is None:
        raise ValueError(
            "the rules have no default for rows that none of them covers. Give one: "
            "RuleSet(rules, default=...)."
        )
    answers, has_labels = rules._answers.tolist(), rules.classes is not None
    steps = []
    for place, rule in enumerate(rules):
        wanted = [_wanted(condition) for condition in rule.conditions]
        found = tuple(want for want in wanted if want is not None)
        if len(found) == len(wanted):
            said = conditions_text(rule.conditions) or "always"
            label = int(rules._labels[place]) if has_labels else 0
            text = f"{said}: {rule.prediction_text}"
            steps.append(RuleStep(found, answers[place], label, text))
    last = rules._code(rules.default, "default") if has_labels else 0
    steps.append(RuleStep((), answers[-1], last, f"otherwise {rules.default_text}"))
    classes = None if rules.classes is None else rules.classes.tolist()
    return RuleModel(rules.schema, classes, steps)


def _wanted(condition: Condition) -> Wanted | None:
    """Return a condition as the writers see it; None if nothing fulfils it."""
    if isinstance(condition, Expression):
        asked = Question(-1, 2, tokens=condition.test.tokens)
        return Wanted(asked, int(not condition.truth)) if condition.is_possible else None
    feature = int(condition.feature)
    if condition.categories or not isinstance(condition, Interval):
        codes = tuple(map(int, condition.codes))
        return Wanted(Question(feature, 1, groups=(codes,)), 0) if codes else None
    low, high = float(condition.low), float(condition.high)
    if low == -math.inf:
        return Wanted(Question(feature, 2, (high,)), 0)
    if high == math.inf:
        return Wanted(Question(feature, 2, (low,)), 1)
    return Wanted(Question(feature, 3, (low, high)), 1) if low < high else None
