"""ONNX says what the model says, as onnxruntime runs it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_models import make_case
from handover_models import FIRST, HANDED, handed
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import spinney.onnx
from spinney import (
    AdaBoostClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
)
from spinney.export import to_onnx

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def fed(proto: Any, X: pd.DataFrame) -> dict[str, Any]:
    """The inputs of a graph; a text that no model knows is missing."""
    found = {}
    for given in proto.graph.input:
        column = X[given.name]
        pairs = zip(column, column.isna(), strict=True)
        if given.type.tensor_type.elem_type == onnx.TensorProto.STRING:
            cells = np.array(["\x01 none" if gap else str(v) for v, gap in pairs], dtype=object)
        else:
            cells = np.array([np.nan if gap else float(v) for v, gap in pairs])
        found[given.name] = cells.reshape(-1, 1)
    return found


def run(proto: Any, X: pd.DataFrame) -> list[Any]:
    onnx.checker.check_model(proto, full_check=True)
    session = runtime.InferenceSession(proto.SerializeToString())
    return list(session.run(None, fed(proto, X)))


CASES = [n if n in FIRST else pytest.param(n, marks=pytest.mark.thorough) for n in HANDED]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_runtime_says_what_the_model_says(name):
    case = handed(name)
    found = run(to_onnx(case.model), case.X)
    case.check(found[0].tolist(), found[1] if len(found) > 1 else None)


def test_labels_keep_their_type():
    for name, kind in [("truths", "b"), ("grown out, costs", "i"), ("surrogate, odd names", "O")]:
        case = handed(name)
        assert run(to_onnx(case.model), case.X[:5])[0].dtype.kind == kind


def pipeline_table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    n = 10_000
    words = rng.choice(np.array(["x", "y", "z"], dtype=object), n)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": words})
    y = np.where(X["a"] + (X["c"] == "x") + rng.normal(0, 0.3, n) > 0.5, "good", "bad")
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        CARTClassifier(max_depth=6),
        RandomForestClassifier(10, random_state=0, oob_score=False),
        C45Classifier(min_samples_leaf=20),
        AdaBoostClassifier(CARTClassifier(max_depth=2), 5, random_state=0),
        CARTRegressor(max_depth=6),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_pipeline_with_a_column_transformer_is_converted(estimator):
    skl2onnx = pytest.importorskip("skl2onnx")
    types = skl2onnx.common.data_types
    spinney.onnx.register()
    X, y = pipeline_table()
    is_classifier = hasattr(estimator, "predict_proba")
    columns = ColumnTransformer(
        [("n", StandardScaler(), ["a", "b"]), ("c", OneHotEncoder(sparse_output=False), ["c"])]
    )
    model = Pipeline([("columns", columns), ("model", estimator)])
    model.fit(X, y if is_classifier else X["b"] ** 2)
    number = types.DoubleTensorType([None, 1])
    kinds = [("a", number), ("b", number), ("c", types.StringTensorType([None, 1]))]
    options = {"zipmap": False} if is_classifier else None
    proto = skl2onnx.to_onnx(model, initial_types=kinds, options=options)
    found = run(proto, X)
    assert found[0].ravel().tolist() == model.predict(X).tolist()
    if is_classifier:
        np.testing.assert_allclose(found[1], model.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.slow
def test_categories_reach_a_model_in_arrays_of_their_own():
    skl2onnx = pytest.importorskip("skl2onnx")
    types = skl2onnx.common.data_types
    spinney.onnx.register()
    case = make_case("grown out, costs")
    model = case.model
    kinds = []
    for column in model._schema.columns:
        is_text = column.kind != "numeric" and isinstance(column.categories[0], str)
        kind = types.StringTensorType if is_text else types.DoubleTensorType
        kinds.append((column.name, kind([None, 1])))
    proto = skl2onnx.convert_sklearn(model, initial_types=kinds, options={"zipmap": False})
    found = run(proto, case.X)
    case.check(found[0].tolist(), found[1])


def test_names_that_collide_are_refused_or_kept_apart():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((100, 3)), columns=["spinney_Gather_0", "a\n\"'b", "A\n\"'b"])
    y = X.to_numpy()[:, 0] + X.to_numpy()[:, 1] > 1
    model = CARTClassifier(max_depth=4).fit(X, y)
    assert run(to_onnx(model), X)[0].tolist() == model.predict(X).tolist()
    for name in ("label", "", "nul\0"):
        renamed = CARTClassifier(max_depth=2).fit(X.set_axis([name, "b", "c"], axis=1), y)
        with pytest.raises(ValueError, match="Rename"):
            to_onnx(renamed)
