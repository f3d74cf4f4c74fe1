"""Models of PMML: trees, rules, and what is decided by sums of shares."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from spinney.export._model import Questions, Requirement, RuleModel, TreeModel, TreeNode
from spinney.export._pmml_parts import (
    TRUE,
    DerivedFields,
    Element,
    Names,
    answer_of,
    apply,
    branch_field,
    choice_of,
    compound,
    constant,
    data_type,
    element,
    label_text,
    mapped_field,
    number,
    ref,
    simple,
    truth_field,
)

_ROUNDING = 1.0 - 1e-12  # expected costs that are closer are ties
_BATCH = 20  # terms of a sum in one field


def text_of(made: Element, *, is_open: bool = False) -> str:
    """Return an element as text, without its end if more is to be put in."""
    text = ElementTree.tostring(made, encoding="unicode", short_empty_elements=not is_open)
    text = text.replace("\r", "&#13;")  # which readers of XML take for a line feed otherwise
    return text.removesuffix(f"</{made.tag}>") if is_open else text


@dataclass(frozen=True)
class Outputs:
    """Names of what a model returns besides its prediction; empty for what is not wanted."""

    probabilities: Sequence[str] = ()
    node: str = ""
    prediction: str = ""


@dataclass(frozen=True)
class Place:
    """Where a model stands: the name of its target (None within an ensemble), and its outputs."""

    names: Names
    outputs: Outputs
    target: str | None = None
    stem: str = ""
    targets: tuple[Element, ...] = ()  # what is known of the target before any row


def mining_schema(model: Questions, columns: Sequence[Any], place: Place) -> Element:
    """Return the fields that a model reads and its target."""
    fields: list[tuple[str, str, str | None]] = []
    if place.target is not None:
        fields.append((place.target, "target", None))
    for feature in model.features:
        column = columns[feature]
        fields.append((column.name, "active", "asIs" if column.kind == "numeric" else "asMissing"))
    return schema_of(fields)


def schema_of(fields: Sequence[tuple[str, str, str | None]]) -> Element:
    """Return the schema of fields: name, use, and what becomes of values that are not listed."""
    made = element("MiningSchema")
    for name, use, invalid in fields:
        attributes = {"name": name, "usageType": use, "invalidValueTreatment": invalid}
        made.append(element("MiningField", attributes))
    return made


def output_field(name: str, feature: str, kind: str, **attributes: Any) -> Element:
    """Return an entry of the results of a model."""
    optype = "continuous" if kind == "double" else "categorical"
    given = {"name": name, "optype": optype, "dataType": kind, "feature": feature}
    return element("OutputField", given | attributes)


def _output(place: Place, classes: Sequence[Any] | None, has_nodes: bool) -> list[Element]:
    made, asked = element("Output"), place.outputs
    if asked.prediction:
        kind = "double" if classes is None else data_type(classes)
        made.append(output_field(asked.prediction, "predictedValue", kind))
    for name, label in zip(asked.probabilities, classes or (), strict=False):
        made.append(output_field(name, "probability", "double", value=label_text(label)))
    if asked.node and has_nodes:
        made.append(output_field(asked.node, "entityId", "string"))
    return [made] if len(made) else []


def _local(fields: DerivedFields) -> list[Element]:
    return [element("LocalTransformations", None, *fields.elements)] if fields.elements else []


def task_of(classes: Any) -> str:
    """Return what PMML calls the task."""
    return "regression" if classes is None else "classification"


def targets_of(
    target: str, classes: Sequence[Any] | None, roots: Sequence[Sequence[float]], leaves: Any
) -> Element:
    """Return what is known of the target before any row.

    Parameters
    ----------
    target : str
        Its name.
    classes : sequence or None
        The labels; None for numbers.
    roots : sequence of sequences of float
        What each tree answers for all rows: class shares, or the number.
    leaves : sequence of float
        Numbers between which every prediction lies; empty if that is not known.

    Returns
    -------
    Element
    """
    means = [sum(column) / len(roots) for column in zip(*roots, strict=True)]
    if classes is None:
        bounds = {"min": number(min(leaves)), "max": number(max(leaves))} if leaves else {}
        value = element("TargetValue", {"defaultValue": number(means[0])})
        made = element("Target", {"field": target, "optype": "continuous", **bounds}, value)
        return element("Targets", None, made)
    total = sum(means)
    values = [
        element(
            "TargetValue",
            {
                "value": label_text(label),
                "displayValue": str(label) or None,
                "priorProbability": number(mean / total if total > 0.0 else 1.0 / len(means)),
            },
        )
        for label, mean in zip(classes, means, strict=True)
    ]
    return element(
        "Targets", None, element("Target", {"field": target, "optype": "categorical"}, *values)
    )


# -- Trees


def tree_text(tree: TreeModel, place: Place, name: str = "tree") -> Iterator[str]:
    """Return the lines of a tree: a TreeModel, or shares of all leaves where rows are divided."""
    if tree.fractional and any(not node.is_leaf for node in tree.nodes):
        yield from _shares_text(tree, place, name)
        return
    fields = DerivedFields(tree.schema, place.names, place.stem)
    predicates = _predicates(tree, fields)
    binary = all(node.is_leaf or len(node.children) == 2 for node in tree.nodes)
    attributes = {
        "modelName": name,
        "functionName": task_of(tree.classes),
        "missingValueStrategy": "none",
        "splitCharacteristic": "binarySplit" if binary else "multiSplit",
    }
    yield text_of(element("TreeModel", attributes), is_open=True)
    yield text_of(mining_schema(tree, tree.schema.columns, place))
    head = [*_output(place, tree.classes, True), *place.targets, *_local(fields)]
    yield from map(text_of, head)
    yield from _node_lines(tree, predicates)
    yield "</TreeModel>"


def _predicates(tree: TreeModel, fields: DerivedFields) -> list[Element]:
    found = [TRUE] * len(tree.nodes)
    for node in tree.nodes:
        for branch, child in enumerate(node.children):
            found[child] = choice_of(node.questions, branch, node.default, fields)
    return found


def _node_lines(tree: TreeModel, predicates: list[Element]) -> Iterator[str]:
    """Return the nodes, each within its parent, by a stack: trees may be deep."""
    counts = tree.tree.value.tolist() if tree.classes is not None else None
    weights = tree.tree.weight.tolist()
    waiting: list[int | None] = [0]  # None where a node ends
    while waiting:
        place = waiting.pop()
        if place is None:
            yield "</Node>"
            continue
        node = tree.nodes[place]
        attributes = {
            "id": node.id,
            "score": _score(tree, place),
            "recordCount": number(weights[place]),
        }
        inside = [predicates[place]]
        if counts is not None:
            inside += _distribution(tree.classes or [], counts[place], tree.answers[place])
        made = element("Node", attributes, *inside)
        yield text_of(made, is_open=not node.is_leaf)
        if not node.is_leaf:
            waiting += [None, *reversed(node.children)]


def _score(tree: TreeModel, place: int) -> str:
    if tree.classes is None:
        return number(tree.answers[place][0])
    return label_text(tree.classes[tree.labels[place]])


def _distribution(
    classes: Sequence[Any], counts: Sequence[float] | None, shares: Sequence[float]
) -> list[Element]:
    made = []
    for k, label in enumerate(classes):
        count = number(shares[k] if counts is None else counts[k])
        given = {"value": label_text(label), "recordCount": count, "probability": number(shares[k])}
        made.append(element("ScoreDistribution", given))
    return made


# -- Rows that are divided among branches


def _shares_text(tree: TreeModel, place: Place, name: str) -> Iterator[str]:
    """Return the lines of a tree whose rows with gaps go down several branches.

    The share of the row in each node is a field; the answer is the sum over the leaves.
    """
    fields = DerivedFields(tree.schema, place.names, place.stem)
    shares = [constant(1.0)] * len(tree.nodes)
    for node in tree.nodes:
        for branch, child in enumerate(node.children):
            part = _part(node, branch, fields)
            if node.id:
                part = apply("*", shares[node.id], part)
            shares[child] = ref(fields.add(f"share of node {child}", part))
    leaves = [node.id for node in tree.nodes if node.is_leaf]
    sums = []
    for k in range(tree.n_outputs):
        parts = [apply("*", shares[i], constant(tree.answers[i][k])) for i in leaves]
        sums.append(running_sum(f"sum {k}", parts, fields))
    schema = mining_schema(tree, tree.schema.columns, place)
    if tree.classes is None:
        yield from number_text(sums[0], schema, fields, place, name)
        return
    chosen = _cheapest(sums, tree.cost, fields)
    yield from decision_text(tree.classes, chosen, sums, schema, fields, place, name)


def _part(node: TreeNode, branch: int, fields: DerivedFields) -> Element:
    """Return 1 if the test chooses a branch, 0 if another one, and its share if it cannot tell."""
    assert node.question is not None
    share = constant(node.shares[branch])
    if node.question.tokens:
        truth = ref(truth_field(node.question.tokens, fields))
        unknown = apply("equal", truth, constant(0.5))
        chosen = apply("equal", truth, constant(float(branch == node.question.backwards)))
    else:
        answered = ref(branch_field(node.question, fields))
        unknown = apply("isMissing", answered)
        chosen = apply("equal", answered, constant(float(branch)))
    return apply("if", unknown, share, apply("if", chosen, constant(1.0), constant(0.0)))


def _cheapest(
    sums: Sequence[str], cost: Sequence[Sequence[float]] | None, fields: DerivedFields
) -> str:
    """Return the field with the place of the class of least expected cost."""
    total = running_sum("total", [ref(name) for name in sums], fields)
    best, least = constant(0.0), constant(0.0)
    for k, name in enumerate(sums):
        if cost is None:
            expected = apply("-", ref(total), ref(name))
        else:
            parts = [
                apply("*", ref(s), constant(row[k])) for s, row in zip(sums, cost, strict=True)
            ]
            expected = ref(running_sum(f"cost {k}", parts, fields))
        cheap = ref(fields.add(f"expected cost {k}", expected))
        if k == 0:
            least = cheap
            continue
        better = apply("lessThan", cheap, apply("*", least, constant(_ROUNDING)))
        best = ref(fields.add(f"best of {k + 1}", apply("if", better, constant(float(k)), best)))
        least = ref(fields.add(f"least of {k + 1}", apply("if", better, cheap, least)))
    return fields.add("best", best)


def running_sum(what: str, parts: Sequence[Element], fields: DerivedFields) -> str:
    """Return the field with a sum, added up from the first part to the last."""
    total = parts[0]
    for i, part in enumerate(parts[1:], start=1):
        total = apply("+", total, part)
        if i % _BATCH == 0:  # not nested deeper than a reader may follow
            total = ref(fields.add(f"{what}, first {i + 1}", total))
    return fields.add(what, total)


# -- Decisions by sums


def number_text(
    value: str, schema: Element, fields: DerivedFields, place: Place, name: str
) -> Iterator[str]:
    """Return the lines of a model that predicts the number in a field."""
    attributes = {"modelName": name, "functionName": "regression"}
    table = element(
        "RegressionTable",
        {"intercept": "0"},
        element("NumericPredictor", {"name": value, "coefficient": "1"}),
    )
    inside = [schema, *_output(place, None, False), *place.targets, *_local(fields), table]
    yield text_of(element("RegressionModel", attributes, *inside))


def decision_text(
    labels: Sequence[Any],
    best: str,
    shares: Sequence[str],
    schema: Element,
    fields: DerivedFields,
    place: Place,
    name: str,
) -> Iterator[str]:
    """Return the lines of a model whose class has its place in a field, with shares in others."""
    output, asked = element("Output"), place.outputs
    if asked.prediction:
        output.append(output_field(asked.prediction, "predictedValue", data_type(labels)))
    for out, share in zip(asked.probabilities, shares, strict=False):
        made = output_field(out, "transformedValue", "double")
        made.append(ref(share))
        output.append(made)
    root = element("Node", {"id": "0"}, TRUE)
    for k, label in enumerate(labels):
        chosen = simple(best, "equal", number(k))
        root.append(element("Node", {"id": k + 1, "score": label_text(label)}, chosen))
    attributes = {
        "modelName": name,
        "functionName": "classification",
        "missingValueStrategy": "none",
        "splitCharacteristic": "multiSplit",
    }
    outputs = [output] if len(output) else []
    inside = [schema, *outputs, *place.targets, *_local(fields), root]
    yield text_of(element("TreeModel", attributes, *inside))


# -- Rules


def rules_text(rules: RuleModel, place: Place) -> Iterator[str]:
    """Return the lines of ordered rules, of which the first that holds decides."""
    fields = DerivedFields(rules.schema, place.names)
    predicates = []
    for entry in rules.entries:
        parts = [_required(required, fields) for required in entry.requirements]
        predicates.append(
            parts[0] if len(parts) == 1 else compound("and", *parts) if parts else TRUE
        )
    schema = mining_schema(rules, rules.schema.columns, place)
    if rules.classes is None:
        yield from _flat_tree(rules, predicates, [schema, *_local(fields)])
        return
    output = _rule_output(rules, place)
    inside = [schema, output, *_local(fields), _rule_set(rules, predicates)]
    attributes = {"modelName": "rules", "functionName": "classification"}
    yield text_of(element("RuleSetModel", attributes, *inside))


def _rule_set(rules: RuleModel, predicates: Sequence[Element]) -> Element:
    classes, last = rules.classes or [], rules.entries[-1]
    attributes = {
        "defaultScore": label_text(classes[last.label]),
        "defaultConfidence": number(last.answer[last.label]),
    }
    method = element("RuleSelectionMethod", {"criterion": "firstHit"})
    made = element("RuleSet", attributes, method)
    made.extend(_distribution(classes, None, last.answer))
    pairs = zip(rules.entries[:-1], predicates, strict=False)
    for i, (entry, predicate) in enumerate(pairs, start=1):
        given = {
            "id": i,
            "score": label_text(classes[entry.label]),
            "confidence": number(entry.answer[entry.label]),
        }
        shares = _distribution(classes, None, entry.answer)
        made.append(element("SimpleRule", given, predicate, *shares))
    return made


def _rule_output(rules: RuleModel, place: Place) -> Element:
    """Return the number of the rule, and the class shares by it."""
    asked = place.outputs
    made = element("Output", None, output_field(asked.node, "entityId", "string"))
    for k, name in enumerate(asked.probabilities):
        shares = [(str(i), e.answer[k]) for i, e in enumerate(rules.entries[:-1], start=1)]
        rest = number(rules.entries[-1].answer[k])
        mapped = mapped_field(asked.node, shares or [("1", 0.0)])
        mapped.attrib |= {"defaultValue": rest, "mapMissingTo": rest}
        field = output_field(name, "transformedValue", "double")
        field.append(mapped)
        made.append(field)
    return made


def _flat_tree(
    rules: RuleModel, predicates: Sequence[Element], inside: list[Element]
) -> Iterator[str]:
    """Return rules of numbers, which a RuleSetModel cannot hold, as a tree of one level."""
    root = element("Node", {"id": "0"}, TRUE)
    for i, (entry, predicate) in enumerate(zip(rules.entries, predicates, strict=True), start=1):
        given = {"id": i, "score": number(entry.answer[0])}
        root.append(element("Node", given, predicate))
    attributes = {
        "modelName": "rules",
        "functionName": "regression",
        "missingValueStrategy": "none",
        "splitCharacteristic": "multiSplit",
    }
    yield text_of(element("TreeModel", attributes, *inside, root))


def _required(required: Requirement, fields: DerivedFields) -> Element:
    answer, _ = answer_of(required.question, required.branch, fields)
    if not required.or_missing:
        return answer
    gap = simple(fields.schema.columns[required.question.feature].name, "isMissing")
    return gap if answer.tag == "False" else compound("or", gap, answer)
