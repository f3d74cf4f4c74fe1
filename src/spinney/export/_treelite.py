"""Export to treelite, whose readers and compilers take trees without stand-ins."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.export._ensemble_model import EnsembleModel, Member, read_model, refuse_functions
from spinney.export._model import Question, RuleModel, TreeModel, TreeNode

_OTHERS = "Formats that can: to_onnx, to_pmml, to_sql, to_c and to_python."


def to_treelite(model: Any) -> Any:
    """Return a model as a treelite model, for its readers, compilers and servers.

    Rows are encoded: a category is its place in the list that the model has of its column (an entry
    of ``categories`` in `to_json`), from 0, and NaN is missing. A category that fit did not see
    must be NaN. Numbers are doubles.

    A classifier returns the share of each class, in the order of the model's classes; the label is
    the class of the largest, the first of several. Of AdaBoost these are shares of weighted votes,
    not its probabilities.

    Parameters
    ----------
    model : Tree or fitted estimator of one tree or of many
        The model. Its gaps must go one way at every node: ``missing="majority"``, "learned" or
        "category", or a tree that has no surrogates.

    Returns
    -------
    treelite.Model
        Write it to a file by its method ``serialize``.

    Raises
    ------
    ImportError
        If the package treelite is not installed.
    ValueError
        If the model has surrogates, fractional rows, expressions, costs, a quorum or a median,
        which treelite cannot hold.
    """
    refuse_functions(model, "treelite")
    read = read_model(model)
    if isinstance(read, RuleModel):
        raise ValueError(f"treelite holds trees, not rules. {_OTHERS}")
    members = _members(read)
    for member in members:
        _check(member.tree)
    builder = _builder(read, members)
    factor = _factor(read)
    for member in members:
        _add_tree(builder, read, member, factor)
    return builder.commit()


def _members(model: TreeModel | EnsembleModel) -> Sequence[Member]:
    if isinstance(model, TreeModel):
        _check_costs(model.cost, "this tree")
        n = model.n_outputs
        return [Member(model, 1.0, tuple(range(n)), (1.0,) * n)]
    _check_costs(model.cost, "this ensemble")
    if model.abstain is not None or model.rule == "median":
        what = "a vote with abstention" if model.classes is not None else "a median"
        raise ValueError(f"treelite adds up trees, and cannot hold {what}. {_OTHERS}")
    return model.members


def _check_costs(cost: Any, what: str) -> None:
    if cost is not None:
        raise ValueError(
            f"{what} decides by costs, but treelite returns class shares only. {_OTHERS}"
        )


def _check(tree: TreeModel) -> None:
    inner = [node for node in tree.nodes if not node.is_leaf]
    if any(question.tokens for question in tree.questions):
        raise ValueError(f"the model tests expressions, which treelite cannot hold. {_OTHERS}")
    if any(node.surrogates for node in inner):
        raise ValueError(
            "the model has surrogate tests for missing values, which treelite cannot hold. Fit it "
            f"with missing='majority' or 'learned'. {_OTHERS}"
        )
    if tree.fractional and inner:
        raise ValueError(
            "rows with missing values go down several branches of the model, which treelite cannot "
            f"hold. Fit it with missing='majority'. {_OTHERS}"
        )


def _builder(model: TreeModel | EnsembleModel, members: Sequence[Member]) -> Any:
    try:
        from treelite import model_builder as made
    except ImportError:
        raise ImportError(
            "the package treelite is not installed. Install it: pip install 'spinney[treelite]'."
        ) from None
    n = model.n_outputs
    classes = model.classes is not None
    metadata = made.Metadata(
        num_feature=len(model.schema.columns),
        task_type="kMultiClf" if classes else "kRegressor",
        average_tree_output=False,
        num_target=1,
        num_class=[n],
        leaf_vector_shape=(1, n),
    )
    annotation = made.TreeAnnotation(
        num_tree=len(members),
        target_id=[0] * len(members),
        class_id=[-1 if n > 1 else 0] * len(members),
    )
    return made.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=metadata,
        tree_annotation=annotation,
        postprocessor=made.PostProcessorFunc(name="identity_multiclass" if classes else "identity"),
        base_scores=[0.0] * n,
    )


def _factor(model: TreeModel | EnsembleModel) -> float:
    """Return what sums are divided by, so that they are shares or a mean."""
    if isinstance(model, TreeModel):
        return 1.0
    return float(len(model.members)) if model.classes is None else model.total


def _add_tree(
    builder: Any, model: TreeModel | EnsembleModel, member: Member, divisor: float
) -> None:
    votes = isinstance(model, EnsembleModel) and model.votes
    key = len(member.tree.nodes)  # of the steps that a test of many branches takes beside its own
    builder.start_tree()
    for node in member.tree.nodes:
        if not node.is_leaf:
            key = _add_test(builder, node, key)
            continue
        said = [value / divisor for value in member.said(node.id, votes)]
        builder.start_node(node.id)
        builder.leaf(said if len(said) > 1 else said[0])
        builder.end_node()
    builder.end_tree()


def _add_test(builder: Any, node: TreeNode, key: int) -> int:
    """Add the steps of a test; return the next free key."""
    question, children = node.question, list(node.children)
    assert question is not None
    branches = list(range(len(children)))
    if question.groups:
        # The default comes last: what is in no list goes there, as missing values do.
        branches = [b for b in branches if b != node.default] + [node.default]
    elif question.backwards:
        branches.reverse()
    own = node.id
    for i, branch in enumerate(branches[:-1]):
        is_last = i + 2 == len(branches)
        rest = children[branches[-1]] if is_last else key
        builder.start_node(own)
        _write_step(builder, question, branch, children[branch], rest, branch == node.default)
        builder.end_node()
        own, key = key, key + (not is_last)
    return key


def _write_step(
    builder: Any, question: Question, branch: int, yes: int, no: int, missing_is_yes: bool
) -> None:
    sides = {"default_left": missing_is_yes, "left_child_key": yes, "right_child_key": no}
    if question.groups:
        builder.categorical_test(
            question.feature,
            category_list=list(map(int, question.groups[branch])),
            category_list_right_child=False,
            **sides,
        )
        return
    _, high = question.interval(branch)
    cut = np.inf if high is None else high
    builder.numerical_test(question.feature, cut, opname="<=", **sides)
