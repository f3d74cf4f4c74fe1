"""The common form of ensembles of trees that the code generators read.

Every member adds something to the sum of each class (or to the one sum of regression): its vote, or
its class shares, times its weight. What the sums then say is the *rule* of the ensemble:

- "vote", "average": the class with the largest sum, or of least cost; shares are sums of 1;
- "boost": the same, with the shares of AdaBoost;
- "quorum": the leading class if its share of all votes is enough, else a label of abstention;
- "mean": the sum by the number of members;
- "median": no sum, but the (weighted) median of the members' answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.frozen import FrozenEstimator

from spinney._table import Column, Schema
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._combine import BoostedCombiner
from spinney.ensemble._ensemble import BaseEnsemble
from spinney.ensemble._forest import Forest
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.ensemble._voting import VotingCombiner
from spinney.ensemble._voting_rules import SLACK
from spinney.export._model import (
    Question,
    Questions,
    RuleModel,
    TreeModel,
    TreeNode,
    read_single,
    read_tree,
)
from spinney.tree import Tree


@dataclass(frozen=True)
class Member:
    """A tree of an ensemble, and what its answers count for each class."""

    tree: TreeModel
    weight: float
    # For each output of the ensemble the member's own that speaks for it (-1 for none), and among
    # how many that one is divided.
    places: tuple[int, ...]
    sizes: tuple[float, ...]

    def said(self, node: int, votes: bool) -> list[float]:
        """Return what a leaf adds to each sum."""
        own = self.tree.answers[node]
        if votes:
            own = [float(k == self.tree.labels[node]) for k in range(len(own))]
        return self.spread(own)

    def spread(self, own: Sequence[float]) -> list[float]:
        """Return what answers of the member add to each sum."""
        pairs = zip(self.places, self.sizes, strict=True)
        return [0.0 if k < 0 else self.weight * own[k] / size for k, size in pairs]


@dataclass(frozen=True)
class EnsembleModel(Questions):
    """An ensemble of trees in the form of the code generators."""

    schema: Schema
    classes: list[Any] | None
    members: tuple[Member, ...]
    rule: str
    equal: bool  # whether all members count the same
    cost: list[list[float]] | None = None
    quorum: tuple[float, bool] = (0.0, False)  # the share that decides; whether it must be passed
    abstain: Any = None

    @property
    def votes(self) -> bool:
        """Whether members vote for classes."""
        return self.rule in ("vote", "boost", "quorum")

    @property
    def n_outputs(self) -> int:
        """The number of classes; 1 for regression."""
        return 1 if self.classes is None else len(self.classes)

    @property
    def labels(self) -> list[Any] | None:
        """The classes, and what is said without a decision."""
        abstains = self.abstain is not None
        return None if self.classes is None else self.classes + [self.abstain] * abstains

    @property
    def total(self) -> float:
        """The weight of all votes."""
        total = 0.0
        for member in self.members:
            total += member.weight
        return total

    @property
    def slack(self) -> float:
        """How far below the largest sum a class still leads."""
        return SLACK * self.total if self.rule == "quorum" else 0.0

    @property
    def questions(self) -> list[Question]:
        """All questions of all members."""
        return [question for member in self.members for question in member.tree.questions]

    @property
    def is_fractional(self) -> bool:
        """Whether a row with gaps goes down several branches of some member."""
        return any(member.tree.fractional for member in self.members)


def read_ensemble(model: Any) -> EnsembleModel | None:
    """Return an ensemble of trees in the form of the code generators; None for anything else."""
    if isinstance(model, VotingCombiner) and hasattr(model, "classes_"):
        return _read_votes(model)
    if not isinstance(model, BaseEnsemble) or "_members" not in vars(model):
        return None
    name = type(model).__name__
    if not isinstance(model._members, Forest):
        raise TypeError(
            f"{name} has members that are not trees of this package, which cannot be exported. "
            "Train it with trees, such as estimator=CARTClassifier()."
        )
    members = _forest_members(model)
    schema, equal = model._members.schema, not len(model._vote_weights())
    if not isinstance(model, ClassifierEnsemble):
        takes_median = isinstance(model, RegressorEnsemble) and model._uses_median()
        rule = "median" if takes_median else "mean"
        return EnsembleModel(schema, None, members, rule, equal)
    combiner, classes = model._combiner(), model.classes_.tolist()
    if combiner.tie_seed is not None:
        raise ValueError(
            f"{name} has ties='random': classes with equal votes are drawn, which no exported "
            "code can repeat. Use ties='lowest'."
        )
    rule = "vote" if combiner.votes else "average"
    if isinstance(combiner, BoostedCombiner):
        rule = "boost"
    cost = None if combiner.cost is None else combiner.cost.tolist()
    return EnsembleModel(schema, classes, members, rule, equal, cost)


def _forest_members(model: Any) -> tuple[Member, ...]:
    voters, weights = model._voters().tolist(), model._vote_weights().tolist()
    forest, found = model._members, []
    for place, i in enumerate(voters):
        tree, groups = read_tree(forest[i]), forest.groups(i)
        # A member that tells two groups of classes apart speaks for all classes of the group.
        places = groups or tuple(range(tree.n_outputs))
        votes = isinstance(model, ClassifierEnsemble) and model._combiner().votes
        sizes = [1.0 if votes or not groups else float(groups.count(g)) for g in places]
        found.append(Member(tree, weights[place] if weights else 1.0, places, tuple(sizes)))
    return tuple(found)


def _read_votes(model: VotingCombiner) -> EnsembleModel:
    trees = [_voting_tree(member.who, member.frozen) for member in model._members]
    schema = _joint_schema(trees)
    classes = model.classes_.tolist()
    weights = model.weights_.tolist()
    members = []
    for tree, weight in zip(trees, weights, strict=True):
        own = tree.classes or []
        places = tuple(own.index(label) if label in own else -1 for label in classes)
        members.append(Member(_moved(tree, schema), weight, places, (1.0,) * len(classes)))
    answers = model._answers.tolist()
    abstain = answers[-1] if len(answers) > len(classes) else None
    quorum = (model._quorum.share, model._quorum.strict)
    equal = len(set(weights)) == 1 and weights[0] == 1.0
    return EnsembleModel(
        schema, classes, tuple(members), "quorum", equal, quorum=quorum, abstain=abstain
    )


def _voting_tree(who: str, estimator: Any) -> TreeModel:
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    tree = getattr(estimator, "tree_", estimator)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"{who} is a {type(estimator).__name__}. A vote can be exported if all of its members "
            "are single trees of this package."
        )
    return read_tree(tree)


def _joint_schema(trees: list[TreeModel]) -> Schema:
    """Return all columns that the members of a vote know, with all of their categories."""
    columns: dict[str, Column] = {}
    for column in (column for tree in trees for column in tree.schema.columns):
        known = columns.setdefault(column.name, column)
        if known.kind != column.kind:
            raise ValueError(
                f"column {column.name!r} is {known.kind} for one member of the vote and "
                f"{column.kind} for another. Fit all members on columns of the same types."
            )
        new = tuple(label for label in column.categories if label not in known.categories)
        columns[column.name] = replace(known, categories=known.categories + new)
    return Schema(tuple(columns.values()), trees[0].schema.has_names)


def _moved(tree: TreeModel, schema: Schema) -> TreeModel:
    """Return a member of a vote in terms of the columns and categories of all members."""
    if tree.schema == schema:
        return tree
    names = list(schema.names)
    places = [names.index(column.name) for column in tree.schema.columns]
    moved = [_moved_node(node, tree.schema, schema, places) for node in tree.nodes]
    return replace(tree, schema=schema, nodes=moved)


def _moved_node(node: TreeNode, old: Schema, new: Schema, places: list[int]) -> TreeNode:
    if node.question is None:
        return node
    asked = [_moved_question(question, old, new, places) for question in node.questions]
    return replace(node, question=asked[0], surrogates=tuple(asked[1:]))


def _moved_question(question: Question, old: Schema, new: Schema, places: list[int]) -> Question:
    if question.tokens:
        for feature in question.features:
            if old.columns[feature].categories != new.columns[places[feature]].categories:
                raise ValueError(
                    f"column {old.columns[feature].name!r} has other categories for other members "
                    "of the vote, and an expression uses it. Fit all members on the same rows."
                )
        tokens = tuple(
            token._replace(arg=places[token.arg]) if token.op == "column" else token
            for token in question.tokens
        )
        return replace(question, tokens=tokens)
    column, place = old.columns[question.feature], places[question.feature]
    target = new.columns[place]
    if column.categories == target.categories:
        return replace(question, feature=place)
    listed = list(target.categories)
    groups = question.codes(len(column.categories))
    codes = [tuple(sorted(listed.index(column.categories[c]) for c in group)) for group in groups]
    return Question(place, question.n_branches, groups=tuple(codes))


def read_model(model: Any) -> TreeModel | RuleModel | EnsembleModel:
    """Return a model in the form of the code generators.

    Parameters
    ----------
    model : Tree, RuleSet, or a fitted estimator with a tree or trees
        The model to export.

    Returns
    -------
    TreeModel, RuleModel or EnsembleModel
    """
    return read_ensemble(model) or read_single(model)


def refuse_functions(model: Any, what: str) -> None:
    """Refuse a model with columns that the user's functions compute."""
    derived = getattr(model, "_derived", ())
    if derived:
        names = ", ".join(sorted({column.function.name for column in derived}))
        raise ValueError(
            f"the model uses functions in Python ({names}), which {what} cannot hold. Evolve with "
            "functions from the list of the parameter's docstring, or use to_sql, to_c, to_python "
            "or to_json, which expect what they compute as columns of the table."
        )
