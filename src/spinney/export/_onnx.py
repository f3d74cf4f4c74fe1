"""Export to ONNX: a graph that reads a table by columns, or one array of encoded values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import __version__
from spinney._table import Column
from spinney.ensemble._voting_rules import SLACK
from spinney.export._ensemble_model import (
    EnsembleModel,
    Member,
    read_model,
    refuse_functions,
)
from spinney.export._literals import plain_unicode
from spinney.export._model import RuleModel, TreeModel
from spinney.export._onnx_graph import ML_OPSET, OPSET, Graph
from spinney.export._onnx_trees import (
    Answers,
    cheapest,
    divided,
    fired,
    leaf_places,
    needs_answers,
    requirements_of,
)

_IR_VERSION = 10
Model = TreeModel | RuleModel | EnsembleModel


def to_onnx(model: Any) -> Any:
    """Return a model as ONNX, with its exact predictions in double precision.

    Each column that the model reads is an input of shape (n_rows, 1) with the column's name:
    double for numbers, and for categories that are numbers or truth values; string for other
    categories. NaN is missing, and so is a text (or number) that is no category of the model:
    ONNX has no missing text, so any such text, for instance "?", marks one.

    Outputs of a classifier are ``label`` (n_rows,), of the type of the labels, and
    ``probabilities`` (n_rows, n_classes), in the order of the model's classes; of a regression
    ``prediction`` (n_rows,). The graph uses TreeEnsemble of ai.onnx.ml 5 with membership in sets
    and tracks of missing values; surrogates are worked out before the tree.

    Parameters
    ----------
    model : Tree, RuleSet, or fitted estimator of one tree or of many
        The model.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    ValueError
        If the model computes columns by functions in Python.

    See Also
    --------
    spinney.onnx.register : Models as part of a pipeline that skl2onnx converts.

    Notes
    -----
    A surrogate needs a column of the rows for each test that has some: a forest with surrogates
    takes memory for the product of rows and tests. Score such a forest in blocks of rows.

    The sine in expressions is that of the runtime, whose last digits may differ.
    """
    refuse_functions(model, "ONNX")
    read = read_model(model)
    columns = [read.schema.columns[feature] for feature in read.features or [0]]
    graph = Graph(_free_stem([column.name for column in columns]))
    values = graph.joined([encoded(graph, column, column.name) for column in columns])
    place_of = {feature: i for i, feature in enumerate(read.features)}
    found = add_model(graph, read, values, place_of, len(columns))
    return _model_proto(graph, read, columns, found, type(model).__name__)


def _free_stem(names: Sequence[str]) -> str:
    """Return a beginning of names that no column has; refuse columns that ONNX cannot name."""
    for name in names:
        if not plain_unicode(name, "a name in ONNX", "to_json or to_python"):
            raise ValueError(
                "an input of ONNX cannot have an empty name. Rename the column and fit again, or "
                "use to_json, to_c or to_python."
            )
    stem = "spinney"
    while any(name.startswith(stem) for name in names):
        stem += "_"
    return stem


def encoded(graph: Graph, column: Column, name: str) -> str:
    """Return a column, which has this name in the graph, as numbers; what is no category is NaN."""
    if column.kind == "numeric":
        return name
    codes = np.arange(len(column.categories), dtype=np.float64)
    if not is_text(column.categories):
        return _encoded_numbers(graph, [float(label) for label in column.categories], name)
    words = list(map(_text, column.categories))
    if not graph.has_sets:
        given = {"keys_strings": words, "values_floats": codes.tolist(), "default_float": np.nan}
        return graph.cast(graph.add("LabelEncoder", name, domain="ai.onnx.ml", **given), "DOUBLE")
    helper, numpy_helper = graph.onnx.helper, graph.onnx.numpy_helper
    nothing = helper.make_tensor("default", graph.onnx.TensorProto.DOUBLE, [1], [np.nan])
    return graph.add(
        "LabelEncoder",
        name,
        domain="ai.onnx.ml",
        keys_tensor=numpy_helper.from_array(np.array(words, dtype=object), "keys"),
        values_tensor=numpy_helper.from_array(codes, "values"),
        default_tensor=nothing,
    )


def _encoded_numbers(graph: Graph, labels: Sequence[float], name: str) -> str:
    """Return the places of numbers in a list."""
    same = graph.add("Equal", name, graph.real([labels]))
    place = graph.add("ArgMax", graph.cast(same, "INT32"), axis=1, keepdims=1)
    some = graph.cast(same, "INT32")
    known = graph.cast(graph.add("ReduceMax", some, graph.whole(1), keepdims=1), "BOOL")
    return graph.add("Where", known, graph.cast(place, "DOUBLE"), graph.real(np.nan))


def is_text(labels: Sequence[Any]) -> bool:
    """Tell whether labels are written as text: if some are, or if they are large numbers."""
    return any(isinstance(label, str) or abs(label) > 2**53 for label in labels)


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels as ONNX holds them: of one type, else as text."""
    kinds = {type(label) for label in labels}
    if kinds == {bool}:
        return np.array(labels, dtype=bool)
    if kinds == {int} and all(abs(label) < 2**63 for label in labels):
        return np.array(labels, dtype=np.int64)
    if kinds == {float}:
        return np.array(labels, dtype=np.float64)
    return np.array(list(map(_text, labels)), dtype=object)


def _text(label: Any) -> str:
    return plain_unicode(str(label), "text in ONNX", "to_json or to_python")


def _model_proto(
    graph: Graph, model: Model, columns: Sequence[Column], found: Sequence[str], source: str
) -> Any:
    helper, tensor = graph.onnx.helper, graph.onnx.TensorProto
    value = helper.make_tensor_value_info
    inputs = []
    for column in columns:
        text = column.kind != "numeric" and is_text(column.categories)
        inputs.append(value(column.name, tensor.STRING if text else tensor.DOUBLE, [None, 1]))
    if model.classes is None:
        outputs = [value("prediction", tensor.DOUBLE, [None])]
    else:
        labels = label_array(all_labels(model))
        kinds = {"b": tensor.BOOL, "i": tensor.INT64, "f": tensor.DOUBLE, "O": tensor.STRING}
        outputs = [
            value("label", kinds[labels.dtype.kind], [None]),
            value("probabilities", tensor.DOUBLE, [None, len(model.classes)]),
        ]
    for name, output in zip(found, outputs, strict=True):
        graph.nodes.append(helper.make_node("Identity", [name], [output.name]))
    taken = [column.name for column in columns]
    if len({*taken, *(output.name for output in outputs)}) < len(taken) + len(outputs):
        raise ValueError(
            "a column of the model is named as an output of the graph: label, probabilities or "
            "prediction. Rename it and fit again."
        )
    made = helper.make_graph(graph.nodes, source, inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    return helper.make_model(
        made,
        producer_name="spinney",
        producer_version=__version__,
        opset_imports=opsets,
        ir_version=_IR_VERSION,
    )


def all_labels(model: Model) -> list[Any]:
    """Return the classes and, of a vote, what is said without a decision."""
    labels = model.labels if isinstance(model, EnsembleModel) else model.classes
    return list(labels or [])


# -- What models compute


def add_model(
    graph: Graph, model: Model, values: str, place_of: dict[int, int], n_values: int
) -> list[str]:
    """Add the operators of a model; return label and probabilities, or the prediction.

    `values` is a table of `n_values` encoded columns, and `place_of` the place of each feature.
    """
    answers = Answers(graph, values, place_of, n_values)
    for question in _asked(model, graph.has_sets):
        answers.note(question)
    answers.write()
    first = graph.columns(values, [0])
    known = graph.add("Where", graph.add("IsNaN", first), graph.real(0.0), first)
    ones = graph.cast(graph.add("Equal", known, known), "DOUBLE")
    if isinstance(model, RuleModel):
        place = fired(graph, model, answers, ones)
        place = graph.add("Squeeze", place, graph.whole(1))
        shares = _looked_up(graph, [entry.answer for entry in model.entries], place)
        if model.classes is None:
            return [graph.column(shares, 0)]
        return [_label_by(graph, model, [entry.label for entry in model.entries], place), shares]
    if isinstance(model, EnsembleModel):
        return _ensemble(graph, model, answers, ones)
    shares, best = _tree(graph, model, answers, ones)
    if model.classes is None:
        return [graph.column(shares, 0)]
    return [_named(graph, model, best), shares]


def _asked(model: Model, has_sets: bool) -> list[Any]:
    """Return the questions that are answered before any tree."""
    if isinstance(model, RuleModel):
        return [required.question for required in requirements_of(model)]
    trees = [model] if isinstance(model, TreeModel) else [m.tree for m in model.members]
    found: list[Any] = []
    for tree in trees:
        for node in tree.nodes:
            if tree.fractional:
                found += node.questions[:1]
            elif needs_answers(node, has_sets):
                found += node.questions
    return found


def _looked_up(graph: Graph, rows: Any, place: str) -> str:
    return graph.add("Gather", graph.real(rows), place, axis=0)


def _label_by(graph: Graph, model: Model, labels: Sequence[int], place: str) -> str:
    """Return the label of a leaf or of a rule, by its place."""
    codes = graph.constant(np.array(labels, dtype=np.int64))
    return _named(graph, model, graph.add("Gather", codes, place, axis=0))


def _named(graph: Graph, model: Model, best: str) -> str:
    """Return labels, by their places."""
    return graph.add("Gather", graph.constant(label_array(all_labels(model))), best, axis=0)


def _tree(graph: Graph, tree: TreeModel, answers: Answers, ones: str) -> tuple[str, str]:
    """Return what a tree says, a column an output, and of classes the place of its label."""
    if tree.fractional and len(tree.nodes) > 1:
        shares = divided(graph, tree, answers, ones)
        if tree.classes is None:
            return shares, ""
        best = cheapest(graph, shares, tree.cost, tree.n_outputs)
        return shares, graph.cast(graph.add("Squeeze", best, graph.whole(1)), "INT64")
    places, leaves = leaf_places(graph, [tree], answers)
    place = graph.column(places, 0)
    shares = _looked_up(graph, [tree.answers[leaf] for leaf in leaves[0]], place)
    if tree.classes is None:
        return shares, ""
    codes = graph.constant(np.array([tree.labels[leaf] for leaf in leaves[0]], dtype=np.int64))
    return shares, graph.add("Gather", codes, place, axis=0)


def _ensemble(graph: Graph, model: EnsembleModel, answers: Answers, ones: str) -> list[str]:
    said = _said(graph, model, answers, ones)
    if model.rule == "median":
        return [_median(graph, model, said)]
    sums = said[0]
    for part in said[1:]:  # in the order of the members, as the model adds them up
        sums = graph.add("Add", sums, part)
    if model.classes is None:
        mean = graph.add("Div", sums, graph.real(float(len(model.members))))
        return [graph.column(mean, 0)]
    return [_named(graph, model, _chosen(graph, model, sums)), _shares(graph, model, sums)]


def _said(graph: Graph, model: EnsembleModel, answers: Answers, ones: str) -> list[str]:
    """Return what each member adds to each sum."""
    whole = [i for i, m in enumerate(model.members) if not _divides(m)]
    found: dict[int, str] = {}
    if whole:
        trees = [model.members[i].tree for i in whole]
        places, leaves = leaf_places(graph, trees, answers)
        pairs = [(i, leaf) for i, own in zip(whole, leaves, strict=True) for leaf in own]
        rows = [_counted(model, model.members[i], leaf) for i, leaf in pairs]
        table = graph.real(rows)
        for column, i in enumerate(whole):
            found[i] = graph.add("Gather", table, graph.column(places, column), axis=0)
    for i, member in enumerate(model.members):
        if _divides(member):
            found[i] = _spread(graph, model, member, divided(graph, member.tree, answers, ones))
    return [found[i] for i in range(len(model.members))]


def _divides(member: Member) -> bool:
    return member.tree.fractional and len(member.tree.nodes) > 1


def _counted(model: EnsembleModel, member: Member, leaf: int) -> list[float]:
    """Return what a leaf adds to each sum; of a median its own answer."""
    return member.tree.answers[leaf] if model.rule == "median" else member.said(leaf, model.votes)


def _spread(graph: Graph, model: EnsembleModel, member: Member, own: str) -> str:
    """Return what the answers of a divided row add to each sum."""
    if model.rule == "median":
        return own
    if model.votes:
        n_own = member.tree.n_outputs
        best = cheapest(graph, own, member.tree.cost, n_own)
        own = graph.cast(graph.equal(best, [[float(k) for k in range(n_own)]]), "DOUBLE")
    places = [max(place, 0) for place in member.places]
    factor = [[float(place >= 0) for place in member.places]]
    own = graph.add("Mul", graph.columns(own, places), graph.real(factor))
    weighted = graph.add("Mul", own, graph.real(member.weight))
    return graph.add("Div", weighted, graph.real([member.sizes]))


def _chosen(graph: Graph, model: EnsembleModel, sums: str) -> str:
    """Return the place of the label: the first class that leads, or the abstention."""
    scores = sums
    if model.cost is not None:
        scores = graph.add("MatMul", sums, graph.real(-np.array(model.cost)))
    most = graph.add("ReduceMax", scores, graph.whole(1), keepdims=1)
    limit = graph.add("Sub", most, graph.real(model.slack))
    leads = graph.cast(graph.add("GreaterOrEqual", scores, limit), "INT32")
    best = graph.add("ArgMax", leads, axis=1, keepdims=0)
    if model.abstain is None:
        return best
    share, strict = model.quorum
    op, wanted = ("LessOrEqual", share + SLACK) if strict else ("Less", share - SLACK)
    undecided = graph.add(op, most, graph.real(wanted * model.total))
    undecided = graph.add("Squeeze", undecided, graph.whole(1))
    return graph.add("Where", undecided, graph.whole(model.n_outputs), best)


def _shares(graph: Graph, model: EnsembleModel, sums: str) -> str:
    total = graph.add("ReduceSum", sums, graph.whole(1), keepdims=1)
    n = model.n_outputs
    if model.rule != "boost":
        some = graph.add("Greater", total, graph.real(0.0))
        return graph.add("Where", some, graph.add("Div", sums, total), graph.real(1.0 / n))
    if n == 1:
        return graph.add("Div", sums, sums)
    others = graph.real(float(n - 1))
    against = graph.add("Div", graph.add("Sub", total, sums), others)
    ahead = graph.add("Div", graph.add("Sub", sums, against), total)
    powers = graph.add("Exp", graph.add("Div", ahead, others))
    return graph.add("Div", powers, graph.add("ReduceSum", powers, graph.whole(1), keepdims=1))


def _median(graph: Graph, model: EnsembleModel, said: Sequence[str]) -> str:
    """Return the median of the members' answers, by their weights if they differ."""
    n = len(said)
    joined = graph.joined(list(said))
    name = graph.add("TopK", joined, graph.whole(n), axis=1, largest=0, sorted=1)
    node = graph.nodes[-1]
    node.output.append(f"{name}_places")
    if model.equal:
        middle = [graph.column(name, (n - 1) // 2), graph.column(name, n // 2)]
        if n % 2:
            return middle[0]
        return graph.add("Div", graph.add("Add", *middle), graph.real(2.0))
    weights = graph.real([member.weight for member in model.members])
    sorted_weights = graph.add("Gather", weights, f"{name}_places", axis=0)
    upto = graph.add("CumSum", sorted_weights, graph.constant(np.int64(1)))
    half = graph.add("Mul", graph.columns(upto, [n - 1]), graph.real(0.5))
    enough = graph.cast(graph.add("GreaterOrEqual", upto, half), "INT32")
    place = graph.add("ArgMax", enough, axis=1, keepdims=1)
    found = graph.add("GatherElements", name, place, axis=1)
    return graph.add("Squeeze", found, graph.whole(1))
