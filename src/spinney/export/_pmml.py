"""Export to PMML 4.4, which banks and scoring engines read."""

from collections.abc import Iterator
from typing import Any

from spinney import __version__
from spinney.export._ensemble_model import EnsembleModel, read_model, refuse_functions
from spinney.export._model import RuleModel, TreeModel
from spinney.export._pmml_ensemble import ensemble_text
from spinney.export._pmml_models import (
    Outputs,
    Place,
    rules_text,
    targets_of,
    text_of,
    tree_text,
)
from spinney.export._pmml_parts import Element, Names, data_field, element, label_field, label_text

_NAMESPACE = "http://www.dmg.org/PMML-4_4"


def to_pmml(model: Any, *, target: str | None = None) -> str:
    """Return a model as PMML 4.4, with its exact predictions.

    A tree becomes a TreeModel: each node has its number, label, weight and class shares; surrogates
    are compound predicates, and categories that fit did not see are missing. Ordered rules become a
    RuleSetModel, and ensembles a MiningModel with a segment for each tree. Where PMML has no name
    for how a model decides, such as costs in an ensemble, a quorum or rows with gaps that go down
    several branches, derived fields work it out.

    Targets tell the prior probability of each class, which is its share among all training rows by
    weight; of numbers the overall mean as the default, and the least and greatest prediction.

    The result has the target, ``probability(<class>)`` for each class, and of a tree ``node``, the
    number of the leaf; of rules ``node`` is the number of the rule, from 1. Costs are part of the
    labels; an extension in the head lists them.

    Parameters
    ----------
    model : Tree, RuleSet, or fitted estimator of one tree or of many
        The model.
    target : str or None, default=None
        Name of the target. None for that of the training on the command line, else "target".

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the model computes columns by functions in Python, has infinite answers, or a name holds
        a character that XML does not allow.

    Notes
    -----
    Expressions are computed in double precision. PMML has no NaN: where infinities cancel each
    other, readers differ from the model.

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.export import to_pmml
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> to_pmml(tree, target="risk").count("<Node ")
    3
    """
    refuse_functions(model, "PMML")
    read = read_model(model)
    if target is None:
        target = getattr(getattr(model, "made_for_", None), "target", "target")
    return "\n".join(_lines(read, type(model).__name__, target)) + "\n"


def _targets(model: TreeModel | RuleModel | EnsembleModel, target: str) -> tuple[Element, ...]:
    """Return what is known of the target before any row; of rules nothing is."""
    if isinstance(model, RuleModel):
        return ()
    if isinstance(model, TreeModel):
        leaves = [answer for own in model.answers for answer in own]
        return (targets_of(target, model.classes, model.answers[:1], leaves),)
    trees = [member.tree for member in model.members]
    bounded = model.rule == "median" or model.equal
    leaves = [answer for tree in trees for own in tree.answers for answer in own]
    roots = [
        tree.answers[0] if model.classes is None else member.spread(tree.answers[0])
        for tree, member in zip(trees, model.members, strict=True)
    ]
    return (targets_of(target, model.classes, roots, leaves if bounded else ()),)


def _lines(model: TreeModel | RuleModel | EnsembleModel, source: str, target: str) -> Iterator[str]:
    columns = [model.schema.columns[feature] for feature in model.features]
    names = Names(column.name for column in columns)
    if "" in {target, *(column.name for column in columns)}:
        raise ValueError(
            "a field of PMML cannot have an empty name. Rename the column and fit again, or use "
            "to_json, to_c or to_python."
        )
    target = names.new(target)
    labels = model.labels if isinstance(model, EnsembleModel) else model.classes
    outputs = Outputs(
        [names.new(f"probability({label_text(label)})") for label in model.classes or ()],
        names.new("node"),
    )
    place = Place(names, outputs, target, targets=_targets(model, target))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield text_of(element("PMML", {"xmlns": _NAMESPACE, "version": "4.4"}), is_open=True)
    application = element("Application", {"name": "spinney", "version": __version__})
    cost = getattr(model, "cost", None)
    noted = [] if cost is None else [element("Extension", {"name": "cost matrix", "value": cost})]
    yield text_of(element("Header", {"description": source}, *noted, application))
    if labels is None:
        given = {"name": target, "optype": "continuous", "dataType": "double"}
        field = element("DataField", given)
    else:
        field = label_field(target, "categorical", labels)
    yield text_of(element("DataDictionary", None, field, *map(data_field, columns)))
    if isinstance(model, EnsembleModel):
        yield from ensemble_text(model, place)
    elif isinstance(model, RuleModel):
        yield from rules_text(model, place)
    else:
        yield from tree_text(model, place)
    yield "</PMML>"
