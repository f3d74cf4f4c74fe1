"""Models of spinney inside pipelines that skl2onnx converts."""

from typing import Any

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.export._ensemble_model import read_model, refuse_functions
from spinney.export._onnx import add_model, all_labels, encoded, is_text, label_array
from spinney.export._onnx_graph import OLD_ML_OPSET, OPSET, Graph

__all__ = ["register"]

_CLASSIFIERS = (
    "AdaBoostClassifier BaggingClassifier C45Classifier CARTClassifier ExtraTreesClassifier "
    "GPForestClassifier GPTreeClassifier ID3Classifier IGPAClassifier IGPAForestClassifier "
    "RandomForestClassifier VotingCombiner"
)
_REGRESSORS = (
    "AdaBoostRegressor BaggingRegressor CARTRegressor ExtraTreesRegressor GPForestRegressor "
    "GPTreeRegressor IGPAForestRegressor IGPARegressor RandomForestRegressor RandomSurvivalForest "
    "SurvivalTree"
)


def register() -> None:
    """Register the tree estimators of spinney with skl2onnx.

    After that, ``skl2onnx.to_onnx`` and ``convert_sklearn`` convert pipelines that end in one, also
    behind a `ColumnTransformer`. Rows come as one or several arrays: numbers, or text for
    categories; in them NaN, and text that is no category, are missing. Give
    ``DoubleTensorType`` as the type of numbers: in single precision a value next to a threshold may
    fall on its other side.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    See Also
    --------
    spinney.export.to_onnx : A model on its own, with an input for each column.

    Examples
    --------
    >>> import spinney.onnx
    >>> spinney.onnx.register()  # doctest: +SKIP
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError:
        raise ImportError(
            "pipelines are converted by the package skl2onnx, which is not installed. Install it: "
            "pip install 'spinney[onnx]'."
        ) from None
    import spinney

    for name in _CLASSIFIERS.split():
        update_registered_converter(
            getattr(spinney, name),
            f"Spinney{name}",
            _classifier_shapes,
            _convert,
            options={"zipmap": [True, False, "columns"], "nocl": [True, False]},
        )
    for name in _REGRESSORS.split():
        update_registered_converter(
            getattr(spinney, name), f"Spinney{name}", _regressor_shapes, _convert
        )


def _number_type(operator: Any) -> Any:
    """Return the type of real outputs: double if some input is."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    double = any(isinstance(given.type, DoubleTensorType) for given in operator.inputs)
    return DoubleTensorType if double else FloatTensorType


def _classifier_shapes(operator: Any) -> None:
    from skl2onnx.common import data_types as types

    labels = label_array(all_labels(read_model(operator.raw_operator)))
    kinds = {
        "b": types.BooleanTensorType,
        "i": types.Int64TensorType,
        "f": types.DoubleTensorType,
        "O": types.StringTensorType,
    }
    n_rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = kinds[labels.dtype.kind]([n_rows])
    n_classes = len(operator.raw_operator.classes_)
    operator.outputs[1].type = _number_type(operator)([n_rows, n_classes])


def _regressor_shapes(operator: Any) -> None:
    n_rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = _number_type(operator)([n_rows, 1])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Put the operators of a model among those of a pipeline."""
    from skl2onnx.common.data_types import DoubleTensorType

    model = operator.raw_operator
    refuse_functions(model, "ONNX")
    if container.target_opset < OPSET:
        raise ValueError(
            f"models of spinney need opset {OPSET} of ONNX, got target_opset="
            f"{container.target_opset}. Use target_opset={OPSET} or later."
        )
    read = read_model(model)
    graph = Graph(scope.get_unique_variable_name("spinney"), OLD_ML_OPSET)
    columns = _values(graph, operator, read)
    place_of = {feature: feature for feature in read.features}
    found = add_model(graph, read, graph.joined(columns), place_of, len(columns))
    if read.classes is None:
        found = [graph.add("Unsqueeze", found[0], graph.whole(1))]
    numbers = "DOUBLE" if _number_type(operator) is DoubleTensorType else "FLOAT"
    found[-1] = graph.cast(found[-1], numbers)
    for node in graph.nodes:
        container.nodes.append(node)
        version = OLD_ML_OPSET if node.domain else OPSET
        container.node_domain_version_pair_sets.add((node.domain, version))
    container.initializers.extend(graph.constants)
    for name, output in zip(found, operator.outputs, strict=True):
        container.add_node(
            "Identity", name, output.full_name, name=scope.get_unique_operator_name("spinney")
        )


def _values(graph: Graph, operator: Any, read: Any) -> list[str]:
    """Return the encoded values of all columns, from the arrays that reach the model."""
    from skl2onnx.common.data_types import StringTensorType

    found: list[str] = []
    for given in operator.inputs:
        name, is_words = given.full_name, isinstance(given.type, StringTensorType)
        name = name if is_words else graph.cast(name, "DOUBLE")
        width = given.get_second_dimension()
        for place in range(width):
            column = read.schema.columns[len(found)]
            if column.kind != "numeric" and is_text(column.categories) != is_words:
                raise ValueError(
                    f"column {column.name!r} has {'text' if not is_words else 'numbers'} as "
                    "categories, but the array that reaches the model has not. Give it a type of "
                    "its own in initial_types."
                )
            one = name if width == 1 else graph.columns(name, [place])
            found.append(encoded(graph, column, one))
    if len(found) != len(read.schema.columns):
        raise ValueError(
            f"the model has {len(read.schema.columns)} columns, but {len(found)} reach it. Give "
            "the shape of each array in initial_types."
        )
    return found
