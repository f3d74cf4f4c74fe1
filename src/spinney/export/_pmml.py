"""Export to PMML 4.4, which banks and scoring engines read; an ensemble is a MiningModel."""

from collections.abc import Iterator, Sequence
from typing import Any

from spinney import __version__
from spinney.ensemble._voting_rules import SLACK
from spinney.export._ensemble_model import EnsembleModel, Member, read_model, refuse_functions
from spinney.export._model import RuleModel, TreeModel
from spinney.export._pmml_models import (
    Outputs,
    Place,
    decision_text,
    mining_schema,
    number_text,
    rules_text,
    running_sum,
    schema_of,
    targets_of,
    task_of,
    text_of,
    tree_text,
)
from spinney.export._pmml_parts import (
    TRUE,
    DerivedFields,
    Element,
    Names,
    apply,
    constant,
    data_field,
    data_type,
    element,
    label_field,
    label_text,
    ref,
)

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


def ensemble_text(model: EnsembleModel, place: Place) -> Iterator[str]:
    """Return the lines of an ensemble."""
    attributes = {"modelName": "ensemble", "functionName": task_of(model.classes)}
    yield text_of(element("MiningModel", attributes), is_open=True)
    yield text_of(mining_schema(model, model.schema.columns, place))
    method = None if model.classes is not None else _method(model)
    if method is None:
        yield from _chain_lines(model, place)
    else:
        yield from map(text_of, place.targets)
        yield from _segments(model, place, method)
    yield "</MiningModel>"


def _method(model: EnsembleModel) -> str | None:
    """Return what PMML calls a decision of numbers; None for classes and weighted means."""
    if model.rule == "median":
        return "median" if model.equal else "weightedMedian"
    return "average" if model.equal else None


def _segments(model: EnsembleModel, place: Place, method: str) -> Iterator[str]:
    yield text_of(element("Segmentation", {"multipleModelMethod": method}), is_open=True)
    for i, member in enumerate(model.members, start=1):
        weight = None if model.equal else repr(member.weight)
        inner = Place(place.names, Outputs(), stem=f"tree {i}: ")
        yield from _segment(i, weight, tree_text(member.tree, inner, f"tree {i}"))
    yield "</Segmentation>"


def _segment(place: int, weight: str | None, lines: Iterator[str]) -> Iterator[str]:
    attributes = {"id": place, "weight": weight}
    yield text_of(element("Segment", attributes, TRUE), is_open=True)
    yield from lines
    yield "</Segment>"


def _chain_lines(model: EnsembleModel, place: Place) -> Iterator[str]:
    """Return trees that pass on what they say, and a last model that decides."""
    method = {"multipleModelMethod": "modelChain"}
    yield text_of(element("Segmentation", method), is_open=True)
    said = []
    for i, member in enumerate(model.members, start=1):
        outputs = _passed_on(model, member, place, i)
        said.append([outputs.prediction] if outputs.prediction else list(outputs.probabilities))
        inner = Place(place.names, outputs, stem=f"tree {i}: ")
        yield from _segment(i, None, tree_text(member.tree, inner, f"tree {i}"))
    yield from _segment(len(said) + 1, None, _decision(model, place, said))
    yield "</Segmentation>"


def _passed_on(model: EnsembleModel, member: Member, place: Place, i: int) -> Outputs:
    if model.votes or model.classes is None:
        return Outputs(prediction=place.names.new(f"tree {i}"))
    labels = member.tree.classes or []
    return Outputs([place.names.new(f"tree {i}, {label_text(label)}") for label in labels])


def _decision(model: EnsembleModel, place: Place, said: Sequence[Sequence[str]]) -> Iterator[str]:
    fields = DerivedFields(model.schema, place.names, "all: ")
    given: list[tuple[str, str, str | None]] = [
        (name, "active", None) for names in said for name in names
    ]
    if place.target is not None:
        given.insert(0, (place.target, "target", None))
    sums = [
        running_sum(f"sum {k}", _terms(model, said, k) or [constant(0.0)], fields)
        for k in range(model.n_outputs)
    ]
    if model.classes is None:
        share = apply("/", ref(sums[0]), constant(float(len(model.members))))
        mean = fields.add("mean", share)
        yield from number_text(mean, schema_of(given), fields, place, "mean")
        return
    best = _best(model, sums, fields)
    shares = _shares(model, sums, fields)
    labels = model.labels or []
    yield from decision_text(labels, best, shares, schema_of(given), fields, place, "decision")


def _terms(model: EnsembleModel, said: Sequence[Sequence[str]], k: int) -> list[Element]:
    """Return what each member adds to a sum."""
    terms = []
    for member, names in zip(model.members, said, strict=True):
        own = member.places[k]
        if own < 0:
            continue
        if model.votes:
            label = element("Constant", {"dataType": data_type(member.tree.classes or [])})
            label.text = label_text((member.tree.classes or [])[own])
            agrees = apply("equal", ref(names[0]), label)
            terms.append(apply("if", agrees, constant(member.weight), constant(0.0)))
            continue
        term = ref(names[0] if model.classes is None else names[own])
        term = term if member.weight == 1.0 else apply("*", constant(member.weight), term)
        size = member.sizes[k]
        terms.append(term if size == 1.0 else apply("/", term, constant(size)))
    return terms


def _best(model: EnsembleModel, sums: Sequence[str], fields: DerivedFields) -> str:
    """Return the field with the place of the chosen label."""
    scores = list(sums)
    if model.cost is not None:
        for k in range(len(sums)):
            pairs = zip(sums, model.cost, strict=True)
            parts = [apply("*", ref(name), constant(-row[k])) for name, row in pairs]
            scores[k] = running_sum(f"gain {k}", parts, fields)
    most = ref(scores[0])
    for k, name in enumerate(scores[1:], start=1):
        larger = apply("greaterThan", ref(name), most)
        most = ref(fields.add(f"most of {k + 1}", apply("if", larger, ref(name), most)))
    limit = fields.add("limit", apply("-", most, constant(model.slack)))
    chosen = constant(float(len(scores) - 1))
    for k in reversed(range(len(scores) - 1)):
        leads = apply("greaterOrEqual", ref(scores[k]), ref(limit))
        chosen = ref(fields.add(f"first from {k}", apply("if", leads, constant(float(k)), chosen)))
    if model.abstain is not None:
        share, strict = model.quorum
        function, wanted = ("lessOrEqual", share + SLACK) if strict else ("lessThan", share - SLACK)
        open_ = apply(function, most, constant(wanted * model.total))
        chosen = apply("if", open_, constant(float(len(scores))), chosen)
    return fields.add("best", chosen)


def _shares(model: EnsembleModel, sums: Sequence[str], fields: DerivedFields) -> list[str]:
    """Return the fields with the probabilities of the classes."""
    total = ref(running_sum("total", [ref(name) for name in sums], fields))
    if model.rule != "boost":
        even = constant(1.0 / len(sums))
        any_vote = apply("greaterThan", total, constant(0.0))
        return [
            fields.add(f"share {k}", apply("if", any_vote, apply("/", ref(name), total), even))
            for k, name in enumerate(sums)
        ]
    if len(sums) == 1:
        return [fields.add("share 0", constant(1.0))]
    others = constant(float(len(sums) - 1))
    powers = []
    for k, name in enumerate(sums):
        against = apply("/", apply("-", total, ref(name)), others)
        ahead = apply("/", apply("-", ref(name), against), total)
        powers.append(fields.add(f"power {k}", apply("exp", apply("/", ahead, others))))
    all_powers = ref(running_sum("powers", [ref(name) for name in powers], fields))
    return [
        fields.add(f"share {k}", apply("/", ref(name), all_powers)) for k, name in enumerate(powers)
    ]
